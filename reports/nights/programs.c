/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the programs of the cases that the page lists. Devices share most
 * programs, so each is written once.
 */
#include <stdlib.h>
#include <string.h>
#include "reports/nights/nights.h"

#define BLOCK_BYTES (256 * 1024)
#define MOST_BYTES  (10 * 1024 * 1024) /* of the page's blocks */

int64_t nights_program(struct nights *n, int64_t id)
{
	if (id <= 0 || id >= n->program_ids || !n->program)
		return -1;
	if (!n->program[id])
		n->program[id] = (uint32_t)++n->nprograms;
	return n->program[id] - 1;
}

/* Returns the ids of the programs in the order of their numbers. */
static int64_t *by_number(const struct nights *n)
{
	int64_t *ids = calloc((size_t)n->nprograms + 1, sizeof(*ids));

	for (int64_t id = 0; ids && id < n->program_ids; id++)
		if (n->program[id])
			ids[n->program[id] - 1] = id;
	return ids;
}

/* A large page leaves programs out: they become empty texts. */
static void add_program(struct nights *n, sqlite3_stmt *s)
{
	bool has_room = n->bytes < MOST_BYTES;
	const char *text =
		store_step(n->asking.h, s) && has_room ? column_text(s, 0) : "";

	pack_str(&n->programs, n->programs.cases ? "," : "[");
	pack_string(&n->programs, text ? text : "");
	n->programs.cases++;
	if (n->programs.len > BLOCK_BYTES)
		nights_flush(n, &n->programs, "programs");
}

void nights_write_programs(struct nights *n)
{
	int64_t *ids = n->program ? by_number(n) : NULL;
	sqlite3_stmt *s = store_prepare(
		n->asking.h, "SELECT text FROM program WHERE id = ?");

	n->failed |= !ids;
	for (int64_t i = 0; ids && i < n->nprograms; i++) {
		store_bind(n->asking.h, s, "i", ids[i]);
		add_program(n, s);
	}
	nights_flush(n, &n->programs, "programs");
	sqlite3_finalize(s);
	free(ids);
}
