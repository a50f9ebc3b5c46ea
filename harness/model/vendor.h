/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the folders of vendors decide about the requests of their own types, and
 * what their completion queues say besides what verbs tell. Else a request of a
 * type of verbs is none of their business.
 */
#ifndef IBVET_MODEL_VENDOR_H
#define IBVET_MODEL_VENDOR_H

#include "model/internal.h"

/* The row by which the other end refuses a request that is for it, or NONE. */
enum row vendors_refuse(const struct step *s, const struct model_wr *w,
			uint16_t peer);
/* What of a send queue a request is part of has stopped: it is flushed. */
bool vendors_stopped(const struct step *s, const struct model_wr *w);
/* A request has failed: is it a part alone that it stops? */
bool vendors_stop_part(struct step *s, const struct model_wr *w);
/* Does a fault of a request stop the queue pair that it was for? */
bool vendors_stop_peer(const struct step *s, uint16_t peer);
/* The row that a request to nobody ends by, with some error; NONE: by those of
 * verbs. */
enum row vendors_unanswered(enum qp_kind kind);
/* Notes what the entry says of which a completion is handed out with this
 * status. */
void vendors_handed(struct step *s, const struct model_wr *w, uint32_t status);

#endif
