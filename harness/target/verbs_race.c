// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Threads on a libibverbs device: some post while another one polls, one
 * destroys a queue pair while another one polls its completion queue. No thread
 * is left behind: one that a call holds for ever makes the case hung.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "target/verbs_target.h"

#define BATCH 8

/* Sends of several posters on one queue pair. Poster k of n has the numbers
 * k, k + n, k + 2n, ... */
struct race {
	struct ibv_qp *qp;
	const struct race_args *in;
	struct ibv_sge sge;
	struct ibv_send_wr wr;	      /* all but the number */
	uint64_t after[RACE_POSTERS]; /* the poll: the last number of each */
	atomic_uint posted, completed;
	atomic_bool stop;
	struct raced_args out;
};

struct poster {
	struct race *race;
	pthread_t thread;
	uint32_t number;
};

/* Queues are never asked for more than they have room for. */
static bool has_room(struct race *r)
{
	return atomic_load(&r->posted) - atomic_load(&r->completed) + BATCH <
	       r->in->depth;
}

static void *post_all(void *arg)
{
	const struct poster *p = arg;
	struct race *r = p->race;

	for (uint32_t i = 0; i < r->in->count; i++) {
		struct ibv_send_wr wr = r->wr, *bad;

		wr.wr_id = (uint64_t)i * r->in->posters + p->number;
		while (!has_room(r) && !atomic_load(&r->stop))
			sched_yield();
		if (atomic_load(&r->stop) || ibv_post_send(r->qp, &wr, &bad))
			break;
		atomic_fetch_add(&r->posted, 1);
	}
	return NULL;
}

static void fill_request(const struct verbs_target *t, struct race *r)
{
	const struct race_args *in = r->in;
	const struct ibv_mr *mr = slot_ptr(t, in->mr);
	const struct ibv_mr *remote = slot_ptr(t, in->remote);

	r->sge.addr = mr ? (uintptr_t)mr->addr : 0;
	r->sge.length = in->length;
	r->sge.lkey = mr ? mr->lkey : 0;
	r->wr.sg_list = &r->sge;
	r->wr.num_sge = 1;
	r->wr.opcode = (enum ibv_wr_opcode)in->opcode;
	r->wr.send_flags = IBV_SEND_SIGNALED;
	if (in->ah != NO_OBJ) {
		r->wr.wr.ud.ah = slot_ptr(t, in->ah);
		r->wr.wr.ud.remote_qpn = in->remote_qpn;
		r->wr.wr.ud.remote_qkey = in->remote_qkey;
		return;
	}
	r->wr.wr.rdma.remote_addr = remote ? (uintptr_t)remote->addr : 0;
	r->wr.wr.rdma.rkey = remote ? remote->rkey : 0;
}

/* Each poster's numbers have to come in their order. */
static void look_at(struct race *r, const struct ibv_wc *wc)
{
	uint64_t poster = wc->wr_id % r->in->posters;
	uint64_t turn = wc->wr_id / r->in->posters + 1;

	if (turn <= r->after[poster])
		r->out.disordered++;
	else
		r->after[poster] = turn;
	if (wc->status != IBV_WC_SUCCESS)
		r->out.failed++;
	atomic_fetch_add(&r->completed, 1);
}

/* Until all have come, or for as long as anything comes in time. */
static void poll_all(struct race *r)
{
	uint32_t all = r->in->count * r->in->posters;
	int64_t deadline = deadline_after(r->in->timeout_ms);
	struct ibv_wc wc[BATCH];

	while (atomic_load(&r->completed) < all && !is_past(deadline)) {
		int n = ibv_poll_cq(r->qp->send_cq, BATCH, wc);

		if (n < 0) {
			r->out.failed++;
			break;
		}
		for (int i = 0; i < n; i++)
			look_at(r, &wc[i]);
		if (n > 0)
			deadline = deadline_after(r->in->timeout_ms);
		else
			sched_yield();
	}
}

void real_post_and_poll(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	struct race r = {.in = &b->in.race, .qp = slot_ptr(t, b->on)};
	struct poster poster[RACE_POSTERS];
	uint32_t n = 0;

	o->ret = EINVAL;
	o->err = ERRNO_POISON;
	if (!r.qp->send_cq || !r.in->posters || r.in->posters > RACE_POSTERS)
		return;
	fill_request(t, &r);
	for (; n < r.in->posters; n++) {
		poster[n] = (struct poster){.race = &r, .number = n};
		if (pthread_create(&poster[n].thread, NULL, post_all,
				   &poster[n]))
			break;
	}
	poll_all(&r);
	atomic_store(&r.stop, true);
	while (n-- > 0)
		pthread_join(poster[n].thread, NULL);
	r.out.posted = atomic_load(&r.posted);
	r.out.completed = atomic_load(&r.completed);
	o->out.raced = r.out;
	o->ret = 0;
}

struct poller {
	struct ibv_cq *cq;
	atomic_bool polls, stop;
	atomic_uint failed;
};

static void *poll_on(void *arg)
{
	struct poller *p = arg;
	struct ibv_wc wc[BATCH];

	while (!atomic_load(&p->stop)) {
		if (ibv_poll_cq(p->cq, BATCH, wc) < 0)
			atomic_fetch_add(&p->failed, 1);
		atomic_store(&p->polls, true);
	}
	return NULL;
}

void real_destroy_qp_polled(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	struct ibv_qp *qp = slot_ptr(t, b->on);
	struct poller p = {.cq = qp->send_cq};
	pthread_t thread;

	if (waits_for_ack(t, b->on, o))
		return;
	o->err = ERRNO_POISON;
	o->ret = EINVAL;
	if (!p.cq)
		return;
	o->ret = pthread_create(&thread, NULL, poll_on, &p);
	if (o->ret)
		return;
	while (!atomic_load(&p.polls))
		sched_yield();
	RECORD_INT(o, ibv_destroy_qp(qp));
	atomic_store(&p.stop, true);
	pthread_join(thread, NULL);
	o->out.raced.failed = atomic_load(&p.failed);
	if (!o->ret)
		slot_drop(t, b->on);
}
