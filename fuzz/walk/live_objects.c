/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps one call for each object: the call that created it. Other calls are
 * dropped after they were made.
 */
#include <string.h>
#include "fuzz/walk/live_objects.h"
#include "program/text.h"

enum {
	SAME_DOMAIN = 8, /* one pick in so many ignores the domain */
	ALONE = 8,	 /* one queue pair in so many is its own peer */
};

void live_begin(struct live_objects *s, struct program *p,
		struct history *history)
{
	s->p = p;
	s->history = history;
	prog_init(p);
	qp_states_init(&s->qps);
	memset(s->peer, NO_OBJ, sizeof(s->peer));
	history_begin(history);
}

/* --- Picking objects --------------------------------------------------------
 */

/* Returns the object that a call created, if it is of this kind, else NO_OBJ.
 */
static uint8_t made_by(const struct live_objects *s, unsigned int call,
		       enum object_kind kind)
{
	uint8_t slot = s->p->call[call].result;

	return slot != NO_OBJ && s->p->object[slot].kind == kind ? slot
								 : NO_OBJ;
}

unsigned int live_count(const struct live_objects *s, enum object_kind kind)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->p->ncalls; i++)
		n += made_by(s, i, kind) != NO_OBJ;
	return n;
}

static bool is_domain(const struct live_objects *s, uint8_t slot)
{
	return slot != NO_OBJ && s->p->object[slot].kind == OBJ_PD;
}

/* Returns the protection domain of an object; NO_OBJ if it has none. */
static uint8_t domain_of(const struct live_objects *s, uint8_t slot)
{
	int made = making_call(s->p, slot);
	const struct call *c = made < 0 ? NULL : &s->p->call[made];

	if (is_domain(s, slot) || !c)
		return slot;
	if (is_domain(s, c->on))
		return c->on;
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct value *v = &s->p->setting[c->first + i].value;

		if (v->kind == VAL_OBJ && is_domain(s, v->ref))
			return v->ref;
	}
	return NO_OBJ;
}

/* Returns an object of a kind in `domain`; NO_OBJ stands for any domain. */
static uint8_t pick_in(const struct live_objects *s, struct chance *c,
		       enum object_kind kind, uint8_t domain)
{
	uint8_t pick = NO_OBJ;
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->p->ncalls; i++) {
		uint8_t slot = made_by(s, i, kind);

		if (slot == NO_OBJ ||
		    (domain != NO_OBJ && domain_of(s, slot) != domain))
			continue;
		if (!chance_below(c, ++n))
			pick = slot;
	}
	return pick;
}

uint8_t live_pick(const struct live_objects *s, struct chance *c,
		  enum object_kind kind, uint8_t near)
{
	uint8_t domain = domain_of(s, near), pick = NO_OBJ;

	if (domain != NO_OBJ && chance_below(c, SAME_DOMAIN))
		pick = pick_in(s, c, kind, domain);
	return pick == NO_OBJ ? pick_in(s, c, kind, NO_OBJ) : pick;
}

/* --- Peers ------------------------------------------------------------------
 */

static enum qp_kind kind_of(const struct live_objects *s, uint8_t qp)
{
	return (enum qp_kind)s->qps.kind[qp];
}

/* Returns true if one of the queue pairs can receive what the other sends. */
static bool fits(const struct live_objects *s, uint8_t qp, uint8_t other)
{
	enum qp_kind kind = kind_of(s, qp), with = kind_of(s, other);

	return kind_receiver(kind) == with || kind_receiver(with) == kind;
}

/* A queue pair past INIT is connected already, until it is reset. */
static bool is_free(const struct live_objects *s, uint8_t qp)
{
	return s->peer[qp] == NO_OBJ && s->qps.state[qp] <= IBV_QPS_INIT;
}

static uint8_t find_peer(const struct live_objects *s, struct chance *c,
			 uint8_t qp)
{
	uint8_t pick = qp;
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->p->ncalls; i++) {
		uint8_t other = made_by(s, i, OBJ_QP);

		if (other != NO_OBJ && other != qp && is_free(s, other) &&
		    fits(s, qp, other) && !chance_below(c, ++n))
			pick = other;
	}
	return pick;
}

uint8_t live_peer(struct live_objects *s, struct chance *c, uint8_t qp)
{
	uint8_t peer = s->peer[qp];

	if (peer != NO_OBJ)
		return peer;
	if (!is_free(s, qp))
		return qp;
	peer = chance_below(c, ALONE) ? find_peer(s, c, qp) : qp;
	/* Not remembered: a queue pair that fits may be created later. */
	if (peer == qp)
		return qp;
	s->peer[qp] = peer;
	s->peer[peer] = qp;
	return peer;
}

/* --- Adding and removing ----------------------------------------------------
 */

static void drop_call(struct program *p, unsigned int at)
{
	const struct call gone = p->call[at];

	memmove(&p->setting[gone.first], &p->setting[gone.first + gone.nset],
		(size_t)(p->nsettings - gone.first - gone.nset) *
			sizeof(p->setting[0]));
	p->nsettings = (uint16_t)(p->nsettings - gone.nset);
	p->ncalls--;
	memmove(&p->call[at], &p->call[at + 1],
		(size_t)(p->ncalls - at) * sizeof(gone));
	for (unsigned int i = at; i < p->ncalls; i++) {
		p->call[i].first = (uint16_t)(p->call[i].first - gone.nset);
		p->call[i].efirst = p->call[i].first;
	}
}

/* Removes a call, and frees the slot of its result. */
static void forget(struct live_objects *s, unsigned int call)
{
	uint8_t slot = s->p->call[call].result;

	if (slot != NO_OBJ) {
		if (s->peer[slot] != NO_OBJ)
			s->peer[s->peer[slot]] = NO_OBJ;
		s->peer[slot] = NO_OBJ;
		s->qps.kind[slot] = QK_NR;
		s->p->object[slot].kind = OBJ_NONE;
	}
	drop_call(s->p, call);
}

void live_forget_oldest(struct live_objects *s, enum object_kind kind)
{
	for (unsigned int i = 0; i < s->p->ncalls; i++) {
		if (made_by(s, i, kind) == NO_OBJ)
			continue;
		forget(s, i);
		return;
	}
}

void live_remove_call(struct live_objects *s)
{
	s->p->broken = false;
	forget(s, s->p->ncalls - 1u);
}

void live_commit_call(struct live_objects *s)
{
	struct program *p = s->p;
	uint8_t slot = p->call[p->ncalls - 1].result;

	if (slot != NO_OBJ)
		s->object[slot] = history_add_object(
			s->history, (enum object_kind)p->object[slot].kind,
			p->object[slot].name);
	history_add_call(s->history, p, p->ncalls - 1u, s->object);
}

void live_update(struct live_objects *s, const struct prog_results *r)
{
	struct program *p = s->p;
	uint8_t on = p->call[p->ncalls - 1].on;
	uint8_t result = p->call[p->ncalls - 1].result;

	if (result == NO_OBJ || !r->alive[result])
		forget(s, p->ncalls - 1u);
	for (unsigned int i = 0; on != NO_OBJ && i < p->ncalls; i++)
		if (p->call[i].result == on && !r->alive[on])
			forget(s, i);
}
