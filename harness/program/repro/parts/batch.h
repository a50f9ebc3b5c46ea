/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Batches of requests in a reproducer. A call that has no place, because the
 * batch was not begun, is left out.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include "program/repro/parts/build.h"

/* part: batch_of wr_start wr_end */
/* Queue pairs with a batch that was begun and has not ended. */
static struct ibv_qp *building[64];

static struct ibv_qp **batch_of(struct ibv_qp *qp)
{
	for (int i = 0; i < 64; i++)
		if (building[i] == qp)
			return &building[i];
	return NULL;
}

static int wr_start(struct ibv_qp *qp)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp);

	if (!x || !x->wr_start || !batch_of(NULL))
		return EOPNOTSUPP;
	ibv_wr_start(x);
	*batch_of(NULL) = qp;
	return 0;
}

static int wr_end(struct ibv_qp *qp, int abort_it)
{
	*batch_of(qp) = NULL;
	if (!abort_it)
		return ibv_wr_complete(ibv_qp_to_qp_ex(qp));
	ibv_wr_abort(ibv_qp_to_qp_ex(qp));
	return 0;
}

/* part: set_receiver_fn */
typedef void set_receiver_fn(struct ibv_qp_ex *qp, const struct request *r);

/* part: set_ud_receiver */
static void set_ud_receiver(struct ibv_qp_ex *qp, const struct request *r)
{
	ibv_wr_set_ud_addr(qp, r->ah, r->remote_qpn, r->remote_qkey);
}

/* part: build */
/* Requests about windows and values bring their data with the builder. */
static bool sets_data(uint32_t opcode)
{
	return opcode != IBV_WR_BIND_MW && opcode != IBV_WR_LOCAL_INV &&
	       opcode != IBV_WR_ATOMIC_WRITE && opcode != WR_FLUSH;
}

/* Sets the members that the setter implies. */
static struct request by_setter(const struct request *asked)
{
	struct request r = *asked;

	if (!sets_data(r.opcode)) {
		r.num_sge = r.odd_num_sge = 0;
		return r;
	}
	if (r.setter == SET_INLINE || r.setter == SET_INLINE_LIST) {
		r.send_flags |= IBV_SEND_INLINE;
		r.odd_flags |= IBV_SEND_INLINE;
	}
	if (r.setter == SET_SGE || r.setter == SET_INLINE)
		r.num_sge = r.odd_num_sge = 1;
	return r;
}

static int build(struct ibv_qp *qp, const struct request *asked,
		 set_receiver_fn *set_receiver)
{
	struct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp);
	struct request r = by_setter(asked);
	struct request_list list;
	int ret = 0;

	if (qp->qp_type == IBV_QPT_DRIVER)
		r.ah = NULL; /* its place in the list has another meaning */
	if (send_list_make(&r, &list))
		return ENOMEM;
	for (uint32_t at = 0; at <= r.more; at++) {
		struct request one = request_nth(&r, at);
		struct request to = request_nth(asked, at);

		ret = build_request(x, &list.wr[at], &one);
		if (ret)
			break;
		if (has_receiver(one.opcode) && to.ah &&
		    (qp->qp_type == IBV_QPT_UD ||
		     qp->qp_type == IBV_QPT_DRIVER))
			set_receiver(x, &to);
		if (has_receiver(one.opcode) && qp->qp_type == IBV_QPT_XRC_SEND)
			ibv_wr_set_xrc_srqn(x, one.remote_srqn);
		if (sets_data(r.opcode))
			set_data(x, &list.wr[at], r.setter);
		spoil_value(&list.wr[at]);
	}
	if (!ret)
		window_was_bound(&r);
	send_list_free(&list);
	return ret;
}
