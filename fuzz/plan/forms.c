/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the call of a step from a modify_qp with the usual value of every
 * attribute: copies the attributes that the step's mask names, then sets the
 * values of the step.
 */
#include <string.h>
#include "fuzz/plan/forms.h"

/* Sets path[0] if a value of the step gives the primary path a GID, and path[1]
 * for the alternate path. */
static void find_gid_paths(const struct step *step, unsigned int path[2])
{
	path[0] = path[1] = 0;
	for (int i = 0; i < step->nvalues; i++) {
		enum field f = (enum field)step->value[i].field;

		if (field_is_grh(f) && step_sets(step, &step->value[i]))
			path[f >= F_alt_dgid] = 1;
	}
}

/* Finds the attribute that owns each byte; 0xff if none does. */
static void find_owners(uint8_t owner[sizeof(struct qp_attr_args)])
{
	memset(owner, 0xff, sizeof(struct qp_attr_args));
	for (unsigned int f = F_mask; f <= F_rate_limit; f++) {
		const struct field_info *info = field_info((enum field)f);
		int bit = field_attr((enum field)f);

		if (bit >= 0)
			memset(owner + info->offset, bit, info->size);
	}
}

/* Finds the spans of each attribute. A span may contain padding, which is
 * filled alike in all calls. */
static void find_spans(struct forms *f)
{
	uint8_t owner[sizeof(struct qp_attr_args)];
	unsigned int n = 0;

	find_owners(owner);
	for (unsigned int bit = 0; bit < 32; bit++) {
		f->span_of[bit] = (uint8_t)n;
		for (uint16_t at = 0; at < sizeof(owner); at++) {
			if (owner[at] != bit || n == FORM_SPANS)
				continue;
			f->span[n].first = at;
			while (at < sizeof(owner) &&
			       (owner[at] == bit || owner[at] == 0xff))
				at++;
			f->span[n++].end = at;
		}
	}
	f->span_of[32] = (uint8_t)n;
}

void forms_init(struct forms *f, struct stepper *s)
{
	memset(f, 0, sizeof(*f));
	f->s = s;
	find_spans(f);
}

/* Binds the last call of the stepper's program. */
static bool bind_last(struct stepper *s, const struct prog_results *r,
		      struct bound *b)
{
	struct program *p = &s->program;
	char err[256];

	if (!prog_ok(p) || prog_bind(p, &p->call[p->ncalls - 1], s->gen.d, r, b,
				     err, sizeof(err)))
		return false;
	b->result = NO_OBJ;
	return true;
}

/* Gives a path a GID, by setting a field of its GRH to the usual value. */
static void ask_for_path(struct stepper *s, struct step *step, enum field f)
{
	for (size_t i = 0; i < s->gen.nfields; i++)
		if (s->gen.field_of[i] == f)
			step->value[step->nvalues++] = (struct step_value){
				.field = (uint16_t)f,
				.is = s->gen.fields[i].good};
}

static bool make_modify(struct stepper *s, const struct prog_results *r,
			unsigned int primary, unsigned int alternate,
			struct bound *b)
{
	struct step all = {.kind = STEP_MODIFY, .mask = UINT32_MAX};

	if (primary)
		ask_for_path(s, &all, F_ah_traffic_class);
	if (alternate)
		ask_for_path(s, &all, F_alt_traffic_class);
	step_build(s, &all, IBV_QPS_RESET);
	return bind_last(s, r, b);
}

static bool make_other(struct stepper *s, const struct prog_results *r,
		       enum step_kind kind, struct bound *b)
{
	const struct step step = {.kind = (uint8_t)kind};

	step_build(s, &step, IBV_QPS_RESET);
	return bind_last(s, r, b);
}

bool forms_make(struct forms *f, enum qp_kind kind,
		const struct prog_results *r)
{
	struct form *form = &f->of[kind];
	struct stepper *s = f->s;

	form->made = make_other(s, r, STEP_QUERY, &form->query) &&
		     make_other(s, r, STEP_ERROR, &form->error);
	for (unsigned int i = 0; i < 4 && form->made; i++)
		form->made = make_modify(s, r, i & 1, i >> 1,
					 &form->modify[i & 1][i >> 1]);
	form->drains = !device_iwarp(s->gen.d);
	if (form->drains && form->made)
		form->made = make_other(s, r, STEP_DRAINED, &form->drained);
	return form->made;
}

static void put_attributes(const struct forms *f, uint32_t mask,
			   struct qp_attr_args *to,
			   const struct qp_attr_args *from)
{
	for (; mask; mask &= mask - 1) {
		int bit = __builtin_ctz(mask);

		for (int n = f->span_of[bit]; n < f->span_of[bit + 1]; n++) {
			const struct span *span = &f->span[n];

			memcpy((char *)to + span->first,
			       (const char *)from + span->first,
			       (size_t)(span->end - span->first));
		}
	}
}

static void form_modify(const struct forms *f, const struct form *form,
			const struct step *step, int state, struct bound *b)
{
	struct qp_attr_args *in = &b->in.qp_attr;
	const struct bound *all;
	unsigned int path[2];

	find_gid_paths(step, path);
	all = &form->modify[path[0]][path[1]];
	b->verb = all->verb;
	b->result = NO_OBJ;
	b->on = all->on;
	poison_fill(&in->attr, 0);
	put_attributes(f, step->mask, in, &all->in.qp_attr);
	in->mask = step->mask;
	in->poison = 0;
	if (step->mask & A_STATE)
		in->attr.qp_state = (enum ibv_qp_state)step->to;
	if (step->mask & A_CUR_STATE)
		in->attr.cur_qp_state = (enum ibv_qp_state)state;
	for (int i = 0; i < step->nvalues; i++)
		if (step_sets(step, &step->value[i]))
			field_set((enum field)step->value[i].field, in,
				  step->value[i].number);
}

bool forms_bind_step(const struct forms *f, enum qp_kind kind,
		     const struct step *step, int state, struct bound *b)
{
	const struct form *form = &f->of[kind];

	switch (step->kind) {
	case STEP_MODIFY:
		form_modify(f, form, step, state, b);
		return true;
	case STEP_QUERY:
		*b = form->query;
		return true;
	case STEP_DRAINED:
		*b = form->drained;
		return form->drains;
	default:
		*b = form->error;
		return true;
	}
}
