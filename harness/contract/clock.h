/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The clock of a run.
 */
#ifndef IBVET_CLOCK_H
#define IBVET_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Returns the microseconds of a clock that is never set back. */
uint64_t now_us(void);
/* Returns the microseconds of processor time that this process took. */
uint64_t processor_us(void);
/* Prints a text that is another one each time the machine starts. */
void clock_boot(char *buf, size_t len);

#endif
