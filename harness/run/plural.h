/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a noun ends with behind a number.
 */
#ifndef IBVET_PLURAL_H
#define IBVET_PLURAL_H

static inline const char *plural(unsigned long long n)
{
	return n == 1 ? "" : "s";
}

#endif
