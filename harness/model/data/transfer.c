/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Carries out the sends that are posted, between queue pairs of one device or
 * of two devices that a link joins. The model carries a send out as soon as
 * both ends are ready for it; carry_out() says for one send whether it
 * succeeds, fails or waits.
 */
#include "model/data/deliver.h"
#include "model/data/link.h"
#include "model/data/migration.h"
#include "model/data/packet.h"
#include "model/data/peer.h"
#include "model/data/responder.h"
#include "model/data/seeded.h"
#include "model/data/tag.h"
#include "model/events/events.h"
#include "model/memory/access_fault.h"
#include "model/memory/seeded_copy.h"
#include "model/raw/raw_packet.h"
#include "model/unseen/failed_qp.h"
#include "model/vendor.h"

bool qp_takes_requests(const struct model_qp *qp)
{
	return qp->state >= IBV_QPS_RTR && qp->state <= IBV_QPS_SQE;
}

/* Completes a request in error: with the status that its post chose, if that
 * chose an error, else with any error status. */
void transfer_end_in_error(struct step *s, struct model_wr *w)
{
	w->any_error = !w->post_outcome || w->post_outcome == OUT_OK;
	if (w->any_error)
		w->status = IBV_WC_LOC_QP_OP_ERR;
	wr_set_stage(s->m, w, WR_DONE);
	completion_added(s, w);
}

/* Completes a send in error and stops its queue pair. A queue pair of UC, UD or
 * RAW_PACKET goes to SQE or ERR (ROW_SEND_ERROR_UD), another one to ERR. */
void transfer_fail(struct step *s, struct model_wr *w)
{
	enum qp_kind kind = (enum qp_kind)s->m->object[w->owner].qp.kind;
	bool stops = kind == QK_UC || kind == QK_UD || kind == QK_RAW_PACKET;
	bool sqe =
		stops && choose_hidden(s, ROW_SEND_ERROR_UD) == OUT_STATE_SQE;

	record_row(s, stops ? ROW_SEND_ERROR_UD : ROW_SEND_ERROR_RC);
	if (mutant_has_quirk(s->m->mutant, QUIRK_ERROR_ID_ANY))
		seeded_take_next_id(s, w);
	transfer_end_in_error(s, w);
	if (w->status_row == ROW_POLL_OPCODE &&
	    mutant_skips(s->m->mutant, ROW_POLL_OPCODE)) {
		w->status = IBV_WC_WR_FLUSH_ERR;
		w->any_error = false;
	}
	if (!vendor_survives(s, w))
		failed_qp_stop(s, w->owner, sqe ? IBV_QPS_SQE : IBV_QPS_ERR,
			       false);
}

/* Completes a send with success; an unsignaled send gets no completion. */
void transfer_succeed(struct step *s, struct model_wr *w)
{
	bool shows = w->signaled || mutant_skips(s->m->mutant, ROW_POLL_NONE);

	if (mutant_skips(s->m->mutant, ROW_POLL_EACH))
		shows = false;
	w->status = IBV_WC_SUCCESS;
	wr_set_stage(s->m, w, shows ? WR_DONE : WR_RETIRED);
	completion_added(s, w);
	vendor_succeeded(s, w);
}

/* Sends a request to the peer `*peer`. Sets that to NO_OBJ if the request never
 * gets there; then it waits for an answer. */
static enum fate send_to_peer(struct step *s, struct model_wr *w,
			      const struct opcode *op, uint16_t *peer)
{
	if (*peer != NO_OBJ && link_never_tries_again(s->m, w, *peer))
		*peer = NO_OBJ;
	if (*peer != NO_OBJ && link_uses_up_tries(s, w, *peer))
		*peer = NO_OBJ;
	if (retry_waits_forever(s->m, w))
		return FATE_WAITS;
	if (*peer == NO_OBJ) {
		packet_to_other_qp(s, w, op);
		return FATE_WAITS;
	}
	link_note_rows(s, w, *peer);
	packet_note_arrived(s, *peer);
	if (retry_blocks(s->m, w, op, *peer) ||
	    (op->receive && vendor_withholds(s, w, *peer)))
		return FATE_WAITS;
	if (fault_resources(s, w, op, *peer))
		return responder_refuse_access(s, w, op, *peer,
					       ROW_REMOTE_RESOURCES);
	if (link_delivers_twice(s->m, w, *peer))
		responder_carry_out(s, w, op, *peer);
	return responder_carry_out(s, w, op, *peer);
}

/* Returns true if the post of the request chose an error that the peer
 * reports. */
static bool fails_by_post(const struct model_wr *w)
{
	return w->post_outcome == OUT_REM_INV_REQ_ERR ||
	       w->post_outcome == OUT_REM_ACCESS_ERR;
}

/* Fails a request whose post chose an error of the peer, unless the request has
 * to wait first. If the peer refuses its access to memory as well, either may
 * come first (ROW_REMOTE_FIRST). */
static enum fate fail_at_peer(struct step *s, struct model_wr *w,
			      const struct opcode *op, uint16_t peer)
{
	enum row row = ROW_NONE;

	if (peer == NO_OBJ)
		packet_to_other_qp(s, w, op);
	else
		s->m->lost_track |= s->m->object[peer].qp.mixed;
	if (retry_blocks(s->m, w, op, peer))
		return FATE_WAITS;
	if (xrc_names_srq(s, w->remote_srqn, peer))
		row = fault_remote(s, w, op, peer);
	if (row != ROW_NONE &&
	    choose_hidden(s, ROW_REMOTE_FIRST) == OUT_REM_ACCESS_ERR) {
		w->post_outcome = OUT_NONE;
		w->status_row = (uint16_t)row;
	}
	fault_raise_events(s, peer);
	return FATE_FAULTY;
}

/* Sends a request to the queue pair that receives it, which is stored in *peer.
 * A queue pair that ran on for this request alone stops again afterwards. */
static enum fate send_and_stop(struct step *s, struct model_wr *w,
			       const struct opcode *op, uint16_t *peer)
{
	bool gone = seeded_psn_lost(s, w);
	uint16_t to =
		migration_send(s, w) && !gone ? peer_receiving(s, w) : NO_OBJ;
	enum fate fate;

	if (to != NO_OBJ)
		migration_note_arrived(s, w, to);
	*peer = to;
	fate = fails_by_post(w) ? fail_at_peer(s, w, op, to)
				: send_to_peer(s, w, op, peer);
	if (to != NO_OBJ)
		failed_qp_stop_again(s, to);
	return fate;
}

/* Sends a copy of a message to each queue pair of a multicast group. The send
 * never waits. */
static void send_to_group(struct step *s, struct model_wr *w,
			  const struct opcode *op)
{
	record_row(s, ROW_MC_MEMBERS);
	record_row(s, ROW_MC_COPY);
	for (uint16_t peer = first_of(s->m, OBJ_QP); peer != NO_OBJ;
	     peer = next_of(s->m, OBJ_QP, peer)) {
		for (unsigned int n = mcast_copies(s, w, peer); n; n--)
			responder_take_messages(s, w, op, peer);
		failed_qp_stop_again(s, peer);
	}
	transfer_succeed(s, w);
}

/* Returns true if the other end would refuse the request or make it wait. */
static bool peer_stops_it(struct step *s, const struct model_wr *w,
			  const struct opcode *op)
{
	uint16_t peer = packet_receiver(s, w, peer_find(s->m, w));

	if (retry_blocks(s->m, w, op, peer) || fault_resources(s, w, op, peer))
		return true;
	if (op->receive && !deliver_next_receive(s, w, peer))
		return true;
	return op->access && xrc_names_srq(s, w->remote_srqn, peer) &&
	       fault_remote(s, w, op, peer) != ROW_NONE;
}

/* Returns true if the fault of a request's own memory is found after the other
 * end has stopped the request. A device that looks at its memory when the
 * answer comes finds the peer's reason first (ROW_FAULT_FIRST). */
static bool is_found_later(struct step *s, const struct model_wr *w,
			   const struct opcode *op)
{
	enum qp_kind kind = (enum qp_kind)s->m->object[w->owner].qp.kind;

	if (!kind_is_reliable(kind) || device_iwarp(home_of(s->m, w->owner)) ||
	    !fault_found_late(s->m, w, op) || !peer_stops_it(s, w, op))
		return false;
	return w->waits_for ||
	       choose_hidden(s, ROW_FAULT_FIRST) != OUT_LOC_PROT_ERR;
}

/* Returns true if a send fails for its own memory, or for its length, which the
 * post of the request has judged. Bytes that were sent before the fault was
 * found may have come to the other end. */
bool transfer_fails_locally(struct step *s, struct model_wr *w,
			    const struct opcode *op)
{
	enum row row = fault_local(s, w, op);
	struct model_wr *r = NULL;
	uint16_t peer;

	if (w->post_outcome == OUT_LOC_LEN_ERR)
		return true;
	if (row == ROW_NONE || is_found_later(s, w, op))
		return false;
	w->status_row = (uint16_t)row;
	peer = peer_find(s->m, w);
	if (peer != NO_OBJ)
		s->m->object[peer].qp.undefined |= A_RQ_PSN;
	if (peer != NO_OBJ && op->receive)
		r = deliver_next_receive(s, w, peer);
	if (r)
		copy_blur(s->m, &r->data, r->length);
	if (peer != NO_OBJ && op->access &&
	    xrc_names_srq(s, w->remote_srqn, peer) &&
	    !fault_remote(s, w, op, peer))
		copy_remote(s->m, w, op, peer, true);
	return true;
}

/* Returns true if a send that waits has ended before it could go on, and no
 * completion has shown the end yet: the send was given up (ROW_RETRY_UNSEEN),
 * or was a duplicate that has passed. */
static bool has_ended_unseen(struct step *s, const struct model_wr *w)
{
	uint16_t peer = peer_find(s->m, w);
	bool receives = peer != NO_OBJ && deliver_next_receive(s, w, peer);

	return retry_is_over(s->m, w, peer, receives) &&
	       (retry_duplicate_passed(s, w->owner) ||
		retry_end_unseen(s, w->owner));
}

/* Returns true if a send was canceled before its turn came. */
static bool is_canceled(struct step *s, const struct model_wr *w)
{
	enum row row = (enum row)w->canceled_row;

	if (row == ROW_NONE)
		return false;
	record_row(s, row);
	return !mutant_skips(s->m->mutant, row);
}

/* Carries out the send at the head of a queue. Returns false if it has to
 * wait. */
static bool carry_out(struct step *s, struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);
	enum qp_kind kind = (enum qp_kind)s->m->object[w->owner].qp.kind;
	bool reliable = kind_is_reliable(kind);
	uint16_t peer;
	enum fate fate;

	if (w->passed || is_canceled(s, w)) {
		w->passed = false;
		transfer_succeed(s, w);
		return true;
	}
	if (device_iwarp(home_of(s->m, w->owner)))
		return iwarp_carry_out(s, w, op);
	if (kind == QK_UD) {
		record_row(s, ROW_UD_QKEY);
		record_row(s, w->remote_qkey >> 31 ? ROW_UD_QKEY_OWN
						   : ROW_UD_QKEY);
	}
	if (vendor_flushes(s, w)) {
		wr_set_stage(s->m, w, WR_DONE);
		w->status = IBV_WC_WR_FLUSH_ERR;
		completion_added(s, w);
		return true;
	}
	record_row(s, ROW_PACKET_PKEY);
	packet_note_sent(s->m, w);
	if (w->illegal || !op || !window_op_supported(s, w)) {
		transfer_fail(s, w);
		return true;
	}
	if (op->own) {
		vendor_carry_out(s, w);
		return true;
	}
	if (op->local) {
		window_carry_out(s, w);
		return true;
	}
	if (retry_waits_forever(s->m, w) ||
	    w->fails_on_retry) { /* its memory is not judged again */
		packet_behind_waiting(s, w);
		return false;
	}
	if (address_handle_gone(s, w) || address_handle_refused(s, w) ||
	    transfer_fails_locally(s, w, op)) {
		if (retry_fails_later(s, w))
			return false;
		transfer_fail(s, w);
		return true;
	}
	if (w->post_outcome == OUT_LOST) {
		transfer_succeed(s, w);
		return true;
	}
	if (s->m->mutant && w->rest_at)
		seeded_read_again(s->m, w);
	if (kind == QK_UD && mcast_is_target(s->m, w)) {
		send_to_group(s, w, op);
		return true;
	}
	if (kind == QK_RAW_PACKET) {
		raw_packet_send(s, w, op);
		return true;
	}
	if (w->waits_for && !w->migrated && has_ended_unseen(s, w))
		return true;
	fate = send_and_stop(s, w, op, &peer);
	if (fate == FATE_WAITS && reliable) {
		retry_note_wait(s, w, peer);
		return false;
	}
	if (fate == FATE_FAULTY && reliable) {
		transfer_fail(s, w);
		if (vendor_stops_peer(s, peer))
			failed_qp_stop(s, peer, IBV_QPS_ERR, true);
		w->in_flight = is_oracle(s) && peer == w->owner;
		return true;
	}
	if (is_oracle(s) && reliable)
		w->from = peer;
	transfer_succeed(s, w);
	if (s->tm_answer)
		wr_be_done_last(s->m, s->tm_answer);
	s->tm_answer = NULL;
	return true;
}

/* Returns true if a send may be carried out in the state of its queue pair. In
 * SQD a queue pair finishes the send that is under way and begins no other. */
static bool may_carry_out(struct step *s, uint16_t qp, const struct model_wr *w)
{
	const struct model *m = s->m;
	uint8_t state = m->object[qp].qp.state;

	if (w->unrung || seeded_reads_stuck(m, w))
		return false;
	if (state != IBV_QPS_SQD)
		return state == IBV_QPS_RTS;
	if (w->waits_for)
		return !mutant_skips(m->mutant, ROW_SQD_UNDER_WAY);
	return mutant_skips(m->mutant, ROW_POST_SQD) || vendor_runs_on(s, w);
}

/* Raises SQ_DRAINED once the send that was under way in SQD is done. */
static void raise_drained(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;
	bool asked = qp->drains == DRAINS_ASKED;

	if (!qp->drains || qp->state != IBV_QPS_SQD ||
	    retry_is_under_way(s->m, slot))
		return;
	qp->drains = DRAINS_NOT;
	async_add(s->m, IBV_EVENT_SQ_DRAINED, slot, !asked,
		  asked ? ROW_SQD_EVENT_ASKED : ROW_SQD_EVENT_UNASKED);
}

/* Carries out sends of a queue until one has to wait. Returns true if any was
 * carried out. */
static bool advance(struct step *s, uint16_t qp)
{
	const struct wr_list *list = wr_list_at(s->m, qp, 0);
	struct model_wr *w;
	bool any = false;

	while ((w = wr_next_posted(s->m, list)) != NULL &&
	       may_carry_out(s, qp, w) && carry_out(s, w))
		any = true;
	any |= passing_carry_out(s, qp);
	raise_drained(s, qp);
	return any;
}

/* Returns the next slot, from `slot` on, that has a send to carry out, or
 * NO_OBJ. The test of `sending` saves the search if there is none. */
static uint16_t sender_from(const struct model *m, unsigned int slot)
{
	return m->wrs.sending ? index_from(m, SET_SENDING, slot) : NO_OBJ;
}

/* Carries out sends until no queue gets any further: the end of one send may
 * let a send of another queue go on. */
void transfer(struct step *s)
{
	bool again;

	if (s->m->wrs.early)
		early_resume(s);
	do {
		again = false;
		for (uint16_t qp = sender_from(s->m, 0); qp != NO_OBJ;
		     qp = sender_from(s->m, qp + 1u))
			again |= advance(s, qp);
	} while (again);
	overrun_end_call(s);
	failed_qp_end_call(s);
}
