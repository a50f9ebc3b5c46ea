/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Taking completions: several by ibv_poll_cq or for a ring, one at a time of an
 * extended queue; and what each of them says (completion.c).
 */
#ifndef IBVET_MODEL_POLL_H
#define IBVET_MODEL_POLL_H

#include "model/internal.h"

/* Takes one: the next of a device, the one that an oracle was shown. False:
 * there is none, or none that it could be; *row says what was shown breaks. */
bool poll_one(struct step *s, enum row *row);
/* Does an oracle that was shown none miss one? By which row it must be there.
 */
bool poll_is_overdue(struct step *s, enum row *row);
/* Hands out up to so many to a ring; how many. */
unsigned int poll_ring(struct step *s, unsigned int most);
/* Is there one that could be taken now? */
bool poll_has_next(struct step *s);

/* Does the completion queue tell what such a flag of ibv_create_cq_ex() asks
 * for? */
bool wc_reports(const struct step *s, uint64_t flag);
/* How a completion that was shown is like the one that a request would have.
 * One with an error, of which little is defined, is like any. */
typedef bool wc_likeness(const struct step *s, const struct model_wr *w,
			 const struct polled_wc *wc);
wc_likeness wc_same_direction; /* both are of a send, or of a receive */
wc_likeness wc_describes;      /* all that is told is the same */
/* The request that completion number n of the device under test is of, NULL
 * (unseen/match_completion.c). */
struct model_wr *match_completion(struct step *s, unsigned int n);
/* The row by which a request is flushed. */
enum row flush_row(const struct step *s, const struct model_wr *w);
/* Vouches for completion number n of a call. */
void vouch_wc(struct step *s, unsigned int n, const struct model_wr *w);
/* Completions that the device under test showed, and how many. */
const struct polled_wc *seen_wc(const struct step *s, unsigned int n);
unsigned int seen_wc_count(const struct step *s);
/* The row that such a completion breaks whose request was refused or dropped,
 * or for which it is not the time; ROW_NONE where it is out of order at most.
 */
enum row broken_rule_untimely(const struct step *s, unsigned int n);
/* Is its failure one of what a row allows? */
bool fails_by_choice(const struct model_wr *w);
/* The row that the number of n completions breaks: of the first request that
 * was to fail and has another status, else `usual`. */
enum row broken_rule_count(const struct step *s, unsigned int n,
			   enum row usual);
/* The row that the status of such a completion breaks, if it is another one
 * than that of its request: `usual`, or one of a request that is to blame. */
enum row broken_rule_status(const struct step *s, unsigned int n,
			    const struct model_wr *w, enum row usual);
/* The row by which one that succeeds is missed: a message that was refused may
 * wait in front of it. */
enum row broken_rule_missing(const struct step *s, const struct model_wr *w);
/* The row that a state breaks, of which `state` is the right one: a message
 * that was refused may have been too much for a receive. */
enum row broken_rule_state(const struct step *s, uint64_t state);

#endif
