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

/* Prints the call's text as string literals, in several lines if it is long. */
static void put_text(FILE *out, unsigned int tabs, const char *text)
{
	if (strlen(text) < SHORT_TEXT) {
		fprintf(out, " \"%s\"", text);
		return;
	}
	while (*text) {
		size_t n = fitting(text, 54);

		n += strspn(text + n, " ");
		fputc('\n', out);
		put_tabs(out, tabs);
		fprintf(out, "\"%.*s\"", (int)n, text);
		text += n;
	}
}

static void put_expected_field(struct exporter *x, unsigned int tabs,
			       const struct call *c, const struct setting *s,
			       const char *var)
{
	enum field f = (enum field)s->field;
	char got[C_TEXT_LEN], want[C_TEXT_LEN], name[WRITTEN_TEXT_LEN];
	const char *check = "field";
	bool by_number = field_info(f)->family == FAM_WC &&
			 s->value.kind == VAL_OBJ; /* completions name it so */
	struct text t;

	if (field_info(f)->kind == FK_GID)
		check = "field_gid";
	if (field_info(f)->kind == FK_OBJ && !by_number)
		check = "field_object";
	text_init(&t, got, sizeof(got));
	c_output(&t, (enum verb)c->verb, var, f);
	text_init(&t, want, sizeof(want));
	c_value(x, &t, f, &s->value);
	if (by_number)
		text_add(&t, "->qp_num");
	written_text((enum verb)c->verb, f, name, sizeof(name));
	put_line(x, tabs, "%s(\"%s\", %s, %s);", check, name, got, want);
}

void export_result(struct exporter *x, const struct call *c, unsigned int tabs,
		   const char *gave, const char *result, const char *var)
{
	char line[C_TEXT_LEN * 4], want[32];
	struct text t;

	text_init(&t, want, sizeof(want));
	if (c->expects)
		text_errno(&t, c->expect_err);
	else
		text_add(&t, "ANY");
	call_print(x->p, c, line, sizeof(line));
	put_tabs(x->out, tabs);
	fprintf(x->out, "%s(%s, %s,", gave, result, want);
	put_text(x->out, tabs + 1, line);
	fputs(");\n", x->out);
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
		    field_is_vendors(s->field))
			continue; /* an array, or of a vendor's structure */
		text_init(&t, value, sizeof(value));
		c_value(x, &t, (enum field)s->field, &s->value);
		put_line(x, tabs, ".%s = %s,", c_member((enum field)s->field),
			 value);
	}
}

static void put_calls(struct exporter *x)
{
	const struct program *p = x->p;
	const struct call *c = NULL;

	fputs("static int run(void)\n{\n", x->out);
	for (unsigned int i = 0; i < p->ncalls; i++) {
		c = &p->call[i];
		if (i)
			fputc('\n', x->out);
		export_call(x, c);
		if (c->verb == V_inject_send_error)
			break;
	}
	if (!c || c->verb != V_inject_send_error)
		fputs("\treturn 0;\n", x->out);
	fputs("}\n", x->out);
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

/* Prints into memory, and marks the parts that the text needs. */
static int put_apart(struct exporter *x, void (*put)(struct exporter *x),
		     char **text)
{
	size_t len;

	x->out = open_memstream(text, &len);
	if (!x->out)
		return -ENOMEM;
	put(x);
	if (fclose(x->out))
		return -ENOMEM;
	if (!x->chosen)
		parts_choose(x, (struct range){*text, *text + len});
	return 0;
}

static int put_file(struct exporter *x, const char *name, FILE *file)
{
	char *body = NULL, *end = NULL;
	int err;

	err = put_apart(x, x->two_hosts ? two_hosts_put_calls : put_calls,
			&body);
	if (!err)
		err = put_apart(x,
				x->two_hosts ? two_hosts_put_main : export_main,
				&end);
	if (!err) {
		export_prologue(x, name, file);
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
	int err = 0;

	if (!prog_ok(x->p) || !in_order(x->p))
		return -EINVAL;
	if (x->two_hosts)
		err = two_hosts_divide(x);
	if (err)
		return err;
	parts_read(x);
	err = put_names(x);
	if (!err)
		err = put_file(x, name, file);
	if (err)
		return err;
	return ferror(file) ? -EIO : 0;
}

int prog_export_c(const struct program *p, const char *name, FILE *file)
{
	struct exporter x = {.p = p};

	return export(&x, name, file);
}

int prog_export_two_hosts(const struct program *p, const char *name, FILE *file)
{
	struct exporter x = {.p = p, .two_hosts = true};

	return export(&x, name, file);
}
