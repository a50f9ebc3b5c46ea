/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work requests as a program describes them, and the list for ibv_post_send
 * or ibv_post_recv that is made of one.
 */
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "contract/opcodes.h"
#include "program/args.h"
#include "program/repro/parts/memory.h"

/* part: request */
/*
 * A list: `more` copies of the request follow it, with wr_ids that count up.
 * Request number `odd`, from 1, differs in the odd_ members; in each request
 * element number `part`, from 1, differs in the part_ members; 0: none does.
 * A key of 0 is that of the region. Each element begins `stride` bytes behind
 * the one before.
 */
struct request {
	uint64_t wr_id, offset, remote_offset, compare_add, swap;
	int64_t stride;
	uint32_t lkey, rkey;
	uint32_t more, odd, odd_num_sge, num_sge, length;
	uint32_t opcode, send_flags, imm_data; /* imm_data in host order */
	uint32_t remote_qpn, remote_qkey, remote_srqn, setter;
	uint64_t bind_offset, bind_length; /* what a window is bound to */
	uint32_t bind_access, bind_rkey, invalidate_rkey;
	uint32_t mw_rkey; /* written into the window's structure first */
	uint16_t tso_hdr_sz, tso_mss;
	uint8_t flush_type, flush_level;
	struct ibv_mr *mr, *remote, *bind_mr, *odd_mr, *part_mr;
	struct ibv_ah *ah;
	struct ibv_mw *mw;
	uint64_t odd_offset, odd_remote_offset, part_offset;
	uint32_t odd_opcode, odd_flags, odd_length, odd_lkey, odd_rkey;
	uint32_t odd_imm_data, odd_remote_qpn, odd_remote_qkey, odd_remote_srqn;
	uint32_t part, part_length, part_lkey;
};

/* part: request_nth */
/* Returns request number `at` of the list, from 0, by itself. */
static inline struct request request_nth(const struct request *list,
					 uint32_t at)
{
	struct request one = *list;

	one.wr_id += at;
	if (list->odd != at + 1)
		return one;
	one.num_sge = list->odd_num_sge;
	one.opcode = list->odd_opcode;
	one.send_flags = list->odd_flags;
	one.mr = list->odd_mr;
	one.offset = list->odd_offset;
	one.length = list->odd_length;
	one.lkey = list->odd_lkey;
	one.remote_offset = list->odd_remote_offset;
	one.rkey = list->odd_rkey;
	one.imm_data = list->odd_imm_data;
	one.remote_qpn = list->odd_remote_qpn;
	one.remote_qkey = list->odd_remote_qkey;
	one.remote_srqn = list->odd_remote_srqn;
	return one;
}

/* part: is_inline */
/* Returns true if a request's elements are copied when it is posted: their
 * addresses are those of memory, not IOVAs. */
static inline bool is_inline(uint32_t send_flags, uint32_t setter)
{
	return send_flags & IBV_SEND_INLINE || setter == SET_INLINE ||
	       setter == SET_INLINE_LIST;
}

/* part: element */
static inline struct ibv_sge element(const struct ibv_mr *mr, uint64_t offset,
				     uint32_t length, uint32_t lkey)
{
	if (mr && !lkey)
		lkey = mr->lkey;
	return (struct ibv_sge){
		.addr = mr ? (uintptr_t)mr->addr + offset : 0,
		.length = length,
		.lkey = lkey,
	};
}

/* part: fill_lists fill_elements */
static inline void fill_elements(const struct request *r,
				 struct ibv_sge sge[POST_MAX_SGE])
{
	const struct ibv_sge first =
		element(r->mr, r->offset, r->length, r->lkey);

	for (int i = 0; i < POST_MAX_SGE; i++) {
		sge[i] = first;
		sge[i].addr += (uint64_t)i * (uint64_t)r->stride;
	}
	if (r->part && r->part <= POST_MAX_SGE)
		sge[r->part - 1] = element(r->part_mr, r->part_offset,
					   r->part_length, r->part_lkey);
}

/* The odd request has elements of its own, the others share theirs. */
static inline void fill_lists(const struct request *r,
			      struct ibv_sge sge[2][POST_MAX_SGE])
{
	const struct request odd = request_nth(r, r->odd - 1);

	fill_elements(r, sge[false]);
	if (r->odd)
		fill_elements(&odd, sge[true]);
}

/* part: copy_inline */
static inline bool is_mapped(const struct ibv_mr *mr, const struct ibv_sge *sge)
{
	uint64_t from = (uintptr_t)mr->addr;

	return mr->addr && mr->length <= MR_MAPPED_MAX && sge->addr >= from &&
	       sge->addr - from <= mr->length &&
	       sge->length <= mr->length - (sge->addr - from);
}

#define INLINE_MAX (1u << 24) /* of all elements; no provider copies more */

/* The flag has no meaning for an operation that writes to its elements. */
static inline bool fetches(const struct request *r)
{
	return r->opcode == IBV_WR_RDMA_READ ||
	       r->opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

/* Inline data need no registered memory. Elements that lie in the region are
 * copied, others become zeros. Returns NULL if the request is not inline.
 * Stores how many bytes are at the address that is returned. */
static inline void *copy_inline(const struct request *r, struct ibv_sge *sge,
				size_t *bytes)
{
	uint32_t n = r->num_sge < POST_MAX_SGE ? r->num_sge : POST_MAX_SGE;
	char *data = NULL, *at;
	size_t all = 1;

	for (uint32_t i = 0; i < n; i++)
		all += sge[i].length;
	if (r->send_flags & IBV_SEND_INLINE && !fetches(r) && all <= INLINE_MAX)
		data = calloc(1, all);
	*bytes = data ? all : 0;
	at = data;
	for (uint32_t i = 0; data && i < n; i++) {
		const struct ibv_mr *mr = r->part == i + 1 ? r->part_mr : r->mr;

		if (mr && is_mapped(mr, &sge[i]))
			memcpy(at, (void *)(uintptr_t)sge[i].addr,
			       sge[i].length);
		sge[i].addr = (uintptr_t)at;
		sge[i].lkey = 0;
		at += sge[i].length;
	}
	return data;
}

/* part: bind_info */
static inline struct ibv_mw_bind_info bind_info(const struct request *r)
{
	struct ibv_mr *mr = r->bind_mr;

	return (struct ibv_mw_bind_info){
		.mr = mr,
		.addr = (mr ? (uintptr_t)mr->addr : 0) + r->bind_offset,
		.length = r->bind_length,
		.mw_access_flags = r->bind_access,
	};
}

/* part: window_was_bound */
/* The caller keeps the rkey of a type 2 window in its structure. Threads may
 * bind one window. */
static inline void window_was_bound(const struct request *r)
{
	if (r->mw && r->opcode == IBV_WR_BIND_MW)
		__atomic_store_n(&r->mw->rkey, r->bind_rkey, __ATOMIC_RELAXED);
}

/* part: request_list send_list_make send_list_free */
struct request_list {
	struct ibv_send_wr *wr;
	struct ibv_sge sge[2][POST_MAX_SGE]; /* [1]: of the odd request */
	void *data[2];			     /* inline data, or NULL */
	size_t bytes[2];		     /* of the inline data */
	size_t n;			     /* requests */
};

/* The members overlap. A provider reads those of the queue pair's type: with an
 * address handle they are the datagram's, whatever the operation is. */
static inline void fill_remote(struct ibv_send_wr *wr, const struct request *r)
{
	const struct ibv_mr *mr = r->remote;
	uint64_t addr = (mr ? (uintptr_t)mr->addr : 0) + r->remote_offset;
	uint32_t rkey = r->rkey ? r->rkey : mr ? mr->rkey : 0;

	if (r->ah) {
		wr->wr.ud.ah = r->ah;
		wr->wr.ud.remote_qpn = r->remote_qpn;
		wr->wr.ud.remote_qkey = r->remote_qkey;
		return;
	}
	switch (r->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_WRITE:
		wr->wr.atomic.remote_addr = addr;
		wr->wr.atomic.rkey = rkey;
		wr->wr.atomic.compare_add = r->compare_add;
		wr->wr.atomic.swap = r->swap;
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

static inline void fill_window(struct ibv_send_wr *wr, const struct request *r)
{
	if (r->opcode == IBV_WR_LOCAL_INV || r->opcode == IBV_WR_SEND_WITH_INV)
		wr->invalidate_rkey = r->invalidate_rkey;
	if (r->opcode != IBV_WR_BIND_MW)
		return;
	wr->bind_mw.mw = r->mw;
	wr->bind_mw.rkey = r->bind_rkey;
	wr->bind_mw.bind_info = bind_info(r);
	if (r->mw_rkey)
		r->mw->rkey = r->mw_rkey;
}

static inline void fill_segments(struct ibv_send_wr *wr,
				 const struct request *r)
{
	if (r->opcode != IBV_WR_TSO)
		return;
	wr->tso.hdr = (void *)(uintptr_t)tso_header;
	wr->tso.hdr_sz = r->tso_hdr_sz;
	wr->tso.mss = r->tso_mss;
}

static inline void fill_send(struct ibv_send_wr *wr, const struct request *r,
			     struct ibv_sge *sge)
{
	memset(wr, 0, sizeof(*wr));
	wr->wr_id = r->wr_id;
	wr->sg_list = sge;
	wr->num_sge = (int)r->num_sge;
	wr->opcode = (enum ibv_wr_opcode)r->opcode;
	wr->send_flags = r->send_flags;
	wr->imm_data = htonl(r->imm_data);
	wr->qp_type.xrc.remote_srqn = r->remote_srqn;
	fill_remote(wr, r);
	fill_window(wr, r);
	fill_segments(wr, r);
}

/* Returns 0 or ENOMEM; send_list_free() follows in either case. */
static inline int send_list_make(const struct request *r,
				 struct request_list *list)
{
	const struct request odd = request_nth(r, r->odd - 1);
	size_t n = (size_t)r->more + 1;

	list->data[false] = list->data[true] = NULL;
	list->n = n;
	list->wr = calloc(n, sizeof(list->wr[0]));
	if (!list->wr)
		return ENOMEM;
	fill_lists(r, list->sge);
	list->data[false] =
		copy_inline(r, list->sge[false], &list->bytes[false]);
	if (r->odd)
		list->data[true] =
			copy_inline(&odd, list->sge[true], &list->bytes[true]);
	for (uint32_t at = 0; at < n; at++) {
		const struct request one = request_nth(r, at);

		fill_send(&list->wr[at], &one, list->sge[r->odd == at + 1]);
		list->wr[at].next = at < r->more ? &list->wr[at + 1] : NULL;
	}
	return 0;
}

static inline void send_list_free(struct request_list *list)
{
	for (int i = 0; i < 2; i++) {
		if (list->data[i])
			spoil(list->data[i], list->bytes[i]);
		free(list->data[i]);
	}
	spoil(list->sge, sizeof(list->sge));
	spoil(list->wr, list->n * sizeof(*list->wr));
	free(list->wr);
}

/* part: recv_list recv_list_free */
static inline struct ibv_recv_wr *recv_list(const struct request *r,
					    struct ibv_sge sge[2][POST_MAX_SGE])
{
	struct ibv_recv_wr *list = calloc((size_t)r->more + 1, sizeof(*list));

	fill_lists(r, sge);
	for (uint32_t at = 0; list && at <= r->more; at++)
		list[at] = (struct ibv_recv_wr){
			.wr_id = r->wr_id + at,
			.next = at < r->more ? &list[at + 1] : NULL,
			.sg_list = sge[r->odd == at + 1],
			.num_sge = (int)request_nth(r, at).num_sge,
		};
	return list;
}

static inline void recv_list_free(struct ibv_recv_wr *list,
				  const struct request *r,
				  struct ibv_sge sge[2][POST_MAX_SGE])
{
	spoil(sge, 2 * sizeof(sge[0]));
	spoil(list, ((size_t)r->more + 1) * sizeof(*list));
	free(list);
}

/* part: index_of_bad */
/* Returns the index in the list that bad_wr points at, or an enum bad_wr. */
static inline int index_of_bad(const void *bad, const void *untouched,
			       const void *list, size_t size, size_t n)
{
	uintptr_t from = (uintptr_t)list, at = (uintptr_t)bad;

	if (!bad)
		return BAD_WR_NULL;
	if (bad == untouched)
		return BAD_WR_UNTOUCHED;
	if (at < from || at >= from + n * size || (at - from) % size)
		return BAD_WR_WILD;
	return (int)((at - from) / size);
}
