/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The clock of a run.
 */
#ifndef IBVET_CLOCK_H
#define IBVET_CLOCK_H

#include <stdint.h>

/* Returns the microseconds of a clock that is never set back. */
uint64_t now_us(void);

#endif
