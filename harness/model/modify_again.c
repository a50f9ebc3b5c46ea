// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_modify_qp by the million: which attributes are at fault with their values
 * is found out once, by naming each alone, and where a mask names none of them
 * the mask alone decides. Only a healthy device, and one whose table is at
 * fault, is judged in this way: any other fault may read what no mask names.
 */
#include "model/internal.h"

static struct step step_of(struct model *m, struct modify_again *again)
{
	uint8_t device = obj(m, again->bound.on)->device;

	return (struct step){
		.m = m,
		.b = &again->bound,
		.d = info_of(m, device),
		.device = device,
		.a = &again->answer,
	};
}

static bool at_fault(struct step *s, struct modify_again *again,
		     const struct model_qp *qp, uint32_t mask)
{
	struct faults f = {0};

	again->bound.in.qp_attr.mask = mask;
	judge_attributes(s, &f, qp);
	return f.n != 0;
}

/* Two ports that differ are at fault with each other. */
static uint32_t find_suspects(struct step *s, struct modify_again *again,
			      const struct model_qp *qp)
{
	const struct ibv_qp_attr *in = &again->bound.in.qp_attr.attr;
	uint32_t suspects = 0;

	if ((unsigned int)in->qp_state >= STATE_NR)
		suspects |= A_STATE;
	if ((unsigned int)in->cur_qp_state >= STATE_NR)
		suspects |= A_CUR_STATE;
	for (int bit = 0; bit < 32; bit++) {
		uint32_t attr = (uint32_t)A_DEFINED & 1u << bit;

		if (attr && (at_fault(s, again, qp, attr) ||
			     at_fault(s, again, qp, attr | A_STATE)))
			suspects |= attr;
	}
	if (at_fault(s, again, qp, A_AV | A_PORT) ||
	    at_fault(s, again, qp, A_AV | A_PORT | A_STATE))
		suspects |= A_AV;
	return suspects;
}

/* A table that is at fault shows by nothing but its judgement. */
static bool masks_decide(const struct model *m)
{
	return !m->mutant || m->mutant->op == MUT_CELL ||
	       m->mutant->op == MUT_PAIR;
}

void model_again(struct modify_again *again, uint16_t qp,
		 const struct qp_attr_args *in)
{
	again->bound = (struct bound){
		.verb = V_modify_qp,
		.result = NO_OBJ,
		.on = qp,
		.in.qp_attr = *in,
	};
	again->known = false;
}

static void get_to_know(struct step *s, struct modify_again *again,
			const struct model_qp *qp)
{
	uint64_t *met = s->m->met;

	if (again->known && again->state == qp->state &&
	    again->port == qp->port)
		return;
	s->m->met = NULL; /* nobody makes these calls */
	again->suspects = find_suspects(s, again, qp);
	s->m->met = met;
	again->state = qp->state;
	again->port = qp->port;
	again->known = true;
}

/* The errno of a refusal by the mask; 0: there is more to it. */
static int refused_by_mask(struct model *m, struct modify_again *again,
			   uint32_t mask)
{
	const struct model_qp *qp = qp_of(m, again->bound.on);
	struct step s = step_of(m, again);
	struct faults f;

	f.n = 0;
	f.blame = 0;
	if (qp->rss || !masks_decide(m))
		return 0;
	get_to_know(&s, again, qp);
	if (mask & again->suspects)
		return 0;
	again->bound.in.qp_attr.mask = mask;
	judge_mask(&s, &f, qp);
	return settle_refusal(&f);
}

int model_modify(struct model *m, struct modify_again *again, uint32_t mask)
{
	int err = refused_by_mask(m, again, mask);

	if (err) {
		m->pauses++;
		return err;
	}
	again->bound.in.qp_attr.mask = mask;
	model_call(m, &again->bound, NULL, NULL, &again->answer);
	return outcome_error(V_modify_qp, &again->answer.outcome);
}

unsigned int model_permits(struct model *m, struct modify_again *again,
			   uint32_t mask)
{
	const struct model_qp *qp = qp_of(m, again->bound.on);
	struct step s = step_of(m, again);
	struct faults f = {0};

	again->bound.in.qp_attr.mask = mask;
	judge_modify(&s, &f, qp);
	return settle_all(&f);
}
