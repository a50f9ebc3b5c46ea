// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion channels, asynchronous events, and their acknowledgement.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include "program/repro/parts/event_type.h"
#include "tests/stand-in/stand_in.h"

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context)
{
	struct bound b = fake_bound_on_context(V_create_comp_channel, context);
	struct ibv_comp_channel *channel;
	struct answer a;

	channel = fake_create(context, &b, &a);
	if (!channel)
		return NULL;
	channel->fd = eventfd(0, EFD_CLOEXEC);
	fake_context(context)->fake->channel_told[b.result] = false;
	fake_context(context)->fake->channel_fd[b.result] = channel->fd;
	return channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
	struct fake *f = fake_of(channel);
	uint16_t slot = fake_slot(f, channel);
	int fd = channel->fd,
	    ret = fake_destroy(V_destroy_comp_channel, channel);

	if (ret)
		return ret;
	f->channel_fd[slot] = 0;
	close(fd);
	return 0;
}

int fake_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	struct bound b = fake_bound_on_object(V_req_notify_cq, cq);
	struct answer a;

	b.in.notify.solicited_only = (uint32_t)solicited_only;
	return fake_call(fake_of(cq), &b, &a);
}

/* Waits until the descriptor is readable, unless it is non-blocking. Returns
 * false and sets errno if there is no event. */
static bool readable(int fd)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int flags = fcntl(fd, F_GETFL);

	if (poll(&pfd, 1, flags & O_NONBLOCK ? 0 : -1) == 1)
		return true;
	errno = EAGAIN;
	return false;
}

static void begin_reading(struct fake *f)
{
	pthread_mutex_lock(&f->lock);
	f->reading++;
	pthread_mutex_unlock(&f->lock);
}

/* Ends the reading of an event. Counts the event as unacknowledged if `slot` is
 * that of an object. Returns `ret`. */
static int end_reading(struct fake *f, uint16_t slot, int ret)
{
	pthread_mutex_lock(&f->lock);
	f->reading--;
	if (slot < PROG_MAX_OBJECTS)
		f->unacked[slot]++;
	pthread_cond_broadcast(&f->acked);
	pthread_mutex_unlock(&f->lock);
	if (ret)
		errno = EAGAIN;
	return ret;
}

static void count_ack(const void *object, unsigned int n)
{
	struct fake *f = fake_of(object);

	pthread_mutex_lock(&f->lock);
	f->unacked[fake_slot(f, object)] -= n;
	pthread_cond_broadcast(&f->acked);
	pthread_mutex_unlock(&f->lock);
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq,
		     void **cq_context)
{
	struct fake *f = fake_of(channel);
	struct bound b = fake_bound_on_object(V_get_cq_event, channel);
	const struct cq_event_args *out;
	const struct ibv_cq *named; /* whose cq_context the event names */
	struct answer a;

	if (!readable(channel->fd))
		return -1;
	begin_reading(f);
	out = &a.outcome.out.cq_event;
	/* There is no event if another thread has just read it. */
	if (fake_call(f, &b, &a) || !out->count)
		return end_reading(f, NO_OBJ, -1);
	*cq = fake_object_at(f, out->cq);
	named = fake_object_at(f, out->context);
	*cq_context = named ? named->cq_context : NULL;
	return end_reading(f, *cq ? out->cq : NO_OBJ, 0);
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int n)
{
	struct bound b = fake_bound_on_object(V_ack_cq_events, cq);
	struct answer a;

	b.in.ack.count = n;
	fake_call(fake_of(cq), &b, &a);
	count_ack(cq, n);
}

/* Returns the slot of the completion queue, SRQ or queue pair of an event. */
static uint16_t element_slot(const struct event_args *out)
{
	if (out->cq < PROG_MAX_OBJECTS)
		return out->cq;
	return out->srq < PROG_MAX_OBJECTS ? out->srq : out->qp;
}

/* With FAKE_SPEED=1 the speed of the device changes before each other event.
 */
static bool speed_changes(struct ibv_async_event *event)
{
	static bool told;

	if (!getenv("FAKE_SPEED"))
		return false;
	told = !told;
	event->event_type = (enum ibv_event_type)EVENT_DEVICE_SPEED_CHANGE;
	event->element.port_num = 0;
	return told;
}

int ibv_get_async_event(struct ibv_context *context,
			struct ibv_async_event *event)
{
	struct bound b = fake_bound_on_context(V_get_async_event, context);
	struct fake *f = fake_context(context)->fake;
	struct answer a;
	uint16_t slot;

	if (!readable(context->async_fd))
		return -1;
	if (speed_changes(event))
		return 0;
	begin_reading(f);
	if (fake_call(f, &b, &a) || a.outcome.out.event.event_type == NO_EVENT)
		return end_reading(f, NO_OBJ, -1);
	slot = element_slot(&a.outcome.out.event);
	event->event_type = (enum ibv_event_type)a.outcome.out.event.event_type;
	event->element.qp = fake_object_at(f, slot);
	return end_reading(f, event->element.qp ? slot : NO_OBJ, 0);
}

static bool concerns_object(enum ibv_event_type type)
{
	return type <= IBV_EVENT_PATH_MIG_ERR ||
	       (type >= IBV_EVENT_SRQ_ERR &&
		type <= IBV_EVENT_QP_LAST_WQE_REACHED);
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
	if (concerns_object(event->event_type) && event->element.qp)
		count_ack(event->element.qp, 1);
}
