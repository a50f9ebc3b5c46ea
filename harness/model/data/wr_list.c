/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The lists of work requests, and how many of each there are.
 */
#include <stddef.h>
#include "model/internal.h"

#define POOL(m) (&(m)->work)

size_t work_size(const struct work_pool *p)
{
	size_t places = p->top ? (size_t)p->top + 1 : 0;

	return offsetof(struct work_pool, at) + places * sizeof(p->at[0]);
}

void work_reset(struct work_pool *p)
{
	memset(p, 0, offsetof(struct work_pool, at));
}

static bool same_list(const struct work_pool *a, const struct work_list *la,
		      const struct work_pool *b, const struct work_list *lb)
{
	uint16_t i = la->first, k = lb->first;

	if (la->held != lb->held || la->posted != lb->posted)
		return false;
	while (i && k &&
	       !memcmp(&a->at[i], &b->at[k],
		       offsetof(struct model_work, before))) {
		i = a->at[i].after;
		k = b->at[k].after;
	}
	return !i && !k;
}

static bool same_queue(const struct model *a, const struct model *b,
		       uint16_t slot, bool recv)
{
	return same_list(POOL(a), work_queue(a, slot, recv), POOL(b),
			 work_queue(b, slot, recv));
}

bool work_equal(const struct model *a, const struct model *b)
{
	if (POOL(a)->used != POOL(b)->used)
		return false;
	for (uint16_t slot = 0; POOL(a)->used && slot < a->top; slot++)
		if (!same_queue(a, b, slot, false) ||
		    !same_queue(a, b, slot, true))
			return false;
	return true;
}

struct work_list *work_list(struct model *m, const struct queue *q)
{
	uint16_t slot = q->srq != NO_OBJ ? q->srq : q->owner;

	return work_queue(m, slot, q->recv);
}

/* Whose list a request stands in. */
static uint16_t holder(const struct model_work *w)
{
	return w->owner != NO_OBJ ? w->owner : w->srq;
}

/* The list whose room it takes: that of an SRQ until it is polled. */
static struct work_list *room_of(struct model *m, const struct model_work *w)
{
	uint16_t slot = w->srq != NO_OBJ ? w->srq : w->owner;

	return work_queue(m, slot, w->recv);
}

static struct model_work *at(struct model *m, uint16_t place)
{
	return place ? &POOL(m)->at[place] : NULL;
}

static uint16_t place_of(struct model *m, const struct model_work *w)
{
	return (uint16_t)(w - POOL(m)->at);
}

struct model_work *work_first(struct model *m, const struct work_list *list)
{
	return at(m, list->first);
}

struct model_work *work_after(struct model *m, const struct model_work *w)
{
	return at(m, w->after);
}

struct model_work *work_next(struct model *m, const struct work_list *list)
{
	return at(m, list->next);
}

static uint16_t new_place(struct work_pool *p)
{
	uint16_t place = p->free;

	if (place)
		p->free = p->at[place].after;
	else if (p->top < MODEL_MAX_WORK)
		place = ++p->top;
	p->used = (uint16_t)(p->used + (place != 0));
	return place;
}

/* An empty pool is as good as new: what is in use stays small. */
static void free_place(struct work_pool *p, uint16_t place)
{
	p->at[place].after = p->free;
	p->free = place;
	if (--p->used)
		return;
	p->free = 0;
	p->top = 0;
}

/* A queue of requests, and whose it is. */
struct line {
	struct work_list *list;
	uint16_t slot;
	bool recv;
};

static struct line line_at(struct model *m, uint16_t slot, bool recv)
{
	return (struct line){work_queue(m, slot, recv), slot, recv};
}

/* That in which a request stands. */
static struct line line_of(struct model *m, const struct model_work *w)
{
	return line_at(m, holder(w), w->recv);
}

/* The request that is next to be carried out. */
static void next_is(struct model *m, const struct line *l, uint16_t place)
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
	return work_queue(m, slot, false)->first ||
	       work_queue(m, slot, true)->first;
}

static void append(struct model *m, const struct line *l, struct model_work *w)
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
	if (w->stage == WORK_POSTED && !l->list->next)
		next_is(m, l, place);
}

static void pass_over(struct model *m, const struct line *l,
		      const struct model_work *w)
{
	uint16_t next = w->after;

	if (l->list->next != place_of(m, w))
		return;
	while (next && at(m, next)->stage != WORK_POSTED)
		next = at(m, next)->after;
	next_is(m, l, next);
}

static void unlink_work(struct model *m, const struct model_work *w)
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

static void count_ready(struct model *m, const struct model_work *w, int by)
{
	struct work_slot *cq = work_slot(m, w->cq);

	cq->ready = (uint16_t)(cq->ready + by);
	cq->latest = by > 0 ? place_of(m, w) : 0;
	if (by > 0)
		POOL(m)->fresh |= UINT64_C(1) << w->cq % 64;
}

/* Of a stage one more is there, or one less. */
static void count(struct model *m, const struct model_work *w,
		  struct work_list *room, unsigned int stage, int by)
{
	if (stage == WORK_POSTED)
		room->posted = (uint16_t)(room->posted + by);
	else if (stage == WORK_EARLY)
		POOL(m)->early = (uint16_t)(POOL(m)->early + by);
	else if (stage == WORK_DONE && w->cq != NO_OBJ)
		count_ready(m, w, by);
}

/* A request goes from one stage to another; NOWHERE: it is gone. */
#define NOWHERE (WORK_STRAY + 1)
static void recount(struct model *m, const struct model_work *w,
		    unsigned int from, unsigned int to)
{
	struct work_list *room = room_of(m, w);

	count(m, w, room, from, -1);
	count(m, w, room, to, 1);
	if (from < WORK_GONE)
		room->held--;
	if (to < WORK_GONE)
		room->held++;
}

/* No object, and so none that has to be remembered for it. */
static void names_nothing(struct model_work *w)
{
	w->ah = w->mw = w->remote = w->sender = w->from = NO_OBJ;
	w->data.mr = w->data.part.mr = NO_OBJ;
	w->binding.mr = w->binding.qp = NO_OBJ;
}

struct model_work *work_add(struct model *m, const struct queue *q)
{
	const struct line l = {work_list(m, q),
			       q->srq != NO_OBJ ? q->srq : q->owner, q->recv};
	struct model_work *w = at(m, new_place(POOL(m)));

	if (!w) {
		POOL(m)->forgot = true;
		return NULL;
	}
	memset(w, 0, sizeof(*w));
	w->owner = q->owner;
	w->srq = q->srq;
	w->recv = q->recv;
	w->posted = m->pauses;
	w->cq = w->copy = NO_OBJ;
	names_nothing(w);
	append(m, &l, w);
	l.list->posted++;
	l.list->held++;
	return w;
}

void work_remove(struct model *m, struct model_work *w)
{
	carry_release(m, w);
	recount(m, w, w->stage, NOWHERE);
	unlink_work(m, w);
	free_place(POOL(m), place_of(m, w));
}

void work_unseen(struct model *m, struct model_work *w)
{
	carry_unseen(m, w);
	work_remove(m, w);
}

/* One that is outstanding again may be the next. */
static void find_next(struct model *m, uint16_t slot, bool recv)
{
	const struct line l = line_at(m, slot, recv);
	uint16_t next = l.list->first;

	while (next && at(m, next)->stage != WORK_POSTED)
		next = at(m, next)->after;
	next_is(m, &l, next);
}

void work_stage(struct model *m, struct model_work *w, enum work_stage stage)
{
	struct line l;

	if (w->stage == stage)
		return;
	recount(m, w, w->stage, stage);
	if (w->stage == WORK_POSTED) {
		l = line_of(m, w);
		pass_over(m, &l, w);
	}
	w->stage = (uint8_t)stage;
	if (stage == WORK_POSTED)
		find_next(m, holder(w), w->recv);
	if (stage != WORK_DONE)
		return;
	w->done = ++POOL(m)->done;
	if (w->cq != NO_OBJ && w->owner != NO_OBJ)
		work_slot(m, w->cq)->users |= UINT64_C(1) << w->owner % 64;
}

void work_gone(struct model *m, struct model_work *w, enum row late)
{
	carry_release(m, w);
	work_stage(m, w, WORK_GONE);
	*w = (struct model_work){
		.wr_id = w->wr_id,
		.late = (uint16_t)late,
		.recv = w->recv,
		.owner = w->owner,
		.srq = w->srq,
		.cq = w->cq,
		.stage = WORK_GONE,
		.from = NO_OBJ,
		.copy = NO_OBJ,
		.mw = NO_OBJ,
		.before = w->before,
		.after = w->after,
	};
}

void work_take(struct model *m, struct model_work *w, uint16_t qp)
{
	struct line l;

	if (w->owner == qp)
		return;
	unlink_work(m, w);
	w->owner = qp;
	l = line_of(m, w);
	append(m, &l, w);
}

void work_return(struct model *m, struct model_work *w)
{
	struct work_list *list;

	unlink_work(m, w);
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

struct model_work *work_alone(struct model *m, uint16_t cq)
{
	const struct work_slot *of = work_slot(m, cq);

	return of->ready == 1 ? at(m, of->latest) : NULL;
}

struct work_list *work_of_cq(struct model *m, uint16_t cq, unsigned int *n)
{
	uint64_t users = work_slot(m, cq)->users;

	while (users) {
		uint16_t slot = (uint16_t)(*n / 2);
		struct work_list *list;

		if (*n % 2 == 0)
			slot = index_from(m, SET_WORK, slot);
		if (slot == NO_OBJ)
			break;
		if (!(users >> slot % 64 & 1)) {
			*n = 2u * (slot + 1u);
			continue;
		}
		list = work_queue(m, slot, *n % 2);
		*n = 2u * slot + *n % 2 + 1;
		if (list->first)
			return list;
	}
	return NULL;
}

void work_clear(struct model *m, uint16_t slot)
{
	struct model_work *w;

	for (int recv = 0; recv < 2; recv++)
		while ((w = work_first(m, work_queue(m, slot, recv))))
			work_unseen(m, w);
}

static void forget_in(struct model *m, struct work_list *list, uint16_t slot)
{
	struct model_work *next;

	for (struct model_work *w = work_first(m, list); w; w = next) {
		next = work_after(m, w);
		if (w->cq == slot || w->srq == slot)
			work_unseen(m, w);
	}
}

void work_forget(struct model *m, uint16_t slot)
{
	for (uint16_t i = 0; POOL(m)->used && i < m->top; i++)
		for (int recv = 0; recv < 2; recv++)
			forget_in(m, work_queue(m, i, recv), slot);
}
