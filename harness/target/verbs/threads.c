// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Threads that post while others poll on a libibverbs device: checks what the
 * program asks for, and runs parts/race.h.
 */
#include "contract/opcodes.h"
#include "program/repro/parts/race.h"
#include "target/verbs/verbs_target.h"

/* The steps about threads are taken by fire/run.c, which makes the calls
 * between them. Here they have no effect. */
void real_thread(struct verbs_target *t, const struct bound *b,
		 struct outcome *o)
{
	(void)t;
	(void)b;
	o->ret = 0;
}

void real_nap(struct verbs_target *t, const struct bound *b, struct outcome *o)
{
	real_thread(t, b, o);
}

void real_join(struct verbs_target *t, const struct bound *b, struct outcome *o)
{
	real_thread(t, b, o);
}

static struct race resolve(const struct verbs_target *t, const struct bound *b)
{
	const struct race_args *in = &b->in.race;

	return (struct race){
		.count = in->count,
		.posters = in->posters,
		.receivers = in->receivers,
		.pollers = in->pollers,
		.depth = in->depth,
		.opcode = in->opcode,
		.length = in->length,
		.batches = in->batches,
		.extended = in->extended,
		.events = in->events,
		.apart = in->apart,
		.remote_qpn = in->remote_qpn,
		.remote_qkey = in->remote_qkey,
		.remote_srqn = in->remote_srqn,
		.timeout_ms = in->timeout_ms,
		.qp = slot_ptr(t, b->on),
		.recv_qp = slot_ptr(t, in->recv_qp),
		.recv_srq = slot_ptr(t, in->recv_srq),
		.mr = slot_ptr(t, in->mr),
		.remote = slot_ptr(t, in->remote),
		.into = slot_ptr(t, in->into),
		.ah = slot_ptr(t, in->ah),
	};
}

static bool is_race(const struct race *r)
{
	bool receives = r->recv_qp || r->recv_srq;

	return r->qp->send_cq && opcode_races(r->opcode) && r->posters &&
	       r->posters <= RACE_THREADS && r->pollers <= RACE_THREADS &&
	       r->receivers <= RACE_THREADS && (receives || !r->receivers) &&
	       (!r->events || r->qp->send_cq->channel) &&
	       (uint64_t)r->count * r->posters <= RACE_MOST;
}

/* Threads name bytes by the addresses of memory. */
static bool has_iova(const struct verbs_target *t, const struct race_args *in)
{
	return verbs_shift_of(t, in->mr) || verbs_shift_of(t, in->remote) ||
	       verbs_shift_of(t, in->into);
}

static bool can_build(const struct ibv_qp_ex *qp, uint32_t opcode)
{
	if (!qp || !qp->wr_start)
		return false;
	return opcode == IBV_WR_SEND	     ? qp->wr_send != NULL
	       : opcode == IBV_WR_RDMA_WRITE ? qp->wr_rdma_write != NULL
					     : false;
}

/* A plain completion queue has no place for the functions of an extended
 * one. */
static bool can_poll_extended(const struct verbs_target *t, struct ibv_cq *cq)
{
	uint16_t slot = slot_of(t, cq);

	return slot != NO_OBJ && t->object[slot].extended &&
	       ((struct ibv_cq_ex *)(void *)cq)->start_poll;
}

void real_post_and_poll(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	struct race r = resolve(t, b);

	o->err = ERRNO_POISON;
	o->ret = EINVAL;
	if (!is_race(&r) || has_iova(t, &b->in.race))
		return;
	o->ret = EOPNOTSUPP;
	if (r.batches && !can_build(slot_qp_ex(t, b->on), r.opcode))
		return;
	if (r.extended && !can_poll_extended(t, r.qp->send_cq))
		return;
	o->ret = post_and_poll(&r, &o->out.raced);
}
