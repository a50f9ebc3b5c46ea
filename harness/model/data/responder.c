// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Carries out a request at the queue pair that it has reached: judges it there,
 * gives its message to a receive and moves its bytes.
 */
#include "model/data/deliver.h"
#include "model/data/link.h"
#include "model/data/responder.h"
#include "model/data/seeded.h"
#include "model/data/tag.h"
#include "model/events/events.h"
#include "model/memory/access_fault.h"
#include "model/raw/raw_packet.h"
#include "model/unseen/failed_qp.h"
#include "model/vendor.h"

/* Completes a request in error by a row, which names the status. */
static void fail_by(struct step *s, struct model_wr *w, enum row row)
{
	w->status_row = (uint16_t)row;
	transfer_end_in_error(s, w);
}

/* Returns true if the transport of a queue pair acknowledges requests. */
static bool acknowledges(const struct model *m, uint16_t peer)
{
	return kind_is_reliable((enum qp_kind)m->object[peer].qp.kind);
}

/* Refuses a message for its receive, which is too short or at fault. The
 * receive fails. On a reliable type the send fails as well; on an unreliable
 * type nothing is sent back, and a receive that is too short may stay as it
 * was. */
static enum fate refuse_message(struct step *s, struct model_wr *w,
				struct model_wr *r, uint16_t peer, enum row row)
{
	bool reliable = acknowledges(s->m, peer);
	bool is_short = row == ROW_RECV_SHORT;

	if (!reliable && is_short &&
	    !mutant_has_quirk(s->m->mutant, QUIRK_EMPTY_MIDDLE) &&
	    choose_hidden(s, ROW_DATAGRAM_SHORT) == OUT_LOST)
		return FATE_FAULTY;
	deliver_use_receive(s->m, r, peer);
	fail_by(s, r, row);
	if (reliable)
		w->status_row = is_short ? ROW_SENT_LONG : ROW_SENT_REFUSED;
	else
		failed_qp_stop(s, peer, IBV_QPS_ERR, true);
	return FATE_FAULTY;
}

/* Completes the receive of a SEND_WITH_INV whose rkey cannot be invalidated in
 * error. The bytes have arrived by then, and the sender may be told of
 * success. */
static enum fate refuse_invalidation(struct step *s, struct model_wr *r,
				     uint16_t peer)
{
	copy_blur(s->m, &r->data, r->length);
	deliver_use_receive(s->m, r, peer);
	fail_by(s, r, ROW_INV_REMOTE);
	fault_raise_events(s, peer);
	if (acknowledges(s->m, peer) &&
	    choose_hidden(s, ROW_INV_SENT) != OUT_OK)
		return FATE_FAULTY;
	failed_qp_stop(s, peer, IBV_QPS_ERR, true);
	return FATE_ARRIVES;
}

/* Returns true if the rkey that a message names was invalidated. A seeded fault
 * leaves that out for a message without bytes. */
static bool invalidates(struct step *s, const struct model_wr *w, uint16_t peer)
{
	if (!w->length &&
	    mutant_has_quirk(s->m->mutant, QUIRK_INVALIDATE_EMPTY))
		return true;
	if (s->m->object[peer].qp.init.srq != NO_OBJ &&
	    mutant_has_quirk(s->m->mutant, QUIRK_INVALIDATE_SRQ) &&
	    window_is_bound(s->m, w->invalidates, peer))
		return true;
	return window_invalidate(s, w->invalidates, peer) ||
	       indirect_invalidate(s, w->invalidates, peer, true);
}

/* Returns the row by which a receive cannot take a message, or ROW_NONE. The
 * memory of the receive of a WRITE with immediate is not looked at, but by a
 * seeded fault. */
static enum row receive_refuses(struct step *s, struct model_wr *r,
				const struct opcode *op, uint16_t peer,
				uint64_t bytes)
{
	if (op->access && !mutant_has_quirk(s->m->mutant, QUIRK_IMM_MEMORY))
		return ROW_NONE;
	if (!op->access && seeded_ends_early(s->m, r, peer, bytes))
		return ROW_RECV_SHORT;
	if (!op->access && fault_short(s, r, peer, bytes))
		return ROW_RECV_SHORT;
	return fault_receive(s, r, peer, bytes);
}

enum fate responder_take_message(struct step *s, struct model_wr *w,
				 const struct opcode *op, uint16_t peer)
{
	bool datagram = s->m->object[peer].qp.kind == QK_UD;
	uint64_t bytes = w->length + (uint64_t)(datagram ? GRH_LEN : 0);
	struct tm_message tm = {.comes = false};
	struct model_wr *r;
	enum row row;

	if (!op->access && tm_takes(s->m, peer) && tm_match(s, w, peer, &tm))
		return tm_deliver(s, w, peer, &tm);
	r = deliver_next_receive(s, w, peer);
	if (!r) {
		deliver_without_receive(s, w, op, peer);
		return FATE_WAITS;
	}
	row = receive_refuses(s, r, op, peer, bytes);
	if (lost_message_decide(s, w, r, peer, row != ROW_NONE))
		return FATE_WAITS;
	if (row != ROW_NONE)
		return refuse_message(s, w, r, peer, row);
	if (op->invalidates && !invalidates(s, w, peer))
		return refuse_invalidation(s, r, peer);
	w->message = ++s->m->object[w->owner].qp.messages;
	deliver_message(s, w, op, r, peer);
	if (tm.comes)
		tm_note_unexpected(s, w, r, &tm);
	return FATE_ARRIVES;
}

enum fate responder_take_messages(struct step *s, struct model_wr *w,
				  const struct opcode *op, uint16_t peer)
{
	enum fate fate = FATE_ARRIVES;
	struct tso cut = {.n = 0};

	if (!op->segmented)
		return responder_take_message(s, w, op, peer);
	while (tso_next(s, w, &cut))
		fate = responder_take_message(s, &cut.part, op, peer);
	return fate;
}

/* Returns true if a receive fails together with the write that wanted it. A
 * receive of the peer's own queue is flushed at least; a receive of an SRQ may
 * stay there. */
static bool receive_fails_too(struct step *s, const struct model_wr *r)
{
	return r && (r->srq == NO_OBJ ||
		     choose_hidden(s, ROW_REMOTE_IMM_SRQ) == OUT_ERROR_WC);
}

enum fate responder_refuse_access(struct step *s, struct model_wr *w,
				  const struct opcode *op, uint16_t peer,
				  enum row row)
{
	struct model_wr *r = deliver_next_receive(s, w, peer);

	if (!acknowledges(s->m, peer))
		return FATE_FAULTY;
	w->status_row = (uint16_t)row;
	seeded_take_next_id(s, w);
	fault_raise_events(s, peer);
	if (mutant_skips(s->m->mutant, ROW_DATA_PROTECTED) &&
	    row != ROW_REMOTE_RANGE && row != ROW_MW_RANGE)
		copy_remote(s->m, w, op, peer, false);
	if (op->receive && receive_fails_too(s, r)) {
		deliver_use_receive(s->m, r, peer);
		fail_by(s, r, ROW_REMOTE_IMM);
	}
	return FATE_FAULTY;
}

/* Returns true for a write that a link may lose without any completion telling
 * so. */
static bool write_may_be_lost(const struct model *m, const struct model_wr *w,
			      const struct opcode *op, uint16_t peer)
{
	return !op->receive && !acknowledges(m, peer) &&
	       link_may_lose(m, w, peer);
}

/* Returns true if the peer answers "no receive" to a request whose access to
 * memory it refuses as well. Either may come first (ROW_REMOTE_FIRST). */
static bool lacks_receive_first(struct step *s, const struct model_wr *w,
				const struct opcode *op, uint16_t peer)
{
	if (!op->receive || !acknowledges(s->m, peer) ||
	    deliver_next_receive(s, w, peer))
		return false;
	return w->waits_for ||
	       choose_hidden(s, ROW_REMOTE_FIRST) != OUT_REM_ACCESS_ERR;
}

enum fate responder_carry_out(struct step *s, struct model_wr *w,
			      const struct opcode *op, uint16_t peer)
{
	enum fate fate = FATE_ARRIVES;
	enum row row;

	if (!xrc_names_srq(s, w->remote_srqn, peer))
		return FATE_FAULTY;
	row = vendor_refuses(s, w, peer);
	if (row != ROW_NONE) {
		w->status_row = (uint16_t)row;
		return FATE_FAULTY;
	}
	row = fault_remote(s, w, op, peer);
	if (row != ROW_NONE && lacks_receive_first(s, w, op, peer))
		return FATE_WAITS;
	if (row != ROW_NONE)
		return responder_refuse_access(s, w, op, peer, row);
	if (op->receive)
		fate = responder_take_messages(s, w, op, peer);
	if (op->access && fate != FATE_FAULTY)
		copy_remote(s->m, w, op, peer,
			    fate == FATE_WAITS ||
				    write_may_be_lost(s->m, w, op, peer));
	return fate;
}
