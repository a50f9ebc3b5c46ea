/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queries of one GID with its type, of the whole GID table, of the index of a
 * P_Key, and of the raw clock.
 */
#include <limits.h>
#include <stdio.h>
#include "cases/generate/generate.h"

#define ROOM                                                                   \
	2047 /* entries, the most that fit into an attribute of the ioctl */

static void ask_entry(struct gen *g, uint32_t port, uint32_t index,
		      uint32_t flags)
{
	gen_call(g, V_query_gid_ex, NO_OBJ);
	prog_num(g->p, F_gid_ex_port, port);
	prog_num(g->p, F_gid_ex_index, index);
	prog_num(g->p, F_gid_ex_flags, flags);
}

static enum row entry_row(const struct gen *g, uint32_t port, uint32_t index)
{
	const struct port_info *p = device_port_at(g->d, port);

	if (!p || index >= (uint32_t)p->attr.gid_tbl_len)
		return ROW_GID_EX_RANGE;
	if (port_gid(p, index))
		return ROW_GID_EX_ENTRY;
	return p->ngids < DEVICE_MAX_GIDS ? ROW_GID_EX_EMPTY : ROW_GID_EX_TYPE;
}

/* An entry, beside that of another index and both other queries of it. */
static void entry(struct gen *g, uint32_t port, uint32_t index)
{
	if (!gen_id(g, "ex/port%u/%u", port, index) ||
	    !gen_says_rule(g, entry_row(g, port, index), CLAIM_NONE,
			   "query_gid_ex of port %u, index %u", port, index))
		return;
	ask_entry(g, port, index, 0);
	ask_entry(g, g->d->port_num, 0, 0);
	ask_entry(g, port, index, 0);
	gen_call(g, V_query_gid_table, NO_OBJ);
	prog_num(g->p, F_gids_max, ROOM);
	prog_num(g->p, F_gids_port, port);
	prog_num(g->p, F_gids_index, index);
	gen_call(g, V_query_gid, NO_OBJ);
	prog_num(g->p, F_index_port_num, port);
	prog_num(g->p, F_index, index);
	gen_done(g);
}

static void entries(struct gen *g)
{
	for (uint32_t port = 1; port <= (uint32_t)g->d->nports; port++) {
		const struct port_info *p = &g->d->port[port - 1];
		uint32_t len = (uint32_t)p->attr.gid_tbl_len;

		for (uint32_t i = 0; i < len && i < 16; i++)
			entry(g, port, i);
		if (len > 16)
			entry(g, port, len - 1);
		entry(g, port, len);
		entry(g, port, INT_MAX);
		entry(g, port, UINT_MAX);
	}
	entry(g, 0, 0);
	entry(g, (uint32_t)g->d->nports + 1, 0);
	entry(g, 257, 0);
}

static void entry_flags(struct gen *g, int bit)
{
	if (!gen_id(g, "ex/flags/%d", bit) ||
	    !gen_says_rule(g, ROW_GID_EX_FLAGS, CLAIM_NONE,
			   "query_gid_ex with flag %d", bit))
		return;
	ask_entry(g, g->d->port_num, g->d->gid_index, 1u << bit);
	ask_entry(g, g->d->port_num, g->d->gid_index, 0);
	gen_done(g);
}

/* Asks a context for the table. The results tell of the entry of a port and
 * index in it. */
static void ask_table_for(struct gen *g, uint8_t ctx, uint32_t max,
			  uint32_t port, uint32_t index)
{
	gen_call(g, V_query_gid_table, ctx);
	prog_num(g->p, F_gids_max, max);
	prog_num(g->p, F_gids_port, port);
	prog_num(g->p, F_gids_index, index);
}

static void ask_table(struct gen *g, uint32_t max, uint32_t flags)
{
	ask_table_for(g, NO_OBJ, max, g->d->port_num, g->d->gid_index);
	prog_num(g->p, F_gids_flags, flags);
}

static void table(struct gen *g, const char *name, enum row row, uint32_t max,
		  uint32_t flags)
{
	if (!gen_id(g, "table/%s", name) ||
	    !gen_says_rule(g, row, CLAIM_NONE,
			   "query_gid_table with room for %u entries", max))
		return;
	ask_table(g, max, flags);
	ask_table(g, ROOM, 0);
	gen_done(g);
}

/* An array with room for a number of entries of a device that has `n`. */
struct room {
	const char *name;
	enum row row;
	uint32_t entries;
};

/* The table is asked for twice, with two sizes of the array. */
static void table_twice(struct gen *g, const struct room *first,
			const struct room *second)
{
	if (!gen_id(g, "table/twice/%s-%s", first->name, second->name) ||
	    !gen_says_rule(g, second->row, CLAIM_NONE,
			   "query_gid_table with room for %u entries after %u",
			   second->entries, first->entries))
		return;
	ask_table(g, first->entries, 0);
	ask_table(g, second->entries, 0);
	ask_table(g, ROOM, 0);
	gen_done(g);
}

/* Another context is asked, between two questions to the first one. */
static void table_of_context(struct gen *g, const struct room *room)
{
	uint8_t ctx;

	if (!gen_id(g, "table/other-context/%s", room->name) ||
	    !gen_says_rule(g, room->row, CLAIM_NONE,
			   "query_gid_table of two contexts with room for %u "
			   "entries",
			   room->entries))
		return;
	ctx = gen_make(g, V_open_device, NO_OBJ);
	ask_table(g, room->entries, 0);
	ask_table_for(g, ctx, room->entries, g->d->port_num, g->d->gid_index);
	ask_table(g, room->entries, 0);
	gen_done(g);
}

/* The results tell of one entry of one port. */
static void table_entry(struct gen *g, const struct room *room, uint32_t port,
			uint32_t index)
{
	if (!gen_id(g, "table/entry/%s/port%u-%u", room->name, port, index) ||
	    !gen_says_rule(g, room->row, CLAIM_NONE,
			   "query_gid_table with room for %u entries",
			   room->entries))
		return;
	ask_table_for(g, NO_OBJ, room->entries, port, index);
	ask_table_for(g, NO_OBJ, ROOM, port, index);
	gen_done(g);
}

#define ENTRIES 4 /* of a port that cases ask for */

static void table_rooms(struct gen *g, uint32_t n)
{
	const struct room rooms[] = {
		{"none", ROW_GIDS_NONE, 0},
		{"one-less", ROW_GIDS_ROOM, n - 1},
		{"exact", ROW_GIDS_ENTRIES, n},
		{"one-more", ROW_GIDS_ENTRIES, n + 1},
	};

	for (size_t i = 0; i < COUNT(rooms); i++) {
		for (size_t k = 0; k < COUNT(rooms); k++)
			table_twice(g, &rooms[i], &rooms[k]);
		table_of_context(g, &rooms[i]);
	}
	for (int i = 0; i < g->d->nports; i++)
		for (int k = 0; k < g->d->port[i].ngids && k < ENTRIES; k++)
			for (size_t r = 2; r < COUNT(rooms); r++)
				table_entry(g, &rooms[r], (uint32_t)i + 1,
					    g->d->port[i].gid[k].index);
}

static void whole_table(struct gen *g)
{
	uint32_t n = 0;
	bool all = true;

	for (int i = 0; i < g->d->nports; i++) {
		n += (uint32_t)g->d->port[i].ngids;
		all &= g->d->port[i].ngids < DEVICE_MAX_GIDS;
	}
	table(g, "flags-0", ROW_GIDS_FLAGS, ROOM, 1);
	table(g, "flags-31", ROW_GIDS_FLAGS, ROOM, 1u << 31);
	table(g, "none", ROW_GIDS_NONE, 0, 0);
	table(g, "large", ROW_GIDS_LARGE, ROOM + 1, 0);
	if (!all)
		return;
	if (n)
		table(g, "exact", ROW_GIDS_ENTRIES, n, 0);
	table(g, "one-more", ROW_GIDS_GUARD, n + 1, 0);
	if (n > 1)
		table(g, "one-less", ROW_GIDS_ROOM, n - 1, 0);
	if (n > 2)
		table(g, "one", ROW_GIDS_ROOM, 1, 0);
	if (n > 1)
		table_rooms(g, n);
}

static void pkey(struct gen *g, const char *name, uint32_t port, uint16_t value)
{
	const struct port_info *p = device_port_at(g->d, port);
	enum row row = ROW_PKEY_NOWHERE;

	for (int i = 0; p && i < p->npkeys; i++)
		if (p->pkey[i] == value)
			row = ROW_PKEY_AT;
	if (!gen_id(g, "port%u/%s", port, name) ||
	    !gen_says_rule(g, row, CLAIM_NONE,
			   "get_pkey_index of port %u and P_Key 0x%04x", port,
			   value))
		return;
	for (int i = 0; i < 2; i++) {
		gen_call(g, V_get_pkey_index, NO_OBJ);
		prog_num(g->p, F_pkey_port, port);
		prog_num(g->p, F_pkey_value, value);
	}
	gen_done(g);
}

static void pkeys(struct gen *g)
{
	for (uint32_t port = 1; port <= (uint32_t)g->d->nports; port++) {
		const struct port_info *p = &g->d->port[port - 1];
		uint16_t swapped;

		for (int i = 0; i < p->npkeys && i < 16; i++) {
			char name[16];

			snprintf(name, sizeof(name), "%d", i);
			if (p->pkey[i])
				pkey(g, name, port, p->pkey[i]);
		}
		if (!p->npkeys)
			continue;
		pkey(g, "member", port, p->pkey[0] ^ 0x8000);
		swapped = (uint16_t)(p->pkey[0] << 8 | p->pkey[0] >> 8);
		if (swapped != p->pkey[0])
			pkey(g, "swapped", port, swapped);
		pkey(g, "unknown", port, 0x1234);
	}
	pkey(g, "none", 0, 0xffff);
	pkey(g, "none", (uint32_t)g->d->nports + 1, 0xffff);
}

static void ask_clock(struct gen *g, uint8_t ctx, uint32_t mask)
{
	gen_call(g, V_query_rt_values_ex, ctx);
	prog_num(g->p, F_clock_mask, mask);
}

/* The clock between calls that ask for nothing, or for an undefined value. */
static void clock_case(struct gen *g, const char *name, uint32_t mask)
{
	enum row row = ROW_CLOCK_UNKNOWN;
	uint8_t ctx;

	if (mask <= IBV_VALUES_MASK_RAW_CLOCK)
		row = mask ? ROW_CLOCK_OFFERED : ROW_CLOCK_MASK;
	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, row, CLAIM_NONE,
			   "query_rt_values_ex with comp_mask 0x%x", mask))
		return;
	ask_clock(g, NO_OBJ, IBV_VALUES_MASK_RAW_CLOCK);
	ask_clock(g, NO_OBJ, mask);
	ctx = gen_make(g, V_open_device, NO_OBJ);
	ask_clock(g, ctx, IBV_VALUES_MASK_RAW_CLOCK);
	ask_clock(g, NO_OBJ, IBV_VALUES_MASK_RAW_CLOCK);
	gen_done(g);
}

void gen_create_tables(struct gen *g)
{
	gen_prefix(g, "gid/");
	entries(g);
	entry_flags(g, 0);
	entry_flags(g, 31);
	whole_table(g);
	gen_prefix(g, "pkey-index/");
	pkeys(g);
	gen_prefix(g, "clock/");
	clock_case(g, "raw", IBV_VALUES_MASK_RAW_CLOCK);
	clock_case(g, "nothing", 0);
	for (int bit = 1; bit < 32; bit += 15) {
		char name[16];

		snprintf(name, sizeof(name), "bit%d", bit);
		clock_case(g, name, 1u << bit);
		snprintf(name, sizeof(name), "raw-bit%d", bit);
		clock_case(g, name, 1u << bit | IBV_VALUES_MASK_RAW_CLOCK);
	}
}
