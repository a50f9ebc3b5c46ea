// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A queue has room for as many requests as its creation granted: a post is not
 * refused for want of room while fewer requests can be outstanding.
 *
 * The contrary is not checked. A device that grants more room than it reports
 * may accept more requests (post/full); each of them must complete.
 */
#include <errno.h>
#include "fire/checks.h"

/* Returns the room that the queue of the request was created with. */
static uint32_t granted_room(const struct fire_view *v,
			     const struct fire_request *r)
{
	const union outputs *made = &v->results->of[r->queue].out;

	if (r->shared)
		return made->srq.attr.max_wr;
	return r->recv ? made->qp_init.cap.max_recv_wr
		       : made->qp_init.cap.max_send_wr;
}

static bool in_same_queue(const struct fire_request *a,
			  const struct fire_request *b)
{
	return a->queue == b->queue && a->recv == b->recv &&
	       a->shared == b->shared;
}

/* Returns true if a poll before the post frees the room of the request: it
 * brought the request, or a later send of the same queue. */
static bool was_freed(const struct fire_view *v, const struct fire_request *r,
		      const struct fire_record *post)
{
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->of && fire_before(c->poll, post) &&
		    (c->of == r || (!r->recv && fire_same_queue(c->of, r) &&
				    fire_posted_before(r, c->of))))
			return true;
	}
	return false;
}

/* Returns how many requests can have been in the queue when the request was
 * refused. */
static unsigned int count_outstanding(const struct fire_view *v,
				      const struct fire_request *refused)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < v->nrequests; i++) {
		const struct fire_request *r = &v->request[i];

		n += r->accepted && in_same_queue(r, refused) &&
		     !fire_before(refused->post, r->post) &&
		     !was_freed(v, r, refused->post);
	}
	return n;
}

/* Returns true if the queue pair may have left the states in which posts must
 * be accepted: ERR may refuse sends, and RESET receives. */
static bool may_be_stopped(const struct fire_view *v,
			   const struct fire_request *r)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *at = &v->log->record[i];

		if (at->end && !fire_before(r->post, at) &&
		    (fire_moves(at, r->queue, IBV_QPS_RESET) ||
		     fire_moves(at, r->queue, IBV_QPS_ERR)))
			return true;
	}
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->wc->status != IBV_WC_SUCCESS &&
		    (!c->of || c->of->queue == r->queue) &&
		    c->wc->status != IBV_WC_WR_FLUSH_ERR)
			return true;
	}
	return v->may_miss || !fire_is_active(v, r);
}

/* Returns true for the first request of a list that was refused because there
 * was no room. */
static bool is_refused(const struct fire_request *r)
{
	return r->post->end && !r->accepted &&
	       outcome_error(r->post->b.verb, &r->post->o) == ENOMEM &&
	       r->index == (uint32_t)r->post->o.out.posted.bad_wr;
}

bool fire_check_room(const struct fire_view *v, struct fire_said *said)
{
	char name[FIRE_NAME_LEN];

	for (unsigned int i = 0; i < v->nrequests && !v->overflow; i++) {
		const struct fire_request *r = &v->request[i];
		unsigned int held;

		if (!is_refused(r) || (!r->shared && may_be_stopped(v, r)))
			continue;
		held = count_outstanding(v, r);
		if (held >= granted_room(v, r))
			continue;
		return fire_say(said, ROW_FIRE_ROOM, "room for the request",
				"ENOMEM with at most %u of %u requests "
				"outstanding (%s)",
				held, granted_room(v, r),
				fire_name(v, r->post, name));
	}
	return false;
}
