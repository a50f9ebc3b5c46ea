// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Packets of a connection that do not come from the peer. A packet names the
 * queue pair that receives it and, by its GIDs, the sending port, but not the
 * queue pair that sent it. A device may drop packets whose GIDs are not the
 * peer's, or take them (ROW_PACKET_GID). A packet of a third queue pair differs
 * from the peer's only in its PSN. If that is the expected PSN, a device may
 * carry the request out, and answers the peer (ROW_PACKET_OTHER). Each of the
 * two choices is taken once in a program.
 *
 * Where the model cannot follow the consequences it sets `lost_track`, and the
 * program is inconclusive.
 */
#include "contract/opcodes.h"
#include "model/data/packet.h"
#include "model/data/peer.h"
#include "model/data/responder.h"
#include "model/events/events.h"
#include "model/unseen/failed_qp.h"

/* Returns the GID that a queue pair sends from, or NULL. */
static const struct gid_entry *gid_of(const struct model *m, uint16_t slot)
{
	const struct ibv_ah_attr *ah = &m->object[slot].qp.attr.ah_attr;
	const struct port_info *port =
		device_port_at(home_of(m, slot), ah->port_num);

	return port ? port_gid(port, ah->grh.sgid_index) : NULL;
}

static bool is_from(const struct gid_entry *gid, const struct ibv_ah_attr *ah)
{
	return !memcmp(&gid->gid, &ah->grh.dgid, sizeof(gid->gid));
}

bool packet_gids_match(const struct model *m, uint16_t from, uint16_t to)
{
	const struct ibv_ah_attr *out = &m->object[from].qp.attr.ah_attr;
	const struct ibv_ah_attr *back = &m->object[to].qp.attr.ah_attr;
	const struct gid_entry *sender = gid_of(m, from);
	const struct gid_entry *receiver = gid_of(m, to);

	if (!out->is_global || !back->is_global || !sender || !receiver)
		return true;
	return sender->type == receiver->type && is_from(receiver, out) &&
	       is_from(sender, back);
}

uint16_t packet_receiver(struct step *s, const struct model_wr *w,
			 uint16_t peer)
{
	struct model *m = s->m;
	struct model_habit *receiver;

	if (peer == NO_OBJ ||
	    kind_addresses((enum qp_kind)m->object[peer].qp.kind) ||
	    packet_gids_match(m, w->owner, peer))
		return peer;
	receiver = &m->habit[m->object[peer].device];
	if (receiver->takes_gid == OUT_NONE)
		receiver->takes_gid = (uint8_t)choose_hidden(s, ROW_PACKET_GID);
	return receiver->takes_gid == OUT_LOST ? NO_OBJ : peer;
}

uint32_t packet_count(const struct model *m, const struct model_wr *w)
{
	const uint64_t mtu = 128u << m->object[w->owner].qp.attr.path_mtu;
	const struct opcode *op = opcode_of(w->opcode);

	if (!op || op->local)
		return 0;
	return op->atomic || !w->length
		       ? 1
		       : (uint32_t)((w->length + mtu - 1) / mtu);
}

void packet_note_sent(struct model *m, struct model_wr *w)
{
	struct model_qp *qp = &m->object[w->owner].qp;

	w->psn_known |= !(qp->undefined & A_SQ_PSN);
	qp->undefined |= A_SQ_PSN; /* the PSN moves on, on some devices before
				      the send */
}

/* Returns true if the device of a queue pair carries out requests that are not
 * those of the peer. */
static bool takes_others(struct step *s, uint16_t to)
{
	struct model_habit *receiver = &s->m->habit[s->m->object[to].device];

	if (receiver->takes_others == OUT_NONE)
		receiver->takes_others =
			(uint8_t)choose_hidden(s, ROW_PACKET_OTHER);
	return receiver->takes_others == OUT_ARRIVES;
}

/* Returns true if the PSN of a request and the PSN that `to` expects are
 * known. */
static bool psn_is_known(const struct model *m, const struct model_wr *w,
			 uint16_t to)
{
	return w->psn_known && !(m->object[to].qp.undefined & A_RQ_PSN);
}

/* Returns by how many packets the PSN of a request is ahead of the one
 * expected; 0 also if nobody knows. */
static int32_t psn_ahead(const struct model *m, const struct model_wr *w,
			 uint16_t to)
{
	return psn_is_known(m, w, to) ? retry_psn_ahead(&m->object[w->owner].qp,
							&m->object[to].qp)
				      : 0;
}

/* Returns true if the PSN of a request is behind the expected PSN, but the
 * request is so long that its later packets reach that. */
static bool reaches_expected_psn(const struct model *m,
				 const struct model_wr *w, uint16_t to)
{
	int32_t behind = -psn_ahead(m, w, to);

	return behind > 0 && packet_count(m, w) > (uint32_t)behind;
}

/* Returns true if the PSN of a request is the expected one, which is a choice
 * if nobody knows. A request reaches another queue pair only once. */
static bool is_next(struct step *s, struct model_wr *w, const struct opcode *op,
		    uint16_t to)
{
	struct model_qp *qp = &s->m->object[to].qp;

	if (w->reached_other_qp && qp->mixed)
		return false;
	if (psn_is_known(s->m, w, to))
		return !retry_blocks(s->m, w, op, to);
	w->reached_other_qp = qp->mixed = true;
	return choose_hidden(s, ROW_PACKET_OTHER) == OUT_ARRIVES;
}

/* Returns true if the peer of a queue pair waits for an answer: the peer may
 * mistake an answer to somebody else's request for its own. */
static bool peer_waits(struct model *m, uint16_t slot)
{
	uint32_t number = m->object[slot].qp.attr.dest_qp_num;

	for (uint16_t i = index_first(m, BY_NUMBER, number); i != NO_OBJ;
	     i = index_next(m, BY_NUMBER, i))
		each_wr(m, wr_list_at(m, i, 0), w)
		{
			if (w->stage == WR_POSTED && w->waits_for)
				return true;
		}
	return false;
}

/* Carries out a request of a queue pair that the receiver is not connected to.
 * The sender gets no answer and waits on. */
static enum fate carry_out_unanswered(struct step *s, struct model_wr *w,
				      const struct opcode *op, uint16_t to)
{
	enum fate fate = responder_carry_out(s, w, op, to);

	if (fate != FATE_FAULTY)
		return fate;
	w->status_row = ROW_NONE;
	failed_qp_stop(s, to, IBV_QPS_ERR, true);
	return fate;
}

/* Lets a request come to a queue pair that is connected to another one. */
static void reach_other(struct step *s, struct model_wr *w,
			const struct opcode *op, uint16_t to)
{
	w->reached_other_qp = s->m->object[to].qp.mixed = true;
	s->m->object[to].qp.undefined |= A_RQ_PSN;
	async_message_arrived(s, to);
	/* the peer would get an answer that it did not ask for */
	s->m->lost_track |= opcode_takes_resources(op) || peer_waits(s->m, to);
	s->m->lost_track |= carry_out_unanswered(s, w, op, to) == FATE_WAITS;
}

/* Returns true if either end has given up before, and nobody has seen that. */
static bool has_given_up(struct step *s, const struct model_wr *w, uint16_t to)
{
	return (w->waits_for && retry_end_unseen(s, w->owner)) ||
	       retry_end_unseen(s, to);
}

void packet_to_other_qp(struct step *s, struct model_wr *w,
			const struct opcode *op)
{
	uint16_t to = packet_receiver(s, w, peer_find_other(s->m, w));

	if (to == NO_OBJ || !takes_others(s, to))
		return;
	if (is_next(s, w, op, to)) {
		if (failed_qp_is_unseen(&s->m->object[to].qp))
			s->m->lost_track = true;
		else if (!has_given_up(s, w, to))
			reach_other(s, w, op, to);
	}
	s->m->lost_track |= reaches_expected_psn(s->m, w, to);
	packet_behind_waiting(s, w);
}

void packet_behind_waiting(struct step *s, const struct model_wr *w)
{
	const struct model_wr *next = wr_after(s->m, w);
	uint16_t to = NO_OBJ;

	if (next && next->stage == WR_POSTED)
		to = packet_receiver(s, w, peer_find_other(s->m, w));
	s->m->lost_track |= to != NO_OBJ && psn_ahead(s->m, w, to) <= 0 &&
			    takes_others(s, to);
}

void packet_note_arrived(struct step *s, uint16_t peer)
{
	struct model_qp *qp = &s->m->object[peer].qp;

	s->m->lost_track |= qp->mixed;
	qp->undefined |= A_RQ_PSN;
	async_message_arrived(s, peer);
}
