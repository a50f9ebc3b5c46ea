/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_qp_rate_limit. No call reports the rate, so the model keeps only
 * whether an accepted rate was out of range, and which sizes were accepted.
 */
#include <errno.h>
#include "model/modify.h"

static bool in_range(const struct step *s, uint32_t rate)
{
	return rate >= s->d->limit[LIM_rate_limit_min] &&
	       rate <= s->d->limit[LIM_rate_limit_max];
}

/* Returns true if the call has one of two sizes that were accepted together,
 * and takes the default for the other. */
static bool takes_default(const struct model_qp *qp,
			  const struct ibv_qp_rate_limit_attr *in)
{
	if (!qp->paced_burst || !in->rate_limit)
		return false;
	return in->max_burst_sz ? in->max_burst_sz == qp->paced_burst &&
					  !in->typical_pkt_sz
				: in->typical_pkt_sz == qp->paced_packet;
}

static void keep_sizes(struct model_qp *qp,
		       const struct ibv_qp_rate_limit_attr *in)
{
	if (!in->max_burst_sz || !in->typical_pkt_sz)
		return;
	qp->paced_burst = in->max_burst_sz;
	qp->paced_packet = in->typical_pkt_sz;
}

static void check_rate(struct step *s, struct faults *f,
		       const struct ibv_qp_rate_limit_attr *in, enum row accept)
{
	bool burst = in->max_burst_sz || in->typical_pkt_sz;

	if (burst && !in->rate_limit)
		add_fault(s, f, ROW_PACE_NO_RATE);
	else if (burst && accept != ROW_PACE_DEFAULT)
		add_fault(s, f, ROW_PACE_BURST);
	if (!in->rate_limit)
		add_fault(s, f, ROW_PACE_ZERO);
	else if (!in_range(s, in->rate_limit))
		add_fault(s, f, ROW_PACE_RANGE);
}

void do_modify_qp_rate_limit(struct step *s)
{
	const struct ibv_qp_rate_limit_attr *in = &s->b->in.rate;
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct faults f = {0};
	enum out effect;
	enum row row;
	int err;

	if (in->comp_mask)
		add_fault(s, &f, ROW_PACE_COMP_MASK);
	if (!device_paces(s->d, (enum qp_kind)qp->kind) || qp->rss)
		add_fault(s, &f, ROW_PACE_UNSUPPORTED);
	/* A failure that nobody has seen may have moved it out of RTS. */
	if (qp->state != IBV_QPS_RTS || qp->unseen != UNSEEN_NOT)
		add_fault(s, &f, ROW_PACE_STATE);
	row = takes_default(qp, in) ? ROW_PACE_DEFAULT : ROW_PACE_ACCEPT;
	check_rate(s, &f, in, row);
	answer_accept(s, row);
	err = choose_outcome(s, &f, &effect);
	if (!err && row == ROW_PACE_DEFAULT) {
		record_row(s, row);
		err = mutant_skips(s->mutant, row) ? EINVAL : 0;
	}
	if (!err && !in->max_burst_sz && qp->burst_set &&
	    mutant_has_quirk(s->mutant, QUIRK_BURST_STAYS))
		err = EINVAL;
	if (err || obj(s->m, s->b->on)->broken) {
		answer_refuse(s, s->a->row, err ? err : EINVAL);
		return;
	}
	qp->bad_rate = in->rate_limit && !in_range(s, in->rate_limit);
	keep_sizes(qp, in);
	qp->burst_set |= in->max_burst_sz != 0;
}
