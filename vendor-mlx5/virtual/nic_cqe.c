// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes completion queue entries as libmlx5 reads them. The last byte of an
 * entry, with opcode and owner bit, hands the entry over.
 */
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/virtual/clock.h"
#include "vendor-mlx5/virtual/rings.h"
#include <infiniband/mlx5dv.h>
#include <string.h>

#define COUNTER	  0xffffffu /* bits of a counter in a doorbell record */
#define SOLICITED (UINT32_C(1) << 24) /* events for solicited only */

#define NEVER_ARMED UINT32_MAX

uint32_t mlx5_mark_unheard(uint64_t doorbell)
{
	uint32_t *arm = (uint32_t *)(uintptr_t)doorbell + 1;

	__atomic_store_n(arm, NEVER_ARMED, __ATOMIC_RELEASE);
	return NEVER_ARMED;
}

static uint32_t record(const struct mlx5_cq *cq, unsigned int n)
{
	const uint32_t *at = (const uint32_t *)(uintptr_t)cq->doorbell;

	return be32toh(__atomic_load_n(at + n, __ATOMIC_ACQUIRE));
}

/* Returns how many entries the library has not released yet. */
static unsigned int unread(const struct virtual_object *object)
{
	const struct mlx5_cq *cq = object->own;
	uint32_t seen = record(cq, 0);
	uint32_t used = (cq->produced - seen) & COUNTER;

	return seen == cq->stepped_at ? used - cq->stepped : used;
}

/* Returns how many entries are free. One entry is reserved for the entry that
 * announces a resize; libmlx5 relies on the free entry as well when it removes
 * a queue pair's completions. */
unsigned int mlx5_room(const struct virtual_object *object)
{
	const struct mlx5_cq *cq = object->own;
	uint32_t most = cq->entries - 1, used = unread(object);

	return used < most ? most - used : 0;
}

void mlx5_step_over(struct mlx5_cq *cq)
{
	uint32_t seen = record(cq, 0);

	cq->stepped = seen == cq->stepped_at ? cq->stepped + 1 : 1;
	cq->stepped_at = seen;
}

static enum nic_arming armed(struct virtual_object *object)
{
	struct mlx5_cq *cq = object->own;
	uint32_t word = record(cq, 1);

	if (word == cq->heard)
		return NIC_AS_BEFORE;
	cq->heard = word;
	if (word & SOLICITED)
		return NIC_ARMED_SOLICITED;
	return (cq->produced - word) & COUNTER ? NIC_BEHIND : NIC_ARMED;
}

static const struct {
	uint8_t status, syndrome;
} syndromes[] = {
	{IBV_WC_LOC_LEN_ERR, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR},
	{IBV_WC_LOC_QP_OP_ERR, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR},
	{IBV_WC_LOC_PROT_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR},
	{IBV_WC_WR_FLUSH_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR},
	{IBV_WC_MW_BIND_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR},
	{IBV_WC_BAD_RESP_ERR, MLX5_CQE_SYNDROME_BAD_RESP_ERR},
	{IBV_WC_LOC_ACCESS_ERR, MLX5_CQE_SYNDROME_LOCAL_ACCESS_ERR},
	{IBV_WC_REM_INV_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR},
	{IBV_WC_REM_ACCESS_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR},
	{IBV_WC_REM_OP_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR},
	{IBV_WC_RETRY_EXC_ERR, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR},
	{IBV_WC_RNR_RETRY_EXC_ERR, MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR},
	{IBV_WC_REM_ABORT_ERR, MLX5_CQE_SYNDROME_REMOTE_ABORTED_ERR},
};

static uint8_t syndrome_of(uint32_t status)
{
	for (size_t i = 0; i < COUNT(syndromes); i++)
		if (syndromes[i].status == status)
			return syndromes[i].syndrome;
	return 0;
}

static const struct mlx5_queue *queue_of(const struct virtual_object *o)
{
	return o ? o->own : NULL;
}

/* Returns the opcode of a send, and the number of the queue pair. */
static uint32_t operation(const struct nic_done *done)
{
	const struct mlx5_queue *q = queue_of(done->qp);
	uint32_t code = 0;

	if (!done->recv && q)
		code = mlx5_opcode(q, done->index);
	return code << 24 | done->qpn;
}

/* Returns the user index of an SRQ with a completion queue of its own for its
 * receives, of the queue pair for all else. */
static uint32_t index_of(const struct nic_done *done)
{
	const struct mlx5_queue *srq = queue_of(done->srq);
	const struct mlx5_queue *qp = queue_of(done->qp);

	if (srq && srq->type != IBV_SRQT_BASIC)
		return srq->index;
	return qp ? qp->index : 0;
}

static uint8_t write_error(struct mlx5_cqe64 *cqe, const struct nic_done *done)
{
	struct mlx5_err_cqe *e = (struct mlx5_err_cqe *)cqe;

	memset(e, 0, sizeof(*e) - 1);
	e->srqn = htobe32(index_of(done));
	e->syndrome = syndrome_of(done->wc->status);
	e->vendor_err_synd = (uint8_t)done->wc->vendor_err;
	e->s_wqe_opcode_qpn = htobe32(operation(done));
	e->wqe_counter = htobe16(done->index);
	return done->recv ? MLX5_CQE_RESP_ERR : MLX5_CQE_REQ_ERR;
}

static uint8_t received(const struct polled_wc *wc)
{
	if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		return MLX5_CQE_RESP_WR_IMM;
	if (wc->wc_flags & IBV_WC_WITH_IMM)
		return MLX5_CQE_RESP_SEND_IMM;
	if (wc->wc_flags & IBV_WC_WITH_INV)
		return MLX5_CQE_RESP_SEND_INV;
	return MLX5_CQE_RESP_SEND;
}

#define L4_TCP	      1
#define L4_UDP	      2
#define STRIPPED      1 /* bit of l4_hdr_type_etc */
#define L3_SHIFT      2
#define L4_SHIFT      4
#define FLOW_TAG_BITS 0xffffffu

/* Describes a raw packet: its headers, whether their checksums are right, the
 * VLAN tag that was taken off, and the tag of the flow rule. */
static void describe_packet(struct mlx5_cqe64 *cqe,
			    const struct nic_raw_info *raw)
{
	uint8_t l3 = raw->version == 4	 ? MLX5_CQE_L3_HDR_TYPE_IPV4
		     : raw->version == 6 ? MLX5_CQE_L3_HDR_TYPE_IPV6
					 : MLX5_CQE_L3_HDR_TYPE_NONE;
	uint8_t l4 = raw->protocol == PROTO_TCP	  ? L4_TCP
		     : raw->protocol == PROTO_UDP ? L4_UDP
						  : 0;

	cqe->hds_ip_ext = (uint8_t)(MLX5_CQE_L2_OK |
				    (raw->l3_right ? MLX5_CQE_L3_OK : 0) |
				    (raw->l4_right ? MLX5_CQE_L4_OK : 0));
	cqe->l4_hdr_type_etc = (uint8_t)(l4 << L4_SHIFT | l3 << L3_SHIFT |
					 (raw->stripped ? STRIPPED : 0));
	if (raw->stripped)
		cqe->vlan_info = htobe16(raw->vlan);
	cqe->sop_drop_qpn = htobe32(raw->tag & FLOW_TAG_BITS);
}

static uint8_t write_success(struct mlx5_cqe64 *cqe,
			     const struct nic_done *done)
{
	const struct polled_wc *wc = done->wc;
	uint32_t grh = wc->wc_flags & IBV_WC_GRH ? 1 : 0;

	memset(cqe, 0, sizeof(*cqe) - 1);
	cqe->srqn_uidx = htobe32(index_of(done));
	cqe->sop_drop_qpn = htobe32(operation(done));
	cqe->wqe_counter = htobe16(done->index);
	cqe->byte_cnt = htobe32(wc->byte_len);
	if (!done->recv)
		return MLX5_CQE_REQ;
	cqe->flags_rqpn =
		htobe32(grh << 28 | (uint32_t)(wc->sl & 15) << 24 | wc->src_qp);
	cqe->slid = htobe16((uint16_t)wc->slid);
	cqe->ml_path = wc->path_bits;
	cqe->imm_inval_pkey =
		htobe32(wc->wc_flags & IBV_WC_WITH_INV ? wc->invalidated_rkey
						       : wc->imm_data);
	if (done->raw)
		describe_packet(cqe, done->raw);
	if (done->srq && queue_of(done->srq)->type == IBV_SRQT_TM)
		mlx5_mark_untagged(cqe, done);
	return received(wc);
}

uint8_t *mlx5_next_entry(const struct mlx5_cq *cq)
{
	uint32_t at = cq->produced & (cq->entries - 1);
	uint64_t address = cq->buffer + (uint64_t)at * cq->size;

	return (uint8_t *)(uintptr_t)address;
}

/* Writes an entry all but its last byte. Returns its opcode. */
static uint8_t write_entry(struct mlx5_cqe64 *cqe, const struct nic_done *done)
{
	if (done->on_tags)
		return mlx5_write_tags(cqe, done);
	return done->wc->status == IBV_WC_SUCCESS ? write_success(cqe, done)
						  : write_error(cqe, done);
}

/* Does what seeded faults do to the entry of a receive. */
static void break_entry(struct mlx5_cq *cq, struct mlx5_cqe64 *cqe,
			const struct nic_done *done)
{
	uint32_t imm = cqe->imm_inval_pkey;

	if (!done->recv || done->wc->status != IBV_WC_SUCCESS)
		return;
	if (cq->cuts_bytes)
		cqe->byte_cnt = htobe32(done->wc->byte_len % 64);
	if (cq->drops_imm)
		cqe->imm_inval_pkey = 0;
	if (!cq->repeats_imm || !(done->wc->wc_flags & IBV_WC_WITH_IMM))
		return;
	if (cq->has_imm)
		cqe->imm_inval_pkey = cq->last_imm;
	cq->last_imm = imm;
	cq->has_imm = true;
}

static void complete(struct virtual_object *object, const struct nic_done *done)
{
	struct mlx5_cq *cq = object->own;
	uint8_t *entry = mlx5_next_entry(cq);
	/* A long entry ends with the layout of a short entry. */
	struct mlx5_cqe64 *cqe =
		(struct mlx5_cqe64 *)(entry + cq->size - sizeof(*cqe));
	bool good = done->wc->status == IBV_WC_SUCCESS;
	uint8_t mark = write_entry(cqe, done);

	if (cq->pads)
		memset(entry, 0, cq->size - sizeof(*cqe));
	break_entry(cq, cqe, done);
	mark = (uint8_t)(mark << 4 | !!(cq->produced & cq->entries));
	/* In a short entry the data overwrite other members. */
	if (good && !done->on_tags)
		mark |= mlx5_scatter_to(entry, cq->size, done);
	/* Only extended queues show the time, and reading a clock costs. */
	if (object->start_poll && good)
		cqe->timestamp = htobe64(mlx5_cycles(cq->khz));
	__atomic_store_n(&cqe->op_own, mark, __ATOMIC_RELEASE);
	cq->produced++;
}

static const void *bell(const struct virtual_object *object)
{
	const struct mlx5_cq *cq = object->own;

	if (object->sort == UVERBS_OBJECT_CQ)
		return (const void *)(uintptr_t)cq->doorbell;
	return mlx5_bell(object);
}

const struct nic_driver mlx5_nic = {
	.posted = mlx5_posted,
	.fetch = mlx5_fetch,
	.parts = mlx5_parts,
	.tag = mlx5_tag_parts,
	.keep = mlx5_keep,
	.raw_send = mlx5_raw_send,
	.receiver = mlx5_receiver,
	.unread = unread,
	.room = mlx5_room,
	.complete = complete,
	.tell = mlx5_tell,
	.tell_size = sizeof(struct mlx5_sig_error),
	.armed = armed,
	.bell = bell,
};
