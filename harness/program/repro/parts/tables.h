/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls the queries of GIDs, P_Keys and the clock of a device that take or
 * return more than one value.
 */
#pragma once
#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/types.h"

/* part: gid_table GIDS_BEHIND */
#define GIDS_BEHIND 4 /* entries behind the array, to see who writes there */

static inline void find_gid(const struct ibv_gid_entry *entries, size_t n,
			    const struct gid_table_args *ask,
			    struct gids_args *out)
{
	for (size_t i = 0; i < n; i++) {
		if (entries[i].port_num != ask->port_num ||
		    entries[i].gid_index != ask->gid_index)
			continue;
		if (!out->times++) {
			out->gid = entries[i].gid;
			out->gid_type = entries[i].gid_type;
		}
	}
}

/* Returns 0 or an errno value, which ibv_query_gid_table returns as a negative
 * number. */
static inline int gid_table(struct ibv_context *context, uint32_t max_entries,
			    uint32_t flags, uint32_t port_num,
			    uint32_t index_of_gid, struct gids_args *out)
{
	const struct gid_table_args ask = {max_entries, flags, port_num,
					   index_of_gid};
	size_t room = max_entries < 65536 ? max_entries : 65536;
	size_t size = (room + GIDS_BEHIND) * sizeof(struct ibv_gid_entry);
	struct ibv_gid_entry *entries = malloc(size);
	const unsigned char *byte = (unsigned char *)entries;
	ssize_t n;

	if (!entries)
		return ENOMEM;
	memset(entries, 0xa5, size);
	memset(out, 0, sizeof(*out));
	n = ibv_query_gid_table(context, entries, room, flags);
	if (n >= 0)
		out->count = (uint64_t)n;
	for (size_t i = room * sizeof(*entries); i < size; i++)
		out->spilled += byte[i] != 0xa5;
	if (n > 0)
		find_gid(entries, (size_t)n < room ? (size_t)n : room, &ask,
			 out);
	free(entries);
	return n < 0 ? (int)-n : 0;
}

/* part: gid_entry */
static inline int gid_entry(struct ibv_context *context, uint32_t port_num,
			    uint32_t index_of_gid, uint32_t flags,
			    struct ibv_gid_entry *entry)
{
	return ibv_query_gid_ex(context, port_num, index_of_gid, entry, flags);
}

/* part: pkey_index */
static inline int pkey_index(struct ibv_context *context, uint32_t port_num,
			     uint32_t pkey, struct pkey_at_args *out)
{
	out->index = ibv_get_pkey_index(context, (uint8_t)port_num,
					htobe16((uint16_t)pkey));
	return out->index < 0 ? -1 : 0;
}

/* part: read_clock */
static inline int read_clock(struct ibv_context *context, uint32_t comp_mask,
			     struct clock_read_args *out)
{
	struct ibv_values_ex values = {.comp_mask = comp_mask};
	int ret = ibv_query_rt_values_ex(context, &values);

	out->comp_mask = values.comp_mask;
	out->tv_sec = (uint64_t)values.raw_clock.tv_sec;
	out->tv_nsec = (uint64_t)values.raw_clock.tv_nsec;
	return ret;
}
