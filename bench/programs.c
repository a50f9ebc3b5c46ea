// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keeps programs, and makes their calls through a target's function table as a
 * run does. Nothing is judged, watched or written.
 */
#include <stdlib.h>
#include "bench/programs.h"

static bool keep(const struct test_case *one, void *arg)
{
	struct programs *p = arg;
	struct program *more;

	if (one->claim != CLAIM_NONE)
		return true;
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 64;
		more = realloc(p->program, p->room * sizeof(*more));
		if (!more)
			return false;
		p->program = more;
	}
	p->program[p->n++] = *one->program;
	return true;
}

int programs_keep(struct programs *p, const struct device_info *d,
		  const struct selection *s)
{
	*p = (struct programs){0};
	return cases_each(d, s, keep, p) || !p->n ? -1 : 0;
}

const struct program *programs_next(struct programs *p)
{
	const struct program *one = &p->program[p->next];

	p->next = (p->next + 1) % p->n;
	return one;
}

void programs_drop(struct programs *p)
{
	free(p->program);
}

void program_call(struct target *t, const struct program *p)
{
	struct prog_results results;
	struct outcome seen;
	struct bound b;
	char err[256];

	results_begin(&results);
	for (int i = 0; i < p->ncalls; i++) {
		const struct call *call = &p->call[i];

		if (results_missing(&results, p, call) != NO_OBJ ||
		    results_idle(&results, call))
			continue;
		if (prog_bind(p, call, &t->info, &results, &b, err,
			      sizeof(err)))
			break;
		outcome_poison_all(&seen);
		t->ops->call(t, &b, &seen);
		results_remember(&results, &b, &seen);
	}
	t->ops->sweep(t);
}
