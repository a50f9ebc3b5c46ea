/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what is known beforehand of threads that race. The outcome is that of
 * one call after the other if all requests that they have outstanding at once
 * find room, nothing else completes, arrives or ends meanwhile, and they wait
 * long enough. Any other outcome depends on who is faster.
 */
#include "contract/opcodes.h"
#include "model/unseen/threads.h"

#define PATIENCE_MS 1000 /* a busy machine gets to a completion in so long */

static uint32_t all_of(const struct race_args *in)
{
	return in->count * in->posters;
}

uint32_t threads_posts(const struct race_args *in)
{
	return in->depth > RACE_BATCH ? all_of(in) : 0;
}

/* Returns how many requests so many threads may have outstanding at once: each
 * may have looked for room before the others posted. */
static uint32_t at_once(const struct race_args *in, uint32_t threads)
{
	uint32_t most = in->depth - RACE_BATCH - 1 + threads;

	return most < threads_posts(in) ? most : threads_posts(in);
}

static uint32_t sends_at_once(const struct race_args *in)
{
	return at_once(in, in->posters);
}

static uint32_t receives_at_once(const struct race_args *in)
{
	return in->receivers ? at_once(in, in->receivers) : 0;
}

/* Returns true if a request may complete in the queue, or take what the threads
 * post. */
static bool interferes(const struct model_wr *w, uint16_t cq)
{
	if (w->stage == WR_DONE)
		return w->cq == cq;
	return w->stage != WR_DISCARDED && w->stage != WR_RETIRED;
}

/* Returns true if a queue other than those of slot `but` has a request for
 * which `counts` returns true. */
static bool others_have_wrs(struct model *m, uint16_t but, uint16_t cq,
			    bool (*counts)(const struct model_wr *w,
					   uint16_t cq))
{
	for (uint16_t slot = first_of(m, SET_WORK); slot != NO_OBJ;
	     slot = next_of(m, SET_WORK, slot))
		for (int recv = 0; slot != but && recv < 2; recv++)
			each_wr(m, wr_list_at(m, slot, recv), w)
			{
				if (counts(w, cq))
					return true;
			}
	return false;
}

/* Returns true if no request interferes with the threads. */
static bool is_quiet(struct model *m, uint16_t cq)
{
	return !others_have_wrs(m, NO_OBJ, cq, interferes);
}

/* Returns true if the thread that waits for events reads only those that its
 * own armings raise. */
static bool hears_alone(const struct step *s, uint16_t slot)
{
	const struct model_cq *cq = &s->m->object[slot].cq;

	for (uint16_t i = first_of(s->m, OBJ_CQ); i != NO_OBJ;
	     i = next_of(s->m, OBJ_CQ, i))
		if (i != slot && s->m->object[i].alive &&
		    s->m->object[i].cq.channel == cq->channel)
			return false;
	return !cq->events && cq->armed == DISARMED && !s->m->unseen_events;
}

bool threads_complete_alone(struct step *s, const struct race_args *in)
{
	uint16_t slot = qp_of(s->m, s->b->on)->init.send_cq;
	const struct model_cq *cq = &s->m->object[slot].cq;

	return !cq->overrun && !cq->maybe_overrun && !cq->stale &&
	       is_quiet(s->m, slot) && (!in->events || hears_alone(s, slot)) &&
	       (int64_t)sends_at_once(in) + receives_at_once(in) <= cq->cqe;
}

static bool has_room(const struct model *m, uint16_t slot, bool recv,
		     uint32_t more, uint32_t room)
{
	return wr_list_at(m, slot, recv)->occupied + (uint64_t)more <= room;
}

static bool sends_have_room(const struct step *s, const struct race_args *in)
{
	uint16_t slot = obj(s->m, s->b->on)->real;

	return has_room(s->m, slot, false, sends_at_once(in),
			s->m->object[slot].qp.init.cap.max_send_wr);
}

/* An SRQ must not be armed: it would raise its event if it ran low for a
 * moment. */
static bool receives_have_room(const struct step *s, const struct race_args *in)
{
	uint16_t slot = in->recv_srq;
	const struct ibv_srq_attr *srq;

	if (!in->receivers)
		return true;
	if (slot == NO_OBJ) {
		slot = obj(s->m, in->recv_qp)->real;
		return has_room(s->m, slot, true, receives_at_once(in),
				s->m->object[slot].qp.init.cap.max_recv_wr);
	}
	srq = &s->m->object[slot].srq.attr;
	return !srq->srq_limit &&
	       has_room(s->m, slot, true, receives_at_once(in), srq->max_wr);
}

/* Returns true if it is known which bytes the receives get: each message
 * arrives, and is not sent from the memory that it comes to. */
static bool messages_are_known(const struct race_args *in, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(in->opcode);

	if (!in->receivers)
		return true;
	return kind_is_reliable(kind) && op->receive && !op->access &&
	       in->into != in->mr;
}

bool threads_result_is_known(struct step *s, const struct race_args *in)
{
	enum qp_kind kind = (enum qp_kind)qp_of(s->m, s->b->on)->kind;

	return in->timeout_ms >= PATIENCE_MS && s->m->link == LINK_HEAL &&
	       (in->ah == NO_OBJ || kind_addresses(kind)) &&
	       messages_are_known(in, kind) && sends_have_room(s, in) &&
	       receives_have_room(s, in);
}

/* Returns true if a request may complete in the queue by itself. An outstanding
 * receive does not. */
static bool may_complete(const struct model_wr *w, uint16_t cq)
{
	return interferes(w, cq) && (!w->recv || w->stage == WR_DONE);
}

/* Completions of the queue pair itself are dropped with it. */
bool threads_poll_takes_others(struct model *m, uint16_t qp, uint16_t cq)
{
	return others_have_wrs(m, qp, cq, may_complete);
}
