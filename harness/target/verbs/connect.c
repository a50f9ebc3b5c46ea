// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Connects queue pairs of an iWARP device through rdma_cm, and drops the
 * connections after the program.
 */
#include <stdlib.h>
#include "program/repro/parts/connect.h"
#include "target/verbs/verbs_target.h"

/* A connection lives until the program's objects are swept. */
struct verbs_link {
	struct verbs_link *next;
	struct connection connection;
};

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

static void drop_link(struct verbs_link *link)
{
	struct connection *c = &link->connection;

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
	link->connection = (struct connection){
		.events = rdma_create_event_channel(),
		.qp = slot_ptr(t, b->on),
		.peer = slot_ptr(t, b->in.connect.peer),
	};
	o->ret = link->connection.events
			 ? connection_make(&link->connection, deadline)
			 : errno;
}
