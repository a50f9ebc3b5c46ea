// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Scheduling elements in the model: nodes and leaves, and the leaves of queue
 * pairs. Rates and shares are not seen by verbs.
 */
#include <infiniband/mlx5dv.h>
#include "model/internal.h"
#include "vendor-mlx5/mlx5.h"

#define KNOWN_FLAGS                                                            \
	((uint32_t)(MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE |                    \
		    MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW))

/* Adds the faults that libmlx5 finds in the attributes of a node or leaf.
 * Returns true if there are none. */
static bool is_valid(struct step *s, struct faults *f, bool leaf)
{
	const struct sched_args *in = &s->b->in.sched;

	if (in->comp_mask || in->flags & ~KNOWN_FLAGS)
		add_fault(s, f, ROW_SCHED_MASK);
	else if (in->parent == NO_OBJ && leaf)
		add_fault(s, f, ROW_SCHED_LEAF);
	else if (in->parent == NO_OBJ && in->flags)
		add_fault(s, f, ROW_SCHED_ROOT);
	else
		return true;
	return false;
}

static void make(struct step *s, enum object_kind kind)
{
	struct faults f = {0};

	answer_accept(s, ROW_SCHED_MAKE);
	if (!claim_holds(CLAIM_MLX5_SCHED, s->d))
		add_fault(s, &f, ROW_SCHED_UNCLAIMED);
	else if (is_valid(s, &f, kind == OBJ_MLX5_LEAF))
		add_fault(s, &f,
			  s->b->in.sched.flags ? ROW_SCHED_RATE
					       : ROW_SCHED_MAKE);
	if (!mlx5_decide(s, &f))
		return;
	object_add_parent(s->m, object_add(s, kind), s->b->in.sched.parent);
}

void do_mlx5dv_sched_node_create(struct step *s)
{
	make(s, OBJ_MLX5_NODE);
}

void do_mlx5dv_sched_leaf_create(struct step *s)
{
	make(s, OBJ_MLX5_LEAF);
}

static void modify(struct step *s, bool leaf)
{
	struct faults f = {0};

	answer_accept(s, ROW_SCHED_RATE);
	if (is_valid(s, &f, leaf))
		add_fault(s, &f, ROW_SCHED_RATE);
	mlx5_decide(s, &f);
}

void do_mlx5dv_sched_node_modify(struct step *s)
{
	modify(s, false);
}

void do_mlx5dv_sched_leaf_modify(struct step *s)
{
	modify(s, true);
}

static bool has_leaf(const struct model_qp *qp, uint16_t leaf)
{
	return qp->vendor.mlx5.leaf[0] == leaf + 1 ||
	       qp->vendor.mlx5.leaf[1] == leaf + 1;
}

/* Returns true if a node has a child, or a queue pair has the leaf. */
static bool is_used(const struct model *m, uint16_t slot)
{
	for (uint16_t i = 0; i < m->top; i++) {
		const struct object *o = &m->object[i];

		if (!o->alive)
			continue;
		if (o->kind == OBJ_QP && has_leaf(&o->qp, slot))
			return true;
		if ((o->kind == OBJ_MLX5_NODE || o->kind == OBJ_MLX5_LEAF) &&
		    o->nparents && o->parent[0] == slot)
			return true;
	}
	return false;
}

static void end(struct step *s)
{
	bool used = is_used(s->m, s->b->on);
	struct faults f = {0};

	answer_accept(s, ROW_SCHED_END);
	add_fault(s, &f, used ? ROW_SCHED_IN_USE : ROW_SCHED_END);
	if (mlx5_decide(s, &f)) {
		do_destroy_ah(s);
		if (!s->a->outcome.ret)
			answer_accept(s, ROW_SCHED_END);
	} else if (used && mutant_breaks_object(s->mutant, ROW_SCHED_IN_USE)) {
		obj(s->m, s->b->on)->broken = true;
	}
}

void do_mlx5dv_sched_node_destroy(struct step *s)
{
	end(s);
}

void do_mlx5dv_sched_leaf_destroy(struct step *s)
{
	end(s);
}

static bool takes_leaves(const struct model_qp *qp)
{
	switch (qp->kind) {
	case QK_RC:
	case QK_UC:
	case QK_UD:
		return qp->state == IBV_QPS_INIT || qp->state == IBV_QPS_RTS;
	case QK_RAW_PACKET:
		return qp->state == IBV_QPS_RTS;
	default:
		return false;
	}
}

static bool only_sends(const struct model_qp *qp)
{
	return qp->kind == QK_UC || qp->kind == QK_UD ||
	       qp->kind == QK_RAW_PACKET;
}

void do_mlx5dv_modify_qp_sched_elem(struct step *s)
{
	const struct qp_sched_args *in = &s->b->in.qp_sched;
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct faults f = {0};

	answer_accept(s, ROW_SCHED_QP);
	if (only_sends(qp) && in->responder != NO_OBJ)
		add_fault(s, &f, ROW_SCHED_RESPONDER);
	else if (!takes_leaves(qp))
		add_fault(s, &f, ROW_SCHED_QP_REFUSED);
	else
		add_fault(s, &f, ROW_SCHED_QP);
	if (!mlx5_decide(s, &f))
		return;
	qp->vendor.mlx5.leaf[0] =
		in->requestor == NO_OBJ ? 0 : (uint16_t)(in->requestor + 1);
	qp->vendor.mlx5.leaf[1] =
		in->responder == NO_OBJ ? 0 : (uint16_t)(in->responder + 1);
}

bool mlx5_leaf_withholds(struct step *s, const struct model_wr *w)
{
	const struct model_qp *qp = &s->m->object[w->owner].qp;

	if (!qp->vendor.mlx5.leaf[0] && !qp->vendor.mlx5.leaf[1])
		return false;
	record_row(s, ROW_SCHED_MESSAGES);
	return mutant_skips(s->m->mutant, ROW_SCHED_MESSAGES);
}
