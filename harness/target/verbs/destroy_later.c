// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Events that were read and not acknowledged yet, and the destruction of their
 * object, which waits for that: a thread destroys, the program acknowledges
 * when it has looked whether the other one waits. Both are bounded.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "target/verbs/verbs_target.h"

#define GIVE_UP_MS 10000 /* the thread is left behind */

bool hold_event(struct verbs_target *t, const struct ibv_async_event *event,
		uint16_t of)
{
	if (of == NO_OBJ || t->nheld == MAX_HELD)
		return false;
	t->held[t->nheld++] = (struct held_event){of, *event};
	return true;
}

static bool is_unacked(const struct verbs_target *t, uint16_t slot)
{
	for (unsigned int i = 0; i < t->nheld; i++)
		if (t->held[i].of == slot)
			return true;
	return t->object[slot].unacked != 0;
}

bool waits_for_ack(const struct verbs_target *t, uint16_t slot,
		   struct outcome *o)
{
	if (!is_unacked(t, slot))
		return false;
	o->ret = EDEADLK;
	o->err = ERRNO_POISON;
	return true;
}

/* Of an object that is gone nothing can be acknowledged any more. */
static void drop_events(struct verbs_target *t, uint16_t slot, bool gone)
{
	struct verbs_object *object = &t->object[slot];
	unsigned int kept = 0;

	for (unsigned int i = 0; i < t->nheld; i++)
		if (t->held[i].of != slot)
			t->held[kept++] = t->held[i];
		else if (!gone)
			ibv_ack_async_event(&t->held[i].event);
	t->nheld = kept;
	if (object->unacked && !gone)
		ibv_ack_cq_events(object->ptr, object->unacked);
	object->unacked = 0;
}

void ack_slot(struct verbs_target *t, uint16_t slot)
{
	drop_events(t, slot, false);
}

/* What the thread does, and how it ended. */
struct destroyer {
	pthread_t thread;
	enum verb verb;
	void *object;
	int ret, err;
	atomic_bool done;
};

static void *run(void *arg)
{
	struct destroyer *d = arg;

	errno = ERRNO_POISON;
	if (d->verb == V_destroy_qp_waits)
		d->ret = ibv_destroy_qp(d->object);
	else if (d->verb == V_destroy_srq_waits)
		d->ret = ibv_destroy_srq(d->object);
	else
		d->ret = ibv_destroy_cq(d->object);
	d->err = errno;
	atomic_store(&d->done, true);
	return NULL;
}

static bool done_by(struct destroyer *d, int64_t deadline)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	while (!atomic_load(&d->done)) {
		if (is_past(deadline))
			return atomic_load(&d->done);
		nanosleep(&pause, NULL);
	}
	return true;
}

/* A thread that never comes back keeps what it works on. */
static void finish(struct verbs_target *t, const struct bound *b,
		   struct destroyer *d, struct outcome *o)
{
	if (!done_by(d, deadline_after(GIVE_UP_MS))) {
		pthread_detach(d->thread);
		slot_drop(t, b->on);
		o->ret = ETIMEDOUT;
		o->err = ERRNO_POISON;
		return;
	}
	pthread_join(d->thread, NULL);
	o->ret = d->ret;
	o->err = d->err;
	free(d);
	if (!o->ret)
		slot_drop(t, b->on);
}

static void destroy_waits(struct verbs_target *t, const struct bound *b,
			  struct outcome *o)
{
	struct destroyer *d = calloc(1, sizeof(*d));
	bool done;
	int err;

	if (!d) {
		cannot_make(b, o, ENOMEM);
		return;
	}
	d->verb = b->verb;
	d->object = slot_ptr(t, b->on);
	err = pthread_create(&d->thread, NULL, run, d);
	if (err) {
		cannot_make(b, o, err);
		free(d);
		return;
	}
	done = done_by(d, deadline_after(b->in.wait.ack_after_ms));
	o->out.waited.waited = !done;
	drop_events(t, b->on, done && !d->ret);
	finish(t, b, d, o);
}

void real_destroy_cq_waits(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	destroy_waits(t, b, o);
}

void real_destroy_srq_waits(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	destroy_waits(t, b, o);
}

void real_destroy_qp_waits(struct verbs_target *t, const struct bound *b,
			   struct outcome *o)
{
	destroy_waits(t, b, o);
}
