/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Raw packets like one that came: with the same length, and the same headers as
 * far as rules can name them. Nothing promises that a port loops a packet back
 * to a receiver; but a port that did so goes on, as long as the rule and both
 * queues stay as they are. A work queue that was in RESET or ERR counts as it
 * was before, once it is in RDY again: its place in a table has not changed.
 * One such packet may be lost.
 */
#ifndef IBVET_MODEL_LOOPED_H
#define IBVET_MODEL_LOOPED_H

#include "model/raw/headers.h"

/* Notes the headers of a packet on its way to a queue; and that it has to come,
 * if one with these headers came there by the same rule, and the last one did
 * not. */
void looped_note(struct step *s, struct model_wr *w, uint16_t to,
		 const struct packets *p);
/* The packet of a receive has come. */
void looped_seen(struct model *m, const struct model_wr *r);
/* It has not, though a poll waited for it. */
void looped_missed(struct model *m, const struct model_wr *r);
/* An object was changed or is gone: forgets the packets that came by it. */
void looped_forget(struct model *m, uint16_t slot);

#endif
