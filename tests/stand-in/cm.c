// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The part of librdmacm that connects two queue pairs of an iWARP device within
 * one process. Every address belongs to the open device. Each call raises the
 * event of its success before it returns.
 */
#include <endian.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include "tests/stand-in/stand_in.h"

#define CM_EVENTS 8

struct fake_channel {
	struct rdma_event_channel channel;
	struct rdma_cm_event event[CM_EVENTS];
	unsigned int given, taken;
	struct rdma_cm_id *listener;
};

struct fake_id {
	struct rdma_cm_id id;
	struct fake_id
		*connector; /* for the accepting end: the connecting end */
	uint32_t qp_num;    /* given to rdma_connect() */
	struct ibv_qp own;  /* of rdma_create_qp(); unknown to the model */
};

struct rdma_event_channel *rdma_create_event_channel(void)
{
	struct fake_channel *c = calloc(1, sizeof(*c));

	if (c)
		c->channel.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	return (struct rdma_event_channel *)c;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
	close(channel->fd);
	free(channel);
}

static void raise_event(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	struct fake_channel *c = (struct fake_channel *)id->channel;

	c->event[c->given++ % CM_EVENTS] =
		(struct rdma_cm_event){.id = id, .event = type};
	eventfd_write(c->channel.fd, 1);
}

int rdma_get_cm_event(struct rdma_event_channel *channel,
		      struct rdma_cm_event **event)
{
	struct fake_channel *c = (struct fake_channel *)channel;
	eventfd_t one;

	if (eventfd_read(channel->fd, &one))
		return -1;
	*event = &c->event[c->taken++ % CM_EVENTS];
	return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
	(void)event;
	return 0;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id,
		   void *context, enum rdma_port_space ps)
{
	struct fake_id *made = calloc(1, sizeof(*made));

	if (!made)
		return -1;
	made->id.channel = channel;
	made->id.context = context;
	made->id.ps = ps;
	*id = &made->id;
	return 0;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
	free(id);
	return 0;
}

/* Binds to the open device. The id has no device if no context is open. */
int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr)
{
	(void)addr;
	id->verbs = fake_main_context;
	return 0;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
	(void)backlog;
	((struct fake_channel *)id->channel)->listener = id;
	return 0;
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
	(void)id;
	return htobe16(4791);
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from,
		      struct sockaddr *to, int timeout_ms)
{
	(void)from;
	(void)to;
	(void)timeout_ms;
	raise_event(id, RDMA_CM_EVENT_ADDR_RESOLVED);
	return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
	(void)timeout_ms;
	raise_event(id, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return 0;
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct fake_id *asks = (struct fake_id *)id, *accepts;
	struct rdma_cm_id *made;

	asks->qp_num = param->qp_num;
	if (!((struct fake_channel *)id->channel)->listener ||
	    rdma_create_id(id->channel, &made, NULL, RDMA_PS_TCP)) {
		errno = ECONNREFUSED;
		return -1;
	}
	accepts = (struct fake_id *)made;
	accepts->connector = asks;
	raise_event(made, RDMA_CM_EVENT_CONNECT_REQUEST);
	return 0;
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd,
		   struct ibv_qp_init_attr *attr)
{
	struct fake_id *made = (struct fake_id *)id;

	(void)pd;
	(void)attr;
	made->own.qp_num = UINT32_MAX;
	id->qp = &made->own;
	return 0;
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
	id->qp = NULL;
}

/* Returns the slot of the queue pair with a number, or NO_OBJ. */
static uint16_t slot_of_number(const struct fake *f, uint32_t number)
{
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		const struct ibv_qp *qp = f->object[slot];

		if (f->kind[slot] == OBJ_QP && qp && qp->qp_num == number)
			return slot;
	}
	return NO_OBJ;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	struct fake_id *accepts = (struct fake_id *)id;
	struct fake *f = fake_context(fake_main_context)->fake;
	struct bound b = fake_bound(
		V_connect, slot_of_number(f, accepts->connector->qp_num));
	struct answer a;

	b.in.connect.peer = slot_of_number(f, param->qp_num);
	errno = fake_call(f, &b, &a);
	if (errno)
		return -1;
	raise_event(id, RDMA_CM_EVENT_ESTABLISHED);
	raise_event(&accepts->connector->id, RDMA_CM_EVENT_ESTABLISHED);
	return 0;
}
