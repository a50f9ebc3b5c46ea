// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Automatic path migration. A program loads an alternate path and asks for
 * REARM. Each packet says whether its sender is in MIGRATED (the MigReq bit):
 * a queue pair in REARM moves to ARMED with the first packet of a rearmed peer.
 * From ARMED a queue pair migrates if the program asks for it, if its retries
 * are used up, or if a packet of its migrated peer arrives over the alternate
 * path. The alternate path is the primary one from then on.
 *
 * A device sees packets later than the model, which carries messages out at
 * once. So a change that a packet makes is uncertain until a completion of that
 * message, or of a later one, is polled (`mig_unseen`).
 */
#include "contract/opcodes.h"
#include "model/data/link.h"
#include "model/data/migration.h"
#include "model/events/events.h"
#include "model/unseen/failed_qp.h"

/* One of the two paths of a queue pair. */
struct path {
	const struct ibv_ah_attr *ah;
	uint16_t pkey_index;
	uint8_t port;
};

static struct path primary_path(const struct model_qp *qp)
{
	return (struct path){&qp->attr.ah_attr, qp->attr.pkey_index, qp->port};
}

static struct path alternate_path(const struct model_qp *qp)
{
	return (struct path){&qp->attr.alt_ah_attr, qp->attr.alt_pkey_index,
			     qp->attr.alt_port_num};
}

static struct model_qp *at(const struct step *s, uint16_t slot)
{
	return &s->m->object[slot].qp;
}

/* Returns true if an attribute was set to a value that is not contested. */
static bool is_known(const struct model_qp *qp, uint32_t attr)
{
	return (qp->set & ~qp->undefined & attr) != 0;
}

enum ibv_mig_state migration_state(const struct model_qp *qp)
{
	return is_known(qp, A_PATH_MIG_STATE) ? qp->attr.path_mig_state
					      : IBV_MIG_MIGRATED;
}

enum row migration_asked_row(const struct model_qp *qp, uint32_t asked,
			     uint8_t to)
{
	enum ibv_mig_state now = migration_state(qp);

	if (asked == IBV_MIG_MIGRATED)
		return now == IBV_MIG_REARM ? ROW_MIG_ASKED : ROW_NONE;
	if (asked == IBV_MIG_REARM && now != IBV_MIG_ARMED && to == IBV_QPS_RTS)
		return ROW_NONE;
	return ROW_MIG_ASKED;
}

/* Makes the alternate path the primary one. */
static void use_alternate_path(struct step *s, struct model_qp *qp,
			       enum row row)
{
	qp->attr.path_mig_state = IBV_MIG_MIGRATED;
	qp->mig_row = (uint16_t)row;
	record_row(s, row);
	record_row(s, ROW_MIG_PATH);
	if (!is_known(qp, A_ALT_PATH)) {
		qp->undefined |= A_PATH;
		s->m->lost_track |= is_oracle(s);
		return;
	}
	if (mutant_skips(s->m->mutant, ROW_MIG_PATH))
		return;
	qp->attr.ah_attr = qp->attr.alt_ah_attr;
	qp->attr.pkey_index = qp->attr.alt_pkey_index;
	qp->attr.port_num = qp->port = qp->attr.alt_port_num;
	qp->attr.timeout = qp->attr.alt_timeout;
	qp->undefined &= ~(uint32_t)A_PATH;
	qp->undefined |= A_ALT_PATH; /* has to be loaded anew */
	qp->on_alternate = true;
}

/* Notes that a packet changes path_mig_state now, on a device perhaps later. */
static void note_unseen(const struct step *s, struct model_qp *qp)
{
	qp->mig_before = (uint8_t)qp->attr.path_mig_state;
	qp->mig_after = s->m->wrs.done;
	qp->mig_unseen = true;
}

static void raise_event(struct step *s, uint8_t type, uint16_t slot,
			enum row row)
{
	async_add(s->m, type, slot, row == ROW_MIG_EVENT_OWN, row);
}

void migration_asked(struct step *s, uint16_t slot, enum ibv_mig_state before)
{
	struct model_qp *qp = at(s, slot);

	qp->mig_row = ROW_VAL_READBACK;
	qp->mig_unseen = false;
	if (qp->attr.path_mig_state != IBV_MIG_MIGRATED) {
		s->m->rearmed = true;
		return;
	}
	if (before != IBV_MIG_ARMED)
		return;
	use_alternate_path(s, qp, ROW_VAL_READBACK);
	raise_event(s, IBV_EVENT_PATH_MIG, slot, ROW_MIG_EVENT_OWN);
}

void migration_of_failing_path(struct step *s, uint16_t slot)
{
	use_alternate_path(s, at(s, slot), ROW_MIG_FAILING);
	raise_event(s, IBV_EVENT_PATH_MIG, slot, ROW_MIG_EVENT);
}

/* Returns true if an address of one queue pair leads to the device, and the
 * port, of the other one, and the link is not cut. */
static bool leads_to(const struct model *m, uint16_t from, struct path out,
		     uint16_t to, struct path back)
{
	uint8_t home = m->object[from].device, there = m->object[to].device;
	struct way way = link_way_to(m, home, out.ah);

	return way.device == there && !link_is_cut(m, home, there) &&
	       (!home_of(m, to)->joined_port || way.port == back.port);
}

static bool get_pkey(const struct model *m, uint16_t slot, struct path p,
		     uint16_t *pkey)
{
	const struct port_info *port = device_port_at(home_of(m, slot), p.port);

	return port && port_pkey(port, p.pkey_index, pkey);
}

/* Returns true if the P_Keys of the two ends of a path match, or are not
 * known. */
static bool pkeys_agree(const struct model *m, uint16_t from, struct path out,
			uint16_t to, struct path back)
{
	uint16_t one, two;

	if (!get_pkey(m, from, out, &one) || !get_pkey(m, to, back, &two))
		return true;
	return pkeys_match(one, two);
}

/* Returns true if the paths of two queue pairs lead to each other. */
static bool paths_meet(const struct model *m, uint16_t from, struct path out,
		       uint16_t to, struct path back)
{
	return leads_to(m, from, out, to, back) &&
	       leads_to(m, to, back, from, out);
}

/* Returns the queue pair of a number that a connected queue pair sends to over
 * a path, or NO_OBJ. `armed`: it has to be in ARMED. */
static uint16_t find_peer(const struct model *m, uint16_t from, struct path out,
			  bool armed)
{
	const struct model_qp *qp = &m->object[from].qp;
	struct way way = link_way_to(m, m->object[from].device, out.ah);
	uint16_t i = index_first(m, BY_NUMBER, qp->attr.dest_qp_num);

	for (; i != NO_OBJ; i = index_next(m, BY_NUMBER, i)) {
		const struct model_qp *peer = &m->object[i].qp;

		if (peer->init.qp_num == qp->attr.dest_qp_num &&
		    peer->attr.dest_qp_num == qp->init.qp_num &&
		    m->object[i].device == way.device && peer->handles &&
		    qp_takes_requests(peer) &&
		    kind_sends_to((enum qp_kind)qp->kind,
				  (enum qp_kind)peer->kind) &&
		    (!armed || migration_state(peer) == IBV_MIG_ARMED))
			return i;
	}
	return NO_OBJ;
}

uint16_t migration_peer(const struct model *m, const struct model_wr *w)
{
	const struct model_qp *qp = &m->object[w->owner].qp, *peer;
	struct path out = alternate_path(qp), back;
	uint16_t to = find_peer(m, w->owner, out, false);
	bool meet;

	if (to == NO_OBJ)
		return NO_OBJ;
	peer = &m->object[to].qp;
	if (migration_state(peer) == IBV_MIG_ARMED) {
		back = alternate_path(peer);
		meet = paths_meet(m, w->owner, out, to, back);
	} else {
		back = primary_path(peer);
		meet = leads_to(m, w->owner, out, to, back);
	}
	return meet && pkeys_agree(m, w->owner, out, to, back) ? to : NO_OBJ;
}

/* A queue pair in ARMED gets the packet of its migrated peer, and migrates. */
static void follow_peer(struct step *s, uint16_t slot)
{
	if (mutant_skips(s->m->mutant, ROW_MIG_PEER))
		return;
	note_unseen(s, at(s, slot));
	use_alternate_path(s, at(s, slot), ROW_MIG_PEER);
	raise_event(s, IBV_EVENT_PATH_MIG, slot, ROW_MIG_EVENT);
}

/* A queue pair in ARMED gets the packet of its migrated peer, which has not
 * come over the alternate path. */
static void refuse_request(struct step *s, uint16_t slot)
{
	raise_event(s, IBV_EVENT_PATH_MIG_ERR, slot, ROW_MIG_ERR);
	if (choose_hidden(s, ROW_MIG_ERR_STATE) == OUT_STATE_ERR)
		failed_qp_stop(s, slot, IBV_QPS_ERR, true);
}

bool migration_send(struct step *s, const struct model_wr *w)
{
	const struct model_qp *qp = at(s, w->owner);
	struct path out = primary_path(qp), back;
	uint16_t peer;

	if (!s->m->rearmed || kind_addresses((enum qp_kind)qp->kind) ||
	    migration_state(qp) != IBV_MIG_MIGRATED)
		return true;
	if (qp->on_alternate) {
		record_row(s, ROW_MIG_MESSAGE);
		if (mutant_skips(s->m->mutant, ROW_MIG_MESSAGE))
			return false;
	}
	peer = find_peer(s->m, w->owner, out, true);
	if (peer == NO_OBJ || link_is_cut(s->m, s->m->object[w->owner].device,
					  s->m->object[peer].device))
		return true;
	s->m->lost_track |= is_oracle(s) && link_may_lose(s->m, w, peer);
	back = alternate_path(at(s, peer));
	if (!pkeys_agree(s->m, w->owner, out, peer, back))
		return false;
	if (paths_meet(s->m, w->owner, out, peer, back)) {
		follow_peer(s, peer);
		return true;
	}
	if (!w->waits_for) /* the first try */
		refuse_request(s, peer);
	return false;
}

/* Queue pair `slot` gets a packet of `from`, which is not in MIGRATED. */
static void arm(struct step *s, uint16_t slot, uint16_t from)
{
	struct model_qp *qp = at(s, slot);

	if (migration_state(qp) != IBV_MIG_REARM ||
	    migration_state(at(s, from)) == IBV_MIG_MIGRATED)
		return;
	record_row(s, ROW_MIG_ARMED);
	if (mutant_skips(s->m->mutant, ROW_MIG_ARMED))
		return;
	note_unseen(s, qp);
	qp->attr.path_mig_state = IBV_MIG_ARMED;
	qp->mig_row = ROW_MIG_ARMED;
}

/* The sender of a request gets an answer of its peer. */
static void take_answer(struct step *s, uint16_t slot, uint16_t peer)
{
	struct path out = primary_path(at(s, peer));
	struct path back = alternate_path(at(s, slot));

	arm(s, slot, peer);
	if (migration_state(at(s, slot)) != IBV_MIG_ARMED ||
	    migration_state(at(s, peer)) != IBV_MIG_MIGRATED)
		return;
	if (paths_meet(s->m, peer, out, slot, back))
		follow_peer(s, slot);
	else
		s->m->lost_track |= is_oracle(s);
}

void migration_note_arrived(struct step *s, const struct model_wr *w,
			    uint16_t peer)
{
	enum qp_kind kind = (enum qp_kind)at(s, w->owner)->kind;

	if (!s->m->rearmed || kind_addresses(kind))
		return;
	s->m->lost_track |= is_oracle(s) && link_may_lose(s->m, w, peer);
	arm(s, peer, w->owner);
	if (kind_is_reliable(kind))
		take_answer(s, w->owner, peer);
}

/* A completion of request `w` shows the changes that were made before. */
static void note_seen(struct model_qp *qp, const struct model_wr *w)
{
	if (w->done_order > qp->mig_after)
		qp->mig_unseen = false;
}

void migration_note_polled(struct model *m, const struct model_wr *w)
{
	struct model_qp *qp = &m->object[w->owner].qp;
	uint32_t number = qp->attr.dest_qp_num;

	if (!m->rearmed || w->status != IBV_WC_SUCCESS)
		return;
	if (w->recv || kind_is_reliable((enum qp_kind)qp->kind))
		note_seen(qp, w);
	if (w->recv || !kind_is_reliable((enum qp_kind)qp->kind))
		return;
	for (uint16_t i = index_first(m, BY_NUMBER, number); i != NO_OBJ;
	     i = index_next(m, BY_NUMBER, i))
		note_seen(&m->object[i].qp, w);
}

/* Returns true if the peer of a queue pair in REARM or ARMED may have migrated
 * unseen. The queue pair may have followed its peer, then. */
static bool may_have_followed(struct step *s, uint16_t slot)
{
	const struct model_qp *qp = at(s, slot);

	if (migration_state(qp) == IBV_MIG_MIGRATED)
		return false;
	for (uint16_t i = first_of(s->m, SET_SENDING); i != NO_OBJ;
	     i = next_of(s->m, SET_SENDING, i))
		if (i != slot &&
		    at(s, i)->attr.dest_qp_num == qp->init.qp_num &&
		    retry_may_migrate(s, i))
			return true;
	return false;
}

void migration_lose_track(struct step *s, uint16_t slot, uint32_t mask)
{
	const struct model_qp *qp = at(s, slot);
	uint32_t path = A_PATH | A_ALT_PATH | A_PATH_MIG_STATE;
	bool ends = mask & A_STATE && qp->state != IBV_QPS_ERR &&
		    (s->b->in.qp_attr.attr.qp_state == IBV_QPS_RESET ||
		     s->b->in.qp_attr.attr.qp_state == IBV_QPS_ERR);

	if (!is_oracle(s) || !s->m->rearmed || !(ends || mask & path))
		return;
	s->m->lost_track |= retry_may_migrate(s, slot) ||
			    may_have_followed(s, slot) ||
			    (qp->mig_unseen && mask & A_PATH_MIG_STATE);
}

/* Returns true if the device has path migration for a queue pair, whose state
 * is reported although no program has set it. */
static bool reports_unasked(const struct step *s, const struct model_qp *qp)
{
	const struct cell *c =
		&qp_table()->cell[IBV_QPS_RTR][IBV_QPS_RTS][qp->kind];

	return !(qp->set & A_PATH_MIG_STATE) && qp->set & A_AV &&
	       c->optional & A_PATH_MIG_STATE &&
	       device_flag(s->d, IBV_DEVICE_AUTO_PATH_MIG) &&
	       !device_iwarp(s->d) && !on_ethernet(s, qp->port);
}

/* Defines path_mig_state after a change that the device may not have made
 * yet. Returns false if it has not. */
static bool define_unseen(struct step *s, struct model_qp *qp)
{
	uint64_t values[2] = {qp->attr.path_mig_state, qp->mig_before};
	uint64_t seen = answer_seen(s, F_path_mig_state, values[0]);
	uint64_t is = choose_value(s, ROW_VAL_MIG_MOVES, values, 2, seen);

	answer_define(s, F_path_mig_state, is, ROW_VAL_MIG_MOVES);
	qp->mig_unseen = is != values[0] || !is_oracle(s);
	return is == values[0];
}

bool migration_define_state(struct step *s, uint16_t slot)
{
	struct model_qp *qp = at(s, slot);
	uint64_t now = qp->attr.path_mig_state;
	bool same = true;

	if (reports_unasked(s, qp)) {
		record_row(s, ROW_MIG_UNASKED);
		answer_define(s, F_path_mig_state,
			      mutant_skips(s->mutant, ROW_MIG_UNASKED)
				      ? IBV_MIG_ARMED
				      : IBV_MIG_MIGRATED,
			      ROW_MIG_UNASKED);
		return true;
	}
	if (!is_known(qp, A_PATH_MIG_STATE))
		return true;
	if (answer_seen(s, F_path_mig_state, now) == IBV_MIG_MIGRATED &&
	    now == IBV_MIG_ARMED &&
	    (retry_migration_noticed(s, slot) || retry_any_migration(s)))
		return migration_define_state(s, slot);
	if (qp->mig_unseen)
		same = define_unseen(s, qp);
	else
		answer_define(s, F_path_mig_state, now,
			      qp->mig_row ? (enum row)qp->mig_row
					  : ROW_VAL_READBACK);
	return same || now != IBV_MIG_MIGRATED;
}
