/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Collects a night: merges the shards of each device, adds the whole runs to
 * the history, writes night.json and mail.txt, and tells what changed. All of
 * it can be done again: what is there already stays.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fleet/command.h"
#include "fleet/outcome.h"
#include "fleet/plan.h"
#include "fleet/slurm.h"
#include "journal/journal.h"
#include "journal/run_folder.h"
#include "journal/whole_file.h"
#include "reports/history/history.h"
#include "reports/nights/nights.h"
#include "run/plural.h"

struct collecting {
	struct night night;
	struct history *history;
	json_t *rows; /* of devices */
	char err[FLEET_ERROR];
};

/* --- Runs --------------------------------------------------------------------
 */

/* A run that is in the history already is whole, and stays as it is. */
static int merge_all(struct collecting *c)
{
	int ret = 0;

	for (size_t i = 0; i < night_devices(&c->night) && !ret; i++) {
		struct fleet_device d = night_device(&c->night, i);
		char run[RUN_PATH_LEN];
		json_t *row = NULL;

		outcome_run_path(&c->night, &d, run);
		ret = outcome_merge(&c->night, &d, history_has(c->history, run),
				    &row, c->err, sizeof(c->err));
		if (row)
			json_array_append_new(c->rows, row);
	}
	return ret;
}

static bool has_cases(const json_t *row)
{
	return lab_kind_by_name(event_text(row, "profile")) == LAB_KIND_NR;
}

/* Returns true if the row's run belongs into the history. */
static bool is_for_history(const json_t *row)
{
	return json_is_true(json_object_get(row, "whole")) && has_cases(row);
}

/* Says of devices that the history does not take that they have no result. */
static void note_unopened(struct collecting *c)
{
	json_t *row;
	size_t i;

	json_array_foreach(c->rows, i, row)
	{
		if (!is_for_history(row) ||
		    history_has(c->history, event_text(row, "run")))
			continue;
		json_object_set_new(row, "whole", json_false());
		json_object_set_new(row, "error",
				    json_string("the device was not opened"));
	}
}

/* Adds the runs of the night that are whole and not in the history. */
static int add_to_history(struct collecting *c)
{
	const size_t n = json_array_size(c->rows);
	const char **run = calloc(n + 1, sizeof(*run));
	char *told = NULL;
	size_t len, i;
	FILE *file = open_memstream(&told, &len);
	const json_t *row;
	int runs = 0, ret = -ENOMEM;

	json_array_foreach(c->rows, i, row)
	{
		if (run && is_for_history(row) &&
		    !history_has(c->history, event_text(row, "run")))
			run[runs++] = event_text(row, "run");
	}
	if (file && run)
		ret = runs ? history_add(c->history, c->night.name, run, runs,
					 file, c->err, sizeof(c->err))
			   : 0;
	else
		snprintf(c->err, sizeof(c->err), "no memory for the runs");
	if (!ret)
		note_unopened(c);
	if (file)
		fclose(file);
	free(told);
	free(run);
	return ret;
}

/* --- What changed ------------------------------------------------------------
 */

static json_t *ask(struct collecting *c, enum history_question q)
{
	const struct history_choice choice = {.night = c->night.name};
	json_t *answer, *rows;

	answer = history_ask(c->history, q, &choice, c->err, sizeof(c->err));
	rows = json_incref(json_object_get(answer, "rows"));
	json_decref(answer);
	return rows;
}

/* Returns what changed in the environment of a device that fails anew, or NULL.
 */
static json_t *changed_of(struct collecting *c, const json_t *row)
{
	char device[512];
	const struct history_choice choice = {.night = c->night.name,
					      .device = device};
	const char *rule = event_text(row, "rule");
	json_t *answer, *changed = NULL;
	const json_t *began;
	size_t i;

	if (!rule)
		return NULL;
	snprintf(device, sizeof(device), "%s %s", event_text(row, "host"),
		 event_text(row, "device"));
	answer = history_bisect(c->history, rule, &choice, c->err,
				sizeof(c->err));
	json_array_foreach(json_object_get(answer, "rows"), i, began)
	{
		const char *failed = event_text(began, "failed");

		if (failed && !strcmp(failed, c->night.name))
			changed =
				json_incref(json_object_get(began, "changed"));
	}
	json_decref(answer);
	return changed;
}

/* Adds what changed on each device that fails anew. */
static json_t *changes(struct collecting *c, const json_t *new)
{
	json_t *all = json_array();
	const json_t *row, *last = NULL;
	size_t i;

	json_array_foreach(new, i, row)
	{
		json_t *changed;

		if (last &&
		    json_equal(json_object_get(row, "host"),
			       json_object_get(last, "host")) &&
		    json_equal(json_object_get(row, "device"),
			       json_object_get(last, "device")))
			continue;
		last = row;
		changed = changed_of(c, row);
		if (json_array_size(changed))
			json_array_append_new(
				all, json_pack("{s:O,s:O,s:O}", "host",
					       json_object_get(row, "host"),
					       "device",
					       json_object_get(row, "device"),
					       "changed", changed));
		json_decref(changed);
	}
	return all;
}

static bool is_in_history(struct collecting *c)
{
	const json_t *row;
	size_t i;

	json_array_foreach(c->rows, i, row)
	{
		if (is_for_history(row))
			return true;
	}
	return false;
}

/* Returns what night.json holds, but for the exit status. */
static json_t *make_result(struct collecting *c)
{
	json_t *new = NULL, *fixed = NULL, *result, *changed, *found;

	if (is_in_history(c)) {
		new = ask(c, HISTORY_NEW);
		fixed = ask(c, HISTORY_FIXED);
	} else {
		new = json_array();
		fixed = json_array();
	}
	changed = changes(c, new);
	found = outcome_findings(&c->night, c->err, sizeof(c->err));
	result = json_pack("{s:s,s:s,s:s,s:O,s:o,s:o,s:o,s:o,s:o}", "fleet",
			   FLEET_SCHEMA, "lab", night_text(&c->night, "lab"),
			   "night", c->night.name, "devices", c->rows, "new",
			   new, "fixed", fixed, "changed", changed, "sheets",
			   outcome_sheets(&c->night, c->rows), "findings",
			   found);
	if (!result && !c->err[0])
		snprintf(c->err, sizeof(c->err), "no memory for the result");
	return result;
}

/* --- Telling -----------------------------------------------------------------
 */

/* Returns true if the file mail.txt of the night has that text. */
static bool was_told(const struct collecting *c, const char *text)
{
	char path[RUN_PATH_LEN + 16];
	const size_t len = strlen(text);
	char *was = calloc(len + 2, 1);
	bool told = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/" NIGHT_MAIL, c->night.dir);
	file = fopen(path, "re");
	if (file && was)
		told = fread(was, 1, len + 1, file) == len &&
		       !strcmp(was, text);
	if (file)
		fclose(file);
	free(was);
	return told;
}

static int write_mail(struct collecting *c, const char *text)
{
	char path[RUN_PATH_LEN + 16];
	struct whole_file w;
	int ret;

	snprintf(path, sizeof(path), "%s/" NIGHT_MAIL, c->night.dir);
	ret = whole_file_open(&w, path, c->err, sizeof(c->err));
	if (ret)
		return ret;
	fputs(text, w.file);
	return whole_file_close(&w, true, c->err, sizeof(c->err));
}

/* Gives the text to the lab's command. The file mail.txt says afterwards that
 * it was told. */
static int tell(struct collecting *c, const char *text, bool is_news)
{
	const char *command = night_text(&c->night, "tell");
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	char *out = NULL, why[RUN_ERROR_LEN] = "";
	int ret = 0;

	if (is_news && *command && !was_told(c, text))
		ret = command_run(argv, text, &out, why, sizeof(why));
	free(out);
	if (ret) {
		snprintf(c->err, sizeof(c->err), "tell: \"%s\": %s", command,
			 why);
		return ret;
	}
	return write_mail(c, text);
}

static bool all_whole(const struct collecting *c)
{
	const json_t *row;
	size_t i;

	json_array_foreach(c->rows, i, row)
	{
		if (!json_is_true(json_object_get(row, "whole")))
			return false;
	}
	return true;
}

/* Writes and tells the result. Sets *status to the exit status. */
static int finish(struct collecting *c, json_t *result, int *status)
{
	bool is_bad = false, is_news = false;
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);
	int ret = -ENOMEM;

	if (file)
		ret = outcome_text(&c->night, result, file, &is_bad, &is_news,
				   c->err, sizeof(c->err));
	if (file && fclose(file))
		ret = -ENOMEM;
	*status = is_bad	 ? RUN_UNEXPECTED
		  : all_whole(c) ? RUN_AS_EXPECTED
				 : RUN_BROKEN;
	json_object_set_new(result, "status", json_integer(*status));
	if (!ret)
		ret = night_write(&c->night, NIGHT_RESULT, result, c->err,
				  sizeof(c->err));
	if (!ret) {
		fputs(text, stdout);
		fflush(stdout);
		ret = tell(c, text, is_news);
	}
	free(text);
	return ret;
}

/* Writes the page over nights into the folder of the night. */
static int write_page(struct collecting *c)
{
	const struct history_choice choice = {.night = c->night.name};
	char path[RUN_PATH_LEN + 16];

	if (!is_in_history(c))
		return 0;
	snprintf(path, sizeof(path), "%s/" NIGHT_PAGE, c->night.dir);
	return nights_write(c->history, &choice, NIGHTS_DEFAULT, path, c->err,
			    sizeof(c->err));
}

static int collect(struct collecting *c, int *status)
{
	json_t *result = NULL;
	int ret;

	c->rows = json_array();
	ret = history_open_to_add(&c->history, night_text(&c->night, "history"),
				  c->err, sizeof(c->err));
	if (!ret)
		ret = merge_all(c);
	if (!ret)
		ret = add_to_history(c);
	if (!ret)
		ret = outcome_write_earlier(&c->night, c->rows, c->err,
					    sizeof(c->err));
	if (!ret)
		ret = write_page(c);
	if (!ret)
		result = make_result(c);
	if (result)
		ret = finish(c, result, status);
	else if (!ret)
		ret = -EIO;
	json_decref(result);
	history_close(c->history);
	json_decref(c->rows);
	return ret;
}

/* The night must be over, unless the user wants what there is. */
static int check_over(struct collecting *c, const struct fleet_options *o)
{
	int waiting;

	if (o->now || json_is_true(json_object_get(c->night.plan, "local")))
		return 0;
	waiting = slurm_waiting(&c->night, c->err, sizeof(c->err));
	if (waiting <= 0)
		return waiting;
	snprintf(c->err, sizeof(c->err),
		 "%s: %d job%s of the night %s not ended, and the last one "
		 "collects; --now takes what there is",
		 c->night.dir, waiting, plural((unsigned int)waiting),
		 waiting == 1 ? "has" : "have");
	return -EBUSY;
}

static int collect_locked(struct collecting *c, const struct fleet_options *o,
			  int *status)
{
	int lock, ret = night_load(&c->night, c->err, sizeof(c->err));

	if (!ret)
		ret = check_over(c, o);
	if (ret)
		return ret;
	lock = run_folder_lock(c->night.dir, c->err, sizeof(c->err));
	if (lock == -EBUSY)
		return lock;
	c->err[0] = '\0';
	ret = collect(c, status);
	if (lock >= 0)
		close(lock);
	return ret;
}

int fleet_collect(const struct fleet_options *o)
{
	struct collecting *c = calloc(1, sizeof(*c));
	struct lab *lab = calloc(1, sizeof(*lab));
	int status = RUN_BROKEN, ret = -ENOMEM;

	if (c && lab) {
		ret = night_find(&c->night, lab, o, false, c->err,
				 sizeof(c->err));
		if (!ret)
			ret = collect_locked(c, o, &status);
		lab_free(lab);
		night_free(&c->night);
	}
	if (ret)
		status = outcome_failure(ret, c ? c->err : "no memory");
	free(lab);
	free(c);
	return status;
}
