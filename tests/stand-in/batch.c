// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Batches of requests (ibv_wr_start). A builder only begins a request, and its
 * setters follow. The request goes to the model when the next request begins or
 * the batch ends.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/stand-in/stand_in.h"

static struct fake_qp *fake_qp(struct ibv_qp_ex *qp)
{
	return (struct fake_qp *)qp;
}

static int batch_call(struct fake_qp *qp, enum verb verb)
{
	struct bound b = fake_bound_on_object(verb, qp);
	struct answer a;

	return fake_call(fake_of(qp), &b, &a);
}

/* Passes the request that is being built, if there is one, to the model. */
static void finish_request(struct fake_qp *qp)
{
	struct fake *f = fake_of(qp);
	struct bound b = fake_bound_on_object(V_wr, qp);
	struct answer a;

	if (!qp->building)
		return;
	qp->building = false;
	qp->wr.sg_list = qp->sge;
	fake_inlined = qp->sge;
	fake_take_send(f, &b.in.wr, &qp->wr);
	if (qp->wr.opcode == IBV_WR_BIND_MW)
		b.in.wr.mw_rkey = qp->window_rkey;
	b.in.wr.setter = qp->setter;
	if (qp->wr.opcode == WR_FLUSH) {
		b.in.wr.length = qp->flush_length;
		b.in.wr.flush_type = qp->flush_type;
		b.in.wr.flush_level = qp->flush_level;
	}
	fake_call(f, &b, &a);
	free(qp->copy);
	qp->copy = NULL;
}

static void wr_start(struct ibv_qp_ex *ex)
{
	pthread_mutex_lock(&fake_qp(ex)->batch_lock);
	fake_qp(ex)->building = false;
	batch_call(fake_qp(ex), V_wr_start);
}

static int wr_complete(struct ibv_qp_ex *ex)
{
	int ret;

	finish_request(fake_qp(ex));
	ret = batch_call(fake_qp(ex), V_wr_complete);
	pthread_mutex_unlock(&fake_qp(ex)->batch_lock);
	return ret;
}

static void wr_abort(struct ibv_qp_ex *ex)
{
	finish_request(fake_qp(ex));
	batch_call(fake_qp(ex), V_wr_abort);
	pthread_mutex_unlock(&fake_qp(ex)->batch_lock);
}

static struct ibv_send_wr *begin_request(struct ibv_qp_ex *ex,
					 enum ibv_wr_opcode opcode)
{
	struct fake_qp *qp = fake_qp(ex);

	finish_request(qp);
	memset(&qp->wr, 0, sizeof(qp->wr));
	memset(qp->sge, 0, sizeof(qp->sge));
	qp->wr.wr_id = ex->wr_id;
	qp->wr.send_flags = ex->wr_flags;
	qp->wr.opcode = opcode;
	qp->setter = SET_SGE_LIST;
	qp->building = true;
	return &qp->wr;
}

static void wr_send(struct ibv_qp_ex *ex)
{
	begin_request(ex, IBV_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *ex, __be32 imm)
{
	begin_request(ex, IBV_WR_SEND_WITH_IMM)->imm_data = imm;
}

static void wr_send_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin_request(ex, IBV_WR_SEND_WITH_INV)->invalidate_rkey = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *ex, uint32_t rkey)
{
	begin_request(ex, IBV_WR_LOCAL_INV)->invalidate_rkey = rkey;
}

static void wr_bind_mw(struct ibv_qp_ex *ex, struct ibv_mw *mw, uint32_t rkey,
		       const struct ibv_mw_bind_info *to)
{
	struct ibv_send_wr *wr = begin_request(ex, IBV_WR_BIND_MW);

	fake_qp(ex)->window_rkey = mw->rkey;
	wr->bind_mw.mw = mw;
	wr->bind_mw.rkey = rkey;
	wr->bind_mw.bind_info = *to;
}

static struct ibv_send_wr *begin_rdma(struct ibv_qp_ex *ex,
				      enum ibv_wr_opcode opcode, uint32_t rkey,
				      uint64_t addr)
{
	struct ibv_send_wr *wr = begin_request(ex, opcode);

	wr->wr.rdma.rkey = rkey;
	wr->wr.rdma.remote_addr = addr;
	return wr;
}

static void wr_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_rdma(ex, IBV_WR_RDMA_WRITE, rkey, addr);
}

static void wr_write_imm(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr,
			 __be32 imm)
{
	begin_rdma(ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, addr)->imm_data = imm;
}

static void wr_read(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr)
{
	begin_rdma(ex, IBV_WR_RDMA_READ, rkey, addr);
}

static void begin_atomic(struct ibv_qp_ex *ex, enum ibv_wr_opcode opcode,
			 uint32_t rkey, uint64_t addr, uint64_t operand,
			 uint64_t swap)
{
	struct ibv_send_wr *wr = begin_request(ex, opcode);

	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.remote_addr = addr;
	wr->wr.atomic.compare_add = operand;
	wr->wr.atomic.swap = swap;
}

static void wr_cmp_swp(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr,
		       uint64_t compare, uint64_t swap)
{
	begin_atomic(ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, addr, compare, swap);
}

static void wr_atomic_write(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr,
			    const void *value)
{
	uint64_t copy;

	memcpy(&copy, value, sizeof(copy));
	begin_atomic(ex, IBV_WR_ATOMIC_WRITE, rkey, addr, 0, copy);
}

static void wr_flush(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr,
		     size_t length, uint8_t type, uint8_t level)
{
	begin_rdma(ex, (enum ibv_wr_opcode)WR_FLUSH, rkey, addr);
	fake_qp(ex)->flush_length = (uint32_t)length;
	fake_qp(ex)->flush_type = type;
	fake_qp(ex)->flush_level = level;
}

static void wr_fetch_add(struct ibv_qp_ex *ex, uint32_t rkey, uint64_t addr,
			 uint64_t add)
{
	begin_atomic(ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, addr, add, 0);
}

static void wr_send_tso(struct ibv_qp_ex *ex, void *header, uint16_t size,
			uint16_t mss)
{
	struct ibv_send_wr *wr = begin_request(ex, IBV_WR_TSO);

	wr->tso.hdr = header;
	wr->tso.hdr_sz = size;
	wr->tso.mss = mss;
}

static void wr_set_sge_list(struct ibv_qp_ex *ex, size_t n,
			    const struct ibv_sge *list)
{
	struct fake_qp *qp = fake_qp(ex);

	qp->wr.num_sge = (int)n;
	for (size_t i = 0; i < n && i < POST_MAX_SGE; i++)
		qp->sge[i] = list[i];
}

static void wr_set_sge(struct ibv_qp_ex *ex, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	const struct ibv_sge sge = {addr, length, lkey};

	wr_set_sge_list(ex, 1, &sge);
	fake_qp(ex)->setter = SET_SGE;
}

/* Copies the data, since the caller may reuse its buffers at once. */
static void wr_set_inline_list(struct ibv_qp_ex *ex, size_t n,
			       const struct ibv_data_buf *list)
{
	struct fake_qp *qp = fake_qp(ex);
	size_t length = 1, at = 0;

	for (size_t i = 0; i < n; i++)
		length += list[i].length;
	free(qp->copy);
	qp->copy = calloc(1, length);
	qp->wr.num_sge = (int)n;
	qp->setter = SET_INLINE_LIST;
	for (size_t i = 0; qp->copy && i < n && i < POST_MAX_SGE; i++) {
		memcpy(qp->copy + at, list[i].addr, list[i].length);
		qp->sge[i].addr = (uintptr_t)(qp->copy + at);
		qp->sge[i].length = (uint32_t)list[i].length;
		at += list[i].length;
	}
}

static void wr_set_inline(struct ibv_qp_ex *ex, void *addr, size_t length)
{
	const struct ibv_data_buf buf = {addr, length};

	wr_set_inline_list(ex, 1, &buf);
	fake_qp(ex)->setter = SET_INLINE;
}

static void wr_set_ud_addr(struct ibv_qp_ex *ex, struct ibv_ah *ah,
			   uint32_t qpn, uint32_t qkey)
{
	struct ibv_send_wr *wr = &fake_qp(ex)->wr;

	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = qpn;
	wr->wr.ud.remote_qkey = qkey;
}

static void wr_set_xrc_srqn(struct ibv_qp_ex *ex, uint32_t srqn)
{
	fake_qp(ex)->wr.qp_type.xrc.remote_srqn = srqn;
}

void fake_set_builders(struct fake_qp *qp, uint64_t ops)
{
	struct ibv_qp_ex *ex = &qp->ex;

	qp->extended = true;
	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline;
	ex->wr_set_inline_data_list = wr_set_inline_list;
	ex->wr_set_ud_addr = wr_set_ud_addr;
	ex->wr_set_xrc_srqn = wr_set_xrc_srqn;
	if (ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = wr_send;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = wr_send_imm;
	if (ops & IBV_QP_EX_WITH_SEND_WITH_INV)
		ex->wr_send_inv = wr_send_inv;
	if (ops & IBV_QP_EX_WITH_LOCAL_INV)
		ex->wr_local_inv = wr_local_inv;
	if (ops & IBV_QP_EX_WITH_BIND_MW)
		ex->wr_bind_mw = wr_bind_mw;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE)
		ex->wr_rdma_write = wr_write;
	if (ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ex->wr_rdma_write_imm = wr_write_imm;
	if (ops & IBV_QP_EX_WITH_RDMA_READ)
		ex->wr_rdma_read = wr_read;
	if (ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ex->wr_atomic_cmp_swp = wr_cmp_swp;
	if (ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ex->wr_atomic_fetch_add = wr_fetch_add;
	if (ops & IBV_QP_EX_WITH_TSO)
		ex->wr_send_tso = wr_send_tso;
	if (ops & IBV_QP_EX_WITH_ATOMIC_WRITE)
		ex->wr_atomic_write = wr_atomic_write;
	if (ops & QP_EX_WITH_FLUSH)
		*flush_builder_of(ex) = wr_flush;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	struct fake_qp *fake = (struct fake_qp *)qp;

	return fake->extended ? &fake->ex : NULL;
}
