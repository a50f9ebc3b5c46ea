// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * iWARP: two queue pairs are the ends of a stream. A SEND or WRITE is done when
 * the stream has it. A request that the other end cannot take ends the stream,
 * and so does either end that goes away; each queue pair learns of the end in
 * its own time.
 */
#include "contract/opcodes.h"
#include "model/data/responder.h"
#include "model/events/events.h"
#include "model/internal.h"
#include "model/memory/access_fault.h"

#define LEARNS_MS 1000 /* after a poll this long both ends know of the end */

void iwarp_connect(struct model *m, uint16_t a, uint16_t b)
{
	m->object[a].qp.partner = b;
	if (b != NO_OBJ)
		m->object[b].qp.partner = a;
}

/* Takes a stream apart. Returns the queue pair at its other end, or NO_OBJ. */
static uint16_t disconnect(struct model *m, uint16_t slot)
{
	uint16_t partner = m->object[slot].qp.partner;

	m->object[slot].qp.partner = NO_OBJ;
	if (partner != NO_OBJ)
		m->object[partner].qp.partner = NO_OBJ;
	return partner;
}

/* Notes that receives may be flushed instead: their messages may still be under
 * way when the stream ends. */
static void doubt_receives(struct step *s, uint16_t slot)
{
	if (!is_oracle(s))
		return;
	each_wr(s->m, wr_list_at(s->m, slot, 1), w)
	{
		if (w->stage == WR_DONE && w->status == IBV_WC_SUCCESS)
			w->in_flight = true;
	}
}

/* Notes the asynchronous events that the end of a stream may raise. */
static void may_raise_event(struct step *s, uint16_t slot)
{
	static const uint8_t types[] = {IBV_EVENT_QP_FATAL,
					IBV_EVENT_QP_REQ_ERR,
					IBV_EVENT_QP_ACCESS_ERR};

	record_row(s, ROW_IWARP_EVENT);
	for (size_t i = 0; i < sizeof(types); i++)
		async_add(s->m, types[i], slot, true, ROW_IWARP_EVENT);
}

/* Flushes what an end has outstanding. Its state may be found to be RTS for a
 * while. */
static void flush_end(struct step *s, uint16_t slot)
{
	may_raise_event(s, slot);
	async_qp_in_err(s, slot);
	in_flight_doubt_all(s, slot);
	wr_flush_qp(s, slot, false);
}

/* Notes that sends behind the end of the stream may have succeeded: the stream
 * may have taken them before the queue pair learnt of its end. */
static void doubt_sends(struct step *s, uint16_t slot)
{
	if (!is_oracle(s))
		return;
	each_wr(s->m, wr_list_at(s->m, slot, 0), w)
	{
		if (w->stage == WR_POSTED)
			iwarp_doubt_status(s, w);
	}
}

/* Moves an end to ERR and flushes it. */
static void end_learns(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;

	record_row(s, ROW_IWARP_OVER);
	if (mutant_skips(s->m->mutant, ROW_IWARP_OVER))
		return;
	qp->state = IBV_QPS_ERR;
	qp->iwarp_ending = ENDS_UNSEEN;
	doubt_sends(s, slot);
	flush_end(s, slot);
}

void iwarp_qp_left(struct step *s, uint16_t slot)
{
	uint16_t partner = disconnect(s->m, slot);

	if (partner == NO_OBJ)
		return;
	doubt_receives(s, partner);
	end_learns(s, partner);
}

void iwarp_qp_moved(struct step *s, uint16_t slot)
{
	const struct model_qp *qp = &s->m->object[slot].qp;

	if (qp->state == IBV_QPS_RTS)
		return;
	doubt_receives(s, slot);
	iwarp_qp_left(s, slot);
	if (qp->iwarp_ending)
		flush_end(s, slot);
}

void iwarp_end(struct step *s, uint16_t slot)
{
	uint16_t partner = disconnect(s->m, slot);

	doubt_receives(s, slot);
	end_learns(s, slot);
	if (partner != NO_OBJ)
		end_learns(s, partner);
}

/* Completes a SEND or WRITE that the other end refuses. The stream had the
 * request by then, so that its status may be success or an error
 * (ROW_IWARP_SENT). */
static void complete_sent(struct step *s, struct model_wr *w)
{
	int out = mutant_choice(s->m->mutant, ROW_IWARP_SENT);

	record_row(s, ROW_IWARP_SENT);
	transfer_succeed(s, w);
	w->any_error = false;
	w->status_row = ROW_IWARP_SENT;
	if (is_oracle(s) || out < 0 || out == OUT_OK)
		return;
	w->status = (uint8_t)fault_status_of_out((enum out)out);
	wr_set_stage(s->m, w, WR_DONE);
}

/* Completes a request that the other end refuses. */
static void complete_refused(struct step *s, struct model_wr *w,
			     const struct opcode *op)
{
	if (op->access != IBV_ACCESS_REMOTE_READ) {
		complete_sent(s, w);
		return;
	}
	record_row(s, ROW_IWARP_READ);
	w->status_row = ROW_IWARP_READ;
	transfer_end_in_error(s, w);
}

/* Returns true if a message waits for a receive, as it does only on a device
 * with a seeded fault. */
static bool waits_for_receive(struct step *s, const struct opcode *op,
			      enum fate fate)
{
	if (fate != FATE_WAITS || op->access)
		return false;
	record_row(s, ROW_IWARP_NO_RECEIVE);
	return mutant_skips(s->m->mutant, ROW_IWARP_NO_RECEIVE);
}

/* Sets the row of the status of a request whose own memory is at fault: iWARP
 * does not say which status of verbs that is. */
static void name_status(struct step *s, struct model_wr *w)
{
	if (w->status_row < ROW_LOCAL_KEY || w->status_row > ROW_LOCAL_RIGHT)
		return;
	record_row(s, ROW_IWARP_LOCAL);
	w->status_row = ROW_IWARP_LOCAL;
}

/* Returns true if a READ is refused by the other end before the fault of its
 * own memory is found. The device looks at its own memory when the answer
 * comes. */
static bool peer_refuses_first(struct step *s, const struct model_wr *w,
			       const struct opcode *op)
{
	uint16_t partner = s->m->object[w->owner].qp.partner;

	return opcode_fetches(op) &&
	       (partner == NO_OBJ ||
		fault_remote(s, w, op, partner) != ROW_NONE) &&
	       choose_hidden(s, ROW_FAULT_FIRST) != OUT_LOC_PROT_ERR;
}

bool iwarp_carry_out(struct step *s, struct model_wr *w,
		     const struct opcode *op)
{
	uint16_t owner = w->owner, partner = s->m->object[owner].qp.partner;
	enum fate fate = FATE_FAULTY;

	if (w->illegal || !op ||
	    (transfer_fails_locally(s, w, op) &&
	     !peer_refuses_first(s, w, op))) {
		name_status(s, w);
		transfer_end_in_error(s, w);
		iwarp_end(s, owner);
		return true;
	}
	if (partner != NO_OBJ)
		fate = responder_carry_out(s, w, op, partner);
	if (waits_for_receive(s, op, fate))
		return false;
	if (fate == FATE_ARRIVES) {
		transfer_succeed(s, w);
		return true;
	}
	complete_refused(s, w, op);
	iwarp_end(s, owner);
	return true;
}

void iwarp_doubt_status(struct step *s, struct model_wr *w)
{
	if (s->m->object[w->owner].qp.iwarp_ending == ENDS_UNSEEN && !w->recv)
		w->status_row = w->opcode == IBV_WR_RDMA_READ ? ROW_IWARP_READ
							      : ROW_IWARP_SENT;
}

bool iwarp_permits_status(const struct model_wr *w, uint32_t status)
{
	if (w->any_error)
		return false;
	if (w->status_row == ROW_IWARP_SENT && status == IBV_WC_SUCCESS)
		return true;
	return (w->status_row == ROW_IWARP_SENT ||
		w->status_row == ROW_IWARP_READ) &&
	       fault_row_permits(w, status);
}

void iwarp_end_seen(struct model *m, uint16_t slot)
{
	if (m->object[slot].qp.iwarp_ending == ENDS_UNSEEN)
		m->object[slot].qp.iwarp_ending = ENDS_SEEN;
}

void iwarp_take_status(struct step *s, struct model_wr *w,
		       const struct polled_wc *wc)
{
	if (wc->status == IBV_WC_WR_FLUSH_ERR)
		iwarp_end_seen(s->m, w->owner);
	if (w->status == wc->status || !iwarp_permits_status(w, wc->status))
		return;
	w->status = (uint8_t)fault_choose_status(s, w, wc->status);
	w->in_flight = false;
}

bool iwarp_flush_may_come_later(const struct step *s, const struct model_wr *w)
{
	const struct object *o = &s->m->object[w->owner];

	return o->alive && o->qp.iwarp_ending &&
	       w->status == IBV_WC_WR_FLUSH_ERR &&
	       s->b->in.poll.timeout_ms < LEARNS_MS;
}
