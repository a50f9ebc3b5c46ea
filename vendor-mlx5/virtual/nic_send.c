// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads requests as libmlx5 writes them into its rings. A send is a control
 * segment, segments of its operation, and data; a receive is a list of data
 * segments.
 */
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/virtual/rings.h"
#include <infiniband/mlx5dv.h>
#include <string.h>

#define INLINE	 (UINT32_C(1) << 31)
#define TWO_GIGA (UINT32_C(1) << 31) /* the meaning of a byte count of 0 */

static uint32_t word_at(uint64_t address)
{
	uint32_t word = __atomic_load_n((const uint32_t *)(uintptr_t)address,
					__ATOMIC_ACQUIRE);

	return be32toh(word);
}

/* Returns the address of a byte of a send. The send may wrap around the ring,
 * whose size is a power of two. */
static uint64_t address_of(const struct mlx5_queue *q, uint16_t index,
			   uint32_t byte)
{
	uint32_t size = q->blocks * MLX5_BLOCK;

	return q->sends + ((index * MLX5_BLOCK + byte) & (size - 1));
}

void mlx5_read_segments(const struct mlx5_queue *q, uint16_t index,
			uint32_t byte, void *to, size_t size)
{
	for (size_t n = 0; n < size; n += MLX5_SEGMENT)
		memcpy((char *)to + n,
		       (const void *)(uintptr_t)address_of(q, index,
							   byte + (uint32_t)n),
		       MLX5_SEGMENT);
}

static struct mlx5_wqe_ctrl_seg control_of(const struct mlx5_queue *q,
					   uint16_t index)
{
	struct mlx5_wqe_ctrl_seg c;

	mlx5_read_segments(q, index, 0, &c, sizeof(c));
	return c;
}

static uint8_t code_of(const struct mlx5_wqe_ctrl_seg *c)
{
	return (uint8_t)be32toh(c->opmod_idx_opcode);
}

uint8_t mlx5_opcode(const struct mlx5_queue *q, uint16_t index)
{
	const struct mlx5_wqe_ctrl_seg c = control_of(q, index);

	return code_of(&c);
}

bool mlx5_completes(const struct mlx5_queue *q, uint16_t index)
{
	return control_of(q, index).fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE;
}

static uint32_t bytes_of(const struct mlx5_wqe_ctrl_seg *c)
{
	return (be32toh(c->qpn_ds) & 0x3f) * MLX5_SEGMENT;
}

static const struct operation {
	uint8_t code;
	uint8_t opcode; /* IBV_WR_… */
	bool remote, atomic;
} operations[] = {
	{MLX5_OPCODE_SEND, IBV_WR_SEND, false, false},
	{MLX5_OPCODE_SEND_IMM, IBV_WR_SEND_WITH_IMM, false, false},
	{MLX5_OPCODE_SEND_INVAL, IBV_WR_SEND_WITH_INV, false, false},
	{MLX5_OPCODE_RDMA_WRITE, IBV_WR_RDMA_WRITE, true, false},
	{MLX5_OPCODE_RDMA_WRITE_IMM, IBV_WR_RDMA_WRITE_WITH_IMM, true, false},
	{MLX5_OPCODE_RDMA_READ, IBV_WR_RDMA_READ, true, false},
	{MLX5_OPCODE_ATOMIC_CS, IBV_WR_ATOMIC_CMP_AND_SWP, true, true},
	{MLX5_OPCODE_ATOMIC_FA, IBV_WR_ATOMIC_FETCH_AND_ADD, true, true},
	{MLX5_OPCODE_TSO, IBV_WR_TSO, false, false},
};

static const struct operation *operation_of(uint8_t code)
{
	for (size_t i = 0; i < COUNT(operations); i++)
		if (operations[i].code == code)
			return &operations[i];
	return NULL;
}

static uint32_t align(uint32_t size)
{
	return (size + MLX5_SEGMENT - 1) & ~(MLX5_SEGMENT - 1);
}

#define PACKET_HEADER offsetof(struct mlx5_wqe_eth_seg, inline_hdr_start)

/* Reads the Ethernet segment of a packet: checksum flags, and the first two
 * bytes of the inline header. */
static struct mlx5_wqe_eth_seg packet_of(const struct mlx5_queue *q,
					 uint16_t index)
{
	struct mlx5_wqe_eth_seg seg;

	memset(&seg, 0, sizeof(seg));
	mlx5_read_segments(q, index, sizeof(struct mlx5_wqe_ctrl_seg), &seg,
			   MLX5_SEGMENT);
	return seg;
}

static uint32_t packet_size(const struct mlx5_queue *q, uint16_t index)
{
	const struct mlx5_wqe_eth_seg seg = packet_of(q, index);
	uint32_t header = be16toh(seg.inline_hdr_sz);

	return align((uint32_t)PACKET_HEADER + (header > 2 ? header : 2));
}

/* Returns the size of the address segments, which the queue pair's type
 * decides. They precede the segments of the operation. */
static uint32_t address_size(const struct mlx5_queue *q, uint16_t index)
{
	switch (q->type) {
	case IBV_QPT_UD:
	case IBV_QPT_DRIVER: /* a DCI */
		return sizeof(struct mlx5_wqe_datagram_seg);
	case IBV_QPT_XRC_SEND:
		return MLX5_SEGMENT;
	case IBV_QPT_RAW_PACKET:
		return packet_size(q, index);
	default:
		return 0;
	}
}

static uint32_t data_begin(const struct mlx5_queue *q, uint16_t index,
			   const struct operation *op)
{
	uint32_t at = (uint32_t)sizeof(struct mlx5_wqe_ctrl_seg) +
		      address_size(q, index);

	if (op && op->remote)
		at += sizeof(struct mlx5_wqe_raddr_seg);
	if (op && op->atomic)
		at += sizeof(struct mlx5_wqe_atomic_seg);
	return at;
}

struct nic_part *mlx5_add_part(struct nic_parts *to, uint64_t address,
			       uint32_t length, uint32_t key)
{
	struct nic_part *part = &to->at[to->n];

	if (to->n == NIC_PARTS)
		return NULL;
	to->n++;
	*part = (struct nic_part){
		.address = address,
		.length = length,
		.key = key,
		.at.mr = NO_OBJ,
	};
	return part;
}

static void add_element(struct nic_parts *to,
			const struct mlx5_wqe_data_seg *seg, uint32_t length)
{
	mlx5_add_part(to, be64toh(seg->addr), length, be32toh(seg->lkey));
}

/* Adds inline data, which may wrap around the ring. */
static void add_inline(const struct mlx5_queue *q, uint16_t index, uint32_t at,
		       uint32_t length, struct nic_parts *to)
{
	uint64_t end = q->sends + q->blocks * MLX5_BLOCK;
	uint32_t done, room;

	for (done = 0; done < length; done += room) {
		uint64_t address = address_of(q, index, at + done);
		struct nic_part *part;

		room = (uint32_t)(end - address);
		if (length - done < room)
			room = length - done;
		part = mlx5_add_part(to, address, room, 0);
		if (part)
			part->here = true;
	}
}

/* Collects the data of a send. Returns false if its inline data are longer than
 * the send. */
static bool parts_of_send(const struct mlx5_queue *q, uint16_t index,
			  uint32_t at, uint32_t end, struct nic_parts *to)
{
	while (at < end) {
		struct mlx5_wqe_data_seg seg;
		uint32_t count;

		mlx5_read_segments(q, index, at, &seg, sizeof(seg));
		count = be32toh(seg.byte_count);
		if (count & INLINE) {
			count &= ~INLINE;
			at += (uint32_t)sizeof(count);
			if (count > end - at)
				return false;
			add_inline(q, index, at, count, to);
			at += align((uint32_t)sizeof(count) + count) -
			      (uint32_t)sizeof(count);
			continue;
		}
		add_element(to, &seg, count ? count : TWO_GIGA);
		at += (uint32_t)sizeof(seg);
	}
	return true;
}

/* A copy of memory: a segment of the device's own, the source, the target. */
#define SOURCE_AT (2 * MLX5_SEGMENT)
#define TARGET_AT (3 * MLX5_SEGMENT)

static void source_of_copy(const struct mlx5_queue *q, uint16_t index,
			   struct nic_parts *to)
{
	struct mlx5_wqe_data_seg seg;

	mlx5_read_segments(q, index, SOURCE_AT, &seg, sizeof(seg));
	add_element(to, &seg,
		    seg.byte_count ? be32toh(seg.byte_count) : TWO_GIGA);
}

static void take_copy(const struct mlx5_queue *q, uint16_t index,
		      struct nic_request *r, struct nic_parts *parts)
{
	struct mlx5_wqe_data_seg target;

	mlx5_read_segments(q, index, TARGET_AT, &target, sizeof(target));
	r->wr->opcode = MLX5_WR_MEMCPY;
	r->remote = true;
	r->remote_address = be64toh(target.addr);
	r->wr->rkey = be32toh(target.lkey);
	source_of_copy(q, index, parts);
	r->wr->length = parts->at[0].length;
}

static uint64_t receive_at(const struct mlx5_queue *q, uint16_t index)
{
	return q->receives +
	       ((uint64_t)(index & (q->nreceives - 1)) << q->shift);
}

static void parts_of_receive(const struct mlx5_queue *q, uint16_t index,
			     struct nic_parts *to)
{
	uint64_t address = receive_at(q, index);
	uint32_t size = UINT32_C(1) << q->shift;

	for (uint32_t at = q->before; at + MLX5_SEGMENT <= size;
	     at += (uint32_t)MLX5_SEGMENT) {
		struct mlx5_wqe_data_seg seg;

		memcpy(&seg, (const void *)(uintptr_t)(address + at),
		       sizeof(seg));
		if (!seg.byte_count && be32toh(seg.lkey) == MLX5_INVALID_LKEY)
			return;
		add_element(to, &seg, be32toh(seg.byte_count));
	}
}

void mlx5_parts(const struct virtual_object *queue, bool recv, uint16_t index,
		struct nic_parts *parts)
{
	const struct mlx5_queue *q = queue->own;
	struct mlx5_wqe_ctrl_seg c;
	uint8_t code;

	parts->n = 0;
	if (recv) {
		parts_of_receive(q, index, parts);
		return;
	}
	c = control_of(q, index);
	code = code_of(&c);
	if (code == MLX5_OPCODE_UMR && mlx5_entries(q, index, parts))
		return;
	if (code == MLX5_OPCODE_MMO) {
		source_of_copy(q, index, parts);
		return;
	}
	parts_of_send(q, index, data_begin(q, index, operation_of(code)),
		      bytes_of(&c), parts);
}

void mlx5_raw_send(const struct virtual_object *qp, uint16_t index,
		   struct nic_raw_send *send)
{
	const struct mlx5_queue *q = qp->own;
	const struct mlx5_wqe_eth_seg seg = packet_of(q, index);
	uint8_t header[NIC_RAW_HEADER + 2 * MLX5_SEGMENT];
	uint32_t size = be16toh(seg.inline_hdr_sz);

	if (size > NIC_RAW_HEADER)
		size = NIC_RAW_HEADER;
	mlx5_read_segments(q, index, sizeof(struct mlx5_wqe_ctrl_seg), header,
			   align((uint32_t)PACKET_HEADER + size));
	memcpy(send->header, header + PACKET_HEADER, size);
	send->header_size = size;
	send->segmented = mlx5_opcode(q, index) == MLX5_OPCODE_TSO;
	send->mss = be16toh(seg.mss);
	send->l3_checksum = seg.cs_flags & MLX5_ETH_WQE_L3_CSUM;
	send->l4_checksum = seg.cs_flags & MLX5_ETH_WQE_L4_CSUM;
}

void mlx5_receiver(const struct virtual_object *o, struct nic_receiver *r)
{
	const struct mlx5_queue *q = o->own;

	*r = (struct nic_receiver){.strips = q->strips,
				   .keeps_fcs = q->keeps_fcs,
				   .own_unicast = q->own_unicast,
				   .own_multicast = q->own_multicast,
				   .own_arrives = ROW_DV_LOOPBACK,
				   .own_lost = ROW_DV_LOOPBACK_NONE,
				   .hash = q->hashes ? &q->hash : NULL};
	if (!q->checks_inner)
		return;
	r->inner_right = ROW_DV_TUNNEL_CSUM_OK;
	r->inner_wrong = ROW_DV_TUNNEL_CSUM;
}

/* Returns the bytes of a request, or UINT32_MAX if they are more. */
static uint32_t length_of(const struct nic_parts *parts)
{
	uint64_t length = 0;

	for (unsigned int n = 0; n < parts->n; n++)
		length += parts->at[n].length;
	return length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
}

/* Returns the address handle attributes of a datagram. */
static struct ibv_ah_attr ah_of(const struct mlx5_wqe_av *av, bool ethernet)
{
	uint32_t route = be32toh(av->grh_gid_fl);
	struct ibv_ah_attr ah;

	memset(&ah, 0, sizeof(ah));
	ah.dlid = be16toh(av->rlid);
	ah.src_path_bits = av->fl_mlid & 0x7f;
	ah.sl = ethernet ? av->stat_rate_sl >> 1 & 7 : av->stat_rate_sl & 15;
	ah.is_global = ethernet || route >> 30 & 1;
	if (!ah.is_global)
		return ah;
	ah.grh.sgid_index = (uint8_t)(route >> 20);
	ah.grh.flow_label = route & 0xfffff;
	ah.grh.hop_limit = av->hop_limit;
	ah.grh.traffic_class = av->tclass;
	memcpy(ah.grh.dgid.raw, av->rgid, sizeof(ah.grh.dgid.raw));
	return ah;
}

#define EXTENDED (UINT32_C(1) << 31) /* the address segment has all members */

static void take_address(const struct mlx5_queue *q, uint16_t index,
			 struct nic_request *r)
{
	uint32_t at = sizeof(struct mlx5_wqe_ctrl_seg);
	struct mlx5_wqe_av av;

	if (q->type == IBV_QPT_XRC_SEND)
		r->wr->remote_srqn = word_at(address_of(q, index, at));
	if (r->wr->opcode == IBV_WR_TSO) {
		const struct mlx5_wqe_eth_seg seg = packet_of(q, index);

		r->wr->tso_hdr_sz = be16toh(seg.inline_hdr_sz);
		r->wr->tso_mss = be16toh(seg.mss);
	}
	if (q->type != IBV_QPT_UD && q->type != IBV_QPT_DRIVER)
		return;
	mlx5_read_segments(q, index, at, &av, sizeof(av));
	r->datagram = true;
	r->ah = ah_of(&av, q->ethernet);
	r->wr->remote_qpn = be32toh(av.dqp_dct) & ~EXTENDED;
	if (q->type == IBV_QPT_DRIVER)
		r->wr->vendor.mlx5.dc_key = be64toh(av.key.dc_key);
	else
		r->wr->remote_qkey = be32toh(av.key.qkey.qkey);
}

static void take_remote(const struct mlx5_queue *q, uint16_t index,
			const struct operation *op, struct nic_request *r)
{
	uint32_t at = (uint32_t)sizeof(struct mlx5_wqe_ctrl_seg) +
		      address_size(q, index);
	struct mlx5_wqe_raddr_seg remote;
	struct mlx5_wqe_atomic_seg atomic;

	if (!op->remote)
		return;
	mlx5_read_segments(q, index, at, &remote, sizeof(remote));
	r->remote = true;
	r->remote_address = be64toh(remote.raddr);
	r->wr->rkey = be32toh(remote.rkey);
	if (!op->atomic)
		return;
	at += sizeof(remote);
	mlx5_read_segments(q, index, at, &atomic, sizeof(atomic));
	r->wr->swap = be64toh(atomic.swap_add);
	r->wr->compare_add = op->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD
				     ? r->wr->swap
				     : be64toh(atomic.compare);
}

static uint32_t flags_of(const struct mlx5_wqe_ctrl_seg *c)
{
	uint32_t flags = 0;

	if (c->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE)
		flags |= IBV_SEND_SIGNALED;
	if (c->fm_ce_se & MLX5_WQE_CTRL_SOLICITED)
		flags |= IBV_SEND_SOLICITED;
	if (c->fm_ce_se & MLX5_WQE_CTRL_FENCE)
		flags |= IBV_SEND_FENCE;
	return flags;
}

static void fetch_send(struct mlx5_queue *q, struct nic_request *r,
		       struct nic_parts *parts)
{
	uint16_t index = q->taken[0];
	const struct operation *op;
	struct mlx5_wqe_ctrl_seg c;
	uint32_t blocks;
	uint8_t code;

	c = control_of(q, index);
	code = code_of(&c);
	op = operation_of(code);
	blocks = (bytes_of(&c) + MLX5_BLOCK - 1) / MLX5_BLOCK;
	q->taken[0] = (uint16_t)(index + (blocks ? blocks : 1));
	r->index = index;
	r->wr->opcode = op ? op->opcode : NIC_NO_OPERATION;
	r->wr->send_flags = flags_of(&c);
	r->wr->flags_alone = true;
	r->wr->imm_data = be32toh(c.imm);
	r->wr->vendor.mlx5.stream = be16toh(c.dci_stream_channel_id);
	if (code != MLX5_OPCODE_NOP)
		take_address(q, index, r);
	if (code == MLX5_OPCODE_MMO) {
		take_copy(q, index, r, parts);
	} else if (code == MLX5_OPCODE_TAG_MATCHING) {
		mlx5_take_tags(q, index, r);
	} else if (code == MLX5_OPCODE_NOP) {
		r->wr->opcode = MLX5_WR_NOP;
	} else if (code == MLX5_OPCODE_SET_PSV) {
		r->wr->opcode = MLX5_WR_PSV;
	} else if (code == MLX5_OPCODE_UMR) {
		if (mlx5_take_mkey(q, index, r->wr->imm_data, r, parts))
			r->wr->length = length_of(parts);
		else
			mlx5_take_window(q, index, r->wr->imm_data, r);
	}
	if (!op)
		return;
	if (op->opcode == IBV_WR_SEND_WITH_INV) {
		r->wr->invalidate_rkey = r->wr->imm_data;
		r->wr->imm_data = 0;
	}
	take_remote(q, index, op, r);
	if (parts_of_send(q, index, data_begin(q, index, op), bytes_of(&c),
			  parts))
		r->wr->length = length_of(parts);
	else
		r->wr->opcode = NIC_NO_OPERATION;
}

/* Returns the index of the next receive. Receives of an SRQ are a linked list;
 * a receive's link is valid once the receive was posted. */
static uint16_t next_receive(struct mlx5_queue *q)
{
	struct mlx5_wqe_srq_next_seg link;
	uint16_t index = q->shared ? q->next : q->taken[1];

	q->taken[1]++;
	if (!q->shared)
		return index;
	memcpy(&link, (const void *)(uintptr_t)receive_at(q, index),
	       sizeof(link));
	q->next = be16toh(link.next_wqe_index);
	return index;
}

void mlx5_begin_again(const struct virtual_object *qp)
{
	struct mlx5_queue *q = qp->own;

	if (q)
		q->taken[0] = q->taken[1] = 0;
}

#define LONGEST 16 /* blocks of a request */

/* Returns how far the doorbell record is ahead of what the NIC has taken. A
 * record that is more than two rings ahead is no count, and has nothing posted.
 */
unsigned int mlx5_posted(const struct virtual_object *queue, bool recv)
{
	const struct mlx5_queue *q = queue->own;
	uint32_t doorbell, room;
	uint16_t posted;

	room = !q ? 0 : recv ? q->nreceives : q->blocks;
	if (!room)
		return 0;
	doorbell = word_at(q->doorbell + (recv ? 0 : sizeof(uint32_t)));
	posted = (uint16_t)(doorbell - q->taken[recv]);
	return posted <= 2 * (room + LONGEST) ? posted : 0;
}

const void *mlx5_bell(const struct virtual_object *queue)
{
	const struct mlx5_queue *q = queue->own;

	return q ? (const void *)(uintptr_t)q->doorbell : NULL;
}

void mlx5_fetch(struct virtual_object *queue, bool recv, struct nic_request *r,
		struct nic_parts *parts)
{
	struct mlx5_queue *q = queue->own;

	parts->n = 0;
	if (!recv) {
		fetch_send(q, r, parts);
		mlx5_forget(queue, false, r->index);
		return;
	}
	r->index = next_receive(q);
	mlx5_forget(queue, true, r->index);
	parts_of_receive(q, r->index, parts);
	r->wr->length = length_of(parts);
}
