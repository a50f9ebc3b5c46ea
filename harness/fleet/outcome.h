/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a night found: its merged runs, its file night.json, and the text that
 * is told.
 */
#ifndef IBVET_FLEET_OUTCOME_H
#define IBVET_FLEET_OUTCOME_H

#include <stdio.h>
#include "fleet/night.h"

/* Prints the error. Returns the exit status for it. */
int outcome_failure(int ret, const char *err);

/* Writes the path of the merged run of a device, or of its only shard. */
void outcome_run_path(const struct night *n, const struct fleet_device *d,
		      char *path);
/* Merges the shards of a device, as far as they have come, unless that
 * `is_old`. `row` receives what night.json says of the device. Returns 0, or
 * -errno with one line in err. */
int outcome_merge(const struct night *n, const struct fleet_device *d,
		  bool is_old, json_t **row, char *err, size_t errlen);

/* Notes for later nights where the times of cases are, and the last sheets.
 * Returns 0, or -errno with one line in err. */
int outcome_write_earlier(const struct night *n, const json_t *rows, char *err,
			  size_t errlen);
/* Returns the whole sheets of the night that differ from the last ones, after
 * outcome_write_earlier(). */
json_t *outcome_sheets(const struct night *n, const json_t *rows);
/* Adds the findings of the night's hunts to those of the lab. Returns those
 * that no night before had, and the others on devices that did not have them,
 * or NULL with one line in err. */
json_t *outcome_findings(const struct night *n, char *err, size_t errlen);
/* Print what changed in sheets, and findings. Return false if there is nothing
 * to tell; outcome_print_first() then prints nothing. */
bool outcome_print_found(const json_t *result, FILE *file);
bool outcome_print_first(const json_t *result, FILE *file);

/* Writes the text: its first line names the first device whose result changed.
 * Sets *is_bad if something new fails, and *is_news if there is anything to
 * tell. */
int outcome_text(const struct night *n, const json_t *result, FILE *file,
		 bool *is_bad, bool *is_news, char *err, size_t errlen);

#endif
