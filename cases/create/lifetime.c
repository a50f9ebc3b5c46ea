/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Parents and children, by the rows of the contract's lifetimes: a parent
 * cannot be destroyed before its child, keeps working, and can be destroyed
 * after it.
 */
#include <string.h>
#include "cases/generate/generate.h"

static enum object_kind kind_by_name(const char *name)
{
	for (int k = 1; k < OBJ_KIND_NR; k++) {
		if (!strcmp(object_prefix((enum object_kind)k), name))
			return (enum object_kind)k;
	}
	return OBJ_NONE;
}

/* The objects created so far, one of each kind. Parents are created on demand.
 */
struct world {
	uint8_t slot[OBJ_KIND_NR];
	bool xrc;	   /* SRQs are XRC SRQs */
	bool with_srq;	   /* queue pairs receive through the SRQ */
	bool rss;	   /* queue pairs use the indirection table */
	bool with_channel; /* completion queues have the channel */
	bool counts;	   /* rules count by the counters */
	bool with_cntr;	   /* queue pairs have the completion counter */
	bool with_td;	   /* protection domains are parent domains of it */
	enum qp_kind qp;
};

static uint8_t world_get(struct gen *g, struct world *w, enum object_kind kind);

/* A parent domain with the thread domain, of a protection domain of its own. */
static uint8_t world_pd(struct gen *g, struct world *w)
{
	uint8_t pd = gen_pd(g);

	return w->with_td ? gen_parent_domain(g, pd, world_get(g, w, OBJ_TD))
			  : pd;
}

static uint8_t world_cq(struct gen *g, struct world *w)
{
	uint8_t channel = NO_OBJ, cq;

	if (w->with_channel)
		channel = world_get(g, w, OBJ_CHANNEL);
	cq = gen_cq(g);
	if (channel != NO_OBJ)
		prog_obj(g->p, F_cq_channel, channel);
	return cq;
}

static uint8_t world_srq(struct gen *g, struct world *w)
{
	uint8_t pd = world_get(g, w, OBJ_PD), xrcd, cq;

	if (!w->xrc)
		return gen_srq(g, pd);
	xrcd = world_get(g, w, OBJ_XRCD);
	cq = world_get(g, w, OBJ_CQ);
	return gen_xrc_srq(g, pd, xrcd, cq);
}

static uint8_t world_rss(struct gen *g, struct world *w)
{
	uint8_t pd = world_get(g, w, OBJ_PD), ind = world_get(g, w, OBJ_IND);
	uint8_t qp = gen_make(g, V_create_qp_ex, NO_OBJ);

	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_IND_TABLE |
			 IBV_QP_INIT_ATTR_RX_HASH);
	prog_obj(g->p, F_pd, pd);
	prog_num(g->p, F_qp_type, IBV_QPT_RAW_PACKET);
	prog_obj(g->p, F_rwq_ind_tbl, ind);
	prog_num(g->p, F_rx_hash_function, IBV_RX_HASH_FUNC_TOEPLITZ);
	prog_num(g->p, F_rx_hash_key_len, 40);
	prog_num(g->p, F_rx_hash_fields_mask, 3);
	return qp;
}

static uint8_t world_qp(struct gen *g, struct world *w)
{
	uint8_t srq = NO_OBJ, cntr = NO_OBJ, qp;

	if (w->rss)
		return world_rss(g, w);
	if (w->qp == QK_XRC_RECV) {
		g->xrcd = world_get(g, w, OBJ_XRCD);
		return gen_qp_of(g, w->qp);
	}
	g->pd = world_get(g, w, OBJ_PD);
	g->cq = world_get(g, w, OBJ_CQ);
	if (w->with_srq)
		srq = world_get(g, w, OBJ_SRQ);
	if (w->with_cntr)
		cntr = world_get(g, w, OBJ_COMP_CNTR);
	qp = gen_qp_of(g, w->qp);
	if (srq != NO_OBJ)
		prog_obj(g->p, F_srq, srq);
	if (cntr != NO_OBJ) {
		gen_call(g, V_qp_attach_comp_cntr, qp);
		prog_obj(g->p, F_qp_cntr_counter, cntr);
		prog_num(g->p, F_qp_cntr_mask, g->d->comp_cntr_ops & 1);
	}
	return qp;
}

static uint8_t world_counters(struct gen *g)
{
	uint8_t counters = gen_make(g, V_create_counters, NO_OBJ);

	gen_call(g, V_attach_counters_point_flow, counters);
	return counters;
}

/* A rule for an address that no other rule of the case names. */
static uint8_t world_flow(struct gen *g, struct world *w)
{
	uint8_t qp = world_get(g, w, OBJ_QP), counters = NO_OBJ, flow;

	if (w->counts)
		counters = world_get(g, w, OBJ_COUNTERS);
	flow = gen_flow(g, qp, GEN_MAC + g->p->ncalls);
	if (w->counts) {
		prog_num(g->p, F_flow_specs, 2);
		prog_num(g->p, F_flow_spec1, IBV_FLOW_SPEC_ACTION_COUNT);
		prog_obj(g->p, F_flow_counters, counters);
	}
	return flow;
}

static uint8_t world_make(struct gen *g, struct world *w, enum object_kind kind)
{
	switch (kind) {
	case OBJ_PD:
		return world_pd(g, w);
	case OBJ_TD:
		return gen_make(g, V_alloc_td, NO_OBJ);
	case OBJ_MR:
		return gen_mr(g, world_get(g, w, OBJ_PD));
	case OBJ_MW:
		return gen_any_mw(g, world_get(g, w, OBJ_PD));
	case OBJ_AH:
		return gen_ah(g, world_get(g, w, OBJ_PD));
	case OBJ_CHANNEL:
		return gen_make(g, V_create_comp_channel, NO_OBJ);
	case OBJ_CQ:
		return world_cq(g, w);
	case OBJ_SRQ:
		return world_srq(g, w);
	case OBJ_XRCD:
		return gen_xrcd(g);
	case OBJ_WQ:
		return gen_wq(g, world_get(g, w, OBJ_PD),
			      world_get(g, w, OBJ_CQ));
	case OBJ_IND:
		return gen_ind(g, world_get(g, w, OBJ_WQ));
	case OBJ_FLOW:
		return world_flow(g, w);
	case OBJ_COUNTERS:
		return world_counters(g);
	case OBJ_COMP_CNTR:
		return gen_make(g, V_create_comp_cntr, NO_OBJ);
	default:
		return world_qp(g, w);
	}
}

static uint8_t world_get(struct gen *g, struct world *w, enum object_kind kind)
{
	if (w->slot[kind] == NO_OBJ)
		w->slot[kind] = world_make(g, w, kind);
	return w->slot[kind];
}

static const enum verb destroys[OBJ_KIND_NR] = {
	[OBJ_PD] = V_dealloc_pd,
	[OBJ_MR] = V_dereg_mr,
	[OBJ_MW] = V_dealloc_mw,
	[OBJ_CHANNEL] = V_destroy_comp_channel,
	[OBJ_CQ] = V_destroy_cq,
	[OBJ_SRQ] = V_destroy_srq,
	[OBJ_XRCD] = V_close_xrcd,
	[OBJ_AH] = V_destroy_ah,
	[OBJ_WQ] = V_destroy_wq,
	[OBJ_IND] = V_destroy_rwq_ind_table,
	[OBJ_QP] = V_destroy_qp,
	[OBJ_FLOW] = V_destroy_flow,
	[OBJ_TD] = V_dealloc_td,
	[OBJ_COUNTERS] = V_destroy_counters,
	[OBJ_COMP_CNTR] = V_destroy_comp_cntr,
};

static void world_destroy(struct gen *g, struct world *w, enum object_kind kind)
{
	gen_call(g, destroys[kind], w->slot[kind]);
}

/* Returns the first missing claim for an object of a kind. */
static enum claim kind_claim(const struct gen *g, const struct world *w,
			     enum object_kind kind)
{
	switch (kind) {
	case OBJ_QP:
		return w->rss ? gen_needs(g, CLAIM_WQ, CLAIM_RSS)
			      : gen_needs(g, claim_of_kind(w->qp));
	case OBJ_SRQ:
		return gen_needs(g, CLAIM_SRQ, w->xrc ? CLAIM_XRC : CLAIM_NONE);
	case OBJ_WQ:
		return gen_needs(g, CLAIM_WQ);
	case OBJ_IND:
		return gen_needs(g, CLAIM_WQ, CLAIM_RSS);
	case OBJ_FLOW:
		return gen_needs(g, CLAIM_FLOW, CLAIM_NET_RAW);
	case OBJ_COUNTERS:
		return gen_needs(g, CLAIM_COUNTERS);
	case OBJ_COMP_CNTR:
		return gen_needs(g, CLAIM_COMP_CNTR, CLAIM_CNTR_SEND);
	case OBJ_MW:
		return gen_needs(g, CLAIM_MW);
	case OBJ_XRCD:
		return gen_needs(g, CLAIM_XRC);
	case OBJ_AH:
		return gen_needs(g, CLAIM_VERBS_CONNECT,
				 g->global ? CLAIM_GID : CLAIM_NONE);
	default:
		return CLAIM_NONE;
	}
}

static enum claim pair_claim(const struct gen *g, const struct world *w,
			     enum object_kind parent, enum object_kind child)
{
	return gen_also(g, kind_claim(g, w, parent), kind_claim(g, w, child));
}

static struct world empty_world(enum qp_kind qp)
{
	struct world w = {.qp = qp};

	memset(w.slot, NO_OBJ, sizeof(w.slot));
	return w;
}

/* The parent still works: a completion queue can be polled, and another child
 * can be created and destroyed. */
static void still_used(struct gen *g, struct world *w, enum object_kind parent,
		       enum object_kind child)
{
	uint8_t first = w->slot[child];

	if (parent == OBJ_CQ) {
		gen_call(g, V_poll_cq, w->slot[parent]);
		prog_num(g->p, F_poll_max, 1);
	}
	w->slot[child] = world_make(g, w, child);
	world_destroy(g, w, child);
	w->slot[child] = first;
}

static void kept_case(struct gen *g, const struct lifetime *life,
		      struct world *w, const char *variant)
{
	enum object_kind parent = kind_by_name(life->parent);
	enum object_kind child = kind_by_name(life->child);

	if (!gen_id(g, "%s/%s%s", life->parent, life->child, variant) ||
	    !gen_says(g, life->row, pair_claim(g, w, parent, child),
		      "A %s cannot be destroyed before its %s%s, keeps "
		      "working, and can be destroyed afterwards.",
		      life->parent, life->child, variant))
		return;
	g->kind = w->qp;
	world_get(g, w, parent);
	world_get(g, w, child);
	world_destroy(g, w, parent);
	world_destroy(g, w, parent);
	still_used(g, w, parent, child);
	world_destroy(g, w, child);
	world_destroy(g, w, parent);
	gen_done(g);
}

/* Refused once, the parent can be destroyed as soon as the child is. */
static void again_case(struct gen *g, const struct lifetime *life,
		       struct world *w, const char *variant)
{
	enum object_kind parent = kind_by_name(life->parent);
	enum object_kind child = kind_by_name(life->child);

	if (!gen_id(g, "%s/%s%s-once", life->parent, life->child, variant) ||
	    !gen_says(g, ROW_LIFE_AGAIN, pair_claim(g, w, parent, child),
		      "A %s whose destruction failed because of its %s%s can "
		      "be destroyed after it.",
		      life->parent, life->child, variant))
		return;
	g->kind = w->qp;
	world_get(g, w, parent);
	world_get(g, w, child);
	world_destroy(g, w, parent);
	world_destroy(g, w, child);
	world_destroy(g, w, parent);
	w->slot[parent] = NO_OBJ;
	world_get(g, w, parent);
	world_destroy(g, w, parent);
	gen_done(g);
}

/* Either one of two children alone keeps the parent. */
static void two_case(struct gen *g, const struct lifetime *life,
		     struct world *w, const char *variant, bool first_goes)
{
	enum object_kind parent = kind_by_name(life->parent);
	enum object_kind child = kind_by_name(life->child);
	uint8_t first, second;

	if (!gen_id(g, "%s/%s%s-two-%s", life->parent, life->child, variant,
		    first_goes ? "first" : "second") ||
	    !gen_says(g, life->row, pair_claim(g, w, parent, child),
		      "A %s with two %s%s cannot be destroyed before both of "
		      "them, the %s one first.",
		      life->parent, life->child, variant,
		      first_goes ? "first" : "second"))
		return;
	g->kind = w->qp;
	world_get(g, w, parent);
	first = world_get(g, w, child);
	second = world_make(g, w, child);
	w->slot[child] = first_goes ? first : second;
	world_destroy(g, w, child);
	world_destroy(g, w, parent);
	w->slot[child] = first_goes ? second : first;
	world_destroy(g, w, child);
	world_destroy(g, w, parent);
	gen_done(g);
}

/* A queue pair keeps its parent in INIT, in ERR and in RESET behind them. */
static void states_case(struct gen *g, const struct lifetime *life,
			struct world *w, const char *variant)
{
	static const int states[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_ERR,
				     IBV_QPS_RESET};
	enum object_kind parent = kind_by_name(life->parent);

	if (w->rss ||
	    !gen_id(g, "%s/%s%s-in-states", life->parent, life->child,
		    variant) ||
	    !gen_says(g, life->row, pair_claim(g, w, parent, OBJ_QP),
		      "A %s cannot be destroyed before its %s%s, whatever "
		      "states that has gone through.",
		      life->parent, life->child, variant))
		return;
	g->kind = w->qp;
	world_get(g, w, parent);
	g->qp = world_get(g, w, OBJ_QP);
	for (size_t i = 1; i < COUNT(states); i++) {
		gen_step(g, g->qp, states[i - 1], states[i]);
		world_destroy(g, w, parent);
	}
	world_destroy(g, w, OBJ_QP);
	world_destroy(g, w, parent);
	gen_done(g);
}

/* An object without users can be destroyed. */
static void alone_case(struct gen *g, const struct lifetime *life)
{
	enum object_kind kind = kind_by_name(life->parent);
	struct world w = empty_world(QK_RC);

	if (!gen_id(g, "%s/alone", life->parent) ||
	    !gen_says(g, life->row, kind_claim(g, &w, kind),
		      "A %s without children is created and destroyed three "
		      "times.",
		      life->parent))
		return;
	g->kind = QK_RC;
	for (int i = 0; i < 3; i++) {
		w.slot[kind] = NO_OBJ;
		world_get(g, &w, kind);
		world_destroy(g, &w, kind);
	}
	gen_done(g);
}

static void pair_case(struct gen *g, const struct lifetime *life,
		      struct world *w, const char *variant)
{
	struct world other = *w, two = *w, reverse = *w, moved = *w;

	kept_case(g, life, w, variant);
	again_case(g, life, &other, variant);
	two_case(g, life, &two, variant, true);
	two_case(g, life, &reverse, variant, false);
	if (kind_by_name(life->child) == OBJ_QP)
		states_case(g, life, &moved, variant);
}

static bool has_parent(enum qp_kind qp, const char *parent)
{
	if (!strcmp(parent, "xrcd"))
		return qp == QK_XRC_RECV;
	if (!strcmp(parent, "srq"))
		return qp == QK_RC || qp == QK_UD;
	if (!strcmp(parent, "cntr"))
		return qp == QK_RC || qp == QK_UC || qp == QK_UD;
	return qp != QK_XRC_RECV;
}

static void qp_children(struct gen *g, const struct lifetime *life)
{
	char variant[32];

	if (!strcmp(life->parent, "ind")) {
		struct world w = empty_world(QK_RAW_PACKET);

		w.rss = true;
		pair_case(g, life, &w, "");
		return;
	}
	for (int k = 0; k < QK_NR; k++) {
		struct world w = empty_world((enum qp_kind)k);

		if (!has_parent(w.qp, life->parent))
			continue;
		w.with_srq = !strcmp(life->parent, "srq");
		w.with_cntr = !strcmp(life->parent, "cntr");
		snprintf(variant, sizeof(variant), "-%s", qp_kind_slug(w.qp));
		pair_case(g, life, &w, variant);
	}
}

static void srq_children(struct gen *g, const struct lifetime *life)
{
	struct world w = empty_world(QK_RC);

	if (!strcmp(life->parent, "pd"))
		pair_case(g, life, &w, "");
	w = empty_world(QK_RC);
	w.xrc = true;
	pair_case(g, life, &w, "-xrc");
}

static void destroy_cqs(struct gen *g, uint8_t send, uint8_t recv)
{
	gen_call(g, V_destroy_cq, send);
	gen_call(g, V_destroy_cq, recv);
}

/* A queue pair keeps a completion queue for its sends and another one for its
 * receives, also if it receives through an SRQ. */
static void two_cqs(struct gen *g, enum qp_kind kind, bool with_srq)
{
	struct world w = empty_world(kind);
	uint8_t recv, qp;

	w.with_srq = with_srq;
	if (!gen_id(g, "cq/qp-%s-each%s", qp_kind_slug(kind),
		    with_srq ? "-srq" : "") ||
	    !gen_says(g, ROW_LIFE_CQ,
		      with_srq ? pair_claim(g, &w, OBJ_SRQ, OBJ_QP)
			       : kind_claim(g, &w, OBJ_QP),
		      "Neither of the two completion queues of %s%s can be "
		      "destroyed before it, both can afterwards.",
		      qp_kind_name(kind), with_srq ? " with an SRQ" : ""))
		return;
	g->kind = kind;
	recv = gen_cq(g);
	qp = world_get(g, &w, OBJ_QP);
	prog_obj(g->p, F_recv_cq, recv);
	destroy_cqs(g, w.slot[OBJ_CQ], recv);
	gen_call(g, V_destroy_qp, qp);
	destroy_cqs(g, w.slot[OBJ_CQ], recv);
	gen_done(g);
}

static void cqs_of_each_kind(struct gen *g)
{
	for (int k = 0; k < QK_NR; k++) {
		enum qp_kind kind = (enum qp_kind)k;

		if (!kind_has_recv(kind))
			continue;
		two_cqs(g, kind, false);
		if (has_parent(kind, "srq"))
			two_cqs(g, kind, true);
	}
}

static void life_row(struct gen *g, const struct lifetime *life)
{
	struct world w = empty_world(QK_RC);

	if (!life->child[0]) {
		alone_case(g, life);
	} else if (!strcmp(life->child, "qp")) {
		qp_children(g, life);
	} else if (!strcmp(life->child, "srq")) {
		srq_children(g, life);
	} else if (strcmp(life->child, "mcast")) {
		w.with_channel = !strcmp(life->parent, "channel");
		w.with_td = !strcmp(life->parent, "td");
		w.counts = !strcmp(life->parent, "counters");
		if (!strcmp(life->child, "flow"))
			w.qp = QK_RAW_PACKET;
		pair_case(g, life, &w, "");
	}
}

void gen_create_lifetime(struct gen *g)
{
	size_t n;
	const struct lifetime *life = lifetimes(&n);

	gen_prefix(g, "lifetime/");
	for (size_t i = 0; i < n; i++)
		life_row(g, &life[i]);
	cqs_of_each_kind(g);
	gen_create_refused(g);
	gen_create_number_of_objects(g);
}
