// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * mlx5dv_modify_qp_udp_sport, mlx5dv_modify_qp_lag_port and
 * mlx5dv_query_qp_lag_port on each type and in each state, and messages before
 * and after a change of the UDP source port.
 */
#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"
#include "vendor-mlx5/mlx5.h"

static void set_sport(struct gen *g, uint8_t qp, uint64_t port)
{
	gen_call(g, V_mlx5dv_modify_qp_udp_sport, qp);
	prog_num(g->p, F_udp_sport, port);
}

static void sports(struct gen *g, enum qp_kind kind, int state)
{
	bool can = (kind == QK_RC || kind == QK_UC) && state == IBV_QPS_RTS;
	enum row row = can ? ROW_SPORT_SET : ROW_SPORT_REFUSED;
	static const uint64_t ports[] = {0, 1, 49152, 65535};

	if (!gen_id(g, "udp-sport") ||
	    !gen_says_rule(g, row, gen_claim(g, kind, state, state),
			   "UDP source ports of %s in %s", qp_kind_name(kind),
			   state_name(state)))
		return;
	gen_fixture(g, kind, state);
	gen_query(g, g->qp);
	for (size_t i = 0; i < COUNT(ports); i++)
		set_sport(g, g->qp, ports[i]);
	gen_query(g, g->qp);
	gen_done(g);
}

static void lag_query(struct gen *g)
{
	gen_call(g, V_mlx5dv_query_qp_lag_port, g->qp);
}

static void lags(struct gen *g, enum qp_kind kind, int state)
{
	uint64_t most = g->d->limit[LIM_mlx5_num_lag_ports];
	enum row row = most > 1 ? ROW_LAG_REPORT : ROW_LAG_ONE_PORT;

	if (!gen_id(g, "lag-port") ||
	    !gen_says_rule(g, row, gen_claim(g, kind, state, state),
			   "LAG ports of %s in %s", qp_kind_name(kind),
			   state_name(state)))
		return;
	gen_fixture(g, kind, state);
	gen_query(g, g->qp);
	lag_query(g);
	for (uint64_t port = 1; port == 1 || (port <= most && port < 5);
	     port++) {
		gen_call(g, V_mlx5dv_modify_qp_lag_port, g->qp);
		prog_num(g->p, F_lag_port, port);
		lag_query(g);
		lag_query(g);
	}
	gen_query(g, g->qp);
	gen_done(g);
}

/* Messages before and after a change of the source port. */
static void traffic(struct gen *g, enum qp_kind kind)
{
	struct post p;

	gen_prefix(g, "path/%s/", qp_kind_slug(kind));
	if (!post_case(g, kind, IBV_QPS_RTS, ROW_DATA_BYTES,
		       "Messages around a new UDP source port", "messages"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	set_sport(g, p.a, 50000);
	set_sport(g, p.b, 50001);
	post_send(&p, IBV_WR_SEND, 2, IBV_SEND_SIGNALED);
	post_poll(&p, 2);
	gen_done(g);
}

void mlx5_gen_path(struct gen *g)
{
	for (int k = 0; k < QK_NR && !g->stop; k++) {
		enum qp_kind kind = (enum qp_kind)k;

		for (int state = 0; state < STATE_NR; state++) {
			if (!kind_enters(kind, state))
				continue;
			gen_prefix(g, "path/%s/%s/", qp_kind_slug(kind),
				   state_slug(state));
			sports(g, kind, state);
			lags(g, kind, state);
		}
		if (kind == QK_RC || kind == QK_UC)
			traffic(g, kind);
	}
}
