// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages that nothing promises to arrive, those of UC and UD. A message that
 * is lost leaves the receive where it was: the next one takes it, or ERR
 * flushes it. An oracle hands each message to a receive as if none were lost,
 * and takes it back when the device under test shows that one was.
 */
#include "model/internal.h"

bool unreliable(enum qp_kind kind)
{
	return kind == QK_UC || kind == QK_UD;
}

bool loses_message(const struct step *s, struct model_work *r,
		   enum qp_kind kind)
{
	if (!unreliable(kind))
		return false;
	meet(s, ROW_POLL_LOST);
	if (is_oracle(s))
		return false;
	if (mutant_skips(s->m->mutant, ROW_POLL_LOST)) {
		work_stage(s->m, r, WORK_RETIRED);
		return true;
	}
	return mutant_choice(s->m->mutant, ROW_POLL_LOST) == OUT_LOST;
}

void note_lossy(const struct step *s, struct model_work *r)
{
	if (!is_oracle(s))
		return;
	r->lossy = LOSSY_WAITS;
	r->room = r->length;
}

bool lossy_status(const struct model_work *r, uint32_t status)
{
	return r->lossy == LOSSY_FLUSHED && status == IBV_WC_WR_FLUSH_ERR;
}

/* A choice that is not the best one. */
static void depart(struct step *s)
{
	static const uint64_t values[2] = {0, 1};

	settle_value(s, ROW_POLL_LOST, values, 2, 1);
	s->m->bytes_lost = true; /* where the messages are is not followed */
}

/* Everything that a completion says of the message, and not of the receive. */
static void move_message(struct model_work *to, const struct model_work *from)
{
	to->length = from->length;
	to->completed = from->completed;
	to->imm = from->imm;
	to->imm_data = from->imm_data;
	to->src_qp = from->src_qp;
	to->sender = from->sender;
	to->grh = from->grh;
	to->slid = from->slid;
	to->sl = from->sl;
	to->path_bits = from->path_bits;
}

static bool tells_of(const struct model_work *w, const struct polled_wc *wc)
{
	return w->completed == wc->opcode && w->length == wc->byte_len &&
	       w->imm == !!(wc->wc_flags & IBV_WC_WITH_IMM) &&
	       (!w->imm || w->imm_data == wc->imm_data);
}

/* The receive that the message after that of `r` went to, or NULL. */
static struct model_work *next_lossy(struct model *m,
				     const struct model_work *r)
{
	struct model_work *next = work_after(m, r);

	while (next && !next->lossy)
		next = work_after(m, next);
	return next;
}

/* A receive that no message is left for. */
static void give_back(struct model *m, struct model_work *r)
{
	bool flushed = r->lossy == LOSSY_FLUSHED;

	r->lossy = LOSSY_NOT;
	if (flushed) {
		r->status = IBV_WC_WR_FLUSH_ERR;
		return;
	}
	r->length = r->room;
	work_stage(m, r, WORK_POSTED);
	if (r->srq != NO_OBJ)
		work_return(m, r);
}

/* The message of `r` was lost: those behind it move up. */
static void lose_first(struct model *m, struct model_work *r)
{
	struct model_work *next;

	while ((next = next_lossy(m, r)) != NULL) {
		move_message(r, next);
		r = next;
	}
	give_back(m, r);
}

/* How many messages before the one that a completion tells of; 0 also where it
 * tells of none of them, which is a fault. */
static int lost_before(struct model *m, const struct model_work *r,
		       const struct polled_wc *wc)
{
	int lost = 0;

	for (; r; r = next_lossy(m, r), lost++)
		if (tells_of(r, wc))
			return lost;
	return 0;
}

void settle_lost(struct step *s, struct model_work *r,
		 const struct polled_wc *wc)
{
	bool all = lossy_status(r, wc->status);
	int lost = r->lossy ? lost_before(s->m, r, wc) : 0;

	if (!all && !lost)
		return;
	depart(s);
	while (r->lossy && (all || lost-- > 0))
		lose_first(s->m, r);
}

bool settle_missing(struct step *s, const struct model_work *r)
{
	if (r->lossy != LOSSY_WAITS)
		return false;
	depart(s);
	return true;
}
