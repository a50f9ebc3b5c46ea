/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which device a call is made on, if the second device is on another host, and
 * which objects of the other device the call may name. A memory region crosses
 * as the target of a request: its address and its key are all that a requester
 * needs. A queue pair crosses as the other end of a connection of rdma_cm: the
 * address and the port of its listener are all that the connecting end needs.
 */
#include "program/text.h"

bool results_far(const struct prog_results *r, const struct bound *b)
{
	return b->on < PROG_MAX_OBJECTS && r->far[b->on];
}

static const enum field crossing[] = {F_send_remote, F_tmh_remote,
				      F_race_remote};

static bool may_cross(const struct prog_results *r, enum field f, uint16_t slot)
{
	if (f == F_connect_peer)
		return true;
	for (size_t i = 0; i < COUNT(crossing); i++)
		if (crossing[i] == f)
			return !verb_is_vendors((enum verb)r->verb[slot]);
	return false;
}

uint16_t bound_remote(const struct bound *b)
{
	for (size_t i = 0; i < COUNT(crossing); i++)
		if (field_info(crossing[i])->family == verb_info(b->verb)->in)
			return (uint16_t)field_get(crossing[i], &b->in);
	return NO_OBJ;
}

bool results_torn(const struct prog_results *r, const struct bound *b)
{
	const enum family fam = verb_info(b->verb)->in;
	const bool far = results_far(r, b);

	for (unsigned int i = 0; i < family_count(fam); i++) {
		enum field f = (enum field)(family_first(fam) + i);
		uint64_t slot;

		if (field_info(f)->kind != FK_OBJ || !verb_reads(b->verb, f))
			continue;
		slot = field_get(f, &b->in);
		if (slot < PROG_MAX_OBJECTS && r->far[slot] != far &&
		    !may_cross(r, f, (uint16_t)slot))
			return true;
	}
	return false;
}
