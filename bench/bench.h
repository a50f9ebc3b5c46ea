/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A benchmark repeats one operation and is compared with another benchmark.
 * Results are ratios within one run, because machines differ and are noisy;
 * the time of one operation stands beside each ratio.
 */
#ifndef IBVET_BENCH_H
#define IBVET_BENCH_H

#include <stdbool.h>
#include <stdint.h>

struct bench {
	const char *name;
	const char *about;
	const char *against; /* the benchmark to compare with */
	bool asked;	     /* runs only if it is named: it needs a device */
	bool wall;	/* measured by the clock: other processes do the work */
	bool elsewhere; /* other processes or threads work: no instructions */
	int arg;
	void *(*open)(int arg); /* returns NULL if it cannot run here */
	/* Runs so many rounds. Returns the number of operations, 0 on
	 * failure. */
	uint64_t (*run)(void *state, uint64_t rounds);
	void (*close)(void *state);
};

/* The part of the quick cases that a device runs: the K-th of N. */
extern unsigned int bench_part[2];

struct ibv_context;
/* Opens the first RDMA device that the libraries see; NULL if there is none. */
struct ibv_context *bench_open_first(void);
/* Gives the name of the first RDMA device that the libraries see. Returns
 * false, with a line on standard error, if there is none. */
bool bench_first_device(char *name, size_t len);

/* Each ends with a name of NULL. */
extern const struct bench bench_model[], bench_virtual[], bench_journal[],
	bench_program[], bench_device[], bench_cases[], bench_plans[];

#endif
