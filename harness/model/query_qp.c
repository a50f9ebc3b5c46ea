/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_query_qp: what the model vouches for. An attribute counts once
 * ibv_modify_qp has set it and while nothing has made it undefined.
 */
#include "model/create.h"
#include "model/data/poll.h"
#include "model/unseen/failed_qp.h"
#include "vendor/vendor.h"

static enum row query_faults(struct step *s, uint32_t mask, struct faults *f)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	const struct vendor_ops *vendor =
		vendor_of_kind((enum qp_kind)qp->kind);

	if (vendor && vendor->judge_query)
		vendor->judge_query(s, f, qp, mask);
	if (qp->rss)
		add_fault(s, f, ROW_RSS_MODIFY);
	if (mask & ~((uint32_t)A_DEFINED | A_RESERVED))
		add_fault(s, f, ROW_QRY_UNKNOWN);
	if (mask & A_RATE_LIMIT)
		add_fault(s, f, ROW_QRY_RATE);
	if (mask & A_RESERVED)
		add_fault(s, f, ROW_QRY_RESERVED);
	return ROW_QRY_ACCEPT;
}

static uint64_t roundup_pow2(uint64_t value)
{
	uint64_t power = 1;

	while (power < value)
		power <<= 1;
	return value ? power : 0;
}

/* max_rd_atomic and max_dest_rd_atomic may be kept as powers of two. */
static void vouch_rd_atomic(struct step *s, enum field f, uint64_t value)
{
	uint64_t values[2] = {value, value ? roundup_pow2(value) : 1};
	enum row row = value ? ROW_VAL_RD_ROUND : ROW_VAL_RD_ZERO;

	if (values[0] == values[1])
		row = ROW_VAL_READBACK;
	else
		value = choose_value(s, row, values, 2,
				     answer_seen(s, f, value));
	answer_define(s, f, value, row);
}

/* Access to local memory is none of the queue pair's business. */
static void vouch_access(struct step *s, enum field f, uint64_t flags)
{
	uint64_t values[2] = {flags, flags & ~(uint64_t)IBV_ACCESS_LOCAL_WRITE};

	if (flags != values[1])
		flags = choose_value(s, ROW_VAL_LOCAL_WRITE, values, 2,
				     answer_seen(s, f, flags));
	answer_define(s, f, flags, ROW_VAL_READBACK);
}

/* Exact, or whatever the device says, which is non-strict by `row`. */
static void vouch_loosely(struct step *s, enum field f, uint64_t value,
			  enum row row)
{
	uint64_t seen = answer_seen(s, f, value);
	uint64_t values[2] = {value, seen};

	answer_define(s, f, choose_value(s, row, values, 2, seen), row);
}

_Static_assert(offsetof(struct qp_attr_args, attr) == 0,
	       "attributes are read where their fields are");

/* What a field of an attribute was set to. */
static uint64_t own_value(const struct model_qp *qp, enum field f)
{
	return field_get(f, &qp->attr);
}

/* The contested row of an address field on Ethernet, else ROW_NONE. */
static enum row roce_row(enum field f)
{
	switch (f) {
	case F_ah_dlid:
	case F_ah_sl:
	case F_ah_src_path_bits:
	case F_ah_static_rate:
		return ROW_AV_ROCE_FIELDS;
	case F_ah_hop_limit:
		return ROW_AV_HOP_LIMIT;
	case F_ah_flow_label:
		return ROW_AV_FLOW_LABEL;
	default:
		return ROW_NONE;
	}
}

static void vouch_address(struct step *s, enum field f,
			  const struct model_qp *qp,
			  const struct ibv_ah_attr *ah)
{
	enum row row = ROW_NONE;

	if (field_is_grh(f) && !ah->is_global)
		return;
	if (field_info(f)->kind == FK_GID) {
		answer_define_gid(s, f, &ah->grh.dgid, ROW_VAL_READBACK);
		return;
	}
	if (on_ethernet(s, ah->port_num))
		row = roce_row(f);
	if (row == ROW_NONE)
		answer_define(s, f, own_value(qp, f), ROW_VAL_READBACK);
	else
		vouch_loosely(s, f, own_value(qp, f), row);
}

/* A seeded fault: what is left of the retries. */
static uint64_t retries(struct step *s, enum field f, uint64_t set)
{
	bool counts = (f == F_retry_cnt || f == F_rnr_retry) && set;
	bool fewer = counts && mutant_skips(s->mutant, ROW_RETRY_QUERY) &&
		     retry_is_under_way(s->m, obj(s->m, s->b->on)->real);

	return fewer ? set - 1 : set;
}

static enum row readback_row(struct step *s, enum field f)
{
	bool retried = f == F_retry_cnt || f == F_rnr_retry;

	return retried && retry_is_under_way(s->m, obj(s->m, s->b->on)->real)
		       ? ROW_RETRY_QUERY
		       : ROW_VAL_READBACK;
}

static void vouch_attribute(struct step *s, enum field f, int bit,
			    const struct model_qp *qp)
{
	if (1u << bit == A_AV)
		vouch_address(s, f, qp, &qp->attr.ah_attr);
	else if (1u << bit == A_ALT_PATH)
		vouch_address(s, f, qp, &qp->attr.alt_ah_attr);
	else if (f == F_max_rd_atomic || f == F_max_dest_rd_atomic)
		vouch_rd_atomic(s, f, own_value(qp, f));
	else if (f == F_qp_access_flags)
		vouch_access(s, f, qp->attr.qp_access_flags);
	else if (f == F_path_mig_state)
		vouch_loosely(s, f, own_value(qp, f), ROW_VAL_MIG_MOVES);
	else
		answer_define(s, f, retries(s, f, own_value(qp, f)),
			      readback_row(s, f));
}

/* Does the queue pair have a receive queue of its own? */
static bool has_recv_queue(const struct model_qp *qp)
{
	return qp->kind != QK_XRC_SEND && qp->kind != QK_XRC_RECV &&
	       qp->init.srq == NO_OBJ;
}

static void vouch_cap(struct step *s, const struct model_qp *qp,
		      const enum field f[5])
{
	const struct ibv_qp_cap *cap = &qp->init.cap;

	if (qp->kind == QK_XRC_RECV)
		return;
	answer_define(s, f[0], cap->max_send_wr, ROW_QRY_CAP);
	answer_define(s, f[1], cap->max_send_sge, ROW_QRY_CAP);
	answer_define(s, f[2], cap->max_inline_data, ROW_QRY_CAP);
	if (!has_recv_queue(qp))
		return;
	answer_define(s, f[3], cap->max_recv_wr, ROW_QRY_CAP);
	answer_define(s, f[4], cap->max_recv_sge, ROW_QRY_CAP);
}

/* The states that the end of a connection passes through: it does not come
 * back, and RTR is none of iWARP's. */
static bool may_end_in(const struct model_qp *qp, uint64_t state)
{
	return state <= IBV_QPS_INIT ||
	       (state == IBV_QPS_RTS && qp->iwarp_ending == ENDS_UNSEEN) ||
	       (state >= IBV_QPS_SQD && state <= IBV_QPS_ERR);
}

/* IDLE has two names, and only the device knows how far an ending is. */
static void vouch_iwarp_state(struct step *s, enum field f,
			      const struct model_qp *qp)
{
	uint64_t seen = answer_seen(s, f, qp->state);

	if (qp->iwarp_ending && may_end_in(qp, seen)) {
		answer_define(s, f, seen, ROW_IWARP_ENDING);
		if (seen > IBV_QPS_RTS)
			iwarp_end_seen(s->m, obj(s->m, s->b->on)->real);
	} else if (qp->state <= IBV_QPS_INIT && seen <= IBV_QPS_INIT)
		answer_define(s, f, seen, ROW_QRY_IDLE);
	else
		answer_define(s, f, qp->state, ROW_QRY_STATE);
}

/* A handle that was opened by number; a seeded fault leaves its state at the
 * one that a fresh queue pair has. */
static void vouch_opened(struct step *s, const struct model_qp *qp)
{
	bool stale = mutant_skips(s->mutant, ROW_QRY_OPENED);

	record_row(s, ROW_QRY_OPENED);
	answer_define(s, F_qp_state, stale ? IBV_QPS_RESET : qp->state,
		      ROW_QRY_OPENED);
}

/* The state may tell before the completion does. */
static void notice_end(struct step *s, const struct model_qp *qp, uint32_t mask)
{
	if (is_oracle(s) && mask & A_STATE && qp->state != IBV_QPS_ERR &&
	    answer_seen(s, F_qp_state, qp->state) == IBV_QPS_ERR)
		retry_end_noticed(s, obj(s->m, s->b->on)->real);
}

/* A send that fails may be under way until its completion is seen, and takes
 * its queue pair out of RTS only then. */
static uint64_t shown_state(struct step *s, const struct model_qp *qp)
{
	uint64_t seen = answer_seen(s, F_qp_state, qp->state);

	if (failed_qp_may_show(qp, seen))
		return seen;
	each_wr(s->m, wr_list_at(s->m, obj(s->m, s->b->on)->real, 0), w)
	{
		if (w->stage != WR_DONE || !w->status_row || w->failure_seen ||
		    w->status == IBV_WC_SUCCESS)
			continue;
		if (seen == IBV_QPS_RTS)
			return seen;
		w->failure_seen = true;
	}
	return qp->state;
}

static void vouch_state(struct step *s, const struct model_qp *qp,
			uint32_t mask)
{
	uint64_t state;

	if (device_iwarp(s->d)) {
		if (mask & A_STATE)
			vouch_iwarp_state(s, F_qp_state, qp);
		return;
	}
	notice_end(s, qp, mask);
	state = shown_state(s, qp);
	if (mask & A_STATE && state == IBV_QPS_ERR)
		failed_qp_note_seen(s->m, obj(s->m, s->b->on)->real);
	if (mask & A_STATE && obj(s->m, s->b->on)->real != s->b->on)
		vouch_opened(s, qp);
	else if (mask & A_STATE)
		answer_define(s, F_qp_state, state,
			      broken_rule_state(s, state));
	if (mask & A_CUR_STATE)
		vouch_loosely(s, F_cur_qp_state, state, ROW_QRY_CUR_STATE);
}

/* The mask does not speak of init_attr, and its page does not either: drivers
 * report all of it each time. Capabilities are held to account where CAP asks
 * for them, signalling there and where nothing is asked for, which the cases
 * about creation's attributes do: a driver that reports them wrongly would
 * otherwise fail in every case that has a query. */
static void vouch_init(struct step *s, const struct model_qp *qp, bool opened)
{
	static const enum field cap[] = {F_max_send_wr, F_max_send_sge,
					 F_max_inline_data, F_max_recv_wr,
					 F_max_recv_sge};
	uint32_t mask = s->b->in.qp_attr.mask;

	answer_define(s, F_qp_type, qp->init.qp_type, ROW_QRY_INIT);
	if (opened || qp->kind == QK_XRC_RECV)
		return;
	answer_define(s, F_send_cq, qp->init.send_cq, ROW_QRY_INIT);
	if (qp->kind != QK_XRC_SEND) {
		answer_define(s, F_recv_cq, qp->init.recv_cq, ROW_QRY_INIT);
		answer_define(s, F_srq, qp->init.srq, ROW_QRY_INIT);
	}
	if (!kind_has_send((enum qp_kind)qp->kind))
		return;
	if (!mask || mask & A_CAP)
		answer_define(s, F_sq_sig_all, qp->init.sq_sig_all != 0,
			      ROW_QRY_INIT);
	if (mask & A_CAP)
		vouch_cap(s, qp, cap);
}

/* Those that were set and are what they were set to. */
static uint32_t kept_attributes(const struct step *s, const struct model_qp *qp)
{
	uint32_t kept = qp->set & ~qp->undefined;

	if (device_iwarp(s->d))
		kept &= A_IWARP;
	return kept & ~kind_traits((enum qp_kind)qp->kind)->unreported;
}

static void vouch_attributes(struct step *s, const struct model_qp *qp,
			     uint32_t mask)
{
	mask &= kept_attributes(s, qp);
	for (unsigned int i = 0; i < family_count(FAM_QP_ATTR); i++) {
		enum field field = (enum field)(family_first(FAM_QP_ATTR) + i);
		int bit = field_attr(field);

		if (bit >= 0 && mask & 1u << bit &&
		    attr_report(bit) == REPORT_SET)
			vouch_attribute(s, field, bit, qp);
	}
}

void do_query_qp(struct step *s)
{
	static const enum field cap[] = {F_cap_max_send_wr, F_cap_max_send_sge,
					 F_cap_max_inline_data,
					 F_cap_max_recv_wr, F_cap_max_recv_sge};
	struct model_qp *qp = qp_of(s->m, s->b->on);
	const struct vendor_ops *vendor =
		vendor_of_kind((enum qp_kind)qp->kind);
	uint32_t mask = s->b->in.qp_attr.mask;
	struct faults f = {0};
	enum out effect;
	int err;

	answer_accept(s, query_faults(s, mask, &f));
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	if (s->b->result != NO_OBJ)
		object_add(s, OBJ_QUERY);
	if (vendor && vendor->vouch_query)
		vendor->vouch_query(s, qp);
	vouch_state(s, qp, mask);
	vouch_attributes(s, qp, mask);
	if (mask & A_CAP)
		vouch_cap(s, qp, cap);
	vouch_init(s, qp, obj(s->m, s->b->on)->real != s->b->on);
}

/* The state is queried until the queue has drained. */
void do_wait_drained(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct faults f = {0};
	enum out effect;
	int err;

	query_faults(s, A_STATE, &f);
	if (qp->state != IBV_QPS_SQD)
		add_fault(s, &f, ROW_QRY_NOT_DRAINING);
	answer_accept(s, ROW_QRY_DRAINING);
	err = choose_outcome(s, &f, &effect);
	if (err)
		answer_refuse(s, s->a->row, err);
	else
		qp->maybe_draining = false;
}

/* A queue pair of the old calls, which is made, brought to a state and gone
 * again. */
void do_query_xrc_rcv_qp(struct step *s)
{
	const struct qp_attr_args *in = &s->b->in.qp_attr;
	struct model_qp qp = {.kind = QK_XRC_RECV, .attr = in->attr};
	enum out effect;

	if (s->d->old_calls != OLD_ALL) {
		answer_refuse(s, ROW_OBJ_UNSUPPORTED,
			      choose_for_row(s, ROW_OBJ_UNSUPPORTED, &effect));
		return;
	}
	if (in->attr.qp_state > IBV_QPS_RTS) {
		answer_refuse(s, ROW_QRY_XRC_RCV, EINVAL);
		return;
	}
	answer_accept(s, ROW_QRY_XRC_RCV);
	record_row(s, ROW_QRY_XRC_RCV);
	for (; qp.state < in->attr.qp_state; qp.state++)
		qp.set |= s->m->table->cell[qp.state][qp.state + 1][QK_XRC_RECV]
				  .required;
	if (mutant_skips(s->mutant, ROW_QRY_XRC_RCV))
		qp.state = IBV_QPS_RESET;
	answer_define(s, F_qp_state, qp.state, ROW_QRY_XRC_RCV);
	vouch_attributes(s, &qp, in->mask);
}

void model_qp_attributes(const struct model *m, uint16_t qp,
			 struct ibv_qp_attr *attr, struct qp_init_args *init)
{
	const struct model_qp *is = &m->object[m->object[qp].real].qp;

	*attr = is->attr;
	attr->qp_state = attr->cur_qp_state = (enum ibv_qp_state)is->state;
	attr->cap = is->init.cap;
	*init = is->init;
}
