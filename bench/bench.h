/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A benchmark: something that can be done again and again, and what it is
 * compared with. Figures are ratios within one run, since machines differ and
 * are noisy; the time of one operation is given beside them.
 */
#ifndef IBVET_BENCH_H
#define IBVET_BENCH_H

#include <stdbool.h>
#include <stdint.h>

struct bench {
	const char *name;
	const char *about;
	const char *against; /* name of the one that it is compared with */
	bool asked;	/* only where its name is given: it needs a device */
	bool wall;	/* by the clock, since others work or wait for it */
	bool elsewhere; /* in other processes, where nothing is counted */
	int arg;
	void *(*open)(int arg); /* NULL: it cannot be done here */
	/* Does it so many times: how many operations that were, 0: it went
	 * wrong. */
	uint64_t (*run)(void *state, uint64_t rounds);
	void (*close)(void *state);
};

/* Which cases of a device: the K-th of N parts of the quick ones. */
extern unsigned int bench_part[2];

struct ibv_context;
/* The first RDMA device that the libraries see, open; NULL: there is none. */
struct ibv_context *bench_open_first(void);
/* The name of the first RDMA device that the libraries see. False, with a line
 * on standard error: there is none. */
bool bench_first_device(char *name, size_t len);

/* Each ends with a name of NULL. */
extern const struct bench bench_model[], bench_virtual[], bench_journal[],
	bench_program[], bench_device[], bench_cases[], bench_plans[];

#endif
