/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inputs of fuzz targets that are programs: libFuzzer keeps their text, which
 * a person can read.
 */
#ifndef IBVET_FUZZ_INPUTS_H
#define IBVET_FUZZ_INPUTS_H

#include "program/program.h"

/* What the text says, until the next call; NULL when it is no program. */
const struct program *input_program(const uint8_t *data, size_t size);
/* The program's text into data, which has `room`: its size, or `size`, with
 * nothing done, where it does not fit. */
size_t input_put(const struct program *p, uint8_t *data, size_t size,
		 size_t room);

/* What libFuzzer calls. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room,
			       unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t alen,
				 const uint8_t *b, size_t blen, uint8_t *out,
				 size_t room, unsigned int seed);

#endif
