/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inputs that are programs. libFuzzer keeps their text, which people can read.
 */
#ifndef IBVET_FUZZ_INPUTS_H
#define IBVET_FUZZ_INPUTS_H

#include "program/program.h"

/* Returns the program of a text, or NULL if the text is no program. It is valid
 * until the next call. */
const struct program *input_program(const uint8_t *data, size_t size);
/* Prints a program into data, which has `room` bytes. Returns the length of the
 * text, or `size`, with data unchanged, if it does not fit. */
size_t input_put(const struct program *p, uint8_t *data, size_t size,
		 size_t room);

/* Called by libFuzzer. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
			       unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t alen,
				 const uint8_t *b, size_t blen, uint8_t *out,
				 size_t room, unsigned int seed);

#endif
