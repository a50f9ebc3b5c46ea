/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The plural s of a noun after a number.
 */
#ifndef IBVET_PLURAL_H
#define IBVET_PLURAL_H

static inline const char *plural(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

#endif
