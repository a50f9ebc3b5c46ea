// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes libmlx5's calls about scheduling elements, reserved numbers of queue
 * pairs and mapped address handles on a real or virtual device.
 */
#include <infiniband/mlx5dv.h>
#include "target/verbs/verbs_target.h"
#include "vendor-mlx5/mlx5.h"

static struct mlx5dv_sched_attr sched_attr(const struct verbs_target *t,
					   const struct bound *b)
{
	const struct sched_args *in = &b->in.sched;

	return (struct mlx5dv_sched_attr){
		.parent = slot_ptr(t, in->parent),
		.flags = in->flags,
		.bw_share = in->bw_share,
		.max_avg_bw = in->max_avg_bw,
		.comp_mask = in->comp_mask,
	};
}

static int end_node(struct verbs_target *t, uint16_t slot)
{
	return mlx5dv_sched_node_destroy(slot_ptr(t, slot));
}

static int end_leaf(struct verbs_target *t, uint16_t slot)
{
	return mlx5dv_sched_leaf_destroy(slot_ptr(t, slot));
}

void real_mlx5dv_sched_node_create(struct verbs_target *t,
				   const struct bound *b, struct outcome *o)
{
	const struct mlx5dv_sched_attr attr = sched_attr(t, b);
	struct mlx5dv_sched_node *node;
	struct verbs_object *object;

	RECORD_PTR(o, node,
		   mlx5dv_sched_node_create(slot_context(t, b->on), &attr));
	object = slot_fill(t, b, node);
	if (object)
		object->destroy = end_node;
}

void real_mlx5dv_sched_leaf_create(struct verbs_target *t,
				   const struct bound *b, struct outcome *o)
{
	const struct mlx5dv_sched_attr attr = sched_attr(t, b);
	struct mlx5dv_sched_leaf *leaf;
	struct verbs_object *object;

	RECORD_PTR(o, leaf,
		   mlx5dv_sched_leaf_create(slot_context(t, b->on), &attr));
	object = slot_fill(t, b, leaf);
	if (object)
		object->destroy = end_leaf;
}

void real_mlx5dv_sched_node_modify(struct verbs_target *t,
				   const struct bound *b, struct outcome *o)
{
	const struct mlx5dv_sched_attr attr = sched_attr(t, b);

	RECORD_INT(o, mlx5dv_sched_node_modify(slot_ptr(t, b->on), &attr));
}

void real_mlx5dv_sched_leaf_modify(struct verbs_target *t,
				   const struct bound *b, struct outcome *o)
{
	const struct mlx5dv_sched_attr attr = sched_attr(t, b);

	RECORD_INT(o, mlx5dv_sched_leaf_modify(slot_ptr(t, b->on), &attr));
}

void real_mlx5dv_sched_node_destroy(struct verbs_target *t,
				    const struct bound *b, struct outcome *o)
{
	RECORD_INT(o, end_node(t, b->on));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_mlx5dv_sched_leaf_destroy(struct verbs_target *t,
				    const struct bound *b, struct outcome *o)
{
	RECORD_INT(o, end_leaf(t, b->on));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_mlx5dv_modify_qp_sched_elem(struct verbs_target *t,
				      const struct bound *b, struct outcome *o)
{
	const struct qp_sched_args *in = &b->in.qp_sched;

	RECORD_INT(o, mlx5dv_modify_qp_sched_elem(slot_ptr(t, b->on),
						  slot_ptr(t, in->requestor),
						  slot_ptr(t, in->responder)));
}

/* The pointer of a slot with a reserved number is the number. */
static uint32_t number_of(const struct verbs_target *t, uint16_t slot)
{
	return (uint32_t)(uintptr_t)slot_ptr(t, slot);
}

static int end_reservation(struct verbs_target *t, uint16_t slot)
{
	return mlx5dv_reserved_qpn_dealloc(slot_context(t, t->object[slot].ctx),
					   number_of(t, slot));
}

void real_mlx5dv_reserved_qpn_alloc(struct verbs_target *t,
				    const struct bound *b, struct outcome *o)
{
	struct verbs_object *object;
	uint32_t number = 0;

	RECORD_INT(o,
		   mlx5dv_reserved_qpn_alloc(slot_context(t, b->on), &number));
	if (o->ret)
		return;
	o->out.reserved.qpn = number;
	object = slot_fill(t, b, (void *)(uintptr_t)number);
	if (object)
		object->destroy = end_reservation;
}

static void drop_reservation(struct verbs_target *t, uint16_t ctx,
			     uint32_t number)
{
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		if (t->object[slot].kind == OBJ_MLX5_QPN &&
		    t->object[slot].ctx == ctx && number_of(t, slot) == number)
			slot_drop(t, slot);
}

void real_mlx5dv_reserved_qpn_dealloc(struct verbs_target *t,
				      const struct bound *b, struct outcome *o)
{
	RECORD_INT(o, mlx5dv_reserved_qpn_dealloc(slot_context(t, b->on),
						  b->in.reserved.qpn));
	if (!o->ret)
		drop_reservation(t, b->on, b->in.reserved.qpn);
}

void real_mlx5dv_map_ah_to_qp(struct verbs_target *t, const struct bound *b,
			      struct outcome *o)
{
	RECORD_INT(o, mlx5dv_map_ah_to_qp(slot_ptr(t, b->on),
					  b->in.ah_map.qp_num));
}
