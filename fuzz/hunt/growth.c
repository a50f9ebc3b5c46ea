/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes how the coverage of a hunt grows: coverage.csv, a line every few
 * seconds, and the files about the contract and the kernel's code.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/state.h"
#include "fuzz/kcov/kernel_files.h"
#include "fuzz/kcov/kernel_reach.h"
#include "fuzz/hunt/reach_file.h"

#define COVERAGE "coverage.csv"
#define COLUMNS                                                                \
	"seconds,programs,calls,pairs,cells,rules,kernel_points,kept,"         \
	"findings,expected,masks\n"

/* Not only at the end: the machine may go down at any time. */
enum { POINTS_US = 60 * 1000000 };

void hunt_get_progress(const struct hunt *h, struct hunt_progress *s)
{
	struct coverage_sums sums;

	coverage_sum(&h->writer.coverage, &sums);
	s->pairs = coverage_all(sums.pairs);
	s->masks = coverage_all(sums.masks);
	s->cells = reach_cells();
	s->rules = sums.rows;
	s->kernel_points = kernel_reach_count();
	s->findings = s->expected = 0;
	for (unsigned int i = 0; i < h->shared->nknown; i++)
		if (h->shared->known[i].expected)
			s->expected += h->shared->known[i].times;
		else
			s->findings++;
}

static int file_error(struct hunt *h, const char *path)
{
	snprintf(h->err, sizeof(h->err), "%.1000s: %s", path, strerror(errno));
	return RUN_BROKEN;
}

static void write_line(const struct hunt *h, FILE *file)
{
	const struct hunt_shared *s = h->shared;
	struct hunt_progress stand;

	hunt_get_progress(h, &stand);
	fprintf(file, "%.1f,%llu,%llu,%llu,%llu,%llu,",
		(double)(h->spent_us + now_us() - h->began_us) / 1e6,
		(unsigned long long)s->programs, (unsigned long long)s->calls,
		(unsigned long long)stand.pairs.tried,
		(unsigned long long)stand.cells.tried,
		(unsigned long long)stand.rules.tried);
	if (s->kernel)
		fprintf(file, "%zu", stand.kernel_points);
	fprintf(file, ",%llu,%llu,%llu,%llu\n", (unsigned long long)s->kept,
		(unsigned long long)stand.findings,
		(unsigned long long)stand.expected,
		(unsigned long long)stand.masks.tried);
}

static int add_line(struct hunt *h)
{
	char path[RUN_PATH_LEN];
	struct stat is;
	FILE *file;

	hunt_folder(path, sizeof(path), h->dir, COVERAGE);
	file = fopen(path, "ae");
	if (!file)
		return file_error(h, path);
	if (!fstat(fileno(file), &is) && !is.st_size)
		fputs(COLUMNS, file);
	write_line(h, file);
	return fclose(file) ? file_error(h, path) : 0;
}

static int write_reached(struct hunt *h)
{
	h->points_us = now_us();
	if (reach_write(h->dir, h->err, sizeof(h->err)))
		return RUN_BROKEN;
	if (!h->shared->kernel)
		return 0;
	return kernel_points_write(h->dir, h->err, sizeof(h->err)) ? RUN_BROKEN
								   : 0;
}

void hunt_write_growth(struct hunt *h)
{
	int ret = add_line(h);

	if (!ret && now_us() - h->points_us >= POINTS_US)
		ret = write_reached(h);
	if (ret)
		h->err[0] = '\0';
	h->grown_us = now_us();
}

int hunt_write_last_growth(struct hunt *h)
{
	int ret = add_line(h);

	if (!ret)
		ret = write_reached(h);
	if (!ret && h->shared->kernel &&
	    kernel_functions_write(h->dir, h->err, sizeof(h->err)))
		ret = RUN_BROKEN;
	return ret;
}
