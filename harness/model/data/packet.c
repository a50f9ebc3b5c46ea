// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A packet of a connection names the queue pair that it is for, and by its GIDs
 * where it comes from; it does not say which queue pair sent it. A device may
 * look at the GIDs or not. What comes from a queue pair that its addressee is
 * not connected to cannot be told from what its peer sends, but for the PSN: it
 * may be carried out there, and the answer goes to the peer. What a device does
 * of each is decided once.
 */
#include "contract/opcodes.h"
#include "model/data/packet.h"
#include "model/data/peer.h"
#include "model/unseen/failed_qp.h"

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
	const struct model *m = s->m;

	if (peer == NO_OBJ ||
	    kind_addresses((enum qp_kind)m->object[peer].qp.kind) ||
	    packet_gids_match(m, w->owner, peer))
		return peer;
	if (m->gid_decided == OUT_NONE)
		s->m->gid_decided = (uint8_t)settle_hidden(s, ROW_PACKET_GID);
	return m->gid_decided == OUT_LOST ? NO_OBJ : peer;
}

void packet_note_sent(struct model *m, struct model_wr *w)
{
	struct model_qp *qp = &m->object[w->owner].qp;

	w->psn_known |= !(qp->vague & A_SQ_PSN);
	qp->vague |= A_SQ_PSN; /* it moves on; a device may count it first */
}

static bool may_take(struct step *s)
{
	if (s->m->other_decided == OUT_NONE)
		s->m->other_decided =
			(uint8_t)settle_hidden(s, ROW_PACKET_OTHER);
	return s->m->other_decided == OUT_ARRIVES;
}

static bool is_known(const struct model *m, const struct model_wr *w,
		     uint16_t to)
{
	return w->psn_known && !(m->object[to].qp.vague & A_RQ_PSN);
}

/* By how many packets it is ahead, 0: by none, or nobody knows. */
static int32_t ahead(const struct model *m, const struct model_wr *w,
		     uint16_t to)
{
	return is_known(m, w, to) ? retry_psn_ahead(&m->object[w->owner].qp,
						    &m->object[to].qp)
				  : 0;
}

/* Do its first packets only pass for some that came before? */
static bool goes_past(const struct model *m, const struct model_wr *w,
		      uint16_t to)
{
	enum ibv_mtu mtu = m->object[w->owner].qp.attr.path_mtu;
	int32_t behind = -ahead(m, w, to);

	return behind > 0 && w->length > (uint64_t)behind * (128u << mtu);
}

/* Is its PSN the one expected? Where nobody knows, it is, or is not until that
 * one has moved. */
static bool is_next(struct step *s, struct model_wr *w, const struct opcode *op,
		    uint16_t to)
{
	struct model_qp *qp = &s->m->object[to].qp;

	if (w->reached_other_qp && qp->mixed)
		return false;
	if (is_known(s->m, w, to))
		return !retry_blocks(s->m, w, op, to);
	w->reached_other_qp = qp->mixed = true;
	return settle_hidden(s, ROW_PACKET_OTHER) == OUT_ARRIVES;
}

/* Has the peer of a queue pair a request that the answer may pass for one to?
 */
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

/* Its sender waits on, whatever comes of it. */
static enum fate is_taken(struct step *s, struct model_wr *w,
			  const struct opcode *op, uint16_t to)
{
	enum fate fate = transfer_deliver(s, w, op, to);

	if (fate != FATE_FAULTY)
		return fate;
	w->status_row = ROW_NONE;
	failed_qp_stop(s, to, IBV_QPS_ERR, true);
	return fate;
}

static void stray(struct step *s, struct model_wr *w, const struct opcode *op,
		  uint16_t to)
{
	w->reached_other_qp = s->m->object[to].qp.mixed = true;
	s->m->object[to].qp.vague |= A_RQ_PSN;
	message_comes(s, to);
	/* Nobody has asked for what would be carried back. */
	s->m->forgot |= opcode_takes_resources(op) || peer_waits(s->m, to);
	s->m->forgot |= is_taken(s, w, op, to) == FATE_WAITS;
}

/* Has either end given up before? */
static bool is_over(struct step *s, const struct model_wr *w, uint16_t to)
{
	return (w->waits_for && retry_end_unseen(s, w->owner)) ||
	       retry_end_unseen(s, to);
}

void packet_to_other_qp(struct step *s, struct model_wr *w,
			const struct opcode *op)
{
	uint16_t to = packet_receiver(s, w, peer_find_other(s->m, w));

	if (to == NO_OBJ || !may_take(s))
		return;
	if (is_next(s, w, op, to)) {
		if (failed_qp_is_unseen(&s->m->object[to].qp))
			s->m->forgot = true;
		else if (!is_over(s, w, to))
			stray(s, w, op, to);
	}
	s->m->forgot |= goes_past(s->m, w, to);
	packet_behind_waiting(s, w);
}

void packet_behind_waiting(struct step *s, const struct model_wr *w)
{
	const struct model_wr *next = wr_after(s->m, w);
	uint16_t to = NO_OBJ;

	if (next && next->stage == WR_POSTED)
		to = packet_receiver(s, w, peer_find_other(s->m, w));
	s->m->forgot |= to != NO_OBJ && ahead(s->m, w, to) <= 0 && may_take(s);
}

void packet_note_arrived(struct step *s, uint16_t peer)
{
	struct model_qp *qp = &s->m->object[peer].qp;

	s->m->forgot |= qp->mixed;
	qp->vague |= A_RQ_PSN;
	message_comes(s, peer);
}
