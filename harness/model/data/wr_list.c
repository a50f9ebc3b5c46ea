/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The pool of work requests and the lists of the work queues: adds, removes and
 * moves requests, changes their stage, and keeps the counters right.
 */
#include <stddef.h>
#include "model/internal.h"

#define POOL(m) (&(m)->wrs)

size_t wr_pool_size(const struct wr_pool *p)
{
	size_t places = p->top ? (size_t)p->top + 1 : 0;

	return offsetof(struct wr_pool, at) + places * sizeof(p->at[0]);
}

void wr_pool_reset(struct wr_pool *p)
{
	memset(p, 0, offsetof(struct wr_pool, at));
}

/* Returns true if two lists hold equal requests in the same order. */
static bool same_list(const struct wr_pool *a, const struct wr_list *la,
		      const struct wr_pool *b, const struct wr_list *lb)
{
	uint16_t i = la->first, k = lb->first;

	if (la->occupied != lb->occupied || la->posted != lb->posted)
		return false;
	while (i && k &&
	       !memcmp(&a->at[i], &b->at[k],
		       offsetof(struct model_wr, before))) {
		i = a->at[i].after;
		k = b->at[k].after;
	}
	return !i && !k;
}

static bool same_queue(const struct model *a, const struct model *b,
		       uint16_t slot, bool recv)
{
	return same_list(POOL(a), wr_list_at(a, slot, recv), POOL(b),
			 wr_list_at(b, slot, recv));
}

bool wr_lists_equal(const struct model *a, const struct model *b)
{
	if (POOL(a)->used != POOL(b)->used)
		return false;
	for (uint16_t slot = 0; POOL(a)->used && slot < a->top; slot++)
		if (!same_queue(a, b, slot, false) ||
		    !same_queue(a, b, slot, true))
			return false;
	return true;
}

struct wr_list *wr_list_of(struct model *m, const struct wr_queue *q)
{
	uint16_t slot = q->srq != NO_OBJ ? q->srq : q->owner;

	return wr_list_at(m, slot, q->recv);
}

/* Returns the slot whose list a request stands in. */
static uint16_t holder(const struct model_wr *w)
{
	return w->owner != NO_OBJ ? w->owner : w->srq;
}

/* Returns the list whose room a request takes up. A receive of an SRQ takes up
 * room of the SRQ until it is polled, also when a queue pair has it. */
static struct wr_list *room_of(struct model *m, const struct model_wr *w)
{
	uint16_t slot = w->srq != NO_OBJ ? w->srq : w->owner;

	return wr_list_at(m, slot, w->recv);
}

static struct model_wr *at(struct model *m, uint16_t place)
{
	return place ? &POOL(m)->at[place] : NULL;
}

static uint16_t place_of(struct model *m, const struct model_wr *w)
{
	return (uint16_t)(w - POOL(m)->at);
}

struct model_wr *wr_first(struct model *m, const struct wr_list *list)
{
	return at(m, list->first);
}

struct model_wr *wr_after(struct model *m, const struct model_wr *w)
{
	return at(m, w->after);
}

struct model_wr *wr_next_posted(struct model *m, const struct wr_list *list)
{
	return at(m, list->next);
}

/* Returns a free place of the pool, or 0 if it is full. */
static uint16_t new_place(struct wr_pool *p)
{
	uint16_t place = p->free;

	if (place)
		p->free = p->at[place].after;
	else if (p->top < MODEL_MAX_WRS)
		place = ++p->top;
	p->used = (uint16_t)(p->used + (place != 0));
	return place;
}

/* Gives a place back. An empty pool starts anew from place 1, so that the part
 * of it that models copy stays small. */
static void free_place(struct wr_pool *p, uint16_t place)
{
	p->at[place].after = p->free;
	p->free = place;
	if (--p->used)
		return;
	p->free = 0;
	p->top = 0;
}

/* A work queue: its list, and the slot of the model that has the queue. */
struct line {
	struct wr_list *list;
	uint16_t slot;
	bool recv;
};

static struct line line_at(struct model *m, uint16_t slot, bool recv)
{
	return (struct line){wr_list_at(m, slot, recv), slot, recv};
}

/* Returns the work queue in which a request stands. */
static struct line line_of(struct model *m, const struct model_wr *w)
{
	return line_at(m, holder(w), w->recv);
}

/* Sets the request that is carried out next, and keeps the set of slots with
 * such sends (SET_SENDING) up to date. */
static void set_next(struct model *m, const struct line *l, uint16_t place)
{
	if (!l->recv && place && !l->list->next) {
		index_put(m, SET_SENDING, l->slot);
		POOL(m)->sending++;
	} else if (!l->recv && !place && l->list->next) {
		index_take(m, SET_SENDING, l->slot);
		POOL(m)->sending--;
	}
	l->list->next = place;
}

static bool has_work(const struct model *m, uint16_t slot)
{
	return wr_list_at(m, slot, false)->first ||
	       wr_list_at(m, slot, true)->first;
}

/* Puts a request at the end of a work queue. */
static void append(struct model *m, const struct line *l, struct model_wr *w)
{
	uint16_t place = place_of(m, w);

	w->before = l->list->last;
	w->after = 0;
	if (l->list->last) {
		at(m, l->list->last)->after = place;
	} else {
		l->list->first = place;
		index_put(m, SET_WORK, l->slot);
	}
	l->list->last = place;
	if (w->stage == WR_POSTED && !l->list->next)
		set_next(m, l, place);
}

/* If `w` was the next request to carry out, makes it the next one behind
 * `w`. */
static void pass_over(struct model *m, const struct line *l,
		      const struct model_wr *w)
{
	uint16_t next = w->after;

	if (l->list->next != place_of(m, w))
		return;
	while (next && at(m, next)->stage != WR_POSTED)
		next = at(m, next)->after;
	set_next(m, l, next);
}

/* Takes a request out of its list; its place in the pool stays in use. */
static void unlink_wr(struct model *m, const struct model_wr *w)
{
	const struct line l = line_of(m, w);

	pass_over(m, &l, w);
	if (w->before)
		at(m, w->before)->after = w->after;
	else
		l.list->first = w->after;
	if (w->after)
		at(m, w->after)->before = w->before;
	else
		l.list->last = w->before;
	if (!l.list->first && !has_work(m, l.slot))
		index_take(m, SET_WORK, l.slot);
}

/* Notes that a completion queue got a completion. */
static void note_fresh(struct wr_pool *p, uint16_t cq)
{
	for (unsigned int i = 0; i < p->nfresh && i < MODEL_FRESH; i++)
		if (p->fresh[i] == cq)
			return;
	if (p->nfresh < MODEL_FRESH)
		p->fresh[p->nfresh] = cq;
	if (p->nfresh <= MODEL_FRESH)
		p->nfresh++;
}

/* Counts completions of the completion queue that a request completes in. */
static void count_ready(struct model *m, const struct model_wr *w, int by)
{
	struct wr_slot *cq = wr_slot(m, w->cq);

	cq->ready = (uint16_t)(cq->ready + by);
	cq->latest = by > 0 ? place_of(m, w) : 0;
	if (by > 0)
		note_fresh(POOL(m), w->cq);
}

/* Changes the counter of a stage by one, up or down. */
static void count(struct model *m, const struct model_wr *w,
		  struct wr_list *room, unsigned int stage, int by)
{
	if (stage == WR_POSTED)
		room->posted = (uint16_t)(room->posted + by);
	else if (stage == WR_EARLY)
		POOL(m)->early = (uint16_t)(POOL(m)->early + by);
	else if (stage == WR_DONE && w->cq != NO_OBJ)
		count_ready(m, w, by);
}

/* Moves a request from one stage to another in all counters. WR_REMOVED stands
 * for a request that is removed. */
#define WR_REMOVED (WR_TAGGED + 1)
static void recount(struct model *m, const struct model_wr *w,
		    unsigned int from, unsigned int to)
{
	struct wr_list *room = room_of(m, w);

	count(m, w, room, from, -1);
	count(m, w, room, to, 1);
	if (from < WR_DISCARDED)
		room->occupied--;
	if (to < WR_DISCARDED)
		room->occupied++;
}

/* Sets the members that name objects to NO_OBJ. */
static void names_nothing(struct model_wr *w)
{
	w->ah = w->mw = w->remote = w->sender = w->from = NO_OBJ;
	w->data.mr = w->data.part.mr = NO_OBJ;
	w->binding.mr = w->binding.qp = NO_OBJ;
}

struct model_wr *wr_add(struct model *m, const struct wr_queue *q)
{
	const struct line l = {wr_list_of(m, q),
			       q->srq != NO_OBJ ? q->srq : q->owner, q->recv};
	struct model_wr *w = at(m, new_place(POOL(m)));

	if (!w) {
		POOL(m)->forgot = true;
		return NULL;
	}
	memset(w, 0, sizeof(*w));
	w->owner = q->owner;
	w->srq = q->srq;
	w->recv = q->recv;
	w->posted_at = m->timed_calls;
	w->cq = w->copy = NO_OBJ;
	names_nothing(w);
	append(m, &l, w);
	l.list->posted++;
	l.list->occupied++;
	return w;
}

void wr_remove(struct model *m, struct model_wr *w)
{
	copy_release_inline(m, w);
	recount(m, w, w->stage, WR_REMOVED);
	unlink_wr(m, w);
	free_place(POOL(m), place_of(m, w));
}

void wr_remove_unseen(struct model *m, struct model_wr *w)
{
	copy_unpolled(m, w);
	wr_remove(m, w);
}

/* Looks for the request to carry out next from the front of the list, as after
 * a request has become WR_POSTED again. */
static void find_next(struct model *m, uint16_t slot, bool recv)
{
	const struct line l = line_at(m, slot, recv);
	uint16_t next = l.list->first;

	while (next && at(m, next)->stage != WR_POSTED)
		next = at(m, next)->after;
	set_next(m, &l, next);
}

void wr_set_stage(struct model *m, struct model_wr *w, enum wr_stage stage)
{
	struct line l;

	if (w->stage == stage)
		return;
	recount(m, w, w->stage, stage);
	if (w->stage == WR_POSTED) {
		l = line_of(m, w);
		pass_over(m, &l, w);
	}
	w->stage = (uint8_t)stage;
	if (stage == WR_POSTED)
		find_next(m, holder(w), w->recv);
	if (stage != WR_DONE)
		return;
	w->done_order = ++POOL(m)->done;
	if (w->cq != NO_OBJ && w->owner != NO_OBJ)
		wr_slot(m, w->cq)->users |= UINT64_C(1) << w->owner % 64;
}

void wr_be_done_last(struct model *m, struct model_wr *w)
{
	if (w->stage == WR_DONE)
		w->done_order = ++POOL(m)->done;
}

uint32_t wr_last_done(const struct model *m)
{
	return POOL(m)->done;
}

void wr_discard(struct model *m, struct model_wr *w, enum row row)
{
	copy_release_inline(m, w);
	wr_set_stage(m, w, WR_DISCARDED);
	*w = (struct model_wr){
		.wr_id = w->wr_id,
		.optional_row = (uint16_t)row,
		.recv = w->recv,
		.owner = w->owner,
		.srq = w->srq,
		.cq = w->cq,
		.stage = WR_DISCARDED,
		.from = NO_OBJ,
		.copy = NO_OBJ,
		.mw = NO_OBJ,
		.before = w->before,
		.after = w->after,
	};
}

void wr_move_to_qp(struct model *m, struct model_wr *w, uint16_t qp)
{
	struct line l;

	if (w->owner == qp)
		return;
	unlink_wr(m, w);
	w->owner = qp;
	l = line_of(m, w);
	append(m, &l, w);
}

void wr_return_to_srq(struct model *m, struct model_wr *w)
{
	struct wr_list *list;

	unlink_wr(m, w);
	w->owner = NO_OBJ;
	list = line_of(m, w).list;
	w->before = 0;
	w->after = list->first;
	if (list->first)
		at(m, list->first)->before = place_of(m, w);
	else
		list->last = place_of(m, w);
	list->first = place_of(m, w);
	index_put(m, SET_WORK, w->srq);
	find_next(m, w->srq, w->recv);
}

struct model_wr *wr_only_completion(struct model *m, uint16_t cq)
{
	const struct wr_slot *of = wr_slot(m, cq);

	return of->ready == 1 ? at(m, of->latest) : NULL;
}

struct wr_list *wr_next_list_of_cq(struct model *m, uint16_t cq,
				   unsigned int *n)
{
	uint64_t users = wr_slot(m, cq)->users;

	while (users) {
		uint16_t slot = (uint16_t)(*n / 2);
		struct wr_list *list;

		if (*n % 2 == 0)
			slot = index_from(m, SET_WORK, slot);
		if (slot == NO_OBJ)
			break;
		if (!(users >> slot % 64 & 1)) {
			*n = 2u * (slot + 1u);
			continue;
		}
		list = wr_list_at(m, slot, *n % 2);
		*n = 2u * slot + *n % 2 + 1;
		if (list->first)
			return list;
	}
	return NULL;
}

void wr_clear_slot(struct model *m, uint16_t slot)
{
	struct model_wr *w;

	for (int recv = 0; recv < 2; recv++)
		while ((w = wr_first(m, wr_list_at(m, slot, recv)))) {
			in_flight_receive_is_gone(m, w);
			wr_remove_unseen(m, w);
		}
}

/* Removes the requests of a list that name a completion queue or SRQ. */
static void remove_of_queue(struct model *m, struct wr_list *list,
			    uint16_t slot)
{
	struct model_wr *next;

	for (struct model_wr *w = wr_first(m, list); w; w = next) {
		next = wr_after(m, w);
		if (w->cq != slot && w->srq != slot)
			continue;
		in_flight_receive_is_gone(m, w);
		wr_remove_unseen(m, w);
	}
}

void wr_remove_of_queue(struct model *m, uint16_t slot)
{
	for (uint16_t i = 0; POOL(m)->used && i < m->top; i++)
		for (int recv = 0; recv < 2; recv++)
			remove_of_queue(m, wr_list_at(m, i, recv), slot);
}
