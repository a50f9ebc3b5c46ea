/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the calls on the other host that can be sent together with the next
 * one, because nothing that is done meanwhile depends on their outcome, except
 * that they succeed: calls that create objects or set them up, and reads of
 * memory. None of them uses an output of another one. Posts of sends are not
 * among them, since the time since a post is measured. Polls are not, since how
 * long a poll waits depends on the outcomes before it. Each can be the first of
 * a group.
 */
#include "judge/ahead.h"

/* Returns true for a call that creates an object or sets it up. Until the first
 * send is posted, such calls of two hosts have no order. */
static bool sets_up(enum verb verb)
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

static bool can_go_ahead(enum verb verb)
{
	return sets_up(verb) || verb == V_read_mr;
}

/* Returns true if other calls can be sent together with this one. The process
 * of the agent is not there for them if this call stops or kills it. */
static bool can_lead(enum verb verb)
{
	return can_go_ahead(verb) || verb == V_poll_cq ||
	       verb == V_start_poll || verb == V_post_send ||
	       verb == V_get_cq_event || verb == V_get_async_event;
}

/* Returns true if all calls before this one set objects up. */
static bool nothing_is_sent(const struct program *p, int index)
{
	for (int i = 0; i < index; i++)
		if (!sets_up((enum verb)p->call[i].verb))
			return false;
	return true;
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

/* The calls that are gathered */
struct group {
	struct bound call[TARGET_AHEAD];
	unsigned int n;
	uint64_t made; /* slots of objects whose outputs are not known yet */
	int end;       /* number of the call behind the last one */
};

/* Binds a call behind others that are assumed to succeed. */
static bool bind_next(const struct judge_run *r, const struct call *c,
		      struct bound *b)
{
	char err[256];

	return results_missing(&r->results, r->program, c) == NO_OBJ &&
	       !prog_bind(r->program, c, &r->target->info, &r->results, b, err,
			  sizeof(err));
}

/* Adds a call to the group, or passes a call on this host that has no order
 * among those of the group. Returns false if neither is possible. */
static bool take_next(struct judge_run *r, int index, bool passes,
		      struct group *g)
{
	const struct call *c = &r->program->call[index];
	struct bound b;

	if (!can_go_ahead((enum verb)c->verb) || !bind_next(r, c, &b))
		return false;
	if (!b.far && !(passes && sets_up(b.verb)))
		return false;
	if (b.far && uses_outputs(r->program, c, g->made))
		return false;
	g->made |= bit_of(b.result);
	results_assume(&r->results, &b);
	if (b.far) {
		g->call[g->n++] = b;
		g->end = index + 1;
	}
	return true;
}

static void gather(struct judge_run *r, int index, struct group *g)
{
	const bool passes =
		!r->target->in_turn && nothing_is_sent(r->program, index + 1);

	g->made = bit_of(g->call[0].result);
	g->n = 1;
	g->end = index + 1;
	results_assume(&r->results, &g->call[0]);
	for (int i = index + 1; i < r->program->ncalls; i++)
		if (g->n == TARGET_AHEAD || !take_next(r, i, passes, g))
			return;
}

void judge_announce(struct judge_run *r, int index, const struct bound *b)
{
	struct results_kept kept;
	struct group g;

	if (!r->target->ops->ahead || !b->far || index < r->announced ||
	    !can_lead(b->verb))
		return;
	g.call[0] = *b;
	results_keep(&r->results, &kept);
	gather(r, index, &g);
	results_forget(&r->results, &kept);
	r->announced = g.end;
	if (g.n > 1)
		r->target->ops->ahead(r->target, g.call, g.n);
}
