/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet import: reads results of other suites, says which of their failures are
 * explained, and writes them into a page, beside a run.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "reports/fold.h"
#include "reports/html/html.h"
#include "reports/suites/suites.h"

#define MOST_FILES 64

struct import {
	const char *file[MOST_FILES];
	int nfiles;
	const char *run, *to, *driver;
	struct suite_results results;
	char of_run[64]; /* the driver of the run's device */
};

enum { KEY_RUN = 256, KEY_DRIVER };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct import *x = state->input;

	switch (key) {
	case 'o':
		x->to = cli_given(state, "-o", arg);
		return 0;
	case KEY_RUN:
		x->run = cli_given(state, "--run", arg);
		return 0;
	case KEY_DRIVER:
		x->driver = cli_given(state, "--driver", arg);
		return 0;
	case ARGP_KEY_ARG:
		if (x->nfiles == MOST_FILES)
			argp_error(state, "at most %d files", MOST_FILES);
		x->file[x->nfiles++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!x->nfiles)
			argp_error(state, "name a file of results");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"run", KEY_RUN, "DIR", 0,
	 "run of ibvet on the same device: say whether the rule of an "
	 "explanation deviated there",
	 0},
	{"driver", KEY_DRIVER, "NAME", 0,
	 "driver of the device, such as rxe or mlx5_core (default: that of "
	 "--run, "
	 "else any)",
	 0},
	{"output", 'o', "FILE", 0,
	 "page to write: that of the run with the failures on it, or the "
	 "failures alone",
	 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE...",
	.doc = "Says which failures of other suites ibvet explains, by which "
	       "rule, and which nobody knows."
	       "\vA FILE has results of google/rdma-unit-test "
	       "(--gtest_output=xml), of pyverbs (the text of unittest -v, or "
	       "pytest's --junit-xml), or of perftest (its output). "
	       "docs/suites.md has the explanations.\n\n"
	       "Exit status: 0 no failure, or each is explained, 1 nobody "
	       "explains one, 2 ibvet failed, 3 usage, or a FILE that cannot "
	       "be read.",
};

static void count_case(const struct report_case *c, void *arg)
{
	struct suite_results *r = arg;

	for (size_t i = 0; c->rule_id && i < r->nfailures; i++) {
		struct suite_failure *f = &r->failure[i];

		if (!f->why || strcmp(f->why->row, c->rule_id) != 0)
			continue;
		f->in_run.deviates += c->verdict == VERDICT_DEVIATES;
		f->in_run.expected += c->verdict == VERDICT_EXPECTED;
		f->in_run.non_strict += c->verdict == VERDICT_NON_STRICT;
	}
}

/* Takes the driver of the first device of the run that has one. */
static void take_driver(struct import *x, const struct report *report)
{
	for (int t = 0; t < report->ntargets && !x->of_run[0]; t++) {
		const char *driver = json_string_value(json_object_get(
			report->target[t].environment, "driver"));

		snprintf(x->of_run, sizeof(x->of_run), "%s",
			 driver ? driver : "");
	}
	if (!x->driver && x->of_run[0])
		x->driver = x->of_run;
}

static int explain(struct import *x, char *err, size_t errlen)
{
	struct report report;
	int ret;

	if (!x->run) {
		suites_explain(&x->results, x->driver);
		return 0;
	}
	ret = report_open_run(&report, x->run, err, errlen);
	if (ret)
		return ret;
	take_driver(x, &report);
	suites_explain(&x->results, x->driver);
	ret = report_each(&report, count_case, &x->results, err, errlen);
	report_close(&report);
	return ret;
}

static void show_explained(const struct suite_failure *f)
{
	char whose[96], where[96];

	suites_where(f->why, where, sizeof(where));
	printf("  %s: %s%s%s; %s\n", f->test, f->why->row[0] ? f->why->row : "",
	       f->why->row[0] ? "; " : "",
	       suites_whose(f->why, whose, sizeof(whose)), where);
}

static void show_in_run(const struct suite_failure *f)
{
	char in_run[96];

	suites_in_run(f, in_run, sizeof(in_run));
	if (in_run[0])
		printf("      %s %s\n", f->why->row, in_run);
}

static size_t show(const struct import *x)
{
	const struct suite_results *r = &x->results;
	size_t unknown = 0;

	for (int s = 0; s < SUITE_NR; s++)
		if (r->tests[s])
			printf("%s: %llu tests, %llu passed, %llu skipped\n",
			       suite_name((enum suite)s),
			       (unsigned long long)r->tests[s],
			       (unsigned long long)r->passed[s],
			       (unsigned long long)r->skipped[s]);
	for (size_t i = 0; i < r->nfailures; i++)
		unknown += !r->failure[i].why;
	if (r->nfailures > unknown)
		printf("explained%s%s: %zu\n", x->driver ? " on " : "",
		       x->driver ? x->driver : "", r->nfailures - unknown);
	for (size_t i = 0; i < r->nfailures; i++) {
		if (!r->failure[i].why)
			continue;
		show_explained(&r->failure[i]);
		if (x->run)
			show_in_run(&r->failure[i]);
	}
	if (unknown)
		printf("nobody explains: %zu\n", unknown);
	for (size_t i = 0; i < r->nfailures; i++)
		if (!r->failure[i].why)
			printf("  %s%s%s\n", r->failure[i].test,
			       r->failure[i].message[0] ? ": " : "",
			       r->failure[i].message);
	return unknown;
}

static void put_failures(FILE *file, void *arg)
{
	const struct import *x = arg;

	suites_page(&x->results, x->run != NULL, file);
}

static int write_alone(struct import *x, FILE *file)
{
	page_begin("ibvet: other suites", file);
	fputs("<main id=\"main\">\n", file);
	put_failures(file, x);
	fputs("</main>\n</body>\n</html>\n", file);
	return 0;
}

static int write_page(struct import *x, char *err, size_t errlen)
{
	const struct page_extra extra = {put_failures, x};
	FILE *file = fopen(x->to, "we");
	int ret;

	if (!file) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", x->to, strerror(errno));
		return ret;
	}
	ret = x->run ? page_of_runs(&x->run, 1, &extra, file, err, errlen)
		     : write_alone(x, file);
	if ((fflush(file) || ferror(file)) && !ret) {
		ret = errno ? -errno : -EIO;
		snprintf(err, errlen, "%s: %s", x->to, strerror(-ret));
	}
	fclose(file);
	if (ret)
		unlink(x->to);
	return ret;
}

static int failed(const char *err, int ret)
{
	if (ret != -ENOMEM)
		return cli_usage("import", "%s", err);
	fprintf(stderr, "ibvet import: %s\n", err);
	return EXIT_HARNESS;
}

static int run(struct import *x)
{
	char err[512] = "";
	int ret = 0;

	for (int i = 0; i < x->nfiles && !ret; i++)
		ret = suites_read(&x->results, x->file[i], err, sizeof(err));
	if (!ret)
		ret = explain(x, err, sizeof(err));
	if (ret)
		return failed(err, ret);
	ret = x->to ? write_page(x, err, sizeof(err)) : 0;
	if (ret) {
		fprintf(stderr, "ibvet import: cannot write %s\n", err);
		return EXIT_HARNESS;
	}
	return show(x) ? EXIT_UNEXPECTED : EXIT_AS_EXPECTED;
}

int cmd_import(int argc, char **argv)
{
	struct import x = {0};
	int status;

	cli_parse(&argp, argc, argv, &x);
	status = run(&x);
	suites_free(&x.results);
	return status;
}
