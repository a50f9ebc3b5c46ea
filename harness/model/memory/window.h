/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory windows: requests that bind and invalidate them.
 */
#ifndef IBVET_MODEL_WINDOW_H
#define IBVET_MODEL_WINDOW_H

#include "model/internal.h"

/* window_posted_fault() returns the row that a bind violates when it is posted,
 * or ROW_NONE. window_carry_out() carries out a bind or a LOCAL_INV. */
enum row window_posted_fault(const struct step *s, const struct wr_args *in);
void window_carry_out(struct step *s, struct model_wr *w);
/* For a seeded fault: a later request was seen to end, so an unsignaled bind
 * takes effect now. */
void window_bind_late(struct model *m, const struct model_wr *w);
/* Returns true for invalidations on UC, which the man pages offer and some
 * devices do not have. */
bool window_is_optional(const struct model *m, const struct model_wr *w);
/* Returns false, and sets the row of the failure, if the device lacks the
 * operation. */
bool window_op_supported(struct step *s, struct model_wr *w);
/* Returns true if a window of a queue pair is bound under the rkey. */
bool window_is_bound(const struct model *m, uint32_t rkey, uint16_t qp);
/* Invalidates an rkey for a queue pair; returns false if that is refused. */
bool window_invalidate(struct step *s, uint32_t rkey, uint16_t qp);
void window_fill_wr(struct model *m, struct model_wr *w,
		    const struct wr_args *in);
/* The rkey in the caller's struct ibv_mw: as the program sets it before a post,
 * and as a bind leaves it. */
void window_set_key(struct step *s);
void window_take_key(struct step *s);
/* Returns true if a window is bound to the region. */
bool window_is_bound_to(const struct model *m, uint16_t mr);
/* Notes that the completion of a bind was polled. */
void window_note_bound(struct model *m, const struct model_wr *w);
/* Returns the row about ibv_dereg_mr of a region that a window is bound to. */
enum row window_busy_row(const struct model *m, uint16_t mr);
/* Notes that ibv_dereg_mr was refused for the windows of a region. */
void window_note_busy(struct model *m, uint16_t mr);
/* For seeded faults: unbinds the windows of the region. */
void window_unbind_all(struct model *m, uint16_t mr);
void window_forget_qp(struct model *m, uint16_t qp);

#endif
