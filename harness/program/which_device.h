/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which device of a program with two a call is made on, by the text of the
 * program alone.
 */
#ifndef IBVET_WHICH_DEVICE_H
#define IBVET_WHICH_DEVICE_H

#include "program/program.h"

/* Returns true if the program opens the second device. */
bool program_has_two_devices(const struct program *p);
/* Returns true if the call is about an object of the second device, or opens
 * that device. */
bool call_is_on_second(const struct program *p, const struct call *c);

#endif
