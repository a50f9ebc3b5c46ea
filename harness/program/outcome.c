/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The outcome of a call: the errno value of a refusal under the convention of
 * its verb, and printing.
 */
#include <errno.h>
#include <string.h>
#include "contract/contract.h"
#include "program/text.h"

#define ERRNO_LAST 255 /* the kernel's own names end far below */

int outcome_error(enum verb verb, const struct outcome *o)
{
	enum convention conv = verb_info(verb)->conv;

	if (!o->ret)
		return 0;
	if (conv == CONV_INT || conv == CONV_OWN)
		return o->ret > 0 ? o->ret : -1;
	if (o->ret != -1 || o->err <= 0)
		return -1;
	return o->err;
}

/* Clears what a call notes besides its return value and outputs. */
static void clear_notes(struct outcome *o)
{
	o->in_changed = false;
	o->context_lost = false;
	o->out_written = false;
	o->not_made = false;
	o->since_ms = 0;
	o->changed.made = 0;
}

void outcome_poison_all(struct outcome *o)
{
	memset(o, OUT_POISON, sizeof(*o));
	clear_notes(o);
}

void outcome_poison(struct outcome *o, enum verb verb)
{
	const struct verb_info *v = verb_info(verb);

	clear_notes(o);
	if (v->out != FAM_NONE)
		memset(&o->out, OUT_POISON, family_size(v->out));
	if (v->out2 != FAM_NONE)
		memset(&o->out2, OUT_POISON, family_size(v->out2));
}

void outcome_take(struct outcome *to, const struct outcome *from,
		  enum verb verb)
{
	const struct verb_info *v = verb_info(verb);

	to->ret = from->ret;
	to->err = from->err;
	to->in_changed = from->in_changed;
	to->context_lost = from->context_lost;
	to->out_written = from->out_written;
	to->changed = from->changed;
	if (v->out != FAM_NONE)
		memcpy(&to->out, &from->out, family_size(v->out));
	if (v->out2 != FAM_NONE)
		memcpy(&to->out2, &from->out2, family_size(v->out2));
}

int errno_by_name(const char *name, size_t len)
{
	for (int err = 1; err <= ERRNO_LAST; err++) {
		const char *known = errno_name(err);

		if (strlen(known) == len && !memcmp(known, name, len))
			return err;
	}
	return -1;
}

static bool has_name(int err)
{
	return err > 0 && err <= ERRNO_LAST && errno_name(err)[0] == 'E';
}

void text_errno(struct text *t, int err)
{
	if (has_name(err))
		text_add(t, "%s", errno_name(err));
	else
		text_add(t, "%d", err);
}

static void text_errno_left(struct text *t, int err)
{
	if (err == ERRNO_POISON) {
		text_add(t, "errno untouched");
		return;
	}
	text_add(t, "errno ");
	text_errno(t, err);
}

static void text_return(struct text *t, enum convention conv,
			const struct outcome *o)
{
	if (o->ret >= 0 || conv == CONV_OWN) {
		text_errno(t, o->ret);
		return;
	}
	if (conv == CONV_PTR)
		text_add(t, "NULL, ");
	else
		text_add(t, "%d, ", o->ret);
	text_errno_left(t, o->err);
}

static void text_outputs(struct text *t, const struct program *p,
			 enum verb verb, enum family fam, const void *args,
			 const struct bits *which)
{
	unsigned int n = family_count(fam);
	char name[WRITTEN_TEXT_LEN];

	for (unsigned int i = 0; i < n; i++) {
		enum field f = (enum field)(family_first(fam) + i);

		if (!bits_has(which, i))
			continue;
		written_text(verb, f, name, sizeof(name));
		text_add(t, " %s=", name);
		text_field(t, f, args, p);
	}
}

int outcome_print(const struct program *p, enum verb verb,
		  const struct outcome *o, const struct bits *fields,
		  const struct bits *fields2, char *buf, size_t len)
{
	const struct verb_info *info = verb_info(verb);
	struct text t;

	text_init(&t, buf, len);
	text_return(&t, info->conv, o);
	if (o->in_changed)
		text_add(&t, ", input changed");
	if (o->context_lost)
		text_add(&t, ", context lost");
	if (o->out_written)
		text_add(&t, ", output written");
	if (fields)
		text_outputs(&t, p, verb, info->out, &o->out, fields);
	if (fields2)
		text_outputs(&t, p, verb, info->out2, &o->out2, fields2);
	return text_end(&t);
}
