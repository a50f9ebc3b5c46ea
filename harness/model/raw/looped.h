/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Raw packets that equal a packet that came. Nothing promises that a port loops
 * a packet back to a receiver; but a port that did so goes on, as long as the
 * rule and both queues stay as they are.
 */
#ifndef IBVET_MODEL_LOOPED_H
#define IBVET_MODEL_LOOPED_H

#include "model/raw/headers.h"

/* Notes the headers of a packet on its way to a queue; and that it has to come,
 * if one with these headers came there by the same rule. */
void looped_note(struct step *s, struct model_wr *w, uint16_t to,
		 const struct packets *p);
/* The packet of a receive has come. */
void looped_seen(struct model *m, const struct model_wr *r);
/* An object was changed or is gone: forgets the packets that came by it. */
void looped_forget(struct model *m, uint16_t slot);

#endif
