// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Uses rdma_cm: connects queue pairs of an iWARP device, and joins multicast
 * groups of an Ethernet device. Drops connections and memberships after the
 * program.
 */
#include <stdlib.h>
#include "target/verbs/connect.h"

bool verbs_can_connect(const struct ibv_device *device)
{
	struct rdma_event_channel *events;
	struct sockaddr_storage addr;
	int err;

	if (device->transport_type != IBV_TRANSPORT_IWARP &&
	    device->transport_type != IBV_TRANSPORT_IB)
		return false;
	events = rdma_create_event_channel();
	if (!events)
		return false;
	err = find_address(events, device, &addr);
	rdma_destroy_event_channel(events);
	return !err;
}

static void leave_group(struct membership *m)
{
	if (m->id) {
		rdma_leave_multicast(m->id, (struct sockaddr *)&m->group);
		rdma_destroy_id(m->id);
	}
	if (m->events)
		rdma_destroy_event_channel(m->events);
}

static void drop_link(struct verbs_link *link)
{
	struct connection *c = &link->connection;

	leave_group(&link->membership);
	if (c->passive && c->passive->qp)
		rdma_destroy_qp(c->passive);
	if (c->passive)
		rdma_destroy_id(c->passive);
	if (c->active)
		rdma_destroy_id(c->active);
	if (c->listener)
		rdma_destroy_id(c->listener);
	if (c->events)
		rdma_destroy_event_channel(c->events);
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

struct verbs_link *verbs_add_link(struct verbs_target *t, int *err)
{
	struct verbs_link *link;

	*err = EOPNOTSUPP;
	if (!t->base.info.can_connect)
		return NULL;
	*err = ENOMEM;
	link = calloc(1, sizeof(*link));
	if (!link)
		return NULL;
	link->next = t->links;
	t->links = link;
	return link;
}

void real_connect(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	int64_t deadline = deadline_after(b->in.connect.timeout_ms);
	struct verbs_link *link = verbs_add_link(t, &o->ret);

	o->err = ERRNO_POISON;
	if (!link)
		return;
	link->connection = (struct connection){
		.events = rdma_create_event_channel(),
		.qp = slot_ptr(t, b->on),
		.peer = slot_ptr(t, b->in.connect.peer),
	};
	o->ret = link->connection.events
			 ? connection_make(&link->connection, deadline)
			 : errno;
}

void real_join_mcast(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	const struct join_args *in = &b->in.join;
	int64_t deadline = deadline_after(in->timeout_ms);
	struct ibv_qp *qp = slot_ptr(t, b->on);
	struct membership *m;
	struct verbs_link *link = verbs_add_link(t, &o->ret);

	o->err = ERRNO_POISON;
	if (!link)
		return;
	m = &link->membership;
	m->events = rdma_create_event_channel();
	o->ret = m->events
			 ? membership_make(m, qp->context->device, &in->gid,
					   in->send_only, deadline, &o->out.ah)
			 : errno;
}
