/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The creation of queue pairs, which vendors' own calls share.
 */
#ifndef IBVET_MODEL_CREATE_H
#define IBVET_MODEL_CREATE_H

#include "model/internal.h"

/* What a call asks for, without what comp_mask does not name. */
struct qp_init_args create_named_args(const struct bound *b);
/* What is at fault with it, as ibv_create_qp_ex judges it; the end of the call.
 */
void check_creation(struct step *s, struct faults *f, enum qp_kind kind,
		    const struct qp_init_args *in);
void create_decide(struct step *s, const struct faults *f, enum qp_kind kind,
		   struct qp_init_args *in);
/* comp_mask, create flags, send operations (create_bits.c). */
void check_extensions(struct step *s, struct faults *f, enum qp_kind kind,
		      const struct qp_init_args *in);
/* A number that no other queue pair has; 0 where `least` says so. */
uint32_t create_qp_number(struct step *s, uint64_t least, enum row row);

#endif
