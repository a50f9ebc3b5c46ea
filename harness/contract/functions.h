/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The functions of libibverbs that only compute: which there are, the values
 * that the header defines for those that return a text, and the rates.
 */
#ifndef IBVET_CONTRACT_FUNCTIONS_H
#define IBVET_CONTRACT_FUNCTIONS_H

#include "contract/contract.h"
#include "contract/device.h"

/* part: compute_function compute_values */
enum compute_function {
	COMPUTE_EVENT_TYPE_STR,
	COMPUTE_NODE_TYPE_STR,
	COMPUTE_PORT_STATE_STR,
	COMPUTE_WC_STATUS_STR,
	COMPUTE_WR_OPCODE_STR,
	COMPUTE_RATE_TO_MULT,
	COMPUTE_MULT_TO_RATE,
	COMPUTE_RATE_TO_MBPS,
	COMPUTE_MBPS_TO_RATE,
	COMPUTE_INC_RKEY,
	COMPUTE_IS_QPT_SUPPORTED,
	COMPUTE_FLOW_LABEL_TO_UDP_SPORT,
	COMPUTE_NR
};

/* How a text is that describes a value: NULL or not printable, the same as that
 * of another defined value, or unlike all of these. */
enum compute_text { TEXT_NULL, TEXT_UNPRINTABLE, TEXT_SAME, TEXT_OWN };

/* Returns a bit for each value that the header defines for a function that
 * returns a text; 0 for other functions. */
static inline uint64_t compute_values(unsigned int function)
{
	switch (function) {
	case COMPUTE_EVENT_TYPE_STR:
		return 0x1fffff; /* CQ_ERR to DEVICE_SPEED_CHANGE */
	case COMPUTE_NODE_TYPE_STR:
		return 0xfe; /* CA to UNSPECIFIED */
	case COMPUTE_PORT_STATE_STR:
		return 0x3f; /* NOP to ACTIVE_DEFER */
	case COMPUTE_WC_STATUS_STR:
		return 0xffffff; /* SUCCESS to TM_RNDV_INCOMPLETE */
	case COMPUTE_WR_OPCODE_STR:
		return 0xcfff; /* to DRIVER1; FLUSH, ATOMIC_WRITE */
	default:
		return 0;
	}
}

/* part: COMPUTE_MOST compute_most compute_fold */
#define COMPUTE_MOST (1u << 21) /* values of one step */

/* Returns how many values one step calls a function with. Each text is compared
 * with all others: a step with more of them takes seconds. */
static inline uint32_t compute_most(unsigned int function)
{
	return compute_values(function) ? 1u << 16 : COMPUTE_MOST;
}

/* Returns a number that tells a list of numbers from lists that differ in one
 * place; `fold` is that of the numbers before `number`. */
static inline int64_t compute_fold(int64_t fold, int64_t number)
{
	return (int64_t)((uint64_t)fold * 0x100000001b3 + (uint64_t)number);
}
/* end of part */

/* A rate: its value of enum ibv_rate, and what it converts to. */
struct rate {
	int value;
	int mult; /* of 2.5 Gbit/s */
	enum row mult_row;
	bool mult_may_lack; /* libibverbs converts it to -1 */
	int mbps;
	enum row mbps_row;
};

/* Returns all rates. */
const struct rate *rates(size_t *n);
/* Returns the value that a function converts if it converts the rate. */
int compute_rate_argument(enum compute_function function, const struct rate *r);

/* Returns the symbol of a function. */
const char *compute_symbol(enum compute_function function);
/* Returns the newer symbol of libibverbs that the function needs, or NEW_NR. */
enum new_call compute_needs(enum compute_function function);
/* Returns the row that promises the text of a value. */
enum row compute_text_row(enum compute_function function, int64_t value);

/* A promised number; `other` is permitted, too, if there is one. */
struct compute_number {
	enum row row;
	int64_t is, other;
	bool has_other;
};

/* Returns the number that a function returns for a value; `caps` counts for
 * ibv_is_qpt_supported alone. */
struct compute_number compute_number(enum compute_function function,
				     int64_t value, uint32_t caps);
/* Returns a count of values, the first of which is `value`, for all of which
 * the function returns the same number by the same row. */
uint32_t compute_alike(enum compute_function function, int64_t value);
/* Returns false if the function must not be called with one of `count` values
 * from `value` on. */
bool compute_takes(enum compute_function function, int64_t value,
		   uint32_t count);

#endif
