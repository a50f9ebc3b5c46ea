/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sends that wait at the head of their queue, and how they end (retry.c).
 */
#ifndef IBVET_MODEL_RETRY_H
#define IBVET_MODEL_RETRY_H

#include "model/data/wr_list.h"

struct model_qp;
struct opcode;

/* Returns true if two queue pairs are of the same partition. */
bool retry_same_partition(const struct model *m, uint16_t a, uint16_t b);
/* Returns the Q_Key that a datagram carries. */
uint32_t retry_carried_qkey(const struct model_wr *w,
			    const struct model_qp *qp);
/* Returns by how much the PSN of a request is ahead of the one that its peer
 * expects. */
int32_t retry_psn_ahead(const struct model_qp *qp, const struct model_qp *peer);

/* Returns true if a request has to wait for another reason than a missing
 * receive: there is no peer, the PSN does not fit, or max_rd_atomic is 0. */
bool retry_blocks(const struct model *m, const struct model_wr *w,
		  const struct opcode *op, uint16_t peer);
/* Counts the packets of a duplicate that was acknowledged. */
void retry_note_duplicate(struct model *m, const struct model_wr *w);
/* Makes a send wait and notes why; peer NO_OBJ: no queue pair answers. */
void retry_note_wait(struct step *s, struct model_wr *w, uint16_t peer);
/* Returns true if a send that waits could go on, or waits for another reason
 * now. `receives`: the peer has a receive. */
bool retry_is_over(const struct model *m, const struct model_wr *w,
		   uint16_t peer, bool receives);
/* Returns true if a send waits for an answer and has no timer, or nothing says
 * what becomes of it. */
bool retry_waits_forever(const struct model *m, const struct model_wr *w);
/* A send that waits has lost its memory or address handle. Returns true if the
 * device finds that only when it tries the send again, which is a choice. */
bool retry_fails_later(struct step *s, struct model_wr *w);
/* Returns the status that a send which is flushed may have ended with before,
 * or 0. */
uint8_t retry_status_before_flush(const struct step *s,
				  const struct model_wr *w);

/* Each of these ends a send that waits, if it may have ended. */

/* The device shows a completion of the send with this status. Returns false if
 * the send cannot have ended with it. */
bool retry_end_shown(struct step *s, struct model_wr *w, uint32_t status);
/* A flushed receive or the state ERR tells that the first send of a queue pair
 * was given up. Returns false if it cannot have been. */
bool retry_end_noticed(struct step *s, uint16_t qp);
/* Returns true if the first send was given up, unseen so far; that is a
 * choice. */
bool retry_end_unseen(struct step *s, uint16_t qp);
/* Returns true if the first send is a duplicate that has passed, unseen so far;
 * that is a choice of an oracle. */
bool retry_duplicate_passed(struct step *s, uint16_t qp);
/* Ends the sends that any device has given up when a poll has waited `ms`. */
void retry_end_overdue(struct step *s, uint32_t ms);
/* Returns in how many ways the first send may have ended unseen, or 0; ends it
 * in one of them, numbered from 0. */
unsigned int retry_ways_to_end(struct step *s, uint16_t qp);
void retry_end_in_way(struct step *s, uint16_t qp, unsigned int way);
/* The retries of a queue pair's first send are used up, and it is in ARMED. If
 * the device may have migrated it for that, retry_may_migrate() returns true.
 * retry_migration_noticed() does the same and lets it migrate, since the device
 * has shown it. */
bool retry_may_migrate(struct step *s, uint16_t qp);
bool retry_migration_noticed(struct step *s, uint16_t qp);
/* Returns true if this holds for any queue pair, for an oracle. */
bool retry_any_may_migrate(struct step *s);
/* Lets a queue pair migrate because a completion shows that one has. Returns
 * false if there is none. */
bool retry_any_migration(struct step *s);
/* For a device: ends what is given up within the time of a poll. Returns false
 * if nothing is. */
bool retry_expire(struct step *s, uint32_t ms);
/* For a device (model:ends:N): ends each send that may have ended, with a
 * chance of `percent` in a hundred. */
void retry_end_some(struct step *s, unsigned int percent);

/* Returns true if a send must have been given up within `ms`; *row is the row
 * that demands it. */
bool retry_is_overdue(struct step *s, const struct model_wr *w, uint32_t ms,
		      enum row *row);
/* The row that a send breaks by ending in this call. */
enum row retry_untimely_row(const struct step *s, const struct model_wr *w);
/* Returns true if SQD has to wait for a send that is under way. */
bool retry_is_under_way(struct model *m, uint16_t qp);

#endif
