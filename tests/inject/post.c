// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to posting and polling. Changes requests before the
 * device gets them, and completions after the device returns them.
 */
#include <byteswap.h>
#include <stdatomic.h>
#include "tests/inject/inject.h"

/* Posting */

SEND(bad_wr_first)
{
	int ret = next.post_send(qp, wr, bad);

	if (ret)
		*bad = wr;
	return ret;
}

RECV(bad_wr_next)
{
	int ret = next.post_recv(qp, wr, bad);

	if (ret && *bad)
		*bad = (*bad)->next;
	return ret;
}

SEND(full_send)
{
	int ret = next.post_send(qp, wr, bad);

	return ret == ENOMEM ? 0 : ret;
}

RECV(full_recv)
{
	int ret = next.post_recv(qp, wr, bad);

	return ret == ENOMEM ? 0 : ret;
}

SEND(post_errno)
{
	return next.post_send(qp, wr, bad) ? EPERM : 0;
}

RECV(post_negative)
{
	return -next.post_recv(qp, wr, bad);
}

RECV(list_cut)
{
	struct ibv_recv_wr *rest = wr->next;
	int ret;

	wr->next = NULL;
	ret = next.post_recv(qp, wr, bad);
	wr->next = rest;
	return ret;
}

int inject_srq_list_cut(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad)
{
	struct ibv_recv_wr *rest = wr->next;
	int ret;

	wr->next = NULL;
	ret = next.post_srq_recv(srq, wr, bad);
	wr->next = rest;
	return ret;
}

int inject_srq_bad_wr(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad)
{
	int ret = next.post_srq_recv(srq, wr, bad);

	if (ret)
		*bad = wr;
	return ret;
}

/* The SRQ that was resized and loses its next receive */
static struct ibv_srq *resized;

int inject_srq_resized(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	int ret = next.modify_srq(srq, attr, mask);

	if (!ret && mask & IBV_SRQ_MAX_WR)
		resized = srq;
	return ret;
}

int inject_srq_resized_post_srq_recv(struct ibv_srq *srq,
				     struct ibv_recv_wr *wr,
				     struct ibv_recv_wr **bad)
{
	bool lost = srq == resized;

	resized = NULL;
	return lost ? 0 : next.post_srq_recv(srq, wr, bad);
}

#define ELEMENTS 16

SEND(list_elements)
{
	struct ibv_sge first[ELEMENTS];
	struct ibv_send_wr *second = wr->next;
	struct ibv_sge *own = second ? second->sg_list : NULL;
	int ret;

	if (!second || second->num_sge < 2 || second->num_sge > ELEMENTS)
		return next.post_send(qp, wr, bad);
	for (int i = 0; i < second->num_sge; i++)
		first[i] = own[0];
	second->sg_list = first;
	ret = next.post_send(qp, wr, bad);
	second->sg_list = own;
	return ret;
}

SEND(list_opcode)
{
	for (struct ibv_send_wr *at = wr->next; at; at = at->next)
		at->opcode = wr->opcode;
	return next.post_send(qp, wr, bad);
}

SEND(list_rest)
{
	for (struct ibv_send_wr *at = wr->next; at; at = at->next)
		at->sg_list = wr->sg_list;
	return next.post_send(qp, wr, bad);
}

SEND(alike_lengths)
{
	for (int i = 1; i < wr->num_sge; i++)
		wr->sg_list[i].length = wr->sg_list->length;
	return next.post_send(qp, wr, bad);
}

SEND(alike_keys)
{
	for (int i = 1; i < wr->num_sge; i++)
		wr->sg_list[i].lkey = wr->sg_list->lkey;
	return next.post_send(qp, wr, bad);
}

RECV(alike_room)
{
	for (int i = 1; i < wr->num_sge; i++)
		wr->sg_list[i].length = wr->sg_list->length;
	return next.post_recv(qp, wr, bad);
}

RECV(list_room)
{
	struct ibv_recv_wr *second = wr->next;
	int ret, own = second ? second->num_sge : 0;

	if (own > 1)
		second->num_sge = 1;
	ret = next.post_recv(qp, wr, bad);
	if (second)
		second->num_sge = own;
	return ret;
}

SEND(all_signaled)
{
	for (struct ibv_send_wr *at = wr; at; at = at->next)
		at->send_flags |= IBV_SEND_SIGNALED;
	return next.post_send(qp, wr, bad);
}

SEND(none_signaled)
{
	for (struct ibv_send_wr *at = wr; at; at = at->next)
		at->send_flags &= ~(unsigned int)IBV_SEND_SIGNALED;
	return next.post_send(qp, wr, bad);
}

static void drop_solicited(struct ibv_send_wr *wr, enum ibv_wr_opcode opcode)
{
	for (; wr; wr = wr->next)
		if (wr->opcode == opcode)
			wr->send_flags &= ~(unsigned int)IBV_SEND_SOLICITED;
}

SEND(unsolicited_imm)
{
	drop_solicited(wr, IBV_WR_SEND_WITH_IMM);
	return next.post_send(qp, wr, bad);
}

SEND(unsolicited_inv)
{
	drop_solicited(wr, IBV_WR_SEND_WITH_INV);
	return next.post_send(qp, wr, bad);
}

/* Posts a solicited WRITE with immediate data and without elements behind a
 * solicited WRITE, to raise an event. */
SEND(solicited_write)
{
	struct ibv_send_wr behind = {.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
				     .send_flags = IBV_SEND_SOLICITED};
	bool asks = wr->opcode == IBV_WR_RDMA_WRITE &&
		    wr->send_flags & IBV_SEND_SOLICITED;
	int ret;

	behind.wr.rdma = wr->wr.rdma;
	ret = next.post_send(qp, wr, bad);
	return ret || !asks ? ret : next.post_send(qp, &behind, bad);
}

SEND(imm_order)
{
	for (struct ibv_send_wr *at = wr; at; at = at->next)
		if (at->opcode == IBV_WR_SEND_WITH_IMM)
			at->imm_data = bswap_32(at->imm_data);
	return next.post_send(qp, wr, bad);
}

SEND(bind_rights)
{
	for (struct ibv_send_wr *at = wr; at; at = at->next)
		if (at->opcode == IBV_WR_BIND_MW)
			at->bind_mw.bind_info.mw_access_flags |=
				IBV_ACCESS_REMOTE_READ |
				IBV_ACCESS_REMOTE_WRITE;
	return next.post_send(qp, wr, bad);
}

SEND(bind_key)
{
	for (struct ibv_send_wr *at = wr; at; at = at->next)
		if (at->opcode == IBV_WR_BIND_MW)
			at->bind_mw.rkey ^= 1;
	return next.post_send(qp, wr, bad);
}

/* Polling */

POLL(wc_bind)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && wc->status == IBV_WC_MW_BIND_ERR)
		wc->status = IBV_WC_LOC_PROT_ERR;
	return n;
}

POLL(wc_spilled)
{
	int n = next.poll_cq(cq, most, wc);

	if (n > 0 && n < most)
		wc[n].wr_id = 0;
	return n;
}

POLL(wc_one)
{
	return next.poll_cq(cq, most > 1 ? 1 : most, wc);
}

POLL(wc_unasked)
{
	struct ibv_wc one;

	if (most)
		return next.poll_cq(cq, most, wc);
	next.poll_cq(cq, 1, &one);
	return 0;
}

POLL(wc_lost)
{
	int n = next.poll_cq(cq, most, wc);

	return n == 1 && wc->wr_id == 1 ? next.poll_cq(cq, most, wc) : n;
}

/* A completion for the next poll of the queue */
static struct {
	struct ibv_cq *cq;
	struct ibv_wc wc;
} kept;

static int return_kept(struct ibv_wc *wc)
{
	*wc = kept.wc;
	kept.cq = NULL;
	return 1;
}

POLL(wc_twice)
{
	int n;

	if (kept.cq == cq)
		return return_kept(wc);
	n = next.poll_cq(cq, most, wc);
	if (n == 1 && wc->wr_id == 1) {
		kept.cq = cq;
		kept.wc = *wc;
	}
	return n;
}

POLL(wc_swapped)
{
	int n;

	if (kept.cq == cq)
		return return_kept(wc);
	n = next.poll_cq(cq, most, &kept.wc);
	if (n != 1)
		return n;
	n = next.poll_cq(cq, most, wc);
	if (n == 1)
		kept.cq = cq;
	else
		*wc = kept.wc;
	return 1;
}

static int poll_with_status(struct ibv_cq *cq, int most, struct ibv_wc *wc,
			    enum ibv_wc_status from, enum ibv_wc_status to)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && wc->status == from)
		wc->status = to;
	return n;
}

POLL(wc_flush)
{
	return poll_with_status(cq, most, wc, IBV_WC_WR_FLUSH_ERR,
				IBV_WC_GENERAL_ERR);
}

POLL(wc_no_flush)
{
	return poll_with_status(cq, most, wc, IBV_WC_WR_FLUSH_ERR,
				IBV_WC_SUCCESS);
}

POLL(wc_all_flushed)
{
	return poll_with_status(cq, most, wc, IBV_WC_SUCCESS,
				IBV_WC_WR_FLUSH_ERR);
}

POLL(wc_retry)
{
	return poll_with_status(cq, most, wc, IBV_WC_RNR_RETRY_EXC_ERR,
				IBV_WC_RETRY_EXC_ERR);
}

POLL(wc_id)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1)
		wc->wr_id++;
	return n;
}

POLL(wc_qp)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1)
		wc->qp_num ^= 1;
	return n;
}

/* Reports the queue pair of the first completed receive in every receive. */
POLL(wc_receiver)
{
	static uint32_t first;
	int n = next.poll_cq(cq, most, wc);

	if (n != 1 || wc->status || !(wc->opcode & IBV_WC_RECV))
		return n;
	if (!first)
		first = wc->qp_num;
	wc->qp_num = first;
	return n;
}

POLL(wc_length)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && wc->status == IBV_WC_SUCCESS)
		wc->byte_len++;
	return n;
}

POLL(wc_opcode)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && wc->status == IBV_WC_SUCCESS &&
	    wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		wc->opcode = IBV_WC_RECV;
	return n;
}

POLL(wc_imm_flag)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1)
		wc->wc_flags &= ~(unsigned int)IBV_WC_WITH_IMM;
	return n;
}

POLL(wc_imm_order)
{
	int n = next.poll_cq(cq, most, wc);

	if (n == 1 && wc->wc_flags & IBV_WC_WITH_IMM)
		wc->imm_data = bswap_32(wc->imm_data);
	return n;
}

/* Threads */

int inject_race_place(struct ibv_srq *srq, struct ibv_recv_wr *wr,
		      struct ibv_recv_wr **bad)
{
	static atomic_uint n;
	struct ibv_sge *first = wr->sg_list;

	if (atomic_fetch_add(&n, 1) % 10 == 9 && wr->num_sge)
		first->addr -= first->length;
	return next.post_srq_recv(srq, wr, bad);
}

/* The completion that the next empty poll of this thread returns again */
static _Thread_local struct ibv_wc repeated;

int inject_race_again(struct ibv_cq *cq, int most, struct ibv_wc *wc)
{
	static atomic_uint n;
	int got = next.poll_cq(cq, most, wc);

	if (got == 0 && repeated.qp_num && most > 0) {
		wc[0] = repeated;
		repeated.qp_num = 0;
		return 1;
	}
	if (got > 0 && atomic_fetch_add(&n, 1) % 10 == 9)
		repeated = wc[0];
	return got;
}
