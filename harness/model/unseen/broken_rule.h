/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds the rule that wrong behaviour breaks (broken_rule.c). Each function
 * returns the row that explains the behaviour, or `usual`.
 */
#ifndef IBVET_MODEL_BROKEN_RULE_H
#define IBVET_MODEL_BROKEN_RULE_H

#include "contract/contract.h"
#include "model/data/wr_list.h"

/* Completion number n belongs to a request that was refused, dropped or is not
 * done yet. ROW_NONE: it is in the wrong order at most. */
enum row broken_rule_untimely(const struct step *s, unsigned int n);
/* The status of completion number n is wrong: another request may be the
 * cause. */
enum row broken_rule_status(const struct step *s, unsigned int n,
			    const struct model_wr *w, enum row usual);
/* The number of completions is wrong, where the model expects n: the first
 * request that should have failed and shows another status may be the cause
 * (data/completion.c). */
enum row broken_rule_count(const struct step *s, unsigned int n,
			   enum row usual);
/* A completion is missing that has to be there with success: a message that was
 * refused or dropped may have been carried out before it. */
enum row broken_rule_missing(const struct step *s, const struct model_wr *w);
/* A queue pair is found in a wrong state where `state` is right: a message that
 * was refused may have come, and have been too long for its receive. */
enum row broken_rule_state(const struct step *s, uint64_t state);
/* An event, the bytes of a region, or the state of a queue pair is wrong. The
 * cause may be a send that the model let fail by a choice, which nobody has
 * seen yet: any send; a send that uses the region; a send that stops the queue
 * pair. */
enum row broken_rule_event(const struct step *s, enum row usual);
enum row broken_rule_bytes(const struct step *s, uint16_t mr, enum row usual);
enum row broken_rule_qp(const struct step *s, uint16_t qp, enum row usual);

/* Returns true if a request failed in a way that its row permits, but does not
 * demand. */
bool fails_by_choice(const struct model_wr *w);

#endif
