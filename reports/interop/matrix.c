/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the JSON of the matrix, and writes it and the page.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "journal/whole_file.h"
#include "reports/interop/matrix.h"

static json_t *devices_of(const struct interop *io)
{
	json_t *list = json_array();
	char label[4 * INTEROP_NAME];

	for (int i = 0; i < io->ndevices; i++) {
		const struct interop_device *d = &io->device[i];

		interop_label(io, i, label, sizeof(label));
		json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s}",
						      "label", label, "host",
						      io->host[d->host].name,
						      "device", d->name,
						      "driver", d->driver));
	}
	return list;
}

static json_t *pairs_of(const struct pairs *plan)
{
	json_t *list = json_array();

	for (int i = 0; i < plan->npairs; i++) {
		const struct pairs_one *pair = &plan->pair[i];
		json_t *json = json_pack("{s:i,s:i,s:s,s:i,s:n,s:i}", "first",
					 pair->first, "second", pair->second,
					 "folder", pair->folder, "status",
					 pair->status, "worst", "failures", 0);

		if (!pairs_has_result(pair) && pair->error[0])
			json_object_set_new(json, "error",
					    json_string(pair->error));
		json_array_append_new(list, json);
	}
	return list;
}

static int status_of(const struct pairs *plan)
{
	int worst = RUN_NOTHING;

	for (int i = 0; i < plan->npairs; i++) {
		const struct pairs_one *pair = &plan->pair[i];

		if (!pairs_has_result(pair))
			return RUN_BROKEN;
		if (pair->status == RUN_UNEXPECTED)
			worst = RUN_UNEXPECTED;
		else if (pair->status == RUN_AS_EXPECTED &&
			 worst == RUN_NOTHING)
			worst = RUN_AS_EXPECTED;
	}
	return worst;
}

static json_t *matrix_json(const struct interop *io, const struct pairs *plan,
			   const char *dir, char *err, size_t errlen)
{
	struct failures f = {.n = 0};
	json_t *pairs = pairs_of(plan), *json = NULL;
	int ret = failures_gather(&f, plan, dir, pairs, err, errlen);

	if (!ret)
		json = json_pack("{s:s,s:s,s:i,s:O,s:o,s:O,s:o}",
				 "schema_version", MATRIX_SCHEMA, "ibvet",
				 IBVET_VERSION, "status", status_of(plan),
				 "arguments", plan->arguments, "devices",
				 devices_of(io), "pairs", pairs, "findings",
				 blame(&f, io, plan));
	if (!ret && !json)
		snprintf(err, errlen, "no memory for the matrix");
	failures_free(&f);
	json_decref(pairs);
	return json;
}

static void print_json(const json_t *matrix, FILE *file)
{
	json_dumpf(matrix, file, JSON_INDENT(1));
	fputc('\n', file);
}

static int write_file(const json_t *matrix, const char *dir, const char *name,
		      void (*print)(const json_t *matrix, FILE *file),
		      char *err, size_t errlen)
{
	char path[RUN_PATH_LEN + 16];
	struct whole_file file;
	int ret;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	ret = whole_file_open(&file, path, err, errlen);
	if (ret)
		return ret;
	print(matrix, file.file);
	return whole_file_close(&file, true, err, errlen);
}

int matrix_write(const struct interop *io, const struct pairs *plan,
		 const char *dir, int *status, char *err, size_t errlen)
{
	json_t *matrix = matrix_json(io, plan, dir, err, errlen);
	int ret;

	if (!matrix)
		return -EIO;
	ret = write_file(matrix, dir, "interop.json", print_json, err, errlen);
	if (!ret)
		ret = write_file(matrix, dir, "interop.html", matrix_page, err,
				 errlen);
	*status = status_of(plan);
	json_decref(matrix);
	if (!ret)
		printf("%s/interop.html\n", dir);
	return ret;
}
