/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Two devices, and two ports of one: where an address leads, and what the link
 * between the devices does to requests.
 */
#ifndef IBVET_MODEL_LINK_H
#define IBVET_MODEL_LINK_H

#include "model/internal.h"

#define NOWHERE 0xff
struct way {
	uint8_t device, port; /* device NOWHERE: the address leads nowhere */
};
/* The device and port that an address leads to from device `from`. */
struct way link_way_to(const struct model *m, uint8_t from,
		       const struct ibv_ah_attr *ah);
/* Returns true if two ports of a device are joined by one network. */
bool link_ports_joined(const struct model *m, uint8_t device, unsigned int port,
		       unsigned int other);
/* Returns true if the link between two devices is cut. */
bool link_is_cut(const struct model *m, uint8_t from, uint8_t to);
/* Returns true if the link may lose the packets of a request. */
bool link_may_lose(const struct model *m, const struct model_wr *w,
		   uint16_t peer);
/* Records the rows that a request to a queue pair covers on its way. */
void link_note_rows(const struct step *s, const struct model_wr *w,
		    uint16_t peer);
/* Marks a request whose tries may all be lost. Returns true if they are, on a
 * device that takes that choice. */
bool link_uses_up_tries(const struct step *s, struct model_wr *w,
			uint16_t peer);
/* Seeded faults: a request is not tried again once the link is healed; it is
 * carried out twice. */
bool link_never_tries_again(const struct model *m, const struct model_wr *w,
			    uint16_t peer);
bool link_delivers_twice(const struct model *m, const struct model_wr *w,
			 uint16_t peer);
/* Returns true if the kernel can resolve the GID of an address: it is that of
 * the other end of the link, or of a joined port. */
bool link_reaches_gid(const struct step *s, const struct ibv_ah_attr *ah);

#endif
