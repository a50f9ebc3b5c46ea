/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A model with many slots and UD queue pairs in them, for tests that call the
 * model directly. Its protection domain and its completion queue are in the
 * first slots.
 */
#ifndef IBVET_TESTS_MODEL_PLACES_H
#define IBVET_TESTS_MODEL_PLACES_H

#include "model/model.h"

#define PD    0
#define CQ    1
#define FIRST 2

static struct model *model;
static struct answer answer;

static bool call(const struct bound *b)
{
	model_call(model, b, NULL, NULL, &answer);
	return !outcome_error(b->verb, &answer.outcome);
}

static bool make_ud(uint16_t slot, uint32_t sends, uint32_t receives)
{
	struct bound b = {.verb = V_create_qp, .on = PD, .result = slot};

	b.in.qp_init = (struct qp_init_args){
		.cap = {sends, receives, 1, 1, 0},
		.qp_type = IBV_QPT_UD,
		.pd = NO_OBJ,
		.send_cq = CQ,
		.recv_cq = CQ,
		.srq = NO_OBJ,
		.xrcd = NO_OBJ,
		.rwq_ind_tbl = NO_OBJ,
	};
	return call(&b);
}

#endif
