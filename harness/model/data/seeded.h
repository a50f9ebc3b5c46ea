/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults in the places and turns of queues (seeded_queue.c) and in
 * completions (seeded_poll.c).
 */
#ifndef IBVET_MODEL_SEEDED_H
#define IBVET_MODEL_SEEDED_H

#include "model/internal.h"

/* Notes the call that posts a request, and lets it sleep if it is posted in
 * SQD. */
void seeded_note_post(const struct step *s, struct model_wr *w);
/* Returns true if nothing wakes sends that sleep in SQD now. */
bool seeded_sleeps_on(const struct step *s);
/* Keeps places of flushed sends that a RESET drops unpolled. */
void seeded_keep_places(const struct step *s, uint16_t qp);
/* Keeps the place of a send that a later one retires, if the two were posted
 * by different calls. */
void seeded_keep_place(const struct step *s, const struct model_wr *retired,
		       const struct model_wr *w);
/* Returns true if later packets of a message have a PSN above 24 bits. */
bool seeded_psn_lost(const struct step *s, struct model_wr *w);
/* Loses completions of others that a destroyed queue pair moves over the end of
 * the ring of a completion queue. */
void seeded_lose_moved(const struct step *s, uint16_t qp, uint16_t cq);
/* Notes that a request of a batch was built with a fault, or without. */
void seeded_note_built(const struct step *s, const struct faults *f,
		       struct model_wr *w, const struct wr_args *in);
/* Returns true if a request of a batch that is refused stays in the queue. */
bool seeded_stays(const struct step *s, struct model_wr *w, enum row row);
/* Takes sq_sig_all from all requests of a batch but the last one. */
void seeded_signal_last(const struct step *s);

/* Returns the queue pair that flushed completion number `n` of a call names. */
uint16_t seeded_flushed_qp(const struct step *s, const struct model_wr *w,
			   uint16_t usual);
/* Returns true if completion `w` was there when the open batch began. */
bool seeded_was_there(const struct step *s, const struct model_wr *w);
/* Returns the bytes of a message that reach the elements of its receive. */
uint64_t seeded_room(const struct model *m, const struct model_wr *w,
		     const struct model_wr *r, uint64_t room);
/* Returns true if a fenced send does not wait for an atomic operation that the
 * program has not seen complete. */
bool seeded_passes_atomic(struct model *m, const struct model_wr *w);

/* Notes the READs that a RESET leaves in flight. */
void seeded_keep_reads(const struct step *s, uint16_t slot);
/* Returns true if READs of a life before hold a READ back. */
bool seeded_reads_stuck(const struct model *m, const struct model_wr *w);
/* Returns true if a receive ends at an element of no bytes. */
bool seeded_ends_early(const struct model *m, const struct model_wr *r,
		       uint16_t peer, uint64_t bytes);
/* Gives a request without elements the data of the one built before it. */
void seeded_keep_size(const struct step *s, struct model_wr *w);
/* Gives a failed send the wr_id of the next signaled one. */
void seeded_take_next_id(const struct step *s, struct model_wr *w);
/* Returns true if a call finds no completion behind the end of the ring. */
bool seeded_finds_none(const struct step *s);
void seeded_note_turn(const struct step *s, bool any);
/* Adds WITH_IMM to completion number `n` of a call behind one that has it. */
void seeded_keep_imm(const struct step *s, unsigned int n);
void seeded_cache_srq(const struct step *s, struct model_wr *w);
/* Loses completions behind the end of the ring. */
void seeded_lose_wrapped(const struct step *s, uint16_t cq);

#endif
