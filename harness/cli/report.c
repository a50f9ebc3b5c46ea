/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet report: writes an HTML page about one or more runs, or about the
 * contract alone (--catalogue), or runs as a submission to KCIDB (--kcidb).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/cli.h"
#include "reports/html/html.h"
#include "reports/rules/kcidb.h"

#define MOST_RUNS 64

struct report_options {
	struct device_choice choice;
	const char *to;
	const char *run[MOST_RUNS];
	int nruns;
	bool catalogue;
	struct kcidb_options kcidb; /* without an origin: a page */
	enum profile profile;
	bool has_profile;
};

enum { KEY_CATALOGUE = 256, KEY_PROFILE, KEY_KCIDB, KEY_BUILD };

static void add_run(struct argp_state *state, struct report_options *o,
		    const char *dir)
{
	if (o->nruns == MOST_RUNS)
		argp_error(state, "at most %d runs on one page", MOST_RUNS);
	else
		o->run[o->nruns++] = dir;
}

static void check_arguments(struct argp_state *state,
			    const struct report_options *o)
{
	const char *given = device_choice_given(&o->choice);

	if (o->has_profile)
		given = "--profile";
	if (!o->to && o->kcidb.origin)
		argp_error(state, "name the file with -o FILE.json");
	if (!o->to)
		argp_error(state, "name the page with -o FILE.html");
	if (o->kcidb.build && !o->kcidb.origin)
		argp_error(state, "--build belongs to --kcidb");
	if (o->catalogue && o->kcidb.origin)
		argp_error(state, "--kcidb is about runs; leave out "
				  "--catalogue");
	if (o->catalogue && o->nruns)
		argp_error(state, "--catalogue takes no run; leave out %s",
			   o->run[0]);
	if (!o->catalogue && !o->nruns)
		argp_error(state, "name the folder of a run, or --catalogue");
	if (!o->catalogue && given)
		argp_error(state, "only --catalogue takes %s", given);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->choice;
		return 0;
	case 'o':
		o->to = arg;
		return 0;
	case KEY_CATALOGUE:
		o->catalogue = true;
		return 0;
	case KEY_KCIDB:
		if (!kcidb_is_origin(arg))
			argp_error(state,
				   "--kcidb: \"%s\" is no origin: small "
				   "letters, digits and _",
				   arg);
		o->kcidb.origin = arg;
		return 0;
	case KEY_BUILD:
		if (!kcidb_is_id(arg))
			argp_error(state, "--build: \"%s\" is not ORIGIN:ID",
				   arg);
		o->kcidb.build = arg;
		return 0;
	case KEY_PROFILE:
		o->profile = cli_profile(state, arg);
		o->has_profile = true;
		return 0;
	case ARGP_KEY_ARG:
		add_run(state, o, arg);
		return 0;
	case ARGP_KEY_END:
		check_arguments(state, o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0,
	 "the page, or the submission, to write; - is standard output", 0},
	{"kcidb", KEY_KCIDB, "ORIGIN", 0,
	 "instead of a page write JSON for KCIDB, with a test for each rule; "
	 "ORIGIN is the name of the CI system there",
	 0},
	{"build", KEY_BUILD, "ORIGIN:ID", 0,
	 "with --kcidb: the tested build (default: one for the running kernel)",
	 0},
	{"catalogue", KEY_CATALOGUE, NULL, 0,
	 "write a page about the contract and the cases for a device (-d), "
	 "without a run",
	 0},
	{"profile", KEY_PROFILE, "NAME", 0,
	 "cases of the catalogue: quick (default), full or exhaustive", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = model_child,
	.args_doc = "RUN...\n--catalogue",
	.doc = "Writes one HTML page about the runs in these folders. The page "
	       "loads nothing from the network, so it can be mailed. Or writes "
	       "JSON for KCIDB (--kcidb)."
	       "\vWith several runs the page has a matrix of rules and runs. "
	       "\"ibvet run\" itself writes a page about its run, report.html, "
	       "into the run's folder.",
};

static int write_catalogue(const struct report_options *o, FILE *file,
			   char *err, size_t errlen)
{
	const char *device = o->choice.name;
	struct selection s = {
		.shard = 1,
		.shards = 1,
		.seed = CASE_SEED,
		.profile = o->profile,
	};
	struct target *t;
	int ret;

	if (target_open(device, &o->choice.options, &t, err, errlen))
		return EXIT_USAGE;
	ret = page_catalogue(device, &t->info, &s, file, err, errlen);
	t->ops->close(t);
	return ret ? EXIT_HARNESS : 0;
}

static int write_to(const struct report_options *o, FILE *file, char *err,
		    size_t errlen)
{
	int ret;

	if (o->catalogue)
		return write_catalogue(o, file, err, errlen);
	if (o->kcidb.origin)
		ret = kcidb_of_runs(o->run, o->nruns, &o->kcidb, file, err,
				    errlen);
	else
		ret = page_of_runs(o->run, o->nruns, NULL, file, err, errlen);
	if (!ret)
		return 0;
	return ret == -ENOENT || ret == -ENOTDIR ? EXIT_USAGE : EXIT_HARNESS;
}

/* Flushes and closes the page. Returns true if the whole page was written;
 * otherwise errno has the reason. */
static bool close_page(FILE *file)
{
	bool whole;

	errno = 0;
	whole = !fflush(file) && !ferror(file);
	if (file != stdout && fclose(file))
		whole = false;
	return whole;
}

/* Writes the page to the file `path`, and renames the complete file to o->to.
 * Without a path writes to standard output. Returns the exit status. */
static int write_page(const struct report_options *o, const char *path,
		      char *err, size_t errlen)
{
	FILE *file = path ? fopen(path, "we") : stdout;
	int status = file ? write_to(o, file, err, errlen) : EXIT_HARNESS;
	bool whole = file && close_page(file);

	if (!status && whole && path && rename(path, o->to))
		whole = false;
	if (whole)
		return status;
	if (!status || !file)
		snprintf(err, errlen, "cannot write %s: %s",
			 path ? o->to : "standard output",
			 strerror(errno ? errno : EIO));
	return status ? status : EXIT_HARNESS;
}

int cmd_report(int argc, char **argv)
{
	struct report_options o = {.profile = PROFILE_QUICK};
	char err[RUN_ERROR_LEN] = "", path[RUN_PATH_LEN];
	bool to_stdout;
	int status;

	device_choice_init(&o.choice);
	cli_parse(&argp, argc, argv, &o);
	to_stdout = !strcmp(o.to, "-");
	if (snprintf(path, sizeof(path), "%s.new", o.to) >= (int)sizeof(path))
		return cli_usage("report", "%.40s…: the name is too long",
				 o.to);
	status = write_page(&o, to_stdout ? NULL : path, err, sizeof(err));
	if (status && !to_stdout)
		unlink(path);
	if (status)
		fprintf(stderr, "ibvet report: %s\n", err);
	return status;
}
