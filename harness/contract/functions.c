// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What the functions of libibverbs that only compute promise for each value.
 */
#include "contract/functions.h"

static const struct rate all_rates[] = {
#define RATE(gbps, value, mult, mult_row, lacks, mbps, mbps_row)               \
	{value, mult, ROW_##mult_row, lacks, mbps, ROW_##mbps_row},
#include "contract/tables/rates.def"
};

const struct rate *rates(size_t *n)
{
	*n = COUNT(all_rates);
	return all_rates;
}

const char *compute_symbol(enum compute_function function)
{
	static const char *const symbols[COMPUTE_NR] = {
		[COMPUTE_EVENT_TYPE_STR] = "ibv_event_type_str",
		[COMPUTE_NODE_TYPE_STR] = "ibv_node_type_str",
		[COMPUTE_PORT_STATE_STR] = "ibv_port_state_str",
		[COMPUTE_WC_STATUS_STR] = "ibv_wc_status_str",
		[COMPUTE_WR_OPCODE_STR] = "ibv_wr_opcode_str",
		[COMPUTE_RATE_TO_MULT] = "ibv_rate_to_mult",
		[COMPUTE_MULT_TO_RATE] = "mult_to_ibv_rate",
		[COMPUTE_RATE_TO_MBPS] = "ibv_rate_to_mbps",
		[COMPUTE_MBPS_TO_RATE] = "mbps_to_ibv_rate",
		[COMPUTE_INC_RKEY] = "ibv_inc_rkey",
		[COMPUTE_IS_QPT_SUPPORTED] = "ibv_is_qpt_supported",
		[COMPUTE_FLOW_LABEL_TO_UDP_SPORT] =
			"ibv_flow_label_to_udp_sport",
	};

	return symbols[function];
}

enum new_call compute_needs(enum compute_function function)
{
	return function == COMPUTE_WR_OPCODE_STR ? NEW_WR_OPCODE_STR : NEW_NR;
}

enum row compute_text_row(enum compute_function function, int64_t value)
{
	uint32_t low = (uint32_t)value;
	bool unknown = function == COMPUTE_NODE_TYPE_STR &&
		       (int32_t)low == IBV_NODE_UNKNOWN;

	if (!unknown && (low > 63 || !(compute_values(function) >> low & 1)))
		return ROW_STR_UNDEFINED;
	if (function == COMPUTE_WC_STATUS_STR ||
	    function == COMPUTE_WR_OPCODE_STR)
		return ROW_STR_NO_PAGE;
	return ROW_STR;
}

static struct compute_number promise(enum row row, int64_t is)
{
	return (struct compute_number){.row = row, .is = is};
}

/* A promise that libibverbs does not keep for some rates: `other` is its
 * answer. */
static struct compute_number promise_mult(const struct rate *r, int64_t is,
					  int64_t other)
{
	struct compute_number number = promise(r->mult_row, is);

	number.other = other;
	number.has_other = r->mult_may_lack;
	return number;
}

static struct compute_number from_rate(bool mult, int value)
{
	for (size_t i = 0; i < COUNT(all_rates); i++) {
		const struct rate *r = &all_rates[i];

		if (r->value == value)
			return mult ? promise_mult(r, r->mult, -1)
				    : promise(r->mbps_row, r->mbps);
	}
	return promise(ROW_RATE_UNDEFINED, -1);
}

static struct compute_number to_rate(bool mult, int value)
{
	for (size_t i = 0; i < COUNT(all_rates); i++) {
		const struct rate *r = &all_rates[i];

		if (value == (mult ? r->mult : r->mbps))
			return mult ? promise_mult(r, r->value, IBV_RATE_MAX)
				    : promise(r->mbps_row, r->value);
	}
	return promise(ROW_RATE_UNDEFINED, IBV_RATE_MAX);
}

#define SPORT_LOWEST 0xc000 /* IB_ROCE_UDP_ENCAP_VALID_PORT_MIN */

static int64_t sport_of(uint32_t flow_label)
{
	return ((flow_label ^ (flow_label >> 14 & 0x3f)) & 0x3fff) |
	       SPORT_LOWEST;
}

struct compute_number compute_number(enum compute_function function,
				     int64_t value, uint32_t caps)
{
	uint32_t low = (uint32_t)value;

	switch (function) {
	case COMPUTE_RATE_TO_MULT:
	case COMPUTE_RATE_TO_MBPS:
		return from_rate(function == COMPUTE_RATE_TO_MULT, (int)low);
	case COMPUTE_MULT_TO_RATE:
	case COMPUTE_MBPS_TO_RATE:
		return to_rate(function == COMPUTE_MULT_TO_RATE, (int)low);
	case COMPUTE_INC_RKEY:
		return promise(ROW_INC_RKEY,
			       (low & 0xffffff00) | ((low + 1) & 0xff));
	case COMPUTE_IS_QPT_SUPPORTED:
		return promise(ROW_QPT_SUPPORTED, caps >> low & 1);
	case COMPUTE_FLOW_LABEL_TO_UDP_SPORT:
		return promise(ROW_FLOW_SPORT, sport_of(low));
	default:
		return promise(ROW_NONE, 0);
	}
}

int compute_rate_argument(enum compute_function function, const struct rate *r)
{
	switch (function) {
	case COMPUTE_MULT_TO_RATE:
		return r->mult;
	case COMPUTE_MBPS_TO_RATE:
		return r->mbps;
	default:
		return r->value;
	}
}

uint32_t compute_alike(enum compute_function function, int64_t value)
{
	uint32_t alike = UINT32_MAX;

	if (function < COMPUTE_RATE_TO_MULT || function > COMPUTE_MBPS_TO_RATE)
		return 1;
	for (size_t i = 0; i < COUNT(all_rates); i++) {
		uint32_t away = (uint32_t)compute_rate_argument(function,
								&all_rates[i]) -
				(uint32_t)value;

		if (!away)
			return 1;
		if (away < alike)
			alike = away;
	}
	return alike;
}

bool compute_takes(enum compute_function function, int64_t value,
		   uint32_t count)
{
	uint32_t low = (uint32_t)value;

	/* The header shifts an int by the value. */
	return function != COMPUTE_IS_QPT_SUPPORTED ||
	       (low <= 30 && count <= 31 - low);
}
