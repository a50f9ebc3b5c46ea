// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages that nothing promises to arrive, those of UC and UD. A message that
 * is lost leaves the receive where it was: the next one takes it, or ERR
 * flushes it. An oracle hands each message to a receive as if none were lost,
 * and takes it back when the device under test shows that one was. One that
 * finds no receive is kept in mind behind them: it may have got theirs. Where
 * an arrival would raise an event it is decided at once.
 */
#include "model/data/poll.h"

bool unreliable(enum qp_kind kind)
{
	return kind == QK_UC || kind == QK_UD;
}

static enum qp_kind kind_of(const struct step *s, uint16_t qp)
{
	return (enum qp_kind)s->m->object[qp].qp.kind;
}

/* Would the loss of a message hide the rule that it is there to show? */
static bool is_needed(const struct model_work *w, enum qp_kind kind)
{
	return kind == QK_UD && w->remote_qkey >> 31;
}

/* Does it show at once whether a message came to a receive? */
static bool shows_at_once(const struct step *s, const struct model_work *w,
			  const struct model_work *r, uint16_t peer)
{
	return tells_arrival(s, receive_cq(s->m, r, peer), w->solicited) ||
	       (r->srq != NO_OBJ && runs_low(s, r->srq));
}

bool loses_message(struct step *s, const struct model_work *w,
		   struct model_work *r, uint16_t peer, bool fails)
{
	enum qp_kind kind = kind_of(s, peer);

	if (!unreliable(kind) || is_needed(w, kind))
		return false;
	meet(s, ROW_POLL_LOST);
	meet(s, ROW_POLL_ARRIVES);
	if (is_oracle(s))
		return (fails || shows_at_once(s, w, r, peer)) &&
		       settle_hidden(s, ROW_POLL_LOST) == OUT_LOST;
	if (mutant_skips(s->m->mutant, ROW_POLL_ARRIVES))
		return true;
	if (mutant_skips(s->m->mutant, ROW_POLL_LOST)) {
		work_stage(s->m, r, WORK_RETIRED);
		return true;
	}
	return mutant_choice(s->m->mutant, ROW_POLL_LOST) == OUT_LOST;
}

void note_lossy(const struct step *s, const struct model_work *w,
		struct model_work *r, uint16_t peer)
{
	enum qp_kind kind = kind_of(s, peer);

	r->ends = is_needed(w, kind) ? ROW_UD_QKEY_OWN : ROW_NONE;
	if (!is_oracle(s) || !unreliable(kind) || is_needed(w, kind) ||
	    shows_at_once(s, w, r, peer))
		return;
	r->lossy = LOSSY_WAITS;
	if (s->m->object[w->owner].device == s->m->object[peer].device)
		s->m->object[peer].qp.unheard++;
}

struct model_work *note_stray(const struct step *s, uint16_t peer)
{
	const struct queue q = {peer, NO_OBJ, true};
	bool any = false;
	struct model_work *stray;

	if (!is_oracle(s) || !unreliable(kind_of(s, peer)))
		return NULL;
	each_work(s->m, work_list(s->m, &q), r) any |= r->lossy != LOSSY_NOT;
	stray = any ? work_add(s->m, &q) : NULL;
	if (!stray)
		return NULL;
	work_stage(s->m, stray, WORK_STRAY);
	stray->lossy = LOSSY_WAITS;
	return stray;
}

bool lossy_status(const struct model_work *r, uint32_t status)
{
	return r->lossy == LOSSY_FLUSHED && status == IBV_WC_WR_FLUSH_ERR;
}

/* By which row a message may not have come. */
static enum row row_of(const struct step *s, const struct model_work *r)
{
	return unreliable(kind_of(s, r->owner)) ? ROW_POLL_LOST
						: ROW_POLL_IN_FLIGHT;
}

/* A choice that is not the best one. */
static void depart(struct step *s, const struct model_work *r)
{
	static const uint64_t values[2] = {0, 1};

	settle_value(s, row_of(s, r), values, 2, 1);
	s->m->bytes_lost = true; /* where the messages are is not followed */
}

/* Everything that a completion says of the message, and not of the receive. */
static void move_message(struct model_work *to, const struct model_work *from)
{
	to->length = from->length;
	to->segment = from->segment;
	to->completed = from->completed;
	to->imm = from->imm;
	to->imm_data = from->imm_data;
	to->invalidated = from->invalidated;
	to->invalidates = from->invalidates;
	to->src_qp = from->src_qp;
	to->sender = from->sender;
	to->from = from->from;
	to->message = from->message;
	to->grh = from->grh;
	to->slid = from->slid;
	to->sl = from->sl;
	to->path_bits = from->path_bits;
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

/* The message of `r` was lost: those behind it move up, as far as to one that
 * found no receive. */
static void lose_first(struct model *m, struct model_work *r)
{
	struct model_work *next;

	while ((next = next_lossy(m, r)) != NULL) {
		move_message(r, next);
		if (next->stage == WORK_STRAY) {
			work_remove(m, next);
			return;
		}
		r = next;
	}
	give_back(m, r);
}

/* How many messages before the one that a completion tells of; 0 also where it
 * tells of none of them, which is a fault. */
static int lost_before(struct step *s, const struct model_work *r,
		       const struct polled_wc *wc)
{
	int lost = 0;

	for (; r; r = next_lossy(s->m, r), lost++)
		if (wc_speaks_of(s, r, wc))
			return lost;
	return 0;
}

void settle_lost(struct step *s, struct model_work *r,
		 const struct polled_wc *wc)
{
	bool all = lossy_status(r, wc->status);
	bool behind = r->lossy && unreliable(kind_of(s, r->owner));
	int lost = behind ? lost_before(s, r, wc) : 0;

	if (r->recv && wc->status == IBV_WC_SUCCESS)
		s->m->object[r->owner].qp.unheard = 0;
	if (!all && !lost)
		return;
	depart(s, r);
	while (r->lossy && (all || lost-- > 0))
		lose_first(s->m, r);
}

/* So many without one that arrives are no chance; within a time in which any
 * device gets to it. */
#define ALL_LOST    16
#define ARRIVING_MS 1000

static bool too_many(const struct step *s, const struct model_work *r)
{
	return s->m->object[r->owner].qp.unheard >= ALL_LOST &&
	       s->b->in.poll.timeout_ms >= ARRIVING_MS;
}

bool settle_missing(struct step *s, const struct model_work *r)
{
	if (r->lossy != LOSSY_WAITS || too_many(s, r))
		return false;
	depart(s, r);
	return true;
}

/* The first of a list that waits in a receive queue of its own, or NULL. */
static struct model_work *first_unsure(struct model *m, struct work_list *list)
{
	each_work(m, list, w)
	{
		if (w->stage == WORK_DONE && w->lossy == LOSSY_WAITS &&
		    w->srq == NO_OBJ)
			return w;
	}
	return NULL;
}

/* What is flushed raises an event: was anything left for it? */
static void settle_left(struct step *s, struct work_list *list)
{
	struct model_work *w;

	while (!work_next(s->m, list) &&
	       (w = first_unsure(s->m, list)) != NULL &&
	       tells_arrival(s, w->cq, true)) {
		enum row row = row_of(s, w);

		if (settle_hidden(s, row) == rule(row)->out[0]) {
			w->lossy = LOSSY_NOT;
			continue;
		}
		s->m->bytes_lost = true;
		lose_first(s->m, w);
	}
}

void flush_lossy(struct step *s, struct work_list *list)
{
	if (!is_oracle(s))
		return;
	settle_left(s, list);
	each_work(s->m, list, w)
	{
		if (w->lossy && w->srq == NO_OBJ)
			w->lossy = LOSSY_FLUSHED;
	}
}
