/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet profile: runs the cases on a device, and writes its deviations as a
 * profile, a file with the deviations that later runs expect.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cli.h"
#include "reports/profile/profile.h"
#include "expect/expect.h"
#include "journal/run_folder.h"
#include "journal/whole_file.h"
#include "run/plural.h"

struct arguments {
	struct device_choice choice;
	struct run_options run;
	const char *to; /* the profile to write */
	bool force;
	char dir[RUN_PATH_LEN]; /* the folder of the run */
};

enum { KEY_OUT = 256, KEY_PROFILE, KEY_TIME, KEY_STRICT, KEY_FORCE };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &a->choice;
		return 0;
	case 'o':
		a->to = arg;
		return 0;
	case KEY_OUT:
		a->run.out = cli_given(state, "--out", arg);
		return 0;
	case KEY_PROFILE:
		a->run.selection.profile = cli_profile(state, arg);
		return 0;
	case KEY_TIME:
		a->run.time_ms = cli_time_ms(state, arg);
		return 0;
	case KEY_STRICT:
		a->run.strict = true;
		return 0;
	case KEY_FORCE:
		a->force = true;
		return 0;
	case ARGP_KEY_ARGS:
		cli_ids(state, &a->run.selection);
		return 0;
	case ARGP_KEY_END:
		if (!a->to || !a->choice.name)
			argp_error(state, "name the device with -d and the "
					  "profile with -o");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "the profile to write", 0},
	{"force", KEY_FORCE, NULL, 0, "overwrite FILE if it exists", 0},
	{"out", KEY_OUT, "DIR", 0,
	 "folder of the run on the device (default: a new one in runs/)", 0},
	{"profile", KEY_PROFILE, "PROFILE", 0,
	 "quick, full or exhaustive (default: full)", 0},
	{"time", KEY_TIME, "S", 0,
	 "seconds for the whole run, 0 for no limit (default: 0)", 0},
	{"strict", KEY_STRICT, NULL, 0,
	 "also write lines for outcomes that are permitted but not the best",
	 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = device_child,
	.args_doc = "[ID...]",
	.doc = "Runs cases on the device of -d, and writes its deviations as a "
	       "profile: as few lines as possible, sorted by rule, that match "
	       "these deviations and no others."
	       "\vAdd a reason and a link to each line. \"ibvet run --expect "
	       "FILE\" then fails on new deviations, and on deviations that no "
	       "longer occur.\n\n"
	       "Exit status: 0 the profile expects all failures, 1 no line can "
	       "match some of the failures, 2 ibvet failed, 3 usage, 77 the "
	       "device supports none of the cases.",
};

static int complain(const char *path, int error)
{
	fprintf(stderr, "ibvet profile: %s: %s\n", path, strerror(error));
	return EXIT_HARNESS;
}

/* The measured device, and the line that begins its section of the profile */
struct measured {
	const struct arguments *arguments;
	struct target *target;
	char section[512];
};

struct naming {
	void (*fn)(const char *id, void *arg);
	void *arg;
};

static bool name_case(const struct test_case *c, void *arg)
{
	struct naming *naming = arg;

	naming->fn(c->id, naming->arg);
	return true;
}

/* Calls fn with the id of each case of the profile for the measured device, for
 * struct profile_scope. */
static int each_id(void (*fn)(const char *id, void *arg), void *arg,
		   void *context)
{
	struct measured *m = context;
	struct naming naming = {fn, arg};
	struct selection all = m->arguments->run.selection;

	all.npatterns = 0;
	all.ids_only = true;
	all.tick = NULL; /* it needs the recorder of the run, which is closed */
	return cases_each(&m->target->info, &all, name_case, &naming);
}

static int write_file(struct measured *m, const struct report *r,
		      struct profile_sum *sum)
{
	const struct profile_scope scope = {m->section, each_id, m};
	char err[RUN_ERROR_LEN] = "", closing[RUN_ERROR_LEN] = "";
	struct whole_file w;
	int ret = whole_file_open(&w, m->arguments->to, err, sizeof(err));

	if (!ret) {
		ret = profile_write(r, &scope, w.file, sum, err, sizeof(err));
		if (whole_file_close(&w, !ret, closing, sizeof(closing)) &&
		    !ret)
			ret = -EIO;
	}
	if (!ret)
		return 0;
	fprintf(stderr, "ibvet profile: %s\n", *err ? err : closing);
	return EXIT_HARNESS;
}

/* Writes the profile and prints how many lines it has for how many deviations.
 */
static int write_and_summarize(struct measured *m, const struct report *r)
{
	const struct arguments *a = m->arguments;
	struct profile_sum sum;
	int ret = write_file(m, r, &sum);

	if (ret)
		return ret;
	printf("\n%s: %llu line%s for %llu deviation%s\n", a->to,
	       (unsigned long long)sum.lines, plural(sum.lines),
	       (unsigned long long)sum.cases, plural(sum.cases));
	if (sum.left)
		fprintf(stderr,
			"ibvet profile: %llu more case%s failed in a way that "
			"no line can expect; see %s\n",
			(unsigned long long)sum.left, plural(sum.left), a->dir);
	ret = cli_flush("profile");
	return ret ? ret : sum.left ? EXIT_UNEXPECTED : EXIT_AS_EXPECTED;
}

static int write_from_run(struct measured *m)
{
	struct report *r = calloc(1, sizeof(*r));
	char err[RUN_ERROR_LEN] = "";
	int ret;

	if (!r)
		return complain(m->arguments->to, ENOMEM);
	if (report_open(r, m->arguments->dir, err, sizeof(err))) {
		fprintf(stderr, "ibvet profile: %s\n", err);
		ret = EXIT_HARNESS;
	} else {
		ret = write_and_summarize(m, r);
		report_close(r);
	}
	free(r);
	return ret;
}

static int write_profile(const struct arguments *a)
{
	struct measured m = {.arguments = a};
	struct expect_facts facts;
	char err[256] = "";
	int ret;

	if (target_open(a->choice.name, &a->choice.options, &m.target, err,
			sizeof(err)))
		return cli_usage("profile", "%s", err);
	expect_facts_init(&facts, &m.target->info);
	expect_section_print(&facts, m.target->live, m.section,
			     sizeof(m.section));
	ret = write_from_run(&m);
	m.target->ops->close(m.target);
	return ret;
}

static int measure(struct arguments *a)
{
	char err[RUN_ERROR_LEN] = "";
	int ret;

	if (run_folder_make(a->run.out, a->dir, sizeof(a->dir), err,
			    sizeof(err))) {
		fprintf(stderr, "ibvet profile: %s\n", err);
		return EXIT_HARNESS;
	}
	a->run.out = a->dir;
	a->run.device[0] = a->choice.name;
	a->run.ndevices = 1;
	a->run.target = a->choice.options;
	a->run.expect = "/dev/null"; /* an empty profile: expect no deviation */
	ret = run_execute(&a->run);
	if (ret != RUN_AS_EXPECTED && ret != RUN_UNEXPECTED)
		return ret;
	return write_profile(a);
}

int cmd_profile(int argc, char **argv)
{
	struct arguments a = {0};

	device_choice_init(&a.choice);
	a.choice.name = NULL;
	run_options_init(&a.run);
	a.run.selection.profile = PROFILE_FULL;
	a.run.time_ms = 0;
	cli_parse(&argp, argc, argv, &a);
	if (!a.force && !access(a.to, F_OK))
		return cli_usage("profile",
				 "%s exists already: choose another file, or "
				 "give --force to overwrite it",
				 a.to);
	return measure(&a);
}
