/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet list: prints the cases for a device, tree by tree. (ibvet run has
 * another order: it begins with some cases of each tree.)
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"

struct list {
	struct device_choice choice;
	struct selection selection;
	const char **patterns;
	enum profile *wider; /* for each pattern, see patterns_wider() */
	bool json, verbose, stay;
};

enum { KEY_PROFILE = 256, KEY_SEED, KEY_JSON, KEY_STAY };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct list *l = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &l->choice;
		return 0;
	case 'v':
		l->verbose = true;
		return 0;
	case KEY_JSON:
		l->json = true;
		return 0;
	case KEY_STAY:
		l->stay = true;
		return 0;
	case KEY_PROFILE:
		l->selection.profile = cli_profile(state, arg);
		return 0;
	case KEY_SEED:
		l->selection.seed =
			cli_number(state, "--seed", arg, 0, INT64_MAX);
		return 0;
	case ARGP_KEY_ARG:
		l->patterns[l->selection.npatterns++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (l->verbose && l->json)
			argp_error(state, "-v and --json exclude each other");
		if (l->stay && (l->verbose || l->json))
			argp_error(state,
				   "--one-device takes neither -v nor --json");
		if (l->stay && !l->choice.options.second)
			argp_error(state, "--one-device needs --second");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"json", KEY_JSON, NULL, 0,
	 "print a JSON object for each case, one in a line: id, rule, "
	 "sentence, and the claim that the device lacks",
	 0},
	{"verbose", 'v', NULL, 0,
	 "also print what each case checks, and the claim that the device "
	 "lacks",
	 0},
	{"one-device", KEY_STAY, NULL, 0,
	 "instead print the cases of one device that are not run on two "
	 "(across/ID), and why",
	 0},
	{"profile", KEY_PROFILE, "PROFILE", 0,
	 "quick (default), full or exhaustive", 0},
	{"seed", KEY_SEED, "N", 0, SEED_HELP, 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = model_child,
	.args_doc = "[ID...]",
	.doc = "Prints the ids of the cases for a device, one in a line."
	       "\vAn ID is the id of a case, a prefix that ends at a '/', or a "
	       "glob. '!ID' leaves cases out.",
};

static void print_json(const struct test_case *c)
{
	const char *id = c->row == ROW_NONE ? NULL : rule(c->row)->id;
	const char *lacks =
		c->claim == CLAIM_NONE ? NULL : claim_text(c->claim);
	json_t *line = json_pack("{s:s, s:s?, s:s, s:s?}", "id", c->id, "rule",
				 id, "sentence", c->sentence, "needs", lacks);

	json_dumpf(line, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(line);
}

static bool print_case(const struct test_case *c, void *arg)
{
	struct list *l = arg;

	if (l->stay)
		return true;
	if (l->json)
		print_json(c);
	else if (!l->verbose)
		puts(c->id);
	else if (c->claim == CLAIM_NONE)
		printf("%s\t%s\n", c->id, c->sentence);
	else
		printf("%s\t%s [unsupported: needs the claim %s (%s)]\n", c->id,
		       c->sentence, claim_name(c->claim), claim_text(c->claim));
	return true;
}

static void print_stay(const struct test_case *c, const char *why)
{
	printf("%s\t%s\n", case_unmoved_id(c->id), why);
}

static int list_cases(struct list *l)
{
	char err[256] = "";
	struct target *t;
	int ret;

	if (target_open(l->choice.name, &l->choice.options, &t, err,
			sizeof(err)))
		return cli_usage("list", "%s", err);
	l->selection.stays = l->stay ? print_stay : NULL;
	ret = cases_each(&t->info, &l->selection, print_case, l);
	l->selection.stays = NULL;
	if (!ret)
		ret = patterns_wider(&t->info, &l->selection, l->wider);
	t->ops->close(t);
	if (ret) {
		fprintf(stderr, "ibvet list: cannot generate the cases: %s\n",
			strerror(-ret));
		return EXIT_HARNESS;
	}
	if (patterns_refused(&l->selection, l->wider, err, sizeof(err)))
		return cli_usage("list", "%s", err);
	return cli_flush("list");
}

static void list_free(struct list *l)
{
	free(l->patterns);
	free(l->selection.matched);
	free(l->wider);
}

int cmd_list(int argc, char **argv)
{
	struct list l = {
		.selection = {.shard = 1,
			      .shards = 1,
			      .seed = CASE_SEED,
			      .ids_only = true},
	};
	int status;

	device_choice_init(&l.choice);
	l.patterns = calloc((size_t)argc, sizeof(*l.patterns));
	l.selection.matched = calloc((size_t)argc, sizeof(bool));
	l.wider = calloc((size_t)argc, sizeof(*l.wider));
	if (!l.patterns || !l.selection.matched || !l.wider) {
		list_free(&l);
		fprintf(stderr, "ibvet list: out of memory\n");
		return EXIT_HARNESS;
	}
	l.selection.patterns = l.patterns;
	cli_parse(&argp, argc, argv, &l);
	l.selection.unsaid = !l.verbose && !l.json;
	status = list_cases(&l);
	list_free(&l);
	return status;
}
