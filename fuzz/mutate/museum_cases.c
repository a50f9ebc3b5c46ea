/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls the search of `ibvet mutants --kill` for each fault of the museum.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/mutate/museum_cases.h"
#include "mutants/kill.h"

static int find(struct museum_cases *m, const struct museum_row *row)
{
	struct kill_stats unused;
	char err[256];

	for (size_t i = 0; i < m->n; i++) {
		int ret =
			kill_init(&m->fault[i], row[i].name, err, sizeof(err));

		if (ret)
			return ret;
		m->fault[i].family = MUTANTS_MUSEUM;
	}
	return kill_all(m->fault, m->n, &unused);
}

int museum_cases_find(struct museum_cases *m)
{
	const struct museum_row *row = museum(&m->n);
	int ret;

	m->fault = calloc(m->n, sizeof(*m->fault));
	ret = m->fault ? find(m, row) : -ENOMEM;
	if (ret)
		museum_cases_free(m);
	return ret;
}

bool museum_cases_have(const struct museum_cases *m, const char *id)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->fault[i].id, id))
			return true;
	return false;
}

void museum_cases_free(struct museum_cases *m)
{
	free(m->fault);
	*m = (struct museum_cases){0};
}
