/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory windows: requests that bind and invalidate them.
 */
#ifndef IBVET_MODEL_WINDOW_H
#define IBVET_MODEL_WINDOW_H

#include "model/internal.h"

/* What a request to bind one is at fault with when it is posted, or NONE;
 * carries out one that sends nothing. */
enum row window_posted_fault(const struct step *s, const struct wr_args *in);
void window_carry_out(struct step *s, struct model_wr *w);
/* A bind without a completion: what is behind it was seen to end. */
void window_bind_late(struct model *m, const struct model_wr *w);
/* Is it one of UC, of which the man pages offer more than some devices have? */
bool window_is_optional(const struct model *m, const struct model_wr *w);
/* Does the device have the operation, or does it fail for being none? */
bool window_op_supported(struct step *s, struct model_wr *w);
/* By a message; false: it cannot be. */
bool window_invalidate(struct step *s, uint32_t rkey, uint16_t qp);
void window_fill_wr(struct model *m, struct model_wr *w,
		    const struct wr_args *in);
/* The caller's structure before a request is made, and after it was taken. */
void window_set_key(struct step *s);
void window_take_key(struct step *s);
/* Is a window bound to the region? */
bool window_is_bound_to(const struct model *m, uint16_t mr);
void window_forget_qp(struct model *m, uint16_t qp);

#endif
