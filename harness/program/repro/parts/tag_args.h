/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The headers of a message to a tag-matching SRQ as a program writes them.
 * args.h includes this.
 */
#pragma once
#include <infiniband/tm_types.h>
#include <stdbool.h>
#include <stdint.h>

/* part: tmh_has_payload */
/* Returns true for an opcode with a rendezvous header, which names a payload.
 */
static inline bool tmh_has_payload(uint32_t opcode)
{
	return opcode == IBV_TMH_RNDV || opcode == IBV_TMH_FIN;
}
