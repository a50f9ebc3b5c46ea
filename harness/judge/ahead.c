/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the calls that can be made without knowing the outcome of those before
 * them, except that these succeed: calls on the other host that create objects
 * or set them up, and that use no output of each other. Polls, posts of sends
 * and queries are not among them: how long they take, or what they bring,
 * decides what is done next.
 */
#include "judge/ahead.h"

static bool can_go_ahead(enum verb verb)
{
	switch (verb) {
	case V_modify_qp:
	case V_fill_mr:
	case V_post_recv:
	case V_post_srq_recv:
	case V_req_notify_cq:
		return true;
	default:
		return verb_info(verb)->conv == CONV_PTR;
	}
}

/* Returns true if the call uses an output of an object in `made`, a set of
 * slots as bits. */
static bool uses_outputs(const struct program *p, const struct call *c,
			 uint64_t made)
{
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct value *v = &p->setting[c->first + i].value;

		if (v->kind == VAL_OUT && v->ref < 64 && made >> v->ref & 1)
			return true;
	}
	return c->from < 64 && made >> c->from & 1;
}

static uint64_t bit_of(uint16_t slot)
{
	return slot < 64 ? UINT64_C(1) << slot : 0;
}

/* Binds a call behind others that are assumed to succeed. */
static bool bind_next(struct judge_run *r, const struct call *c, uint64_t made,
		      struct bound *b)
{
	char err[256];

	return can_go_ahead((enum verb)c->verb) &&
	       !uses_outputs(r->program, c, made) &&
	       results_missing(&r->results, r->program, c) == NO_OBJ &&
	       !prog_bind(r->program, c, &r->target->info, &r->results, b, err,
			  sizeof(err)) &&
	       b->far;
}

static unsigned int gather(struct judge_run *r, int index,
			   struct bound b[TARGET_AHEAD])
{
	uint64_t made = bit_of(b[0].result);
	unsigned int n = 1;

	results_assume(&r->results, &b[0]);
	while (n < TARGET_AHEAD && index + (int)n < r->program->ncalls &&
	       bind_next(r, &r->program->call[index + (int)n], made, &b[n])) {
		made |= bit_of(b[n].result);
		results_assume(&r->results, &b[n++]);
	}
	return n;
}

void judge_announce(struct judge_run *r, int index, const struct bound *b)
{
	struct bound calls[TARGET_AHEAD];
	struct results_kept kept;
	unsigned int n;

	if (!r->target->ops->ahead || !b->far || index < r->announced ||
	    !can_go_ahead(b->verb))
		return;
	calls[0] = *b;
	results_keep(&r->results, &kept);
	n = gather(r, index, calls);
	results_forget(&r->results, &kept);
	r->announced = index + (int)n;
	if (n > 1)
		r->target->ops->ahead(r->target, calls, n);
}
