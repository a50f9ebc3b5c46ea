// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address handles that are mapped to the congestion control of a queue pair.
 * The note of an address handle is 1 once it was mapped. Verbs do not see the
 * mapping.
 */
#include "model/internal.h"
#include "vendor-mlx5/mlx5.h"

void do_mlx5dv_map_ah_to_qp(struct step *s)
{
	struct object *o = obj(s->m, s->b->on);
	struct faults f = {0};

	answer_accept(s, ROW_AH_MAP);
	if (!o->ah.is_global)
		add_fault(s, &f, ROW_AH_MAP_LOCAL);
	else
		add_fault(s, &f,
			  o->vendor_note ? ROW_AH_MAP_AGAIN : ROW_AH_MAP);
	if (mlx5_decide(s, &f))
		o->vendor_note = 1;
}

bool mlx5_map_withholds(struct step *s, const struct model_wr *w)
{
	if (w->ah >= s->m->top || s->m->object[w->ah].kind != OBJ_AH ||
	    !s->m->object[w->ah].vendor_note)
		return false;
	record_row(s, ROW_AH_MAP_HINT);
	return mutant_skips(s->m->mutant, ROW_AH_MAP_HINT);
}
