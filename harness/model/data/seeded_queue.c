/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults in the places and turns of queues.
 */
#include "contract/opcodes.h"
#include "model/data/packet.h"
#include "model/data/post.h"
#include "model/data/seeded.h"

#define PSNS 0x1000000u

static bool has(const struct step *s, enum quirk quirk)
{
	return mutant_has_quirk(s->m->mutant, quirk);
}

void seeded_note_post(const struct step *s, struct model_wr *w)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;

	if (!s->m->mutant || w->recv)
		return;
	w->call = s->m->seeded_calls;
	if (has(s, QUIRK_SQD_SLEEPS) && s->b->verb == V_post_send &&
	    qp->kind == QK_RC && qp->state == IBV_QPS_SQD)
		w->unrung = qp->unrung = true;
	if (has(s, QUIRK_SQD_EMPTY_SLEEPS) && qp->kind == QK_RC &&
	    qp->state == IBV_QPS_SQD && qp->sqd_empty)
		w->unrung = qp->unrung = true;
}

bool seeded_sleeps_on(const struct step *s)
{
	return (has(s, QUIRK_SQD_SLEEPS) || has(s, QUIRK_SQD_EMPTY_SLEEPS)) &&
	       qp_of(s->m, s->b->on)->state == IBV_QPS_SQD;
}

void seeded_keep_places(const struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;

	if (!has(s, QUIRK_RESET_COUNTS) || qp->kind != QK_RC)
		return;
	each_wr(s->m, wr_list_at(s->m, slot, 0), w)
	{
		if (w->stage == WR_DONE && w->status == IBV_WC_WR_FLUSH_ERR)
			qp->aborted++;
	}
}

void seeded_keep_place(const struct step *s, const struct model_wr *retired,
		       const struct model_wr *w)
{
	if (!w->recv && has(s, QUIRK_TAIL_CALL) && retired->call != w->call)
		s->m->object[w->owner].qp.aborted++;
}

bool seeded_psn_lost(const struct step *s, struct model_wr *w)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;
	const struct opcode *op = opcode_of(w->opcode);
	uint32_t first, n;

	if ((!has(s, QUIRK_PSN_CROSSES) && !has(s, QUIRK_PSN_CROSSES_UC)) ||
	    !op || op->own || op->local ||
	    (qp->kind != QK_RC && qp->kind != QK_UC))
		return false;
	if (has(s, QUIRK_PSN_CROSSES_UC) && qp->kind != QK_UC)
		return false;
	if (w->psn_counted)
		return w->crosses;
	n = packet_count(s->m, w);
	first = (qp->attr.sq_psn + qp->psn_sent) % PSNS;
	qp->psn_sent = (qp->psn_sent + n) % PSNS;
	w->psn_counted = true;
	w->crosses = n > 1 && first + n > PSNS && !opcode_fetches(op);
	return w->crosses;
}

/* Returns the completion of the queue that was done first behind `order`, or
 * NULL. */
static struct model_wr *next_of_cq(const struct step *s, uint16_t cq,
				   uint32_t order)
{
	struct model_wr *first = NULL;
	struct wr_list *list;

	for (unsigned int i = 0; (list = wr_next_list_of_cq(s->m, cq, &i));)
		each_wr(s->m, list, w)
		{
			if (w->stage == WR_DONE && w->cq == cq &&
			    w->done_order > order &&
			    (!first || w->done_order < first->done_order))
				first = w;
		}
	return first;
}

void seeded_lose_moved(const struct step *s, uint16_t qp, uint16_t cq)
{
	struct model_wr *w, *lost = NULL;
	uint32_t ring, at, behind = 0;

	if (!has(s, QUIRK_DESTROY_WRAP) || cq == NO_OBJ)
		return;
	ring = (uint32_t)s->m->object[cq].cq.cqe;
	at = s->m->object[cq].cq.taken;
	for (w = next_of_cq(s, cq, 0); w; w = next_of_cq(s, cq, w->done_order))
		behind += w->owner == qp;
	/* The entries of others move behind those that go. */
	for (w = next_of_cq(s, cq, 0); w;
	     w = next_of_cq(s, cq, w->done_order), at++) {
		if (w->owner == qp)
			behind--;
		else if (at / ring != (at + behind) / ring)
			lost = w;
		if (lost == w)
			w->moved_away = true;
	}
	while (lost) {
		lost = NULL;
		for (w = next_of_cq(s, cq, 0); w;
		     w = next_of_cq(s, cq, w->done_order))
			if (w->moved_away)
				lost = w;
		if (lost)
			wr_remove(s->m, lost);
	}
}

void seeded_note_built(const struct step *s, const struct faults *f,
		       struct model_wr *w, const struct wr_args *in)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;

	if (!s->m->mutant)
		return;
	w->asks = in->send_flags & IBV_SEND_SIGNALED;
	qp->bad_inline |= f->n != 0;
	if (!qp->bad_inline)
		qp->good_built++;
}

bool seeded_stays(const struct step *s, struct model_wr *w, enum row row)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;

	if (w->left_over)
		return true;
	if (!has(s, QUIRK_BATCH_REST) || row != ROW_WR_WHOLE ||
	    s->a->row != ROW_WR_INLINE || !qp->good_built)
		return false;
	qp->good_built--;
	w->left_over = true;
	return true;
}

void seeded_signal_last(const struct step *s)
{
	const struct wr_list *list =
		wr_list_at(s->m, obj(s->m, s->b->on)->real, 0);
	struct model_wr *last = NULL;

	if (!has(s, QUIRK_BATCH_LAST))
		return;
	each_wr(s->m, list, w)
	{
		if (w->stage != WR_BUILT)
			continue;
		if (last)
			last->signaled = last->asks;
		last = w;
	}
}

void seeded_lose_wrapped(const struct step *s, uint16_t cq)
{
	uint32_t ring = (uint32_t)s->m->object[cq].cq.cqe;
	uint32_t at = s->m->object[cq].cq.taken % ring;
	struct model_wr *w, *next;

	if (!has(s, QUIRK_RESIZE_WRAP))
		return;
	for (w = next_of_cq(s, cq, 0); w; w = next, at++) {
		next = next_of_cq(s, cq, w->done_order);
		if (at >= ring)
			wr_remove(s->m, w);
	}
}

void seeded_keep_reads(const struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;
	const struct wr_list *list = wr_list_at(s->m, slot, 0);
	struct model_wr *first = wr_next_posted(s->m, list);
	uint32_t reads = 0;

	if (!has(s, QUIRK_READS_KEPT) || qp->kind != QK_RC || !first ||
	    !first->waits_for)
		return;
	each_wr(s->m, list, w)
	{
		const struct opcode *op = opcode_of(w->opcode);

		reads += w->stage == WR_POSTED && op && opcode_fetches(op);
	}
	if (qp->attr.max_rd_atomic && reads >= qp->attr.max_rd_atomic)
		qp->reads_kept = qp->attr.max_rd_atomic;
}

bool seeded_reads_stuck(const struct model *m, const struct model_wr *w)
{
	const struct model_qp *qp = &m->object[w->owner].qp;
	const struct opcode *op = opcode_of(w->opcode);

	return qp->reads_kept && op && opcode_fetches(op) &&
	       qp->reads_kept >= qp->attr.max_rd_atomic;
}

void seeded_keep_size(const struct step *s, struct model_wr *w)
{
	const struct wr_list *list = wr_list_at(s->m, w->owner, 0);
	struct model_wr *before = NULL;

	bool any = has(s, QUIRK_SIZE_STALE_ANY);

	if ((!has(s, QUIRK_SIZE_STALE) && !any) ||
	    s->b->in.wr.setter != SET_SGE_LIST || w->data.n ||
	    (w->opcode != IBV_WR_SEND_WITH_IMM && !any))
		return;
	each_wr(s->m, list, i)
	{
		if (i == w)
			break;
		if (i->stage == WR_BUILT)
			before = i;
	}
	if (!before || (before->opcode != IBV_WR_SEND && !any) ||
	    before->copy != NO_OBJ)
		return;
	w->data = before->data;
	w->length = before->length;
}

void seeded_take_next_id(const struct step *s, struct model_wr *w)
{
	const struct wr_list *list = wr_list_at(s->m, w->owner, 0);
	const struct model_qp *qp = &s->m->object[w->owner].qp;
	bool behind = false, between = false;

	if (has(s, QUIRK_ERROR_ID_ANY) && !w->signaled) {
		each_wr(s->m, list, i)
		{
			behind |= i == w;
			if (behind && i->signaled && i->stage == WR_POSTED) {
				w->wr_id = i->wr_id;
				return;
			}
		}
		return;
	}
	if (!has(s, QUIRK_ERROR_ID) || qp->kind != QK_RC || w->signaled ||
	    !qp->send_polled)
		return;
	each_wr(s->m, list, i)
	{
		if (i == w) {
			behind = true;
		} else if (!behind && i->stage == WR_DONE) {
			return;
		} else if (!behind) {
			between |= i->stage == WR_RETIRED;
		} else if (i->signaled && i->stage == WR_POSTED && between) {
			w->wr_id = i->wr_id;
			return;
		}
	}
}
