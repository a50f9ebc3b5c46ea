/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the points of the kernel's code that were reached, and finds the
 * function of each point in the kernel's symbol table.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/kcov/kernel_files.h"
#include "fuzz/kcov/kernel_reach.h"

#define KALLSYMS  "/proc/kallsyms"
#define POINTS	  "kernel-points"
#define FUNCTIONS "kernel-functions.csv"
#define NAME_LEN  512

/* --- Points --------------------------------------------------------------- */

static void write_point(void *arg, unsigned long point, unsigned int steps)
{
	fprintf(arg, "%016lx %02x\n", point, steps);
}

int kernel_points_write(const char *dir, char *err, size_t len)
{
	struct whole_file o;
	int ret = hunt_file_open(&o, dir, POINTS, err, len);

	if (ret)
		return ret;
	kernel_reach_each(write_point, o.file);
	return whole_file_close(&o, true, err, len);
}

void kernel_points_read(const char *dir)
{
	unsigned long point;
	unsigned int steps;
	char path[RUN_PATH_LEN];
	FILE *file;

	hunt_folder(path, sizeof(path), dir, POINTS);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fscanf(file, "%lx %x", &point, &steps) == 2)
		kernel_reach_add_known(point, steps);
	fclose(file);
}

/* --- Functions ------------------------------------------------------------ */

struct symbol {
	unsigned long at;
	char *name;
	unsigned int points;
};

struct symbols {
	struct symbol *symbol;
	size_t n, room;
	unsigned long text; /* address of the kernel's first function */
};

static bool add(struct symbols *s, unsigned long at, const char *name)
{
	struct symbol *more;

	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 1 << 16;
		more = reallocarray(s->symbol, s->room, sizeof(*more));
		if (!more)
			return false;
		s->symbol = more;
	}
	s->symbol[s->n] = (struct symbol){.at = at, .name = strdup(name)};
	return s->symbol[s->n++].name;
}

/* Reads lines of "ADDRESS TYPE NAME [MODULE]". All addresses are 0 for a user
 * who may not see them. */
static bool read_symbols(struct symbols *s, FILE *file)
{
	char line[NAME_LEN + 64], name[NAME_LEN], type;
	unsigned long at;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %c %511s", &at, &type, name) != 3 || !at)
			continue;
		if (!strcmp(name, "_text"))
			s->text = at;
		if (strchr("tTwW", type) && !add(s, at, name))
			return false;
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct symbol *)a)->name,
		      ((const struct symbol *)b)->name);
}

/* Returns the offset of KASLR, which KCOV subtracts from addresses. */
static unsigned long kaslr_offset(const struct symbols *s)
{
#ifdef __x86_64__
	const unsigned long linked_at = 0xffffffff81000000;

	return s->text > linked_at ? s->text - linked_at : 0;
#else
	(void)s;
	return 0;
#endif
}

/* Counts a point for its function. The point is a return address, which may be
 * the first one behind the function. */
static void count_point(void *arg, unsigned long point, unsigned int steps)
{
	struct symbols *s = arg;
	unsigned long at = point + kaslr_offset(s) - 1;
	size_t low = 0, high = s->n;

	(void)steps;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->symbol[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low)
		s->symbol[low - 1].points++;
}

static bool read_kallsyms(struct symbols *s)
{
	const char *path = getenv("IBVET_KALLSYMS");
	FILE *file = fopen(path && *path ? path : KALLSYMS, "re");
	bool whole = file && read_symbols(s, file);

	if (file)
		fclose(file);
	if (!whole || !s->n)
		return false;
	qsort(s->symbol, s->n, sizeof(*s->symbol), by_address);
	return true;
}

static int write_functions(struct symbols *s, const char *dir, char *err,
			   size_t len)
{
	struct whole_file o;
	int ret = hunt_file_open(&o, dir, FUNCTIONS, err, len);

	if (ret)
		return ret;
	qsort(s->symbol, s->n, sizeof(*s->symbol), by_name);
	fprintf(o.file, "function,points\n");
	for (size_t i = 0; i < s->n; i++)
		if (s->symbol[i].points)
			fprintf(o.file, "%s,%u\n", s->symbol[i].name,
				s->symbol[i].points);
	return whole_file_close(&o, true, err, len);
}

int kernel_functions_write(const char *dir, char *err, size_t len)
{
	struct symbols s = {0};
	int ret = 0;

	if (read_kallsyms(&s)) {
		kernel_reach_each(count_point, &s);
		ret = write_functions(&s, dir, err, len);
	}
	for (size_t i = 0; i < s.n; i++)
		free(s.symbol[i].name);
	free(s.symbol);
	return ret;
}
