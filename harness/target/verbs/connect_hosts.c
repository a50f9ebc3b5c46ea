// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * One end of a connection of rdma_cm whose other end is on another host. A
 * listener waits for one connection, at an address of the queue pair's device.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/connect.h"
#include "target/verbs/connect.h"

static uint16_t port_of(const struct sockaddr_storage *addr)
{
	return ntohs(addr->ss_family == AF_INET
			     ? ((const struct sockaddr_in *)addr)->sin_port
			     : ((const struct sockaddr_in6 *)addr)->sin6_port);
}

static int print_listener(const struct sockaddr_storage *addr,
			  struct cm_listener *at)
{
	const void *host =
		addr->ss_family == AF_INET
			? (const void *)&((const struct sockaddr_in *)addr)
				  ->sin_addr
			: &((const struct sockaddr_in6 *)addr)->sin6_addr;

	at->port = port_of(addr);
	return inet_ntop(addr->ss_family, host, at->host, sizeof(at->host))
		       ? 0
		       : errno;
}

/* Reads an address of the other host. A link-local one is of the network of
 * `from`. */
static int read_listener(const struct cm_listener *at,
			 const struct sockaddr_storage *from,
			 struct sockaddr_storage *addr)
{
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;

	memset(addr, 0, sizeof(*addr));
	addr->ss_family = from->ss_family;
	set_port(addr, htons(at->port));
	if (addr->ss_family == AF_INET)
		return inet_pton(AF_INET, at->host, &in->sin_addr) == 1
			       ? 0
			       : EAFNOSUPPORT;
	in6->sin6_scope_id = ((const struct sockaddr_in6 *)from)->sin6_scope_id;
	return inet_pton(AF_INET6, at->host, &in6->sin6_addr) == 1
		       ? 0
		       : EAFNOSUPPORT;
}

/* Begins a connection, the newest one of the program. Returns NULL, with an
 * errno value in *err. */
static struct connection *begin(struct verbs_target *t, int *err)
{
	struct verbs_link *link = verbs_add_link(t, err);

	if (!link)
		return NULL;
	link->connection.events = rdma_create_event_channel();
	*err = link->connection.events ? 0 : errno;
	return *err ? NULL : &link->connection;
}

int verbs_listen(struct target *target, uint16_t qp, struct cm_listener *at)
{
	struct verbs_target *t = (struct verbs_target *)target;
	struct sockaddr_storage addr;
	struct connection *c;
	int err;

	c = begin(t, &err);
	if (!c)
		return err;
	c->peer = slot_ptr(t, qp);
	err = connection_listen(c, c->peer->context->device, &addr);
	return err ? err : print_listener(&addr, at);
}

int verbs_reach(struct target *target, uint16_t qp,
		const struct cm_listener *to)
{
	struct verbs_target *t = (struct verbs_target *)target;
	struct sockaddr_storage from, addr;
	struct connection *c;
	int err;

	c = begin(t, &err);
	if (!c)
		return err;
	c->qp = slot_ptr(t, qp);
	memset(&from, 0, sizeof(from));
	err = find_address(c->events, c->qp->context->device, &from);
	if (!err)
		err = read_listener(to, &from, &addr);
	return err ? err : connection_reach(c, &from, &addr);
}

int verbs_await_peer(struct target *target, uint32_t timeout_ms)
{
	struct verbs_target *t = (struct verbs_target *)target;

	return connection_wait(&t->links->connection, 1,
			       deadline_after(timeout_ms));
}
