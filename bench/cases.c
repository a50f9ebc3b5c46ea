// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A bare loop of the calls that generated cases make of a device: the first one
 * of this machine, a twentieth of the quick profile (as "ibvet run --shard
 * 1/20" has it), the calls of each case one after the other. Nothing is judged,
 * watched or written down.
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "run/case.h"
#include "target/target.h"

struct cases {
	struct target *target;
	struct program *program; /* n of them */
	size_t n, room, next;
};

static void close_cases(void *state)
{
	struct cases *c = state;

	if (c->target)
		c->target->ops->close(c->target);
	free(c->program);
	free(c);
}

static bool keep(const struct test_case *one, void *arg)
{
	struct cases *c = arg;
	struct program *more;

	if (one->claim != CLAIM_NONE)
		return true;
	if (c->n == c->room) {
		c->room = c->room ? 2 * c->room : 256;
		more = realloc(c->program, c->room * sizeof(*more));
		if (!more)
			return false;
		c->program = more;
	}
	c->program[c->n++] = *one->program;
	return true;
}

static void *open_cases(int arg)
{
	const struct target_options options = {.gid_index = -1};
	const struct selection quick = {
		.shard = 1, .shards = 20, .seed = CASE_SEED};
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct cases *c = calloc(1, sizeof(*c));
	char err[256] = "no RDMA device";

	(void)arg;
	if (c && list && *list)
		target_open(ibv_get_device_name(*list), &options, &c->target,
			    err, sizeof(err));
	if (list)
		ibv_free_device_list(list);
	if (c && c->target)
		cases_each(&c->target->info, &quick, keep, c);
	if (c && c->n)
		return c;
	fprintf(stderr, "%s\n", err);
	if (c)
		close_cases(c);
	return NULL;
}

/* A call whose objects there are not is left out, as in a run. */
static void make_calls(struct target *t, const struct program *p)
{
	struct prog_results results = {0};
	struct outcome seen;
	struct bound b;
	char err[256];

	for (int i = 0; i < p->ncalls; i++) {
		const struct call *call = &p->call[i];

		if (results_missing(&results, p, call) != NO_OBJ ||
		    results_idle(&results, call))
			continue;
		if (prog_bind(p, call, &t->info, &results, &b, err,
			      sizeof(err)))
			break;
		memset(&seen, OUT_POISON, sizeof(seen));
		seen.in_changed = false;
		t->ops->call(t, &b, &seen);
		results_remember(&results, &b, &seen);
	}
	t->ops->sweep(t);
}

static uint64_t run_cases(void *state, uint64_t rounds)
{
	struct cases *c = state;

	for (uint64_t i = 0; i < rounds; i++) {
		make_calls(c->target, &c->program[c->next]);
		c->next = (c->next + 1) % c->n;
	}
	return rounds;
}

const struct bench bench_cases[] = {
	{.name = "device/cases",
	 .about = "the calls of a twentieth of the quick cases",
	 .against = "device/cases",
	 .asked = true,
	 .wall = true,
	 .open = open_cases,
	 .run = run_cases,
	 .close = close_cases},
	{0},
};
