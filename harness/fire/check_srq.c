// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs that share an SRQ lose no receive, and raise QP_LAST_WQE_REACHED
 * in ERR, after the last receive.
 *
 * Some promises do not hold here. ERR flushes no receive that no message has
 * taken. Receives complete in any order (choice/srq-order). The event may never
 * come (choice/last-wqe-reached), or come again (choice/event-repeated).
 */
#include "contract/opcodes.h"
#include "fire/checks.h"

static uint16_t srq_of(const struct fire_view *v, uint16_t qp)
{
	const struct fire_record *made = fire_made(v, qp);

	return made ? made->b.in.qp_init.srq : NO_OBJ;
}

static bool takes_shared(const struct fire_view *v, uint16_t qp)
{
	return v->p->object[qp].kind == OBJ_QP &&
	       (srq_of(v, qp) != NO_OBJ || fire_kind(v, qp) == QK_XRC_RECV);
}

/* Returns the queue pair with an SRQ whose number the sender was connected to
 * last, or NO_OBJ. A queue pair of another device may have that number, too,
 * but all with an SRQ are on one device. */
static uint16_t peer_of(const struct fire_view *v, uint16_t sender)
{
	uint32_t number = 0;

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.verb == V_modify_qp && r->b.on == sender &&
		    r->b.in.qp_attr.mask & IBV_QP_DEST_QPN && fire_granted(r))
			number = r->b.in.qp_attr.attr.dest_qp_num;
	}
	for (uint16_t qp = 0; qp < v->p->nobjects; qp++)
		if (number && takes_shared(v, qp) &&
		    v->results->of[qp].out.qp_init.qp_num == number)
			return qp;
	return NO_OBJ;
}

static uint16_t xrc_srq_of(const struct fire_view *v, uint32_t number)
{
	for (uint16_t slot = 0; slot < v->p->nobjects; slot++)
		if (v->p->object[slot].kind == OBJ_SRQ &&
		    v->results->cq[slot][0] != NO_OBJ &&
		    v->results->of[slot].out.srq.srq_num == number)
			return slot;
	return NO_OBJ;
}

/* Returns the SRQ that a send takes its receive from, or NO_OBJ. */
static uint16_t target_srq(const struct fire_view *v,
			   const struct fire_request *send)
{
	if (fire_kind(v, send->queue) == QK_XRC_SEND)
		return xrc_srq_of(v, send->post->b.in.wr.remote_srqn);
	return srq_of(v, peer_of(v, send->queue));
}

static bool is_in_err(const struct fire_view *v, uint16_t qp)
{
	for (unsigned int i = 0; i < v->log->n; i++)
		if (fire_moves(&v->log->record[i], qp, IBV_QPS_ERR))
			return true;
	return false;
}

/* Returns true if each queue pair but `taker` that may hold a receive of the
 * SRQ for a message that is not over is in ERR. */
static bool none_is_held(const struct fire_view *v, uint16_t srq,
			 uint16_t taker)
{
	for (uint16_t qp = 0; qp < v->p->nobjects; qp++)
		if (v->p->object[qp].kind == OBJ_QP && qp != taker &&
		    (srq_of(v, qp) == srq || fire_kind(v, qp) == QK_XRC_RECV) &&
		    !is_in_err(v, qp))
			return false;
	return true;
}

/* Returns true if the queue pair stayed out of ERR and RESET, and no request on
 * it failed. */
static bool is_unharmed(const struct fire_view *v, uint16_t qp)
{
	if (qp == NO_OBJ || !v->results->alive[qp] || is_in_err(v, qp))
		return false;
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->wc->status != IBV_WC_SUCCESS &&
		    (!c->of || c->of->queue == qp || c->wc->qp == qp))
			return false;
	}
	return !v->may_miss;
}

/* Returns true if the queue pair was in RTS when the send was posted, and no
 * call moved it later. */
static bool is_carried_out(const struct fire_view *v,
			   const struct fire_request *send)
{
	bool ready = false;

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];
		bool rts = fire_moves(r, send->queue, IBV_QPS_RTS) &&
			   fire_before(r, send->post);

		if (rts)
			ready = true;
		else if (fire_moves(r, send->queue, IBV_QPS_SQD))
			ready = false;
		if (r->end && fire_moves(r, send->queue, IBV_QPS_SQD) &&
		    !fire_before(r, send->post))
			return false;
	}
	return ready;
}

static bool takes_receive(const struct fire_view *v,
			  const struct fire_request *send,
			  const struct fire_request *receive)
{
	const struct opcode *op =
		opcode_of(request_at(&send->post->b.in.wr, send->index).opcode);

	return !send->recv && send->accepted && op && op->receive &&
	       fire_before(receive->post, send->post) &&
	       target_srq(v, send) == receive->queue && is_carried_out(v, send);
}

/* Returns true if a poll before the call brought the receive. */
static bool came_before(const struct fire_view *v,
			const struct fire_request *receive,
			const struct fire_record *by)
{
	for (unsigned int i = 0; i < v->ncompletions; i++)
		if (v->completion[i].of == receive)
			return fire_before(v->completion[i].poll, by);
	return false;
}

/* Returns how many receives the SRQ can have had when the call began. */
static unsigned int count_receives(const struct fire_view *v, uint16_t srq,
				   const struct fire_record *by)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < v->nrequests; i++) {
		const struct fire_request *r = &v->request[i];

		n += r->shared && r->queue == srq && r->accepted &&
		     !came_before(v, r, by);
	}
	return n;
}

/* Returns a list of sends behind the receive that are at least as many as there
 * can be receives, or NULL. All are of a queue pair that was never harmed. */
static const struct fire_request *emptied_by(const struct fire_view *v,
					     const struct fire_request *receive)
{
	for (unsigned int i = 0; i < v->nrequests; i++) {
		const struct fire_request *last = &v->request[i];
		uint16_t peer;

		if (last->index < last->post->b.in.wr.more ||
		    !takes_receive(v, last, receive) ||
		    last->index + 1 <
			    count_receives(v, receive->queue, last->post))
			continue;
		peer = peer_of(v, last->queue);
		if (is_unharmed(v, last->queue) && is_unharmed(v, peer) &&
		    none_is_held(v, receive->queue, peer))
			return last;
	}
	return NULL;
}

/* A queue pair with an SRQ that is reset or destroyed may take a receive with
 * it (v->may_miss). */
bool fire_srq_must_complete(const struct fire_view *v,
			    const struct fire_request *r)
{
	return r->shared && r->accepted && !r->completions && !r->ambiguous &&
	       r->post->end && !v->may_miss && emptied_by(v, r);
}

bool fire_check_srq(const struct fire_view *v, struct fire_said *said)
{
	char name[FIRE_NAME_LEN], sends[FIRE_NAME_LEN];

	for (unsigned int i = 0; i < v->nrequests; i++) {
		const struct fire_request *r = &v->request[i];

		if (!fire_srq_must_complete(v, r))
			continue;
		return fire_say(said, ROW_FIRE_SRQ,
				"each receive of an SRQ completes once there "
				"are enough messages",
				"wr_id %llu has no completion (%s), though "
				"later sends take all receives (%s)",
				(unsigned long long)r->wr_id,
				fire_name(v, r->post, name),
				fire_name(v, emptied_by(v, r)->post, sends));
	}
	return false;
}

static bool is_last_wqe(const struct fire_record *r, uint16_t qp)
{
	return fire_is_event(r, qp, IBV_EVENT_QP_LAST_WQE_REACHED);
}

/* Returns true if the receiver may have refused a request: for its memory, or
 * for the window that it invalidates. */
static bool may_be_refused(const struct fire_request *r)
{
	const struct opcode *op;
	struct wr_args one;

	if (!r || r->recv)
		return false;
	one = request_at(&r->post->b.in.wr, r->index);
	op = opcode_of(one.opcode);
	return op && (op->access || one.opcode == IBV_WR_SEND_WITH_INV);
}

/* Returns true if the completion shows a failure after which the queue pair may
 * be in ERR. A sender that gives up says nothing about its receiver. If a
 * sender is moved to ERR, the status of what the receiver has refused may be
 * lost. */
static bool may_stop(const struct fire_completion *c, uint16_t qp)
{
	switch (c->wc->status) {
	case IBV_WC_SUCCESS:
		return false;
	case IBV_WC_WR_FLUSH_ERR:
		return may_be_refused(c->of);
	case IBV_WC_RNR_RETRY_EXC_ERR:
	case IBV_WC_RETRY_EXC_ERR:
		return !c->of || c->of->queue == qp;
	default:
		return true;
	}
}

static bool may_fail(const struct fire_view *v, uint16_t qp)
{
	for (unsigned int i = 0; i < v->ncompletions; i++)
		if (may_stop(&v->completion[i], qp))
			return true;
	return v->may_miss;
}

/* Returns true if the queue pair may have been in ERR before the call
 * returned. */
static bool may_be_in_err(const struct fire_view *v, uint16_t qp,
			  const struct fire_record *by)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (fire_moves(r, qp, IBV_QPS_ERR) && !fire_before(by, r))
			return true;
	}
	return may_fail(v, qp);
}

static bool is_early(const struct fire_view *v, const struct fire_record *event,
		     struct fire_said *said)
{
	uint16_t qp = event->o.out.event.qp;
	char name[FIRE_NAME_LEN];

	if (qp == NO_OBJ || !is_last_wqe(event, qp) ||
	    may_be_in_err(v, qp, event))
		return false;
	return fire_say(said, ROW_FIRE_LAST_WQE,
			"QP_LAST_WQE_REACHED only in ERR",
			"the event of %s, which did not enter ERR (%s)",
			v->p->object[qp].name, fire_name(v, event, name));
}

static bool comes_late(const struct fire_view *v,
		       const struct fire_completion *c,
		       const struct fire_record *event, struct fire_said *said)
{
	uint16_t qp = c->wc->qp;

	if (qp == NO_OBJ || !is_last_wqe(event, qp) ||
	    !fire_saw_empty(v, c->poll->b.on, event, c->poll) ||
	    fire_leaves(v, qp, IBV_QPS_ERR, event, c->poll))
		return false;
	return fire_say(said, ROW_FIRE_LAST_WQE_LAST,
			"no receive completes after QP_LAST_WQE_REACHED",
			"wr_id %llu completes on %s after the event",
			(unsigned long long)c->wc->wr_id,
			v->p->object[qp].name);
}

bool fire_check_last_wqe(const struct fire_view *v, struct fire_said *said)
{
	for (unsigned int i = 0; i < v->log->n; i++)
		if (is_early(v, &v->log->record[i], said))
			return true;
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		for (unsigned int n = 0;
		     n < v->log->n && c->of && c->of->shared; n++)
			if (comes_late(v, c, &v->log->record[n], said))
				return true;
	}
	return false;
}
