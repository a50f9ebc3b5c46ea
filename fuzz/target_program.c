/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz targets `program` and `create`: any calls over any objects, data
 * path and events included, or those that create objects, on a device under
 * test beside the model. Inputs are programs, in their text form.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/change.h"
#include "fuzz/inputs.h"
#include "fuzz/seeds.h"

static const struct fuzzed *fuzzed;
static struct changer changer;

static enum calls take_calls(int *argc, char **argv)
{
	const char *calls = fuzz_option(argc, argv, "--calls=", "any");

	if (!strcmp(calls, "create"))
		return CALLS_THAT_CREATE;
	if (!strcmp(calls, "any"))
		return CALLS_ANY;
	fprintf(stderr, "%s: --calls is any or create, not \"%s\"\n", argv[0],
		calls);
	exit(2);
}

static void write_seeds(const char *name, const char *folder)
{
	char err[512];
	int n = seeds_write(&fuzzed->target->info, &seed_text_of_types, folder,
			    err, sizeof(err));

	if (n < 0)
		fprintf(stderr, "%s: %s\n", name, err);
	exit(n < 0 ? 2 : 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	enum calls calls = take_calls(argc, *argv);
	const char *seeds = fuzz_option(argc, *argv, "--seeds=", NULL);

	fuzzed = fuzz_open(argc, *argv);
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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
			       unsigned int seed)
{
	static const struct program none;
	const struct program *p = input_program(data, size);

	chance_seed(&changer.chance, seed);
	change_program(&changer, p ? p : &none);
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
	return input_put(&changer.made, out, 0, room);
}
