/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet diff: prints the differences between two runs, or between the data
 * sheets of two sweeps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "reports/diff/diff.h"
#include "sweep/sheet/sheet.h"

struct arguments {
	const char *run[2];
	int nruns;
	const char *from, *to;
	bool json, verbose;
};

enum { KEY_JSON = 256, KEY_FROM, KEY_TO };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case KEY_JSON:
		a->json = true;
		return 0;
	case KEY_FROM:
		a->from = arg;
		return 0;
	case KEY_TO:
		a->to = arg;
		return 0;
	case 'v':
		a->verbose = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->nruns == 2)
			return ARGP_ERR_UNKNOWN;
		a->run[a->nruns++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (a->nruns < 2)
			argp_error(state, "name the folders of two runs");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", KEY_JSON, NULL, 0,
	 "print JSON as in reports/diff.schema.json, or for sweeps as in "
	 "reports/sheet-diff.schema.json",
	 0},
	{"verbose", 'v', NULL, 0, "print every case, however many there are",
	 0},
	{"from", KEY_FROM, "DEV", 0, "target of the first run", 0},
	{"to", KEY_TO, "DEV", 0,
	 "target of the second run (default: targets of the same name, or the "
	 "only target of each run)",
	 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "RUN RUN",
	.doc = "Prints the differences between two runs, by kind, rule and "
	       "case."
	       "\vRUN is the folder of a run. If both are folders of sweeps, "
	       "their data sheets are compared, for which --from, --to and "
	       "--verbose are refused. Differences in the environment "
	       "are printed but do not count as changes. Cases that one of the "
	       "runs did not reach, or did not select, do not count either.\n\n"
	       "Exit status: 0 nothing changed, 1 something changed, 2 ibvet "
	       "failed, 3 usage.",
};

static int show(const struct arguments *a, const struct report *was,
		const struct report *is, char *err, size_t errlen)
{
	struct diff d;
	int ret = diff_open(&d, was, is, a->from, a->to, err, errlen);
	bool any;

	if (ret)
		return cli_failure("diff", ret, err);
	ret = a->json ? diff_print_json(&d, stdout)
		      : diff_print(&d, a->verbose, stdout);
	any = diff_any(&d);
	diff_close(&d);
	if (ret)
		return cli_failure("diff", ret, strerror(-ret));
	ret = cli_flush("diff");
	return ret ? ret : any ? EXIT_UNEXPECTED : EXIT_AS_EXPECTED;
}

/* Compares the sheets of two sweeps. */
static int diff_sheets(const struct arguments *a)
{
	char err[RUN_ERROR_LEN] = "";
	json_t *was = sheet_load(a->run[0], err, sizeof(err));
	json_t *is = was ? sheet_load(a->run[1], err, sizeof(err)) : NULL;
	json_t *diff = is ? sheet_diff(was, is) : NULL;
	bool changed = json_is_true(json_object_get(diff, "changed"));
	int ret;

	if (diff && a->json && !json_dumpf(diff, stdout, JSON_INDENT(1)))
		fputc('\n', stdout);
	else if (diff && !a->json)
		sheet_diff_print(diff, stdout);
	ret = is ? cli_flush("diff") : cli_failure("diff", -EINVAL, err);
	if (is && !diff)
		ret = cli_failure("diff", -ENOMEM, "out of memory");
	json_decref(diff);
	json_decref(was);
	json_decref(is);
	return ret ? ret : changed ? EXIT_UNEXPECTED : EXIT_AS_EXPECTED;
}

/* Compares an open run with the second run, using the place `is`. */
static int diff_with_second(const struct arguments *a, const struct report *was,
			    struct report *is)
{
	char err[RUN_ERROR_LEN] = "";
	int ret = report_open_run(is, a->run[1], err, sizeof(err));

	if (ret)
		return cli_failure("diff", ret, err);
	ret = show(a, was, is, err, sizeof(err));
	report_close(is);
	return ret;
}

static int diff_runs(const struct arguments *a)
{
	struct report *r = calloc(2, sizeof(*r));
	char err[RUN_ERROR_LEN] = "";
	int ret;

	if (!r)
		return cli_failure("diff", -ENOMEM, "out of memory");
	ret = report_open_run(&r[0], a->run[0], err, sizeof(err));
	if (ret) {
		ret = cli_failure("diff", ret, err);
	} else {
		ret = diff_with_second(a, &r[0], &r[1]);
		report_close(&r[0]);
	}
	free(r);
	return ret;
}

int cmd_diff(int argc, char **argv)
{
	struct arguments a = {0};

	cli_parse(&argp, argc, argv, &a);
	if (sheet_is(a.run[0]) && (a.from || a.to || a.verbose))
		return cli_failure("diff", -EINVAL,
				   "data sheets of sweeps take no "
				   "--from, --to or --verbose");
	return sheet_is(a.run[0]) ? diff_sheets(&a) : diff_runs(&a);
}
