/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The number of elements of an array.
 */
#ifndef IBVET_CONTRACT_COUNT_H
#define IBVET_CONTRACT_COUNT_H

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
