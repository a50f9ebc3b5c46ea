// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Generates the cases of the functions of libibverbs that only compute, such as
 * ibv_rate_to_mult(). They pass each defined value, values outside the
 * range, and values that differ by one from the number of a rate.
 */
#include <limits.h>
#include "cases/generate/generate.h"
#include "contract/functions.h"

static void call(struct gen *g, enum compute_function function, int64_t value)
{
	gen_call(g, V_compute, NO_OBJ);
	prog_num(g->p, F_compute_function, function);
	prog_num(g->p, F_compute_value, (uint64_t)value);
}

static enum claim claim_of(const struct gen *g, enum compute_function function)
{
	if (compute_needs(function) == NEW_NR)
		return CLAIM_NONE;
	return gen_needs(g, CLAIM_NEW_WR_OPCODE_STR);
}

static bool begin(struct gen *g, enum compute_function function,
		  const char *values, enum row row)
{
	const char *symbol = compute_symbol(function);

	return gen_id(g, "%s/%s", symbol, values) &&
	       gen_says_rule(g, row, claim_of(g, function), "%s, %s", symbol,
			     values);
}

static const int64_t edges[] = {-1, 63, 64, 127, 255, 256, INT_MAX, INT_MIN};

#define FAR (1 << 20) /* beyond the ends of each enumeration */

/* Calls a function with `count` values from `value` on, in one step. */
static void call_all(struct gen *g, enum compute_function function,
		     int64_t value, int64_t count)
{
	if (count <= 0)
		return;
	call(g, function, value);
	prog_num(g->p, F_compute_count, (uint64_t)count);
}

/* Calls a function that returns a text with all values near its enumeration,
 * and with those around the ends of an int. */
static void all_texts(struct gen *g, enum compute_function function)
{
	if (!begin(g, function, "domain", ROW_STR_UNDEFINED))
		return;
	call_all(g, function, -(1 << 15), 1 << 16);
	call_all(g, function, INT_MAX - 8, 18);
	gen_done(g);
}

/* Calls a function with each value whose text the row promises: 0 to 32, and
 * far past the ends. */
static void texts_of_row(struct gen *g, enum compute_function function,
			 const char *values, enum row row)
{
	if (!begin(g, function, values, row))
		return;
	for (int64_t value = 0; value <= 32; value++)
		if (compute_text_row(function, value) == row)
			call(g, function, value);
	for (size_t i = 0; i < COUNT(edges); i++)
		if (compute_text_row(function, edges[i]) == row)
			call(g, function, edges[i]);
	gen_done(g);
}

static void texts(struct gen *g)
{
	for (int f = COMPUTE_EVENT_TYPE_STR; f <= COMPUTE_WR_OPCODE_STR; f++) {
		enum compute_function function = (enum compute_function)f;

		texts_of_row(g, function, "defined",
			     compute_text_row(function, 1));
		texts_of_row(g, function, "undefined", ROW_STR_UNDEFINED);
		all_texts(g, function);
	}
}

static void rates_of_row(struct gen *g, enum compute_function function,
			 const char *values, enum row row)
{
	size_t n;
	const struct rate *all = rates(&n);

	if (!begin(g, function, values, row))
		return;
	for (size_t i = 0; i < n; i++) {
		int64_t value = compute_rate_argument(function, &all[i]);

		if (compute_number(function, value, 0).row == row)
			call(g, function, value);
	}
	gen_done(g);
}

static void call_undefined(struct gen *g, enum compute_function function,
			   int64_t value)
{
	if (compute_number(function, value, 0).row == ROW_RATE_UNDEFINED)
		call(g, function, value);
}

static void no_rates(struct gen *g, enum compute_function function)
{
	size_t n;
	const struct rate *all = rates(&n);

	if (!begin(g, function, "undefined", ROW_RATE_UNDEFINED))
		return;
	call_undefined(g, function, 0);
	for (size_t i = 0; i < n; i++) {
		int64_t value = compute_rate_argument(function, &all[i]);

		call_undefined(g, function, value - 1);
		call_undefined(g, function, value + 1);
	}
	for (size_t i = 0; i < COUNT(edges); i++)
		call_undefined(g, function, edges[i]);
	gen_done(g);
}

/* Returns the least number above `after` for which libibverbs need not give the
 * promised answer, or INT_MAX. */
static int64_t next_contested(enum compute_function function, int64_t after)
{
	size_t n;
	const struct rate *all = rates(&n);
	int64_t least = INT_MAX;

	for (size_t i = 0; i < n; i++) {
		int64_t value = compute_rate_argument(function, &all[i]);

		if (value > after && value < least &&
		    compute_number(function, value, 0).has_other)
			least = value;
	}
	return least;
}

/* Converts each number of a range that holds all rates, but for the contested
 * ones. */
static void all_numbers(struct gen *g, enum compute_function function)
{
	int64_t from = -FAR, end = FAR;

	if (function == COMPUTE_MBPS_TO_RATE)
		end += FAR / 2;
	if (!begin(g, function, "domain", ROW_RATE_UNDEFINED))
		return;
	while (from < end) {
		int64_t contested = next_contested(function, from - 1);
		int64_t to;

		to = contested < end ? contested : end;
		if (to - from > COMPUTE_MOST)
			to = from + COMPUTE_MOST;
		call_all(g, function, from, to - from);
		from = to == contested ? to + 1 : to;
	}
	call_all(g, function, INT_MAX - 8, 18);
	gen_done(g);
}

static void all_rates(struct gen *g)
{
	for (int f = COMPUTE_RATE_TO_MULT; f <= COMPUTE_MBPS_TO_RATE; f++) {
		enum compute_function function = (enum compute_function)f;
		bool mult = function == COMPUTE_RATE_TO_MULT ||
			    function == COMPUTE_MULT_TO_RATE;

		rates_of_row(g, function, "rates",
			     mult ? ROW_RATE_MULT : ROW_RATE_MBPS);
		rates_of_row(g, function, "more-rates",
			     mult ? ROW_RATE_MULT_MORE : ROW_RATE_MBPS_LANE);
		no_rates(g, function);
		all_numbers(g, function);
	}
}

static void rkeys(struct gen *g)
{
	static const int64_t indexes[] = {0,	      0x100,	  0x1200,
					  0x7fffff00, 0x80000000, 0xffffff00};

	if (begin(g, COMPUTE_INC_RKEY, "tags", ROW_INC_RKEY)) {
		for (int64_t tag = 0; tag <= 0xff; tag++)
			call(g, COMPUTE_INC_RKEY, 0x123400 + tag);
		gen_done(g);
	}
	if (begin(g, COMPUTE_INC_RKEY, "domain", ROW_INC_RKEY)) {
		call_all(g, COMPUTE_INC_RKEY, 0, FAR);
		call_all(g, COMPUTE_INC_RKEY, 0x5a500000, FAR);
		call_all(g, COMPUTE_INC_RKEY, 0x7ff80000, FAR);
		call_all(g, COMPUTE_INC_RKEY, 0xfff00000, FAR);
		gen_done(g);
	}
	if (!begin(g, COMPUTE_INC_RKEY, "indexes", ROW_INC_RKEY))
		return;
	for (size_t i = 0; i < COUNT(indexes); i++) {
		call(g, COMPUTE_INC_RKEY, indexes[i]);
		call(g, COMPUTE_INC_RKEY, indexes[i] + 0xfe);
		call(g, COMPUTE_INC_RKEY, indexes[i] + 0xff);
	}
	gen_done(g);
}

static void qp_types(struct gen *g)
{
	if (!begin(g, COMPUTE_IS_QPT_SUPPORTED, "types", ROW_QPT_SUPPORTED))
		return;
	for (int64_t type = 0; type <= 30; type++) {
		const uint32_t caps[] = {1u << type, ~(1u << type), 0,
					 UINT32_MAX};

		for (size_t i = 0; i < COUNT(caps); i++) {
			call(g, COMPUTE_IS_QPT_SUPPORTED, type);
			prog_num(g->p, F_compute_caps, caps[i]);
		}
	}
	gen_done(g);
}

/* Each bit alone, each pair of neighbours, and bits past the 20 of a label. */
static void flow_labels(struct gen *g)
{
	if (begin(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT, "domain",
		  ROW_FLOW_SPORT)) {
		call_all(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT, 0, 1 << 20);
		gen_done(g);
	}
	if (!begin(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT, "labels",
		   ROW_FLOW_SPORT))
		return;
	call(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT, 0);
	for (int bit = 0; bit < 32; bit++) {
		call(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT, INT64_C(1) << bit);
		call(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT,
		     (INT64_C(1) << bit) - 1);
		call(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT,
		     (INT64_C(3) << bit) & UINT32_MAX);
		call(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT,
		     (INT64_C(0x4001) << bit) & UINT32_MAX);
	}
	call(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT, 0xfffff);
	call(g, COMPUTE_FLOW_LABEL_TO_UDP_SPORT, UINT32_MAX);
	gen_done(g);
}

void gen_create_library(struct gen *g)
{
	gen_prefix(g, "library/");
	texts(g);
	all_rates(g);
	rkeys(g);
	qp_types(g);
	flow_labels(g);
}
