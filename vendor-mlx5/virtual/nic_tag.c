// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tag matching: reads the operations on a list of tags that libmlx5 posts to
 * the command queue pair of an SRQ, keeps the buffers of the tags, and fills
 * the completion queue entries of such an SRQ.
 */
#include <infiniband/mlx5dv.h>
#include <infiniband/tm_types.h>
#include <string.h>
#include "vendor-mlx5/virtual/rings.h"

/* Segments of an operation: control, operation (two), buffer of a new tag */
#define OPERATION_AT MLX5_SEGMENT
#define BUFFER_AT    (3 * MLX5_SEGMENT)

enum operation { SYNC, APPEND, REMOVE };
#define OPERATION_SHIFT 4
#define COUNTS		(1u << 6) /* flags of the operation's segment */
#define COMPLETES	(1u << 7)

/* Members `app` and `app_op` of an entry. CONSUMED: a message matches, its data
 * come later; EXPECTED: they are there; BOTH: one entry for both; TOO_LONG:
 * the program has to read the payload. */
#define APP 1
enum app_op {
	CONSUMED = 0x1,
	EXPECTED = 0x2,
	UNEXPECTED = 0x3,
	NO_TAG = 0x4,
	APPENDED = 0x5,
	REMOVED = 0x6,
	SYNCED = 0x7,
	BOTH = 0xa,
	TOO_LONG = 0xb,
};

/* An operation to add a tag names the handle of the tag that is added next. */
static void append(const struct mlx5_queue *q, struct mlx5_queue *list,
		   uint16_t index, uint16_t next, struct nic_request *r)
{
	struct mlx5_tag *tag = &list->tag[list->next_tag];
	struct mlx5_wqe_data_seg seg;

	mlx5_read_segments(q, index, BUFFER_AT, &seg, sizeof(seg));
	*tag = (struct mlx5_tag){
		.address = be64toh(seg.addr),
		.length = be32toh(seg.byte_count),
		.key = be32toh(seg.lkey),
	};
	r->handle = list->next_tag;
	r->wr->opcode = IBV_WR_TAG_ADD;
	r->wr->length = tag->length;
	list->next_tag = next;
}

void mlx5_take_tags(const struct mlx5_queue *q, uint16_t index,
		    struct nic_request *r)
{
	struct mlx5_queue *list = q->tags;
	struct mlx5_wqe_tm_seg seg;
	uint16_t handle;

	mlx5_read_segments(q, index, OPERATION_AT, &seg, sizeof(seg));
	handle = be16toh(seg.index);
	if (!list || handle >= list->ntags ||
	    seg.opcode >> OPERATION_SHIFT > REMOVE)
		return;
	r->on_tags = true;
	r->unexpected = be16toh(seg.sw_cnt);
	r->tag = be64toh(seg.append_tag);
	r->mask = be64toh(seg.append_mask);
	r->handle = handle;
	r->wr->send_flags = (seg.flags & COMPLETES ? IBV_OPS_SIGNALED : 0u) |
			    (seg.flags & COUNTS ? IBV_OPS_TM_SYNC : 0u);
	if (seg.opcode >> OPERATION_SHIFT == APPEND)
		append(q, list, index, handle, r);
	else if (seg.opcode >> OPERATION_SHIFT == REMOVE)
		r->wr->opcode = IBV_WR_TAG_DEL;
	else
		r->wr->opcode = IBV_WR_TAG_SYNC;
}

void mlx5_tag_parts(const struct virtual_object *srq, uint16_t handle,
		    struct nic_parts *parts)
{
	const struct mlx5_queue *list = srq->own;
	const struct mlx5_tag *tag;

	parts->n = 0;
	if (!list || handle >= list->ntags)
		return;
	tag = &list->tag[handle];
	if (tag->length)
		mlx5_add_part(parts, tag->address, tag->length, tag->key);
}

/* Writes the result of an operation. */
static uint8_t write_operation(struct mlx5_cqe64 *cqe,
			       const struct nic_done *done)
{
	const struct polled_wc *wc = done->wc;

	cqe->app_op = wc->opcode == IBV_WC_TM_ADD    ? APPENDED
		      : wc->opcode == IBV_WC_TM_SYNC ? SYNCED
						     : REMOVED;
	if (wc->status == IBV_WC_SUCCESS)
		cqe->tm_cqe.success = htobe32(MLX5_TMC_SUCCESS);
	else
		cqe->app_op = REMOVED;
	cqe->tm_cqe.hw_phase_cnt = htobe16((uint16_t)done->tag);
	return MLX5_CQE_NO_PACKET;
}

static uint8_t match_of(const struct polled_wc *wc)
{
	if (wc->status != IBV_WC_SUCCESS)
		return TOO_LONG;
	if (!(wc->wc_flags & IBV_WC_TM_DATA_VALID))
		return CONSUMED;
	return wc->wc_flags & IBV_WC_TM_MATCH ? BOTH : EXPECTED;
}

/* Writes that a message matches a tag, with the header of the message. */
static uint8_t write_match(struct mlx5_cqe64 *cqe, const struct nic_done *done)
{
	cqe->app_op = match_of(done->wc);
	cqe->app_info = htobe16(done->index);
	cqe->byte_cnt = htobe32(done->wc->byte_len);
	if (cqe->app_op != EXPECTED) {
		cqe->tmh.tag = htobe64(done->tag);
		cqe->tmh.app_ctx = htobe32(done->tag_data);
	}
	return cqe->app_op == CONSUMED ? MLX5_CQE_NO_PACKET
				       : MLX5_CQE_RESP_SEND;
}

/* Returns the SRQ that an entry is about, or NULL. */
static const struct mlx5_queue *list_of(const struct nic_done *done)
{
	const struct virtual_object *o = done->recv ? done->srq : done->qp;
	const struct mlx5_queue *q = o ? o->own : NULL;

	return q && !done->recv ? q->tags : q;
}

uint8_t mlx5_write_tags(struct mlx5_cqe64 *cqe, const struct nic_done *done)
{
	const struct mlx5_queue *list = list_of(done);

	memset(cqe, 0, sizeof(*cqe) - 1);
	cqe->srqn_uidx = htobe32(list ? list->index : 0);
	cqe->sop_drop_qpn = htobe32(done->qpn);
	cqe->wqe_counter = htobe16(done->index);
	cqe->app = APP;
	return done->recv ? write_match(cqe, done) : write_operation(cqe, done);
}

void mlx5_mark_untagged(struct mlx5_cqe64 *cqe, const struct nic_done *done)
{
	cqe->app = APP;
	cqe->app_op =
		done->wc->opcode == IBV_WC_TM_NO_TAG ? NO_TAG : UNEXPECTED;
}
