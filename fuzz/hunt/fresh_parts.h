/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The names of the parts that the present program was the first to reach:
 * "pair-rc-init-rtr-granted", "taken-rc-init-rtr-AV", "rule-modify.accept",
 * "answer-modify_qp-EINVAL". A program that is shared with other hunts is named
 * by them.
 */
#ifndef IBVET_FUZZ_FRESH_PARTS_H
#define IBVET_FUZZ_FRESH_PARTS_H

#define FRESH_NAME_LEN 96

/* Forgets the parts of the program before. */
void fresh_parts_begin(void);
/* Further parts are left out if there are very many. */
void fresh_parts_add(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/* Returns the i-th name, or NULL behind the last one. */
const char *fresh_parts_name(unsigned int i);

#endif
