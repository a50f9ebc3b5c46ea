/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Automatic path migration of connected queue pairs (migration.c).
 */
#ifndef IBVET_MODEL_MIGRATION_H
#define IBVET_MODEL_MIGRATION_H

#include "model/internal.h"

/* Returns the path migration state of a queue pair. */
enum ibv_mig_state migration_state(const struct model_qp *qp);
/* Returns ROW_MIG_ASKED unless a program may ask for this path_mig_state in a
 * call that leads to queue pair state `to`. */
enum row migration_asked_row(const struct model_qp *qp, uint32_t asked,
			     uint8_t to);
/* The program has set path_mig_state, which was `before`. */
void migration_asked(struct step *s, uint16_t slot, enum ibv_mig_state before);

/* For an oracle: loses track if a call changes attributes of the path, or ends
 * the queue pair, and a migration may have come before it. */
void migration_lose_track(struct step *s, uint16_t slot, uint32_t mask);

/* The retries of a queue pair's first send on the primary path are used up. */
void migration_of_failing_path(struct step *s, uint16_t slot);
/* Returns the peer that a send of a queue pair in ARMED reaches over the
 * alternate path, or NO_OBJ. */
uint16_t migration_peer(const struct model *m, const struct model_wr *w);

/* A send leaves. Returns false if its packets ask the peer for a migration that
 * the peer does not accept. */
bool migration_send(struct step *s, const struct model_wr *w);
/* A send has reached its peer, and is answered if its type is reliable. */
void migration_note_arrived(struct step *s, const struct model_wr *w,
			    uint16_t peer);
/* A completion shows that a message was carried out, and with it the changes of
 * path_mig_state that the message has made. */
void migration_note_polled(struct model *m, const struct model_wr *w);

/* Defines the path_mig_state that a query reports. Returns false if the query
 * came before a migration that the model has made already: then the attributes
 * of the path are as before. */
bool migration_define_state(struct step *s, uint16_t slot);

/* Attributes that a migration changes. */
#define A_PATH (A_AV | A_PKEY_INDEX | A_PORT | A_TIMEOUT)

#endif
