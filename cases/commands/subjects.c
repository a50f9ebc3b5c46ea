// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls whose commands are changed. Each call gets the objects that it
 * needs, and arguments with which the kernel accepts it.
 */
#include "cases/commands/commands.h"

/* --- Objects of the calls
 * -----------------------------------------------------
 */

static uint8_t nothing(struct gen *g)
{
	g->pd = gen_pd(g);
	g->cq = gen_cq(g);
	return NO_OBJ;
}

static uint8_t domain(struct gen *g)
{
	nothing(g);
	return g->pd;
}

static uint8_t unused_domain(struct gen *g)
{
	nothing(g);
	return gen_pd(g);
}

static uint8_t region(struct gen *g)
{
	nothing(g);
	return gen_mr(g, g->pd);
}

static uint8_t window(struct gen *g)
{
	nothing(g);
	return gen_any_mw(g, g->pd);
}

static uint8_t unused_cq(struct gen *g)
{
	nothing(g);
	return gen_cq(g);
}

/* Devices round queues up to a power of two, of which some keep one entry. */
#define SRQ_WR 15

static uint8_t srq(struct gen *g)
{
	uint8_t srq;

	nothing(g);
	srq = gen_srq(g, g->pd);
	prog_num(g->p, F_srq_max_wr, SRQ_WR);
	return srq;
}

static uint8_t channel(struct gen *g)
{
	nothing(g);
	return gen_make(g, V_create_comp_channel, NO_OBJ);
}

static uint8_t xrcd(struct gen *g)
{
	nothing(g);
	return gen_xrcd(g);
}

static uint8_t handle(struct gen *g)
{
	nothing(g);
	return gen_ah(g, g->pd);
}

static uint8_t wq(struct gen *g)
{
	nothing(g);
	return gen_wq(g, g->pd, g->cq);
}

static uint8_t table(struct gen *g)
{
	nothing(g);
	return gen_ind(g, gen_wq(g, g->pd, g->cq));
}

static uint8_t rc(struct gen *g)
{
	gen_qp(g, QK_RC);
	return g->qp;
}

static uint8_t datagrams(struct gen *g)
{
	gen_qp(g, QK_UD);
	return g->qp;
}

static uint8_t raw(struct gen *g)
{
	gen_qp(g, QK_RAW_PACKET);
	return g->qp;
}

static uint8_t rule_of(struct gen *g)
{
	return gen_flow(g, raw(g), GEN_MAC);
}

static void group(struct gen *g)
{
	static const union ibv_gid gid = {.raw = {0xff, 0x0e, [15] = 0x57}};

	prog_gid(g->p, F_mcast_gid, &gid);
	prog_num(g->p, F_mcast_lid, 0xc001);
}

static uint8_t member(struct gen *g)
{
	uint8_t qp = datagrams(g);

	gen_call(g, V_attach_mcast, qp);
	group(g);
	return qp;
}

/* --- The calls ---------------------------------------------------------------
 */

static void drop(struct gen *g, const struct subject *s, uint8_t on)
{
	gen_call(g, s->verb, on);
}

static void make(struct gen *g, const struct subject *s, uint8_t on)
{
	gen_make(g, s->verb, on);
}

static void make_region(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_mr(g, on);
}

static void make_window(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_any_mw(g, on);
}

static void make_cq(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	(void)on;
	gen_cq(g);
}

static void make_heard_cq(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_cq(g);
	prog_obj(g->p, F_cq_channel, on);
}

static void make_srq(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_srq(g, on);
}

static void make_xrcd(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	(void)on;
	gen_xrcd(g);
}

static void make_handle(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_ah(g, on);
}

static void make_wq(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	(void)on;
	gen_wq(g, g->pd, g->cq);
}

static void make_table(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_ind(g, on);
}

static void make_qp(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	(void)on;
	gen_qp_of(g, QK_RC);
}

static void make_datagrams(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	(void)on;
	gen_qp_of(g, QK_UD);
}

static void make_qp_with_srq(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_qp_of(g, QK_RC);
	prog_obj(g->p, F_srq, on);
}

static void make_rule(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_flow(g, on, GEN_MAC);
}

static void to_init(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_step(g, on, IBV_QPS_RESET, IBV_QPS_INIT);
}

static void ask(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_query(g, on);
}

static void resize(struct gen *g, const struct subject *s, uint8_t on)
{
	gen_call(g, s->verb, on);
	prog_num(g->p, F_cqe, 32);
}

static void moderate(struct gen *g, const struct subject *s, uint8_t on)
{
	gen_call(g, s->verb, on);
	prog_num(g->p, F_cq_attr_mask, IBV_CQ_ATTR_MODERATE);
	prog_num(g->p, F_cq_count, 1);
	prog_num(g->p, F_cq_period, 1);
}

static void arm(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)s;
	gen_srq_limit(g, on, 1);
}

static void to_ready(struct gen *g, const struct subject *s, uint8_t on)
{
	gen_call(g, s->verb, on);
	prog_num(g->p, F_wq_attr_mask, IBV_WQ_ATTR_STATE);
	prog_num(g->p, F_wq_attr_state, IBV_WQS_RDY);
}

static void join(struct gen *g, const struct subject *s, uint8_t on)
{
	gen_call(g, s->verb, on);
	group(g);
}

static void ask_device(struct gen *g, const struct subject *s, uint8_t on)
{
	(void)on;
	gen_call(g, s->verb, NO_OBJ);
}

static void ask_port(struct gen *g, const struct subject *s, uint8_t on)
{
	gen_call(g, s->verb, on);
	prog_num(g->p, F_index_port_num, g->d->port_num);
}

#define BY_METHOD(name_, verb_, claim_, method_, prepare_, call_)              \
	{                                                                      \
		.name = name_, .verb = V_##verb_, .claim = CLAIM_##claim_,     \
		.method = method_, .prepare = prepare_, .call = call_          \
	}
#define BY_MORE(name_, verb_, claim_, method_, prepare_, call_, optional_)     \
	{                                                                      \
		.name = name_, .verb = V_##verb_, .claim = CLAIM_##claim_,     \
		.method = method_, .prepare = prepare_, .call = call_,         \
		.optional = optional_                                          \
	}
#define BY_LEGACY(name_, verb_, claim_, legacy_, prepare_, call_)              \
	{                                                                      \
		.name = name_, .verb = V_##verb_, .claim = CLAIM_##claim_,     \
		.legacy = legacy_, .prepare = prepare_, .call = call_          \
	}

static const struct subject subjects[] = {
	BY_METHOD("query_port", query_port, NONE, "query_port", nothing,
		  ask_port),
	BY_LEGACY("query_device_ex", query_device_ex, NONE, "ex_query_device",
		  nothing, ask_device),
	BY_LEGACY("alloc_pd", alloc_pd, NONE, "alloc_pd", nothing, make),
	BY_METHOD("dealloc_pd", dealloc_pd, NONE, "dealloc_pd", unused_domain,
		  drop),
	BY_LEGACY("reg_mr", reg_mr, NONE, "reg_mr", domain, make_region),
	BY_METHOD("dereg_mr", dereg_mr, NONE, "dereg_mr", region, drop),
	BY_LEGACY("alloc_mw", alloc_mw, MW, "alloc_mw", domain, make_window),
	BY_METHOD("dealloc_mw", dealloc_mw, MW, "dealloc_mw", window, drop),
	BY_LEGACY("create_comp_channel", create_comp_channel, NONE,
		  "create_comp_channel", nothing, make),
	BY_METHOD("create_cq", create_cq, NONE, "create_cq", nothing, make_cq),
	BY_MORE("create_cq-channel", create_cq, NONE, "create_cq", channel,
		make_heard_cq, " channel "),
	BY_LEGACY("resize_cq", resize_cq, NONE, "resize_cq", unused_cq, resize),
	BY_LEGACY("modify_cq", modify_cq, CQ_MODERATION, "ex_modify_cq",
		  unused_cq, moderate),
	BY_METHOD("destroy_cq", destroy_cq, NONE, "destroy_cq", unused_cq,
		  drop),
	BY_METHOD("create_srq", create_srq, SRQ, "create_srq", domain,
		  make_srq),
	BY_LEGACY("modify_srq", modify_srq, SRQ, "modify_srq", srq, arm),
	BY_LEGACY("query_srq", query_srq, SRQ, "query_srq", srq, drop),
	BY_METHOD("destroy_srq", destroy_srq, SRQ, "destroy_srq", srq, drop),
	BY_LEGACY("open_xrcd", open_xrcd, XRC, "open_xrcd", nothing, make_xrcd),
	BY_METHOD("close_xrcd", close_xrcd, XRC, "close_xrcd", xrcd, drop),
	BY_LEGACY("create_ah", create_ah, VERBS_CONNECT, "create_ah", domain,
		  make_handle),
	BY_METHOD("destroy_ah", destroy_ah, VERBS_CONNECT, "destroy_ah", handle,
		  drop),
	BY_METHOD("create_wq", create_wq, WQ, "create_wq", nothing, make_wq),
	BY_LEGACY("modify_wq", modify_wq, WQ, "ex_modify_wq", wq, to_ready),
	BY_METHOD("destroy_wq", destroy_wq, WQ, "destroy_wq", wq, drop),
	BY_LEGACY("create_rwq_ind_table", create_rwq_ind_table, WQ,
		  "ex_create_rwq_ind_table", wq, make_table),
	BY_METHOD("destroy_rwq_ind_table", destroy_rwq_ind_table, WQ,
		  "destroy_rwq_ind_table", table, drop),
	BY_MORE("create_qp", create_qp, TYPE_RC, "create_qp", nothing, make_qp,
		" pd send_cq recv_cq "),
	BY_MORE("create_qp-srq", create_qp, SRQ, "create_qp", srq,
		make_qp_with_srq, " pd srq send_cq "),
	BY_MORE("create_qp-ud", create_qp, TYPE_UD, "create_qp", nothing,
		make_datagrams, " pd send_cq recv_cq "),
	BY_LEGACY("modify_qp", modify_qp, TYPE_RC, "modify_qp", rc, to_init),
	BY_LEGACY("query_qp", query_qp, TYPE_RC, "query_qp", rc, ask),
	BY_METHOD("destroy_qp", destroy_qp, TYPE_RC, "destroy_qp", rc, drop),
	BY_LEGACY("attach_mcast", attach_mcast, MCAST, "attach_mcast",
		  datagrams, join),
	BY_LEGACY("detach_mcast", detach_mcast, MCAST, "detach_mcast", member,
		  join),
	BY_LEGACY("create_flow", create_flow, FLOW, "ex_create_flow", raw,
		  make_rule),
	BY_METHOD("destroy_flow", destroy_flow, FLOW, "destroy_flow", rule_of,
		  drop),
};

const struct subject *command_subjects(size_t *n)
{
	*n = COUNT(subjects);
	return subjects;
}
