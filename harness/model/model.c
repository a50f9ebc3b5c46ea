/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A model from outside: set-up, the table of verbs, the sweep.
 */
#include <errno.h>
#include <stddef.h>
#include "contract/qp_fields.h"
#include "model/internal.h"

size_t model_size(void)
{
	return sizeof(struct model);
}

size_t model_used(const struct model *m)
{
	return offsetof(struct model, object) + m->top * sizeof(m->object[0]);
}

static void map_fields(struct model *m)
{
	size_t n;
	const struct qp_field *f = qp_fields(&n);

	for (size_t i = 0; i < n && i < MODEL_VALUE_FIELDS; i++)
		m->value_field[i] =
			(uint16_t)field_by_text(FAM_QP_ATTR, f[i].text);
}

void model_init(struct model *m, const struct device_info *info,
		const struct mutant *mutant)
{
	memset(m, 0, offsetof(struct model, object));
	m->info = info;
	m->mutant = mutant;
	m->table = qp_table();
	if (mutant && (mutant->op == MUT_CELL || mutant->op == MUT_PAIR))
		m->table = &mutant->table;
	m->next_qpn = 0x11;
	map_fields(m);
}

static void (*const verbs[VERB_NR])(struct step *s) = {
#define VERB(name, makes, on, in, out, out2, conv) [V_##name] = do_##name,
#include "program/verbs.def"
};

void model_call(struct model *m, const struct bound *b,
		const struct outcome *seen, struct choices *ch,
		struct answer *a)
{
	struct step s = {.m = m, .b = b, .seen = seen, .ch = ch, .a = a};

	if (seen)
		s.seen_error = outcome_error(b->verb, seen);
	if (ch)
		ch->n = 0;
	a->defined = 0;
	a->defined2 = 0;
	a->row = ROW_NONE;
	a->outcome.ret = 0;
	a->outcome.err = ERRNO_POISON;
	a->outcome.in_changed = false;
	memset(&a->outcome.out, OUT_POISON, sizeof(a->outcome.out));
	memset(&a->outcome.out2, OUT_POISON, sizeof(a->outcome.out2));
	verbs[b->verb](&s);
	if (!seen)
		mutant_outcome(m->mutant, b->verb, &a->outcome);
}

int model_sweep(struct model *m)
{
	m->top = 0;
	m->nevents = 0;
	return 0;
}
