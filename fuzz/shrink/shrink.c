/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shrinks a program. A round tries large steps first, then small ones. Rounds
 * are repeated until one changes nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/mutate/complete.h"
#include "fuzz/mutate/edit.h"
#include "fuzz/shrink/shrink.h"
#include "program/text.h"

#define SEEN	  (1u << 16)
#define PAIRS_MAX 24 /* calls; two_calls_fewer() skips longer programs */

struct state {
	struct shrink *shrink;
	struct program *best, *next; /* `next` is the candidate */
	uint64_t *seen;		     /* hashes of earlier candidates */
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t hash_settings(uint64_t hash, const struct setting *s,
			      unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct value *v = &s[i].value;
		uint64_t half[2] = {(uint64_t)v->num, 0};

		if (v->kind == VAL_GID)
			memcpy(half, v->gid.raw, sizeof(half));
		hash = mix(hash, s[i].field | (uint64_t)v->kind << 16 |
					 (uint64_t)v->ref << 24 |
					 (uint64_t)v->field << 32);
		hash = mix(mix(hash, half[0]), half[1]);
	}
	return hash;
}

static uint64_t hash_program(const struct program *p)
{
	uint64_t hash = p->ncalls;

	for (unsigned int i = 0; i < p->ncalls; i++) {
		const struct call *c = &p->call[i];

		hash = mix(hash, c->verb | (uint64_t)c->result << 8 |
					 (uint64_t)c->on << 16 |
					 (uint64_t)c->from << 24 |
					 (uint64_t)c->nset << 32 |
					 (uint64_t)c->nexp << 48);
		hash = mix(hash, (uint64_t)c->expects << 16 |
					 (uint16_t)c->expect_err);
		hash = hash_settings(hash, &p->setting[c->first], c->nset);
		hash = hash_settings(hash, &p->setting[c->efirst], c->nexp);
	}
	return hash ? hash : 1;
}

/* Returns false if there was a candidate with this hash before. */
static bool is_new(struct state *s, uint64_t hash)
{
	uint64_t *place = &s->seen[hash % SEEN];
	bool fresh = *place != hash;

	*place = hash;
	return fresh;
}

/* Makes the candidate the best program if it shows the finding. Skips
 * candidates that were tried before, and those with more incomplete calls. */
static bool try_next(struct state *s)
{
	struct program *best = s->best;

	if (calls_incomplete(s->next) > calls_incomplete(best) ||
	    !is_new(s, hash_program(s->next)))
		return false;
	s->shrink->attempts++;
	if (!s->shrink->shows(s->next, s->shrink->arg))
		return false;
	s->best = s->next;
	s->next = best;
	return true;
}

static void copy_best(struct state *s)
{
	edit_without(s->next, s->best, 0, 0, LOST_CALL);
}

static bool leave_out_runs(struct state *s, unsigned int size)
{
	unsigned int end = s->best->ncalls, first;
	bool taken = false;

	for (; end; end = first < s->best->ncalls ? first : s->best->ncalls) {
		first = end > size ? end - size : 0;
		edit_without(s->next, s->best, first, end - first, LOST_CALL);
		taken |= try_next(s);
	}
	return taken;
}

/* Leaves out runs of calls, from the end to the beginning; then shorter runs.
 */
static bool fewer_calls(struct state *s)
{
	unsigned int size = (s->best->ncalls + 1u) / 2;
	bool taken = false;

	for (; size; size /= 2)
		taken |= leave_out_runs(s, size);
	return taken;
}

/* Leaves out two calls at a time, which may need each other. */
static bool two_calls_fewer(struct state *s)
{
	if (s->best->ncalls > PAIRS_MAX)
		return false;
	for (unsigned int j = s->best->ncalls; j-- > 1;) {
		for (unsigned int i = j; i-- > 0;) {
			edit_without_two(s->next, s->best, i, j);
			if (try_next(s))
				return true;
		}
	}
	return false;
}

/* Leaves out a call that makes an object; an earlier object takes its place, or
 * none. */
static bool drop_object(struct state *s, unsigned int call)
{
	const struct program *p = s->best;
	uint8_t slot = p->call[call].result;

	if (slot == NO_OBJ)
		return false;
	for (unsigned int i = 0; i < call; i++) {
		uint8_t other = p->call[i].result;

		if (other == NO_OBJ ||
		    p->object[other].kind != p->object[slot].kind)
			continue;
		edit_instead(s->next, p, slot, other);
		if (try_next(s))
			return true;
	}
	edit_without(s->next, p, call, 1, LOST_NAME);
	return try_next(s);
}

static bool fewer_objects(struct state *s)
{
	bool taken = false;

	for (unsigned int call = s->best->ncalls; call-- > 0;) {
		if (call < s->best->ncalls)
			taken |= drop_object(s, call);
	}
	return taken;
}

static bool other_on(struct state *s, unsigned int call, uint8_t slot)
{
	copy_best(s);
	return edit_on(s->next, call, slot) && try_next(s);
}

/* Makes a call on the device itself, or on an earlier object. */
static bool earlier_on(struct state *s, unsigned int call)
{
	uint8_t on = s->best->call[call].on;

	if (on == NO_OBJ)
		return false;
	if (other_on(s, call, NO_OBJ))
		return true;
	for (uint8_t slot = 0; slot < on; slot++)
		if (other_on(s, call, slot))
			return true;
	return false;
}

static bool earlier_objects(struct state *s)
{
	bool taken = false;

	for (unsigned int call = s->best->ncalls; call-- > 0;)
		taken |= earlier_on(s, call);
	return taken;
}

static bool drop_from(struct state *s, unsigned int call)
{
	if (s->best->call[call].from == NO_OBJ)
		return false;
	copy_best(s);
	s->next->call[call].from = NO_OBJ;
	return try_next(s);
}

static bool drop_name(struct state *s, unsigned int call)
{
	copy_best(s);
	return edit_drop_result(s->next, call) && try_next(s);
}

static bool fewer_settings(struct state *s)
{
	bool taken = false;

	for (unsigned int call = s->best->ncalls; call-- > 0;) {
		taken |= drop_from(s, call);
		taken |= drop_name(s, call);
		for (unsigned int n = s->best->call[call].nset; n-- > 0;) {
			copy_best(s);
			edit_drop_setting(s->next, call, n);
			taken |= try_next(s);
		}
	}
	return taken;
}

static bool fewer_expectations(struct state *s)
{
	bool taken = false;

	for (unsigned int call = s->best->ncalls; call-- > 0;) {
		if (!s->best->call[call].expects)
			continue;
		copy_best(s);
		edit_drop_expectation(s->next, call);
		if (try_next(s)) {
			taken = true;
			continue;
		}
		for (unsigned int n = s->best->call[call].nexp; n-- > 0;) {
			copy_best(s);
			edit_drop_expected(s->next, call, n);
			taken |= try_next(s);
		}
	}
	return taken;
}

static bool simplify(struct state *s, unsigned int call, unsigned int setting)
{
	struct value v;

	for (unsigned int n = 0;
	     simpler_value(s->best, call, setting, s->shrink->info, n, &v);
	     n++) {
		copy_best(s);
		if (edit_value(s->next, call, setting, &v) && try_next(s))
			return true;
	}
	return false;
}

/* Returns true if the field counts something. */
static bool is_length(enum field f)
{
	static const enum field lengths[] = {
		F_send_more, F_send_num_sge, F_send_odd_num_sge, F_send_part,
		F_recv_more, F_recv_num_sge, F_recv_odd_num_sge, F_recv_part,
		F_poll_max,  F_race_count,   F_race_posters,
	};

	for (size_t i = 0; i < COUNT(lengths); i++)
		if (lengths[i] == f)
			return true;
	return false;
}

static bool simpler_settings(struct state *s, bool lengths)
{
	bool taken = false;

	for (unsigned int call = s->best->ncalls; call-- > 0;) {
		const struct call *c = &s->best->call[call];

		for (unsigned int n = 0; n < c->nset; n++) {
			enum field f =
				(enum field)s->best->setting[c->first + n]
					.field;

			if (lengths && !is_length(f))
				continue;
			while (simplify(s, call, n))
				taken = true;
			c = &s->best->call[call];
		}
	}
	return taken;
}

static bool is_number(const struct setting *s, int64_t num)
{
	enum field_kind kind = field_info((enum field)s->field)->kind;

	return s->value.kind == VAL_NUM && s->value.num == num &&
	       (kind == FK_UINT || kind == FK_INT);
}

/* Replaces a number wherever calls have it. */
static void renumber(struct program *p, int64_t from, int64_t to)
{
	for (unsigned int i = 0; i < p->ncalls; i++) {
		struct setting *s = &p->setting[p->call[i].first];

		for (unsigned int n = 0; n < p->call[i].nset; n++)
			if (is_number(&s[n], from))
				s[n].value.num = to;
	}
}

/* Simplifies a number in all settings that have it, which may have to agree. */
static bool simpler_together(struct state *s)
{
	bool taken = false;

	for (unsigned int i = 0; i < s->best->nsettings; i++) {
		int64_t num = s->best->setting[i].value.num;

		if (!is_number(&s->best->setting[i], num))
			continue;
		for (int64_t to = 0; to <= 1 && (num < 0 || num > to); to++) {
			copy_best(s);
			renumber(s->next, num, to);
			if (try_next(s)) {
				taken = true;
				break;
			}
		}
	}
	return taken;
}

/* Leaving out two calls takes many tries: it is done if nothing else helps. */
static bool one_round(struct state *s)
{
	bool taken = fewer_calls(s);

	taken |= fewer_objects(s);
	taken |= earlier_objects(s);
	taken |= fewer_settings(s);
	taken |= simpler_settings(s, true);
	taken |= fewer_expectations(s);
	taken |= simpler_settings(s, false);
	taken |= simpler_together(s);
	return taken || two_calls_fewer(s);
}

int shrink_program(struct program *p, struct shrink *shrink)
{
	struct program *other = malloc(sizeof(*other));
	struct program *best = malloc(sizeof(*best));
	struct state s = {
		.shrink = shrink,
		.best = best,
		.next = other,
		.seen = calloc(SEEN, sizeof(uint64_t)),
	};
	bool enough = best && other && s.seen;

	shrink->attempts = 0;
	if (enough) {
		edit_without(s.best, p, 0, 0, LOST_CALL);
		is_new(&s, hash_program(s.best));
		while (one_round(&s))
			;
		edit_without(p, s.best, 0, 0, LOST_CALL);
	}
	free(best);
	free(other);
	free(s.seen);
	return enough ? 0 : -ENOMEM;
}
