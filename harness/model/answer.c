/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes an answer: the refusal or acceptance in the convention of the verb,
 * and the output fields, each with the row that promises its value.
 */
#include <errno.h>
#include "model/internal.h"

void answer_refuse(struct step *s, enum row row, int err)
{
	enum convention conv = verb_info(s->b->verb)->conv;
	struct outcome *o = &s->a->outcome;

	s->a->row = row;
	if (conv == CONV_INT || conv == CONV_OWN) {
		o->ret = err;
		return;
	}
	o->ret = -1;
	o->err = err;
}

void answer_accept(struct step *s, enum row row)
{
	s->a->row = row;
	s->a->outcome.ret = 0;
}

/* Returns the position of a field in its family. */
static unsigned int place_of(enum field f)
{
	return (unsigned int)f -
	       (unsigned int)family_first(field_info(f)->family);
}

/* Marks an output field as defined by a row. Returns the structure that holds
 * the field. */
static void *note(struct step *s, enum field f, enum row row)
{
	enum family fam = field_info(f)->family;
	unsigned int at = place_of(f);

	if (fam == verb_info(s->b->verb)->out) {
		bits_add(&s->a->defined, at);
		s->a->field_row[at] = (uint16_t)row;
		return &s->a->outcome.out;
	}
	bits_add(&s->a->defined2, at);
	s->a->field_row2[at] = (uint16_t)row;
	return &s->a->outcome.out2;
}

void answer_define(struct step *s, enum field f, uint64_t value, enum row row)
{
	field_set(f, note(s, f, row), value);
}

enum row answer_field_row(const struct step *s, enum field f)
{
	bool first = field_info(f)->family == verb_info(s->b->verb)->out;

	return (enum row)(first ? s->a->field_row
				: s->a->field_row2)[place_of(f)];
}

void answer_define_gid(struct step *s, enum field f, const union ibv_gid *gid,
		       enum row row)
{
	char *out = note(s, f, row);

	memcpy(out + field_info(f)->offset, gid, sizeof(*gid));
}

uint64_t answer_seen(const struct step *s, enum field f, uint64_t mine)
{
	const struct outcome *o = s->seen;

	if (!is_oracle(s))
		return mine;
	return field_get(f, field_info(f)->family == verb_info(s->b->verb)->out
				    ? (const void *)&o->out
				    : (const void *)&o->out2);
}

/* Returns true if the field still holds the poison from before the call. */
static bool never_written(enum field f, uint64_t value)
{
	return (value & field_max(f)) ==
	       (UINT64_C(0x0101010101010101) * OUT_POISON & field_max(f));
}

uint64_t answer_seen_written(const struct step *s, enum field f, uint64_t mine)
{
	uint64_t value = answer_seen(s, f, mine);

	return never_written(f, value) ? mine : value;
}

void answer_undefine(struct step *s, enum field f)
{
	enum field first = family_first(field_info(f)->family);

	bits_drop(&s->a->defined, (unsigned int)f - (unsigned int)first);
}

uint64_t answer_define_at_least(struct step *s, enum field f, uint64_t low,
				uint64_t mine, enum row row)
{
	uint64_t value = answer_seen(s, f, mine);

	if (is_oracle(s) &&
	    ((int64_t)value < (int64_t)low || never_written(f, value)))
		value = mine;
	answer_define(s, f, value, row);
	return value;
}
