/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Connects a queue pair of an iWARP device through rdma_cm: a listener and a
 * connection to an address of the device, whose other end is a second queue
 * pair or one that librdmacm makes. Every wait is bounded.
 */
#pragma once
#include <errno.h>
#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <string.h>
#include "program/repro/parts/time.h"
/* library: -lrdmacm */

/* part: find_address */
static inline bool is_ip(const struct sockaddr *addr)
{
	return addr &&
	       (addr->sa_family == AF_INET || addr->sa_family == AF_INET6);
}

/* Returns true if rdma_cm binds the address to this device. */
static inline bool binds(struct rdma_event_channel *events,
			 struct sockaddr *addr, const struct ibv_device *dev)
{
	struct rdma_cm_id *id;
	bool ours;

	if (rdma_create_id(events, &id, NULL, RDMA_PS_TCP))
		return false;
	ours = !rdma_bind_addr(id, addr) && id->verbs &&
	       !strcmp(ibv_get_device_name(id->verbs->device),
		       ibv_get_device_name((struct ibv_device *)dev));
	rdma_destroy_id(id);
	return ours;
}

/* Finds an address of the device. Returns 0 or an errno value. */
static inline int find_address(struct rdma_event_channel *events,
			       const struct ibv_device *dev,
			       struct sockaddr_storage *found)
{
	struct ifaddrs *all, *at;

	if (getifaddrs(&all))
		return errno;
	for (at = all; at; at = at->ifa_next)
		if (is_ip(at->ifa_addr) && binds(events, at->ifa_addr, dev))
			break;
	if (at)
		memcpy(found, at->ifa_addr,
		       at->ifa_addr->sa_family == AF_INET
			       ? sizeof(struct sockaddr_in)
			       : sizeof(struct sockaddr_in6));
	freeifaddrs(all);
	return at ? 0 : EADDRNOTAVAIL;
}

/* part: errno_of set_port */
static inline int errno_of(int ret)
{
	return ret ? errno : 0;
}

static inline void set_port(struct sockaddr_storage *addr, __be16 tcp_port)
{
	if (addr->ss_family == AF_INET)
		((struct sockaddr_in *)addr)->sin_port = tcp_port;
	else
		((struct sockaddr_in6 *)addr)->sin6_port = tcp_port;
}

/* part: connection connection_listen connection_reach connection_wait */
/* A connection of which this process has both ends, or one. */
struct connection {
	struct rdma_event_channel *events;
	struct rdma_cm_id *listener, *active, *passive;
	const struct ibv_qp *qp;   /* of the active end */
	const struct ibv_qp *peer; /* of the passive end; NULL: librdmacm makes
				      it */
	int established;	   /* ends */
};

#define RESOLVE_MS 2000

static inline int listen_at(struct connection *c, struct sockaddr_storage *addr)
{
	int err;

	err = errno_of(
		rdma_create_id(c->events, &c->listener, NULL, RDMA_PS_TCP));
	if (!err)
		err = errno_of(
			rdma_bind_addr(c->listener, (struct sockaddr *)addr));
	if (!err)
		err = errno_of(rdma_listen(c->listener, 1));
	return err;
}

static inline struct rdma_conn_param conn_param(const struct ibv_qp *qp)
{
	return (struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.qp_num = qp->qp_num,
		.srq = qp->srq != NULL,
	};
}

static inline int accept_peer(struct connection *c, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.cap = {4, 4, 1, 1, 0},
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_conn_param param;
	int err = 0;

	c->passive = id;
	if (!c->peer)
		err = errno_of(rdma_create_qp(id, NULL, &init));
	if (err)
		return err;
	param = conn_param(c->peer ? c->peer : id->qp);
	return errno_of(rdma_accept(id, &param));
}

/* Takes the step that an event asks for. */
static inline int advance(struct connection *c,
			  const struct rdma_cm_event *cm_event)
{
	struct rdma_conn_param param;

	switch (cm_event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return errno_of(rdma_resolve_route(c->active, RESOLVE_MS));
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		param = conn_param(c->qp);
		return errno_of(rdma_connect(c->active, &param));
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return accept_peer(c, cm_event->id);
	case RDMA_CM_EVENT_ESTABLISHED:
		c->established++;
		return 0;
	case RDMA_CM_EVENT_REJECTED:
		return ECONNREFUSED;
	default:
		return cm_event->status < 0 ? -cm_event->status : ECONNABORTED;
	}
}

static inline int take_cm_event(struct connection *c)
{
	struct rdma_cm_event *cm_event, copy;

	if (rdma_get_cm_event(c->events, &cm_event))
		return errno;
	copy = *cm_event;
	rdma_ack_cm_event(cm_event);
	return advance(c, &copy);
}

/* A connection changes the states of a queue pair of an iWARP device; elsewhere
 * ibv_modify_qp does. */
static inline bool takes_connections(const struct ibv_device *dev)
{
	return dev->transport_type == IBV_TRANSPORT_IWARP;
}

/* Listens at an address of the device, and stores it with the port. Returns 0
 * or an errno value. */
static inline int connection_listen(struct connection *c,
				    const struct ibv_device *dev,
				    struct sockaddr_storage *addr)
{
	int err;

	if (!takes_connections(dev))
		return EOPNOTSUPP;
	memset(addr, 0, sizeof(*addr));
	err = find_address(c->events, dev, addr);
	set_port(addr, 0);
	if (!err)
		err = listen_at(c, addr);
	if (!err)
		set_port(addr, rdma_get_src_port(c->listener));
	return err;
}

/* Begins to connect c->qp to a listener, from an address of its device; NULL:
 * the host chooses it. Returns 0 or an errno value. */
static inline int connection_reach(struct connection *c,
				   struct sockaddr_storage *from,
				   struct sockaddr_storage *to)
{
	int err;

	if (!takes_connections(c->qp->context->device))
		return EOPNOTSUPP;
	err = errno_of(
		rdma_create_id(c->events, &c->active, NULL, RDMA_PS_TCP));
	if (err)
		return err;
	return errno_of(rdma_resolve_addr(c->active, (struct sockaddr *)from,
					  (struct sockaddr *)to, RESOLVE_MS));
}

/* Waits until so many ends are connected. Returns 0 or an errno value. */
static inline int connection_wait(struct connection *c, int ends,
				  int64_t deadline)
{
	int err = 0;

	while (!err && c->established < ends)
		err = wait_readable(c->events->fd, deadline) ? take_cm_event(c)
							     : ETIMEDOUT;
	return err;
}

/* part: connection_make */
/* Connects c->qp and c->peer, which may be of another device. Returns 0 or an
 * errno value. rdma_cm looks for the number of the peer on the device of the
 * listener. */
static inline int connection_make(struct connection *c, int64_t deadline)
{
	struct ibv_device *dev = c->qp->context->device;
	struct ibv_device *there = c->peer ? c->peer->context->device : dev;
	struct sockaddr_storage from, to;
	int err = connection_listen(c, there, &to);

	memset(&from, 0, sizeof(from));
	if (!err && there != dev)
		err = find_address(c->events, dev, &from);
	if (!err)
		err = connection_reach(c, there == dev ? NULL : &from, &to);
	return err ? err : connection_wait(c, 2, deadline);
}

/* part: connect_qp */
/* Connects a queue pair with another one, or NULL. */
static inline int connect_qp(struct ibv_qp *qp, struct ibv_qp *peer,
			     uint32_t timeout_ms)
{
	int64_t deadline = deadline_after(timeout_ms);
	struct connection c = {.qp = qp, .peer = peer};

	c.events = rdma_create_event_channel();
	return c.events ? connection_make(&c, deadline) : errno;
}
