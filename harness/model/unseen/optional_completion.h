/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What an oracle takes completions for that may wait in a queue and need not.
 */
#ifndef IBVET_MODEL_HELD_H
#define IBVET_MODEL_HELD_H

#include "model/internal.h"

/* Those that the row `late` leaves open: are they there? */
bool optional_is_there(struct step *s, enum row late);
/* How many wait in a queue for certain. */
int optional_least(struct model *m, uint16_t cq);
/* And how many, if all do, and all sends have ended that may have. */
int optional_most(struct step *s, uint16_t cq);
/* More wait than a queue holds, if all do: is there room, since some do not?
 * Not asked about one of them, `but`. */
bool optional_leaves_room(struct step *s, uint16_t cq,
			  const struct model_wr *but);

/* An oracle was shown that a queue is empty: what might have stayed there when
 * its queue pair went did not. */
void optional_none_left(const struct step *s, uint16_t cq);

/* An oracle's, of sends that may have ended unseen (events/async_traffic.c):
 * are they too many for a queue? Was that what is wrong with it? Then it is
 * overrun. */
void optional_note_overrun(struct step *s, uint16_t cq);
bool optional_blame_overrun(struct step *s, uint16_t cq);
/* How many asynchronous events of a queue pair may they have raised? */
uint32_t events_unseen(struct step *s, uint16_t qp);

#endif
