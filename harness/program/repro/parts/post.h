/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Posting requests and binding windows in a reproducer.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include "program/repro/parts/request.h"

/* part: post_send */
static int post_send(struct ibv_qp *qp, const struct request *r,
		     int32_t *bad_wr)
{
	struct ibv_send_wr untouched, *bad = &untouched;
	struct request_list list;
	int ret;

	if (send_list_make(r, &list))
		return ENOMEM;
	ret = ibv_post_send(qp, list.wr, &bad);
	*bad_wr = index_of_bad(bad, &untouched, list.wr, sizeof(*list.wr),
			       r->more + 1ul);
	if (!ret || *bad_wr > 0)
		window_was_bound(r);
	send_list_free(&list);
	return ret;
}

/* part: post_any_recv */
static int post_any_recv(struct ibv_qp *qp, struct ibv_srq *srq,
			 const struct request *r, int32_t *bad_wr)
{
	struct ibv_recv_wr untouched, *bad = &untouched, *list;
	struct ibv_sge sge[2][POST_MAX_SGE];
	int ret;

	list = recv_list(r, sge);
	if (!list)
		return ENOMEM;
	ret = srq ? ibv_post_srq_recv(srq, list, &bad)
		  : ibv_post_recv(qp, list, &bad);
	*bad_wr = index_of_bad(bad, &untouched, list, sizeof(*list),
			       r->more + 1ul);
	recv_list_free(list, r, sge);
	return ret;
}

/* part: post_wq_recv */
static int post_wq_recv(struct ibv_wq *wq, const struct request *r,
			int32_t *bad_wr)
{
	struct ibv_recv_wr untouched, *bad = &untouched, *list;
	struct ibv_sge sge[2][POST_MAX_SGE];
	int ret;

	list = recv_list(r, sge);
	if (!list)
		return ENOMEM;
	ret = ibv_post_wq_recv(wq, list, &bad);
	*bad_wr = index_of_bad(bad, &untouched, list, sizeof(*list),
			       r->more + 1ul);
	recv_list_free(list, r, sge);
	return ret;
}

/* part: bind_window */
static int bind_window(struct ibv_qp *qp, const struct request *r)
{
	struct ibv_mw_bind bind = {
		.wr_id = r->wr_id,
		.send_flags = r->send_flags,
		.bind_info = bind_info(r),
	};

	if (r->mw_rkey)
		r->mw->rkey = r->mw_rkey;
	return ibv_bind_mw(qp, r->mw, &bind);
}
