// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connects a queue pair of an iWARP device through rdma_cm: a listener and a
 * connection to the device's own address, which are the target's, to another
 * queue pair of the program or to a partner of the target's own. Every wait is
 * bounded.
 */
#include <ifaddrs.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>
#include "target/verbs/verbs_target.h"

/* A connection: it lives until the program's objects are swept. */
struct verbs_link {
	struct verbs_link *next;
	struct rdma_event_channel *events;
	struct rdma_cm_id *listener, *active, *passive;
	const struct ibv_qp *qp, *peer; /* NULL: a partner of our own */
	int established;
};

#define RESOLVE_MS 2000

static int errno_of(int ret)
{
	return ret ? errno : 0;
}

static bool is_ip(const struct sockaddr *addr)
{
	return addr &&
	       (addr->sa_family == AF_INET || addr->sa_family == AF_INET6);
}

/* Does rdma_cm take the address for one of this device? */
static bool binds(struct rdma_event_channel *events, struct sockaddr *addr,
		  const struct ibv_device *device)
{
	struct rdma_cm_id *id;
	bool ours;

	if (rdma_create_id(events, &id, NULL, RDMA_PS_TCP))
		return false;
	ours = !rdma_bind_addr(id, addr) && id->verbs &&
	       !strcmp(ibv_get_device_name(id->verbs->device),
		       ibv_get_device_name((struct ibv_device *)device));
	rdma_destroy_id(id);
	return ours;
}

static int find_address(struct rdma_event_channel *events,
			const struct ibv_device *device,
			struct sockaddr_storage *found)
{
	struct ifaddrs *all, *at;

	if (getifaddrs(&all))
		return errno;
	for (at = all; at; at = at->ifa_next)
		if (is_ip(at->ifa_addr) && binds(events, at->ifa_addr, device))
			break;
	if (at)
		memcpy(found, at->ifa_addr,
		       at->ifa_addr->sa_family == AF_INET
			       ? sizeof(struct sockaddr_in)
			       : sizeof(struct sockaddr_in6));
	freeifaddrs(all);
	return at ? 0 : EADDRNOTAVAIL;
}

bool verbs_can_connect(const struct ibv_device *device)
{
	struct rdma_event_channel *events;
	struct sockaddr_storage addr;
	int err;

	if (device->transport_type != IBV_TRANSPORT_IWARP)
		return false;
	events = rdma_create_event_channel();
	if (!events)
		return false;
	err = find_address(events, device, &addr);
	rdma_destroy_event_channel(events);
	return !err;
}

static void set_port(struct sockaddr_storage *addr, __be16 port)
{
	if (addr->ss_family == AF_INET)
		((struct sockaddr_in *)addr)->sin_port = port;
	else
		((struct sockaddr_in6 *)addr)->sin6_port = port;
}

static int listen_at(struct verbs_link *link, struct sockaddr_storage *addr)
{
	int err;

	err = errno_of(rdma_create_id(link->events, &link->listener, NULL,
				      RDMA_PS_TCP));
	if (!err)
		err = errno_of(rdma_bind_addr(link->listener,
					      (struct sockaddr *)addr));
	if (!err)
		err = errno_of(rdma_listen(link->listener, 1));
	return err;
}

static struct rdma_conn_param named(const struct ibv_qp *qp)
{
	return (struct rdma_conn_param){
		.responder_resources = 1,
		.initiator_depth = 1,
		.qp_num = qp->qp_num,
		.srq = qp->srq != NULL,
	};
}

/* A partner of our own is one that librdmacm makes, on its own context. */
static int accept_partner(struct verbs_link *link, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.cap = {4, 4, 1, 1, 0},
		.qp_type = IBV_QPT_RC,
	};
	struct rdma_conn_param param;
	int err = 0;

	link->passive = id;
	if (!link->peer)
		err = errno_of(rdma_create_qp(id, NULL, &init));
	if (err)
		return err;
	param = named(link->peer ? link->peer : id->qp);
	return errno_of(rdma_accept(id, &param));
}

static int connect_qp(const struct verbs_link *link)
{
	struct rdma_conn_param param = named(link->qp);

	return errno_of(rdma_connect(link->active, &param));
}

static int failure_of(const struct rdma_cm_event *event)
{
	if (event->event == RDMA_CM_EVENT_REJECTED)
		return ECONNREFUSED;
	return event->status < 0 ? -event->status : ECONNABORTED;
}

/* One event of the way up; each leads to the next step. */
static int advance(struct verbs_link *link, const struct rdma_cm_event *event)
{
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return errno_of(rdma_resolve_route(link->active, RESOLVE_MS));
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		return connect_qp(link);
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return accept_partner(link, event->id);
	case RDMA_CM_EVENT_ESTABLISHED:
		link->established++;
		return 0;
	default:
		return failure_of(event);
	}
}

static int next_event(struct verbs_link *link)
{
	struct rdma_cm_event *event, copy;

	if (rdma_get_cm_event(link->events, &event))
		return errno;
	copy = *event;
	rdma_ack_cm_event(event);
	return advance(link, &copy);
}

static int wait_established(struct verbs_link *link, int64_t deadline)
{
	int err = 0;

	while (!err && link->established < 2)
		err = wait_readable(link->events->fd, deadline)
			      ? next_event(link)
			      : ETIMEDOUT;
	return err;
}

/* rdma_cm looks for the number of the peer on the device that it listens at. */
static bool same_device(const struct ibv_qp *qp, const struct ibv_qp *peer)
{
	return qp->context->device == peer->context->device;
}

static int connect_link(struct verbs_link *link, int64_t deadline)
{
	struct sockaddr_storage addr;
	int err;

	if (link->peer && !same_device(link->qp, link->peer))
		return EINVAL;
	memset(&addr, 0, sizeof(addr));
	err = find_address(link->events, link->qp->context->device, &addr);
	set_port(&addr, 0);
	if (!err)
		err = listen_at(link, &addr);
	if (!err)
		err = errno_of(rdma_create_id(link->events, &link->active, NULL,
					      RDMA_PS_TCP));
	if (err)
		return err;
	set_port(&addr, rdma_get_src_port(link->listener));
	err = errno_of(rdma_resolve_addr(link->active, NULL,
					 (struct sockaddr *)&addr, RESOLVE_MS));
	return err ? err : wait_established(link, deadline);
}

static void drop_link(struct verbs_link *link)
{
	if (link->passive && link->passive->qp)
		rdma_destroy_qp(link->passive);
	if (link->passive)
		rdma_destroy_id(link->passive);
	if (link->active)
		rdma_destroy_id(link->active);
	if (link->listener)
		rdma_destroy_id(link->listener);
	if (link->events)
		rdma_destroy_event_channel(link->events);
	free(link);
}

void verbs_drop_links(struct verbs_target *t)
{
	while (t->links) {
		struct verbs_link *link = t->links;

		t->links = link->next;
		drop_link(link);
	}
}

void real_connect(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	int64_t deadline = deadline_after(b->in.connect.timeout_ms);
	struct verbs_link *link;

	o->err = ERRNO_POISON;
	o->ret = EOPNOTSUPP;
	if (!t->base.info.can_connect)
		return;
	o->ret = ENOMEM;
	link = calloc(1, sizeof(*link));
	if (!link)
		return;
	link->next = t->links;
	t->links = link;
	link->qp = slot_ptr(t, b->on);
	link->peer = slot_ptr(t, b->in.connect.peer);
	link->events = rdma_create_event_channel();
	o->ret = link->events ? connect_link(link, deadline) : errno;
}
