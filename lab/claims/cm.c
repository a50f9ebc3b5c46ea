// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connects two queue pairs of one iWARP device through rdma_cm. Queue pairs
 * are made with ibv_create_qp and named to rdma_cm by their number.
 */
#include "cm.h"
#include <ifaddrs.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <string.h>

struct link {
	struct rdma_event_channel *events;
	struct rdma_cm_id *listener, *active;
	struct ibv_qp *a, *b;
	int established;
};

static bool binds(struct link *link, struct sockaddr *addr, const char *device)
{
	struct rdma_cm_id *id;
	bool ours;

	if (rdma_create_id(link->events, &id, NULL, RDMA_PS_TCP))
		return false;
	ours = !rdma_bind_addr(id, addr) && id->verbs &&
	       !strcmp(ibv_get_device_name(id->verbs->device), device);
	rdma_destroy_id(id);
	return ours;
}

static struct sockaddr_in address_of(const struct lab *lab, struct link *link)
{
	struct sockaddr_in found = {.sin_family = AF_UNSPEC};
	struct ifaddrs *all, *at;

	must(lab, getifaddrs(&all), "getifaddrs");
	for (at = all; at; at = at->ifa_next)
		if (at->ifa_addr && at->ifa_addr->sa_family == AF_INET &&
		    binds(link, at->ifa_addr,
			  ibv_get_device_name(lab->ctx->device)))
			memcpy(&found, at->ifa_addr, sizeof(found));
	freeifaddrs(all);
	if (found.sin_family != AF_INET)
		cannot(lab, "no IPv4 address of the device");
	found.sin_port = 0;
	return found;
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

static int advance(struct link *link, const struct rdma_cm_event *event)
{
	struct rdma_conn_param a = named(link->a), b = named(link->b);

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return rdma_resolve_route(link->active, 2000);
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		return rdma_connect(link->active, &a);
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return rdma_accept(event->id, &b);
	case RDMA_CM_EVENT_ESTABLISHED:
		link->established++;
		return 0;
	default:
		errno = event->status < 0 ? -event->status : ECONNABORTED;
		return -1;
	}
}

static void step(const struct lab *lab, struct link *link)
{
	struct rdma_cm_event *event, copy;

	if (!readable(link->events->fd, 3000))
		cannot(lab, "the connection did not come up in 3 s");
	must(lab, rdma_get_cm_event(link->events, &event), "rdma_get_cm_event");
	copy = *event;
	rdma_ack_cm_event(event);
	must(lab, advance(link, &copy), rdma_event_str(copy.event));
}

void cm_connect(const struct lab *lab, struct ibv_qp *a, struct ibv_qp *b)
{
	struct link link = {.a = a, .b = b};
	struct sockaddr_in addr;

	link.events = must_have(lab, rdma_create_event_channel(),
				"rdma_create_event_channel");
	addr = address_of(lab, &link);
	must(lab,
	     rdma_create_id(link.events, &link.listener, NULL, RDMA_PS_TCP),
	     "rdma_create_id");
	must(lab, rdma_bind_addr(link.listener, (struct sockaddr *)&addr),
	     "rdma_bind_addr");
	must(lab, rdma_listen(link.listener, 1), "rdma_listen");
	addr.sin_port = rdma_get_src_port(link.listener);
	must(lab, rdma_create_id(link.events, &link.active, NULL, RDMA_PS_TCP),
	     "rdma_create_id");
	must(lab,
	     rdma_resolve_addr(link.active, NULL, (struct sockaddr *)&addr,
			       2000),
	     "rdma_resolve_addr");
	while (link.established < 2)
		step(lab, &link);
}

struct pair cm_pair(const struct lab *lab, const struct shape *shape)
{
	struct pair pair = make_ends(lab, shape);

	cm_connect(lab, pair.a, pair.b);
	return pair;
}
