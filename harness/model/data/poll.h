/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Polling: taking completions out of a queue (poll.c, poll_ex.c), and what each
 * of them says (completion.c).
 */
#ifndef IBVET_MODEL_POLL_H
#define IBVET_MODEL_POLL_H

#include "model/internal.h"

/* Takes one completion: on a device the next, in an oracle the completion that
 * it was shown. Returns false if there is none; *row is then the row that a
 * completion would break. */
bool poll_one(struct step *s, enum row *row);
/* Returns true if an oracle was shown no completion although one had to be
 * there; *row is the row that demands it. */
bool poll_is_overdue(struct step *s, enum row *row);
/* Hands out up to `most` completions to a ring. Returns how many there were. */
unsigned int poll_ring(struct step *s, unsigned int most);
/* Seeded fault: drops the completions that were there when the batch began. */
void poll_skip(struct step *s);
/* Returns true if there is a completion that could be taken now. */
bool poll_has_next(struct step *s);

/* Returns true if the polled queue reports what a flag IBV_WC_EX_WITH_… asks
 * for. ibv_poll_cq reports all. */
bool wc_reports(const struct step *s, uint64_t flag);
/* Returns true if the qp_num of a completion is promised. */
bool wc_names_qp(const struct model *m, const struct model_wr *w);
/* Compares a completion that was shown with the completion that a request would
 * have. A completion with an error defines few members, and fits every
 * request. */
typedef bool wc_likeness(const struct step *s, const struct model_wr *w,
			 const struct polled_wc *wc);
wc_likeness wc_same_direction; /* both are of a send, or of a receive */
wc_likeness wc_describes;      /* all that the completion says fits */
/* The request that completion number n of the device under test belongs to, or
 * NULL (unseen/match_completion.c). */
struct model_wr *match_completion(struct step *s, unsigned int n);
/* For a seeded fault: a receive of an SRQ has the wr_id of its place
 * (post_seeded.c). */
void seeded_srq_polled(const struct step *s, struct model_wr *w);
/* Notes that a send of the queue pair was polled. */
void seeded_note_polled(const struct step *s, const struct model_wr *w);
/* The row by which a request is flushed. */
enum row flush_row(const struct step *s, const struct model_wr *w);
/* Vouches for completion number n of a call. */
void define_wc(struct step *s, unsigned int n, const struct model_wr *w);
/* The completions that the device under test showed, and how many. */
const struct polled_wc *seen_wc(const struct step *s, unsigned int n);
unsigned int seen_wc_count(const struct step *s);

#endif
