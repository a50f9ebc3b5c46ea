/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions that the files which move the bytes of requests share. bytes.h has
 * those for others.
 */
#ifndef IBVET_MODEL_COPY_H
#define IBVET_MODEL_COPY_H

#include "model/internal.h"

static inline uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns `length` bytes at a place as one element. */
struct elements element_at_place(struct place at, uint64_t length);

/* Copying (copy_bytes.c) */
/* Copies `length` bytes from byte `skip` of `from` on to byte `behind` of `to`;
 * see copy_fenced(). */
void copy_from(struct model *m, const struct elements *to, uint64_t behind,
	       const struct elements *from, uint64_t skip, uint64_t length,
	       uint16_t fenced);
/* Copies `length` bytes of a source to the elements of a target from byte
 * `behind` on, and converts them where a region does. Bytes that the target may
 * get in any order are unknown. */
void copy_write(struct model *m, const struct copy_end *end, uint64_t behind,
		const struct copy_end *source, uint64_t length,
		uint16_t fenced);
/* The same without a fence, from the first byte of `from` on. */
static inline void copy_elements(struct model *m, const struct elements *to,
				 uint64_t behind, const struct elements *from,
				 uint64_t length)
{
	copy_fenced(m, to, behind, from, length, NO_OBJ);
}
/* `length` bytes of the elements from byte `from` on are unknown from now on.
 */
void copy_forget(struct model *m, const struct elements *e, uint64_t from,
		 uint64_t length);

/* Atomic operations (atomic.c) */
/* Carries out an atomic operation. If the old value goes to the place of the
 * new one, the old value stays in real memory. Without real memory the bytes
 * are unknown. */
void atomic_carry_out(struct model *m, const struct model_wr *w,
		      struct place at);
/* Stores the value that a request carries itself. */
void atomic_store_value(struct model *m, const struct model_wr *w,
			struct place at);

#endif
