// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The UDP source port of a queue pair's packets, which no call reports, and the
 * port of a LAG through which it sends.
 */
#include <errno.h>
#include "model/internal.h"
#include "vendor-mlx5/mlx5.h"

bool mlx5_decide(struct step *s, struct faults *f)
{
	enum out effect;
	int err = choose_outcome(s, f, &effect);

	if (err)
		answer_refuse(s, s->a->row, err);
	return !err;
}

void do_mlx5dv_modify_qp_udp_sport(struct step *s)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	bool typed = qp->kind == QK_RC || qp->kind == QK_UC;
	struct faults f = {0};

	answer_accept(s, ROW_SPORT_SET);
	if (!claim_holds(CLAIM_DV, s->d) || !typed || qp->state != IBV_QPS_RTS)
		add_fault(s, &f, ROW_SPORT_REFUSED);
	else
		add_fault(s, &f, ROW_SPORT_SET);
	mlx5_decide(s, &f);
}

static uint64_t lag_ports(const struct step *s)
{
	return s->d->limit[LIM_mlx5_num_lag_ports];
}

static bool has_lag(const struct step *s)
{
	return claim_holds(CLAIM_DV, s->d) && lag_ports(s) > 1;
}

void do_mlx5dv_modify_qp_lag_port(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct faults f = {0};

	answer_accept(s, ROW_LAG_OFFERED);
	if (!has_lag(s))
		add_fault(s, &f, ROW_LAG_ONE_PORT);
	else if (qp->state != IBV_QPS_RTS)
		add_fault(s, &f, ROW_LAG_STATE);
	else
		add_fault(s, &f, ROW_LAG_OFFERED);
	if (!mlx5_decide(s, &f))
		return;
	qp->vendor.mlx5.lag_port = s->b->in.lag.port_num;
	qp->vendor.mlx5.lag_state = qp->state;
}

/* Returns a port of the LAG: the one that was seen if there is such a port. */
static uint64_t seen_port(struct step *s, enum field f)
{
	uint64_t seen = answer_seen(s, f, 1);

	return seen < 1 || seen > lag_ports(s) ? 1 : seen;
}

void do_mlx5dv_query_qp_lag_port(struct step *s)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	uint8_t set = qp->vendor.mlx5.lag_port;
	struct faults f = {0};
	uint64_t port;

	answer_accept(s, ROW_LAG_OFFERED);
	add_fault(s, &f, has_lag(s) ? ROW_LAG_OFFERED : ROW_LAG_ONE_PORT);
	if (!mlx5_decide(s, &f))
		return;
	port = set && qp->vendor.mlx5.lag_state == qp->state
		       ? set
		       : seen_port(s, F_lag_port);
	if (mutant_skips(s->mutant, ROW_LAG_REPORT))
		port = lag_ports(s) + 1 - port;
	record_row(s, ROW_LAG_REPORT);
	answer_define(s, F_lag_port, port, ROW_LAG_REPORT);
	answer_define(s, F_lag_active, seen_port(s, F_lag_active),
		      ROW_LAG_REPORT);
}
