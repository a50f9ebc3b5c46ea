/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One point of coverage: its key in a set of points, and its text in the
 * journal.
 */
#ifndef IBVET_COVERAGE_POINT_H
#define IBVET_COVERAGE_POINT_H

#include "contract/contract.h"

#define POINT_TEXT 128
#define POST_RECV                                                              \
	UINT32_MAX /* stands for ibv_post_recv in place of an opcode */

enum point_what {
	POINT_MASK = 1, /* a mask (id) of ibv_modify_qp, `from` to `to` */
	POINT_FIELD,	/* a field (id: enum field) of ibv_modify_qp */
	POINT_VERB,	/* id: enum verb */
	POINT_ROW,	/* id: enum row */
	POINT_POST, /* an operation (id: IBV_WR_… or POST_RECV) in the state
		     * `from` */
};

struct point {
	uint8_t what; /* enum point_what */
	uint8_t kind; /* enum qp_kind; 0 for a verb or a row */
	uint8_t from, to;
	uint32_t id;
};

/* Returns a number that stands for the point, and is never 0. */
uint64_t point_key(const struct point *point);
struct point point_of_key(uint64_t key);
/* Prints a point: "mask rc INIT RTR 0x1213a1", "field rc path_mtu", "verb
 * modify_qp", "row modify/accept" or "post rc RTS write-imm". */
void point_print(const struct point *point, char *buf, size_t len);
/* Reads the text of a point. Returns false if the text has a name that this
 * version of ibvet does not know. */
bool point_parse(const char *text, struct point *point);

#endif
