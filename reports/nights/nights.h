/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The page over nights. Its data are in blocks (../html/pack.h): one block
 * "data" with nights, devices, rules and strips, and blocks with the cases of
 * the strips and with programs, which are read when a reader opens a night. A
 * *strip* is a rule of a device over the nights.
 */
#ifndef IBVET_REPORTS_NIGHTS_H
#define IBVET_REPORTS_NIGHTS_H

#include "reports/history/ask.h"
#include "reports/html/pack.h"

#define NIGHTS_MOST    400
#define NIGHTS_DEFAULT 60 /* on a page */

/* Writes the page of the `last` nights up to the chosen one. `place` is the
 * folder in which the page will be, or NULL. Returns 0, or -errno with one line
 * in err. */
int nights_page(struct history *h, const struct history_choice *c, int last,
		const char *place, FILE *file, char *err, size_t errlen);

/* Writes the page to a file, which is replaced only when the page is whole. */
int nights_write(struct history *h, const struct history_choice *c, int last,
		 const char *path, char *err, size_t errlen);

/* --- For the parts of the page -----------------------------------------------
 */

struct nights_run {
	int64_t id;
	int night; /* index of the night */
};

struct nights_device {
	struct asked_run latest; /* its last run on the page */
	struct nights_run run[NIGHTS_MOST];
	int nruns;
};

struct nights {
	struct asking asking;
	FILE *file;
	const char *place;	    /* of the page; or NULL */
	int count;		    /* nights on the page */
	int64_t night[NIGHTS_MOST]; /* their ids */
	json_t *names;		    /* of the nights */
	json_t *devices, *strips;
	json_t *rules; /* {id: number}, in the order of the numbers */
	struct pack cases, programs;
	uint64_t bytes; /* of the blocks written */
	/* The number of each program on the page by its id; 0: not on it */
	uint32_t *program;
	int64_t program_ids, nprograms;
	bool failed; /* no memory */
};

/* Add a device with its runs, and its strips. */
void nights_device(struct nights *n, struct nights_device *d);
void nights_strips(struct nights *n, const struct nights_device *d);
/* Returns the number on the page of a program, -1 for none. */
int64_t nights_program(struct nights *n, int64_t id);
void nights_write_programs(struct nights *n);
/* Returns the index of a night, or -1 if it is not on the page. */
int nights_index(const struct nights *n, int64_t night);
/* Ends a block. */
void nights_flush(struct nights *n, struct pack *pack, const char *kind);

/* Writes the first screen. Returns 0, or -errno with one line in err. */
int nights_front(struct nights *n, char *err, size_t errlen);

/* The files of page/, embedded by the build */
extern const char nights_style[], nights_body[], nights_script[];

#endif
