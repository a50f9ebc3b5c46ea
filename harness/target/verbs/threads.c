// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Threads on a libibverbs device: some post sends, some receives, while others
 * poll; one destroys a queue pair while another one polls its completion queue.
 * No thread is left behind: one that a call holds for ever makes the case hung.
 */
#include <pthread.h>
#include <sched.h>
#include "target/verbs/threads.h"

/* Queues are never asked for more than they have room for. */
static bool has_room(struct race *r, uint32_t posted, uint32_t done)
{
	return posted - done + RACE_BATCH < r->in->depth;
}

/* May the send be posted that so many were begun before? Without a receive it
 * would be lost on some types, and end the stream of iWARP. */
static bool may_post(struct race *r, uint32_t before)
{
	if (r->in->receivers && atomic_load(&r->offered) <= before)
		return false;
	return has_room(r, atomic_load(&r->posted), atomic_load(&r->completed));
}

static void *post_all(void *arg)
{
	const struct racer *p = arg;
	struct race *r = p->race;

	for (uint32_t i = 0; i < r->in->count; i++) {
		uint32_t number = i * r->in->posters + p->number;
		uint32_t before = atomic_fetch_add(&r->begun, 1);

		while (!may_post(r, before) && !atomic_load(&r->stop))
			sched_yield();
		if (atomic_load(&r->stop) || race_post(r, number))
			break;
		atomic_fetch_add(&r->posted, 1);
	}
	return NULL;
}

/* Thread k of n has the numbers k, k + n, k + 2n, ... */
static void *receive_all(void *arg)
{
	const struct racer *p = arg;
	struct race *r = p->race;

	for (uint32_t k = p->number; k < r->all; k += r->in->receivers) {
		while (!has_room(r, atomic_load(&r->offered),
				 atomic_load(&r->received)) &&
		       !atomic_load(&r->stop))
			sched_yield();
		if (atomic_load(&r->stop) || race_receive(r, k))
			break;
		atomic_fetch_add(&r->offered, 1);
	}
	return NULL;
}

/* The numbers of each thread have to come in their order; those of a shared
 * receive queue in any. */
static void look_at(struct racer *p, const struct ibv_wc *wc)
{
	struct race *r = p->race;
	bool receive = wc->wr_id & RACE_RECEIVE;
	uint64_t number = wc->wr_id & ~RACE_RECEIVE;
	uint32_t threads = receive ? r->in->receivers : r->in->posters;
	uint64_t *after, turn;

	if (number >= r->all || !threads || wc->status != IBV_WC_SUCCESS)
		atomic_fetch_add(&r->failed, 1);
	if (number >= r->all || !threads)
		return;
	after = &p->after[receive][number % threads];
	turn = number / threads + 1;
	if (turn <= *after && !(receive && r->in->recv_srq != NO_OBJ))
		atomic_fetch_add(&r->disordered, 1);
	*after = turn;
	if (receive)
		atomic_fetch_add(&r->came[number], 1);
	atomic_fetch_add(receive ? &r->received : &r->completed, 1);
}

static uint32_t done(struct race *r)
{
	return atomic_load(&r->completed) + atomic_load(&r->received);
}

/* Until all have come, or for as long as anything comes in time: what there is
 * when that is over has come. */
static void *poll_all(void *arg)
{
	struct racer *p = arg;
	struct race *r = p->race;
	uint32_t all = r->in->receivers ? 2 * r->all : r->all, last = 0;
	int64_t deadline = deadline_after(r->in->timeout_ms);
	struct ibv_wc wc[RACE_BATCH];
	bool over = false;

	while (done(r) < all && !over) {
		int n;

		over = is_past(deadline);
		n = race_poll(r, wc);
		if (n < 0) {
			atomic_fetch_add(&r->failed, 1);
			break;
		}
		for (int i = 0; i < n; i++)
			look_at(p, &wc[i]);
		if (done(r) != last) {
			deadline = deadline_after(r->in->timeout_ms);
			over = false;
		} else {
			sched_yield();
		}
		last = done(r);
	}
	return NULL;
}

/* How many of the threads have begun. */
static uint32_t begin(struct race *r, struct racer *racer, uint32_t n,
		      void *(*run)(void *))
{
	uint32_t i = 0;

	for (; i < n; i++) {
		racer[i] = (struct racer){.race = r, .number = i};
		if (pthread_create(&racer[i].thread, NULL, run, &racer[i]))
			break;
	}
	return i;
}

static void end(const struct racer *racer, uint32_t n)
{
	while (n-- > 0)
		pthread_join(racer[n].thread, NULL);
}

/* The thread that asks polls as well. */
static void run(struct race *r)
{
	struct racer poster[RACE_THREADS], receiver[RACE_THREADS],
		poller[RACE_THREADS], own = {.race = r};
	uint32_t pollers = r->in->pollers > 1 ? r->in->pollers - 1 : 0;
	uint32_t posters, receivers;

	receivers = begin(r, receiver, r->in->receivers, receive_all);
	posters = begin(r, poster, r->in->posters, post_all);
	pollers = begin(r, poller, pollers, poll_all);
	poll_all(&own);
	end(poller, pollers);
	atomic_store(&r->stop, true);
	end(poster, posters);
	end(receiver, receivers);
}

void real_post_and_poll(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	struct race r;

	o->err = ERRNO_POISON;
	o->ret = race_begin(&r, t, b);
	if (o->ret)
		return;
	run(&r);
	o->out.raced = (struct raced_args){
		.posted = atomic_load(&r.posted),
		.completed = atomic_load(&r.completed),
		.received = atomic_load(&r.received),
		.failed = atomic_load(&r.failed),
		.disordered = atomic_load(&r.disordered),
		.wrong = race_wrong(&r),
	};
	race_end(&r);
}

struct idler {
	struct ibv_cq *cq;
	atomic_bool polls, stop;
	atomic_uint failed;
};

static void *poll_on(void *arg)
{
	struct idler *p = arg;
	struct ibv_wc wc[RACE_BATCH];

	while (!atomic_load(&p->stop)) {
		if (ibv_poll_cq(p->cq, RACE_BATCH, wc) < 0)
			atomic_fetch_add(&p->failed, 1);
		atomic_store(&p->polls, true);
	}
	return NULL;
}

void real_destroy_qp_polled(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	struct ibv_qp *qp = slot_ptr(t, b->on);
	struct idler p = {.cq = qp->send_cq};
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
