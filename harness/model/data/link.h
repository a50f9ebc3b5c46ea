/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Between two devices, and two ports of one (link.c): where an address leads,
 * and what the link between them does to requests.
 */
#ifndef IBVET_MODEL_LINK_H
#define IBVET_MODEL_LINK_H

#include "model/internal.h"

#define NOWHERE 0xff
struct way {
	uint8_t device, port;
};
/* The device that an address leads to from another, and its port; NOWHERE. */
struct way link_way_to(const struct model *m, uint8_t from,
		       const struct ibv_ah_attr *ah);
/* Is it the port that another one of the device is joined with? */
bool link_ports_joined(const struct model *m, uint8_t device, unsigned int port,
		       unsigned int other);
/* Is there no way between two devices; may packets be lost on it? */
bool link_is_cut(const struct model *m, uint8_t from, uint8_t to);
bool link_may_lose(const struct model *m, const struct model_wr *w,
		   uint16_t peer);
/* Notes the rows that a request to a queue pair comes up against. */
void link_note_rows(const struct step *s, const struct model_wr *w,
		    uint16_t peer);
/* A request that may use up its tries on the link; true: a device's does. */
bool link_uses_up_tries(const struct step *s, struct model_wr *w,
			uint16_t peer);
/* Seeded faults: a request that is not tried again, one that comes twice. */
bool link_never_tries_again(const struct model *m, const struct model_wr *w,
			    uint16_t peer);
bool link_delivers_twice(const struct model *m, const struct model_wr *w,
			 uint16_t peer);
/* Is the GID that of the other end of the link, and can it be found now? */
bool link_reaches_gid(const struct step *s, const struct ibv_ah_attr *ah);

#endif
