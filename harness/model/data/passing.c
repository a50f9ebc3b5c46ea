// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Carries out sends whose turn has not come, because the first send of their
 * queue waits. Only a vendor's queue pair has such sends: the streams of a DCI.
 * Their completions come in their turn all the same.
 */
#include "model/data/deliver.h"
#include "model/data/link.h"
#include "model/data/peer.h"
#include "model/data/responder.h"
#include "model/memory/access_fault.h"
#include "model/vendor.h"

/* Returns true if a receive takes a message without a fault. */
static bool receive_is_fine(struct step *s, const struct model_wr *w,
			    const struct opcode *op, uint16_t peer)
{
	const struct model_wr *r = deliver_next_receive(s, w, peer);

	return op->access || (!fault_short(s, r, peer, w->length) &&
			      fault_receive(s, r, peer, w->length) == ROW_NONE);
}

/* Returns true if a request certainly succeeds at the peer. */
static bool succeeds(struct step *s, const struct model_wr *w,
		     const struct opcode *op, uint16_t peer)
{
	if (w->illegal || w->fenced || op->invalidates ||
	    (w->post_outcome != OUT_NONE && w->post_outcome != OUT_OK) ||
	    !address_handle_fine(s->m, w) || link_may_lose(s->m, w, peer))
		return false;
	return fault_local(s, w, op) == ROW_NONE &&
	       vendor_refuses(s, w, peer) == ROW_NONE &&
	       !fault_resources(s, w, op, peer) &&
	       fault_remote(s, w, op, peer) == ROW_NONE &&
	       (!op->receive || receive_is_fine(s, w, op, peer));
}

/* Carries out a send whose turn has not come, if it may be and need not wait.
 * An oracle does not follow a send that may fail before its turn. */
static bool pass(struct step *s, struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);
	enum row row = vendor_passes(s, w);
	uint16_t peer;

	if (row == ROW_NONE || !op || op->own || op->local)
		return false;
	peer = peer_receiving(s, w);
	if (retry_blocks(s->m, w, op, peer) ||
	    (op->receive && !deliver_next_receive(s, w, peer)))
		return false;
	if (!succeeds(s, w, op, peer)) {
		s->m->lost_track |= is_oracle(s);
		return false;
	}
	if (choose_hidden(s, row) != OUT_ARRIVES) {
		w->stays_behind = true;
		return false;
	}
	w->passed = true;
	if (!mutant_skips(s->m->mutant, row))
		responder_carry_out(s, w, op, peer);
	return true;
}

bool passing_carry_out(struct step *s, uint16_t qp)
{
	struct model_wr *w = wr_next_posted(s->m, wr_list_at(s->m, qp, 0));
	bool any = false;

	if (!w || !w->waits_for || !vendor_of_qp(s, qp) ||
	    s->m->object[qp].qp.state != IBV_QPS_RTS)
		return false;
	while ((w = wr_after(s->m, w)) != NULL)
		if (w->stage == WR_POSTED && !w->passed && !w->stays_behind)
			any |= pass(s, w);
	return any;
}
