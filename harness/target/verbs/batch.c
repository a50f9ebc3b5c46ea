// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Building and posting batches on a libibverbs device: a request of a list is
 * given to the builder of its kind, and to the setters of what it has. Where a
 * provider has no such function there is nothing that could be called.
 */
#include "contract/opcodes.h"
#include "target/verbs/flush.h"
#include "target/verbs/verbs_target.h"
#include "vendor/vendor.h"

static struct ibv_qp_ex *extended(const struct verbs_target *t, uint16_t slot)
{
	struct ibv_qp_ex *qp = slot_qp_ex(t, slot);

	return qp && qp->wr_start && qp->wr_complete && qp->wr_abort ? qp
								     : NULL;
}

void real_wr_start(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	struct ibv_qp_ex *qp = extended(t, b->on);

	o->err = ERRNO_POISON;
	o->ret = qp ? 0 : EOPNOTSUPP;
	if (!qp)
		return;
	ibv_wr_start(qp);
	t->object[b->on].open = true;
}

static bool build_rdma(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	uint64_t addr = wr->wr.rdma.remote_addr;
	uint32_t rkey = wr->wr.rdma.rkey;

	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
		if (qp->wr_rdma_write)
			ibv_wr_rdma_write(qp, rkey, addr);
		return qp->wr_rdma_write != NULL;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		if (qp->wr_rdma_write_imm)
			ibv_wr_rdma_write_imm(qp, rkey, addr, wr->imm_data);
		return qp->wr_rdma_write_imm != NULL;
	default:
		if (qp->wr_rdma_read)
			ibv_wr_rdma_read(qp, rkey, addr);
		return qp->wr_rdma_read != NULL;
	}
}

static bool build_atomic(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	uint64_t addr = wr->wr.atomic.remote_addr;
	uint64_t operand = wr->wr.atomic.compare_add;
	uint32_t rkey = wr->wr.atomic.rkey;

	if (wr->opcode == IBV_WR_ATOMIC_WRITE) {
		if (qp->wr_atomic_write)
			ibv_wr_atomic_write(qp, rkey, addr,
					    &wr->wr.atomic.swap);
		return qp->wr_atomic_write != NULL;
	}
	if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		if (qp->wr_atomic_fetch_add)
			ibv_wr_atomic_fetch_add(qp, rkey, addr, operand);
		return qp->wr_atomic_fetch_add != NULL;
	}
	if (qp->wr_atomic_cmp_swp)
		ibv_wr_atomic_cmp_swp(qp, rkey, addr, operand,
				      wr->wr.atomic.swap);
	return qp->wr_atomic_cmp_swp != NULL;
}

static bool build_flush(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
			const struct wr_args *in)
{
	flush_builder *builder = *flush_builder_of(qp);

	if (builder)
		builder(qp, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr,
			in->length, in->flush_type, in->flush_level);
	return builder != NULL;
}

static bool build_window(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_BIND_MW:
		if (qp->wr_bind_mw)
			ibv_wr_bind_mw(qp, wr->bind_mw.mw, wr->bind_mw.rkey,
				       &wr->bind_mw.bind_info);
		return qp->wr_bind_mw != NULL;
	case IBV_WR_LOCAL_INV:
		if (qp->wr_local_inv)
			ibv_wr_local_inv(qp, wr->invalidate_rkey);
		return qp->wr_local_inv != NULL;
	default:
		if (qp->wr_send_inv)
			ibv_wr_send_inv(qp, wr->invalidate_rkey);
		return qp->wr_send_inv != NULL;
	}
}

/* By the builder of its kind; false: there is none. */
static bool build_kind(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_SEND:
		if (qp->wr_send)
			ibv_wr_send(qp);
		return qp->wr_send != NULL;
	case IBV_WR_SEND_WITH_IMM:
		if (qp->wr_send_imm)
			ibv_wr_send_imm(qp, wr->imm_data);
		return qp->wr_send_imm != NULL;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
		return build_rdma(qp, wr);
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_WRITE:
		return build_atomic(qp, wr);
	case IBV_WR_BIND_MW:
	case IBV_WR_LOCAL_INV:
	case IBV_WR_SEND_WITH_INV:
		return build_window(qp, wr);
	case IBV_WR_TSO:
		if (qp->wr_send_tso)
			ibv_wr_send_tso(qp, wr->tso.hdr, wr->tso.hdr_sz,
					wr->tso.mss);
		return qp->wr_send_tso != NULL;
	default:
		return false;
	}
}

static bool build(const struct verbs_target *t, struct ibv_qp_ex *qp,
		  const struct ibv_send_wr *wr, const struct wr_args *in)
{
	qp->wr_id = wr->wr_id;
	qp->wr_flags = wr->send_flags & ~(unsigned int)IBV_SEND_INLINE;
	if (in->opcode == WR_FLUSH)
		return t->base.info.can_flush && build_flush(qp, wr, in);
	return build_kind(qp, wr);
}

static void set_inline_list(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr)
{
	struct ibv_data_buf buf[POST_MAX_SGE];
	size_t n = (size_t)wr->num_sge;

	for (size_t i = 0; i < n; i++) {
		buf[i].addr = (void *)(uintptr_t)wr->sg_list[i].addr;
		buf[i].length = wr->sg_list[i].length;
	}
	ibv_wr_set_inline_data_list(qp, n, buf);
}

static void set_data(struct ibv_qp_ex *qp, const struct ibv_send_wr *wr,
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

/* A request about a window has nobody that it is for: ibv_wr_post(3) has no
 * setter for it. */
static bool is_local(uint32_t opcode)
{
	return opcode == IBV_WR_BIND_MW || opcode == IBV_WR_LOCAL_INV;
}

/* Whom it is for, where its type has to be told with each request. */
static void set_receiver(struct verbs_target *t, struct ibv_qp_ex *qp,
			 const struct wr_args *in)
{
	const struct vendor_ops *vendor = vendor_of_device(&t->base.info);
	struct ibv_ah *ah = slot_ptr(t, in->ah);

	if (is_local(in->opcode))
		return;
	if (ah && vendor && vendor->address &&
	    qp->qp_base.qp_type == IBV_QPT_DRIVER)
		vendor->address(qp, ah, in);
	else if (ah && qp->qp_base.qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qp, ah, in->remote_qpn, in->remote_qkey);
	if (qp->qp_base.qp_type == IBV_QPT_XRC_SEND)
		ibv_wr_set_xrc_srqn(qp, in->remote_srqn);
}

/* What a builder was given is the caller's again. */
static void spoil_value(struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_ATOMIC_WRITE)
		wr->wr.atomic.swap = ~wr->wr.atomic.swap;
}

void real_wr(struct verbs_target *t, const struct bound *b, struct outcome *o)
{
	struct ibv_qp_ex *qp = extended(t, b->on);
	struct wr_args in = b->in.wr;
	struct request_list list;

	request_by_setter(&in);
	/* What shares its place with the address is wanted in the list. */
	if (qp && qp->qp_base.qp_type == IBV_QPT_DRIVER)
		in.ah = NO_OBJ;
	if (send_list_make(t, &in, &list)) {
		cannot_make(b, o, ENOMEM);
		return;
	}
	o->err = ERRNO_POISON;
	o->ret = 0;
	for (uint32_t at = 0; !o->ret && at <= in.more; at++) {
		const struct wr_args one = request_at(&in, at);
		struct ibv_send_wr *wr = &list.wr[at];

		if (!qp || !build(t, qp, wr, &one)) {
			o->ret = EOPNOTSUPP;
			break;
		}
		set_receiver(t, qp, &b->in.wr);
		if (opcode_sets_data(in.opcode))
			set_data(qp, wr, in.setter);
		spoil_value(wr);
	}
	if (!o->ret)
		window_was_bound(t, &in);
	send_list_free(&list);
}

void real_wr_complete(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	t->object[b->on].open = false;
	RECORD_INT(o, ibv_wr_complete(extended(t, b->on)));
}

void real_wr_abort(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	t->object[b->on].open = false;
	ibv_wr_abort(extended(t, b->on));
	o->ret = 0;
	o->err = ERRNO_POISON;
}
