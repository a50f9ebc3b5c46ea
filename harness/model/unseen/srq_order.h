/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The order in which messages take the receives of an SRQ.
 */
#ifndef IBVET_MODEL_SRQ_ORDER_H
#define IBVET_MODEL_SRQ_ORDER_H

#include "contract/contract.h"
#include "model/data/wr_list.h"

/* Notes which messages are known to have arrived before receive `r` was
 * taken. */
void srq_order_note(struct step *s, struct model_wr *r);
/* A completion fits no receive. If the message of another sender may have taken
 * the receive with its wr_id, exchanges the messages and returns true. */
bool srq_order_try_other(struct step *s, const struct polled_wc *wc);
/* A device with a seeded choice lets a message overtake the one before it. */
void srq_order_overtake(struct step *s, struct model_wr *r);

#endif
