// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs with SIG_PIPELINING: a signature error moves them to SQD, before
 * the next request with a fence.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/model/signature.h"
#include "model/events/events.h"

void mlx5_drain_errors(struct model *m, uint16_t qp)
{
	m->object[qp].qp.vendor.mlx5.drains_errors = true;
}

bool mlx5_pipelines(const struct model_qp *qp)
{
	return qp->vendor.mlx5.drains_errors ||
	       mlx5_create_flags(&qp->init) & MLX5DV_QP_CREATE_SIG_PIPELINING;
}

static void stop(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;

	if (qp->state != IBV_QPS_RTS)
		return;
	record_row(s, ROW_SIG_SQD);
	record_row(s, ROW_SIG_DRAINED);
	if (mutant_skips(s->m->mutant, ROW_SIG_SQD))
		return;
	qp->state = IBV_QPS_SQD;
	qp->vendor.mlx5.stopping = true;
	async_add(s->m, IBV_EVENT_SQ_DRAINED, slot, false, ROW_SIG_DRAINED);
}

/* Whether a responder stops is the device's choice. */
static bool stops(struct step *s, const struct model_wr *w, uint16_t by)
{
	return by == w->owner ||
	       choose_hidden(s, ROW_SIG_RESPONDER) == OUT_ONE_EVENT;
}

void mlx5_succeeded(struct step *s, const struct model_wr *w)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;

	if (!claim_holds(CLAIM_MLX5_SIG, s->d))
		return;
	if (qp->state != IBV_QPS_SQD)
		qp->vendor.mlx5.stopping = false;
	for (uint16_t mr = first_of(s->m, OBJ_MR); mr != NO_OBJ;
	     mr = next_of(s->m, OBJ_MR, mr)) {
		struct mlx5_mr_state *st = &s->m->object[mr].mr.vendor.mlx5;

		if (!region_is_indirect(s->m, mr) || !st->failed)
			continue;
		st->failed = false;
		if (mlx5_pipelines(&s->m->object[st->by].qp) &&
		    stops(s, w, st->by))
			stop(s, st->by);
	}
}

bool mlx5_runs_on(struct step *s, const struct model_wr *w)
{
	struct mlx5_qp_state *st = &s->m->object[w->owner].qp.vendor.mlx5;

	if (!st->stopping)
		return false;
	st->stopping = !w->fenced && choose_hidden(s, ROW_SIG_BEHIND) == OUT_OK;
	return st->stopping;
}
