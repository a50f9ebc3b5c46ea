// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What a send waits for: no queue pair answers, the PSN does not fit, or the
 * peer has no receive. Tells how such a send ends, when, and when at the
 * latest. The model has no clock: time is what a poll says that it waits.
 */
#include "model/data/packet.h"
#include "model/data/deliver.h"
#include "model/data/migration.h"
#include "model/unseen/retry_time.h"
#include "model/vendor.h"

#define SLACK_MS 1000 /* a device may take so much longer */

/* Finds the P_Key of a queue pair. Returns false if it is not known. */
static bool pkey_of(const struct model *m, uint16_t slot, uint16_t *pkey)
{
	const struct model_qp *qp = &m->object[slot].qp;

	return port_pkey(&home_of(m, slot)->port[qp->port - 1],
			 qp->attr.pkey_index, pkey);
}

bool retry_same_partition(const struct model *m, uint16_t a, uint16_t b)
{
	uint16_t one, two;

	if (!pkey_of(m, a, &one) || !pkey_of(m, b, &two))
		return true;
	return pkeys_match(one, two);
}

uint32_t retry_carried_qkey(const struct model_wr *w, const struct model_qp *qp)
{
	return w->remote_qkey >> 31 ? qp->attr.qkey : w->remote_qkey;
}

int32_t retry_psn_ahead(const struct model_qp *qp, const struct model_qp *peer)
{
	uint32_t ahead = (qp->attr.sq_psn - peer->attr.rq_psn) & 0xffffff;

	if (qp->kind != QK_RC && qp->kind != QK_XRC_SEND)
		return 0; /* unreliable types accept any PSN */
	return ahead < 0x800000 ? (int32_t)ahead : (int32_t)ahead - 0x1000000;
}

const struct model_qp *retry_sender(const struct model *m,
				    const struct model_wr *w)
{
	return &m->object[w->owner].qp;
}

/* A seeded fault counts a request among those that its own fence waits for. */
static bool waits_for_itself(const struct model *m, const struct model_wr *w)
{
	return w->fenced && opcode_takes_resources(opcode_of(w->opcode)) &&
	       mutant_has_quirk(m->mutant, QUIRK_FENCED_RETRY);
}

bool retry_waits_forever(const struct model *m, const struct model_wr *w)
{
	return w->waits_for == WAITS_UNDEFINED ||
	       (w->waits_for == WAITS_ANSWER &&
		(!retry_sender(m, w)->attr.timeout || waits_for_itself(m, w)));
}

bool retry_blocks(const struct model *m, const struct model_wr *w,
		  const struct opcode *op, uint16_t peer)
{
	const struct model_qp *qp = retry_sender(m, w);

	if (opcode_takes_resources(op) && !qp->attr.max_rd_atomic)
		return true;
	return peer == NO_OBJ || retry_psn_ahead(qp, &m->object[peer].qp);
}

/* Returns why a send waits. peer NO_OBJ: no queue pair answers. */
static enum wait_reason
find_wait_reason(const struct model *m, const struct model_wr *w, uint16_t peer)
{
	const struct model_qp *qp = retry_sender(m, w);
	const struct opcode *op = opcode_of(w->opcode);
	int32_t ahead;

	if (w->waits_row != ROW_NONE)
		return WAITS_UNDEFINED;
	if (retry_waits_forever(m, w) || peer == NO_OBJ)
		return WAITS_ANSWER;
	ahead = retry_psn_ahead(qp, &m->object[peer].qp);
	if (ahead)
		return ahead > 0 ? WAITS_SEQUENCE : WAITS_DUPLICATE;
	if (op && opcode_takes_resources(op))
		return WAITS_RESOURCES;
	return WAITS_RECEIVE;
}

bool retry_is_over(const struct model *m, const struct model_wr *w,
		   uint16_t peer, bool receives)
{
	enum wait_reason now = find_wait_reason(m, w, peer);

	if (now == WAITS_RESOURCES)
		return retry_sender(m, w)->attr.max_rd_atomic;
	return now != w->waits_for || (now == WAITS_RECEIVE && receives);
}

enum row retry_row(const struct model *m, const struct model_wr *w)
{
	enum row row =
		vendor_unanswered((enum qp_kind)retry_sender(m, w)->kind);
	static const enum row rows[] = {
		[WAITS_NOT] = ROW_POLL_NONE,
		[WAITS_RECEIVE] = ROW_RETRY_RNR,
		[WAITS_ANSWER] = ROW_RETRY_ANSWER,
		[WAITS_SEQUENCE] = ROW_RETRY_SEQUENCE,
		[WAITS_DUPLICATE] = ROW_RETRY_DUPLICATE,
		[WAITS_RESOURCES] = ROW_POLL_NONE,
	};

	if (w->waits_for == WAITS_UNDEFINED)
		return (enum row)w->waits_row;
	if (w->waits_for == WAITS_ANSWER && row != ROW_NONE)
		return row;
	return rows[w->waits_for];
}

/* The longest time that min_rnr_timer can say, for one try. A device may wait
 * longer. */
#define RNR_MS 656

/* Devices use this `timeout` in place of a shorter one. */
#define TIMEOUT_FLOOR 16

/* Returns how long a device tries to get an answer. One try takes up to four
 * times what `timeout` says, which is 4.096 us times a power of two. */
static uint64_t answer_ms(const struct ibv_qp_attr *attr, uint8_t timeout)
{
	return ((UINT64_C(4096) << timeout) * 4 * (attr->retry_cnt + 1u)) /
	       1000000;
}

/* Returns how long a send is tried at least: timers may be longer than was
 * asked for, not shorter. Among the RNR timers only the longest, min_rnr_timer
 * 0, is long enough to be told from a slow machine. */
static uint64_t least_ms(const struct model *m, const struct model_wr *w,
			 uint16_t peer)
{
	const struct ibv_qp_attr *attr = &retry_sender(m, w)->attr;

	if (w->waits_for == WAITS_ANSWER)
		return answer_ms(attr, attr->timeout) / 4;
	if (w->waits_for == WAITS_RECEIVE && peer != NO_OBJ &&
	    !m->object[peer].qp.attr.min_rnr_timer)
		return attr->rnr_retry * UINT64_C(655);
	return 0;
}

void retry_note_duplicate(struct model *m, const struct model_wr *w)
{
	m->object[w->owner].qp.duplicates += packet_count(m, w);
}

#define HALF_OF_PSNS 0x800000

/* Returns true if packets of this queue lie on both sides of the expected PSN,
 * or of the PSN that is half of all away from it. The responder takes some of
 * them for new requests and others for duplicates, which the model does not
 * follow. */
static bool changes_sides(struct model *m, const struct model_wr *w,
			  uint16_t peer)
{
	struct model_qp *qp = &m->object[w->owner].qp;
	int64_t at = retry_psn_ahead(qp, &m->object[peer].qp);
	const bool behind = at < 0;

	at += qp->duplicates;
	each_wr(m, wr_list_at(m, w->owner, 0), sent)
	{
		if (sent->stage == WR_POSTED)
			at += packet_count(m, sent);
	}
	return behind ? at > 0 : at > HALF_OF_PSNS;
}

void retry_note_wait(struct step *s, struct model_wr *w, uint16_t peer)
{
	w->waits_for = (uint8_t)find_wait_reason(s->m, w, peer);
	if (w->waits_for == WAITS_DUPLICATE || w->waits_for == WAITS_SEQUENCE)
		s->m->lost_track |= changes_sides(s->m, w, peer);
	w->migrated = false;
	w->least_ms = (uint32_t)least_ms(s->m, w, peer);
	record_row(s, retry_row(s->m, w));
	record_row(s, ROW_RETRY_QUERY);
	if (w->least_ms)
		record_row(s, ROW_RETRY_PATIENT);
	if (w->waits_for == WAITS_ANSWER &&
	    retry_sender(s->m, w)->attr.retry_cnt == 7)
		record_row(s, ROW_RETRY_SEVEN);
}

/* Adds the time in which a device tries to get an answer. */
static void add_answer(struct retry_end *e, const struct ibv_qp_attr *attr)
{
	uint8_t floor =
		attr->timeout < TIMEOUT_FLOOR ? TIMEOUT_FLOOR : attr->timeout;

	e->latest = e->ms + answer_ms(attr, floor);
	e->ms += answer_ms(attr, attr->timeout);
}

/* Finds how the retries on one path end. Returns false if they never do. */
static bool find_timeout_of_path(const struct model *m,
				 const struct model_wr *w, struct retry_end *e)
{
	const struct ibv_qp_attr *attr = &retry_sender(m, w)->attr;

	*e = (struct retry_end){
		.status = IBV_WC_RETRY_EXC_ERR,
		.row = retry_row(m, w),
		.certain = true,
		.any = row_is_vendors(retry_row(m, w)),
		.ms = SLACK_MS,
	};
	switch ((enum wait_reason)w->waits_for) {
	case WAITS_RECEIVE:
		e->status = IBV_WC_RNR_RETRY_EXC_ERR;
		e->ms += (uint64_t)attr->rnr_retry * RNR_MS;
		e->latest = e->ms;
		return attr->rnr_retry != 7;
	case WAITS_ANSWER:
		add_answer(e, attr);
		e->certain = attr->retry_cnt != 7;
		if (!e->certain)
			e->row = ROW_RETRY_SEVEN;
		return !retry_waits_forever(m, w);
	case WAITS_SEQUENCE:
		add_answer(e, attr);
		e->certain = attr->retry_cnt != 7 && attr->timeout;
		return true;
	case WAITS_DUPLICATE:
		e->certain = false;
		return true;
	case WAITS_RESOURCES:
		e->certain = false;
		e->row = ROW_RETRY_ANSWER;
		return true;
	case WAITS_UNDEFINED:
		e->certain = false;
		return true;
	case WAITS_NOT:
		break;
	}
	return false;
}

bool retry_find_timeout(const struct model *m, const struct model_wr *w,
			struct retry_end *e)
{
	const struct model_qp *qp = retry_sender(m, w);
	const struct ibv_qp_attr *attr = &qp->attr;

	if (!find_timeout_of_path(m, w, e))
		return false;
	if (e->status != IBV_WC_RETRY_EXC_ERR || !attr->timeout ||
	    migration_state(qp) != IBV_MIG_ARMED ||
	    mutant_skips(m->mutant, ROW_MIG_FAILING))
		return true;
	e->migrates = true;
	e->certain &= attr->alt_timeout != 0;
	e->latest += answer_ms(attr, attr->alt_timeout < TIMEOUT_FLOOR
					     ? TIMEOUT_FLOOR
					     : attr->alt_timeout);
	return true;
}

/* Finds how a send whose memory is gone ends: when it is tried again or given
 * up. */
static bool find_failed_retry(const struct model *m, const struct model_wr *w,
			      struct retry_end *e)
{
	const struct ibv_qp_attr *attr = &retry_sender(m, w)->attr;

	*e = (struct retry_end){
		.status = IBV_WC_LOC_PROT_ERR,
		.row = (enum row)w->status_row,
		.certain = w->waits_for == WAITS_RECEIVE || attr->timeout,
		.any = true,
		.ms = SLACK_MS + RNR_MS,
	};
	add_answer(e, attr);
	return true;
}

bool retry_find_end(const struct model *m, const struct model_wr *w,
		    struct retry_end *e)
{
	return w->fails_on_retry ? find_failed_retry(m, w, e)
				 : retry_find_timeout(m, w, e);
}

bool retry_fails_later(struct step *s, struct model_wr *w)
{
	w->fails_on_retry =
		w->waits_for && choose_hidden(s, ROW_RETRY_RUINED) == OUT_NO_WC;
	return w->fails_on_retry;
}
