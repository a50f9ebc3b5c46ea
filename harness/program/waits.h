/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How many ms calls of a program wait, on a device of which nothing is known.
 * judge/patience.h says how they follow from the device under test.
 */
#ifndef IBVET_WAITS_H
#define IBVET_WAITS_H

#define WAITS_QUIET 10	 /* nothing may come */
#define WAITS_MAYBE 100	 /* something may come */
#define WAITS_MUST  1000 /* something must come, and no timer delays it */

#endif
