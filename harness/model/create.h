/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The parts of the creation of queue pairs and completion queues that the
 * vendors' creation calls share.
 */
#ifndef IBVET_MODEL_CREATE_H
#define IBVET_MODEL_CREATE_H

#include "model/internal.h"

/* Returns the arguments of a call without the members that comp_mask does not
 * name. */
struct qp_init_args create_named_args(const struct step *s);
/* check_creation() adds what is at fault in a call of ibv_create_qp_ex();
 * create_decide() chooses the outcome and makes the queue pair. */
void check_creation(struct step *s, struct faults *f, enum qp_kind kind,
		    const struct qp_init_args *in);
void create_decide(struct step *s, const struct faults *f, enum qp_kind kind,
		   struct qp_init_args *in);
/* Checks comp_mask, create flags and send operations (create_bits.c). */
void check_extensions(struct step *s, struct faults *f, enum qp_kind kind,
		      const struct qp_init_args *in);
/* Chooses a number that no other queue pair has, and defines it as output. The
 * number may be 0 if `least` is 0. */
uint32_t create_qp_number(struct step *s, uint64_t least, enum row row);
/* create_check_cq() adds what is at fault in a call of ibv_create_cq_ex();
 * create_make_cq() chooses the outcome and makes the queue, NULL if the call is
 * refused. `accept` is the row of a legal call (make_object.c). */
void create_check_cq(struct step *s, struct faults *f, enum row accept);
struct object *create_make_cq(struct step *s, const struct faults *f,
			      enum row accept);

#endif
