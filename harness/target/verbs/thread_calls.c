// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What threads that race do each: post a send, by a list or a batch, post a
 * receive, poll; and whether the bytes that came are those of the messages.
 */
#include <pthread.h>
#include <stdlib.h>
#include "contract/opcodes.h"
#include "target/verbs/threads.h"

static bool is_race(const struct race *r)
{
	const struct race_args *in = r->in;
	bool takes = r->recv_qp || r->recv_srq;

	return r->qp->send_cq && opcode_races(in->opcode) && in->posters &&
	       in->posters <= RACE_THREADS && in->pollers <= RACE_THREADS &&
	       in->receivers <= RACE_THREADS && (takes || !in->receivers) &&
	       (uint64_t)in->count * in->posters <= RACE_MOST;
}

static bool builds(const struct ibv_qp_ex *qp, uint32_t opcode)
{
	if (!qp || !qp->wr_start)
		return false;
	return opcode == IBV_WR_SEND	     ? qp->wr_send != NULL
	       : opcode == IBV_WR_RDMA_WRITE ? qp->wr_rdma_write != NULL
					     : false;
}

/* A plain queue has no place for the functions of an extended one. */
static bool has_ways(const struct race *r, const struct verbs_target *t)
{
	uint16_t cq = slot_of(t, r->qp->send_cq);

	if (r->in->batches && !builds(r->qp_ex, r->in->opcode))
		return false;
	return !r->in->extended ||
	       (cq != NO_OBJ && t->object[cq].extended &&
		((struct ibv_cq_ex *)(void *)r->qp->send_cq)->start_poll);
}

int race_begin(struct race *r, const struct verbs_target *t,
	       const struct bound *b)
{
	const struct race_args *in = &b->in.race;

	*r = (struct race){
		.in = in,
		.all = in->count * in->posters,
		.qp = slot_ptr(t, b->on),
		.recv_qp = slot_ptr(t, in->recv_qp),
		.recv_srq = slot_ptr(t, in->recv_srq),
		.mr = slot_ptr(t, in->mr),
		.remote = slot_ptr(t, in->remote),
		.into = slot_ptr(t, in->into),
		.ah = slot_ptr(t, in->ah),
	};
	if (!is_race(r))
		return EINVAL;
	if (in->batches)
		r->qp_ex = slot_qp_ex(t, b->on);
	if (!has_ways(r, t))
		return EOPNOTSUPP;
	r->came = calloc((size_t)r->all + 1, sizeof(*r->came));
	return r->came ? 0 : ENOMEM;
}

void race_end(struct race *r)
{
	free(r->came);
}

static uint64_t place(const struct race *r, const struct ibv_mr *mr,
		      uint32_t number)
{
	uint64_t at = r->in->apart ? (uint64_t)number * r->in->length : 0;

	return mr ? (uintptr_t)mr->addr + at : 0;
}

static struct ibv_sge element(const struct race *r, const struct ibv_mr *mr,
			      uint32_t number)
{
	return (struct ibv_sge){
		.addr = place(r, mr, number),
		.length = r->in->length,
		.lkey = mr ? mr->lkey : 0,
	};
}

static int post_one(const struct race *r, uint32_t number)
{
	struct ibv_sge sge = element(r, r->mr, number);
	struct ibv_send_wr wr = {
		.wr_id = number,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = (enum ibv_wr_opcode)r->in->opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_send_wr *bad;

	if (r->qp->qp_type == IBV_QPT_XRC_SEND)
		wr.qp_type.xrc.remote_srqn = r->in->remote_srqn;
	if (r->ah) {
		wr.wr.ud.ah = r->ah;
		wr.wr.ud.remote_qpn = r->in->remote_qpn;
		wr.wr.ud.remote_qkey = r->in->remote_qkey;
	} else {
		wr.wr.rdma.remote_addr = place(r, r->remote, number);
		wr.wr.rdma.rkey = r->remote ? r->remote->rkey : 0;
	}
	return ibv_post_send(r->qp, &wr, &bad);
}

static void build(const struct race *r, uint32_t number)
{
	struct ibv_qp_ex *qp = r->qp_ex;

	if (r->in->opcode == IBV_WR_RDMA_WRITE)
		ibv_wr_rdma_write(qp, r->remote ? r->remote->rkey : 0,
				  place(r, r->remote, number));
	else
		ibv_wr_send(qp);
	if (r->ah && r->qp->qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qp, r->ah, r->in->remote_qpn,
				   r->in->remote_qkey);
	if (r->qp->qp_type == IBV_QPT_XRC_SEND)
		ibv_wr_set_xrc_srqn(qp, r->in->remote_srqn);
}

/* Between start and complete the batch is this thread's alone. */
static int build_one(const struct race *r, uint32_t number)
{
	struct ibv_sge sge = element(r, r->mr, number);
	struct ibv_qp_ex *qp = r->qp_ex;

	ibv_wr_start(qp);
	qp->wr_id = number;
	qp->wr_flags = IBV_SEND_SIGNALED;
	build(r, number);
	ibv_wr_set_sge(qp, sge.lkey, sge.addr, sge.length);
	return ibv_wr_complete(qp);
}

int race_post(const struct race *r, uint32_t number)
{
	return r->in->batches ? build_one(r, number) : post_one(r, number);
}

int race_receive(const struct race *r, uint32_t number)
{
	struct ibv_sge sge = element(r, r->into, number);
	struct ibv_recv_wr wr = {
		.wr_id = RACE_RECEIVE | number,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_recv_wr *bad;

	return r->recv_srq ? ibv_post_srq_recv(r->recv_srq, &wr, &bad)
			   : ibv_post_recv(r->recv_qp, &wr, &bad);
}

static int poll_batch(struct ibv_cq_ex *cq, struct ibv_wc *wc)
{
	struct ibv_poll_cq_attr attr = {.comp_mask = 0};
	int ret, n = 0;

	ret = ibv_start_poll(cq, &attr);
	if (ret)
		return ret == ENOENT ? 0 : -1;
	do {
		wc[n].wr_id = cq->wr_id;
		wc[n++].status = cq->status;
	} while (n < RACE_BATCH && !(ret = ibv_next_poll(cq)));
	ibv_end_poll(cq);
	return ret && ret != ENOENT ? -1 : n;
}

int race_poll(const struct race *r, struct ibv_wc *wc)
{
	struct ibv_cq *cq = r->qp->send_cq;

	if (!r->in->extended)
		return ibv_poll_cq(cq, RACE_BATCH, wc);
	return poll_batch((struct ibv_cq_ex *)(void *)cq, wc);
}

/* Does the receive hold the bytes of a message that none before it had? */
static bool holds_one(const struct race *r, uint32_t number, bool *taken)
{
	const char *into = r->into->addr, *from = r->mr->addr;
	uint64_t length = r->in->length;

	for (uint32_t m = 0; m < r->all; m++) {
		if (taken[m] || memcmp(into + number * length,
				       from + m * length, length) != 0)
			continue;
		taken[m] = true;
		return true;
	}
	return false;
}

static bool holds_all(const struct race *r, const struct ibv_mr *mr)
{
	return mr && (uint64_t)r->all * r->in->length <= mr->length;
}

uint32_t race_wrong(const struct race *r)
{
	uint32_t wrong = 0;
	bool *taken;

	if (!r->in->receivers || !r->in->apart || !r->in->length ||
	    !holds_all(r, r->mr) || !holds_all(r, r->into))
		return 0;
	taken = calloc((size_t)r->all + 1, sizeof(*taken));
	for (uint32_t k = 0; taken && k < r->all; k++) {
		unsigned int came = atomic_load(&r->came[k]);

		if (came > 1 || (came && !holds_one(r, k, taken)))
			wrong++;
	}
	free(taken);
	return wrong;
}
