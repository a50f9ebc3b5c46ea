/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which work queue of an indirection table gets a packet.
 */
#ifndef IBVET_MODEL_SPREAD_H
#define IBVET_MODEL_SPREAD_H

#include "model/raw/headers.h"

/* Stores the work queues that may get a packet, and returns how many. Packets
 * whose hashed fields are equal all go to one queue. An oracle hands the first
 * of them to each queue, and sees which queue gets the packet. */
unsigned int spread_packet(struct step *s, struct model_wr *w, uint16_t qp,
			   const struct packets *p, uint16_t to[IND_QUEUES]);
/* Seeded fault: returns true if the table of a queue pair names its work queue
 * by an old number. spread_note_reset() notes that a work queue was reset. */
bool spread_is_stale(const struct model *m, uint16_t qp, uint16_t wq);
void spread_note_reset(struct step *s, uint16_t wq);
/* For an oracle: notes which work queue got a packet. */
void spread_seen(struct step *s, const struct model_wr *r);

#endif
