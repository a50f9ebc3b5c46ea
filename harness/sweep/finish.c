// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Writes and prints the sheet of a sweep.
 */
#include <errno.h>
#include <stdio.h>
#include "journal/whole_file.h"
#include "run/run.h"
#include "sweep/finish.h"

static int write_sheet(const json_t *sheet, const char *dir, char *err,
		       size_t errlen)
{
	char path[1100];

	snprintf(path, sizeof(path), "%s/%s", dir, SHEET_PAGE);
	if (sheet_write_page(sheet, path)) {
		snprintf(err, errlen, "%.1000s: cannot be written", path);
		return -EIO;
	}
	snprintf(path, sizeof(path), "%s/%s", dir, SHEET_NAME);
	return whole_file_json(path, sheet, 0, err, errlen);
}

int sweep_finish(const struct sweep *s, const char *dir, json_t *environment,
		 char *err, size_t errlen)
{
	json_t *sheet = sheet_make(s, err, errlen);
	int status = RUN_BROKEN;

	if (sheet && environment)
		json_object_set(sheet, "environment", environment);
	json_decref(environment);
	if (sheet && !write_sheet(sheet, dir, err, errlen)) {
		sheet_print(sheet, stdout);
		printf("\n%s and %s in %s\n", SHEET_NAME, SHEET_PAGE, dir);
		status = sheet_fails(sheet, s->options->strict)
				 ? RUN_UNEXPECTED
				 : RUN_AS_EXPECTED;
	}
	json_decref(sheet);
	return status;
}
