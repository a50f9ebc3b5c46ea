// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_reg_mr_ex, which does what ibv_reg_mr and ibv_reg_mr_iova do, and DMA
 * handles, which regions are registered with.
 */
#include <errno.h>
#include "model/internal.h"

#define MASK_KNOWN	0x1fu /* without BUF */
#define DMAH_MASK_KNOWN 0x7u

void do_reg_mr(struct step *s);
void do_reg_mr_iova(struct step *s);

void do_alloc_dmah(struct step *s)
{
	struct faults f = {0};

	if (!(s->d->new_calls >> NEW_ALLOC_DMAH & 1)) {
		answer_refuse(s, ROW_OBJ_UNSUPPORTED, EOPNOTSUPP);
		return;
	}
	if (s->b->in.dmah.comp_mask & ~DMAH_MASK_KNOWN)
		add_fault(s, &f, ROW_DMAH_MASK);
	else
		add_fault(s, &f, ROW_DMAH_OFFERED);
	object_make_child(s, &f, OBJ_DMAH, NO_OBJ, ROW_DMAH_OFFERED);
}

/* Registers the region as the verb without _ex does. */
static void reg(struct step *s)
{
	const struct mr_ex_args *in = &s->b->in.mr_ex;
	const struct bound *asked = s->b;
	bool moves = in->comp_mask & MR_ATTR_IOVA;
	struct bound b = {
		.verb = moves ? V_reg_mr_iova : V_reg_mr,
		.on = asked->on,
		.result = asked->result,
	};

	b.in.mr.length = in->length;
	b.in.mr.iova = in->iova;
	b.in.mr.access = in->access;
	s->b = &b;
	if (moves)
		do_reg_mr_iova(s);
	else
		do_reg_mr(s);
	s->b = asked;
}

static void check(struct step *s, struct faults *f)
{
	uint64_t mask = s->b->in.mr_ex.comp_mask;
	bool addr = mask & MR_ATTR_ADDR, fd = mask & MR_ATTR_FD;

	if (mask & ~(uint64_t)MASK_KNOWN)
		add_fault(s, f, ROW_MR_EX_MASK);
	if (addr == fd || (mask & MR_ATTR_FD_OFFSET && !fd))
		add_fault(s, f, ROW_MR_EX_SOURCE);
	else if (fd)
		add_fault(s, f, ROW_MR_EX_FD);
}

void do_reg_mr_ex(struct step *s)
{
	const struct mr_ex_args *in = &s->b->in.mr_ex;
	uint16_t dmah = in->comp_mask & MR_ATTR_DMAH ? in->dmah : NO_OBJ;
	struct faults f = {0};
	enum out effect;
	struct object *o;
	int err;

	if (in->comp_mask & MR_ATTR_DMAH &&
	    (dmah == NO_OBJ ||
	     s->m->object[dmah].ctx != obj(s->m, s->b->on)->ctx)) {
		answer_refuse(s, ROW_MR_EX_DMAH, EINVAL);
		return;
	}
	if (!s->d->can_reg_ex)
		add_fault(s, &f, ROW_OBJ_UNSUPPORTED);
	check(s, &f);
	if (!f.n && dmah != NO_OBJ)
		add_fault(s, &f, ROW_MR_EX_DMAH);
	err = f.n ? choose_outcome(s, &f, &effect) : 0;
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	reg(s);
	if (s->a->outcome.ret || dmah == NO_OBJ)
		return;
	o = obj(s->m, s->b->result);
	object_add_parent(s->m, o, dmah);
	record_row(s, ROW_MR_EX_DMAH);
	o->mr.invalid = mutant_skips(s->mutant, ROW_MR_EX_DMAH);
}
