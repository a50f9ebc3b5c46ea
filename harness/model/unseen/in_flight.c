/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What may still be under way when a queue pair goes to ERR, or is gone. The
 * model carries out everything at once; on a device sends that nobody has seen
 * complete may be flushed, all of them from some request on, and then their
 * messages need not have come. A message whose sender was told nothing may find
 * its receive flushed, and the sender waits for the answer.
 */
#include "model/internal.h"

static bool flushes(const struct step *s)
{
	return is_oracle(s) ||
	       mutant_choice(s->m->mutant, ROW_POLL_IN_FLIGHT) == OUT_FLUSHED;
}

static bool succeeded(const struct model_wr *w)
{
	return w->status == IBV_WC_SUCCESS && !w->any_error;
}

/* Are messages to it answered? On iWARP a send is done before they come. */
static bool acknowledges(const struct model *m, uint16_t qp)
{
	return !kind_may_lose_messages((enum qp_kind)m->object[qp].qp.kind) &&
	       !device_iwarp(home_of(m, qp));
}

/* A receive of a message whose sender has not been seen to be answered. */
static bool is_unanswered(const struct model *m, const struct model_wr *r)
{
	return r->recv && r->stage == WR_DONE && succeeded(r) &&
	       acknowledges(m, r->owner) &&
	       r->message > m->object[r->from].qp.answered;
}

/* Receives of the messages of one that sends no more may still be waiting. */
static void leave_receives(struct model *m, uint16_t sender)
{
	for (uint16_t qp = 0; qp < m->top; qp++)
		each_wr(m, wr_list_at(m, qp, 1), r)
		{
			if (r->from == sender && !r->maybe_lost &&
			    is_unanswered(m, r))
				r->maybe_lost = MAYBE_LOST_POSTED;
		}
}

/* Those of its own messages may be flushed, or are left to their SRQ. */
static void flush_receives(struct model *m, uint16_t qp)
{
	each_wr(m, wr_list_at(m, qp, 1), r)
	{
		if (!is_unanswered(m, r))
			continue;
		r->in_flight = true;
		if (r->srq != NO_OBJ)
			r->maybe_lost = MAYBE_LOST_POSTED;
	}
}

void in_flight_doubt_sends(struct step *s, uint16_t qp)
{
	each_wr(s->m, wr_list_at(s->m, qp, 0), w)
	{
		if (!succeeded(w))
			continue;
		if (w->stage == WR_DONE)
			w->in_flight = is_oracle(s);
		if (w->stage != WR_RETIRED)
			continue;
		meet(s, ROW_POLL_IN_FLIGHT);
		if (!flushes(s))
			continue;
		w->status = IBV_WC_WR_FLUSH_ERR;
		w->optional_row = ROW_POLL_IN_FLIGHT;
		wr_set_stage(s->m, w, WR_DONE);
		notify(s, w);
	}
}

void in_flight_doubt_receives(struct step *s, uint16_t qp)
{
	if (!is_oracle(s) || !acknowledges(s->m, qp))
		return;
	leave_receives(s->m, qp);
	flush_receives(s->m, qp);
	s->m->unanswered = true;
}

void in_flight_sends_are_done(struct model *m, uint16_t qp)
{
	each_wr(m, wr_list_at(m, qp, 0), w)
	{
		if (w->stage != WR_DONE ||
		    w->optional_row != ROW_POLL_IN_FLIGHT)
			continue;
		w->status = IBV_WC_SUCCESS;
		w->optional_row = ROW_NONE;
		wr_set_stage(m, w, WR_RETIRED);
	}
}

void in_flight_doubt_all(struct step *s, uint16_t qp)
{
	in_flight_doubt_receives(s, qp);
	in_flight_doubt_sends(s, qp);
}

/* What came before the request of the other end that stops it has come. */
void in_flight_refused_request(struct step *s, uint16_t qp)
{
	if (is_oracle(s) && acknowledges(s->m, qp)) {
		leave_receives(s->m, qp);
		s->m->unanswered = true;
	}
	in_flight_doubt_sends(s, qp);
}

/* Its own requests before the one that failed were answered: completions come
 * in order. */
void in_flight_failed_request(struct step *s, uint16_t qp)
{
	if (!is_oracle(s) || !acknowledges(s->m, qp))
		return;
	flush_receives(s->m, qp);
	s->m->unanswered = true;
}

void in_flight_have_arrived(struct model *m, uint16_t sender, uint32_t message)
{
	for (uint16_t to = 0; to < m->top; to++)
		each_wr(m, wr_list_at(m, to, 1), r)
		{
			if (r->from != sender || !acknowledges(m, to) ||
			    r->message > message)
				continue;
			r->in_flight = false;
			r->maybe_lost = NOT_LOST;
		}
}

void in_flight_note_end(struct model *m, const struct model_wr *w)
{
	struct model_qp *qp = &m->object[w->owner].qp;

	if (w->recv || !succeeded(w) || w->message <= qp->answered)
		return;
	qp->answered = w->message;
	if (m->unanswered)
		in_flight_have_arrived(m, w->owner, w->message);
}

bool in_flight_permits_status(const struct model_wr *w, uint32_t status)
{
	return w->in_flight && status == IBV_WC_WR_FLUSH_ERR;
}

/* From a request on that was not answered, its sender's wait. */
static void wait_from(struct step *s, struct model_wr *first)
{
	const struct wr_list *list = wr_list_at(s->m, first->owner, 0);

	for (struct model_wr *w = first; w; w = wr_after(s->m, w))
		if (succeeded(w) &&
		    (w->stage == WR_DONE || w->stage == WR_RETIRED))
			wr_set_stage(s->m, w, WR_POSTED);
	if (wr_next_posted(s->m, list))
		retry_note_wait(s, wr_next_posted(s->m, list), NO_OBJ);
}

/* From a message on that has not come. */
static void wait_again(struct step *s, uint16_t sender, uint32_t message)
{
	if (s->m->object[sender].qp.state != IBV_QPS_RTS)
		return;
	each_wr(s->m, wr_list_at(s->m, sender, 0), w)
	{
		if (w->message < message)
			continue;
		wait_from(s, w);
		return;
	}
}

/* Once one was flushed, none behind it has succeeded. */
static void flush_on(struct step *s, struct model_wr *w)
{
	static const uint64_t values[2] = {0, 1};
	struct model_wr *first = w;
	bool cut = w->recv && !acknowledges(s->m, w->owner);

	settle_value(s, cut ? ROW_IWARP_CUT : ROW_POLL_IN_FLIGHT, values, 2, 1);
	for (; w; w = wr_after(s->m, w)) {
		if (!w->in_flight)
			continue;
		w->in_flight = false;
		w->any_error = false;
		w->status = IBV_WC_WR_FLUSH_ERR;
	}
	if (!first->recv)
		return;
	s->m->bytes_lost = true;
	if (!cut)
		wait_again(s, first->from, first->message);
}

void in_flight_take_status(struct step *s, struct model_wr *w,
			   const struct polled_wc *wc)
{
	if (in_flight_permits_status(w, wc->status))
		flush_on(s, w);
}

/* The first receive, from a send on, that may have been flushed. */
static struct model_wr *flushed_receive(struct model *m,
					const struct model_wr *send)
{
	for (uint16_t qp = 0; qp < m->top; qp++)
		each_wr(m, wr_list_at(m, qp, 1), r)
		{
			if (r->in_flight && is_unanswered(m, r) &&
			    r->from == send->owner &&
			    r->message >= send->message)
				return r;
		}
	return NULL;
}

bool in_flight_was_unanswered(struct step *s, const struct model_wr *send)
{
	struct model_wr *r;

	if (!s->m->unanswered || send->recv || !send->message ||
	    !succeeded(send) ||
	    s->m->object[send->owner].qp.state != IBV_QPS_RTS)
		return false;
	r = flushed_receive(s->m, send);
	if (!r || r->message != send->message)
		return false;
	flush_on(s, r);
	return true;
}

/* Where packets are lost, so may be all tries, or all answers to them. */
bool in_flight_lost_all_tries(struct step *s, struct model_wr *send,
			      uint32_t status)
{
	static const uint64_t values[2] = {0, 1};

	if (!send->crossed_lossy_link || send->recv || !succeeded(send) ||
	    status != IBV_WC_RETRY_EXC_ERR ||
	    !acknowledges(s->m, send->owner) ||
	    s->m->object[send->owner].qp.state != IBV_QPS_RTS)
		return false;
	settle_value(s, ROW_LINK_TRIES, values, 2, 1);
	leave_receives(s->m, send->owner);
	s->m->bytes_lost = true;
	wait_from(s, send);
	return true;
}
