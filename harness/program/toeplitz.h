/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The Toeplitz hash of receive side scaling, with the key of the queue pairs
 * that programs make.
 */
#ifndef IBVET_PROGRAM_TOEPLITZ_H
#define IBVET_PROGRAM_TOEPLITZ_H

#include <stdint.h>

#define TOEPLITZ_KEY_BYTES 40

/* Returns the hash of fields of a packet that stand one behind the other. */
uint32_t toeplitz_hash(const uint8_t *byte, unsigned int n);

#endif
