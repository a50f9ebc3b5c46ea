/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the rule that a wrong completion, event or state breaks. It looks at
 * the request that the completion names, and at other requests that may be the
 * cause.
 */
#include "contract/opcodes.h"
#include "model/data/poll.h"

/* Returns true if a send fails, or would, before anything leaves the device. */
static bool is_local(const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);

	return !op || op->local || w->status_row == ROW_POLL_OPCODE ||
	       (w->status_row >= ROW_LOCAL_KEY &&
		w->status_row <= ROW_LOCAL_RIGHT);
}

/* Returns the row by which a send has failed, or will fail, for a fault of its
 * own. */
static enum row own_fault(const struct model *m, const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);
	enum access access = ACCESS_FINE;

	if (w->stage == WR_DONE && w->any_error && is_local(w))
		return (enum row)w->status_row;
	if (w->stage != WR_POSTED)
		return ROW_NONE;
	if (w->illegal || !op)
		return (enum row)w->status_row;
	if (w->copy == NO_OBJ)
		access =
			access_local(m, w->owner, &w->data, opcode_fetches(op));
	return access == ACCESS_FINE
		       ? ROW_NONE
		       : (enum row)(ROW_LOCAL_KEY + (access - ACCESS_KEY));
}

/* Returns the row by which a request behind this send fails for a fault of its
 * own, else `usual`. A faulty device may flush this send as well. */
static enum row fault_behind(struct model *m, const struct model_wr *w,
			     enum row usual)
{
	enum row row = ROW_NONE;

	for (w = wr_after(m, w); w && row == ROW_NONE; w = wr_after(m, w))
		row = own_fault(m, w);
	return row == ROW_NONE ? usual : row;
}

/* Returns true if a send of queue pair `from` may be for queue pair `to`. */
static bool may_send_to(const struct model *m, uint16_t from, uint16_t to)
{
	const struct model_qp *qp = &m->object[from].qp;

	return to == NO_OBJ || qp->kind == QK_UD ||
	       kind_is_vendors((enum qp_kind)qp->kind) ||
	       qp->attr.dest_qp_num == m->object[to].qp.init.qp_num;
}

/* Returns the row that the first refused or dropped send of a queue pair would
 * break by completing, else `usual`. */
static enum row discarded_row(struct model *m, uint16_t qp, enum row usual)
{
	each_wr(m, wr_list_at(m, qp, 0), w)
	{
		if (w->stage == WR_DISCARDED)
			return (enum row)w->optional_row;
	}
	return usual;
}

/* Returns the row of a refused or dropped send that may have come to queue pair
 * `to` and taken a receive there, else `usual`. */
static enum row discarded_row_of_peers(struct model *m, uint16_t to,
				       enum row usual)
{
	enum row row = usual;

	for (uint16_t qp = first_of(m, OBJ_QP); qp != NO_OBJ && row == usual;
	     qp = next_of(m, OBJ_QP, qp))
		if (may_send_to(m, qp, to))
			row = discarded_row(m, qp, usual);
	return row;
}

enum row broken_rule_missing(const struct step *s, const struct model_wr *w)
{
	if (s->m->object[w->owner].qp.on_alternate)
		return ROW_MIG_MESSAGE;
	return w->recv ? discarded_row_of_peers(s->m, w->owner, ROW_POLL_EACH)
		       : discarded_row(s->m, w->owner, ROW_POLL_EACH);
}

enum row broken_rule_state(const struct step *s, uint64_t state)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);

	if (state == IBV_QPS_ERR && qp->stopped_row != ROW_NONE)
		return (enum row)qp->stopped_row;
	if (!is_oracle(s) || state == IBV_QPS_ERR ||
	    answer_seen(s, F_qp_state, state) != IBV_QPS_ERR)
		return ROW_QRY_STATE;
	return discarded_row_of_peers(s->m, obj(s->m, s->b->on)->real,
				      ROW_QRY_STATE);
}

/* Returns true for a status that has nothing to do with the other end. */
static bool is_local_status(uint32_t status)
{
	return status == IBV_WC_WR_FLUSH_ERR || status == IBV_WC_LOC_LEN_ERR ||
	       status == IBV_WC_LOC_QP_OP_ERR || status == IBV_WC_LOC_PROT_ERR;
}

static bool is_zero_based(const struct model *m, uint16_t slot)
{
	return slot < m->top && m->object[slot].kind == OBJ_MR &&
	       m->object[slot].mr.from_zero;
}

/* Returns true if a request names the bytes of a region with ZERO_BASED. A
 * device that looks for these bytes at the address of the region breaks one
 * rule, whatever the status then is. */
static bool is_at_zero(const struct model *m, const struct model_wr *w)
{
	return is_zero_based(m, w->data.mr) || is_zero_based(m, w->remote);
}

enum row broken_rule_status(const struct step *s, unsigned int n,
			    const struct model_wr *w, enum row usual)
{
	uint32_t seen;

	if (!is_oracle(s) || n >= seen_wc_count(s))
		return usual;
	seen = seen_wc(s, n)->status;
	if (seen != w->status && is_at_zero(s->m, w))
		return ROW_DATA_ZERO_BASED;
	if (w->recv && w->status == IBV_WC_WR_FLUSH_ERR &&
	    seen == IBV_WC_SUCCESS)
		return discarded_row_of_peers(s->m, w->owner, usual);
	if (!w->recv && w->status == IBV_WC_SUCCESS &&
	    seen == IBV_WC_WR_FLUSH_ERR)
		return window_is_optional(s->m, w)
			       ? ROW_INV_UC
			       : fault_behind(s->m, w, usual);
	if (!w->recv && w->by_setter && is_local_status(seen) && !is_local(w))
		return ROW_WR_SET;
	return usual;
}

/* Returns the row that a completion breaks whose request is still
 * outstanding. */
static enum row outstanding_row(const struct step *s, const struct model_wr *w,
				uint32_t status)
{
	if (w->recv)
		return discarded_row_of_peers(s->m, w->owner, ROW_POLL_NONE);
	if (status != IBV_WC_SUCCESS && is_at_zero(s->m, w))
		return ROW_DATA_ZERO_BASED;
	if (w->by_setter && is_local_status(status))
		return ROW_WR_SET;
	if (status == IBV_WC_WR_FLUSH_ERR)
		return fault_behind(s->m, w, retry_untimely_row(s, w));
	return retry_untimely_row(s, w);
}

enum row broken_rule_untimely(const struct step *s, unsigned int n)
{
	enum row row = ROW_NONE;

	if (!is_oracle(s) || n >= seen_wc_count(s))
		return ROW_NONE;
	for (uint16_t i = 0; i < s->m->top; i++)
		for (int recv = 0; recv < 2; recv++)
			each_wr(s->m, wr_list_at(s->m, i, recv), w)
			{
				if (w->wr_id != seen_wc(s, n)->wr_id ||
				    w->stage == WR_STRAY)
					continue;
				if (w->stage == WR_BUILT)
					return ROW_WR_BEFORE;
				if (w->stage == WR_DISCARDED)
					return (enum row)w->optional_row;
				if (w->stage == WR_DONE)
					return ROW_NONE;
				row = outstanding_row(s, w,
						      seen_wc(s, n)->status);
			}
	return row;
}

bool fails_by_choice(const struct model_wr *w)
{
	return w->status_row && w->status != IBV_WC_SUCCESS &&
	       rule((enum row)w->status_row)->strength == MAY;
}

typedef bool about_fn(const struct model *m, const struct model_wr *w,
		      uint16_t what);

/* Returns the row of the first send that failed by choice and for which
 * `is_about` returns true; else `usual`. Nobody has seen the send fail, so that
 * the device may have chosen otherwise. */
static enum row permitted_failure_row(const struct step *s, about_fn *is_about,
				      uint16_t what, enum row usual)
{
	for (uint16_t i = 0; i < s->m->top && is_oracle(s); i++)
		each_wr(s->m, wr_list_at(s->m, i, 0), w)
		{
			if (w->stage == WR_DONE && fails_by_choice(w) &&
			    is_about(s->m, w, what))
				return (enum row)w->status_row;
		}
	return usual;
}

static bool is_any(const struct model *m, const struct model_wr *w,
		   uint16_t what)
{
	(void)m;
	(void)w;
	(void)what;
	return true;
}

static bool reaches_region(const struct model *m, const struct model_wr *w,
			   uint16_t mr)
{
	(void)m;
	return w->data.mr == mr || w->data.part.mr == mr || w->remote == mr;
}

static bool stops_queue_pair(const struct model *m, const struct model_wr *w,
			     uint16_t qp)
{
	return w->owner == qp || may_send_to(m, w->owner, qp);
}

enum row broken_rule_event(const struct step *s, enum row usual)
{
	return permitted_failure_row(s, is_any, NO_OBJ, usual);
}

enum row broken_rule_bytes(const struct step *s, uint16_t mr, enum row usual)
{
	return permitted_failure_row(s, reaches_region, mr, usual);
}

enum row broken_rule_qp(const struct step *s, uint16_t qp, enum row usual)
{
	return permitted_failure_row(s, stops_queue_pair, qp, usual);
}
