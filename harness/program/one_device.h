/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes a program of two devices again with both ends on one of them.
 */
#ifndef IBVET_ONE_DEVICE_H
#define IBVET_ONE_DEVICE_H

#include "program/program.h"

/* Makes all calls on the first device, or on the second one. Returns false if a
 * call needs both devices: it changes the link or the other process. */
bool program_to_one_device(const struct program *from, bool second,
			   struct program *to);

#endif
