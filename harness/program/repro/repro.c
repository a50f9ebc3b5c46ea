/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints a program as a stand-alone C file: first the calls and main() into
 * memory, to learn which parts they need, then everything in order.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "program/repro/repro.h"
#include "program/forms.h"
#include "program/two_hosts.h"

#define COLUMNS 80

static void put_tabs(FILE *out, unsigned int tabs)
{
	for (unsigned int i = 0; i < tabs; i++)
		fputc('\t', out);
}

/* Returns where to break the line: at the last blank that fits, or behind a
 * word that is too long. */
static size_t fitting(const char *text, size_t room)
{
	size_t len = strlen(text), cut = room;

	if (len <= room)
		return len;
	while (cut && (text[cut] != ' ' || text[cut + 1] == '|'))
		cut--;
	if (cut)
		return cut;
	return room + strcspn(text + room, " ");
}

static void put_wrapped(FILE *out, unsigned int tabs, const char *text)
{
	unsigned int indent = tabs;

	while (*text) {
		size_t room = COLUMNS - 8 * (size_t)indent;
		size_t n = fitting(text, room);

		put_tabs(out, indent);
		fprintf(out, "%.*s\n", (int)n, text);
		text += n;
		text += strspn(text, " ");
		indent = tabs + 2;
	}
}

void put_line(struct exporter *x, unsigned int tabs, const char *fmt, ...)
{
	char text[3 * C_TEXT_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	put_wrapped(x->out, tabs, text);
}

#define SHORT_TEXT 44

void export_text(struct exporter *x, unsigned int tabs, const struct call *c)
{
	char line[C_TEXT_LEN * 4];
	const char *text = line;

	call_print(x->p, c, line, sizeof(line));
	if (strlen(text) < SHORT_TEXT) {
		fprintf(x->out, " \"%s\"", text);
		return;
	}
	while (*text) {
		size_t n = fitting(text, 54);

		n += strspn(text + n, " ");
		fputc('\n', x->out);
		put_tabs(x->out, tabs);
		fprintf(x->out, "\"%.*s\"", (int)n, text);
		text += n;
	}
}

void export_expected(const struct call *c, char want[32], const char *none)
{
	struct text t;

	text_init(&t, want, 32);
	if (c->expects)
		text_errno(&t, c->expect_err);
	else
		text_add(&t, "%s", none);
}

static void put_expected_field(struct exporter *x, unsigned int tabs,
			       const struct call *c, const struct setting *s,
			       const char *var)
{
	enum field f = (enum field)s->field;
	char got[C_TEXT_LEN], want[C_TEXT_LEN], name[WRITTEN_TEXT_LEN];
	bool by_number = field_info(f)->family == FAM_WC &&
			 s->value.kind == VAL_OBJ; /* completions name it so */
	struct text t;

	text_init(&t, got, sizeof(got));
	c_output(&t, (enum verb)c->verb, var, f);
	text_init(&t, want, sizeof(want));
	c_value(x, &t, f, &s->value);
	if (by_number)
		text_add(&t, "->qp_num");
	written_text((enum verb)c->verb, f, name, sizeof(name));
	x->frame->check_field(x, tabs,
			      &(struct answer){
				      .name = name,
				      .got = got,
				      .want = want,
				      .kind = by_number ? FK_UINT
							: field_info(f)->kind,
			      });
}

void export_result(struct exporter *x, const struct call *c, unsigned int tabs,
		   enum returns returns, const char *result, const char *var)
{
	x->frame->check(x, c, tabs, returns, result);
	if (verb_info((enum verb)c->verb)->conv == CONV_PTR && c->expect_err)
		return;
	for (unsigned int i = 0; i < c->nexp; i++)
		put_expected_field(x, tabs, c, &x->p->setting[c->efirst + i],
				   var);
}

void export_settings(struct exporter *x, const struct call *c,
		     unsigned int tabs)
{
	char value[C_TEXT_LEN];
	struct text t;

	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *s = &x->p->setting[c->first + i];

		if ((s->field >= F_ind_wq && s->field <= F_ind_wq3) ||
		    s->field == F_parent_allocator ||
		    field_is_vendors(s->field))
			continue; /* an array, an argument, or of a vendor */
		text_init(&t, value, sizeof(value));
		c_value(x, &t, (enum field)s->field, &s->value);
		put_line(x, tabs, ".%s = %s,", c_member((enum field)s->field),
			 value);
	}
}

/* Returns true for a step that has no form in C. */
static bool ends_form(enum verb verb)
{
	return verb == V_inject_send_error || verb_is_of_threads(verb);
}

bool export_calls(struct exporter *x)
{
	const struct program *p = x->p;

	for (unsigned int i = 0; i < p->ncalls; i++) {
		if (i)
			fputc('\n', x->out);
		export_call(x, &p->call[i]);
		if (ends_form((enum verb)p->call[i].verb))
			return false;
	}
	return true;
}

/* Returns true if an earlier call creates each object that a call names. */
static bool in_order(const struct program *p)
{
	bool made[NO_OBJ + 1] = {[NO_OBJ] = true};

	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];

		if (!made[c->on] || !made[c->from])
			return false;
		for (unsigned int n = 0; n < c->nset; n++) {
			const struct value *v = &p->setting[c->first + n].value;

			if ((v->kind == VAL_OBJ || v->kind == VAL_OUT) &&
			    !made[v->ref])
				return false;
		}
		if (c->result != NO_OBJ && made[c->result])
			return false;
		made[c->result] = true;
	}
	return true;
}

static void put_calls(struct exporter *x, const char *name)
{
	(void)name;
	x->frame->put_calls(x);
}

/* Prints into memory, and marks the parts that the text needs. */
static int put_apart(struct exporter *x,
		     void (*put)(struct exporter *x, const char *name),
		     const char *name, char **text)
{
	size_t len;

	x->out = open_memstream(text, &len);
	if (!x->out)
		return -ENOMEM;
	put(x, name);
	if (fclose(x->out))
		return -ENOMEM;
	if (!x->chosen)
		parts_choose(x, (struct range){*text, *text + len});
	return 0;
}

static int put_file(struct exporter *x, const char *name, FILE *file)
{
	char *body = NULL, *end = NULL;
	int err = put_apart(x, put_calls, "", &body);

	if (!err)
		err = put_apart(x, x->frame->put_main, name, &end);
	if (!err) {
		x->frame->prologue(x, name, file);
		parts_put(x, file);
		fprintf(file, "\n%s\n%s", body, end);
	}
	free(body);
	free(end);
	return err;
}

/* Prints the file a first time, to see which parts and names it needs. */
static int put_names(struct exporter *x)
{
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);
	int err = -ENOMEM;

	if (!file)
		return err;
	name_by_number(x);
	err = put_file(x, "", file);
	x->chosen = true;
	if (fclose(file))
		err = -ENOMEM;
	if (!err)
		name_variables(x, text);
	free(text);
	return err;
}

static int export(struct exporter *x, const char *name, FILE *file)
{
	static const char always[] = "main"; /* the part with common headers */
	int err = 0;

	if (!prog_ok(x->p) || !in_order(x->p))
		return -EINVAL;
	if (x->two_hosts)
		err = two_hosts_divide(x);
	if (err)
		return err;
	parts_read(x);
	parts_choose(x, (struct range){always, always + strlen(always)});
	err = put_names(x);
	if (!err)
		err = put_file(x, name, file);
	if (err)
		return err;
	return ferror(file) ? -EIO : 0;
}

int prog_export_c(const struct program *p, const char *name, FILE *file)
{
	struct exporter x = {.p = p, .frame = &frame_c};

	threads_look(&x);
	return export(&x, name, file);
}

int prog_export_kselftest(const struct program *p, const char *name, FILE *file)
{
	struct exporter x = {.p = p, .frame = &frame_kselftest};

	return export(&x, name, file);
}

int prog_export_ltp(const struct program *p, const char *name, FILE *file)
{
	struct exporter x = {.p = p, .frame = &frame_ltp};

	return export(&x, name, file);
}

int prog_export_two_hosts(const struct program *p, const char *name, FILE *file)
{
	struct exporter x = {
		.p = p,
		.frame = &frame_two_hosts,
		.two_hosts = true,
	};

	return export(&x, name, file);
}
