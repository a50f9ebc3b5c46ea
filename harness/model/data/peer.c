// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the queue pair that a request goes to. That queue pair has the number
 * that the request names, is of a type and in a state that takes the request,
 * and is where the address of the request leads.
 */
#include "model/data/link.h"
#include "model/data/packet.h"
#include "model/data/peer.h"
#include "model/unseen/failed_qp.h"

/* Returns true if an address leads to the device, and the port, of the other
 * queue pair, and the link is not cut. */
static bool leads_there(const struct model *m, uint16_t from, uint16_t peer,
			const struct ibv_ah_attr *ah)
{
	uint8_t home = m->object[from].device, to = m->object[peer].device;
	struct way way = link_way_to(m, home, ah);

	if (mutant_skips(m->mutant, ROW_PAIR_DEVICE))
		return way.device != NOWHERE;
	return way.device == to && !link_is_cut(m, home, to) &&
	       (!home_of(m, peer)->joined_port ||
		m->object[peer].qp.port == way.port);
}

/* Returns true if a datagram carries the Q_Key of the queue pair that it comes
 * to. */
static bool has_qkey(const struct model *m, const struct model_wr *w,
		     const struct model_qp *qp, const struct model_qp *peer)
{
	if (mutant_skips(m->mutant, ROW_UD_QKEY))
		return true;
	if (mutant_skips(m->mutant, ROW_UD_QKEY_OWN))
		return peer->attr.qkey == w->remote_qkey;
	if (peer->qkey_stale)
		return peer->recv_qkey == retry_carried_qkey(w, qp);
	return peer->attr.qkey == retry_carried_qkey(w, qp);
}

/* Returns the number of the queue pair that a request is for. */
static uint32_t destination(const struct model_qp *qp, const struct model_wr *w)
{
	return kind_addresses((enum qp_kind)qp->kind) ? w->remote_qpn
						      : qp->attr.dest_qp_num;
}

/* Returns true if the peer is connected to the sender, or does not have to be.
 * On UC it does not: packets do not name their sender, and are not answered. */
static bool is_connected(const struct model_qp *qp, const struct model_qp *peer)
{
	return kind_may_lose_messages((enum qp_kind)qp->kind) ||
	       peer->attr.dest_qp_num == qp->init.qp_num;
}

/* Returns true unless the device drops packets between these two for their
 * GIDs. */
static bool is_addressed(const struct model *m, uint16_t from, uint16_t to)
{
	return m->habit[m->object[to].device].takes_gid != OUT_LOST ||
	       packet_gids_match(m, from, to);
}

typedef bool ready_fn(const struct model_qp *qp);

/* Returns true if a request of its own has stopped the queue pair and nobody
 * has seen that. */
static bool was_ready(const struct model_qp *qp)
{
	return failed_qp_is_unseen(qp) && qp->unseen == UNSEEN_OWN;
}

/* Returns true if a request comes to queue pair `to`: by its number, type,
 * partition, and Q_Key or address. `connected`: whether `to` has to be
 * connected to the sender or must not be. */
static bool reaches(const struct model *m, const struct model_wr *w,
		    uint32_t number, uint16_t to, bool connected)
{
	const struct model_qp *qp = &m->object[w->owner].qp;
	const struct model_qp *peer = &m->object[to].qp;

	if (peer->init.qp_num != number || !number ||
	    !kind_sends_to((enum qp_kind)qp->kind, (enum qp_kind)peer->kind))
		return false;
	if (qp_has_source(peer) &&
	    !mutant_skips(m->mutant, ROW_SOURCE_QPN_RECEIVES))
		return false;
	if (!retry_same_partition(m, w->owner, to) &&
	    !mutant_skips(m->mutant, ROW_PACKET_PKEY))
		return false;
	if (!kind_addresses((enum qp_kind)qp->kind))
		return is_connected(qp, peer) == connected &&
		       is_addressed(m, w->owner, to) &&
		       leads_there(m, w->owner, to, &qp->attr.ah_attr);
	return connected && (qp->kind != QK_UD || has_qkey(m, w, qp, peer)) &&
	       leads_there(m, w->owner, to, &m->object[w->ah].ah);
}

/* Returns the first queue pair that a request reaches and that is ready, or
 * NO_OBJ. */
static uint16_t find_qp(const struct model *m, const struct model_wr *w,
			ready_fn *ready, bool connected)
{
	uint32_t number = destination(&m->object[w->owner].qp, w);
	uint16_t i = index_first(m, BY_NUMBER, number);

	while (i != NO_OBJ &&
	       !(m->object[i].qp.handles && ready(&m->object[i].qp) &&
		 reaches(m, w, number, i, connected)))
		i = index_next(m, BY_NUMBER, i);
	return i;
}

uint16_t peer_find(const struct model *m, const struct model_wr *w)
{
	if (device_iwarp(home_of(m, w->owner)))
		return m->object[w->owner].qp.partner;
	if (w->ah != NO_OBJ && m->object[w->ah].orphan)
		return NO_OBJ;
	return find_qp(m, w, qp_takes_requests, true);
}

uint16_t peer_find_failed(const struct model *m, const struct model_wr *w)
{
	if (device_iwarp(home_of(m, w->owner)))
		return NO_OBJ;
	return find_qp(m, w, was_ready, true);
}

static bool may_be_ready(const struct model_qp *qp)
{
	return qp_takes_requests(qp) || was_ready(qp);
}

uint16_t peer_find_other(const struct model *m, const struct model_wr *w)
{
	return find_qp(m, w, may_be_ready, false);
}

/* Notes the rule about queue pairs with source_qpn if a datagram is for one. */
static void note_source(struct step *s, const struct model_wr *w)
{
	const struct model *m = s->m;
	uint16_t to;

	if (m->object[w->owner].qp.kind != QK_UD)
		return;
	for (to = index_first(m, BY_NUMBER, w->remote_qpn); to != NO_OBJ;
	     to = index_next(m, BY_NUMBER, to))
		if (m->object[to].qp.init.qp_num == w->remote_qpn &&
		    qp_has_source(&m->object[to].qp))
			record_row(s, ROW_SOURCE_QPN_RECEIVES);
}

uint16_t peer_receiving(struct step *s, const struct model_wr *w)
{
	uint16_t peer = packet_receiver(s, w, peer_find(s->m, w));

	note_source(s, w);
	if (peer != NO_OBJ)
		return retry_end_unseen(s, peer) ? peer_find(s->m, w) : peer;
	peer = packet_receiver(s, w, peer_find_failed(s->m, w));
	return peer != NO_OBJ && failed_qp_takes_request(s, w, peer) ? peer
								     : NO_OBJ;
}
