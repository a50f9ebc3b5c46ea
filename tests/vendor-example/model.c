// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The model of example_create_qp: reports the faults of a call as rows, from
 * which create_decide() takes the outcome.
 */
#include "model/create.h"
#include "tests/vendor-example/example.h"

static void check_flags(struct step *s, struct faults *f, uint32_t flags)
{
	bool flipped = mutant_flips(s->mutant, QK_EXQ, F_example_flags,
				    EXAMPLE_CREATE_LOUD);

	if (flags & ~EXAMPLE_CREATE_LOUD)
		add_fault(s, f, ROW_EX_UNKNOWN);
	if (flags & EXAMPLE_CREATE_LOUD)
		add_fault(s, f, flipped ? ROW_EX_LOUD_OTHER : ROW_EX_LOUD);
}

void do_example_create_qp(struct step *s)
{
	struct qp_init_args in = s->b->in.qp_init;
	struct faults f = {0};

	in.comp_mask = IBV_QP_INIT_ATTR_PD;
	in.xrcd = in.rwq_ind_tbl = NO_OBJ;
	answer_accept(s, ROW_EX_ACCEPT);
	if (!claim_holds(CLAIM_EXAMPLE, s->d)) {
		add_fault(s, &f, ROW_EX_DEVICE);
	} else {
		check_number(s, &f, OBJ_QP, ROW_EX_ACCEPT);
		check_creation(s, &f, QK_EXQ, &in);
		check_flags(s, &f, in.vendor.example.create_flags);
	}
	create_decide(s, &f, QK_EXQ, &in);
}
