/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues that are overrun: which completion has no room, the events,
 * and what becomes of the queue and of its queue pairs.
 */
#include "model/data/poll.h"
#include "model/events/events.h"
#include "model/unseen/failed_qp.h"
#include "model/unseen/optional_completion.h"

/* Returns true if the receives of an XRC SRQ complete to the queue. */
static bool serves_xrc(const struct model *m, uint16_t cq)
{
	for (uint16_t i = first_of(m, OBJ_SRQ); i != NO_OBJ;
	     i = next_of(m, OBJ_SRQ, i)) {
		const struct object *o = &m->object[i];

		if (o->alive && o->srq.type == IBV_SRQT_XRC && o->srq.cq == cq)
			return true;
	}
	return false;
}

/* Returns true if the receives of the queue pair's SRQ complete to the queue.
 */
static bool matches_tags(const struct model *m, const struct model_qp *qp,
			 uint16_t cq)
{
	const struct model_srq *srq;

	if (qp->init.srq == NO_OBJ)
		return false;
	srq = &m->object[qp->init.srq].srq;
	return srq->type == IBV_SRQT_TM && srq->cq == cq;
}

static bool uses(const struct model *m, const struct model_qp *qp, uint16_t cq)
{
	return qp->init.send_cq == cq || qp->init.recv_cq == cq ||
	       matches_tags(m, qp, cq) ||
	       (qp->kind == QK_XRC_RECV && serves_xrc(m, cq));
}

/* An overrun may take the queue pairs of the completion queue to ERR. */
static void raise_fatal_events(struct step *s, uint16_t cq)
{
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i)) {
		const struct object *o = &s->m->object[i];

		if (o->alive && o->real == i && uses(s->m, &o->qp, cq))
			async_add(s->m, IBV_EVENT_QP_FATAL, i, true,
				  ROW_OVERRUN_FATAL);
	}
}

static void overrun(struct step *s, uint16_t slot)
{
	struct model_cq *cq = &s->m->object[slot].cq;

	if (!cq->overrun) {
		record_row(s, ROW_CQ_OVERRUN);
		async_add(s->m, IBV_EVENT_CQ_ERR, slot, false, ROW_CQ_OVERRUN);
		raise_fatal_events(s, slot);
	}
	cq->overrun = true;
}

/* Returns the size of a completion queue. A seeded fault takes an older one. */
static uint64_t size_of(const struct model *m, const struct model_cq *cq)
{
	bool old = cq->first_cqe && cq->first_cqe < cq->cqe &&
		   mutant_has_quirk(m->mutant, QUIRK_RESIZED_ROOM);

	return (uint64_t)(old ? cq->first_cqe : cq->cqe);
}

/* Returns how many completions a queue holds, also those that a virtual device
 * has written into its ring. */
static uint64_t count_held(const struct model *m, uint16_t cq)
{
	const struct model_memory *memory = m->memory;
	uint64_t held = wr_slot(m, cq)->ready;

	if (memory && memory->unread)
		held += memory->unread(memory->arg, cq);
	return held;
}

/* For an oracle: a device may need the room of a batch until ibv_end_poll().
 * libmlx5, for one, gives it back no earlier (_mlx5_end_poll(),
 * providers/mlx5/cq.c). */
static void doubt_room(struct step *s, struct model_cq *cq, uint64_t ready)
{
	uint64_t held = ready + cq->in_batch;

	if (!is_oracle(s) || !cq->in_batch || held <= (uint64_t)cq->cqe ||
	    held <= cq->spare_room)
		return;
	cq->maybe_overrun = true;
	s->m->unseen_events = true;
}

/* A queue may have more room than it says: then all completions are there. */
static bool has_room(struct step *s, const struct model_wr *w)
{
	struct model_cq *cq = &s->m->object[w->cq].cq;
	uint64_t ready = count_held(s->m, w->cq);

	doubt_room(s, cq, ready);
	if (ready <= mutant_window(s->m->mutant, F_cqe, size_of(s->m, cq)) ||
	    ready <= cq->spare_room)
		return true;
	if (cq->overrun)
		return false;
	if (is_oracle(s) && optional_leaves_room(s, w->cq, w))
		return true;
	if (choose_hidden(s, ROW_CQ_OVERRUN) != OUT_OK)
		return false;
	cq->spare_room = (uint32_t)ready;
	return true;
}

/* The first request of a queue pair that finds no room has ended. */
static void note_first(struct model *m, const struct model_wr *w)
{
	if (m->object[w->owner].qp.overran == OVERRAN_NOT)
		in_flight_note_end(m, w);
}

/* A queue that was overrun takes no completion any more. */
bool cq_overruns(struct step *s, const struct model_wr *w)
{
	const struct model_cq *cq = &s->m->object[w->cq].cq;
	bool again = cq->shut;

	if (again)
		record_row(s, ROW_OVERRUN_SHUT);
	if (has_room(s, w) &&
	    (!cq->overrun || mutant_skips(s->m->mutant, ROW_OVERRUN_SHUT)))
		return false;
	overrun(s, w->cq);
	if (w->owner != NO_OBJ && s->m->object[w->owner].kind == OBJ_QP) {
		note_first(s->m, w);
		s->m->object[w->owner].qp.overran =
			again ? OVERRAN_AGAIN : OVERRAN_ONCE;
		s->m->overran = true;
	}
	return true;
}

/* Stops a queue pair. Its sends behind the one without room need not have come.
 */
static void stop(struct step *s, uint16_t slot)
{
	if (device_iwarp(s->d)) {
		iwarp_end(s, slot);
		return;
	}
	in_flight_doubt_receives(s, slot);
	failed_qp_stop(s, slot, IBV_QPS_ERR, false);
	s->m->object[slot].qp.stopped_row = ROW_OVERRUN_QP;
}

/* Stops a queue pair that overran a queue: for certain if the program had seen
 * CQ_ERR before, except on iWARP. */
static void stop_overrunning(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;
	bool again = qp->overran == OVERRAN_AGAIN && !device_iwarp(s->d);

	qp->overran = OVERRAN_NOT;
	if (!qp_takes_requests(qp))
		return;
	if (again)
		record_row(s, ROW_OVERRUN_QP);
	if (again && mutant_skips(s->m->mutant, ROW_OVERRUN_QP))
		return;
	if (!again && choose_hidden(s, ROW_OVERRUN_STOPS) != OUT_STATE_ERR)
		return;
	stop(s, slot);
}

void overrun_end_call(struct step *s)
{
	if (!s->m->overran)
		return;
	s->m->overran = false;
	for (uint16_t i = first_of(s->m, OBJ_QP); i != NO_OBJ;
	     i = next_of(s->m, OBJ_QP, i))
		if (s->m->object[i].real == i &&
		    s->m->object[i].qp.overran != OVERRAN_NOT)
			stop_overrunning(s, i);
}

void overrun_note_seen(struct model *m, const struct model_event *e)
{
	if (e->type == IBV_EVENT_CQ_ERR)
		m->object[e->slot].cq.shut = true;
}

/* Returns true if only a request that was posted after CQ_ERR explains the
 * completion. */
static bool is_late(struct model *m, uint16_t cq, const struct polled_wc *wc)
{
	bool late = false;

	for (uint16_t slot = first_of(m, SET_WORK); slot != NO_OBJ;
	     slot = next_of(m, SET_WORK, slot))
		for (int recv = 0; recv < 2; recv++)
			each_wr(m, wr_list_at(m, slot, recv), w)
			{
				if (w->wr_id != wc->wr_id || w->cq != cq)
					continue;
				if (!w->after_shut)
					return false;
				late = true;
			}
	return late;
}

int overrun_late(struct step *s, uint16_t cq)
{
	if (!s->m->object[cq].cq.shut)
		return -1;
	record_row(s, ROW_OVERRUN_SHUT);
	for (unsigned int n = 0; n < seen_wc_count(s); n++)
		if (is_late(s->m, cq, seen_wc(s, n)))
			return (int)n;
	return -1;
}

void cq_note_overrun(struct step *s, uint16_t slot)
{
	if (!is_oracle(s) || slot == NO_OBJ || !s->m->wrs.sending ||
	    optional_most(s, slot) <= s->m->object[slot].cq.cqe)
		return;
	s->m->object[slot].cq.maybe_overrun = true;
	s->m->unseen_events = true;
}

static bool may_be_overrun(struct step *s, uint16_t cq)
{
	const struct object *o = &s->m->object[cq];

	cq_note_overrun(s, cq);
	return o->alive && (o->cq.overrun || o->cq.maybe_overrun);
}

/* Returns true if an overrun may have taken a queue pair to ERR. */
static bool may_have_failed(struct step *s, uint16_t qp)
{
	for (uint16_t i = first_of(s->m, OBJ_CQ); i != NO_OBJ;
	     i = next_of(s->m, OBJ_CQ, i))
		if (uses(s->m, &s->m->object[qp].qp, i) && may_be_overrun(s, i))
			return true;
	return false;
}

bool async_overrun_seen(struct step *s)
{
	uint64_t type = answer_seen(s, F_event_type, NO_EVENT);
	uint64_t cq = answer_seen(s, F_event_cq, NO_OBJ);
	uint64_t qp = answer_seen(s, F_event_qp, NO_OBJ);
	int before = s->m->nevents;

	if (type == IBV_EVENT_CQ_ERR && cq < s->m->top &&
	    may_be_overrun(s, (uint16_t)cq))
		overrun(s, (uint16_t)cq);
	else if (type == IBV_EVENT_QP_FATAL && qp < s->m->top &&
		 s->m->object[qp].real == qp &&
		 s->m->object[qp].device == s->device &&
		 may_have_failed(s, (uint16_t)qp))
		async_add(s->m, IBV_EVENT_QP_FATAL, (uint16_t)qp, true,
			  ROW_OVERRUN_FATAL);
	return s->m->nevents > before;
}
