// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Turns a request of a ring into a call of the model. The call's wr_id encodes
 * queue and ring index, so that the completion leads back to the request.
 */
#include "virtual/nic/far.h"

#define TAGS (UINT64_C(1) << 34) /* about a list of tags */
#define RECV (UINT64_C(1) << 33)
#define SRQ  (UINT64_C(1) << 32)

static uint64_t encode_wr_id(const struct virtual_object *queue, bool recv,
			     uint16_t index)
{
	bool srq = queue->sort == UVERBS_OBJECT_SRQ;

	return (recv ? RECV : 0) | (srq ? SRQ : 0) |
	       (uint64_t)queue->slot << 16 | index;
}

uint16_t nic_queue_of(uint64_t wr_id)
{
	return (uint16_t)(wr_id >> 16);
}

void nic_untranslate(uint64_t wr_id, struct nic_done *done, uint16_t *srq)
{
	done->recv = wr_id & RECV;
	done->on_tags = wr_id & TAGS;
	done->index = (uint16_t)wr_id;
	*srq = wr_id & SRQ ? (uint16_t)(wr_id >> 16) : NO_OBJ;
}

static uint64_t encode_buffer(uint16_t srq, uint16_t handle)
{
	return TAGS | RECV | SRQ | (uint64_t)srq << 16 | handle;
}

/* Returns the offset of an address in a region. */
static uint64_t offset_in(const struct virtual_device *d, uint16_t mr,
			  uint64_t address, bool from_zero)
{
	const struct virtual_object *o =
		mr == NO_OBJ ? NULL : core_object(d, mr);
	const struct virtual_region *r =
		o && o->sort == UVERBS_OBJECT_MR ? o->kept : NULL;

	if (!from_zero && mr != NO_OBJ && core_is_far(d, mr))
		return far_offset(d, mr, address);
	return r && !from_zero ? address - r->iova : address;
}

uint64_t nic_offset_in(const struct virtual_device *d, uint16_t mr,
		       uint64_t address)
{
	return offset_in(d, mr, address, false);
}

struct place nic_remote_place(const struct virtual_device *d, uint16_t slot,
			      uint32_t rkey, uint64_t address)
{
	bool from_zero;
	uint16_t mr = model_region_of_key(core_model(d), slot, rkey, true,
					  &from_zero);

	return (struct place){offset_in(d, mr, address, from_zero), mr};
}

static void find_remote(const struct virtual_device *d, uint16_t slot,
			const struct nic_request *r, struct wr_args *wr)
{
	struct place at =
		nic_remote_place(d, slot, wr->rkey, r->remote_address);

	wr->remote = at.mr;
	wr->remote_offset = at.offset;
	if (!wr->rkey)
		wr->rkey = UINT32_MAX; /* the key 0 is a wrong key */
}

static void find_window(const struct virtual_device *d, uint16_t slot,
			const struct nic_request *r, struct wr_args *wr)
{
	bool from_zero;

	wr->mw = model_window_of_key(core_model(d), slot, wr->mw_rkey);
	if (!wr->bind_length)
		return;
	wr->bind_mr = model_region_of_key(core_model(d), slot, r->bind_key,
					  false, &from_zero);
	wr->bind_offset = offset_in(d, wr->bind_mr, r->bind_address, false);
}

static enum verb verb_of(const struct virtual_object *queue, bool recv)
{
	if (queue->sort == UVERBS_OBJECT_SRQ)
		return V_post_srq_recv;
	if (queue->sort == UVERBS_OBJECT_WQ)
		return V_post_wq_recv;
	return recv ? V_post_recv : V_post_send;
}

/* Makes a call of ibv_post_srq_ops of an operation that a queue pair has read.
 * The list of tags is that of the queue pair's SRQ. */
static void translate_tags(const struct virtual_device *d, uint16_t slot,
			   const struct nic_request *r, struct bound *b)
{
	uint16_t srq = model_qp_srq(core_model(d), slot);
	struct ops_args ops = {
		.wr = *r->wr,
		.recv_wr_id = encode_buffer(srq, r->handle),
		.tag = r->tag,
		.mask = r->mask,
		.unexpected_cnt = r->unexpected,
		.handle = r->handle,
	};

	b->verb = V_post_srq_ops;
	b->on = srq;
	ops.wr.wr_id |= TAGS;
	ops.wr.mr = MEMORY_TAGS;
	ops.wr.offset = (uint64_t)srq << 48 | (uint64_t)r->handle << 32;
	b->in.ops = ops;
	d->nic->read[NIC_READ_TAG].any = false; /* the tag may be new */
}

void nic_translate(const struct virtual_device *d,
		   const struct virtual_object *queue, bool recv,
		   const struct nic_request *r, struct bound *b)
{
	struct wr_args *wr = r->wr;
	uint16_t slot = queue->slot;
	struct ibv_ah_attr ah;

	b->verb = verb_of(queue, recv);
	b->on = slot;
	b->result = NO_OBJ;
	wr->wr_id = encode_wr_id(queue, recv, r->index);
	wr->num_sge = wr->length != 0;
	wr->mr = recv ? MEMORY_RECEIVES : MEMORY_SENDS;
	wr->offset = (uint64_t)slot << 48 | (uint64_t)r->index << 32;
	wr->remote = wr->ah = wr->mw = wr->bind_mr = NO_OBJ;
	if (r->remote)
		find_remote(d, slot, r, wr);
	if (wr->opcode == IBV_WR_BIND_MW)
		find_window(d, slot, r, wr);
	if (r->on_tags)
		translate_tags(d, slot, r, b);
	if (!r->datagram)
		return;
	ah = r->ah;
	ah.port_num = model_qp_port(core_model(d), slot);
	wr->ah = nic_address(core_device(d, slot), &ah);
}
