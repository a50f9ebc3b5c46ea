/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The account of bytes that an unpolled completion has not told of yet.
 */
#ifndef IBVET_MODEL_UNTOLD_H
#define IBVET_MODEL_UNTOLD_H

#include "model/internal.h"

/* The queue whose completion tells that bytes have arrived. */
struct teller {
	uint16_t qp;
	bool recv;
	bool in_completion; /* the completion may hold the bytes */
};

/* teller_of_fetch() is for what a READ or an atomic operation brings,
 * teller_of_change() for what a request changes at the responder: the
 * requester's completion tells of it. teller_of_message() is for the bytes of a
 * message or WRITE: the receiver's completion tells of them if messages may be
 * lost and on iWARP, else the requester's. */
struct teller teller_of_fetch(const struct model_wr *w);
struct teller teller_of_change(const struct model_wr *w);
struct teller teller_of_message(const struct model *m, const struct model_wr *w,
				uint16_t peer);

/* Notes that bytes of a region, or of the regions of elements, change, and
 * which row says how. */
void untold_note(struct model *m, uint16_t mr, enum row row, struct teller by);
void untold_note_elements(struct model *m, const struct elements *e,
			  enum row row, struct teller by);
/* A completion of a queue was polled. The last unpolled one tells of all bytes
 * before it. */
void untold_polled(struct model *m, uint16_t qp, bool recv);

/* Returns true if bytes here may change later. */
bool untold_awaited(struct model *m, struct place at, uint64_t length);
/* Returns true if the source bytes may be old or the target bytes may change
 * later. `fenced` is the queue pair whose fetched bytes a fence waits for, or
 * NO_OBJ. The pending bytes of the request with the elements `to` itself do not
 * matter. */
bool untold_uncertain(struct model *m, const struct elements *to,
		      struct place target, struct place source, uint64_t length,
		      uint16_t fenced);
/* Returns true if only a fence promises that the bytes are current. */
bool untold_rests_on_fence(struct model *m, struct place source,
			   uint64_t length, uint16_t fenced);

#endif
