// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds runs of values with the same result, among the values of a field that
 * were tried.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/model.h"
#include "sweep/analysis/analyst.h"

struct tried {
	field_value value;
	bool accepted;
	bool preferred;	 /* the first outcome of the contract is to accept */
	uint8_t differs; /* enum difference_kind */
};

static int by_value(const void *a, const void *b)
{
	const struct tried *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/* Sorts the values and removes duplicates. */
static uint32_t sort_and_unique(struct tried *t, uint32_t n)
{
	uint32_t kept = 0;

	qsort(t, n, sizeof(*t), by_value);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || t[kept - 1].value != t[i].value)
			t[kept++] = t[i];
	return kept;
}

/* Adds a value to the run that is open, or begins a run. A value that is not
 * `in` the set ends the run. */
static void add_to_run(struct value_runs *r, field_value value, bool in,
		       bool *open)
{
	if (!in) {
		*open = false;
		return;
	}
	r->count++;
	if (!*open)
		r->n++;
	if (r->n <= VALUE_RUNS) {
		struct value_run *run = &r->run[r->n - 1];

		if (!*open)
			run->first = value;
		run->last = value;
	}
	*open = true;
}

static void find_runs(const struct tried *t, uint32_t n,
		      struct value_analysis *out)
{
	bool open[DIFFERENCE_NR + 2] = {false};

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < n; i++) {
		add_to_run(&out->device, t[i].value, t[i].accepted, &open[0]);
		add_to_run(&out->contract, t[i].value, t[i].preferred,
			   &open[1]);
		for (int d = 0; d < DIFFERENCE_NR; d++)
			add_to_run(&out->difference[d], t[i].value,
				   t[i].differs == d, &open[2 + d]);
	}
}

static struct tried compare_value(struct analyst *a, const struct sweep_cell *c,
				  uint32_t n, bool accepted)
{
	struct qp_attr_args in = a->restorer.tried.in.qp_attr;
	struct tried t = {
		.value = cell_value(c, &a->model->info, n),
		.accepted = accepted,
	};
	unsigned int permits;

	domain_set(cell_field(c), &in, t.value);
	a->model->ops->modify_begin(a->model, a->restorer.tried.on, &in);
	permits = model_target_permits(a->model, in.mask);
	t.preferred = permits & PREFERS_ACCEPT;
	t.differs = (uint8_t)difference_kind(permits, accepted);
	return t;
}

/* Returns true if the n-th call did not return, or if the kernel log had a
 * report after this call alone. */
static bool has_death(const struct map_cell *cell, uint32_t n)
{
	for (uint32_t i = 0; i < cell->ndeaths; i++)
		if (cell->death[i].calls == 1 && cell->death[i].place == n)
			return true;
	return false;
}

void analyst_differing_values(struct analyst *a, const struct map_cell *cell,
			      const uint64_t *accepted,
			      uint64_t *const *differs)
{
	for (uint32_t i = 0; i < cell->done; i++) {
		struct tried t;

		if (has_death(cell, i))
			continue;
		t = compare_value(a, &cell->cell, i, bit_test(accepted, i));
		if (t.differs != DIFFERENCE_NR)
			bit_set(differs[t.differs], i);
	}
}

int analyse_values(struct analyst *a, const struct map_cell *cell,
		   const uint64_t *accepted, struct value_analysis *out,
		   char *err, size_t errlen)
{
	uint32_t done = cell->done, n = 0;
	struct tried *t = calloc(done + 1, sizeof(*t));
	int ret;

	if (!t) {
		snprintf(err, errlen, "no memory");
		return -ENOMEM;
	}
	ret = analyst_open_cell(a, &cell->cell, err, errlen);
	for (uint32_t i = 0; i < done && !ret; i++)
		if (!has_death(cell, i))
			t[n++] = compare_value(a, &cell->cell, i,
					       bit_test(accepted, i));
	n = sort_and_unique(t, n);
	find_runs(t, n, out);
	restorer_close(&a->restorer);
	free(t);
	return ret;
}
