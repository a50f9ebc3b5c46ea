/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps the state of a running program: which objects exist, and the outputs of
 * the calls that created them.
 */
#include <stddef.h>
#include <string.h>
#include "program/text.h"

bool verb_destroys(enum verb verb)
{
	static const bool destroys[VERB_NR] = {
		[V_close_device] = true,
		[V_dealloc_pd] = true,
		[V_dealloc_td] = true,
		[V_free_dm] = true,
		[V_dealloc_dmah] = true,
		[V_unimport_pd] = true,
		[V_unimport_mr] = true,
		[V_unimport_dm] = true,
		[V_dereg_mr] = true,
		[V_dealloc_mw] = true,
		[V_destroy_comp_channel] = true,
		[V_destroy_cq] = true,
		[V_destroy_cq_waits] = true,
		[V_destroy_srq] = true,
		[V_destroy_srq_waits] = true,
		[V_close_xrcd] = true,
		[V_destroy_ah] = true,
		[V_destroy_wq] = true,
		[V_destroy_flow] = true,
		[V_destroy_counters] = true,
		[V_destroy_rwq_ind_table] = true,
		[V_destroy_qp] = true,
		[V_destroy_qp_waits] = true,
		[V_destroy_qp_polled] = true,
		[V_destroy_cq_heard] = true,
		[V_destroy_qp_heard] = true,
		[V_destroy_comp_cntr] = true,
#define ENDS(verb) [V_##verb] = true,
#define VENDORS_ENDS
#include "vendor/vendors.def"
	};

	return destroys[verb];
}

bool verb_is_of_threads(enum verb verb)
{
	return verb == V_thread || verb == V_nap || verb == V_join;
}

_Static_assert(offsetof(struct prog_results, of) == 0, "what is not cleared");

/* Outputs are read only from slots whose object was created. */
void results_begin(struct prog_results *r)
{
	size_t outputs = sizeof(r->of);

	memset((char *)r + outputs, 0, sizeof(*r) - outputs);
}

static void remember_batch(struct prog_results *r, const struct bound *b,
			   const struct outcome *o)
{
	switch (b->verb) {
	case V_wr_start:
	case V_start_poll:
		r->open[b->on] = o->ret == 0;
		break;
	case V_wr_complete:
	case V_wr_abort:
	case V_end_poll:
		r->open[b->on] = false;
		break;
	default:
		break;
	}
}

bool results_idle(const struct prog_results *r, const struct call *c)
{
	if (verb_builds((enum verb)c->verb))
		return c->on != NO_OBJ && !r->open[c->on];
	switch (c->verb) {
	case V_wr_complete:
	case V_wr_abort:
	case V_next_poll:
	case V_end_poll:
		return c->on != NO_OBJ && !r->open[c->on];
	default:
		return false;
	}
}

/* Returns the poll that did not bring the completion that the call needs. */
static uint8_t poll_without(const struct prog_results *r,
			    const struct program *p, const struct call *c)
{
	const struct setting *poll, *wc;

	if (verb_info((enum verb)c->verb)->in != FAM_AH_FROM)
		return NO_OBJ;
	poll = find_setting(p, c->first, c->nset, F_from_completion);
	wc = find_setting(p, c->first, c->nset, F_from_wc);
	if (!poll || poll->value.ref == NO_OBJ || !r->alive[poll->value.ref])
		return NO_OBJ;
	if ((wc ? (uint64_t)wc->value.num : 0) <
	    r->of[poll->value.ref].out.polled.count)
		return NO_OBJ;
	return poll->value.ref;
}

uint8_t results_missing(const struct prog_results *r, const struct program *p,
			const struct call *c)
{
	if (c->on != NO_OBJ && !r->alive[c->on])
		return c->on;
	if (c->from != NO_OBJ && !r->alive[c->from])
		return c->from;
	for (int i = 0; i < c->nset; i++) {
		const struct value *v = &p->setting[c->first + i].value;
		bool refers = v->kind == VAL_OBJ || v->kind == VAL_OUT;

		if (refers && !results_hold(r, v))
			return v->ref;
	}
	return poll_without(r, p, c);
}

static void remember_queues(struct prog_results *r, const struct bound *b)
{
	uint16_t *cq = r->cq[b->result];

	cq[0] = cq[1] = NO_OBJ;
	switch (verb_info(b->verb)->in) {
	case FAM_QP_INIT:
		cq[0] = b->in.qp_init.send_cq;
		cq[1] = b->in.qp_init.recv_cq;
		break;
	case FAM_SRQ:
		cq[0] = b->in.srq.cq;
		break;
	case FAM_WQ:
		cq[0] = b->in.wq.cq;
		break;
	default:
		break;
	}
}

bool results_polled(const struct prog_results *r, uint16_t slot)
{
	for (int i = 0; i < 2; i++)
		if (r->cq[slot][i] != NO_OBJ && r->open[r->cq[slot][i]])
			return true;
	return false;
}

#define NUMBER_MAX 0xffffff /* a larger number is poison */

/* A queue pair may get its number after its creation. */
static void remember_number(struct prog_results *r, const struct bound *b,
			    const struct outcome *o)
{
	struct qp_init_args *made = &r->of[b->on].out.qp_init;

	if (b->verb == V_query_qp && o->out2.qp_num <= NUMBER_MAX)
		made->qp_num = o->out2.qp_num;
}

/* A resize changes the size that a completion queue reports, as in C. */
static void remember_size(struct prog_results *r, const struct bound *b,
			  const struct outcome *o)
{
	if (b->verb == V_resize_cq)
		r->of[b->on].out.cq.cqe = o->out.cq.cqe;
}

static void remember_device(struct prog_results *r, const struct bound *b)
{
	r->far[b->result] = b->verb == V_open_device
				    ? b->in.open.device == DEVICE_SECOND
				    : results_far(r, b);
}

/* Nothing is left of a process that was killed. */
static void forget_process(struct prog_results *r, const struct bound *b)
{
	for (int i = 0; i < PROG_MAX_OBJECTS; i++)
		if (r->far[i] == r->far[b->on])
			r->alive[i] = r->open[i] = false;
}

/* A refused creation leaves a reused slot empty. */
void results_remember(struct prog_results *r, const struct bound *b,
		      const struct outcome *o)
{
	remember_batch(r, b, o);
	if (b->result != NO_OBJ)
		r->alive[b->result] = o->ret == 0;
	if (o->ret != 0)
		return;
	if (b->on < PROG_MAX_OBJECTS) {
		remember_number(r, b, o);
		remember_size(r, b, o);
	}
	if (verb_destroys(b->verb))
		r->alive[b->on] = false;
	if (b->verb == V_kill_process)
		forget_process(r, b);
	if (b->result == NO_OBJ)
		return;
	r->of[b->result] = *o;
	r->verb[b->result] = (uint8_t)b->verb;
	r->open[b->result] = false;
	r->made[b->result] = true;
	remember_device(r, b);
	remember_queues(r, b);
}

enum { OUTPUTS = sizeof(((struct prog_results *)0)->of) };

_Static_assert(sizeof(struct prog_results) - OUTPUTS <=
		       sizeof(struct results_kept),
	       "everything but the outputs is kept");

void results_assume(struct prog_results *r, const struct bound *b)
{
	static const struct outcome success;

	results_remember(r, b, &success);
}

void results_keep(const struct prog_results *r, struct results_kept *kept)
{
	memcpy(kept->bytes, (const char *)r + OUTPUTS, sizeof(*r) - OUTPUTS);
}

void results_forget(struct prog_results *r, const struct results_kept *kept)
{
	memcpy((char *)r + OUTPUTS, kept->bytes, sizeof(*r) - OUTPUTS);
}

bool results_hold(const struct prog_results *r, const struct value *v)
{
	if (v->ref == NO_OBJ)
		return true; /* no object is meant */
	if (v->kind == VAL_OUT && is_key((enum field)v->field))
		return r->made[v->ref] || r->alive[v->ref];
	return r->alive[v->ref];
}
