/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sends and receives that may still be under way when a queue pair goes to ERR
 * or is gone. The model has carried them out already. A device may flush the
 * sends whose end nobody has seen, all of them from some send on, and their
 * messages need not have come. It may also flush a receive whose send nobody
 * has seen succeed; then that send waits for an answer. So may a request
 * without a receive, and a message whose receive nobody can poll any more.
 */
#include "model/internal.h"
#include "model/events/events.h"

/* Returns true if unsignaled sends may show as flushed. A device does so if a
 * seeded choice tells it to. */
static bool may_flush(const struct step *s)
{
	return is_oracle(s) ||
	       mutant_choice(s->m->mutant, ROW_POLL_IN_FLIGHT) == OUT_FLUSHED;
}

static bool succeeded(const struct model_wr *w)
{
	return w->status == IBV_WC_SUCCESS && !w->any_error;
}

/* Returns true if a send to this queue pair succeeds only after its message has
 * arrived. On iWARP, UC and UD a send may be done earlier. */
static bool confirms_arrival(const struct model *m, uint16_t qp)
{
	return !kind_may_lose_messages((enum qp_kind)m->object[qp].qp.kind) &&
	       !device_iwarp(home_of(m, qp));
}

/* Returns true for a receive that is done although nobody has seen its send
 * succeed. */
static bool is_unanswered(const struct model *m, const struct model_wr *r)
{
	return r->recv && r->stage == WR_DONE && succeeded(r) &&
	       confirms_arrival(m, r->owner) &&
	       r->message > m->object[r->from].qp.answered;
}

/* Marks receives with unanswered messages of `sender` as maybe still
 * outstanding: `sender` may not have sent the messages. */
static void doubt_receives_of_sender(struct model *m, uint16_t sender)
{
	for (uint16_t qp = 0; qp < m->top; qp++)
		each_wr(m, wr_list_at(m, qp, 1), r)
		{
			if (r->from == sender && !r->maybe_lost &&
			    is_unanswered(m, r))
				r->maybe_lost = MAYBE_LOST_POSTED;
		}
}

/* Marks receives of `qp` with unanswered messages as maybe flushed, or as maybe
 * left in their SRQ. */
static void doubt_own_receives(struct model *m, uint16_t qp)
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

/* Notes that a send that has succeeded may have been flushed instead. */
static void doubt_send(struct step *s, struct model_wr *w)
{
	if (w->stage == WR_DONE)
		w->in_flight = is_oracle(s);
	if (w->stage != WR_RETIRED)
		return;
	record_row(s, ROW_POLL_IN_FLIGHT);
	if (!may_flush(s))
		return;
	w->status = IBV_WC_WR_FLUSH_ERR;
	w->optional_row = ROW_POLL_IN_FLIGHT;
	wr_set_stage(s->m, w, WR_DONE);
	completion_added(s, w);
}

void in_flight_doubt_sends(struct step *s, uint16_t qp)
{
	each_wr(s->m, wr_list_at(s->m, qp, 0), w)
	{
		if (succeeded(w))
			doubt_send(s, w);
	}
}

void in_flight_flush_passed(struct step *s, struct model_wr *w)
{
	w->passed = false;
	transfer_succeed(s, w);
	doubt_send(s, w);
}

/* Marks requests without a receive that went to `qp` and whose end nobody has
 * seen: `qp` may not have answered them. */
static void doubt_requests_to(struct model *m, uint16_t qp)
{
	for (uint16_t from = first_of(m, SET_WORK); from != NO_OBJ;
	     from = next_of(m, SET_WORK, from))
		each_wr(m, wr_list_at(m, from, 0), w)
		{
			if (w->from == qp && !w->message && succeeded(w) &&
			    (w->stage == WR_DONE || w->stage == WR_RETIRED))
				w->no_answer = true;
		}
}

void in_flight_doubt_receives(struct step *s, uint16_t qp)
{
	if (!is_oracle(s) || !confirms_arrival(s->m, qp))
		return;
	doubt_receives_of_sender(s->m, qp);
	doubt_own_receives(s->m, qp);
	doubt_requests_to(s->m, qp);
	s->m->unanswered = true;
}

void in_flight_receive_is_gone(struct model *m, const struct model_wr *r)
{
	if (!r->recv || !r->in_flight || !is_unanswered(m, r))
		return;
	each_wr(m, wr_list_at(m, r->from, 0), w)
	{
		if (w->message == r->message && succeeded(w))
			w->no_answer = true;
	}
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

/* Messages to the queue pair that came before the refused request have
 * certainly arrived, so that its receives are not in doubt. */
void in_flight_refused_request(struct step *s, uint16_t qp)
{
	if (is_oracle(s) && confirms_arrival(s->m, qp)) {
		doubt_receives_of_sender(s->m, qp);
		s->m->unanswered = true;
	}
	in_flight_doubt_sends(s, qp);
}

/* Sends of the queue pair before the failed one have certainly succeeded, since
 * completions come in order. So receives of its peer are not in doubt. */
void in_flight_failed_request(struct step *s, uint16_t qp)
{
	if (!is_oracle(s) || !confirms_arrival(s->m, qp))
		return;
	doubt_own_receives(s->m, qp);
	s->m->unanswered = true;
}

void in_flight_have_arrived(struct model *m, uint16_t sender, uint32_t message)
{
	for (uint16_t to = 0; to < m->top; to++)
		each_wr(m, wr_list_at(m, to, 1), r)
		{
			if (r->from != sender || !confirms_arrival(m, to) ||
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

/* Makes the successful sends of a queue from `first` on outstanding again; the
 * first of them waits for an answer. */
static void make_sends_wait(struct step *s, struct model_wr *first)
{
	const struct wr_list *list = wr_list_at(s->m, first->owner, 0);

	for (struct model_wr *w = first; w; w = wr_after(s->m, w))
		if (succeeded(w) &&
		    (w->stage == WR_DONE || w->stage == WR_RETIRED))
			wr_set_stage(s->m, w, WR_POSTED);
	if (wr_next_posted(s->m, list))
		retry_note_wait(s, wr_next_posted(s->m, list), NO_OBJ);
}

/* Makes the sends of a queue pair wait, from the send of number `message` on:
 * this message has not arrived. */
static void make_sender_wait(struct step *s, uint16_t sender, uint32_t message)
{
	if (s->m->object[sender].qp.state != IBV_QPS_RTS)
		return;
	each_wr(s->m, wr_list_at(s->m, sender, 0), w)
	{
		if (w->message < message)
			continue;
		make_sends_wait(s, w);
		return;
	}
}

/* Flushes a request that is marked `in_flight`, and all marked requests behind
 * it: behind a flushed request none has succeeded. */
static void flush_from(struct step *s, struct model_wr *w)
{
	struct model_wr *first = w;
	bool cut = w->recv && !confirms_arrival(s->m, w->owner);

	choose_second(s, cut ? ROW_IWARP_CUT : ROW_POLL_IN_FLIGHT);
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
		make_sender_wait(s, first->from, first->message);
}

void in_flight_take_status(struct step *s, struct model_wr *w,
			   const struct polled_wc *wc)
{
	if (in_flight_permits_status(w, wc->status))
		flush_from(s, w);
}

/* Returns the first receive that may have been flushed and has a message of
 * this send or of a send behind it; or NULL. */
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

bool in_flight_was_unanswered(struct step *s, struct model_wr *send)
{
	struct model_wr *r;

	if (!s->m->unanswered || send->recv || !succeeded(send) ||
	    s->m->object[send->owner].qp.state != IBV_QPS_RTS)
		return false;
	if (send->no_answer) {
		choose_second(s, ROW_POLL_IN_FLIGHT);
		doubt_receives_of_sender(s->m, send->owner);
		s->m->bytes_lost = true;
		make_sends_wait(s, send);
		return true;
	}
	if (!send->message)
		return false;
	r = flushed_receive(s->m, send);
	if (!r || r->message != send->message)
		return false;
	flush_from(s, r);
	return true;
}

/* On a link that loses packets, all tries of a request or all answers to them
 * may be lost. */
bool in_flight_lost_all_tries(struct step *s, struct model_wr *send,
			      uint32_t status)
{

	if (!send->crossed_lossy_link || send->recv || !succeeded(send) ||
	    status != IBV_WC_RETRY_EXC_ERR ||
	    !confirms_arrival(s->m, send->owner) ||
	    s->m->object[send->owner].qp.state != IBV_QPS_RTS)
		return false;
	choose_second(s, ROW_LINK_TRIES);
	doubt_receives_of_sender(s->m, send->owner);
	s->m->bytes_lost = true;
	make_sends_wait(s, send);
	return true;
}
