/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_qp in parts: what is at fault, and what becomes of the queue pair.
 */
#ifndef IBVET_MODEL_MODIFY_H
#define IBVET_MODEL_MODIFY_H

#include "model/internal.h"

/* Does a healthy device refuse it? Then the answer is whole. The model is as it
 * was in any case, but for requests that were given up. */
bool modify_refuses(struct step *s);

/* All that is at fault; with attributes that are named, whatever the rest of
 * the mask; with the mask, whatever the values but states, which exist; with
 * bits. They return what the next layer sees. */
uint32_t check_modify(struct step *s, struct faults *f,
		      const struct model_qp *qp);
uint32_t check_attributes(struct step *s, struct faults *f,
			  const struct model_qp *qp);
void check_mask(struct step *s, struct faults *f, const struct model_qp *qp);
uint32_t check_mask_bits(struct step *s, struct faults *f,
			 const struct model_qp *qp);
void check_values(struct step *s, struct faults *f, uint32_t mask);
void check_addresses(struct step *s, struct faults *f, uint32_t mask);

void apply_attributes(struct step *s, struct model_qp *qp,
		      const struct qp_attr_args *in, uint32_t mask);
void truncate_values(const struct model *m, struct ibv_qp_attr *attr,
		     uint32_t attributes);

/* modify_iwarp.c: which rows a move offends, and where it ends. */
void check_iwarp(struct step *s, struct faults *f, const struct model_qp *qp,
		 uint32_t mask);
void move_iwarp(struct step *s, struct model_qp *qp, int to);

#endif
