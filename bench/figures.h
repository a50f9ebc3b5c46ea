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
	const char *against; /* what the ratio is to, NULL: it is alone */
	double value;
	double ratio;
};

struct figures {
	const char *path;
	json_t *all;
};

/* The unit that has this name, NULL: there is none. */
const char *figure_unit(const char *name);
/* Takes up what the file has, where there is one. 0, or -1 with a line on
 * standard error: it holds something else, or figures of another machine. */
int figures_open(struct figures *f, const char *path);
/* In the place of the figure that has this name and unit. 0 or -1. */
int figures_put(struct figures *f, const struct figure *figure);
/* 0, or -1 with a line on standard error. */
int figures_write(const struct figures *f);
void figures_close(struct figures *f);

/* The machine: processor, cores, kernel, compiler. */
json_t *machine_json(void);
void machine_print(void);

#endif
