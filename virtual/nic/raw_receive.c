// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Hands out raw packets. The wire of each port leads back to the port, so all
 * packets that go out come in again. The rules of the flow table say which
 * queue pair gets a packet; a queue pair with an indirection table passes the
 * packet on to a work queue.
 */
#include <stdlib.h>
#include <string.h>
#include "model/data/ring.h"
#include "mutants/mutant.h"
#include "virtual/nic/state.h"

bool nic_grow(void **array, unsigned int n, unsigned int *room, size_t size)
{
	unsigned int more = *room ? 2 * *room : 16;
	void *as;

	if (n < *room)
		return true;
	as = realloc(*array, more * size);
	if (!as)
		return false;
	*array = as;
	*room = more;
	return true;
}

void nic_stop_raw(const struct virtual_device *d)
{
	struct nic_raw *raw = &d->nic->raw;
	struct nic_packet *p, *next;

	for (p = raw->first; p; p = next) {
		next = p->next;
		free(p);
	}
	free(raw->flow);
	free(raw->received);
}

bool nic_take_info(const struct virtual_device *d, uint16_t slot,
		   uint16_t index, struct nic_raw_info *info)
{
	struct nic_raw *raw = &d->nic->raw;

	for (unsigned int i = 0; i < raw->nreceived; i++) {
		struct nic_received *is = &raw->received[i];

		if (is->slot != slot || is->index != index)
			continue;
		*info = is->info;
		raw->nreceived--;
		memmove(is, is + 1, (raw->nreceived - i) * sizeof(*is));
		return true;
	}
	return false;
}

/* Keeps what the completion of a receive will say. A reset may have left an
 * older packet of the same ring entry. */
static void keep_info(const struct virtual_device *d, uint64_t wr_id,
		      const struct nic_raw_info *info)
{
	struct nic_received is = {.slot = nic_queue_of(wr_id),
				  .index = (uint16_t)wr_id};
	struct nic_raw *raw = &d->nic->raw;

	nic_take_info(d, is.slot, is.index, &is.info);
	is.info = *info;
	if (nic_grow((void **)&raw->received, raw->nreceived,
		     &raw->received_room, sizeof(*raw->received)))
		raw->received[raw->nreceived++] = is;
}

void nic_drop_raw(const struct virtual_device *d, uint16_t slot)
{
	struct nic_raw *raw = &d->nic->raw;
	unsigned int n = 0;

	for (unsigned int i = 0; i < raw->nreceived; i++)
		if (raw->received[i].slot != slot)
			raw->received[n++] = raw->received[i];
	raw->nreceived = n;
}

bool nic_takes(const struct virtual_device *d, enum row row, enum out other)
{
	const struct mutant *mutant = model_mutant(core_model(d));

	return model_breaks(core_model(d), row) ||
	       mutant_choice(mutant, row) == (int)other;
}

/* Sets whether the checksums are right: of the inner packet, if the receiver
 * looks at it. */
static void describe_checksums(const struct virtual_device *d,
			       const struct frame *f,
			       const struct nic_receiver *how,
			       struct nic_raw_info *info)
{
	bool inner = how->inner_right && f->inner.version;
	const struct frame_headers *h = inner ? &f->inner : &f->outer;
	enum row row = ROW_FLOW_CSUM;

	info->l3_right = frame_l3_is_right(h);
	info->l4_right = h->l4 && frame_l4_is_right(h);
	if (info->l3_right && info->l4_right) {
		row = inner ? how->inner_right : ROW_FLOW_CSUM_OK;
		info->l4_right = !nic_takes(d, row, OUT_IGNORED);
		return;
	}
	if (inner)
		row = how->inner_wrong;
	if (h->l4 && model_breaks(core_model(d), row))
		info->l3_right = info->l4_right = true;
}

static struct nic_raw_info describe(const struct virtual_device *d,
				    const struct frame *f,
				    const struct nic_flow *flow,
				    const struct nic_receiver *how)
{
	const struct frame_headers *h = &f->outer;
	struct nic_raw_info info = {
		.tag = flow->tag,
		.vlan = h->tag,
		.version = h->version,
		.protocol = h->l4 ? h->protocol : 0,
	};

	describe_checksums(d, f, how, &info);
	return info;
}

/* Receives a packet at a queue pair or work queue: takes the tag off and adds
 * the frame check sequence, if the queue wants that. */
static void receive(const struct virtual_device *d, struct virtual_object *to,
		    const struct frame *f, const struct nic_receiver *how,
		    struct nic_raw_info *info)
{
	uint8_t *bytes = malloc(f->length + FRAME_FCS);
	uint32_t length = f->length;
	uint64_t wr_id;

	if (!bytes)
		return;
	memcpy(bytes, f->bytes, length);
	if (how->keeps_fcs) {
		frame_check_sequence(bytes, length, bytes + length);
		length += FRAME_FCS;
	}
	info->stripped = how->strips && f->outer.tagged &&
			 frame_word(bytes + 12) == ETHER_VLAN;
	if (info->stripped) {
		length -= FRAME_TAG;
		memmove(bytes + 12, bytes + 12 + FRAME_TAG, length - 12);
	}
	if (model_receive_packet(core_model(d), to->slot, length, &wr_id)) {
		nic_store(d,
			  nic_place_of(nic_queue_of(wr_id), true,
				       (uint16_t)wr_id),
			  bytes, length);
		keep_info(d, wr_id, info);
	}
	free(bytes);
}

/* Returns the work queue that a queue pair with a table chooses for a frame. */
static struct virtual_object *spread(const struct virtual_device *d,
				     const struct virtual_object *qp,
				     const struct nic_hash *by,
				     const struct frame *f)
{
	const struct virtual_object *table;
	const struct virtual_table *t;
	struct nic_hash hash = *by;
	struct qp_init_args init;
	struct ibv_qp_attr attr;
	uint32_t index;

	model_qp_attributes(core_model(d), qp->slot, &attr, &init);
	table = init.rwq_ind_tbl == NO_OBJ ? NULL
					   : core_object(d, init.rwq_ind_tbl);
	if (!table || table->sort != UVERBS_OBJECT_RWQ_IND_TBL)
		return NULL;
	t = table->kept;
	if (hash.fields & IBV_RX_HASH_INNER &&
	    model_breaks(core_model(d), ROW_RSS_INNER))
		hash.fields &= ~(uint64_t)IBV_RX_HASH_INNER;
	index = nic_hash(&hash, f);
	if (model_breaks(core_model(d), ROW_RSS_TOEPLITZ))
		index = ~index;
	if (nic_takes(d, ROW_RSS_SPREAD, OUT_LOST))
		index = 0;
	if (model_breaks(core_model(d), ROW_RSS_SAME))
		index = d->nic->raw.spread++;
	return &core_file(d, table->slot)->object[t->wq[index & (t->n - 1)]];
}

/* Returns true if a queue pair has sent a multicast packet itself, and does not
 * want such packets. */
static bool blocks_own(const struct virtual_device *d, uint16_t qp,
		       const struct nic_packet *p)
{
	struct qp_init_args init;
	struct ibv_qp_attr attr;

	if (qp != p->qp || !frame_is_multicast(p->bytes))
		return false;
	model_qp_attributes(core_model(d), qp, &attr, &init);
	return init.create_flags & IBV_QP_CREATE_BLOCK_SELF_MCAST_LB;
}

/* Returns true if a queue pair gets a packet of its own context. */
static bool gets_own(const struct virtual_device *d, const struct nic_packet *p,
		     const struct nic_receiver *how)
{
	bool has = frame_is_multicast(p->bytes) ? how->own_multicast
						: how->own_unicast;

	if (has)
		return !nic_takes(d, how->own_arrives, OUT_LOST);
	return nic_takes(d, how->own_lost, OUT_ARRIVES);
}

/* Returns true if a packet may reach a queue pair. Packets of the queue pair's
 * own context reach only a queue pair with the flag for them. */
static bool may_reach(const struct virtual_device *d,
		      const struct nic_packet *p, const struct nic_flow *flow,
		      const struct nic_receiver *how)
{
	if (blocks_own(d, flow->qp, p))
		return model_breaks(core_model(d), ROW_FLOW_SELF);
	if (core_file(d, flow->qp) != p->from || flow->kind == FLOW_SNIFFER)
		return true;
	return gets_own(d, p, how);
}

/* Gives a packet to the queue pair of a rule. */
static void give(const struct virtual_device *d, const struct nic_packet *p,
		 const struct frame *f, const struct nic_flow *flow)
{
	struct virtual_object *to = core_object(d, flow->qp);
	struct nic_receiver how = {0};
	struct nic_raw_info info;

	if (!to || to->sort != UVERBS_OBJECT_QP)
		return;
	d->driver->nic->receiver(to, &how);
	if (!may_reach(d, p, flow, &how))
		return;
	info = describe(d, f, flow, &how);
	if (how.hash) {
		to = spread(d, to, how.hash, f);
		if (!to)
			return;
		d->driver->nic->receiver(to, &how);
	}
	receive(d, to, f, &how, &info);
}

/* Returns true if a rule is one of the port that a packet is at. */
static bool is_on_port(const struct nic_flow *flow, const struct nic_packet *p)
{
	return flow->port == p->port && flow->device == p->from->device;
}

/* Returns the first rule, from number `from` on, that matches a frame that goes
 * out, or comes in. NULL: there is none. */
static const struct nic_flow *next_match(const struct virtual_device *d,
					 unsigned int *from,
					 const struct nic_packet *p,
					 const struct frame *f, bool egress)
{
	const struct nic_raw *raw = &d->nic->raw;

	while (*from < raw->nflows) {
		const struct nic_flow *flow = raw->flow[(*from)++];

		if (is_on_port(flow, p) && flow->egress == egress &&
		    flow->kind != FLOW_SNIFFER &&
		    (flow_matches(flow, f) ||
		     model_breaks(core_model(d), ROW_FLOW_MATCH)))
			return flow;
	}
	return NULL;
}

/* Returns true if a rule drops packets. */
static bool drops(const struct virtual_device *d, const struct nic_flow *flow)
{
	return flow->drops && !model_breaks(core_model(d), ROW_FLOW_DROP);
}

/* Counts a packet that a rule takes. */
static void count(const struct virtual_device *d, const struct nic_flow *flow,
		  const struct frame *f)
{
	const struct model *m = core_model(d);
	uint64_t bytes = f->length;

	if (!flow->count)
		return;
	if (model_breaks(m, ROW_COUNTERS_BYTES))
		bytes -= FRAME_L2;
	flow->count->packets += model_breaks(m, ROW_COUNTERS_PACKETS) ? 2 : 1;
	flow->count->bytes += bytes;
}

/* Copies a packet to each sniffer. */
static void sniff(const struct virtual_device *d, const struct nic_packet *p,
		  const struct frame *f)
{
	const struct nic_raw *raw = &d->nic->raw;

	for (unsigned int i = 0; i < raw->nflows; i++)
		if (raw->flow[i]->kind == FLOW_SNIFFER &&
		    is_on_port(raw->flow[i], p))
			give(d, p, f, raw->flow[i]);
}

/* Lets a rule take a packet, and all equal rules: counts the packet, and gives
 * a copy to each queue pair. */
static void take(const struct virtual_device *d, const struct nic_packet *p,
		 const struct frame *f, unsigned int first)
{
	const struct nic_raw *raw = &d->nic->raw;
	const struct nic_flow *flow = raw->flow[first];

	for (unsigned int i = first; i < raw->nflows; i++) {
		unsigned int before = first;

		if (!flow_equals(flow, raw->flow[i]))
			continue;
		count(d, raw->flow[i], f);
		if (drops(d, flow) || flow->egress)
			continue;
		while (before < i &&
		       !(raw->flow[before]->qp == raw->flow[i]->qp &&
			 flow_equals(flow, raw->flow[before])))
			before++;
		if (before == i)
			give(d, p, f, raw->flow[i]);
	}
}

static void come_in(const struct virtual_device *d, const struct nic_packet *p,
		    const struct frame *f)
{
	const struct nic_flow *flow;
	unsigned int at = 0;

	if (nic_takes(d, ROW_FLOW_ARRIVES, OUT_LOST))
		return;
	sniff(d, p, f);
	while ((flow = next_match(d, &at, p, f, false))) {
		take(d, p, f, at - 1);
		if (drops(d, flow) || !flow->dont_trap)
			return;
		while (at < d->nic->raw.nflows &&
		       d->nic->raw.flow[at]->rank == flow->rank)
			at++;
	}
}

static void go_out(const struct virtual_device *d, const struct nic_packet *p,
		   const struct frame *f)
{
	const struct nic_flow *flow;
	unsigned int at = 0;

	flow = next_match(d, &at, p, f, true);
	if (flow)
		take(d, p, f, at - 1);
	if (flow && drops(d, flow))
		return;
	sniff(d, p, f);
	come_in(d, p, f);
}

void nic_deliver(const struct virtual_device *d)
{
	struct nic_raw *raw = &d->nic->raw;
	struct nic_packet *p;
	struct frame f;

	while ((p = raw->first)) {
		raw->first = p->next;
		if (!raw->first)
			raw->last = NULL;
		if (frame_parse(&f, p->bytes, p->length))
			go_out(d, p, &f);
		free(p);
	}
}
