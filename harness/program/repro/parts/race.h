/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Threads that post sends and receives to queue pairs while other threads poll
 * the completion queue, or one waits for its events. No thread is left behind.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/time.h"
#include "program/repro/parts/types.h"
#include "program/repro/parts/wake.h"
/* library: -pthread */

/* part: race */
struct race {
	/* each poster posts `count` sends, at most `depth` are outstanding */
	uint32_t count, posters, receivers, pollers, depth, opcode, length;
	uint32_t batches;  /* posted by ibv_wr_start */
	uint32_t extended; /* polled by ibv_start_poll */
	uint32_t events;   /* awaited in ibv_get_cq_event */
	uint32_t apart;	   /* each request has bytes of its own */
	uint32_t remote_qpn, remote_qkey, remote_srqn, timeout_ms;
	struct ibv_qp *qp, *recv_qp;
	struct ibv_srq *recv_srq;
	struct ibv_mr *mr, *remote, *into;
	struct ibv_ah *ah;
	/* the rest is for post_and_poll() */
	uint32_t all; /* sends */
	atomic_uint begun, posted, completed, failed, disordered;
	atomic_uint offered, received; /* receives */
	atomic_uchar *came;	       /* completions of each receive */
	atomic_uint heard;	       /* events of the completion queue */
	atomic_bool stop, sleeps, over, ended; /* the last three: with events */
};

/* part: post_and_poll */
struct racer {
	struct race *race;
	pthread_t thread;
	uint32_t number;
	/* for a poller: the last number of each thread, by send and receive */
	uint64_t after[2][RACE_THREADS];
};

static inline uint64_t race_place(const struct race *r, const struct ibv_mr *mr,
				  uint32_t number)
{
	uint64_t at = r->apart ? (uint64_t)number * r->length : 0;

	return mr ? (uintptr_t)mr->addr + at : 0;
}

static inline struct ibv_sge
race_element(const struct race *r, const struct ibv_mr *mr, uint32_t number)
{
	return (struct ibv_sge){
		.addr = race_place(r, mr, number),
		.length = r->length,
		.lkey = mr ? mr->lkey : 0,
	};
}

static inline int race_post(const struct race *r, uint32_t number)
{
	struct ibv_sge sge = race_element(r, r->mr, number);
	struct ibv_send_wr wr = {
		.wr_id = number,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = (enum ibv_wr_opcode)r->opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_send_wr *bad;

	if (r->qp->qp_type == IBV_QPT_XRC_SEND)
		wr.qp_type.xrc.remote_srqn = r->remote_srqn;
	if (r->ah) {
		wr.wr.ud.ah = r->ah;
		wr.wr.ud.remote_qpn = r->remote_qpn;
		wr.wr.ud.remote_qkey = r->remote_qkey;
	} else {
		wr.wr.rdma.remote_addr = race_place(r, r->remote, number);
		wr.wr.rdma.rkey = r->remote ? r->remote->rkey : 0;
	}
	return ibv_post_send(r->qp, &wr, &bad);
}

/* Between start and complete the batch belongs to this thread alone. */
static inline int race_build(const struct race *r, uint32_t number)
{
	struct ibv_sge sge = race_element(r, r->mr, number);
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(r->qp);

	ibv_wr_start(qp);
	qp->wr_id = number;
	qp->wr_flags = IBV_SEND_SIGNALED;
	if (r->opcode == IBV_WR_RDMA_WRITE)
		ibv_wr_rdma_write(qp, r->remote ? r->remote->rkey : 0,
				  race_place(r, r->remote, number));
	else
		ibv_wr_send(qp);
	if (r->ah && r->qp->qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qp, r->ah, r->remote_qpn, r->remote_qkey);
	if (r->qp->qp_type == IBV_QPT_XRC_SEND)
		ibv_wr_set_xrc_srqn(qp, r->remote_srqn);
	ibv_wr_set_sge(qp, sge.lkey, sge.addr, sge.length);
	return ibv_wr_complete(qp);
}

static inline int race_receive(const struct race *r, uint32_t number)
{
	struct ibv_sge sge = race_element(r, r->into, number);
	struct ibv_recv_wr wr = {
		.wr_id = RACE_RECEIVE | number,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_recv_wr *bad;

	return r->recv_srq ? ibv_post_srq_recv(r->recv_srq, &wr, &bad)
			   : ibv_post_recv(r->recv_qp, &wr, &bad);
}

/* Queues are never asked for more than they have room for. */
static inline bool race_has_room(const struct race *r, uint32_t begun,
				 uint32_t ended)
{
	return begun - ended + RACE_BATCH < r->depth;
}

/* Without a receive a send would be lost on some types, and end the stream of
 * iWARP: `before` sends have begun before this one. */
static inline bool race_may_post(struct race *r, uint32_t before)
{
	if (r->receivers && atomic_load(&r->offered) <= before)
		return false;
	return race_has_room(r, atomic_load(&r->posted),
			     atomic_load(&r->completed));
}

/* Thread k of n has the numbers k, k + n, k + 2n, ... */
static inline void *post_all(void *arg)
{
	const struct racer *p = arg;
	struct race *r = p->race;

	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t number = i * r->posters + p->number;
		uint32_t before = atomic_fetch_add(&r->begun, 1);

		while (!race_may_post(r, before) && !atomic_load(&r->stop))
			sched_yield();
		if (atomic_load(&r->stop) ||
		    (r->batches ? race_build(r, number) : race_post(r, number)))
			break;
		atomic_fetch_add(&r->posted, 1);
	}
	return NULL;
}

static inline void *receive_all(void *arg)
{
	const struct racer *p = arg;
	struct race *r = p->race;

	for (uint32_t k = p->number; k < r->all; k += r->receivers) {
		while (!race_has_room(r, atomic_load(&r->offered),
				      atomic_load(&r->received)) &&
		       !atomic_load(&r->stop))
			sched_yield();
		if (atomic_load(&r->stop) || race_receive(r, k))
			break;
		atomic_fetch_add(&r->offered, 1);
	}
	return NULL;
}

/* The numbers of a thread have to come in their order, except those of a
 * shared receive queue. */
static inline void race_look_at(struct racer *p, const struct ibv_wc *wc)
{
	struct race *r = p->race;
	bool receive = wc->wr_id & RACE_RECEIVE;
	uint64_t number = wc->wr_id & ~RACE_RECEIVE;
	uint32_t threads = receive ? r->receivers : r->posters;
	uint64_t *after, turn;

	if (number >= r->all || !threads || wc->status != IBV_WC_SUCCESS)
		atomic_fetch_add(&r->failed, 1);
	if (number >= r->all || !threads)
		return;
	after = &p->after[receive][number % threads];
	turn = number / threads + 1;
	if (turn <= *after && !(receive && r->recv_srq))
		atomic_fetch_add(&r->disordered, 1);
	*after = turn;
	if (receive)
		atomic_fetch_add(&r->came[number], 1);
	atomic_fetch_add(receive ? &r->received : &r->completed, 1);
}

/* Returns the number of completions, of which wr_id and status are set, or
 * -1. */
static inline int race_poll(const struct race *r, struct ibv_wc *wc)
{
	struct ibv_cq_ex *cq = (struct ibv_cq_ex *)(void *)r->qp->send_cq;
	struct ibv_poll_cq_attr attr = {.comp_mask = 0};
	int ret, n = 0;

	if (!r->extended)
		return ibv_poll_cq(r->qp->send_cq, RACE_BATCH, wc);
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

static inline uint32_t race_done(struct race *r)
{
	return atomic_load(&r->completed) + atomic_load(&r->received);
}

static inline uint32_t race_all(const struct race *r)
{
	return r->receivers ? 2 * r->all : r->all;
}

/* Polls once. Returns false if the poll failed. */
static inline bool race_take(struct racer *p)
{
	struct ibv_wc wc[RACE_BATCH];
	int n = race_poll(p->race, wc);

	if (n < 0)
		atomic_fetch_add(&p->race->failed, 1);
	for (int i = 0; i < n; i++)
		race_look_at(p, &wc[i]);
	return n >= 0;
}

/* Polls until all completions came, or none within the timeout. The queue is
 * polled once more after the timeout. */
static inline void *poll_all(void *arg)
{
	struct racer *p = arg;
	struct race *r = p->race;
	uint32_t last = 0;
	int64_t deadline = deadline_after(r->timeout_ms);
	bool over = false;

	while (race_done(r) < race_all(r) && !over) {
		over = is_past(deadline);
		if (!race_take(p))
			break;
		if (race_done(r) != last) {
			deadline = deadline_after(r->timeout_ms);
			over = false;
		} else {
			sched_yield();
		}
		last = race_done(r);
	}
	return NULL;
}

/* Waits in the library's call for an event, and acknowledges it. Returns false
 * if the call failed. */
static inline bool race_hear(struct race *r)
{
	struct ibv_cq *cq;
	void *context;

	errno = 0;
	if (ibv_get_cq_event(r->qp->send_cq->channel, &cq, &context)) {
		if (errno != EINTR)
			atomic_fetch_add(&r->failed, 1);
		return errno == EINTR;
	}
	atomic_fetch_add(cq == r->qp->send_cq ? &r->heard : &r->failed, 1);
	ibv_ack_cq_events(cq, 1);
	return true;
}

/* Takes what is in the queue, and sleeps until the next completion, until all
 * came. A completion that comes between arming and polling raises its event,
 * too. */
static inline void *await_all(void *arg)
{
	struct racer *p = arg;
	struct race *r = p->race;
	uint32_t last;

	do {
		if (ibv_req_notify_cq(r->qp->send_cq, 0)) {
			atomic_fetch_add(&r->failed, 1);
			break;
		}
		do {
			last = race_done(r);
		} while (race_take(p) && race_done(r) != last);
		if (race_done(r) >= race_all(r))
			break;
		atomic_store(&r->sleeps, true);
	} while (race_hear(r) && !atomic_load(&r->over));
	atomic_store(&r->ended, true);
	return NULL;
}

/* Returns how many of the threads have begun. */
static inline uint32_t race_begin(struct race *r, struct racer *racer,
				  uint32_t n, void *(*run)(void *))
{
	uint32_t i = 0;

	for (; i < n && i < RACE_THREADS; i++) {
		racer[i] = (struct racer){.race = r, .number = i};
		if (pthread_create(&racer[i].thread, NULL, run, &racer[i]))
			break;
	}
	return i;
}

static inline void race_join(const struct racer *racer, uint32_t n)
{
	while (n-- > 0)
		pthread_join(racer[n].thread, NULL);
}

/* Begins the thread that waits for events. No event may come as long as nothing
 * was posted. Returns false if there is no such thread. */
static inline bool race_sleep(struct race *r, struct racer *sleeper)
{
	if (race_begin(r, sleeper, 1, await_all) != 1)
		return false;
	while (!atomic_load(&r->sleeps) && !atomic_load(&r->ended))
		nap_us(50);
	nap_us(10000);
	if (atomic_load(&r->heard))
		atomic_fetch_add(&r->failed, 1);
	return true;
}

/* Waits until the thread has seen all completions, or none within the
 * timeout. */
static inline void race_watch(struct race *r, const struct racer *sleeper)
{
	int64_t deadline = deadline_after(r->timeout_ms);
	uint32_t last = 0;

	while (!atomic_load(&r->ended) && !is_past(deadline)) {
		if (race_done(r) != last)
			deadline = deadline_after(r->timeout_ms);
		last = race_done(r);
		nap_us(200);
	}
	atomic_store(&r->over, true);
	wake_until_ended(sleeper->thread, &r->ended);
}

/* The calling thread polls as well, or watches the thread that waits for
 * events. */
static inline void race_run(struct race *r)
{
	struct racer poster[RACE_THREADS], receiver[RACE_THREADS],
		poller[RACE_THREADS], own = {.race = r};
	uint32_t pollers = r->pollers > 1 ? r->pollers - 1 : 0;
	uint32_t posters, receivers;
	bool sleeps = r->events && race_sleep(r, poller);

	receivers = race_begin(r, receiver, r->receivers, receive_all);
	posters = race_begin(r, poster, r->posters, post_all);
	if (sleeps) {
		race_watch(r, poller);
	} else {
		pollers = race_begin(r, poller, pollers, poll_all);
		poll_all(&own);
		race_join(poller, pollers);
	}
	atomic_store(&r->stop, true);
	race_join(poster, posters);
	race_join(receiver, receivers);
}

/* Returns true if the receive holds the bytes of a message that no receive
 * before it has. */
static inline bool holds_message(const struct race *r, uint32_t number,
				 bool *taken)
{
	const char *into = r->into->addr, *from = r->mr->addr;
	uint64_t length = r->length;

	for (uint32_t m = 0; m < r->all; m++) {
		if (taken[m] || memcmp(into + number * length,
				       from + m * length, length) != 0)
			continue;
		taken[m] = true;
		return true;
	}
	return false;
}

static inline bool holds_all(const struct race *r, const struct ibv_mr *mr)
{
	return mr && (uint64_t)r->all * r->length <= mr->length;
}

/* Returns the number of receives that hold no message, or one that another
 * receive has. */
static inline uint32_t race_wrong(const struct race *r)
{
	uint32_t wrong = 0;
	bool *taken;

	if (!r->receivers || !r->apart || !r->length || !holds_all(r, r->mr) ||
	    !holds_all(r, r->into))
		return 0;
	taken = calloc((size_t)r->all + 1, sizeof(*taken));
	for (uint32_t k = 0; taken && k < r->all; k++) {
		unsigned int came = atomic_load(&r->came[k]);

		if (came > 1 || (came && !holds_message(r, k, taken)))
			wrong++;
	}
	free(taken);
	return wrong;
}

static inline int post_and_poll(struct race *r, struct raced_args *raced)
{
	r->all = r->count * r->posters;
	r->came = calloc((size_t)r->all + 1, sizeof(*r->came));
	if (!r->came)
		return ENOMEM;
	race_run(r);
	*raced = (struct raced_args){
		.posted = atomic_load(&r->posted),
		.completed = atomic_load(&r->completed),
		.received = atomic_load(&r->received),
		.failed = atomic_load(&r->failed),
		.disordered = atomic_load(&r->disordered),
		.wrong = race_wrong(r),
	};
	free(r->came);
	return 0;
}
