/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The parts of ibv_modify_qp: the checks, and what changes in the queue pair.
 */
#ifndef IBVET_MODEL_MODIFY_H
#define IBVET_MODEL_MODIFY_H

#include "model/internal.h"

/* Returns true, with the whole answer, if a healthy device refuses the call.
 * The model stays as it is, except that waiting requests may turn out to have
 * failed. */
bool modify_refuses(struct step *s);

/* The checks. check_modify() does all. check_attributes() checks the values of
 * the named attributes and ignores the rest of the mask. check_mask() checks
 * the mask, for states that exist. check_mask_bits() checks for unknown bits.
 * Each mask that is returned is what the next layer sees. */
uint32_t check_modify(struct step *s, struct faults *f,
		      const struct model_qp *qp);
uint32_t check_attributes(struct step *s, struct faults *f,
			  const struct model_qp *qp, uint32_t mask);
void check_mask(struct step *s, struct faults *f, const struct model_qp *qp);
uint32_t check_mask_bits(struct step *s, struct faults *f,
			 const struct model_qp *qp);
void check_values(struct step *s, struct faults *f, const struct model_qp *qp,
		  uint32_t mask);
void check_addresses(struct step *s, struct faults *f,
		     const struct model_qp *qp, uint32_t mask);

void apply_attributes(struct step *s, struct model_qp *qp,
		      const struct qp_attr_args *in, uint32_t mask);
void truncate_values(const struct model *m, struct ibv_qp_attr *attr,
		     uint32_t attributes);

/* Returns true if the table has the transition with such a mask. */
bool table_allows(const struct step *s, const struct model_qp *qp, int from,
		  int to, uint32_t mask);

/* Seeded faults (modify_seeded.c). seeded_kept() returns the attributes that
 * the queue pair keeps from before RESET, so that nobody has to give them.
 * seeded_forget(): RESET forgets how the queue pair was created.
 * seeded_keep_psn(): a PSN of 0 counts as none. seeded_note_timer(),
 * seeded_note_set(): what a later query does not see, or sees too early.
 * seeded_partial() returns the attributes that a refused call has stored. */
uint32_t seeded_kept(const struct step *s, const struct model_qp *qp, int to);
void seeded_forget(const struct step *s, struct model_qp *qp);
void seeded_keep_psn(const struct step *s, const struct model_qp *qp,
		     struct ibv_qp_attr *attr);
void seeded_note_timer(struct model_qp *qp, bool to_rtr);
/* Seeded faults of a call whose mask has one attribute. */
void seeded_take_unmasked(const struct step *s, struct model_qp *qp);
void seeded_note_set(const struct step *s, struct model_qp *qp,
		     const struct qp_attr_args *in, uint32_t mask);
uint32_t seeded_partial(const struct step *s, const struct model_qp *qp);

/* modify_iwarp.c: the rows that a transition violates, and the transition. */
void check_iwarp(struct step *s, struct faults *f, const struct model_qp *qp,
		 uint32_t mask);
void move_iwarp(struct step *s, struct model_qp *qp, int to);

#endif
