/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet merge: merges the runs of all shards into one run, or the sweeps of all
 * shards into one sweep.
 */
#include "cli/cli.h"
#include "journal/merge.h"
#include "sweep/sweep.h"

struct arguments {
	const char *out;
	const char *run[MERGE_MAX];
	int n;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'o':
		a->out = cli_given(state, "-o", arg);
		return 0;
	case ARGP_KEY_ARG:
		if (a->n == MERGE_MAX)
			argp_error(state, "at most %d runs", MERGE_MAX);
		a->run[a->n++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!a->n)
			argp_error(state, "name the folders of the shards' "
					  "runs");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"out", 'o', "DIR", 0,
	 "folder of the whole run (default: a new one in runs/)", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "RUN...",
	.doc = "Merges the runs of \"ibvet run --shard K/N\" into one run with "
	       "its reports, or the sweeps of \"ibvet sweep --shard K/N\" into "
	       "one sweep with its sheet."
	       "\vThe shards must be of one run, with the same kernel, "
	       "libraries and device, and no shard may be given twice. ibvet "
	       "names missing shards and cases. A merged sweep can be resumed, "
	       "which sweeps the missing pairs.\n\n"
	       "Exit status: that of the whole run; 1 if shards are missing, 2 "
	       "ibvet failed, 3 usage.",
};

int cmd_merge(int argc, char **argv)
{
	struct arguments a = {0};

	cli_parse(&argp, argc, argv, &a);
	return sweep_is(a.run[0]) ? sweep_merge(a.out, a.run, a.n)
				  : merge_run(a.out, a.run, a.n);
}
