// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Collects the requests and completions of a log, and finds the request of each
 * completion by its wr_id.
 */
#include <stdlib.h>
#include "fire/log.h"
#include "program/text.h"

bool fire_moves(const struct fire_record *r, uint16_t qp,
		enum ibv_qp_state state)
{
	return r->b.verb == V_modify_qp && r->b.on == qp &&
	       r->b.in.qp_attr.mask & IBV_QP_STATE &&
	       r->b.in.qp_attr.attr.qp_state == state && fire_granted(r);
}

bool fire_destroys(const struct fire_record *r, uint16_t qp)
{
	return r->b.on == qp && verb_destroys(r->b.verb) && fire_granted(r) &&
	       verb_info(r->b.verb)->on == OBJ_QP;
}

bool fire_is_event(const struct fire_record *r, uint16_t qp,
		   enum ibv_event_type type)
{
	return r->b.verb == V_get_async_event && r->end && r->o.ret == 0 &&
	       r->o.out.event.event_type == type && r->o.out.event.qp == qp;
}

static bool posts(enum verb verb)
{
	return verb == V_post_send || verb == V_post_recv ||
	       verb == V_post_srq_recv;
}

/* Returns how many requests of its list the call accepted. */
static uint32_t accepted(const struct fire_record *r)
{
	const struct wr_args *in = &r->b.in.wr;
	uint32_t all = in->more + 1;
	uint32_t bad = (uint32_t)r->o.out.posted.bad_wr;

	if (fire_granted(r))
		return all;
	return bad < all ? bad : 0;
}

static void add_request(struct fire_view *v, const struct fire_record *r,
			uint32_t index)
{
	const struct wr_args one = request_at(&r->b.in.wr, index);

	if (v->nrequests == FIRE_REQUESTS) {
		v->overflow = true;
		return;
	}
	v->request[v->nrequests++] = (struct fire_request){
		.post = r,
		.index = index,
		.wr_id = one.wr_id,
		.recv = r->b.verb != V_post_send,
		.shared = r->b.verb == V_post_srq_recv,
		.signaled = one.send_flags & IBV_SEND_SIGNALED,
		.accepted = index < accepted(r),
		.queue = r->b.on,
	};
}

static int compare_requests(const void *a, const void *b)
{
	const struct fire_request *x = a, *y = b;

	return (x->wr_id > y->wr_id) - (x->wr_id < y->wr_id);
}

static void find_ambiguous(struct fire_view *v)
{
	for (unsigned int i = 1; i < v->nrequests; i++)
		if (v->request[i].wr_id == v->request[i - 1].wr_id)
			v->request[i].ambiguous = v->request[i - 1].ambiguous =
				true;
}

static void add_completion(struct fire_view *v, const struct fire_record *r,
			   uint32_t index)
{
	const struct polled_wc *wc = &r->o.out.polled.wc[index];
	const struct fire_request key = {.wr_id = wc->wr_id};
	struct fire_request *of;
	bool known;

	if (v->ncompletions == FIRE_REQUESTS) {
		v->overflow = true;
		return;
	}
	of = bsearch(&key, v->request, v->nrequests, sizeof(key),
		     compare_requests);
	known = of && !of->ambiguous;
	if (of)
		of->completions++;
	v->completion[v->ncompletions++] = (struct fire_completion){
		.poll = r,
		.index = index,
		.wc = wc,
		.of = known && of->accepted ? of : NULL,
		.refused = known && !of->accepted ? of : NULL,
		.posted = of,
	};
}

/* Returns true if the completion of a request may be in the queue. A receive of
 * an SRQ completes in the queue of whoever takes it; an XRC SRQ has a queue of
 * its own. */
static bool may_be_in(const struct fire_view *v, const struct fire_request *r,
		      uint16_t cq)
{
	if (!r->shared)
		return fire_cq_of(v, r) == cq;
	return v->results->cq[r->queue][0] == NO_OBJ ||
	       v->results->cq[r->queue][0] == cq;
}

/* Returns the least number of entries that the queue had. */
static int64_t least_entries(const struct fire_view *v, uint16_t cq)
{
	int64_t least = v->results->of[cq].out.cq.cqe;

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.verb == V_resize_cq && r->b.on == cq &&
		    fire_granted(r) && r->o.out.cq.cqe < least)
			least = r->o.out.cq.cqe;
	}
	return least;
}

/* Returns true if the queue exists, and has room for all that may come. */
static bool has_room(const struct fire_view *v, uint16_t cq)
{
	int64_t all = 0;

	if (!v->results->alive[cq])
		return false;
	for (unsigned int i = 0; i < v->nrequests; i++)
		all += v->request[i].accepted &&
		       may_be_in(v, &v->request[i], cq);
	return all <= least_entries(v, cq);
}

static bool all_have_room(const struct fire_view *v)
{
	for (uint16_t slot = 0; slot < v->p->nobjects; slot++)
		if (v->p->object[slot].kind == OBJ_CQ && !has_room(v, slot))
			return false;
	return true;
}

static bool any_connects(const struct fire_log *log)
{
	for (unsigned int i = 0; i < log->n; i++)
		if (log->record[i].b.verb == V_connect)
			return true;
	return false;
}

/* Returns true if the completion of a request that failed may be unseen: it was
 * dropped, or the checks do not know the request. */
static bool may_miss_failure(const struct fire_view *v)
{
	if (v->overflow || v->log->full || v->log->posts_elsewhere)
		return true;
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->end ? fire_destroys(r, r->b.on) ||
				     fire_moves(r, r->b.on, IBV_QPS_RESET)
			   : verb_takes_requests(r->b.verb))
			return true;
	}
	return !all_have_room(v);
}

bool fire_view_make(struct fire_view *v)
{
	v->request = calloc(FIRE_REQUESTS, sizeof(*v->request));
	v->completion = calloc(FIRE_REQUESTS, sizeof(*v->completion));
	v->nrequests = v->ncompletions = 0;
	v->overflow = false;
	if (!v->request || !v->completion)
		return false;
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		for (uint32_t n = 0; posts(r->b.verb) && n <= r->b.in.wr.more;
		     n++)
			add_request(v, r, n);
	}
	qsort(v->request, v->nrequests, sizeof(*v->request), compare_requests);
	find_ambiguous(v);
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.verb != V_poll_cq || !r->end)
			continue;
		for (uint32_t n = 0; n < r->o.out.polled.count; n++)
			add_completion(v, r, n);
	}
	v->may_miss = may_miss_failure(v);
	v->iwarp = any_connects(v->log);
	return true;
}

void fire_view_free(struct fire_view *v)
{
	free(v->request);
	free(v->completion);
}

bool fire_posted_before(const struct fire_request *a,
			const struct fire_request *b)
{
	if (a->post == b->post)
		return a->index < b->index;
	return fire_before(a->post, b->post);
}

bool fire_polled_before(const struct fire_completion *a,
			const struct fire_completion *b)
{
	if (a->poll == b->poll)
		return a->index < b->index;
	return fire_before(a->poll, b->poll);
}

bool fire_same_queue(const struct fire_request *a, const struct fire_request *b)
{
	return !a->shared && !b->shared && a->queue == b->queue &&
	       a->recv == b->recv;
}

const struct fire_record *fire_made(const struct fire_view *v, uint16_t qp)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.result == qp && verb_info(r->b.verb)->makes == OBJ_QP)
			return verb_info(r->b.verb)->in == FAM_QP_INIT ? r
								       : NULL;
	}
	return NULL;
}

enum qp_kind fire_kind(const struct fire_view *v, uint16_t qp)
{
	const struct fire_record *made = fire_made(v, qp);

	return made ? qp_init_kind(&made->b.in.qp_init) : QK_NR;
}

bool fire_saw_empty(const struct fire_view *v, uint16_t cq,
		    const struct fire_record *from,
		    const struct fire_record *to)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.verb == V_poll_cq && r->b.on == cq && r->end &&
		    !r->o.ret && !r->o.out.polled.count &&
		    fire_before(from, r) && fire_before(r, to))
			return true;
	}
	return false;
}

bool fire_succeeded(const struct fire_view *v, const struct fire_request *r,
		    const struct fire_record *by)
{
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->of == r)
			return c->wc->status == IBV_WC_SUCCESS &&
			       fire_before(c->poll, by);
	}
	return false;
}

uint16_t fire_cq_of(const struct fire_view *v, const struct fire_request *r)
{
	return r->shared ? NO_OBJ : v->results->cq[r->queue][r->recv];
}

bool fire_leaves(const struct fire_view *v, uint16_t qp,
		 enum ibv_qp_state state, const struct fire_record *from,
		 const struct fire_record *to)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->end && r->b.verb == V_modify_qp && r->b.on == qp &&
		    r->b.in.qp_attr.mask & IBV_QP_STATE &&
		    r->b.in.qp_attr.attr.qp_state != state &&
		    !fire_before(r, from) && !fire_before(to, r))
			return true;
	}
	return false;
}

/* Returns true if RESET may be between RTS and the post. */
static bool reset_since(const struct fire_view *v,
			const struct fire_record *rts,
			const struct fire_request *r)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *at = &v->log->record[i];

		if (at->end && fire_moves(at, r->queue, IBV_QPS_RESET) &&
		    !fire_before(at, rts) && !fire_before(r->post, at))
			return true;
	}
	return false;
}

bool fire_is_active(const struct fire_view *v, const struct fire_request *r)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *at = &v->log->record[i];

		if (fire_moves(at, r->queue, IBV_QPS_RTS) &&
		    fire_before(at, r->post) && !reset_since(v, at, r))
			return true;
	}
	return false;
}
