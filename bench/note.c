// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads a figure that a script measured, from words of the command line.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/note.h"

static bool number(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && isfinite(*value) && *value > 0)
		return true;
	fprintf(stderr, "bench: \"%s\" is no number above 0\n", text);
	return false;
}

int note_read(char **word, int n, struct figure *f)
{
	if (n != 4 && n != 6) {
		fprintf(stderr, "bench: --note takes NAME VALUE UNIT ABOUT "
				"[AGAINST RATIO]\n");
		return -1;
	}
	*f = (struct figure){
		.name = word[0],
		.unit = figure_unit(word[2]),
		.about = word[3],
		.against = n == 6 ? word[4] : NULL,
	};
	if (!f->unit) {
		fprintf(stderr, "bench: \"%s\" is no unit of a figure\n",
			word[2]);
		return -1;
	}
	if (!number(word[1], &f->value) ||
	    (n == 6 && !number(word[5], &f->ratio)))
		return -1;
	return 0;
}
