/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Faults of the memory that a request names, and the statuses that they lead
 * to.
 */
#ifndef IBVET_MODEL_ACCESS_FAULT_H
#define IBVET_MODEL_ACCESS_FAULT_H

#include "model/internal.h"

/* Faults of the memory that a request names (memory/access_fault.c): each
 * returns the violated row or ROW_NONE. fault_found_late() returns true if a
 * device may find a local fault only after the request reached the responder.
 */
bool fault_found_late(const struct model *m, const struct model_wr *w,
		      const struct opcode *op);
enum row fault_local(struct step *s, const struct model_wr *w,
		     const struct opcode *op);
enum row fault_remote(struct step *s, const struct model_wr *w,
		      const struct opcode *op, uint16_t peer);
enum row fault_receive(struct step *s, const struct model_wr *r, uint16_t peer,
		       uint64_t bytes);
bool fault_short(struct step *s, const struct model_wr *r, uint16_t peer,
		 uint64_t bytes);
/* Raises the responder's events about a refused request. */
void fault_raise_events(struct step *s, uint16_t peer);
/* Returns true if the request needs responder resources and the responder has
 * none. */
bool fault_resources(struct step *s, const struct model_wr *w,
		     const struct opcode *op, uint16_t slot);
/* Returns the row that a posted request of `length` bytes violates by itself;
 * fault_apply_outcome() stores the outcome chosen for the row in the request.
 */
enum row fault_of_post(const struct step *s, const struct model_qp *qp,
		       const struct wr_args *in, uint64_t length);
void fault_apply_outcome(struct step *s, struct model_wr *w, enum row row,
			 enum out effect);
/* Returns the status that an outcome names, or IBV_WC_SUCCESS. */
uint32_t fault_status_of_out(enum out out);
/* fault_row_has_status() returns true if the row of a failed request names
 * statuses, fault_row_permits() if `status` is one of them.
 * fault_choose_status() chooses between the statuses of the row. */
bool fault_row_has_status(const struct model_wr *w);
bool fault_row_permits(const struct model_wr *w, uint32_t status);
uint64_t fault_choose_status(struct step *s, const struct model_wr *w,
			     uint64_t seen);

#endif
