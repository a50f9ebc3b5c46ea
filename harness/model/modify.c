/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_qp: the checks in the order of the layers (the mask in libibverbs,
 * uverbs, the core's address checks, the transition table, values), and the
 * transition itself.
 */
#include <errno.h>
#include "contract/qp_fields.h"
#include "model/data/migration.h"
#include "model/data/seeded.h"
#include "model/events/events.h"
#include "model/modify.h"
#include "model/raw/looped.h"
#include "model/unseen/failed_qp.h"

/* Adds faults for mask bits that no command carries. Returns the mask without
 * them. */
uint32_t check_mask_bits(struct step *s, struct faults *f,
			 const struct model_qp *qp)
{
	uint32_t mask = s->b->in.qp_attr.mask;

	if (mask & ~((uint32_t)A_DEFINED | A_RESERVED))
		add_fault(s, f, ROW_MASK_UNKNOWN);
	if (mask & A_RESERVED)
		add_fault(s, f, ROW_MASK_RESERVED);
	mask &= A_DEFINED;
	if ((mask & A_RATE_LIMIT) &&
	    !device_paces(s->d, (enum qp_kind)qp->kind)) {
		add_fault(s, f, ROW_MASK_RATE);
		mask &= ~(uint32_t)A_RATE_LIMIT;
	}
	return mask;
}

static bool is_port(const struct step *s, enum field f, unsigned int port)
{
	uint64_t ports = (uint64_t)s->d->nports;

	if (port < 1)
		return mutant_accepts_low(s->mutant, f);
	return port <= mutant_limit(s->mutant, f, port, ports);
}

/* Checks the ports of an address vector as uverbs does. */
static void check_av_port(struct step *s, struct faults *f,
			  const struct model_qp *qp, uint32_t mask)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;

	if (!is_port(s, F_ah_port_num, in->ah_attr.port_num)) {
		add_fault(s, f, ROW_AV_PORT);
		return;
	}
	if ((mask & A_STATE) && in->qp_state == IBV_QPS_RTR) {
		if (in->ah_attr.port_num != qp->port)
			add_fault(s, f, ROW_AV_PORT_RTR);
		return;
	}
	if ((mask & A_PORT) && in->port_num != in->ah_attr.port_num)
		add_fault(s, f, ROW_AV_PORT_PAIR);
}

static void check_alt_port(struct step *s, struct faults *f)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;

	if (!is_port(s, F_alt_port_num, in->alt_port_num) ||
	    in->alt_ah_attr.port_num != in->alt_port_num)
		add_fault(s, f, ROW_ALT_PORT);
}

static uint32_t check_uverbs(struct step *s, struct faults *f,
			     const struct model_qp *qp, uint32_t mask)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;

	if ((mask & A_PORT) && !is_port(s, F_port_num, in->port_num))
		add_fault(s, f, ROW_VAL_PORT);
	if (mask & A_AV)
		check_av_port(s, f, qp, mask);
	if (mask & A_ALT_PATH)
		check_alt_port(s, f);
	if ((mask & A_STATE) && (unsigned int)in->qp_state >= STATE_NR)
		add_fault(s, f, ROW_STATE_RANGE);
	if ((mask & A_CUR_STATE) && (unsigned int)in->cur_qp_state >= STATE_NR)
		add_fault(s, f, ROW_CUR_RANGE);
	if ((mask & A_QKEY) && in->qkey & 0x80000000u)
		add_fault(s, f, ROW_VAL_QKEY);
	return uverbs_mask((enum qp_kind)qp->kind, (int)in->qp_state, mask);
}

/* Adds the rows that a transition violates, though the table allows it, because
 * of what happened to the queue pair before. */
static void check_move(struct step *s, struct faults *f,
		       const struct model_qp *qp, int to, uint32_t mask)
{
	/* A driver may keep the rate until RTS and only then look at it. */
	if (qp->bad_rate && to == IBV_QPS_RTS && !(mask & A_RATE_LIMIT))
		add_fault(s, f, ROW_VAL_RATE);
	if (qp->state == IBV_QPS_RESET && to == IBV_QPS_INIT &&
	    qp->after_idle_reset)
		add_fault(s, f, ROW_RESET_TO_RESET);
	if (qp->state == IBV_QPS_SQD && qp->maybe_draining && to != IBV_QPS_ERR)
		add_fault(s, f, ROW_SQD_DRAINING);
}

bool table_allows(const struct step *s, const struct model_qp *qp, int from,
		  int to, uint32_t mask)
{
	return table_judge(s->m->table, (enum qp_kind)qp->kind, from, to, mask,
			   NULL, NULL) == TABLE_OK;
}

/*
 * The program claims a false cur_qp_state. A device may believe the claim or
 * use the real state. If both would refuse, the refusal is not contested.
 */
static void check_false_state(struct step *s, struct faults *f,
			      const struct model_qp *qp, int claimed, int to,
			      uint32_t mask)
{
	int believed = mask & A_STATE ? to : claimed;

	if (table_allows(s, qp, claimed, believed, mask) ||
	    table_allows(s, qp, qp->state, to, mask))
		add_fault(s, f, ROW_CUR_LIE);
	else
		add_fault(s, f,
			  table_row(s->m->table, (enum qp_kind)qp->kind,
				    claimed, believed, mask));
}

/* The table has no rows for states that do not exist. */
static bool states_exist(const struct qp_attr_args *in)
{
	bool to = !(in->mask & A_STATE) ||
		  (unsigned int)in->attr.qp_state < STATE_NR;
	bool cur = !(in->mask & A_CUR_STATE) ||
		   (unsigned int)in->attr.cur_qp_state < STATE_NR;

	return to && cur;
}

/* The vendor's table is read for the real state, whatever the mask claims. */
static void check_vendors_table(struct step *s, struct faults *f,
				const struct model_qp *qp, int to,
				uint32_t mask)
{
	enum row row = table_row(s->m->table, (enum qp_kind)qp->kind, qp->state,
				 to, mask);

	if (row == ROW_MOD_ACCEPT)
		return;
	add_fault(s, f, row);
	if (row == kind_traits((enum qp_kind)qp->kind)->step.option)
		f->blame |= mask &
			    s->m->table->cell[qp->state][to][qp->kind].optional;
}

static void check_table(struct step *s, struct faults *f,
			const struct model_qp *qp, uint32_t mask)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;
	int to = mask & A_STATE ? (int)in->qp_state : qp->state;
	enum row row;

	if (device_iwarp(s->d)) {
		check_iwarp(s, f, qp, mask);
		return;
	}
	if (kind_is_vendors((enum qp_kind)qp->kind)) {
		check_vendors_table(s, f, qp, to, mask);
		return;
	}
	if ((mask & A_CUR_STATE) && (int)in->cur_qp_state != qp->state) {
		check_false_state(s, f, qp, (int)in->cur_qp_state, to, mask);
		return;
	}
	mask |= seeded_kept(s, qp, to);
	row = table_row(s->m->table, (enum qp_kind)qp->kind, qp->state, to,
			mask);
	if (!out_errno(rule(row)->out[0]) &&
	    table_allows(s, qp, qp->state, to, mask))
		check_move(s, f, qp, to, mask);
	if (row != ROW_MOD_ACCEPT)
		add_fault(s, f, row);
}

static void enter_reset(struct model_qp *qp)
{
	qp->after_idle_reset = qp->state == IBV_QPS_RESET;
	qp->timer_again = qp->timer_set;
	qp->timer_stale = false;
	qp->ring_blocks = qp->ring_lost = 0;
	if (qp->set & A_ACCESS_FLAGS)
		qp->old_rights |= qp->attr.qp_access_flags;
	qp->set = 0;
	qp->undefined = 0;
	qp->bad_rate = false;
	qp->comm_est = false;
	qp->took_receive = false;
	qp->mixed = false;
	qp->duplicates = 0;
	qp->ece_early = false;
	qp->last_wqe = false;
	qp->drained_before = false;
	qp->notified = false;
	qp->on_alternate = false;
	qp->mig_unseen = false;
	qp->attr.path_mig_state = IBV_MIG_MIGRATED;
	if (kind_is_vendors((enum qp_kind)qp->kind))
		memset(&qp->vendor, 0, sizeof(qp->vendor));
}

static bool holds_sends_now(const struct step *s)
{
	uint16_t slot = obj(s->m, s->b->on)->real;

	return wr_next_posted(s->m, wr_list_at(s->m, slot, 0)) != NULL;
}

/* A device may need a moment to drain even an empty queue. Entering SQD again
 * from SQD may drain and raise the event again. */
static void enter_sqd(struct step *s, struct model_qp *qp, bool asked)
{
	bool again = qp->state == IBV_QPS_SQD, before = qp->drained_before;

	qp->maybe_draining = true;
	qp->drained_before = true;
	if (!again && mutant_has_quirk(s->mutant, QUIRK_NOTIFY_STICKS)) {
		qp->notified |= asked;
		asked = qp->notified;
	}
	if (!again && s->mutant)
		qp->sqd_empty = !holds_sends_now(s);
	if (before && mutant_has_quirk(s->mutant, QUIRK_DRAINED_ONCE))
		return;
	if (retry_is_under_way(s->m, obj(s->m, s->b->on)->real)) {
		record_row(s, ROW_SQD_UNDER_WAY);
		qp->drains = asked ? DRAINS_ASKED : DRAINS_UNASKED;
		return;
	}
	async_add(s->m, IBV_EVENT_SQ_DRAINED, obj(s->m, s->b->on)->real,
		  again || !asked,
		  again || !asked ? ROW_SQD_EVENT_UNASKED
				  : ROW_SQD_EVENT_ASKED);
}

static void move(struct step *s, struct model_qp *qp, uint32_t mask)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;

	if (!(mask & A_STATE) || (unsigned int)in->qp_state >= STATE_NR)
		return;
	if (device_iwarp(s->d)) {
		move_iwarp(s, qp, (int)in->qp_state);
		iwarp_qp_moved(s, obj(s->m, s->b->on)->real);
		return;
	}
	if (in->qp_state == IBV_QPS_RESET)
		seeded_forget(s, qp);
	qp->was_in_err |= s->mutant && in->qp_state == IBV_QPS_RESET &&
			  qp->state == IBV_QPS_ERR && qp->was_in_rts;
	qp->left_srq |= s->mutant && in->qp_state == IBV_QPS_RESET &&
			qp->state != IBV_QPS_RESET;
	if (in->qp_state == IBV_QPS_RESET)
		enter_reset(qp);
	else
		qp->after_idle_reset = false;
	if (in->qp_state == IBV_QPS_SQD)
		enter_sqd(s, qp,
			  mask & A_EN_SQD_ASYNC_NOTIFY &&
				  in->en_sqd_async_notify);
	else
		qp->maybe_draining = false;
	if (in->qp_state != IBV_QPS_SQD)
		qp->drains = DRAINS_NOT;
	qp->state = qp->asked_state = (uint8_t)in->qp_state;
	qp->was_in_rts |= s->mutant && qp->state == IBV_QPS_RTS;
	qp->was_in_rtr |= s->mutant && qp->state == IBV_QPS_RTR;
	qp->second_life |= qp->was_in_rtr && qp->state == IBV_QPS_RESET;
	if (!qp->held_up)
		qp->unseen = UNSEEN_NOT;
}

/* Returns the bit of STATE or EN_SQD_ASYNC_NOTIFY if a seeded fault applies
 * that attribute unasked, or 0. stray() applies other attributes. */
static uint32_t stray_bits(const struct step *s)
{
	enum field f = mutant_unmasked(s->mutant);

	if (f != F_qp_state && f != F_en_sqd_async_notify)
		return 0;
	return 1u << field_attr(f);
}

/* Returns true if SQD holds back sends, which a change now affects. */
static bool holds_sends(const struct step *s, const struct model_qp *qp)
{
	uint16_t slot = obj(s->m, s->b->on)->real;

	return qp->state == IBV_QPS_SQD &&
	       wr_next_posted(s->m, wr_list_at(s->m, slot, 0)) != NULL;
}

/* Returns the mask of a change while SQD holds sends. A seeded fault ignores
 * all but STATE. */
static uint32_t mask_in_sqd(const struct step *s, uint32_t mask)
{
	if (mask & ~(uint32_t)(A_STATE | A_CUR_STATE))
		record_row(s, ROW_SQD_CHANGED);
	return mutant_skips(s->mutant, ROW_SQD_CHANGED) ? mask & A_STATE : mask;
}

/* Applies an accepted call. `blame` names attributes with contested values. */
static void apply(struct step *s, struct model_qp *qp, uint32_t mask,
		  uint32_t blame, enum out effect)
{
	struct qp_attr_args in = s->b->in.qp_attr;
	uint16_t slot = obj(s->m, s->b->on)->real;
	enum ibv_mig_state before = migration_state(qp);

	mask &= ~mutant_ignored(s->mutant);
	mask |= stray_bits(s);
	if (holds_sends(s, qp))
		mask = mask_in_sqd(s, mask);
	/* uverbs_mask() adds PORT for the port of an address vector. */
	if (!(in.mask & A_PORT))
		in.attr.port_num = in.attr.ah_attr.port_num;
	if (effect == OUT_TRUNCATED)
		truncate_values(s->m, &in.attr, blame);
	migration_lose_track(s, slot, mask);
	while (mask & A_STATE && retry_duplicate_passed(s, slot))
		transfer(s);
	if (mask & A_STATE && in.attr.qp_state == IBV_QPS_RESET) {
		event_maybe_raised(s, slot);
		qp->ids_written = qp->ids_posted = 0;
		if (qp->state == IBV_QPS_ERR)
			seeded_keep_places(s, slot);
		seeded_keep_reads(s, slot);
		move(s, qp, mask);
		wr_apply_qp_state(s, slot);
		return;
	}
	if (mask & A_ACCESS_FLAGS && qp->state < IBV_QPS_RTS)
		qp->early_rights = in.attr.qp_access_flags;
	if (mutant_has_quirk(s->mutant, QUIRK_ATTRS_KEPT) && mask & A_STATE)
		qp->set |= seeded_kept(s, qp, (int)in.attr.qp_state);
	if (s->mutant)
		qp->ever |= mask;
	seeded_keep_psn(s, qp, &in.attr);
	seeded_note_set(s, qp, &in, mask);
	seeded_take_unmasked(s, qp);
	move(s, qp, mask);
	apply_attributes(s, qp, &in, mask);
	if (s->mutant && mask & A_AV)
		qp->label_rtr =
			mask & A_STATE && in.attr.qp_state == IBV_QPS_RTR;
	if (mutant_has_quirk(s->mutant, QUIRK_TIMER_RIGHTS) &&
	    mask & A_MIN_RNR_TIMER && !(mask & A_ACCESS_FLAGS) &&
	    !(mask & A_STATE && in.attr.qp_state == IBV_QPS_RTR))
		qp->attr.qp_access_flags &= IBV_ACCESS_LOCAL_WRITE;
	if (s->mutant && mask & A_MIN_RNR_TIMER)
		seeded_note_timer(qp, mask & A_STATE &&
					      in.attr.qp_state == IBV_QPS_RTR);
	if (mask & A_RATE_LIMIT)
		qp->bad_rate = blame & A_RATE_LIMIT;
	if (mask & A_PATH_MIG_STATE && effect != OUT_ANY_VALUE)
		migration_asked(s, slot, before);
	wr_apply_qp_state(s, slot);
	if (effect == OUT_ANY_VALUE && device_iwarp(s->d))
		qp->undefined |= blame;
	else if (effect == OUT_ANY_VALUE)
		qp->undefined |= blame ? blame : mask;
}

static void refuse_modify(struct step *s, struct model_qp *qp, int err)
{
	uint32_t partial = seeded_partial(s, qp);

	if (partial & ~(uint32_t)A_STATE)
		apply_attributes(s, qp, &s->b->in.qp_attr, partial);
	if (partial & A_STATE && s->b->in.qp_attr.attr.qp_state < STATE_NR)
		qp->state = (uint8_t)s->b->in.qp_attr.attr.qp_state;
	if (mutant_breaks_object(s->mutant, s->a->row))
		obj(s->m, s->b->on)->broken = true;
	answer_refuse(s, s->a->row, err);
}

uint32_t check_modify(struct step *s, struct faults *f,
		      const struct model_qp *qp)
{
	uint32_t mask = check_mask_bits(s, f, qp);

	mask = check_uverbs(s, f, qp, mask);
	check_addresses(s, f, qp, mask);
	if (states_exist(&s->b->in.qp_attr))
		check_table(s, f, qp, mask);
	check_values(s, f, qp, mask);
	return mask;
}

uint32_t check_attributes(struct step *s, struct faults *f,
			  const struct model_qp *qp, uint32_t mask)
{
	mask = check_uverbs(s, f, qp, mask);
	check_addresses(s, f, qp, mask);
	check_values(s, f, qp, mask);
	return mask;
}

void check_mask(struct step *s, struct faults *f, const struct model_qp *qp)
{
	const struct ibv_qp_attr *in = &s->b->in.qp_attr.attr;
	uint32_t mask = check_mask_bits(s, f, qp);

	mask = uverbs_mask((enum qp_kind)qp->kind, (int)in->qp_state, mask);
	check_table(s, f, qp, mask);
}

/* Returns true if the device accepted a change to the state that the queue pair
 * had before an unseen failure. */
static bool accepted_in_old_state(const struct step *s,
				  const struct model_qp *qp)
{
	const struct qp_attr_args *in = &s->b->in.qp_attr;

	return in->mask & A_STATE &&
	       failed_qp_may_show(qp, in->attr.qp_state) &&
	       !outcome_error(s->b->verb, s->seen);
}

/* Checks the call; an oracle also draws conclusions. A refusal that only ERR
 * explains shows that a waiting request failed. An acceptance that ERR does not
 * allow shows that a failure has not happened yet. */
static uint32_t check_and_conclude(struct step *s, struct faults *f,
				   const struct model_qp *qp)
{
	uint16_t slot = obj(s->m, s->b->on)->real;
	uint32_t mask = check_modify(s, f, qp);

	if (!is_oracle(s))
		return mask;
	if (f->n && accepted_in_old_state(s, qp)) {
		failed_qp_run_on(s, slot);
		*f = (struct faults){0};
		return check_modify(s, f, qp);
	}
	if (f->n || qp->state == IBV_QPS_ERR ||
	    !outcome_error(s->b->verb, s->seen) || !retry_end_noticed(s, slot))
		return mask;
	return check_modify(s, f, qp);
}

/* Returns true if the call would be accepted in the state before the failure.
 */
static bool accepted_before_failure(struct step *s, const struct model_qp *qp)
{
	struct model_qp before = *qp;
	struct faults f = {0};

	before.state = qp->stopped_in;
	check_modify(s, &f, &before);
	return !faults_errno(&f);
}

/* Returns the row to report for a call that ERR does not allow and that was
 * accepted: the row of the request whose failure leads to ERR. */
static enum row row_to_report(struct step *s, const struct model_qp *qp)
{
	if (!is_oracle(s) || qp->state != IBV_QPS_ERR ||
	    outcome_error(s->b->verb, s->seen) ||
	    !accepted_before_failure(s, qp))
		return s->a->row;
	return broken_rule_qp(s, obj(s->m, s->b->on)->real, s->a->row);
}

/* Does all checks. Returns the errno of a refusal, or 0. */
static int check_call(struct step *s, struct faults *f, uint32_t *mask,
		      enum out *effect)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	int err;

	if (qp->rss)
		return choose_for_row(s, ROW_RSS_MODIFY, effect);
	s->a->row = ROW_MOD_ACCEPT;
	*mask = check_and_conclude(s, f, qp);
	err = choose_outcome(s, f, effect);
	if (err)
		s->a->row = row_to_report(s, qp);
	if (seeded_target_ended(s, qp))
		err = EINVAL;
	return !err && obj(s->m, s->b->on)->broken ? EINVAL : err;
}

bool modify_refuses(struct step *s)
{
	struct faults f = {0};
	enum out effect;
	uint32_t mask = 0;
	int err = check_call(s, &f, &mask, &effect);

	if (err)
		answer_refuse(s, s->a->row, err);
	return err;
}

void do_modify_qp(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct faults f = {0};
	enum out effect;
	uint32_t mask = 0;
	int err = check_call(s, &f, &mask, &effect);

	if (err) {
		refuse_modify(s, qp, err);
		return;
	}
	if (qp->rss)
		return;
	answer_accept(s, s->a->row);
	if (effect != OUT_IGNORED &&
	    !mutant_does_nothing(s->mutant, V_modify_qp))
		apply(s, qp, mask, f.blame, effect);
	looped_forget(s->m, obj(s->m, s->b->on)->real);
	failed_qp_end_call(s);
}
