/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Operations on the list of tags of an SRQ, and the headers of messages to it.
 */
#pragma once
#include <endian.h>
#include <errno.h>
#include <infiniband/tm_types.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/request.h"
#include "program/repro/parts/tag_args.h"

/* part: ops */
/* A list of operations. In operation n, from 0, recv_wr_id counts up by n, the
 * tag by n times tag_step, and the buffer begins n times buffer_step bytes
 * behind that of operation 0. */
struct ops {
	struct request wr;
	uint64_t recv_wr_id, tag, mask, tag_step, buffer_step;
	uint32_t unexpected_cnt, handle;
};

/* part: fill_op */
static inline void fill_op(struct ibv_ops_wr *op, const struct ops *ops,
			   uint32_t at, struct ibv_sge *sge)
{
	const struct request one = request_nth(&ops->wr, at);
	uint64_t offset = one.offset + at * ops->buffer_step;

	for (uint32_t i = 0; i < one.num_sge && i < POST_MAX_SGE; i++)
		sge[i] = element(one.mr, offset + i * (uint64_t)ops->wr.stride,
				 one.length, one.lkey);
	op->wr_id = one.wr_id;
	op->opcode = (enum ibv_ops_wr_opcode)one.opcode;
	op->flags = (int)one.send_flags;
	op->tm.unexpected_cnt = ops->unexpected_cnt;
	op->tm.handle = ops->handle;
	op->tm.add.recv_wr_id = ops->recv_wr_id + at;
	op->tm.add.sg_list = sge;
	op->tm.add.num_sge = (int)one.num_sge;
	op->tm.add.tag = ops->tag + at * ops->tag_step;
	op->tm.add.mask = ops->mask;
}

/* part: post_ops */
/* Writes the handles of the first tags that were added. */
static inline void keep_handles(const struct ibv_ops_wr *list, uint32_t n,
				struct posted_args *posted)
{
	unsigned int kept = 0;

	for (uint32_t at = 0; at < n && kept < 4; at++)
		if (list[at].opcode == IBV_WR_TAG_ADD)
			posted->handle[kept++] = list[at].tm.handle;
}

/* Posts the list. */
static inline int post_ops(struct ibv_srq *srq, const struct ops *ops,
			   struct posted_args *posted)
{
	uint32_t n = ops->wr.more + 1, most = ops->wr.num_sge;
	struct ibv_ops_wr untouched, *bad = &untouched, *list;
	struct ibv_sge *sge;
	int ret = ENOMEM;

	if (most < ops->wr.odd_num_sge)
		most = ops->wr.odd_num_sge;
	if (most > POST_MAX_SGE)
		most = POST_MAX_SGE;
	list = calloc(n, sizeof(*list));
	sge = calloc((size_t)n * (most + 1), sizeof(*sge));
	for (uint32_t at = 0; list && sge && at < n; at++) {
		fill_op(&list[at], ops, at, &sge[(size_t)at * (most + 1)]);
		list[at].next = at + 1 < n ? &list[at + 1] : NULL;
	}
	if (list && sge) {
		ret = ibv_post_srq_ops(srq, list, &bad);
		posted->bad_wr =
			index_of_bad(bad, &untouched, list, sizeof(*list), n);
		keep_handles(list,
			     ret ? (uint32_t)(posted->bad_wr > 0
						      ? posted->bad_wr
						      : 0)
				 : n,
			     posted);
	}
	spoil(sge, (size_t)n * (most + 1) * sizeof(*sge));
	spoil(list, n * sizeof(*list));
	free(sge);
	free(list);
	return ret;
}

/* part: write_tmh */
/* Writes the headers at an offset of a region. `va` and `rkey` are those of the
 * payload. Returns EINVAL if the region does not hold the headers. */
static inline int write_tmh(const struct ibv_mr *mr, uint64_t offset,
			    uint32_t opcode, uint32_t app_ctx, uint64_t tag,
			    const struct ibv_mr *remote, uint64_t va,
			    uint32_t length)
{
	struct ibv_tmh tmh = {.opcode = (uint8_t)opcode};
	struct ibv_rvh rvh;
	size_t bytes = sizeof(tmh);

	if (tmh_has_payload(opcode))
		bytes += sizeof(rvh);
	if (!mr || !mr->addr || mr->length > MR_MAPPED_MAX ||
	    offset > mr->length || bytes > mr->length - offset ||
	    (tmh_has_payload(opcode) && !remote))
		return EINVAL;
	tmh.app_ctx = htobe32(app_ctx);
	tmh.tag = htobe64(tag);
	memcpy((char *)mr->addr + offset, &tmh, sizeof(tmh));
	if (!tmh_has_payload(opcode))
		return 0;
	rvh.va = htobe64((uintptr_t)remote->addr + va);
	rvh.rkey = htobe32(remote->rkey);
	rvh.len = htobe32(length);
	memcpy((char *)mr->addr + offset + sizeof(tmh), &rvh, sizeof(rvh));
	return 0;
}
