// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Millions of ibv_modify_qp calls with the same values and different masks.
 *
 * The values are checked once, each attribute alone. A mask that names no
 * faulty attribute is decided by the mask alone. The table's decision is kept
 * in a few words: most masks lack a required attribute, or have two attributes
 * too many. Masks nearer to a legal one, where the contested points are, are
 * decided in full.
 *
 * Only a healthy device, and one with a fault in its table, is decided in this
 * way: any other fault may read what no mask names.
 */
#include "model/modify.h"

static struct step step_of(struct model *m, struct modify_repeat *again)
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

static bool at_fault(struct step *s, struct modify_repeat *again,
		     const struct model_qp *qp, uint32_t mask)
{
	struct faults f = {0};

	again->bound.in.qp_attr.mask = mask;
	check_attributes(s, &f, qp, mask);
	return f.n != 0;
}

/* Returns the attributes whose values are at fault, alone or, for ports,
 * together with another attribute. */
static uint32_t find_suspects(struct step *s, struct modify_repeat *again,
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

/* Returns true if the mask alone decides: a fault of the table has no other
 * effect. */
static bool masks_decide(const struct model *m)
{
	return !m->mutant || m->mutant->op == MUT_CELL ||
	       m->mutant->op == MUT_PAIR;
}

void model_modify_begin(struct modify_repeat *again, uint16_t qp,
			const struct qp_attr_args *in)
{
	again->bound = (struct bound){
		.verb = V_modify_qp,
		.result = NO_OBJ,
		.on = qp,
		.in.qp_attr = *in,
	};
	again->table = NULL;
}

/* Returns the errno with which the mask alone is refused, or 0. */
static int mask_error(struct step *s, struct modify_repeat *again,
		      const struct model_qp *qp, uint32_t mask)
{
	struct faults f;

	f.n = 0;
	f.blame = 0;
	again->bound.in.qp_attr.mask = mask;
	check_mask(s, &f, qp);
	return faults_errno(&f);
}

/* Finds the attributes that are refused or dropped before the table is read. */
static void find_lost(struct step *s, struct modify_repeat *again,
		      const struct model_qp *qp)
{
	const struct ibv_qp_attr *in = &again->bound.in.qp_attr.attr;
	struct faults f = {0};
	uint32_t carried;

	again->bound.in.qp_attr.mask = A_DEFINED;
	carried = check_mask_bits(s, &f, qp);
	again->bar = faults_errno(&f);
	again->barred = again->bar ? A_DEFINED & ~carried : 0;
	again->dropped = A_DEFINED & ~uverbs_mask((enum qp_kind)qp->kind,
						  (int)in->qp_state, carried);
}

/* Returns true if the table decides. A device may believe a false current
 * state, and iWARP has no such table. */
static bool is_plain(const struct step *s, const struct modify_repeat *again,
		     const struct model_qp *qp, uint32_t named)
{
	const struct ibv_qp_attr *in = &again->bound.in.qp_attr.attr;

	return !device_iwarp(s->d) &&
	       (!(named & A_CUR_STATE) || (int)in->cur_qp_state == qp->state);
}

#define STATES ((uint32_t)(A_STATE | A_CUR_STATE))
#define OTHERS (A_DEFINED & ~STATES)

/* Stores the table's decision for masks with these bits of STATE and CUR_STATE.
 */
static void find_plain(struct step *s, struct modify_repeat *again,
		       const struct model_qp *qp, uint32_t named)
{
	const struct ibv_qp_attr *in = &again->bound.in.qp_attr.attr;
	int to = named & A_STATE ? (int)in->qp_state : qp->state;
	enum qp_kind kind = (enum qp_kind)qp->kind;
	uint32_t rest = OTHERS & ~again->barred, missing, surplus;
	struct plain_masks *p = &again->plain[named];
	enum table_verdict verdict =
		table_judge(s->m->table, kind, qp->state, to,
			    named | (rest & ~again->dropped), NULL, &surplus);

	table_judge(s->m->table, kind, qp->state, to, named, &missing, NULL);
	p->with_av = uverbs_mask(kind, to, named | A_AV) & ~(named | A_AV);
	p->needs = missing;
	p->takes = ~surplus;
	p->surplus = mask_error(s, again, qp, named | rest);
	p->missing = mask_error(s, again, qp, named | (rest & ~missing));
	if (verdict != TABLE_SURPLUS && verdict != TABLE_OK)
		p->needs = UINT32_MAX; /* refuses every mask */
}

_Static_assert((A_STATE | A_CUR_STATE) == 3, "two bits tell which are named");

static void find_masks(struct step *s, struct modify_repeat *again,
		       const struct model_qp *qp)
{
	memset(again->plain, 0, sizeof(again->plain));
	find_lost(s, again, qp);
	for (uint32_t named = 0; named <= STATES; named++)
		if (!(named & again->suspects) && is_plain(s, again, qp, named))
			find_plain(s, again, qp, named);
}

static void prepare(struct model *m, struct modify_repeat *again,
		    const struct model_qp *qp)
{
	struct step s = step_of(m, again);
	uint64_t *covered = m->covered;

	m->covered = NULL; /* no program makes these calls */
	again->suspects = find_suspects(&s, again, qp);
	find_masks(&s, again, qp);
	m->covered = covered;
	again->table = m->table;
	again->state = qp->state;
	again->port = qp->port;
}

/* Returns the errno for a mask that the stored words decide, or 0. */
static int plain_error(const struct modify_repeat *again, uint32_t mask)
{
	const struct plain_masks *p = &again->plain[mask & STATES];
	uint32_t surplus;

	if (mask & again->barred)
		return again->bar;
	if (mask & A_AV)
		mask |= p->with_av;
	mask &= ~again->dropped;
	if (!(mask & ~STATES))
		return 0;
	if (p->needs & ~mask)
		return p->missing;
	surplus = mask & ~p->takes;
	return surplus & (surplus - 1) ? p->surplus : 0;
}

/* Returns the errno of a refusal by the mask; 0: decide in full. */
static int refused_by_mask(struct model *m, struct modify_repeat *again,
			   uint32_t mask)
{
	const struct model_qp *qp = qp_of(m, again->bound.on);
	struct step s;
	int err = 0;

	if (qp->rss || !masks_decide(m))
		return 0;
	if (again->table != m->table || again->state != qp->state ||
	    again->port != qp->port)
		prepare(m, again, qp);
	if (mask & again->suspects)
		return 0;
	if (!(mask & ~(uint32_t)A_DEFINED) && !m->covered)
		err = plain_error(again, mask);
	if (err)
		return err;
	s = step_of(m, again);
	return mask_error(&s, again, qp, mask);
}

int model_modify_mask(struct model *m, struct modify_repeat *again,
		      uint32_t mask)
{
	int err = refused_by_mask(m, again, mask);

	if (err) {
		m->timed_calls++;
		return err;
	}
	again->bound.in.qp_attr.mask = mask;
	model_call(m, &again->bound, NULL, NULL, &again->answer);
	return outcome_error(V_modify_qp, &again->answer.outcome);
}

unsigned int model_permits(struct model *m, struct modify_repeat *again,
			   uint32_t mask)
{
	const struct model_qp *qp = qp_of(m, again->bound.on);
	struct step s = step_of(m, again);
	struct faults f = {0};

	again->bound.in.qp_attr.mask = mask;
	check_modify(&s, &f, qp);
	return faults_permit(&f);
}
