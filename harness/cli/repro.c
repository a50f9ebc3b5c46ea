/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet repro: writes the program in a file, or the program of a case, as a C
 * file that needs only libibverbs, or in another form.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/one_file.h"
#include "judge/judge.h"
#include "program/forms.h"
#include "program/two_hosts.h"

struct repro {
	struct one_file file;
	struct program *program;
	uint64_t seed;
	const struct form *form;
	bool two_hosts;
	bool found;
	enum claim claim;
};

enum { KEY_SEED = 256, KEY_PEER, KEY_TWO_HOSTS, KEY_AS };

static const struct form *form_of(struct argp_state *state, const char *name)
{
	const struct form *form = form_by_name(name);

	if (!form)
		argp_error(state,
			   "--as: there is no form \"%s\"; the forms are c, "
			   "kselftest, pyverbs, ltp and text",
			   name);
	return form;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct repro *r = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->file;
		return 0;
	case KEY_SEED:
		r->seed = cli_number(state, "--seed", arg, 0, INT64_MAX);
		return 0;
	case KEY_PEER:
		argp_error(state, "--peer: no device is used; --two-hosts "
				  "writes a C file for two hosts");
		return 0;
	case KEY_TWO_HOSTS:
		r->two_hosts = true;
		return 0;
	case KEY_AS:
		r->form = form_of(state, arg);
		return 0;
	case ARGP_KEY_END:
		if (r->two_hosts && r->form != forms)
			argp_error(state, "--two-hosts: only --as c has it");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"as", KEY_AS, "c|kselftest|pyverbs|ltp|text", 0,
	 "form of the output: a C file (default), a test for the kernel's "
	 "kselftest, for rdma-core's Python tests or for LTP, or a script that "
	 "\"ibvet replay\" runs",
	 0},
	{"peer", KEY_PEER, "CMD", OPTION_HIDDEN, NULL, 0},
	{"two-hosts", KEY_TWO_HOSTS, NULL, 0,
	 "write a C file whose two ends run on two hosts; the second device of "
	 "the program is that of the server",
	 0},
	{"seed", KEY_SEED, "N", 0, SEED_HELP, 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = one_file_child,
	.args_doc = "FILE|ID",
	.doc = "Writes a program as a C file that needs only libibverbs, or in "
	       "another form of --as."
	       "\vThe program is in FILE (- for standard input), or it is that "
	       "of the case ID for the device of -d.",
};

static bool take_case(const struct test_case *c, void *arg)
{
	struct repro *r = arg;

	if (strcmp(c->id, r->file.from) != 0)
		return true;
	r->found = true;
	r->claim = c->claim;
	*r->program = *c->program;
	return false;
}

/* Looks through the profiles, since a profile may lack combined cases of a
 * smaller one. */
static int look_for_case(struct repro *r, const struct device_info *d)
{
	struct selection s = {
		.patterns = &r->file.from,
		.npatterns = 1,
		.shard = 1,
		.shards = 1,
		.seed = r->seed,
	};
	int ret = 0;

	for (int p = PROFILE_EXHAUSTIVE; p >= 0 && !ret && !r->found; p--) {
		s.profile = (enum profile)p;
		ret = cases_each(d, &s, take_case, r);
	}
	return ret;
}

static int find_case(struct repro *r)
{
	char err[256] = "";
	struct target *t;
	int ret;

	if (target_open(r->file.choice.name, &r->file.choice.options, &t, err,
			sizeof(err)))
		return cli_usage("repro", "%s", err);
	ret = look_for_case(r, &t->info);
	if (!ret && r->found && r->claim == CLAIM_NONE)
		ret = program_add_expectations(r->program, &t->info);
	t->ops->close(t);
	if (ret) {
		fprintf(stderr, "ibvet repro: cannot generate the cases: %s\n",
			strerror(-ret));
		return EXIT_HARNESS;
	}
	if (!r->found)
		return cli_usage("repro",
				 "\"%s\" is neither a file nor the id of a "
				 "case; \"ibvet list\" shows the ids",
				 r->file.from);
	if (r->claim == CLAIM_NONE)
		return 0;
	fprintf(stderr,
		"ibvet repro: %s is unsupported on %s: it needs the claim %s "
		"(%s)\n",
		r->file.from, r->file.choice.name, claim_name(r->claim),
		claim_text(r->claim));
	return EXIT_NOTHING;
}

static int find_program(struct repro *r)
{
	if (!one_file_is_stdin(&r->file) && access(r->file.from, F_OK))
		return find_case(r);
	return one_file_read(&r->file, r->program);
}

static const char *two_hosts_error(int error)
{
	if (error == -ENODEV)
		return "the program has one device, so it runs on one host";
	return "a call needs objects of both devices, so both have to be on "
	       "one host";
}

static int write_program(struct repro *r)
{
	char err[512];
	FILE *null;
	int ret;

	if (r->form->can && !r->form->can(r->program, err, sizeof(err)))
		return cli_usage("repro", "--as %s: %s: %s", r->form->name,
				 r->file.from, err);
	if (!r->two_hosts)
		return one_file_write(&r->file, r->program, r->form->print);
	null = fopen("/dev/null", "we");
	ret = null ? prog_export_two_hosts(r->program, "", null) : 0;
	if (null)
		fclose(null);
	if (ret == -ENODEV || ret == -EXDEV)
		return cli_usage("repro", "--two-hosts: %s: %s", r->file.from,
				 two_hosts_error(ret));
	return one_file_write(&r->file, r->program, prog_export_two_hosts);
}

int cmd_repro(int argc, char **argv)
{
	struct repro r = {
		.file = {.command = "repro",
			 .takes = "file or id",
			 .missing = "name a program file or the id of a case"},
		.seed = CASE_SEED,
		.form = forms,
	};
	int status;

	cli_parse(&argp, argc, argv, &r);
	r.program = calloc(1, sizeof(*r.program));
	if (!r.program) {
		fprintf(stderr, "ibvet repro: out of memory\n");
		return EXIT_HARNESS;
	}
	status = find_program(&r);
	if (!status)
		status = write_program(&r);
	free(r.program);
	return status;
}
