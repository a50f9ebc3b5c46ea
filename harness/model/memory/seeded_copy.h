/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults in the bytes that requests copy.
 */
#ifndef IBVET_MODEL_SEEDED_COPY_H
#define IBVET_MODEL_SEEDED_COPY_H

#include "model/internal.h"

/* Returns true if the bytes that go to a region land before its memory. */
bool seeded_goes_before(const struct model *m, uint16_t mr);
/* Returns true if the bytes of a region are read from before its memory, where
 * nobody wrote. */
bool seeded_comes_from_before(const struct model *m, uint16_t mr);
/* Moves a place in a region to where the device looks for it. Returns how many
 * bytes of at most `most` follow there. */
uint64_t seeded_move_back(const struct model *m, struct place *at,
			  uint64_t most);

/* Returns how many bytes of a message arrive: the last one is lost. */
uint64_t seeded_arriving(const struct model *m, uint64_t length);
/* Returns how many bytes stand before an element of no bytes. */
uint64_t seeded_before_empty(const struct elements *e, uint64_t length);

/* Keeps what a request copied; seeded_copy_late() copies it again once the
 * program wrote to memory. */
void seeded_keep_late(struct model *m, const struct elements *to,
		      uint64_t behind, const struct elements *from,
		      uint64_t length);
void seeded_copy_late(struct model *m);

/* Keeps what a READ or an atomic operation overwrites, as a fenced request is
 * then sent from the old bytes, which seeded_fence_bytes() returns. */
void seeded_keep_for_fence(struct model *m, const struct model_wr *w,
			   const struct opcode *op);
const struct elements *seeded_fence_bytes(struct model *m,
					  const struct model_wr *w,
					  struct elements *kept);

/* A null element behind another one repeats the bytes of that. */
void seeded_repeat_before_null(struct model *m, const struct model_wr *w,
			       const struct elements *to, uint64_t behind,
			       uint64_t length);
/* The null elements of a receive take no bytes of a message, which begins at
 * byte `behind`. Returns true if the message was copied so. */
bool seeded_shift_null(struct model *m, const struct model_wr *r,
		       uint64_t behind, const struct elements *from,
		       uint64_t length);
/* A null element between two others takes no bytes of a READ. */
void seeded_pass_null(struct model *m, const struct model_wr *w,
		      const struct elements *target);

/* The tail of inline data stays in the program's memory. seeded_send_tail()
 * notes where it goes, and seeded_copy_tail() copies it before a poll. */
void seeded_keep_tail(struct model *m, const struct model_wr *w, uint64_t left);
void seeded_send_tail(struct model *m, const struct model_wr *w,
		      const struct elements *to, uint64_t behind);
void seeded_copy_tail(struct model *m);

/* Notes where inline data come from that are read again: all of them, or those
 * behind the first element of a SEND. seeded_read_late() lets the next poll
 * read them, and seeded_read_again() the request when it is carried out. */
void seeded_keep_rest(const struct model *m, struct model_wr *w);
void seeded_read_late(const struct step *s, struct model_wr *w);
void seeded_read_again(struct model *m, struct model_wr *w);

#endif
