// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Scatter to CQE: a few bytes of data go into the completion queue entry
 * instead of memory, and libmlx5 copies them from there. Decides for which
 * completions mlx5_ib enables this, and keeps the bytes until the completion.
 */
#include <infiniband/mlx5dv.h>
#include <rdma/mlx5-abi.h>
#include <stdlib.h>
#include <string.h>
#include "mutants/mutant.h"
#include "model/data/ring.h"
#include "vendor-mlx5/virtual/driver.h"
#include "vendor-mlx5/virtual/rings.h"

/* Returns how many data bytes an entry of this size holds. */
static uint8_t room_in(uint32_t size)
{
	return size == MLX5_LONG_ENTRY ? 64 : 32;
}

uint32_t mlx5_entry_size(const struct command *c, uint16_t cq)
{
	const struct virtual_object *o =
		cq == NO_OBJ ? NULL : core_object(c->device, cq);

	return o ? ((const struct mlx5_cq *)o->own)->size : 0;
}

/* Returns how many bytes of a receive go into its entry, 0 for none. XRC has
 * no receive queue of its own; its SRQ names the completion queue. */
static uint8_t of_receives(const struct command *c,
			   const struct qp_init_args *init, uint32_t flags)
{
	uint32_t size = mlx5_entry_size(c, init->recv_cq);

	if (mlx5_breaks(c, ROW_SCATTER_TYPE))
		return room_in(size);
	if (flags & MLX5_QP_FLAG_TYPE_DCT)
		return size == MLX5_LONG_ENTRY ? room_in(size) : 0;
	if (init->qp_type == IBV_QPT_RC || init->qp_type == IBV_QPT_UC)
		return size ? room_in(size) : 0;
	return 0;
}

static bool sends_allowed(const struct command *c,
			  const struct qp_init_args *init, uint32_t flags)
{
	return init->sq_sig_all || flags & MLX5_QP_FLAG_ALLOW_SCATTER_CQE ||
	       mlx5_breaks(c, ROW_SCATTER_SENDS);
}

/* Returns how many bytes of a response go into its entry, 0 for none. No device
 * file says whether a DCI does so in short entries, so it does not. */
static uint8_t of_sends(const struct command *c,
			const struct qp_init_args *init, uint32_t flags)
{
	uint32_t size = mlx5_entry_size(c, init->send_cq);
	bool dci = flags & MLX5_QP_FLAG_TYPE_DCI;
	bool type = dci || init->qp_type == IBV_QPT_RC ||
		    mlx5_breaks(c, ROW_SCATTER_TYPE);

	if (!size || !type || !sends_allowed(c, init, flags))
		return 0;
	return dci && size != MLX5_LONG_ENTRY ? 0 : room_in(size);
}

/* Returns true if the device scatters to CQE with these flags. */
static bool scatters(const struct command *c, uint32_t flags)
{
	bool allowed = flags & MLX5_QP_FLAG_ALLOW_SCATTER_CQE;
	int choice = mutant_choice(model_mutant(core_model(c->device)),
				   allowed ? ROW_SCATTER_ALLOWED
					   : ROW_SCATTER_DEFAULT);

	if (!(flags & MLX5_QP_FLAG_SCATTER_CQE))
		return mlx5_breaks(c, ROW_SCATTER_DISABLED);
	return choice != OUT_IN_MEMORY;
}

void mlx5_scatter(const struct command *c, const struct qp_init_args *init,
		  uint32_t flags, struct mlx5_queue *q)
{
	q->marks_all = mlx5_breaks(c, ROW_SCATTER_FITS);
	if (!scatters(c, flags))
		return;
	q->scatters[false] = of_sends(c, init, flags);
	q->scatters[true] = of_receives(c, init, flags);
	if (q->tags && q->scatters[true])
		q->scatters[true] = room_in(q->tags->entry);
}

/* Data bytes kept until the completion of a request or receive. */
struct waiting {
	uint8_t length;
	uint8_t bytes[64];
};

/* Returns where the bytes of a receive, or of a send's block, are kept; NULL if
 * the queue keeps none. */
static struct waiting *waiting_of(const struct virtual_object *queue, bool recv,
				  uint16_t index)
{
	const struct mlx5_queue *q = queue->own;
	struct waiting *all = queue->kept;

	if (!all || queue->sort == UVERBS_OBJECT_WQ)
		return NULL;
	if (recv)
		return &all[index & (q->nreceives - 1)];
	return &all[q->nreceives + (index & (q->blocks - 1))];
}

static bool make_room(struct virtual_object *queue)
{
	const struct mlx5_queue *q = queue->own;

	if (!queue->kept)
		queue->kept = calloc((size_t)q->nreceives + q->blocks,
				     sizeof(struct waiting));
	return queue->kept != NULL;
}

void *mlx5_keep(struct virtual_object *queue, const struct virtual_object *qp,
		bool recv, uint16_t index, uint64_t length)
{
	const struct mlx5_queue *by = qp->own;
	struct waiting *w;

	if (!length || length > by->scatters[recv])
		return NULL;
	if (!recv && !mlx5_completes(by, index))
		return NULL;
	if (!make_room(queue))
		return NULL;
	w = waiting_of(queue, recv, index);
	w->length = (uint8_t)length;
	return w->bytes;
}

void mlx5_forget(const struct virtual_object *queue, bool recv, uint16_t index)
{
	struct waiting *w = waiting_of(queue, recv, index);

	if (w)
		w->length = 0;
}

static bool marks_all(const struct nic_done *done)
{
	const struct mlx5_queue *q = done->qp ? done->qp->own : NULL;

	return q && q->marks_all && done->recv;
}

uint8_t mlx5_scatter_to(uint8_t *entry, uint32_t size,
			const struct nic_done *done)
{
	const struct virtual_object *queue = done->srq ? done->srq : done->qp;
	struct waiting *w =
		queue ? waiting_of(queue, done->recv, done->index) : NULL;
	uint8_t mark = size == MLX5_LONG_ENTRY ? MLX5_INLINE_SCATTER_64
					       : MLX5_INLINE_SCATTER_32;

	if (!w || !w->length || w->length > room_in(size))
		return marks_all(done) ? mark : 0;
	memcpy(entry, w->bytes, w->length);
	w->length = 0;
	return mark;
}
