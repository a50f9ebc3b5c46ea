/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queries: device attributes by both verbs, ports, and the entries of the GID
 * and P_Key tables, up to the last one and past it.
 */
#include <limits.h>
#include <stdio.h>
#include "cases/generate/generate.h"

static void device_case(struct gen *g, const char *name, enum verb first,
			enum verb second)
{
	if (!gen_id(g, "query/%s", name) ||
	    !gen_says_rule(g, ROW_DEV_AGREE, CLAIM_NONE, "%s then %s",
			   verb_info(first)->name, verb_info(second)->name))
		return;
	gen_call(g, first, NO_OBJ);
	gen_call(g, second, NO_OBJ);
	gen_done(g);
}

/* Values that do not depend on what the device does. */
static void values(struct gen *g, const char *id, enum verb verb, uint32_t port,
		   enum row row)
{
	if (!gen_id(g, "%s", id) ||
	    !gen_says_rule(g, row, CLAIM_NONE, "%s", verb_info(verb)->name))
		return;
	gen_call(g, verb, NO_OBJ);
	if (port)
		prog_num(g->p, F_index_port_num, port);
	gen_done(g);
}

/* A second context of the same device. */
static void contexts(struct gen *g)
{
	uint8_t ctx, pd;

	if (!gen_id(g, "open") ||
	    !gen_says(g, ROW_OBJ_ACCEPT, CLAIM_NONE,
		      "A second context reports the same device attributes as "
		      "the first, and closes."))
		return;
	ctx = gen_make(g, V_open_device, NO_OBJ);
	gen_call(g, V_query_device, ctx);
	gen_call(g, V_query_device_ex, ctx);
	pd = gen_make(g, V_alloc_pd, ctx);
	gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_close_device, ctx);
	gen_done(g);
}

static void index_call(struct gen *g, enum verb verb, uint32_t port,
		       int32_t index)
{
	gen_call(g, verb, NO_OBJ);
	prog_num(g->p, F_index_port_num, port);
	if (verb != V_query_port)
		prog_num(g->p, F_index, (uint64_t)(int64_t)index);
}

static void port_case(struct gen *g, uint32_t port)
{
	bool exists = port >= 1 && port <= (uint32_t)g->d->nports;
	enum row row = exists ? ROW_PORT_AGREE : ROW_PORT_RANGE;

	if (!gen_id(g, "%u", port) ||
	    !gen_says_rule(g, row, CLAIM_NONE, "Port %u", port))
		return;
	index_call(g, V_query_port, port, 0);
	index_call(g, V_query_port, port, 0);
	gen_done(g);
}

/* The speed of a port, asked twice. */
static void port_speed(struct gen *g, uint32_t port)
{
	bool exists = port >= 1 && port <= (uint32_t)g->d->nports;
	enum row row = exists ? ROW_PORT_SPEED_OFFERED : ROW_PORT_SPEED_PORT;

	if (!gen_id(g, "%u-speed", port) ||
	    !gen_says_rule(g, row, gen_needs(g, CLAIM_NEW_QUERY_PORT_SPEED),
			   "ibv_query_port_speed of port %u", port))
		return;
	for (int i = 0; i < 2; i++) {
		gen_call(g, V_query_port_speed, NO_OBJ);
		prog_num(g->p, F_index_port_num, port);
	}
	gen_done(g);
}

/* The MTUs of a port, after the attributes of its device were read. */
static void port_mtu(struct gen *g, uint32_t port)
{
	if (!gen_id(g, "%u-mtu", port) ||
	    !gen_says_rule(g, ROW_PORT_MTU, CLAIM_NONE, "query_port"))
		return;
	gen_call(g, V_query_device, NO_OBJ);
	index_call(g, V_query_port, port, 0);
	gen_done(g);
}

/* Queries an entry twice, with another one in between. */
static void entry(struct gen *g, enum verb verb, uint32_t port, int32_t index,
		  int32_t len, enum row within, enum row outside)
{
	bool exists = port >= 1 && port <= (uint32_t)g->d->nports;
	enum row row = exists && index >= 0 && index < len ? within : outside;

	if (!gen_id(g, "port%u/%d", port, index) ||
	    !gen_says_rule(g, row, CLAIM_NONE, "%s for port %u, index %d",
			   verb_info(verb)->name, port, index))
		return;
	index_call(g, verb, port, index);
	index_call(g, verb, g->d->port_num, 0);
	index_call(g, verb, port, index);
	gen_done(g);
}

static void table(struct gen *g, enum verb verb, uint32_t port, int32_t len,
		  enum row within, enum row outside)
{
	int32_t most = gen_full(g) ? 256 : 16;

	for (int32_t index = 0; index < len && index < most; index++)
		entry(g, verb, port, index, len, within, outside);
	if (len > most)
		entry(g, verb, port, len - 1, len, within, outside);
	entry(g, verb, port, len, len, within, outside);
	entry(g, verb, port, len + 1, len, within, outside);
	entry(g, verb, port, 65536, len, within, outside);
	entry(g, verb, port, INT_MAX, len, within, outside);
	entry(g, verb, port, -1, len, within, outside);
	entry(g, verb, port, INT_MIN, len, within, outside);
}

static void no_port(struct gen *g, enum verb verb, enum row outside)
{
	const uint32_t ports[] = {0, (uint32_t)g->d->nports + 1, 255};

	for (size_t i = 0; i < COUNT(ports); i++)
		entry(g, verb, ports[i], 0, 0, outside, outside);
}

static void tables(struct gen *g, enum verb verb, enum row within,
		   enum row outside)
{
	for (int i = 0; i < g->d->nports; i++) {
		const struct ibv_port_attr *port = &g->d->port[i].attr;

		table(g, verb, (uint32_t)i + 1,
		      verb == V_query_gid ? port->gid_tbl_len
					  : port->pkey_tbl_len,
		      within, outside);
	}
	no_port(g, verb, outside);
}

static void no_event(struct gen *g)
{
	if (!gen_id(g, "none") ||
	    !gen_says(g, ROW_EVENT_NONE, CLAIM_NONE,
		      "An idle device raises no asynchronous event."))
		return;
	gen_async_event(g, NO_OBJ, 20);
	gen_done(g);
}

void gen_create_device(struct gen *g)
{
	const uint32_t n = (uint32_t)g->d->nports;

	gen_prefix(g, "device/");
	device_case(g, "twice", V_query_device, V_query_device);
	device_case(g, "twice-ex", V_query_device_ex, V_query_device_ex);
	device_case(g, "both", V_query_device, V_query_device_ex);
	device_case(g, "both-ex-first", V_query_device_ex, V_query_device);
	values(g, "values", V_query_device, 0, ROW_DEV_VALUE);
	values(g, "parts", V_query_device_ex, 0, ROW_DEV_PARTS);
	contexts(g);
	gen_prefix(g, "port/");
	for (uint32_t port = 0; port <= n + 2; port++)
		port_case(g, port);
	for (uint32_t port = 1; port <= n; port++) {
		char id[32];

		snprintf(id, sizeof(id), "%u-values", port);
		values(g, id, V_query_port, port, ROW_PORT_VALUE);
		port_mtu(g, port);
	}
	for (uint32_t port = 0; port <= n + 1; port++)
		port_speed(g, port);
	port_speed(g, 257);
	port_case(g, 128);
	port_case(g, 254);
	port_case(g, 255);
	gen_prefix(g, "gid/");
	tables(g, V_query_gid, ROW_GID_ENTRY, ROW_GID_RANGE);
	gen_prefix(g, "pkey/");
	tables(g, V_query_pkey, ROW_PKEY_ENTRY, ROW_PKEY_RANGE);
	gen_prefix(g, "event/");
	no_event(g);
}
