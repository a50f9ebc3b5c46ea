// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Destroying an object on a libibverbs device while another thread waits for
 * its events and acknowledges each. The thread sleeps in the library's own
 * call, from which a signal gets it back when the object is gone.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include "target/verbs/verbs_target.h"

struct listener {
	pthread_t thread;
	struct ibv_context *context;
	struct ibv_comp_channel *channel; /* NULL: asynchronous events */
	const void *object;
	atomic_bool begun, over, gone, ended; /* over: gone, or refused to go */
	atomic_uint read, failed;	      /* events of the object */
};

static void nap(long microseconds)
{
	const struct timespec ts = {.tv_nsec = microseconds * 1000};

	nanosleep(&ts, NULL);
}

/* Acknowledging takes its time, for which the other thread has to wait. An
 * event whose object is gone can only be counted. */
static bool is_due(struct listener *l, const void *object)
{
	if (object != l->object)
		return true; /* which stays, and could not be destroyed later */
	atomic_fetch_add(&l->read, 1);
	nap(2000);
	if (!atomic_load(&l->gone))
		return true;
	atomic_fetch_add(&l->failed, 1);
	return false;
}

static bool hear_cq(struct listener *l)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(l->channel, &cq, &context))
		return false;
	if (is_due(l, cq))
		ibv_ack_cq_events(cq, 1);
	return true;
}

static bool hear_async(struct listener *l)
{
	struct ibv_async_event event;

	if (ibv_get_async_event(l->context, &event))
		return false;
	if (!event_of_a_qp(event.event_type) || is_due(l, event.element.qp))
		ibv_ack_async_event(&event);
	return true;
}

static void *listen_on(void *arg)
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

/* Asleep, or with an event in its hands, if there is one. */
static void wait_for(const struct listener *l)
{
	while (!atomic_load(&l->begun))
		nap(50);
	for (int i = 0; i < 40 && !atomic_load(&l->read); i++)
		nap(50);
}

static void wake_up(int number)
{
	(void)number;
}

/* A signal that comes before the thread sleeps is lost, so it comes again. */
static void call_back(struct listener *l)
{
	const struct sigaction wakes = {.sa_handler = wake_up};
	struct sigaction before;

	sigaction(SIGUSR2, &wakes, &before);
	while (!atomic_load(&l->ended)) {
		pthread_kill(l->thread, SIGUSR2);
		nap(200);
	}
	pthread_join(l->thread, NULL);
	sigaction(SIGUSR2, &before, NULL);
}

static void destroy_heard(struct verbs_target *t, const struct bound *b,
			  struct listener *l, struct outcome *o)
{
	if (waits_for_ack(t, b->on, o))
		return;
	l->object = slot_ptr(t, b->on);
	o->err = ERRNO_POISON;
	o->ret = pthread_create(&l->thread, NULL, listen_on, l);
	if (o->ret)
		return;
	wait_for(l);
	if (b->verb == V_destroy_cq_heard)
		RECORD_INT(o, ibv_destroy_cq(slot_ptr(t, b->on)));
	else
		RECORD_INT(o, ibv_destroy_qp(slot_ptr(t, b->on)));
	atomic_store(&l->gone, !o->ret);
	atomic_store(&l->over, true);
	call_back(l);
	o->out.raced.completed = atomic_load(&l->read);
	o->out.raced.failed = atomic_load(&l->failed);
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_destroy_cq_heard(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	struct ibv_cq *cq = slot_ptr(t, b->on);
	struct listener l = {.channel = cq->channel};

	o->ret = EINVAL;
	o->err = ERRNO_POISON;
	if (l.channel)
		destroy_heard(t, b, &l, o);
}

void real_destroy_qp_heard(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	struct ibv_qp *qp = slot_ptr(t, b->on);
	struct listener l = {.context = qp->context};

	destroy_heard(t, b, &l, o);
}
