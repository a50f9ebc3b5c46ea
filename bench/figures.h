/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The file of figures, in the form of figures.schema.json. The benchmarks of
 * this program and the scripts beside it add to it.
 */
#ifndef IBVET_BENCH_FIGURES_H
#define IBVET_BENCH_FIGURES_H

#include <jansson.h>

struct figure {
	const char *name;
	const char *about;
	const char *unit;    /* of the value: one of figure_unit() */
	const char *against; /* the base of the ratio; NULL: no ratio */
	double value;
	double ratio;
};

struct figures {
	const char *path;
	json_t *all;
};

/* Returns the name of a unit, or NULL if the unit is unknown. */
const char *figure_unit(const char *name);
/* Reads the file if it exists. Returns 0, or -1 with a line on standard error
 * if the file holds something else, or figures of another machine. */
int figures_open(struct figures *f, const char *path);
/* Adds a figure, or replaces the figure with the same name and unit. Returns 0
 * or -1. */
int figures_put(struct figures *f, const struct figure *figure);
/* Returns 0, or -1 with a line on standard error. */
int figures_write(const struct figures *f);
void figures_close(struct figures *f);

/* Describe the machine: processor, cores, kernel, compiler. */
json_t *machine_json(void);
void machine_print(void);

#endif
