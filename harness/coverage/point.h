/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One point of coverage, its key in a set, and its text in the journal.
 */
#ifndef IBVET_COVERAGE_POINT_H
#define IBVET_COVERAGE_POINT_H

#include "contract/contract.h"

#define POINT_TEXT 128
#define POST_RECV  UINT32_MAX /* a receive, in place of an opcode */

enum point_what {
	POINT_MASK = 1, /* a mask on a pair of states: kind, from, to, id */
	POINT_FIELD,	/* kind, id: enum field */
	POINT_VERB,	/* id: enum verb */
	POINT_ROW,	/* id: enum row */
	POINT_POST,	/* an operation: kind, from (state), id: IBV_WR_… or
			 * POST_RECV */
};

struct point {
	uint8_t what;
	uint8_t kind, from, to;
	uint32_t id;
};

uint64_t point_key(const struct point *point); /* never 0 */
struct point point_of_key(uint64_t key);
/* A point is written as "mask rc INIT RTR 0x1213a1", "field rc path_mtu", "verb
 * modify_qp", "row modify/accept", "post rc RTS write-imm" */
void point_print(const struct point *point, char *buf, size_t len);
bool point_parse(const char *text, struct point *point);

#endif
