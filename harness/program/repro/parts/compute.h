/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls a function of libibverbs that only computes.
 */
#pragma once
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <string.h>
#include "contract/functions.h"
#include "program/repro/parts/types.h"

/* part: compute */
/* Older libraries lack this function. */
typedef const char *wr_opcode_str_fn(unsigned int opcode);

/* Calls a function that returns a text. Returns false if the library lacks the
 * function. */
static inline bool text_of(unsigned int function, uint32_t value,
			   const char **text)
{
	wr_opcode_str_fn *wr_opcode_str;

	switch (function) {
	case COMPUTE_EVENT_TYPE_STR:
		*text = ibv_event_type_str((enum ibv_event_type)value);
		return true;
	case COMPUTE_NODE_TYPE_STR:
		*text = ibv_node_type_str((enum ibv_node_type)value);
		return true;
	case COMPUTE_PORT_STATE_STR:
		*text = ibv_port_state_str((enum ibv_port_state)value);
		return true;
	case COMPUTE_WC_STATUS_STR:
		*text = ibv_wc_status_str((enum ibv_wc_status)value);
		return true;
	default:
		*(void **)&wr_opcode_str =
			dlsym(RTLD_DEFAULT, "ibv_wr_opcode_str");
		if (wr_opcode_str)
			*text = wr_opcode_str(value);
		return wr_opcode_str;
	}
}

static inline bool is_printable(const char *text)
{
	size_t n = 0;

	while (isprint((unsigned char)text[n]))
		n++;
	return n && !text[n];
}

/* The texts of the values that the header defines. */
struct known_texts {
	const char *of[64];
};

static inline void find_known_texts(unsigned int function,
				    struct known_texts *known)
{
	uint64_t values = compute_values(function);

	memset(known, 0, sizeof(*known));
	for (uint32_t i = 0; i < 64; i++)
		if (values >> i & 1)
			text_of(function, i, &known->of[i]);
}

/* Says how the text of a value is. */
static inline uint32_t judge_text(const struct known_texts *known,
				  uint32_t value, const char *text)
{
	if (!text)
		return TEXT_NULL;
	if (!is_printable(text))
		return TEXT_UNPRINTABLE;
	for (uint32_t i = 0; i < 64; i++)
		if (i != value && known->of[i] && !strcmp(text, known->of[i]))
			return TEXT_SAME;
	return TEXT_OWN;
}

static inline int compute_text(unsigned int function,
			       const struct known_texts *known, uint32_t value,
			       uint32_t *is)
{
	const char *text;

	if (!text_of(function, value, &text))
		return EOPNOTSUPP;
	*is = judge_text(known, value, text);
	return 0;
}

/* Calls the function with the low 32 bits of the value. `caps` is for
 * ibv_is_qpt_supported. */
static inline int compute(unsigned int function,
			  const struct known_texts *known, int64_t value,
			  uint32_t caps, struct computed_args *computed)
{
	uint32_t low = (uint32_t)value;

	switch (function) {
	case COMPUTE_EVENT_TYPE_STR:
	case COMPUTE_NODE_TYPE_STR:
	case COMPUTE_PORT_STATE_STR:
	case COMPUTE_WC_STATUS_STR:
	case COMPUTE_WR_OPCODE_STR:
		return compute_text(function, known, low, &computed->text);
	case COMPUTE_RATE_TO_MULT:
		computed->number = ibv_rate_to_mult((enum ibv_rate)low);
		return 0;
	case COMPUTE_MULT_TO_RATE:
		computed->number = (int)mult_to_ibv_rate((int)low);
		return 0;
	case COMPUTE_RATE_TO_MBPS:
		computed->number = ibv_rate_to_mbps((enum ibv_rate)low);
		return 0;
	case COMPUTE_MBPS_TO_RATE:
		computed->number = (int)mbps_to_ibv_rate((int)low);
		return 0;
	case COMPUTE_INC_RKEY:
		computed->number = ibv_inc_rkey(low);
		return 0;
	case COMPUTE_IS_QPT_SUPPORTED:
		if (low > 30) /* shifted left, 1 would not fit an int */
			return EINVAL;
		computed->number =
			ibv_is_qpt_supported(caps, (enum ibv_qp_type)low);
		return 0;
	case COMPUTE_FLOW_LABEL_TO_UDP_SPORT:
		computed->number = ibv_flow_label_to_udp_sport(low);
		return 0;
	default:
		return EINVAL;
	}
}

/* part: compute_all */
/* Calls the function with `count` values from `value` on, or with one. */
static inline int compute_all(unsigned int function, int64_t value,
			      uint32_t caps, uint32_t count,
			      struct computed_args *computed)
{
	struct known_texts known;
	struct computed_args one;
	int64_t fold = 0;
	uint32_t worst = TEXT_OWN;
	int ret;

	find_known_texts(function, &known);
	if (!count)
		return compute(function, &known, value, caps, computed);
	if (count > compute_most(function))
		return EINVAL;
	memset(&one, 0, sizeof(one));
	for (uint32_t i = 0; i < count; i++) {
		ret = compute(function, &known, value + i, caps, &one);
		if (ret)
			return ret;
		fold = compute_fold(fold, one.number);
		if (one.text < worst)
			worst = one.text;
	}
	if (compute_values(function))
		computed->text = worst;
	else
		computed->number = fold;
	return 0;
}
