/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A request of a batch (ibv_wr_post(3)): the builder of its operation, and the
 * setter of its data. A provider may lack a builder: EOPNOTSUPP.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include "program/repro/parts/request.h"
#include "target/verbs/flush.h"

/* part: build_request */
#define BUILD(builder, ...)                                                    \
	do {                                                                   \
		if (!qp->wr_##builder)                                         \
			return EOPNOTSUPP;                                     \
		ibv_wr_##builder(__VA_ARGS__);                                 \
	} while (0)

static inline int build_flush(struct ibv_qp_ex *qp,
			      const struct ibv_send_wr *wr,
			      const struct request *r)
{
	flush_builder *builder = *flush_builder_of(qp);

	if (!builder)
		return EOPNOTSUPP;
	builder(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr, r->length,
		r->flush_type, r->flush_level);
	return 0;
}

/* `wr` is request `r` in the form of ibv_post_send. */
static inline int build_request(struct ibv_qp_ex *qp,
				const struct ibv_send_wr *wr,
				const struct request *r)
{
	uint64_t addr = wr->wr.rdma.remote_addr;
	uint32_t rkey = wr->wr.rdma.rkey;

	qp->wr_id = wr->wr_id;
	qp->wr_flags = wr->send_flags & ~(unsigned int)IBV_SEND_INLINE;
	if (r->opcode == WR_FLUSH)
		return build_flush(qp, wr, r);
	switch (wr->opcode) {
	case IBV_WR_SEND:
		BUILD(send, qp);
		return 0;
	case IBV_WR_SEND_WITH_IMM:
		BUILD(send_imm, qp, wr->imm_data);
		return 0;
	case IBV_WR_RDMA_WRITE:
		BUILD(rdma_write, qp, rkey, addr);
		return 0;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		BUILD(rdma_write_imm, qp, rkey, addr, wr->imm_data);
		return 0;
	case IBV_WR_RDMA_READ:
		BUILD(rdma_read, qp, rkey, addr);
		return 0;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		BUILD(atomic_cmp_swp, qp, wr->wr.atomic.rkey,
		      wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add,
		      wr->wr.atomic.swap);
		return 0;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		BUILD(atomic_fetch_add, qp, wr->wr.atomic.rkey,
		      wr->wr.atomic.remote_addr, wr->wr.atomic.compare_add);
		return 0;
	case IBV_WR_ATOMIC_WRITE:
		BUILD(atomic_write, qp, wr->wr.atomic.rkey,
		      wr->wr.atomic.remote_addr, &wr->wr.atomic.swap);
		return 0;
	case IBV_WR_BIND_MW:
		BUILD(bind_mw, qp, wr->bind_mw.mw, wr->bind_mw.rkey,
		      &wr->bind_mw.bind_info);
		return 0;
	case IBV_WR_LOCAL_INV:
		BUILD(local_inv, qp, wr->invalidate_rkey);
		return 0;
	case IBV_WR_SEND_WITH_INV:
		BUILD(send_inv, qp, wr->invalidate_rkey);
		return 0;
	case IBV_WR_TSO:
		BUILD(send_tso, qp, wr->tso.hdr, wr->tso.hdr_sz, wr->tso.mss);
		return 0;
	default:
		return EOPNOTSUPP;
	}
}

/* part: has_receiver */
/* ibv_wr_post(3) has no setter of the receiver for requests about a window. */
static inline bool has_receiver(uint32_t opcode)
{
	return opcode != IBV_WR_BIND_MW && opcode != IBV_WR_LOCAL_INV;
}

/* part: set_data */
static inline void set_inline_list(struct ibv_qp_ex *qp,
				   const struct ibv_send_wr *wr)
{
	struct ibv_data_buf buf[POST_MAX_SGE];
	size_t n = (size_t)wr->num_sge;

	for (size_t i = 0; i < n; i++) {
		buf[i].addr = (void *)(uintptr_t)wr->sg_list[i].addr;
		buf[i].length = wr->sg_list[i].length;
	}
	ibv_wr_set_inline_data_list(qp, n, buf);
	spoil(buf, sizeof(buf));
}

static inline void set_data(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
			    uint32_t setter)
{
	const struct ibv_sge *first = wr->sg_list;

	switch (setter) {
	case SET_SGE_LIST:
		ibv_wr_set_sge_list(qp, (size_t)wr->num_sge, wr->sg_list);
		break;
	case SET_INLINE:
		ibv_wr_set_inline_data(qp, (void *)(uintptr_t)first->addr,
				       first->length);
		break;
	case SET_INLINE_LIST:
		set_inline_list(qp, wr);
		break;
	default:
		ibv_wr_set_sge(qp, first->lkey, first->addr, first->length);
		break;
	}
}

/* part: spoil_value */
/* The caller may change a value as soon as its builder has returned. */
static inline void spoil_value(struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_ATOMIC_WRITE)
		wr->wr.atomic.swap = ~wr->wr.atomic.swap;
}
