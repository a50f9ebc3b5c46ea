// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Functions of libibverbs that only compute, such as ibv_rate_to_mult() and
 * ibv_wc_status_str(). While a context is open, the model of its device
 * answers, so that a seeded fault shows. libibverbs keeps ibv_port_state_str(),
 * because `ibvet devices` prints its texts.
 */
#include <stdio.h>
#include "tests/stand-in/stand_in.h"

/* Only newer headers declare this function. */
const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode);

static struct computed_args computed(enum compute_function function,
				     uint32_t value)
{
	struct bound b = {.verb = V_compute, .result = NO_OBJ, .on = NO_OBJ};
	struct answer a = {0};

	b.in.compute.function = function;
	b.in.compute.value = (int32_t)value;
	if (fake_main_context) {
		fake_call(fake_context(fake_main_context)->fake, &b, &a);
		return a.outcome.out.computed;
	}
	return (struct computed_args){
		.number = compute_number(function, value, 0).is,
		.text = TEXT_OWN,
	};
}

int ibv_rate_to_mult(enum ibv_rate rate)
{
	return (int)computed(COMPUTE_RATE_TO_MULT, rate).number;
}

enum ibv_rate mult_to_ibv_rate(int mult)
{
	return (enum ibv_rate)computed(COMPUTE_MULT_TO_RATE, (uint32_t)mult)
		.number;
}

int ibv_rate_to_mbps(enum ibv_rate rate)
{
	return (int)computed(COMPUTE_RATE_TO_MBPS, rate).number;
}

enum ibv_rate mbps_to_ibv_rate(int mbps)
{
	return (enum ibv_rate)computed(COMPUTE_MBPS_TO_RATE, (uint32_t)mbps)
		.number;
}

/* Returns a text of the kind that the model answers: one for each value, the
 * same for all, an unprintable text or NULL. */
static const char *text_for(enum compute_function function, uint32_t value)
{
	static char own[64][16];

	switch (computed(function, value).text) {
	case TEXT_OWN:
		if (value >= COUNT(own))
			return "unknown";
		snprintf(own[value], sizeof(own[value]), "value %u", value);
		return own[value];
	case TEXT_SAME:
		return "any value";
	case TEXT_UNPRINTABLE:
		return "\n";
	default:
		return NULL;
	}
}

const char *ibv_event_type_str(enum ibv_event_type event)
{
	return text_for(COMPUTE_EVENT_TYPE_STR, event);
}

const char *ibv_node_type_str(enum ibv_node_type type)
{
	return text_for(COMPUTE_NODE_TYPE_STR, (uint32_t)type);
}

const char *ibv_wc_status_str(enum ibv_wc_status status)
{
	return text_for(COMPUTE_WC_STATUS_STR, status);
}

const char *ibv_wr_opcode_str(enum ibv_wr_opcode opcode)
{
	return text_for(COMPUTE_WR_OPCODE_STR, opcode);
}
