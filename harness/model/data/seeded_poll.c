/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults in completions and in what a receive takes.
 */
#include "contract/opcodes.h"
#include "model/data/poll.h"
#include "model/data/seeded.h"

#define IN_ENTRY 32u /* bytes of a message that fit in its completion */

uint16_t seeded_flushed_qp(const struct step *s, const struct model_wr *w,
			   uint16_t usual)
{
	struct model_cq *cq = &s->m->object[s->b->on].cq;

	if (!mutant_has_quirk(s->m->mutant, QUIRK_FLUSH_QP))
		return usual;
	if (w->status != IBV_WC_WR_FLUSH_ERR)
		cq->hardware_qp = (uint16_t)(w->owner + 1);
	else if (s->b->verb == V_poll_cq && cq->flushed++ && cq->hardware_qp)
		return (uint16_t)(cq->hardware_qp - 1);
	return usual;
}

bool seeded_was_there(const struct step *s, const struct model_wr *w)
{
	return mutant_has_quirk(s->m->mutant, QUIRK_BATCH_AHEAD) &&
	       w->done_order <= s->m->object[s->b->on].cq.done_before;
}

uint64_t seeded_room(const struct model *m, const struct model_wr *w,
		     const struct model_wr *r, uint64_t room)
{
	const struct model_qp *qp = &m->object[r->owner].qp;
	uint32_t first = element_at(&r->data, 0).length;

	if (!mutant_has_quirk(m->mutant, QUIRK_CQE_FIRST) ||
	    qp->kind != QK_RC || r->data.n < 2 || w->length > IN_ENTRY)
		return room;
	return first < room ? first : room;
}

bool seeded_passes_atomic(struct model *m, const struct model_wr *w)
{
	if (!mutant_has_quirk(m->mutant, QUIRK_FENCE_OPEN) || !w->fenced)
		return false;
	each_wr(m, wr_list_at(m, w->owner, 0), before)
	{
		const struct opcode *op = opcode_of(before->opcode);

		if (before == w)
			break;
		if (op && op->atomic &&
		    (before->stage == WR_DONE || before->stage == WR_RETIRED) &&
		    before->data.mr == m->fence_before.mr &&
		    before->data.offset == m->fence_before.offset)
			return true;
	}
	return false;
}

bool seeded_ends_early(const struct model *m, const struct model_wr *r,
		       uint16_t peer, uint64_t bytes)
{
	const struct model_qp *qp = &m->object[peer].qp;

	if (!mutant_has_quirk(m->mutant, QUIRK_EMPTY_MIDDLE) ||
	    (qp->kind != QK_RC && qp->kind != QK_UD) || r->srq != NO_OBJ ||
	    r->data.n != 3 || element_at(&r->data, 1).length)
		return false;
	return bytes > element_at(&r->data, 0).length && bytes <= r->length;
}

bool seeded_finds_none(const struct step *s)
{
	struct model_cq *cq = &s->m->object[s->b->on].cq;
	bool turned = cq->turned;

	cq->turned = false;
	return turned && s->b->verb == V_poll_cq &&
	       (mutant_has_quirk(s->m->mutant, QUIRK_TURN_EMPTY) ||
		mutant_has_quirk(s->m->mutant, QUIRK_TURN_EMPTY_POWER)) &&
	       poll_is_single(&s->b->in.poll);
}

void seeded_note_turn(const struct step *s, bool any)
{
	struct model_cq *cq = &s->m->object[s->b->on].cq;

	uint32_t ring = (uint32_t)cq->cqe;

	if (mutant_has_quirk(s->m->mutant, QUIRK_TURN_EMPTY_POWER))
		for (ring = 1; ring < (uint32_t)cq->cqe + 1;)
			ring *= 2;
	cq->turned = any && s->b->verb == V_poll_cq && !(cq->taken % ring);
}

void seeded_keep_imm(const struct step *s, unsigned int n)
{
	struct polled_wc *wc = s->a->outcome.out.polled.wc;

	if (s->b->verb == V_poll_cq &&
	    mutant_has_quirk(s->m->mutant, QUIRK_IMM_CALL) &&
	    wc[n - 1].wc_flags & IBV_WC_WITH_IMM)
		wc[n].wc_flags |= IBV_WC_WITH_IMM;
}

void seeded_cache_srq(const struct step *s, struct model_wr *w)
{
	struct model_cq *cq = &s->m->object[s->b->on].cq;

	if (s->b->verb != V_next_poll)
		cq->srq_cached = false;
	if (!w->recv || w->tm != TM_NONE ||
	    !mutant_has_quirk(s->m->mutant, QUIRK_SRQ_CACHED))
		return;
	if (w->srq != NO_OBJ) {
		cq->srq_cached = true;
		cq->cached_id = w->wr_id;
	} else if (cq->srq_cached) {
		w->wr_id = cq->cached_id;
	}
}
