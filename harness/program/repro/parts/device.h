/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The device of a reproducer: its port, GID and path MTU, from options or the
 * best there are. target/choose_port.c chooses alike, from the description of a
 * device instead of the device itself.
 */
#pragma once
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/types.h"

/* part: ctx */
static struct ibv_context *ctx;

/* part: open_device */
static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *opened = NULL;

	for (int i = 0; list && list[i] && !opened; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			opened = ibv_open_device(list[i]);
	if (!opened) {
		fprintf(stderr, "cannot open %s\n",
			name ? name : "any RDMA device");
		exit(2);
	}
	printf("device %s\n", ibv_get_device_name(opened->device));
	ibv_free_device_list(list);
	return opened;
}

/* part: find_device */
/* Returns the device of the name, or the first one; NULL: there is none. */
static struct ibv_context *find_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *opened = NULL;

	for (int i = 0; list && list[i] && !opened; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			opened = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return opened;
}

/* part: port port_attr choose_port */
static uint8_t port; /* -i, or the first active one */
static struct ibv_port_attr port_attr;

static void choose_port(void)
{
	struct ibv_device_attr attr;

	if (ibv_query_device(ctx, &attr))
		attr.phys_port_cnt = 1;
	for (uint8_t n = 1; !port && n <= attr.phys_port_cnt; n++)
		if (!ibv_query_port(ctx, n, &port_attr) &&
		    port_attr.state == IBV_PORT_ACTIVE)
			port = n;
	if (!port)
		port = 1;
	if (ibv_query_port(ctx, port, &port_attr)) {
		fprintf(stderr, "cannot query port %u\n", port);
		exit(2);
	}
	printf("port %u\n", port);
}

/* part: gid gid_index choose_gid */
static int gid_index = -1; /* -x, or the best one */
static union ibv_gid gid;

/* RoCE v2 before v1, an IPv4 address first, a link-local one last. */
static int rank(const struct ibv_gid_entry *entry)
{
	static const uint8_t v4_mapped[12] = {[10] = 0xff, [11] = 0xff};
	const uint8_t *raw = entry->gid.raw;
	int v2 = entry->gid_type == IBV_GID_TYPE_ROCE_V2 ? 4 : 0;

	if (!memcmp(raw, v4_mapped, sizeof(v4_mapped)))
		return v2 + 3;
	return raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80 ? v2 + 1 : v2 + 2;
}

/* InfiniBand goes by LID, iWARP by address: the first GID does. */
static void choose_gid(void)
{
	int best = 0, first = gid_index, last = port_attr.gid_tbl_len - 1;
	struct ibv_gid_entry entry;

	if (first >= 0 || port_attr.link_layer != IBV_LINK_LAYER_ETHERNET ||
	    ctx->device->transport_type == IBV_TRANSPORT_IWARP)
		last = -1;
	for (int i = 0; i <= last; i++) {
		if (ibv_query_gid_ex(ctx, port, (uint32_t)i, &entry, 0) ||
		    rank(&entry) <= best)
			continue;
		best = rank(&entry);
		first = i;
	}
	gid_index = first >= 0 ? first : 0;
	if (ibv_query_gid(ctx, port, gid_index, &gid)) {
		fprintf(stderr, "port %u has no GID %d\n", port, gid_index);
		exit(2);
	}
	printf("GID index %d\n", gid_index);
}

/* part: mtu choose_mtu */
static enum ibv_mtu mtu;

static void choose_mtu(void)
{
	mtu = port_attr.active_mtu;
	if (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096)
		mtu = IBV_MTU_256;
}

/* part: device query_device */
static struct ibv_device_attr_ex device;

static void query_device(void)
{
	if (ibv_query_device_ex(ctx, NULL, &device)) {
		fputs("cannot query the device\n", stderr);
		exit(2);
	}
}

/* part: file0 */
static int file0 = -1; /* what XRC domains share */

/* part: file1 */
static int file1 = -1;

/* part: hash_key */
static uint8_t hash_key[255] = {HASH_KEY};

/* part: max_inline_data */
static uint64_t max_inline_data; /* no verb says */

/* part: qp_types */
static uint64_t qp_types; /* no verb says */

/* part: second_ctx second_port second_attr second_gid second_gid_index link_mtu
 */
static struct ibv_context *second_ctx;
static uint8_t second_port;
static struct ibv_port_attr second_attr;
static int second_gid_index;
static union ibv_gid second_gid;
static enum ibv_mtu link_mtu;

/* part: is_ipv4 */
static int is_ipv4(const union ibv_gid *at)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(at->raw, mapped, sizeof(mapped));
}

/* part: is_local */
static int is_local(const union ibv_gid *at)
{
	return at->raw[0] == 0xfe && (at->raw[1] & 0xc0) == 0x80;
}

/* part: second_name choose_second */
static const char *second_name; /* -s */

/* The first active port of the link layer of ours, and the first GID
 * of the network of ours. */
static void choose_second(void)
{
	struct ibv_gid_entry own, entry;
	struct ibv_device_attr attr;

	if (!second_name) {
		fputs("name the second device with -s\n", stderr);
		exit(2);
	}
	second_ctx = open_device(second_name);
	if (ibv_query_device(second_ctx, &attr))
		attr.phys_port_cnt = 1;
	for (uint8_t n = 1; !second_port && n <= attr.phys_port_cnt; n++)
		if (!ibv_query_port(second_ctx, n, &second_attr) &&
		    second_attr.link_layer == port_attr.link_layer &&
		    second_attr.state == IBV_PORT_ACTIVE)
			second_port = n;
	if (!second_port)
		second_port = 1;
	ibv_query_port(second_ctx, second_port, &second_attr);
	if (ibv_query_gid_ex(ctx, port, (uint32_t)gid_index, &own, 0))
		memset(&own, 0, sizeof(own));
	for (int i = second_attr.gid_tbl_len; i-- > 0;) {
		if (ibv_query_gid_ex(second_ctx, second_port, (uint32_t)i,
				     &entry, 0) ||
		    (port_attr.link_layer == IBV_LINK_LAYER_ETHERNET &&
		     (entry.gid_type != own.gid_type ||
		      is_ipv4(&entry.gid) != is_ipv4(&own.gid) ||
		      is_local(&entry.gid) != is_local(&own.gid))))
			continue;
		second_gid_index = i;
	}
	ibv_query_gid(second_ctx, second_port, second_gid_index, &second_gid);
	link_mtu = port_attr.active_mtu < second_attr.active_mtu
			   ? port_attr.active_mtu
			   : second_attr.active_mtu;
}
