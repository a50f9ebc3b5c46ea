/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz targets `program` and `create`: any calls over any objects, data
 * path and events included, or only calls that create objects, on a device
 * under test beside the model. Inputs are programs in text form. Their waits
 * are set when they are made, so that an input runs as it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/mutate/change.h"
#include "fuzz/libfuzzer/inputs.h"
#include "fuzz/hunt/seeds.h"
#include "fuzz/mutate/stock.h"
#include "fuzz/mutate/waits.h"
#include "supervise/recorder.h"

static const struct fuzzed *fuzzed;
static struct changer changer;
static struct stock stock;
static struct waits waits; /* open unless the device is a model */
static enum calls calls;

static enum calls take_calls(int *argc, char **argv)
{
	const char *which = fuzz_option(argc, argv, "--calls=", "any");

	if (!strcmp(which, "create"))
		return CALLS_THAT_CREATE;
	if (!strcmp(which, "any"))
		return CALLS_ANY;
	fprintf(stderr, "%s: --calls is any or create, not \"%s\"\n", argv[0],
		which);
	exit(2);
}

static int write_seed(const struct program *p, FILE *file, void *arg)
{
	static struct program seed;

	(void)arg;
	prog_copy(&seed, p);
	waits_fit(&waits, &seed);
	return prog_print(&seed, file);
}

static void write_seeds(const char *name, const char *folder)
{
	const struct seed_form form = {".ibv", .of_types = true,
				       .of_museum = true, .write = write_seed};
	char err[512];
	int n = seeds_write(&fuzzed->target->info, &form, folder, err,
			    sizeof(err));

	if (n < 0)
		fprintf(stderr, "%s: %s\n", name, err);
	exit(n < 0 ? 2 : 0);
}

/* The model needs no waits: it has no clock. */
static void open_waits(const char *name)
{
	if (!strcmp(fuzzed->target->ops->kind, "model") ||
	    !waits_open(&waits, &fuzzed->target->info))
		return;
	fprintf(stderr, "%s: no memory\n", name);
	exit(2);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *seeds = fuzz_option(argc, *argv, "--seeds=", NULL);

	calls = take_calls(argc, *argv);
	fuzzed = fuzz_open(argc, *argv);
	open_waits((*argv)[0]);
	if (seeds)
		write_seeds((*argv)[0], seeds);
	changer_init(&changer, &fuzzed->target->info, calls);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct program *p = input_program(data, size);

	if (p)
		fuzz_run(fuzzed, p);
	return 0;
}

/* The stock is made with the first change: a process of -merge or -fork may
 * need none. */
static void make_stock(void)
{
	int ret = stock.values ? 0
			       : stock_of_cases(&stock, changer.d,
						calls == CALLS_ANY);

	if (ret) {
		fprintf(stderr, "the cases cannot be made: %s\n",
			strerror(-ret));
		exit(2);
	}
	stock_give(&stock, &changer);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
			       unsigned int seed)
{
	static const struct program none;
	const struct program *p = input_program(data, size);

	make_stock();
	chance_seed(&changer.chance, seed);
	change_program(&changer, p ? p : &none);
	waits_fit(&waits, &changer.made);
	return input_put(&changer.made, data, size, room);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t alen,
				 const uint8_t *b, size_t blen, uint8_t *out,
				 size_t room, unsigned int seed)
{
	static struct program head;
	const struct program *p = input_program(a, alen);

	if (!p)
		return 0;
	head = *p;
	p = input_program(b, blen);
	if (!p)
		return 0;
	chance_seed(&changer.chance, seed);
	change_splice(&changer, &head, p);
	waits_fit(&waits, &changer.made);
	return input_put(&changer.made, out, 0, room);
}
