/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The headers of a packet that RAW_PACKET sends.
 */
#ifndef IBVET_MODEL_HEADERS_H
#define IBVET_MODEL_HEADERS_H

#include "model/internal.h"

struct packet {
	bool tagged;
	uint32_t l3, l4; /* IBV_FLOW_SPEC_ values, 0: none that is known */
	struct flow_filter is;
};

/* Reads the headers of a send. Returns false if its first bytes are unknown, or
 * are no Ethernet header. `*known` tells which. */
bool packet_read(const struct model *m, const struct model_wr *w,
		 struct packet *p, bool *known);

#endif
