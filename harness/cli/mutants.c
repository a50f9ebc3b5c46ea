/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibvet mutants: prints the seeded faults of the model and the driver bugs that
 * they come from. --kill runs the cases against the faults and prints which
 * case finds each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cli.h"
#include "model/model.h"
#include "mutants/excuse.h"
#include "mutants/kill.h"

struct request {
	bool kill;    /* run the cases against the faults */
	bool terse;   /* of these, print only the survivors */
	bool hidden;  /* print the faults that no call can reveal */
	bool excused; /* print the cases that cannot fail */
	bool verbose;
	int family; /* enum mutant_family, or -1 for the default */
	const char
		*device; /* the virtual device that gets the faults, or NULL */
	char **names;
	int nnames;
};

struct listed {
	char name[MUTANT_NAME_LEN];
	enum mutant_family family;
	const char *hidden; /* why no case can find the fault, or NULL */
};

struct list {
	struct listed *at;
	size_t n, room;
	bool broken; /* out of memory */
};

enum { KEY_KILL = 1, KEY_HIDDEN, KEY_FAMILY, KEY_SURVIVORS, KEY_EXCUSED };

static int family_by_name(const char *name)
{
	for (int f = 0; f < MUTANTS_NR; f++)
		if (!strcmp(mutant_family_name((enum mutant_family)f), name))
			return f;
	return -1;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case KEY_KILL:
		r->kill = true;
		return 0;
	case KEY_SURVIVORS:
		r->kill = true;
		r->terse = true;
		return 0;
	case KEY_EXCUSED:
		r->excused = true;
		return 0;
	case KEY_HIDDEN:
		r->hidden = true;
		return 0;
	case KEY_FAMILY:
		r->family = family_by_name(arg);
		if (r->family < 0)
			argp_error(state,
				   "--family: \"%s\" is not museum, families, "
				   "cells or vendors",
				   arg);
		return 0;
	case 'd':
		r->device = cli_given(state, "-d", arg);
		return 0;
	case 'v':
		r->verbose = true;
		return 0;
	case ARGP_KEY_ARGS:
		r->names = state->argv + state->next;
		r->nnames = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"device", 'd', "DEVICE", 0,
	 "seed the faults in this virtual device (virtual:NAME), below the "
	 "real libraries, instead of in the model",
	 0},
	{"kill", KEY_KILL, NULL, 0,
	 "run the quick profile against each fault, and print the case that "
	 "finds it",
	 0},
	{"survivors", KEY_SURVIVORS, NULL, 0,
	 "like --kill, but print only the faults that no case finds", 0},
	{"excused", KEY_EXCUSED, NULL, 0,
	 "print the cases that cannot fail: they check that a device grants a "
	 "call, but a contested rule permits the device to refuse it",
	 0},
	{"family", KEY_FAMILY, "NAME", 0,
	 "only faults of this family: museum (known driver bugs), families "
	 "(the same kinds of bugs in all rules and fields), cells (entries of "
	 "the transition table) or vendors",
	 0},
	{"undistinguished", KEY_HIDDEN, NULL, 0,
	 "print the faults that no call can reveal, with the reason", 0},
	{"verbose", 'v', NULL, 0, "print what each fault does to the model", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[NAME...]",
	.doc = "Prints the seeded faults of the model: name, class and origin. "
	       "A seeded fault is a bug that is put into the model to test "
	       "whether the cases find it."
	       "\v\"ibvet run -d model:NAME\" tests the model with such a "
	       "fault. NAME can also be an operator with operands, such as "
	       "\"zero:qp_state@sqd\".",
};

static bool is_wanted(const struct request *r, enum mutant_family family)
{
	if (r->family >= 0)
		return r->family == (int)family;
	/* The faults of these families are too many to list by default. */
	return r->kill || r->hidden ||
	       (family != MUTANTS_CELLS && family != MUTANTS_VENDORS);
}

static void each_wanted(const struct request *r, mutant_fn fn, void *arg)
{
	struct device_info device;

	model_default_device(&device);
	for (int f = 0; f < MUTANTS_NR; f++)
		if (is_wanted(r, (enum mutant_family)f))
			mutants_each((enum mutant_family)f, &device, fn, arg);
}

/* Returns the operator of a driver bug in the museum. Returns other names
 * unchanged, because they are operators themselves. */
static const char *spec_in_museum(const char *name)
{
	size_t n;
	const struct museum_row *row = museum(&n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(row[i].name, name))
			return row[i].spec;
	return name;
}

static void print_entry(const struct mutant_entry *e, void *arg)
{
	const struct request *r = arg;

	if (r->hidden) {
		if (e->hidden)
			printf("%s\t%s\n", e->name, e->hidden);
		return;
	}
	if (e->hidden)
		return;
	printf("%s\t%s\t%s", e->name, e->klass, e->origin);
	if (r->verbose)
		printf("\t%s", spec_in_museum(e->name));
	putchar('\n');
}

static void add_to_list(const struct mutant_entry *e, void *arg)
{
	struct list *l = arg;
	struct listed *more;

	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		more = realloc(l->at, l->room * sizeof(*more));
		if (!more) {
			l->broken = true;
			l->room = l->n;
			return;
		}
		l->at = more;
	}
	snprintf(l->at[l->n].name, sizeof(l->at[0].name), "%s", e->name);
	l->at[l->n].family = e->family;
	l->at[l->n++].hidden = e->hidden;
}

static void add_names(const struct request *r, struct list *l)
{
	for (int i = 0; i < r->nnames; i++)
		add_to_list(&(struct mutant_entry){.family = MUTANTS_FAMILIES,
						   .name = r->names[i]},
			    l);
}

static int init_kills(const struct list *l, struct kill *kills)
{
	char err[256];

	for (size_t i = 0; i < l->n; i++) {
		if (kill_init(&kills[i], l->at[i].name, err, sizeof(err))) {
			cli_usage("mutants", "%s", err);
			return -EINVAL;
		}
		kills[i].family = l->at[i].family;
		kills[i].hidden = l->at[i].hidden;
	}
	return 0;
}

static void print_kill(const struct request *r, const struct kill *k)
{
	if (k->hidden)
		return;
	if (k->verdict == VERDICT_PASS)
		printf("%s\tSURVIVED\n", k->mutant.name);
	else if (!r->terse)
		printf("%s\t%s\t%s%s%s%s\n", k->mutant.name,
		       verdict_name(k->verdict), k->id,
		       k->device[0] ? " (" : "", k->device,
		       k->device[0] ? ")" : "");
}

struct counts {
	unsigned int deviates, non_strict, survived, hidden;
};

static void count(const struct kill *k, struct counts *c)
{
	if (k->hidden)
		c->hidden++;
	else if (k->verdict == VERDICT_PASS)
		c->survived++;
	else if (k->verdict == VERDICT_NON_STRICT)
		c->non_strict++;
	else
		c->deviates++;
}

static void print_counts(const char *name, const struct counts *c)
{
	unsigned int killed = c->deviates + c->non_strict;

	if (!killed && !c->survived && !c->hidden)
		return;
	printf("# %s: %u of %u found (%u deviate, %u are non-strict), "
	       "%u survived",
	       name, killed, killed + c->survived, c->deviates, c->non_strict,
	       c->survived);
	if (c->hidden)
		printf(", %u that no call can distinguish", c->hidden);
	putchar('\n');
}

static int print_kills(const struct request *r, const struct kill *kills,
		       size_t n, const struct kill_stats *stats)
{
	struct counts counts[MUTANTS_NR] = {0};
	unsigned int survived = 0;

	for (size_t i = 0; i < n; i++) {
		print_kill(r, &kills[i]);
		count(&kills[i], &counts[kills[i].family]);
	}
	for (int f = 0; f < MUTANTS_NR; f++) {
		survived += counts[f].survived;
		print_counts(mutant_family_name((enum mutant_family)f),
			     &counts[f]);
	}
	printf("# %lu cases, %lu runs\n", stats->cases, stats->runs);
	if (!stats->unhealthy[0])
		return survived ? EXIT_UNEXPECTED : EXIT_AS_EXPECTED;
	fflush(stdout);
	fprintf(stderr,
		"ibvet mutants: the model without a fault does not pass %s; "
		"such cases were left out\n",
		stats->unhealthy);
	return EXIT_HARNESS;
}

static int find_kills(const struct request *r, struct kill *kills, size_t n,
		      struct kill_stats *stats)
{
	char err[256];
	int ret;

	if (!r->device)
		return kill_all(kills, n, stats);
	ret = kill_all_on(r->device, kills, n, stats, err, sizeof(err));
	if (ret)
		fprintf(stderr, "ibvet mutants: %s: %s\n", r->device, err);
	return ret;
}

static int run_kills(const struct request *r, const struct list *l)
{
	struct kill *kills = calloc(l->n ? l->n : 1, sizeof(*kills));
	struct kill_stats stats;
	int ret = EXIT_USAGE;

	if (!kills || l->broken) {
		fprintf(stderr, "ibvet mutants: no memory\n");
		ret = EXIT_HARNESS;
	} else if (!init_kills(l, kills)) {
		ret = find_kills(r, kills, l->n, &stats)
			      ? EXIT_HARNESS
			      : print_kills(r, kills, l->n, &stats);
	}
	free(kills);
	return ret;
}

static void print_excuse(const struct test_case *c, enum row row, enum out out,
			 const char *where, void *arg)
{
	unsigned long *n = arg;

	++*n;
	printf("%s\t%s\t%s=%s\t%s\n", c->id, rule(c->row)->id, rule(row)->id,
	       out_name(out), where);
}

static int print_excuses(void)
{
	unsigned long n = 0;

	if (excuses_each(print_excuse, &n)) {
		fprintf(stderr, "ibvet mutants: no memory\n");
		return EXIT_HARNESS;
	}
	printf("# %lu promises that a contested rule excuses\n", n);
	return n ? EXIT_UNEXPECTED : EXIT_AS_EXPECTED;
}

int cmd_mutants(int argc, char **argv)
{
	struct request r = {.family = -1};
	struct list list = {0};
	int ret = EXIT_AS_EXPECTED;

	cli_parse(&argp, argc, argv, &r);
	if (r.nnames && !r.kill)
		return cli_usage("mutants", "a NAME needs --kill");
	if (r.device && !r.kill)
		return cli_usage("mutants", "-d needs --kill");
	if (r.device && !target_is_virtual(r.device))
		return cli_usage("mutants",
				 "%s: -d takes only a virtual device, "
				 "virtual:NAME",
				 r.device);
	if (r.excused) {
		ret = print_excuses();
		return cli_flush("mutants") ? EXIT_HARNESS : ret;
	}
	if (!r.kill) {
		each_wanted(&r, print_entry, &r);
		return cli_flush("mutants");
	}
	if (r.nnames)
		add_names(&r, &list);
	else
		each_wanted(&r, add_to_list, &list);
	ret = run_kills(&r, &list);
	free(list.at);
	return cli_flush("mutants") ? EXIT_HARNESS : ret;
}
