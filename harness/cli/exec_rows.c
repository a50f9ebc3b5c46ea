// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibvet exec --rows: writes how often a command reached each row of the
 * contract. The processes of the command count in a file that they share.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include "cli/exec_rows.h"
#include "virtual/rule_counts.h"

int exec_rows_begin(struct exec_rows *r, const char *name, const char *folder,
		    const char **about)
{
	r->name = name;
	*about = name;
	r->to = fopen(name, "we");
	if (!r->to)
		return -1;
	*about = r->shared;
	if ((size_t)snprintf(r->shared, sizeof(r->shared), "%s/rows", folder) <
	    sizeof(r->shared))
		r->count = rows_make(r->shared);
	return r->count ? 0 : -1;
}

static void print_sums(const struct exec_rows *r)
{
	struct rows_sum sum = rows_sum(r->count, false);
	struct rows_sum vendors = rows_sum(r->count, true);

	fprintf(stderr, "ibvet exec: %u of %u rows of the contract reached",
		sum.reached, sum.all);
	if (vendors.reached)
		fprintf(stderr, ", and %u of the %u for vendor devices",
			vendors.reached, vendors.all);
	fprintf(stderr, ": %s\n", r->name);
}

int exec_rows_end(struct exec_rows *r)
{
	bool written;

	rows_print(r->count, r->to);
	written = !ferror(r->to);
	if (fclose(r->to) || !written)
		return -1;
	print_sums(r);
	return 0;
}
