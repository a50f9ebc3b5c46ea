/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Destroying an object while another thread polls its completion queue or
 * waits for its events, and destroying it in a thread.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "program/program.h"
#include "program/repro/parts/event_type.h"
#include "program/repro/parts/time.h"
#include "program/repro/parts/wake.h"
/* library: -pthread */

/* part: destroy_qp_polled */
struct idle_poller {
	struct ibv_cq *cq;
	atomic_bool polls, stop;
	atomic_uint failed;
};

static inline void *poll_on(void *arg)
{
	struct idle_poller *p = arg;
	struct ibv_wc wc[RACE_BATCH];

	while (!atomic_load(&p->stop)) {
		if (ibv_poll_cq(p->cq, RACE_BATCH, wc) < 0)
			atomic_fetch_add(&p->failed, 1);
		atomic_store(&p->polls, true);
	}
	return NULL;
}

/* Destroys a queue pair while another thread polls its completion queue. */
static inline int destroy_qp_polled(struct ibv_qp *qp, struct raced_args *raced)
{
	struct idle_poller p = {.cq = qp->send_cq};
	pthread_t thread;
	int ret, err;

	if (!p.cq)
		return EINVAL;
	ret = pthread_create(&thread, NULL, poll_on, &p);
	if (ret)
		return ret;
	while (!atomic_load(&p.polls))
		sched_yield();
	errno = ERRNO_POISON;
	ret = ibv_destroy_qp(qp);
	err = errno;
	atomic_store(&p.stop, true);
	pthread_join(thread, NULL);
	raced->failed = atomic_load(&p.failed);
	errno = err;
	return ret;
}

/* part: destroy_heard */
/* A thread that sleeps in the library's call until an event comes, and
 * acknowledges it. */
struct listener {
	pthread_t thread;
	struct ibv_context *context;
	struct ibv_comp_channel *channel; /* NULL: asynchronous events */
	const void *object;
	atomic_bool begun, going, gone, ended;
	atomic_bool over;	  /* the object is gone, or was refused to go */
	atomic_uint read, failed; /* events of the object */
};

/* Waits until the other thread is about to destroy the object. */
static inline void await_end(const struct listener *l)
{
	for (int i = 0; i < 20000 && !atomic_load(&l->going); i++)
		nap_us(50);
}

/* Returns true if the event has to be acknowledged. The nap keeps the other
 * thread waiting. An event whose object is gone can only be counted. */
static inline bool is_due(struct listener *l, const void *object)
{
	if (object != l->object)
		return true; /* an object that stays */
	atomic_fetch_add(&l->read, 1);
	await_end(l);
	nap_us(2000);
	if (!atomic_load(&l->gone))
		return true;
	atomic_fetch_add(&l->failed, 1);
	return false;
}

static inline bool hear_cq(struct listener *l)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(l->channel, &cq, &context))
		return false;
	if (is_due(l, cq))
		ibv_ack_cq_events(cq, 1);
	return true;
}

static inline bool hear_async(struct listener *l)
{
	struct ibv_async_event heard;

	if (ibv_get_async_event(l->context, &heard))
		return false;
	if (!event_is_of_qp(heard.event_type) || is_due(l, heard.element.qp))
		ibv_ack_async_event(&heard);
	return true;
}

static inline void *listen_on(void *arg)
{
	struct listener *l = arg;

	atomic_store(&l->begun, true);
	while (!atomic_load(&l->over)) {
		errno = 0;
		if (!(l->channel ? hear_cq(l) : hear_async(l)) &&
		    errno != EINTR && errno != EAGAIN) {
			atomic_fetch_add(&l->failed, 1);
			break;
		}
	}
	atomic_store(&l->ended, true);
	return NULL;
}

/* Waits until the thread sleeps, or has read an event if there is one. */
static inline void await_listener(const struct listener *l)
{
	while (!atomic_load(&l->begun))
		nap_us(50);
	for (int i = 0; i < 40 && !atomic_load(&l->read); i++)
		nap_us(50);
}

/* Destroys the completion queue or the queue pair while another thread listens
 * to its events. */
static inline int destroy_heard(struct listener *l, struct ibv_cq *cq,
				struct ibv_qp *qp, struct raced_args *raced)
{
	int ret, err;

	ret = pthread_create(&l->thread, NULL, listen_on, l);
	if (ret)
		return ret;
	await_listener(l);
	atomic_store(&l->going, true);
	errno = ERRNO_POISON;
	ret = cq ? ibv_destroy_cq(cq) : ibv_destroy_qp(qp);
	err = errno;
	atomic_store(&l->gone, !ret);
	atomic_store(&l->over, true);
	wake_until_ended(l->thread, &l->ended);
	raced->completed = atomic_load(&l->read);
	raced->failed = atomic_load(&l->failed);
	errno = err;
	return ret;
}

/* part: destroy_cq_heard */
static inline int destroy_cq_heard(struct ibv_cq *cq, struct raced_args *raced)
{
	struct listener l = {.channel = cq->channel, .object = cq};

	return l.channel ? destroy_heard(&l, cq, NULL, raced) : EINVAL;
}

/* part: destroy_qp_heard */
static inline int destroy_qp_heard(struct ibv_qp *qp, struct raced_args *raced)
{
	struct listener l = {.context = qp->context, .object = qp};

	return destroy_heard(&l, NULL, qp, raced);
}

/* part: destroyer destroyer_done DESTROY_GIVE_UP_MS */
/* A thread that destroys one of the objects. */
struct destroyer {
	pthread_t thread;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	int ret, err;
	atomic_bool done;
};

static inline void *destroy_object(void *arg)
{
	struct destroyer *d = arg;

	errno = ERRNO_POISON;
	if (d->qp)
		d->ret = ibv_destroy_qp(d->qp);
	else if (d->srq)
		d->ret = ibv_destroy_srq(d->srq);
	else
		d->ret = ibv_destroy_cq(d->cq);
	d->err = errno;
	atomic_store(&d->done, true);
	return NULL;
}

/* Returns true if the object was destroyed, or refused to be, in time. */
static inline bool destroyer_done(struct destroyer *d, uint32_t ms)
{
	int64_t deadline = deadline_after(ms);

	while (!atomic_load(&d->done)) {
		if (is_past(deadline))
			return atomic_load(&d->done);
		nap_us(1000);
	}
	return true;
}

#define DESTROY_GIVE_UP_MS 10000
