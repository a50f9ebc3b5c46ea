/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints programs as text. Each value has one form, the most readable, so that
 * text and program follow from each other.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include "program/text.h"

#define CALL_TEXT_MAX 16384

void text_init(struct text *t, char *buf, size_t len)
{
	*t = (struct text){.buf = buf, .len = len, .cut = len == 0};
	if (len)
		buf[0] = '\0';
}

void text_add(struct text *t, const char *fmt, ...)
{
	va_list args;
	int n;

	if (t->cut)
		return;
	va_start(args, fmt);
	n = vsnprintf(t->buf + t->used, t->len - t->used, fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->len - t->used) {
		t->cut = true;
		return;
	}
	t->used += (size_t)n;
}

int text_end(const struct text *t)
{
	return t->cut ? -ENOSPC : 0;
}

/* Decimal for short or round numbers, hexadecimal for others. */
static void text_unsigned(struct text *t, uint64_t value)
{
	if (value < 0x10000 || (value % 1000 == 0 && value < 10000000000))
		text_add(t, "%" PRIu64, value);
	else
		text_add(t, "0x%" PRIx64, value);
}

static void text_signed(struct text *t, int64_t value)
{
	if (value >= 0) {
		text_unsigned(t, (uint64_t)value);
		return;
	}
	text_add(t, "-");
	text_unsigned(t, -(uint64_t)value);
}

static void text_enum(struct text *t, enum name_set set, uint64_t value)
{
	const struct name *n;

	for (n = name_first(set); n; n = name_next(n)) {
		if (n->value == value) {
			text_add(t, "%s", n->text);
			return;
		}
	}
	text_unsigned(t, value);
}

static void text_flags(struct text *t, enum name_set set, uint64_t value)
{
	const struct name *n;
	const char *join = "";

	if (!value)
		text_add(t, "0");
	for (n = name_first(set); n; n = name_next(n)) {
		if (!(value & n->value))
			continue;
		text_add(t, "%s%s", join, n->text);
		value &= ~n->value;
		join = "|";
	}
	if (value)
		text_add(t, "%s0x%" PRIx64, join, value);
}

static void text_number(struct text *t, enum field f, uint64_t value)
{
	const struct field_info *info = field_info(f);

	switch (info->kind) {
	case FK_ENUM:
		text_enum(t, (enum name_set)info->names, value);
		break;
	case FK_FLAGS:
		text_flags(t, (enum name_set)info->names, value);
		break;
	case FK_INT:
		text_signed(t, (int64_t)value);
		break;
	default:
		text_unsigned(t, value);
		break;
	}
}

static void text_gid(struct text *t, const union ibv_gid *gid)
{
	char buf[INET6_ADDRSTRLEN];

	text_add(t, "%s", inet_ntop(AF_INET6, gid->raw, buf, sizeof(buf)));
}

static void text_object(struct text *t, const struct program *p,
			unsigned int slot)
{
	if (slot == NO_OBJ)
		text_add(t, "none");
	else if (slot < p->nobjects && p->object[slot].name[0])
		text_add(t, "%s", p->object[slot].name);
	else
		text_add(t, "object%u", slot);
}

void text_field(struct text *t, enum field f, const void *args,
		const struct program *p)
{
	const struct field_info *info = field_info(f);
	union ibv_gid gid;

	if (info->kind == FK_GID) {
		memcpy(&gid, (const char *)args + info->offset, sizeof(gid));
		text_gid(t, &gid);
		return;
	}
	if (info->kind == FK_OBJ) {
		text_object(t, p, (unsigned int)field_get(f, args));
		return;
	}
	text_number(t, f, field_get(f, args));
}

static void text_plus(struct text *t, int64_t plus)
{
	if (plus > 0)
		text_add(t, "+");
	if (plus)
		text_signed(t, plus);
}

static void text_output(struct text *t, const struct program *p,
			const struct value *v)
{
	int verb = maker_of(p, v->ref);
	char name[WRITTEN_TEXT_LEN];

	snprintf(name, sizeof(name), "%s",
		 field_info((enum field)v->field)->text);
	if (verb >= 0)
		written_text((enum verb)verb, (enum field)v->field, name,
			     sizeof(name));
	text_object(t, p, v->ref);
	text_add(t, ".%s", name);
	if (field_info((enum field)v->field)->kind != FK_GID)
		text_plus(t, v->num);
}

void text_value(struct text *t, const struct program *p, enum field f,
		const struct value *v)
{
	switch ((enum value_kind)v->kind) {
	case VAL_NUM:
		text_number(t, f, (uint64_t)v->num);
		break;
	case VAL_LIMIT:
		text_add(t, "$%s", limit_name((enum limit)v->ref));
		text_plus(t, v->num);
		break;
	case VAL_SYM:
		text_add(t, "$%s", symbol_name(v->ref));
		text_plus(t, v->num);
		break;
	case VAL_GID:
		text_gid(t, &v->gid);
		break;
	case VAL_MYGID:
		text_add(t, v->ref ? "$second_gid" : "$gid");
		break;
	case VAL_OBJ:
		text_object(t, p, v->ref);
		break;
	case VAL_OUT:
		text_output(t, p, v);
		break;
	}
}

static bool is_named(const struct program *p, unsigned int slot)
{
	return slot != NO_OBJ &&
	       (slot >= p->nobjects || p->object[slot].name[0]);
}

static void text_head(struct text *t, const struct program *p,
		      unsigned int result, enum verb verb, unsigned int on)
{
	if (is_named(p, result)) {
		text_object(t, p, result);
		text_add(t, " = ");
	}
	text_add(t, "%s", verb_info(verb)->name);
	if (on != NO_OBJ) {
		text_add(t, " ");
		text_object(t, p, on);
	}
}

static void text_expectation(struct text *t, const struct program *p,
			     const struct call *c)
{
	char name[WRITTEN_TEXT_LEN];

	text_add(t, " => ");
	text_errno(t, c->expect_err);
	for (unsigned int i = 0; i < c->nexp; i++) {
		const struct setting *s = &p->setting[c->efirst + i];

		written_text((enum verb)c->verb, (enum field)s->field, name,
			     sizeof(name));
		text_add(t, " %s=", name);
		text_value(t, p, (enum field)s->field, &s->value);
	}
}

int call_print(const struct program *p, const struct call *c, char *buf,
	       size_t len)
{
	struct text t;

	text_init(&t, buf, len);
	text_head(&t, p, c->result, (enum verb)c->verb, c->on);
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *s = &p->setting[c->first + i];

		text_add(&t, " %s=", field_info((enum field)s->field)->text);
		text_value(&t, p, (enum field)s->field, &s->value);
	}
	if (c->from != NO_OBJ) {
		text_add(&t, " from=");
		text_object(&t, p, c->from);
	}
	if (c->expects)
		text_expectation(&t, p, c);
	return text_end(&t);
}

/* Returns true if the field has the value of a field that is not set. */
static bool is_default(enum field f, const void *args)
{
	const struct field_info *info = field_info(f);
	static const union ibv_gid zero;

	if (info->kind == FK_GID)
		return !memcmp((const char *)args + info->offset, &zero,
			       sizeof(zero));
	return field_get(f, args) == field_default(f);
}

/* Returns true if the field is printed. Attributes in the mask are printed with
 * any value, other fields if their value is not the default. */
static bool is_passed(const struct bound *b, enum field f)
{
	int bit = field_attr(f);
	enum field which;

	if (f == F_mask)
		return true;
	if (bit >= 0)
		return b->verb == V_modify_qp &&
		       (b->in.qp_attr.mask >> bit) & 1;
	if (request_like(f, &which) != FIELD_NR)
		return !request_repeats(f, &b->in.wr);
	return f != F_sq_draining && !is_default(f, &b->in);
}

int bound_print(const struct program *p, const struct bound *b, char *buf,
		size_t len)
{
	enum family fam = verb_info(b->verb)->in;
	unsigned int n = family_count(fam);
	struct text t;

	text_init(&t, buf, len);
	text_head(&t, p, b->result, b->verb, b->on);
	for (unsigned int i = 0; i < n; i++) {
		enum field f = (enum field)(family_first(fam) + i);

		if (!is_passed(b, f))
			continue;
		text_add(&t, " %s=", field_info(f)->text);
		text_field(&t, f, &b->in, p);
	}
	return text_end(&t);
}

static void print_about(const char *about, FILE *file)
{
	while (*about) {
		size_t n = strcspn(about, "\n");

		fprintf(file, "#%s%.*s\n", n ? " " : "", (int)n, about);
		if (!about[n])
			return;
		about += n + 1;
		if (!*about)
			fputs("#\n", file);
	}
}

int prog_print(const struct program *p, FILE *file)
{
	char line[CALL_TEXT_MAX];
	int err;

	print_about(p->about, file);
	for (unsigned int i = 0; i < p->ncalls; i++) {
		err = call_print(p, &p->call[i], line, sizeof(line));
		if (err)
			return err;
		fprintf(file, "%s\n", line);
	}
	return ferror(file) ? -EIO : 0;
}
