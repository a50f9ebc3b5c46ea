/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * One completion of an extended queue, where ibv_poll_cq takes several.
 */
#ifndef IBVET_MODEL_POLL_H
#define IBVET_MODEL_POLL_H

#include "model/internal.h"

/* Takes one: the next of a device, the one that an oracle was shown. False:
 * there is none, or none that it could be; *row says what was shown breaks. */
bool poll_one(struct step *s, enum row *row);
/* Does an oracle that was shown none miss one? By which row it must be there.
 */
bool poll_due(struct step *s, enum row *row);
/* Hands out up to so many to a ring; how many. */
unsigned int poll_ring(struct step *s, unsigned int most);
/* Is there one that could be taken now? */
bool poll_waits(struct step *s);

#endif
