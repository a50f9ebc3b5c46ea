// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Destroying an object that has unacknowledged events. A thread destroys the
 * object; the program checks whether the thread waits, and acknowledges. Both
 * are bounded.
 */
#include <stdlib.h>
#include "program/repro/parts/destroy.h"
#include "target/verbs/verbs_target.h"

bool verbs_hold_event(struct verbs_target *t,
		      const struct ibv_async_event *event, uint16_t of)
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

bool verbs_waits_for_ack(const struct verbs_target *t, uint16_t slot,
			 struct outcome *o)
{
	if (!is_unacked(t, slot))
		return false;
	o->ret = EDEADLK;
	o->err = ERRNO_POISON;
	return true;
}

/* Acknowledges the events of the object, or forgets them if it is gone. */
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

void verbs_ack_slot(struct verbs_target *t, uint16_t slot)
{
	drop_events(t, slot, false);
}

/* A thread that does not return keeps its struct destroyer. */
static void finish(struct verbs_target *t, const struct bound *b,
		   struct destroyer *d, struct outcome *o)
{
	if (!destroyer_done(d, DESTROY_GIVE_UP_MS)) {
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
	void *object = slot_ptr(t, b->on);
	bool done;
	int err;

	if (!d) {
		verbs_cannot_make(b, o, ENOMEM);
		return;
	}
	d->qp = b->verb == V_destroy_qp_waits ? object : NULL;
	d->srq = b->verb == V_destroy_srq_waits ? object : NULL;
	d->cq = b->verb == V_destroy_cq_waits ? object : NULL;
	err = pthread_create(&d->thread, NULL, destroy_object, d);
	if (err) {
		verbs_cannot_make(b, o, err);
		free(d);
		return;
	}
	done = destroyer_done(d, b->in.wait.ack_after_ms);
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
