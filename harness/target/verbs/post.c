// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Posting to the queues of a libibverbs device, and polling for what becomes
 * of it. Every wait is bounded.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "contract/opcodes.h"
#include "target/verbs/verbs_target.h"

static struct ibv_sge element(const struct verbs_target *t, uint16_t slot,
			      uint64_t offset, uint32_t length, uint32_t lkey)
{
	const struct ibv_mr *mr = slot_ptr(t, slot);

	return (struct ibv_sge){
		.addr = mr ? (uintptr_t)mr->addr + offset : 0,
		.length = length,
		.lkey = lkey ? lkey
			: mr ? mr->lkey
			     : 0,
	};
}

/* Those of one request. */
static void fill_elements(const struct verbs_target *t,
			  const struct wr_args *in,
			  struct ibv_sge sge[POST_MAX_SGE])
{
	const struct ibv_sge first =
		element(t, in->mr, in->offset, in->length, in->lkey);

	for (int i = 0; i < POST_MAX_SGE; i++) {
		sge[i] = first;
		sge[i].addr += (uint64_t)i * (uint64_t)in->stride;
	}
	if (in->part && in->part <= POST_MAX_SGE)
		sge[in->part - 1] = element(t, in->part_mr, in->part_offset,
					    in->part_length, in->part_lkey);
}

#define INLINE_MAX (1u << 24) /* of all elements; no provider copies more */

static bool is_mapped(const struct ibv_mr *mr, const struct ibv_sge *sge)
{
	uint64_t from = (uintptr_t)mr->addr;

	return mr->length <= MR_MAPPED_MAX && sge->addr >= from &&
	       sge->addr - from <= mr->length &&
	       sge->length <= mr->length - (sge->addr - from);
}

/* The region that an element of a request is of. */
static const struct ibv_mr *region_of(const struct verbs_target *t,
				      const struct wr_args *in, uint32_t i)
{
	return slot_ptr(t, in->part == i + 1 ? in->part_mr : in->mr);
}

/* Inline data need no registered memory, and the caller has it back at once:
 * elements that lie in the region are copied, others are zeros. */
static void *inline_data(const struct verbs_target *t, const struct wr_args *in,
			 struct ibv_sge *sge)
{
	uint32_t n = in->num_sge < POST_MAX_SGE ? in->num_sge : POST_MAX_SGE;
	char *data = NULL, *at;
	size_t all = 1;

	for (uint32_t i = 0; i < n; i++)
		all += sge[i].length;
	if (in->send_flags & IBV_SEND_INLINE && all <= INLINE_MAX)
		data = calloc(1, all);
	at = data;
	for (uint32_t i = 0; data && i < n; i++) {
		const struct ibv_mr *mr = region_of(t, in, i);

		if (mr && is_mapped(mr, &sge[i]))
			memcpy(at, (void *)(uintptr_t)sge[i].addr,
			       sge[i].length);
		sge[i].addr = (uintptr_t)at;
		sge[i].lkey = 0;
		at += sge[i].length;
	}
	return data;
}

/* The members overlap. A provider reads those of the type, whatever the
 * operation: with an address handle they are the datagram's. */
static void fill_remote(const struct verbs_target *t, struct ibv_send_wr *wr,
			const struct wr_args *in)
{
	const struct ibv_mr *mr = slot_ptr(t, in->remote);
	uint64_t addr = (mr ? (uintptr_t)mr->addr : 0) + in->remote_offset;
	uint32_t rkey = in->rkey ? in->rkey : mr ? mr->rkey : 0;

	if (in->ah != NO_OBJ) {
		wr->wr.ud.ah = slot_ptr(t, in->ah);
		wr->wr.ud.remote_qpn = in->remote_qpn;
		wr->wr.ud.remote_qkey = in->remote_qkey;
		return;
	}
	switch (in->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_WRITE:
		wr->wr.atomic.remote_addr = addr;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = in->compare_add;
		wr->wr.atomic.swap = in->swap;
		break;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_RDMA_READ:
	case WR_FLUSH:
		wr->wr.rdma.remote_addr = addr;
		wr->wr.rdma.rkey = rkey;
		break;
	default:
		break;
	}
}

struct ibv_mw_bind_info bind_info(const struct verbs_target *t,
				  const struct wr_args *in)
{
	struct ibv_mr *mr = slot_ptr(t, in->bind_mr);

	return (struct ibv_mw_bind_info){
		.mr = mr,
		.addr = (mr ? (uintptr_t)mr->addr : 0) + in->bind_offset,
		.length = in->bind_length,
		.mw_access_flags = in->bind_access,
	};
}

static void fill_window(const struct verbs_target *t, struct ibv_send_wr *wr,
			const struct wr_args *in)
{
	if (in->opcode == IBV_WR_LOCAL_INV ||
	    in->opcode == IBV_WR_SEND_WITH_INV)
		wr->invalidate_rkey = in->invalidate_rkey;
	if (in->opcode != IBV_WR_BIND_MW)
		return;
	wr->bind_mw.mw = slot_ptr(t, in->mw);
	wr->bind_mw.rkey = in->bind_rkey;
	wr->bind_mw.bind_info = bind_info(t, in);
	if (in->mw_rkey)
		wr->bind_mw.mw->rkey = in->mw_rkey;
}

static void fill_segments(struct ibv_send_wr *wr, const struct wr_args *in)
{
	if (in->opcode != IBV_WR_TSO)
		return;
	wr->tso.hdr = (void *)(uintptr_t)tso_header;
	wr->tso.hdr_sz = in->tso_hdr_sz;
	wr->tso.mss = in->tso_mss;
}

static void fill_send(const struct verbs_target *t, struct ibv_send_wr *wr,
		      const struct wr_args *in, struct ibv_sge *sge)
{
	memset(wr, 0, sizeof(*wr));
	wr->wr_id = in->wr_id;
	wr->sg_list = sge;
	wr->num_sge = (int)in->num_sge;
	wr->opcode = (enum ibv_wr_opcode)in->opcode;
	wr->send_flags = in->send_flags;
	wr->imm_data = htobe32(in->imm_data);
	wr->qp_type.xrc.remote_srqn = in->remote_srqn;
	fill_remote(t, wr, in);
	fill_window(t, wr, in);
	fill_segments(wr, in);
}

/* Which request of the list a pointer is, by its distance from the first. */
static int32_t which(const void *bad, const void *list, size_t size, size_t n)
{
	uintptr_t from = (uintptr_t)list, at = (uintptr_t)bad;

	if (!bad)
		return BAD_WR_NULL;
	if (at < from || at >= from + n * size || (at - from) % size)
		return BAD_WR_WILD;
	return (int32_t)((at - from) / size);
}

/* The odd request has elements of its own, the others share theirs. */
static void fill_lists(const struct verbs_target *t, const struct wr_args *in,
		       struct ibv_sge sge[2][POST_MAX_SGE])
{
	const struct wr_args odd = request_at(in, in->odd - 1);

	fill_elements(t, in, sge[false]);
	if (in->odd)
		fill_elements(t, &odd, sge[true]);
}

static void take_inline(const struct verbs_target *t, const struct wr_args *in,
			struct request_list *list)
{
	const struct wr_args odd = request_at(in, in->odd - 1);

	list->data[false] = inline_data(t, in, list->sge[false]);
	if (in->odd)
		list->data[true] = inline_data(t, &odd, list->sge[true]);
}

int send_list_make(const struct verbs_target *t, const struct wr_args *in,
		   struct request_list *list)
{
	size_t n = (size_t)in->more + 1;

	list->data[false] = list->data[true] = NULL;
	list->wr = calloc(n, sizeof(list->wr[0]));
	if (!list->wr)
		return ENOMEM;
	fill_lists(t, in, list->sge);
	take_inline(t, in, list);
	for (uint32_t at = 0; at < n; at++) {
		const struct wr_args one = request_at(in, at);

		fill_send(t, &list->wr[at], &one, list->sge[in->odd == at + 1]);
		list->wr[at].next = at < in->more ? &list->wr[at + 1] : NULL;
	}
	return 0;
}

void send_list_free(struct request_list *list)
{
	free(list->data[false]);
	free(list->data[true]);
	free(list->wr);
}

/* Of type 2 it is the caller who keeps the structure as the window is. */
void window_was_bound(const struct verbs_target *t, const struct wr_args *in)
{
	struct ibv_mw *mw = slot_ptr(t, in->mw);

	if (mw && in->opcode == IBV_WR_BIND_MW)
		mw->rkey = in->bind_rkey;
}

void real_bind_mw(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	const struct wr_args *in = &b->in.wr;
	struct ibv_mw *mw = slot_ptr(t, in->mw);
	struct ibv_mw_bind bind = {
		.wr_id = in->wr_id,
		.send_flags = in->send_flags,
		.bind_info = bind_info(t, in),
	};
	struct ibv_mw_bind before = bind;

	if (in->mw_rkey)
		mw->rkey = in->mw_rkey;
	RECORD_INT(o, ibv_bind_mw(slot_ptr(t, b->on), mw, &bind));
	o->in_changed = memcmp(&bind, &before, sizeof(bind)) != 0;
	o->out.keys.rkey = mw->rkey;
}

void real_post_send(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_send_wr untouched, *bad = &untouched;
	struct request_list list;

	if (send_list_make(t, &b->in.wr, &list)) {
		cannot_make(b, o, ENOMEM);
		return;
	}
	RECORD_INT(o, ibv_post_send(slot_ptr(t, b->on), list.wr, &bad));
	o->out.posted.bad_wr = bad == &untouched
				       ? BAD_WR_UNTOUCHED
				       : which(bad, list.wr, sizeof(list.wr[0]),
					       (size_t)b->in.wr.more + 1);
	if (!o->ret || o->out.posted.bad_wr > 0)
		window_was_bound(t, &b->in.wr);
	send_list_free(&list);
}

static struct ibv_recv_wr *recv_list(const struct wr_args *in,
				     struct ibv_sge sge[2][POST_MAX_SGE])
{
	struct ibv_recv_wr *list = calloc((size_t)in->more + 1, sizeof(*list));

	for (uint32_t at = 0; list && at <= in->more; at++)
		list[at] = (struct ibv_recv_wr){
			.wr_id = in->wr_id + at,
			.next = at < in->more ? &list[at + 1] : NULL,
			.sg_list = sge[in->odd == at + 1],
			.num_sge = (int)request_at(in, at).num_sge,
		};
	return list;
}

static void post_recv(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	const struct wr_args *in = &b->in.wr;
	struct ibv_sge sge[2][POST_MAX_SGE];
	struct ibv_recv_wr *list = recv_list(in, sge), untouched;
	struct ibv_recv_wr *bad = &untouched;
	void *queue = slot_ptr(t, b->on);

	if (!list) {
		cannot_make(b, o, ENOMEM);
		return;
	}
	fill_lists(t, in, sge);
	if (b->verb == V_post_srq_recv)
		RECORD_INT(o, ibv_post_srq_recv(queue, list, &bad));
	else
		RECORD_INT(o, ibv_post_recv(queue, list, &bad));
	o->out.posted.bad_wr =
		bad == &untouched
			? BAD_WR_UNTOUCHED
			: which(bad, list, sizeof(*list), (size_t)in->more + 1);
	free(list);
}

void real_post_recv(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	post_recv(t, b, o);
}

void real_post_srq_recv(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	post_recv(t, b, o);
}

uint16_t qp_slot(const struct verbs_target *t, const struct ibv_context *on,
		 uint32_t qp_num)
{
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		const struct ibv_qp *qp = t->object[slot].ptr;

		if (t->object[slot].kind == OBJ_QP && qp->qp_num == qp_num &&
		    qp->context->device == on->device)
			return slot;
	}
	return NO_OBJ;
}

static void keep(const struct verbs_target *t, const struct ibv_cq *cq,
		 const struct ibv_wc *wc, struct polled_wc *out)
{
	out->wr_id = wc->wr_id;
	out->status = wc->status;
	out->opcode = wc->opcode;
	out->byte_len = wc->byte_len;
	out->wc_flags = wc->wc_flags;
	out->imm_data = be32toh(wc->imm_data);
	out->invalidated_rkey = wc->invalidated_rkey;
	out->src_qp = wc->src_qp;
	out->vendor_err = wc->vendor_err;
	out->slid = wc->slid;
	out->sl = wc->sl;
	out->path_bits = wc->dlid_path_bits;
	out->qp = qp_slot(t, cq->context, wc->qp_num);
}

/* A poll that a later call refers to keeps what came, as it came. */
static struct ibv_wc *keep_completions(struct verbs_target *t,
				       const struct bound *b)
{
	struct ibv_wc *kept = NULL;

	if (b->result != NO_OBJ)
		kept = calloc(POLL_MAX, sizeof(*kept));
	slot_fill(t, b, kept);
	return kept;
}

/* Polls until as many came as are asked for, or the time is over: by the clock
 * before a poll, since the process may be stopped between the two. */
void real_poll_cq(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	const struct timespec pause = {.tv_nsec = 100000};
	uint32_t most = poll_most(&b->in.poll);
	int64_t deadline = deadline_after(b->in.poll.timeout_ms);
	struct ibv_cq *cq = slot_ptr(t, b->on);
	struct polled_args *out = &o->out.polled;
	struct ibv_wc *kept = keep_completions(t, b);

	out->count = 0;
	o->ret = 0;
	o->err = ERRNO_POISON;
	while (out->count < most) {
		bool last = is_past(deadline);
		struct ibv_wc wc;

		memset(&wc, OUT_POISON, sizeof(wc));
		RECORD_INT(o, ibv_poll_cq(cq, 1, &wc));
		if (o->ret < 0 || o->ret > 1)
			return;
		if (o->ret && kept)
			kept[out->count] = wc;
		if (o->ret)
			keep(t, cq, &wc, &out->wc[out->count++]);
		else if (last)
			break;
		else
			nanosleep(&pause, NULL);
	}
	o->ret = 0;
}
