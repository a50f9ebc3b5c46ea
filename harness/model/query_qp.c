/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_query_qp: the fields that the model promises. An attribute is promised
 * once ibv_modify_qp has set it, until something makes it undefined.
 */
#include <errno.h>
#include "model/create.h"
#include "model/data/migration.h"
#include "model/data/poll.h"
#include "model/modify.h"
#include "model/unseen/failed_qp.h"
#include "vendor/vendor.h"

static void check_query(struct step *s, struct faults *f,
			const struct model_qp *qp, uint32_t mask)
{
	const struct vendor_ops *vendor =
		vendor_of_kind((enum qp_kind)qp->kind);

	if (vendor && vendor->check_query)
		vendor->check_query(s, f, qp, mask);
	if (qp->rss)
		add_fault(s, f, ROW_RSS_MODIFY);
	if (mask & ~((uint32_t)A_DEFINED | A_RESERVED))
		add_fault(s, f, ROW_QRY_UNKNOWN);
	if (mask & A_RATE_LIMIT)
		add_fault(s, f, ROW_QRY_RATE);
	if (mask & A_RESERVED)
		add_fault(s, f, ROW_QRY_RESERVED);
}

static uint64_t roundup_pow2(uint64_t value)
{
	uint64_t power = 1;

	while (power < value)
		power <<= 1;
	return value ? power : 0;
}

/* A device may round max_rd_atomic and max_dest_rd_atomic up to a power of two.
 */
static void define_rd_atomic(struct step *s, enum field f, uint64_t value)
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

/* A device may leave out LOCAL_WRITE, which does not concern the queue pair. */
static void define_access(struct step *s, enum field f, uint64_t flags)
{
	uint64_t values[2] = {flags, flags & ~(uint64_t)IBV_ACCESS_LOCAL_WRITE};

	if (flags != values[1])
		flags = choose_value(s, ROW_VAL_LOCAL_WRITE, values, 2,
				     answer_seen(s, f, flags));
	answer_define(s, f, flags, ROW_VAL_READBACK);
}

/* Permits any value; a value other than `value` is non-strict by `row`. */
static void define_loosely(struct step *s, enum field f, uint64_t value,
			   enum row row)
{
	uint64_t seen = answer_seen(s, f, value);
	uint64_t values[2] = {value, seen};

	answer_define(s, f, choose_value(s, row, values, 2, seen), row);
}

#define ROCE_SPORT_MIN 0xc000 /* IB_ROCE_UDP_ENCAP_VALID_PORT_MIN */

/* Returns true for a UDP source port of RoCE v2. */
static bool is_udp_source(const struct step *s, uint64_t value)
{
	const struct ibv_ah_attr *ah = &s->m->object[s->b->on].qp.attr.ah_attr;
	const struct port_info *port = device_port_at(s->d, ah->port_num);
	const struct gid_entry *gid =
		port ? port_gid(port, ah->grh.sgid_index) : NULL;

	return gid && gid->type == GID_ROCE_V2 && value >= ROCE_SPORT_MIN &&
	       value <= UINT16_MAX;
}

/* A device may report the flow label, a UDP source port or 0. */
static void define_roce_label(struct step *s, enum field f, uint64_t label)
{
	uint64_t seen = answer_seen(s, f, label);
	uint64_t other = is_oracle(s) && is_udp_source(s, seen) ? seen : 0;
	uint64_t values[2] = {label, other};

	answer_define(s, f, choose_value(s, ROW_AV_FLOW_LABEL, values, 2, seen),
		      ROW_VAL_READBACK);
}

_Static_assert(offsetof(struct qp_attr_args, attr) == 0,
	       "attributes are read where their fields are");

/* Returns the value that a field was set to. */
static uint64_t set_value(const struct model_qp *qp, enum field f)
{
	return field_get(f, &qp->attr);
}

/* Returns the contested row of an address field on Ethernet, or ROW_NONE. */
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

static enum row readback_row(struct step *s, enum field f,
			     const struct model_qp *qp)
{
	bool retried = f == F_retry_cnt || f == F_rnr_retry;

	if (1u << field_attr(f) & A_PATH && qp->on_alternate)
		return ROW_MIG_PATH;
	return retried && retry_is_under_way(s->m, obj(s->m, s->b->on)->real)
		       ? ROW_RETRY_QUERY
		       : ROW_VAL_READBACK;
}

/* Seeded fault: the flow label has 16 bits. */
static uint64_t address_value(const struct step *s, enum field f,
			      const struct model_qp *qp)
{
	uint64_t value = set_value(qp, f);

	return f == F_ah_flow_label && qp->label_rtr &&
			       (qp->kind == QK_RC || qp->kind == QK_UC) &&
			       mutant_has_quirk(s->mutant, QUIRK_LABEL_QUERY)
		       ? value & 0xffff
		       : value;
}

static void define_address(struct step *s, enum field f,
			   const struct model_qp *qp,
			   const struct ibv_ah_attr *ah)
{
	enum row row = ROW_NONE;

	if (field_is_grh(f) && !ah->is_global)
		return;
	if (field_info(f)->kind == FK_GID) {
		answer_define_gid(s, f, &ah->grh.dgid, readback_row(s, f, qp));
		return;
	}
	if (on_ethernet(s, ah->port_num))
		row = roce_row(f);
	if (row == ROW_NONE)
		answer_define(s, f, address_value(s, f, qp),
			      readback_row(s, f, qp));
	else if (row == ROW_AV_FLOW_LABEL)
		define_roce_label(s, f, address_value(s, f, qp));
	else
		define_loosely(s, f, address_value(s, f, qp), row);
}

/* A seeded fault reports the retries that are left. */
static uint64_t reported_retries(struct step *s, enum field f, uint64_t set)
{
	bool counts = (f == F_retry_cnt || f == F_rnr_retry) && set;
	bool fewer = counts && mutant_skips(s->mutant, ROW_RETRY_QUERY) &&
		     retry_is_under_way(s->m, obj(s->m, s->b->on)->real);

	return fewer ? set - 1 : set;
}

/* Returns the value to report. A seeded fault keeps min_rnr_timer. */
static uint64_t reported(struct step *s, enum field f,
			 const struct model_qp *qp)
{
	if (f == F_min_rnr_timer && qp->timer_stale &&
	    mutant_has_quirk(s->mutant, QUIRK_TIMER_FIRST))
		return qp->timer_first;
	if (f == F_min_rnr_timer && qp->timer_rts &&
	    mutant_has_quirk(s->mutant, QUIRK_TIMER_RTS))
		return qp->timer_rtr;
	if (f == F_rnr_retry && mutant_has_quirk(s->mutant, QUIRK_RNR_RETRY))
		f = F_retry_cnt;
	return reported_retries(s, f, set_value(qp, f));
}

static void define_attribute(struct step *s, enum field f, int bit,
			     const struct model_qp *qp)
{
	if (1u << bit == A_AV)
		define_address(s, f, qp, &qp->attr.ah_attr);
	else if (1u << bit == A_ALT_PATH)
		define_address(s, f, qp, &qp->attr.alt_ah_attr);
	else if (f == F_max_rd_atomic || f == F_max_dest_rd_atomic)
		define_rd_atomic(s, f, set_value(qp, f));
	else if (f == F_qp_access_flags)
		define_access(s, f, qp->attr.qp_access_flags);
	else
		answer_define(s, f, reported(s, f, qp), readback_row(s, f, qp));
}

/* Returns true if the queue pair has its own receive queue. */
static bool has_recv_queue(const struct model_qp *qp)
{
	return qp->kind != QK_XRC_SEND && qp->kind != QK_XRC_RECV &&
	       qp->init.srq == NO_OBJ;
}

static void define_cap(struct step *s, const struct model_qp *qp,
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

/* Returns true for the states that an ending connection passes through. RTS
 * counts only if the end was not seen yet. iWARP has no RTR. */
static bool may_end_in(const struct model_qp *qp, uint64_t state)
{
	return state <= IBV_QPS_INIT ||
	       (state == IBV_QPS_RTS && qp->iwarp_ending == ENDS_UNSEEN) ||
	       (state >= IBV_QPS_SQD && state <= IBV_QPS_ERR);
}

/* RESET and INIT are both IDLE, and only the device knows how far an ending
 * connection is. */
static void define_iwarp_state(struct step *s, enum field f,
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

/* Defines the state for a handle from ibv_open_qp(). A seeded fault reports
 * RESET, the state of a new queue pair. */
static void define_opened(struct step *s, const struct model_qp *qp)
{
	bool stale = mutant_skips(s->mutant, ROW_QRY_OPENED);

	record_row(s, ROW_QRY_OPENED);
	answer_define(s, F_qp_state, stale ? IBV_QPS_RESET : qp->state,
		      ROW_QRY_OPENED);
}

/* For an oracle that sees ERR: lets a waiting send fail. The state may show the
 * failure before the completion does. */
static void notice_end(struct step *s, const struct model_qp *qp, uint32_t mask)
{
	if (is_oracle(s) && mask & A_STATE && qp->state != IBV_QPS_ERR &&
	    answer_seen(s, F_qp_state, qp->state) == IBV_QPS_ERR)
		retry_end_noticed(s, obj(s->m, s->b->on)->real);
}

/* Returns the state to expect. A failed send may be under way until its
 * completion is polled, so the queue pair may still be in RTS. */
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

static void define_state(struct step *s, const struct model_qp *qp,
			 uint32_t mask)
{
	uint64_t state;

	if (device_iwarp(s->d)) {
		if (mask & A_STATE)
			define_iwarp_state(s, F_qp_state, qp);
		return;
	}
	notice_end(s, qp, mask);
	if (mask == A_STATE && mutant_has_quirk(s->mutant, QUIRK_STATE_TOLD)) {
		answer_define(s, F_qp_state, qp->asked_state, ROW_QRY_STATE);
		return;
	}
	state = shown_state(s, qp);
	if (mask & A_STATE && state == IBV_QPS_ERR)
		failed_qp_note_seen(s->m, obj(s->m, s->b->on)->real);
	if (mask & A_STATE && obj(s->m, s->b->on)->real != s->b->on)
		define_opened(s, qp);
	else if (mask & A_STATE)
		answer_define(s, F_qp_state, state,
			      broken_rule_state(s, state));
	if (mask & A_CUR_STATE)
		define_loosely(s, F_cur_qp_state, state, ROW_QRY_CUR_STATE);
}

/* sq_draining is certain if the program waited until it was 0, and if a send
 * is under way that cannot have ended. */
static void define_draining(struct step *s, const struct model_qp *qp,
			    uint32_t mask)
{
	uint16_t slot = obj(s->m, s->b->on)->real;
	bool under_way;

	if (!(mask & A_STATE) || qp->state != IBV_QPS_SQD ||
	    device_iwarp(s->d) || !kind_has_send((enum qp_kind)qp->kind))
		return;
	under_way = retry_is_under_way(s->m, slot);
	if (under_way ? is_oracle(s) && retry_ways_to_end(s, slot)
		      : qp->maybe_draining && is_oracle(s))
		return;
	answer_define(s, F_sq_draining, under_way, ROW_QRY_DRAINING);
}

/* ibv_query_qp(3) does not say that the mask limits init_attr, and drivers
 * report all of it each time. Capabilities are promised if the mask has CAP.
 * sq_sig_all is promised with CAP or with an empty mask, as in the cases about
 * creation: else a driver that reports it wrongly would fail in every case with
 * a query. */
static void define_init(struct step *s, const struct model_qp *qp, bool opened)
{
	static const enum field cap[] = {F_max_send_wr, F_max_send_sge,
					 F_max_inline_data, F_max_recv_wr,
					 F_max_recv_sge};
	uint32_t mask = s->b->in.qp_attr.mask;
	bool failed = qp->state == IBV_QPS_ERR && qp->set & A_SQ_PSN;
	bool forgets =
		qp->init.srq != NO_OBJ &&
		(mutant_has_quirk(s->mutant, QUIRK_SIGNAL_SRQ) ||
		 (failed && mutant_has_quirk(s->mutant, QUIRK_SIGNAL_ERR)));

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
		answer_define(s, F_sq_sig_all,
			      qp->init.sq_sig_all != 0 && !forgets,
			      ROW_QRY_INIT);
	if (mask & A_CAP)
		define_cap(s, qp, cap);
}

/* Returns the attributes that were set and still hold what they were set to. */
static uint32_t kept_attributes(const struct step *s, const struct model_qp *qp)
{
	uint32_t kept = qp->set & ~qp->undefined;

	if (device_iwarp(s->d))
		kept &= A_IWARP;
	return kept & ~kind_traits((enum qp_kind)qp->kind)->unreported;
}

static void define_attributes(struct step *s, const struct model_qp *qp,
			      uint32_t mask)
{
	mask &= kept_attributes(s, qp) & ~(uint32_t)A_PATH_MIG_STATE;
	for (unsigned int i = 0; i < family_count(FAM_QP_ATTR); i++) {
		enum field field = (enum field)(family_first(FAM_QP_ATTR) + i);
		int bit = field_attr(field);

		if (bit >= 0 && mask & 1u << bit &&
		    attr_report(bit) == REPORT_SET)
			define_attribute(s, field, bit, qp);
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

	answer_accept(s, ROW_QRY_ACCEPT);
	check_query(s, &f, qp, mask);
	err = choose_outcome(s, &f, &effect);
	if (seeded_target_ended(s, qp))
		err = EINVAL;
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	if (s->b->result != NO_OBJ) {
		object_add(s, OBJ_QUERY);
		qp = qp_of(s->m, s->b->on); /* its first handle may be gone */
	}
	if (vendor && vendor->define_query)
		vendor->define_query(s, qp);
	if (mask & A_PATH_MIG_STATE &&
	    !migration_define_state(s, obj(s->m, s->b->on)->real))
		mask &= ~(uint32_t)A_PATH;
	define_state(s, qp, mask);
	define_draining(s, qp, mask);
	define_attributes(s, qp, mask);
	if (mask == A_CAP && mutant_has_quirk(s->mutant, QUIRK_CAP_ALONE))
		for (size_t i = 0; i < COUNT(cap); i++)
			answer_define(s, cap[i], 0, ROW_QRY_CAP);
	else if (mask & A_CAP)
		define_cap(s, qp, cap);
	define_init(s, qp, obj(s->m, s->b->on)->real != s->b->on);
}

/* The step that queries the state until the send queue has drained. */
void do_wait_drained(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct faults f = {0};
	enum out effect;
	int err;

	check_query(s, &f, qp, A_STATE);
	if (qp->state != IBV_QPS_SQD ||
	    retry_is_under_way(s->m, obj(s->m, s->b->on)->real))
		add_fault(s, &f, ROW_QRY_NOT_DRAINING);
	answer_accept(s, ROW_QRY_DRAINING);
	err = choose_outcome(s, &f, &effect);
	if (err)
		answer_refuse(s, s->a->row, err);
	else
		qp->maybe_draining = false;
}

/* Moves the queue pair of a step to the state that the step names, with the
 * attributes that each transition requires, and queries it. Returns the errno
 * of a refusal, or 0. */
static int bring_up_and_query(struct step *s, struct model_qp *qp)
{
	uint8_t to = (uint8_t)qp->attr.qp_state;
	struct faults f = {0};
	enum out effect;

	for (; qp->state < to; qp->state++)
		qp->set |= s->m->table->cell[qp->state][qp->state + 1][qp->kind]
				   .required;
	qp->port = qp->attr.port_num;
	check_attributes(s, &f, qp, qp->set);
	check_query(s, &f, qp, s->b->in.qp_attr.mask);
	return choose_outcome(s, &f, &effect);
}

/* ibv_query_xrc_rcv_qp: the step creates a queue pair by the old calls, moves
 * it to a state, queries and unregisters it, and queries its number again. The
 * step returns OLD_STILL_THERE if that succeeds. */
void do_query_xrc_rcv_qp(struct step *s)
{
	const struct qp_attr_args *in = &s->b->in.qp_attr;
	struct model_qp qp = {.kind = QK_XRC_RECV, .attr = in->attr};
	enum out effect;
	int err;

	if (s->d->old_calls != OLD_ALL) {
		answer_refuse(s, ROW_OBJ_UNSUPPORTED,
			      choose_for_row(s, ROW_OBJ_UNSUPPORTED, &effect));
		return;
	}
	if (in->attr.qp_state > IBV_QPS_RTS) {
		answer_refuse(s, ROW_QRY_XRC_RCV, EINVAL);
		return;
	}
	err = bring_up_and_query(s, &qp);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	answer_accept(s, s->seen_error == OLD_STILL_THERE ? ROW_QRY_XRC_GONE
							  : ROW_QRY_XRC_RCV);
	record_row(s, ROW_QRY_XRC_RCV);
	record_row(s, ROW_QRY_XRC_GONE);
	if (mutant_skips(s->mutant, ROW_QRY_XRC_GONE)) {
		s->a->outcome.ret = OLD_STILL_THERE;
		return;
	}
	if (mutant_skips(s->mutant, ROW_QRY_XRC_RCV))
		qp.state = IBV_QPS_RESET;
	if (in->mask & IBV_QP_STATE)
		answer_define(s, F_qp_state, qp.state, ROW_QRY_XRC_RCV);
	define_attributes(s, &qp, in->mask);
}

void model_qp_attributes(struct model *m, uint16_t qp, struct ibv_qp_attr *attr,
			 struct qp_init_args *init)
{
	uint16_t slot = m->object[qp].real;
	const struct model_qp *is = &m->object[slot].qp;

	*attr = is->attr;
	attr->sq_draining =
		is->state == IBV_QPS_SQD && retry_is_under_way(m, slot);
	attr->qp_state = attr->cur_qp_state = (enum ibv_qp_state)is->state;
	attr->cap = is->init.cap;
	*init = is->init;
}
