/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Events in a reproducer: those of objects and of completion channels, those
 * that are not acknowledged yet, and destroying an object that waits for that.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>
#include "program/repro/parts/destroy.h"
#include "program/repro/parts/event_type.h"
#include "program/repro/parts/time.h"
#include "program/repro/parts/types.h"

/* part: held nheld */
/* Events that are acknowledged when their object goes. */
static struct ibv_async_event held[16];
static unsigned int nheld;

/* part: event next_event */
static struct {
	enum ibv_event_type event_type;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
} event;

static void show_event(const struct ibv_async_event *e)
{
	event.event_type = e->event_type;
	if (event_is_of_qp(e->event_type))
		event.qp = e->element.qp;
	else if (event_is_of_srq(e->event_type))
		event.srq = e->element.srq;
	else if (e->event_type == IBV_EVENT_CQ_ERR)
		event.cq = e->element.cq;
}

/* Waits for an event, and acknowledges it unless it is to be held. If the time
 * is over, the library still has to say that there is none. */
static int next_event(struct ibv_context *from, uint32_t timeout_ms, int hold)
{
	int64_t deadline = deadline_after(timeout_ms);
	struct ibv_async_event e;

	memset(&event, 0, sizeof(event));
	for (;;) {
		bool ready = wait_readable(from->async_fd, deadline);
		int ret;

		if (!ready)
			set_blocking(from->async_fd, false);
		ret = ibv_get_async_event(from, &e);
		if (ret)
			ret = errno;
		if (!ready)
			set_blocking(from->async_fd, true);
		if (ret == EAGAIN)
			break;
		if (ret)
			return ret;
		if (hold && nheld < 16 && !event_is_of_fabric(e.event_type))
			held[nheld++] = e;
		else
			ibv_ack_async_event(&e);
		if (event_is_of_fabric(e.event_type))
			continue;
		show_event(&e);
		return 0;
	}
	event.event_type = (enum ibv_event_type)NO_EVENT;
	return 0;
}

/* part: wait_drained */
static int wait_drained(struct ibv_qp *qp, uint32_t timeout_ms)
{
	int64_t deadline = deadline_after(timeout_ms);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	for (;;) {
		memset(&attr, 0, sizeof(attr));
		ret = ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
		if (ret || !attr.sq_draining)
			return ret;
		if (is_past(deadline))
			return ETIMEDOUT;
		nap_us(1000);
	}
}

/* part: unacked unacked_of */
/* Events that were read and not acknowledged yet. */
static struct {
	struct ibv_cq *cq;
	unsigned int count;
} unacked[64];

static unsigned int *unacked_of(struct ibv_cq *cq)
{
	int at = 0;

	while (at < 63 && unacked[at].cq && unacked[at].cq != cq)
		at++;
	unacked[at].cq = cq;
	return &unacked[at].count;
}

/* part: cq_event next_cq_event */
static struct {
	uint32_t count;
	struct ibv_cq *cq;
	void *context; /* points at the variable that holds the queue */
} cq_event;

static int next_cq_event(struct ibv_comp_channel *channel, uint32_t timeout_ms)
{
	bool ready;
	int ret;

	memset(&cq_event, 0, sizeof(cq_event));
	ready = wait_readable(channel->fd, deadline_after(timeout_ms));
	if (!ready)
		set_blocking(channel->fd, false);
	ret = ibv_get_cq_event(channel, &cq_event.cq, &cq_event.context);
	if (ret)
		ret = errno;
	if (!ready)
		set_blocking(channel->fd, true);
	if (ret)
		return ret == EAGAIN ? 0 : ret;
	cq_event.count = 1;
	++*unacked_of(cq_event.cq);
	return 0;
}

/* part: ack_cq_events */
/* More than were given: destroying the queue would never end. */
static int ack_cq_events(struct ibv_cq *cq, unsigned int count)
{
	if (count > *unacked_of(cq))
		return EINVAL;
	ibv_ack_cq_events(cq, count);
	*unacked_of(cq) -= count;
	return 0;
}

/* part: waits destroy_waits */
static struct {
	uint32_t waited;
} waits;

static void ack_all(const struct destroyer *d)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < nheld; i++)
		if (held[i].element.cq == d->cq ||
		    held[i].element.srq == d->srq ||
		    held[i].element.qp == d->qp)
			ibv_ack_async_event(&held[i]);
		else
			held[kept++] = held[i];
	nheld = kept;
	if (d->cq && *unacked_of(d->cq))
		ack_cq_events(d->cq, *unacked_of(d->cq));
}

/* A thread destroys the object. Its events are acknowledged when the thread
 * has had `ack_after_ms` to wait for that. */
static int destroy_waits(struct ibv_cq *cq, struct ibv_srq *srq,
			 struct ibv_qp *qp, uint32_t ack_after_ms)
{
	static struct destroyer d; /* a thread that hangs still uses it */
	bool done;
	int err;

	d = (struct destroyer){.cq = cq, .srq = srq, .qp = qp};
	err = pthread_create(&d.thread, NULL, destroy_object, &d);
	if (err)
		return err;
	done = destroyer_done(&d, ack_after_ms);
	waits.waited = !done;
	if (!done || d.ret)
		ack_all(&d);
	if (!destroyer_done(&d, DESTROY_GIVE_UP_MS))
		return ETIMEDOUT;
	pthread_join(d.thread, NULL);
	errno = d.err;
	return d.ret;
}
