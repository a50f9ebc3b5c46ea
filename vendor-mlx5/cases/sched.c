// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Scheduling elements: nodes and leaves that are made, modified and destroyed,
 * leaves of queue pairs on each type and in each state, and messages of queue
 * pairs with a leaf.
 */
#include <infiniband/mlx5dv.h>
#include "cases/post/post.h"
#include "vendor-mlx5/cases/cases.h"
#include "vendor-mlx5/mlx5.h"

static uint8_t node(struct gen *g, uint8_t parent)
{
	uint8_t slot = gen_make(g, V_mlx5dv_sched_node_create, NO_OBJ);

	if (parent != NO_OBJ)
		prog_obj(g->p, F_sched_parent, parent);
	return slot;
}

static uint8_t leaf(struct gen *g, uint8_t parent)
{
	uint8_t slot = gen_make(g, V_mlx5dv_sched_leaf_create, NO_OBJ);

	if (parent != NO_OBJ)
		prog_obj(g->p, F_sched_parent, parent);
	return slot;
}

static bool opens(struct gen *g, enum row row, const char *id)
{
	enum claim claim = row == ROW_SCHED_UNCLAIMED
				   ? CLAIM_NONE
				   : gen_needs(g, CLAIM_MLX5_SCHED);

	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row, claim, "A scheduling element, %s", id);
}

/* The attributes of an element, and the end of the id of its cases. */
struct element {
	const char *id;
	enum row row;
	bool leaf, parent;
	uint32_t flags, bw_share, max_avg_bw;
	uint64_t comp_mask;
};

static void put(struct gen *g, const struct element *e)
{
	if (e->flags)
		prog_num(g->p, F_sched_flags, e->flags);
	if (e->bw_share)
		prog_num(g->p, F_sched_bw_share, e->bw_share);
	if (e->max_avg_bw)
		prog_num(g->p, F_sched_max_avg_bw, e->max_avg_bw);
	if (e->comp_mask)
		prog_num(g->p, F_sched_comp_mask, e->comp_mask);
}

/* Makes an element with these attributes. */
static void one(struct gen *g, const struct element *e)
{
	uint8_t parent;

	if (!opens(g, e->row, e->id))
		return;
	parent = e->parent ? node(g, NO_OBJ) : NO_OBJ;
	if (e->leaf)
		leaf(g, parent);
	else
		node(g, parent);
	put(g, e);
	gen_done(g);
}

/* A modification with the same attributes. A root has no parent to be named. */
static void modified(struct gen *g, const struct element *e)
{
	uint8_t root, slot;
	char id[48];

	snprintf(id, sizeof(id), "modify/%s", e->id);
	if (!opens(g, e->row == ROW_SCHED_MAKE ? ROW_SCHED_RATE : e->row, id))
		return;
	root = node(g, NO_OBJ);
	slot = e->leaf ? leaf(g, root) : node(g, e->parent ? root : NO_OBJ);
	gen_call(g,
		 e->leaf ? V_mlx5dv_sched_leaf_modify
			 : V_mlx5dv_sched_node_modify,
		 slot);
	if (e->parent)
		prog_obj(g->p, F_sched_parent, root);
	put(g, e);
	gen_call(g,
		 e->leaf ? V_mlx5dv_sched_leaf_destroy
			 : V_mlx5dv_sched_node_destroy,
		 slot);
	gen_done(g);
}

#define SHARE (uint32_t) MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE
#define RATE  (uint32_t) MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW

static void elements(struct gen *g)
{
	static const struct element list[] = {
		{"root", ROW_SCHED_MAKE, false, false, 0, 0, 0, 0},
		{"node", ROW_SCHED_MAKE, false, true, 0, 0, 0, 0},
		{"leaf", ROW_SCHED_MAKE, true, true, 0, 0, 0, 0},
		{"unnamed-share", ROW_SCHED_MAKE, false, false, 0, 7, 0, 0},
		{"unnamed-rate", ROW_SCHED_MAKE, true, true, 0, 0, 4096, 0},
		{"node-share", ROW_SCHED_RATE, false, true, SHARE, 7, 0, 0},
		{"node-rate", ROW_SCHED_RATE, false, true, RATE, 0, 4096, 0},
		{"leaf-both", ROW_SCHED_RATE, true, true, SHARE | RATE, 3, 4096,
		 0},
		{"leaf-zero", ROW_SCHED_RATE, true, true, SHARE | RATE, 0, 0,
		 0},
		{"root-share", ROW_SCHED_ROOT, false, false, SHARE, 7, 0, 0},
		{"root-rate", ROW_SCHED_ROOT, false, false, RATE, 0, 4096, 0},
		{"leaf-root", ROW_SCHED_LEAF, true, false, 0, 0, 0, 0},
		{"leaf-root-share", ROW_SCHED_LEAF, true, false, SHARE, 7, 0,
		 0},
		{"bit2", ROW_SCHED_MASK, false, true, 1u << 2, 0, 0, 0},
		{"bit31", ROW_SCHED_MASK, true, true, 1u << 31, 0, 0, 0},
		{"mask0", ROW_SCHED_MASK, false, false, 0, 0, 0, 1},
		{"mask63", ROW_SCHED_MASK, true, true, 0, 0, 0,
		 UINT64_C(1) << 63},
	};

	for (size_t i = 0; i < COUNT(list); i++) {
		one(g, &list[i]);
		modified(g, &list[i]);
	}
	if (!claim_holds(CLAIM_MLX5_SCHED, g->d) &&
	    opens(g, ROW_SCHED_UNCLAIMED, "unclaimed")) {
		node(g, NO_OBJ);
		gen_done(g);
	}
}

/* A tree is taken down from its leaves, and built once more. */
static void trees(struct gen *g)
{
	uint8_t root, inner, leaves[2];

	if (!opens(g, ROW_SCHED_END, "tree"))
		return;
	for (int i = 0; i < 2; i++) {
		root = node(g, NO_OBJ);
		inner = node(g, root);
		leaves[0] = leaf(g, inner);
		leaves[1] = leaf(g, root);
		gen_call(g, V_mlx5dv_sched_leaf_destroy, leaves[i]);
		gen_call(g, V_mlx5dv_sched_leaf_destroy, leaves[!i]);
		gen_call(g, V_mlx5dv_sched_node_destroy, inner);
		gen_call(g, V_mlx5dv_sched_node_destroy, root);
	}
	gen_done(g);
}

static void put_leaves(struct gen *g, uint8_t qp, uint8_t requestor,
		       uint8_t responder)
{
	gen_call(g, V_mlx5dv_modify_qp_sched_elem, qp);
	if (requestor != NO_OBJ)
		prog_obj(g->p, F_qp_requestor, requestor);
	if (responder != NO_OBJ)
		prog_obj(g->p, F_qp_responder, responder);
}

static void node_in_use(struct gen *g)
{
	uint8_t root, child;

	if (!opens(g, ROW_SCHED_IN_USE, "node-in-use"))
		return;
	root = node(g, NO_OBJ);
	child = leaf(g, root);
	gen_call(g, V_mlx5dv_sched_node_destroy, root);
	gen_call(g, V_mlx5dv_sched_leaf_destroy, child);
	gen_call(g, V_mlx5dv_sched_node_destroy, root);
	gen_done(g);
}

static void leaf_in_use(struct gen *g)
{
	uint8_t to;

	if (!gen_id(g, "leaf-in-use") ||
	    !gen_says_rule(g, ROW_SCHED_IN_USE,
			   gen_also(g, gen_claim(g, QK_RC, IBV_QPS_RTS, 0),
				    CLAIM_MLX5_SCHED),
			   "The leaf of a queue pair"))
		return;
	gen_fixture(g, QK_RC, IBV_QPS_RTS);
	to = leaf(g, node(g, NO_OBJ));
	put_leaves(g, g->qp, to, NO_OBJ);
	gen_call(g, V_mlx5dv_sched_leaf_destroy, to);
	gen_call(g, V_destroy_qp, g->qp);
	gen_call(g, V_mlx5dv_sched_leaf_destroy, to);
	gen_done(g);
}

static enum row leaf_row(enum qp_kind kind, int state, bool responder)
{
	bool only_sends =
		kind == QK_UC || kind == QK_UD || kind == QK_RAW_PACKET;
	bool rts = state == IBV_QPS_RTS;

	if (only_sends && responder)
		return ROW_SCHED_RESPONDER;
	if (kind == QK_RAW_PACKET)
		return rts ? ROW_SCHED_QP : ROW_SCHED_QP_REFUSED;
	return (kind == QK_RC || only_sends) && (rts || state == IBV_QPS_INIT)
		       ? ROW_SCHED_QP
		       : ROW_SCHED_QP_REFUSED;
}

/* Gives a queue pair leaves, and takes them away again. */
static void on_qp(struct gen *g, enum qp_kind kind, int state, bool responder)
{
	uint8_t root, to;

	if (!gen_id(g, responder ? "both" : "requestor") ||
	    !gen_says_rule(g, leaf_row(kind, state, responder),
			   gen_also(g, gen_claim(g, kind, state, state),
				    CLAIM_MLX5_SCHED),
			   "Leaves of %s in %s", qp_kind_name(kind),
			   state_name(state)))
		return;
	gen_fixture(g, kind, state);
	gen_query(g, g->qp);
	root = node(g, NO_OBJ);
	to = leaf(g, root);
	put_leaves(g, g->qp, to, responder ? leaf(g, root) : NO_OBJ);
	put_leaves(g, g->qp, NO_OBJ, NO_OBJ);
	gen_query(g, g->qp);
	gen_call(g, V_mlx5dv_sched_leaf_destroy, to);
	gen_done(g);
}

/* Messages before the sender has a leaf, with one, and after that. */
static void traffic(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t to;

	if (!post_case_with(g, kind, IBV_QPS_RTS, CLAIM_MLX5_SCHED,
			    ROW_SCHED_MESSAGES,
			    "Messages of a queue pair with a leaf", "messages"))
		return;
	p = post_ready(g, kind, IBV_QPS_RTS);
	to = leaf(g, node(g, NO_OBJ));
	for (uint64_t i = 1; i <= 3; i++) {
		if (i > 1) {
			put_leaves(g, p.a, i == 2 ? to : NO_OBJ, NO_OBJ);
			post_recv(&p, p.b, 200 + i, 0);
		}
		post_send(&p, IBV_WR_SEND, i, IBV_SEND_SIGNALED);
		post_poll(&p, 2);
	}
	gen_call(g, V_mlx5dv_sched_leaf_destroy, to);
	gen_done(g);
}

void mlx5_gen_sched(struct gen *g)
{
	gen_prefix(g, "mlx5/sched/");
	elements(g);
	trees(g);
	node_in_use(g);
	leaf_in_use(g);
	for (int k = 0; k < QK_NR && !g->stop; k++) {
		enum qp_kind kind = (enum qp_kind)k;

		for (int state = 0; state < STATE_NR; state++) {
			if (!kind_enters(kind, state))
				continue;
			gen_prefix(g, "mlx5/sched/%s/%s/", qp_kind_slug(kind),
				   state_slug(state));
			on_qp(g, kind, state, false);
			on_qp(g, kind, state, true);
		}
		gen_prefix(g, "mlx5/sched/%s/", qp_kind_slug(kind));
		if (kind == QK_RC || kind == QK_UC || kind == QK_UD)
			traffic(g, kind);
	}
}
