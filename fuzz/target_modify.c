/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz target `modify`: one queue pair of any type, modified and queried
 * with any masks and values, on a device under test beside the model. Inputs
 * are programs, in their text form.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/inputs.h"
#include "fuzz/steps.h"

static const struct fuzzed *fuzzed;
static struct stepper stepper;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzzed = fuzz_open(argc, *argv);
	stepper_init(&stepper, &fuzzed->target->info);
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

	chance_seed(&stepper.chance, seed);
	steps_mutate(&stepper, p ? p : &none);
	return input_put(&stepper.program, data, size, room);
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
	chance_seed(&stepper.chance, seed);
	steps_cross(&stepper, &head, p);
	return input_put(&stepper.program, out, 0, room);
}
