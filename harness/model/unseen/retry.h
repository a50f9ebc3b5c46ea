/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests that have to wait at the head of a send queue (retry.c).
 */
#ifndef IBVET_MODEL_RETRY_H
#define IBVET_MODEL_RETRY_H

#include "model/data/wr_list.h"

struct model_qp;
struct opcode;

/* Whether two queue pairs are of the same partition. */
bool retry_same_partition(const struct model *m, uint16_t a, uint16_t b);
/* The Q_Key that a datagram carries. */
uint32_t retry_carried_qkey(const struct model_wr *w,
			    const struct model_qp *qp);
/* By how much the PSN of a request is ahead of what its peer expects. */
int32_t retry_psn_ahead(const struct model_qp *qp, const struct model_qp *peer);
/* Does it never come to the other end as one whose turn it is? */
bool retry_blocks(const struct model *m, const struct model_wr *w,
		  const struct opcode *op, uint16_t peer);
/* Notes why it waits; `peer` NO_OBJ: nobody is there. */
void retry_note_wait(struct step *s, struct model_wr *w, uint16_t peer);
/* Is what it waits for there now, or does it wait for another thing?
 * `receives`: there is a receive. */
bool retry_is_over(const struct model *m, const struct model_wr *w,
		   uint16_t peer, bool receives);
/* A request that is lost and that no timer repeats. */
bool retry_waits_forever(const struct model *m, const struct model_wr *w);
/* One that waits has no memory any more, say: does it wait on, since a device
 * finds out when it tries again? */
bool retry_fails_later(struct step *s, struct model_wr *w);
/* What one that is flushed may have ended with before, 0: nothing. */
uint8_t retry_status_before_flush(const struct step *s,
				  const struct model_wr *w);
/* Ends a request that the device under test shows as ended; false: it waits,
 * for ever, or not at all. */
bool retry_end_shown(struct step *s, struct model_wr *w, uint32_t status);
/* Must it have ended within the time? *row says why. */
bool retry_is_overdue(struct step *s, const struct model_wr *w, uint32_t ms,
		      enum row *row);
/* An oracle's: what has ended by then on any device, though nobody saw it. */
void retry_end_overdue(struct step *s, uint32_t ms);
/* What ends on a device during a poll; false: nothing does. */
bool retry_expire(struct step *s, uint32_t ms);
/* Something else than its completion tells that a request was given up: the
 * queue pair is in ERR from now on. False: none of it may be. */
bool retry_end_noticed(struct step *s, uint16_t qp);
/* In how many ways the first send of a queue pair that waits may have ended
 * that nobody saw. */
unsigned int retry_ways_to_end(struct step *s, uint16_t qp);
/* It did, in this one of them. */
void retry_end_in_way(struct step *s, uint16_t qp, unsigned int way);
/* A device's: so many in a hundred that may have ended do, as chance has it. */
void retry_end_some(struct step *s, unsigned int percent);
/* Nothing has told it yet, and it was. */
bool retry_end_unseen(struct step *s, uint16_t qp);
enum row retry_row(const struct model *m, const struct model_wr *w);
/* The row that an end of it breaks that comes now. */
enum row retry_untimely_row(const struct step *s, const struct model_wr *w);
/* Is a send under way that SQD has to wait for? */
bool retry_is_under_way(struct model *m, uint16_t qp);

#endif
