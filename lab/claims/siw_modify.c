// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_modify_qp on soft iWARP: moves that succeed and change nothing, and
 * what the library remembers of them.
 */
#include "cm.h"

static struct ibv_qp *lone(const struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);

	shape.send_cq = make_cq(lab, 64);
	return make_qp(lab, &shape);
}

/* ibv_query_qp with STATE refreshes the cache; so it is read before. */
static void cache_of_noop(struct lab *lab)
{
	struct ibv_qp *qp = lone(lab);
	int ret = to_state(qp, IBV_QPS_RTR);
	int cached = (int)qp->state, real = (int)state_of(lab, qp);

	saw(lab, !ret && cached == IBV_QPS_RTR && real != IBV_QPS_RTR,
	    "to RTR returned %d; qp->state is %d, ibv_query_qp says %d", ret,
	    cached, real);
}

static void cache_connected(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	int ret = to_state(p.a, IBV_QPS_RESET), cached = (int)p.a->state;
	struct ibv_wc wc;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	wc = next_wc(p.recv_cq, 1000);
	saw(lab, !ret && cached == IBV_QPS_RESET && wc.status == IBV_WC_SUCCESS,
	    "RTS to RESET %d; qp->state %d, ibv_query_qp %d; a send then: %s",
	    ret, cached, (int)state_of(lab, p.a), status_name(wc.status));
}

static void fresh_state(struct lab *lab)
{
	enum ibv_qp_state state = state_of(lab, lone(lab));

	saw(lab, state == IBV_QPS_INIT, "state %d", (int)state);
}

static void to_rts_alone(struct lab *lab)
{
	int ret = to_state(lone(lab), IBV_QPS_RTS);

	saw(lab, ret == EINVAL, "%d", ret);
}

static void error_is_final(struct lab *lab)
{
	struct ibv_qp *qp = lone(lab);
	int err = to_state(qp, IBV_QPS_ERR);
	int reset = to_state(qp, IBV_QPS_RESET);
	int rts = to_state(qp, IBV_QPS_RTS);
	int state = (int)state_of(lab, qp);

	saw(lab, !err && !reset && !rts && state == IBV_QPS_ERR,
	    "to ERR %d, to RESET %d, to RTS %d, state %d", err, reset, rts,
	    state);
}

static void sqd_closes(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = cm_pair(lab, &shape);
	int ret = to_state(p.a, IBV_QPS_SQD), state;

	next_event(lab, 300);
	state = (int)state_of(lab, p.a);
	saw(lab, !ret && state != IBV_QPS_RTS,
	    "to SQD %d, state %d; the partner in state %d", ret, state,
	    (int)state_of(lab, p.b));
}

static void flags_fixed(struct lab *lab)
{
	struct ibv_qp *qp = lone(lab);
	struct ibv_qp_attr attr = {.qp_access_flags = IBV_ACCESS_REMOTE_READ};
	int ret = ibv_modify_qp(qp, &attr, IBV_QP_ACCESS_FLAGS);
	unsigned int now = query(lab, qp).qp_access_flags;

	saw(lab,
	    !ret && now == (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			    IBV_ACCESS_REMOTE_READ),
	    "REMOTE_READ alone: %d, reads back as %#x", ret, now);
}

static void empty_mask(struct lab *lab)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};
	int ret = ibv_modify_qp(lone(lab), &attr, 0);

	saw(lab, !ret, "%d", ret);
}

static void unknown_bit(struct lab *lab)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT};
	int ret = ibv_modify_qp(lone(lab), &attr, IBV_QP_STATE | (1 << 22));

	saw(lab, ret == EOPNOTSUPP, "bit 22: %d", ret);
}

static void no_srq_query(struct lab *lab)
{
	struct ibv_srq_attr attr;
	int ret = ibv_query_srq(make_srq(lab, 8, 0), &attr);

	saw(lab, ret == EOPNOTSUPP, "%d", ret);
}

static void caps(struct lab *lab)
{
	struct ibv_qp_init_attr init = {
		.send_cq = make_cq(lab, 16),
		.cap = {5, 5, 1, 1, 0},
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr now;
	struct ibv_qp *qp;

	init.recv_cq = init.send_cq;
	qp = must_have(lab, ibv_create_qp(lab->pd, &init), "ibv_create_qp");
	now = query(lab, qp);
	saw(lab, init.cap.max_send_wr == 5 && now.cap.max_send_wr == 8,
	    "5 asked for: creation says %u, ibv_query_qp %u; max_inline_data "
	    "%u and %u",
	    init.cap.max_send_wr, now.cap.max_send_wr, init.cap.max_inline_data,
	    now.cap.max_inline_data);
}

static int create_with(const struct lab *lab, uint32_t send_wr,
		       uint32_t send_sge, uint32_t inline_data,
		       enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = make_cq(lab, 16),
		.cap = {send_wr, 4, send_sge, 1, inline_data},
		.qp_type = type,
	};

	init.recv_cq = init.send_cq;
	errno = 0;
	return ibv_create_qp(lab->pd, &init) ? 0 : errno;
}

static void creation(struct lab *lab)
{
	int none = create_with(lab, 0, 1, 0, IBV_QPT_RC);
	int sge = create_with(lab, 4, 7, 0, IBV_QPT_RC);
	int data = create_with(lab, 4, 1, 81, IBV_QPT_RC);
	int ud = create_with(lab, 4, 1, 0, IBV_QPT_UD);

	saw(lab,
	    none == EINVAL && sge == EINVAL && data == EINVAL &&
		    ud == EOPNOTSUPP,
	    "no sends %d, 7 elements %d, 81 bytes inline %d, UD %d", none, sge,
	    data, ud);
}

static const struct claim claims[] = {
	{"W-16/idle", "qp->state and ibv_query_qp disagree", cache_of_noop},
	{"W-16/connected", "RTS to RESET is 0, changes nothing, and is cached",
	 cache_connected},
	{"W-17", "a fresh queue pair is in INIT", fresh_state},
	{"W-12", "EINVAL for RTS without a connection", to_rts_alone},
	{"W-14", "0 for every move out of ERR, which is final", error_is_final},
	{"W-13", "RTS to SQD closes the connection", sqd_closes},
	{"W-18", "access flags read as a fixed set", flags_fixed},
	{"W-9/zero", "an empty mask is taken", empty_mask},
	{"W-9/unknown", "EOPNOTSUPP for a reserved bit", unknown_bit},
	{"W-8", "EOPNOTSUPP from ibv_query_srq", no_srq_query},
	{"W-7", "creation returns what was asked for, rings are larger", caps},
	{"W-4", "EINVAL past its limits, EOPNOTSUPP for UD", creation},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
