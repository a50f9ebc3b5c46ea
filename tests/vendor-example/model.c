// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The vendor's verb as the model answers it.
 */
#include "model/create.h"
#include "tests/vendor-example/example.h"

static void judge_flags(struct step *s, struct faults *f, uint32_t flags)
{
	bool flipped = mutant_flips(s->mutant, QK_EXQ, F_example_flags,
				    EXAMPLE_CREATE_LOUD);

	if (flags & ~EXAMPLE_CREATE_LOUD)
		fault(s, f, ROW_EX_UNKNOWN);
	if (flags & EXAMPLE_CREATE_LOUD)
		fault(s, f, flipped ? ROW_EX_LOUD_OTHER : ROW_EX_LOUD);
}

void do_example_create_qp(struct step *s)
{
	struct qp_init_args in = s->b->in.qp_init;
	struct faults f = {0};

	in.comp_mask = IBV_QP_INIT_ATTR_PD;
	in.xrcd = in.rwq_ind_tbl = NO_OBJ;
	accept_call(s, ROW_EX_ACCEPT);
	if (!claim_holds(CLAIM_EXAMPLE, s->d)) {
		fault(s, &f, ROW_EX_DEVICE);
	} else {
		judge_number(s, &f, OBJ_QP, ROW_EX_ACCEPT);
		judge_creation(s, &f, QK_EXQ, &in);
		judge_flags(s, &f, in.vendor.example.create_flags);
	}
	settle_creation(s, &f, QK_EXQ, &in);
}
