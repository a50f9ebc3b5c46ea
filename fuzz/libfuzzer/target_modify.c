/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz target `modify`: modifies and queries one queue pair of any type
 * with any masks and values, on a device under test beside the model. Inputs
 * are programs in text form. For each mutation that libFuzzer asks for, some
 * hundred changes are tried. If none reaches anything new the input stays the
 * same, and does not run again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/plan/try_ahead.h"
#include "fuzz/libfuzzer/inputs.h"
#include "fuzz/plan/plan_inputs.h"

enum { BATCHES = 8 }; /* batches of tries for one mutation */

static const struct fuzzed *fuzzed;
static struct stepper stepper;
static struct try_ahead *ahead;
static size_t same; /* size of an input that stayed the same, or 0 */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzzed = fuzz_open(argc, *argv);
	if (!stepper_init(&stepper, &fuzzed->target->info)) {
		fprintf(stderr, "%s: no memory\n", (*argv)[0]);
		exit(2);
	}
	ahead = try_ahead_new(fuzzed, &stepper);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct program *p;

	if (size && size == same) {
		same = 0;
		return 0;
	}
	p = input_program(data, size);
	if (p)
		fuzz_run(fuzzed, p);
	return 0;
}

/* Prints a plan's program; see input_put(). */
static size_t put(const struct plan *plan, uint8_t *data, size_t size,
		  size_t room)
{
	plan_build(&stepper, plan);
	return input_put(&stepper.program, data, size, room);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
			       unsigned int seed)
{
	const struct plan *read = plan_of_input(&stepper, data, size);
	struct plan plan = {.kind = QK_NR};

	same = 0;
	chance_seed(&stepper.chance, seed);
	if (read)
		plan = *read;
	if (!ahead)
		plan_change(&stepper, &plan);
	else if (!try_ahead_change(ahead, &plan, NULL, BATCHES))
		return same = size;
	return put(&plan, data, size, room);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t alen,
				 const uint8_t *b, size_t blen, uint8_t *out,
				 size_t room, unsigned int seed)
{
	const struct plan *read = plan_of_input(&stepper, a, alen);
	struct plan plan, tail;

	same = 0;
	if (!read)
		return 0;
	plan = *read;
	read = plan_of_input(&stepper, b, blen);
	if (!read)
		return 0;
	tail = *read;
	chance_seed(&stepper.chance, seed);
	if (!ahead || alen > room) {
		plan_cross(&stepper, &plan, &tail);
	} else if (!try_ahead_change(ahead, &plan, &tail, BATCHES)) {
		memcpy(out, a, alen);
		return same = alen;
	}
	return put(&plan, out, 0, room);
}
