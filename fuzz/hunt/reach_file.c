/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes and reads the file `reached`. It has lines of three kinds: "cell TYPE
 * FROM TO PAIR MISSING TAKEN", with the members of struct reached in
 * hexadecimal; "row ID"; "answer VERB ERRNO".
 */
#include <stdio.h>
#include <string.h>
#include "fuzz/hunt/folder.h"
#include "fuzz/hunt/reach_file.h"
#include "fuzz/hunt/reached.h"

#define REACHED "reached"
#define LINE	256

static void write_cells(const struct reached *r, FILE *file)
{
	for (unsigned int kind = 0; kind < QK_NR; kind++)
		for (unsigned int at = 0; at < STATE_NR * STATE_NR; at++) {
			unsigned int from = at / STATE_NR, to = at % STATE_NR;

			if (r->pair[kind][from][to])
				fprintf(file, "cell %s %s %s %x %x %x\n",
					qp_kind_slug((enum qp_kind)kind),
					state_name((int)from),
					state_name((int)to),
					r->pair[kind][from][to],
					r->missing[kind][from][to],
					r->taken[kind][from][to]);
		}
}

static void write_answers(const struct reached *r, FILE *file)
{
	for (unsigned int verb = 0; verb < VERB_NR; verb++)
		for (unsigned int error = 0; error < ANSWERS; error++)
			if (r->answer[verb][error])
				fprintf(file, "answer %s %u\n",
					verb_info((enum verb)verb)->name,
					error);
}

int reach_write(const char *dir, char *err, size_t len)
{
	const struct reached *r = reach_so_far();
	struct whole_file w;
	int ret = hunt_file_open(&w, dir, REACHED, err, len);

	if (ret)
		return ret;
	write_cells(r, w.file);
	for (unsigned int row = 0; row < ROW_NR; row++)
		if (r->row[row])
			fprintf(w.file, "row %s\n", rule((enum row)row)->id);
	write_answers(r, w.file);
	return whole_file_close(&w, true, err, len);
}

static bool read_cell(struct reached *r, const char *line)
{
	unsigned int pair, missing, taken;
	char kind[32], from[32], to[32];
	enum qp_kind k;
	int f, t;

	if (sscanf(line, "cell %31s %31s %31s %x %x %x", kind, from, to, &pair,
		   &missing, &taken) != 6)
		return false;
	k = qp_kind_by_name(kind);
	f = state_by_name(from);
	t = state_by_name(to);
	if (k >= QK_NR || f < 0 || f >= STATE_NR || t < 0 || t >= STATE_NR)
		return true;
	r->pair[k][f][t] |= (uint8_t)(pair & 3);
	r->missing[k][f][t] |= missing;
	r->taken[k][f][t] |= taken;
	return true;
}

static void read_line(struct reached *r, const char *line)
{
	char name[LINE];
	unsigned int error;

	if (read_cell(r, line))
		return;
	if (sscanf(line, "row %255s", name) == 1) {
		enum row row = row_by_id(name);

		if (row != ROW_NONE)
			r->row[row] = true;
	} else if (sscanf(line, "answer %255s %u", name, &error) == 2 &&
		   error < ANSWERS) {
		int verb = verb_by_name(name);

		if (verb >= 0)
			r->answer[verb][error] = true;
	}
}

void reach_read(const char *dir)
{
	char path[RUN_PATH_LEN], line[LINE];
	FILE *file;

	hunt_folder(path, sizeof(path), dir, REACHED);
	file = fopen(path, "re");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		read_line(reach_so_far(), line);
	fclose(file);
}
