/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds requests of verbs in the form of the device, for mlx5dv_wr_raw_wqe.
 * The target calls build_raw(), and `repro` writes it into C files. Packets
 * have a segment of their own, which is not built.
 */
#pragma once
#include <endian.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <string.h>
#include "program/repro/parts/request.h"
/* library: -lmlx5 */

/* part: mlx5dv_wr_raw_wqe raw_wqe build_raw */
#define RAW_NOP	    226 /* an operation of programs */
#define RAW_SEGMENT 16	/* bytes */
#define RAW_MOST    (63 * RAW_SEGMENT)
#define RAW_INLINE  (1u << 31) /* in the length of inline data */
#define RAW_AV	    (1u << 31) /* the address has all members */

/* The members of a request beside those of verbs. A stream and a key are of
 * requests to a DCT. */
struct raw_wqe {
	uint32_t wr_flags; /* of struct ibv_qp_ex */
	uint64_t dc_key;
	uint16_t stream;
};

struct raw_room {
	_Alignas(64) uint8_t bytes[RAW_MOST];
	size_t used;
};

/* Returns the next segment, of zeros; NULL if there is no room for it. */
static inline void *raw_segment(struct raw_room *to, size_t size)
{
	uint8_t *at = to->bytes + to->used;

	size = (size + RAW_SEGMENT - 1) / RAW_SEGMENT * RAW_SEGMENT;
	if (size > RAW_MOST - to->used)
		return NULL;
	memset(at, 0, size);
	to->used += size;
	return at;
}

static inline int raw_opcode(uint32_t opcode)
{
	switch (opcode) {
	case RAW_NOP:
		return MLX5_OPCODE_NOP;
	case IBV_WR_SEND:
		return MLX5_OPCODE_SEND;
	case IBV_WR_SEND_WITH_IMM:
		return MLX5_OPCODE_SEND_IMM;
	case IBV_WR_SEND_WITH_INV:
		return MLX5_OPCODE_SEND_INVAL;
	case IBV_WR_RDMA_WRITE:
		return MLX5_OPCODE_RDMA_WRITE;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return MLX5_OPCODE_RDMA_WRITE_IMM;
	case IBV_WR_RDMA_READ:
		return MLX5_OPCODE_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return MLX5_OPCODE_ATOMIC_CS;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return MLX5_OPCODE_ATOMIC_FA;
	default:
		return -1;
	}
}

/* Puts the address of a datagram, of a DCT, or of an XRC SRQ. */
static inline int raw_receiver(struct raw_room *to, const struct ibv_qp *qp,
			       const struct request *r,
			       const struct raw_wqe *raw)
{
	bool dci = qp->qp_type == IBV_QPT_DRIVER;
	struct mlx5_wqe_datagram_seg *seg;
	struct mlx5dv_ah dv;
	struct mlx5dv_obj obj = {.ah = {.in = r->ah, .out = &dv}};
	uint32_t srqn = htobe32(r->remote_srqn);
	void *xrc;

	if (qp->qp_type == IBV_QPT_XRC_SEND) {
		xrc = raw_segment(to, RAW_SEGMENT);
		memcpy(xrc, &srqn, sizeof(srqn));
	}
	if (!dci && qp->qp_type != IBV_QPT_UD)
		return 0;
	seg = (struct mlx5_wqe_datagram_seg *)raw_segment(to, sizeof(*seg));
	if (r->ah && mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH))
		return EINVAL;
	if (r->ah)
		seg->av = *dv.av;
	seg->av.dqp_dct = htobe32(r->remote_qpn | RAW_AV);
	if (dci)
		seg->av.key.dc_key = htobe64(raw->dc_key);
	else
		seg->av.key.qkey.qkey = htobe32(r->remote_qkey);
	return 0;
}

static inline bool raw_is_atomic(const struct request *r)
{
	return r->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* Puts the remote address, and the operands of an atomic operation. */
static inline void raw_remote(struct raw_room *to, const struct request *r)
{
	bool adds = r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
	const struct ibv_mr *mr = r->remote;
	struct mlx5_wqe_raddr_seg *seg;
	struct mlx5_wqe_atomic_seg *atomic;

	if (r->opcode != IBV_WR_RDMA_WRITE &&
	    r->opcode != IBV_WR_RDMA_WRITE_WITH_IMM && !fetches(r))
		return;
	seg = (struct mlx5_wqe_raddr_seg *)raw_segment(to, sizeof(*seg));
	seg->raddr = htobe64((mr ? (uintptr_t)mr->addr : 0) + r->remote_offset);
	seg->rkey = htobe32(r->rkey ? r->rkey : mr ? mr->rkey : 0);
	if (!raw_is_atomic(r))
		return;
	atomic = (struct mlx5_wqe_atomic_seg *)raw_segment(to, sizeof(*atomic));
	atomic->swap_add = htobe64(adds ? r->compare_add : r->swap);
	atomic->compare = adds ? 0 : htobe64(r->compare_add);
}

/* Puts inline data: their length, and bytes that lie one behind the other. */
static inline int raw_inline(struct raw_room *to, const struct ibv_send_wr *wr)
{
	uint32_t length = 0, word;
	uint8_t *seg;

	for (int i = 0; i < wr->num_sge; i++)
		length += wr->sg_list[i].length;
	if (!length)
		return 0;
	seg = (uint8_t *)raw_segment(to, sizeof(word) + length);
	if (!seg)
		return E2BIG;
	word = htobe32(length | RAW_INLINE);
	memcpy(seg, &word, sizeof(word));
	memcpy(seg + sizeof(word), (void *)(uintptr_t)wr->sg_list[0].addr,
	       length);
	return 0;
}

/* Puts the elements. A length of 0 would mean 2 GiB, so that those without
 * bytes are left out. */
static inline int raw_data(struct raw_room *to, const struct request *r,
			   const struct ibv_send_wr *wr)
{
	if (r->send_flags & IBV_SEND_INLINE && !fetches(r))
		return raw_inline(to, wr);
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];
		struct mlx5_wqe_data_seg *seg;

		if (!sge->length)
			continue;
		seg = (struct mlx5_wqe_data_seg *)raw_segment(to, sizeof(*seg));
		if (!seg)
			return E2BIG;
		mlx5dv_set_data_seg(seg, sge->length & ~RAW_INLINE, sge->lkey,
				    sge->addr);
	}
	return 0;
}

static inline uint8_t raw_flags(uint32_t flags)
{
	return (uint8_t)((flags & IBV_SEND_SIGNALED ? MLX5_WQE_CTRL_CQ_UPDATE
						    : 0) |
			 (flags & IBV_SEND_SOLICITED ? MLX5_WQE_CTRL_SOLICITED
						     : 0) |
			 (flags & IBV_SEND_FENCE ? MLX5_WQE_CTRL_FENCE : 0));
}

static inline uint32_t raw_immediate(const struct request *r)
{
	if (r->opcode == IBV_WR_SEND_WITH_INV)
		return htobe32(r->invalidate_rkey);
	return r->opcode == IBV_WR_SEND_WITH_IMM ||
			       r->opcode == IBV_WR_RDMA_WRITE_WITH_IMM
		       ? htobe32(r->imm_data)
		       : 0;
}

/* Fills in a WQE. Its index and its signature are the library's. */
static inline int raw_fill(struct raw_room *to, const struct ibv_qp *qp,
			   const struct request *r, const struct raw_wqe *raw,
			   const struct ibv_send_wr *wr)
{
	int opcode = raw_opcode(r->opcode);
	struct mlx5_wqe_ctrl_seg *control;
	int ret = 0;

	if (opcode < 0)
		return EOPNOTSUPP;
	to->used = 0;
	control = (struct mlx5_wqe_ctrl_seg *)raw_segment(to, sizeof(*control));
	if (r->opcode != RAW_NOP)
		ret = raw_receiver(to, qp, r, raw);
	if (!ret)
		raw_remote(to, r);
	if (!ret && r->opcode != RAW_NOP)
		ret = raw_data(to, r, wr);
	mlx5dv_set_ctrl_seg(control, 0xffff, (uint8_t)opcode, 0, qp->qp_num,
			    raw_flags(r->send_flags),
			    (uint8_t)(to->used / RAW_SEGMENT), 0xff,
			    raw_immediate(r));
	control->dci_stream_channel_id = htobe16(raw->stream);
	return ret;
}

static inline int build_raw(struct ibv_qp *qp, const struct request *asked,
			    const struct raw_wqe *raw)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp);
	struct mlx5dv_qp_ex *dv = mlx5dv_qp_ex_from_ibv_qp_ex(x);
	struct request_list list;
	struct raw_room wqe;
	int ret = 0;

	if (!dv->wr_raw_wqe || qp->qp_type == IBV_QPT_RAW_PACKET)
		return EOPNOTSUPP;
	if (send_list_make(asked, &list))
		return ENOMEM;
	for (uint32_t at = 0; at <= asked->more && !ret; at++) {
		const struct request one = request_nth(asked, at);

		ret = raw_fill(&wqe, qp, &one, raw, &list.wr[at]);
		if (ret)
			break;
		x->wr_id = one.wr_id;
		x->wr_flags = raw->wr_flags;
		mlx5dv_wr_raw_wqe(dv, wqe.bytes);
		spoil(wqe.bytes, sizeof(wqe.bytes));
	}
	send_list_free(&list);
	return ret;
}
