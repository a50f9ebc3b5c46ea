// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds where the accepted masks differ from the contract. The
 * model decides what the contract permits. It is asked about each accepted
 * mask, and about each mask that has all required attributes of the transition
 * table and none but optional ones. All other masks are refused by the table,
 * which no other rule overrides.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract/fnv.h"
#include "model/model.h"
#include "supervise/recorder.h"
#include "sweep/analysis/analyst.h"

#define WORDS	 (MASKS_NR / 64)
#define ALL_BITS (MASKS_NR - 1)

/* Fowler, Noll and Vo's hash, 64 bits */

/* Sets of a cell's masks. */
struct sets {
	const struct map_cell *cell;
	const uint64_t *accepted;
	uint64_t *contract; /* masks whose first outcome is to accept */
	uint64_t *differs[DIFFERENCE_NR];
	uint64_t *limit; /* masks that a cover may contain */
	uint32_t rings;	 /* rings that were tried completely */
	bool is_part;	 /* of the cell: these rings were tried in part */
	unsigned int first_ring, last_ring;
	struct mask_order order;
};

struct analyst *analyst_new(const struct device_info *info)
{
	struct analyst *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->room = malloc((DIFFERENCE_NR + 3) * WORDS * sizeof(*a->room));
	if (!a->room || model_target_like(info, &a->model)) {
		analyst_free(a);
		return NULL;
	}
	a->answers = a->room + (DIFFERENCE_NR + 2) * WORDS;
	return a;
}

void analyst_free(struct analyst *a)
{
	if (a->model)
		a->model->ops->close(a->model);
	free(a->room);
	free(a);
}

void analyst_in_worker(struct analyst *a, struct recorder *r)
{
	a->recorder = r;
}

int analyst_open_cell(struct analyst *a, const struct sweep_cell *c, char *err,
		      size_t errlen)
{
	int ret = restorer_open(&a->restorer, a->model, c);

	if (ret)
		snprintf(err, errlen, "the model cannot be brought there: %s",
			 a->restorer.why);
	return ret;
}

enum difference_kind difference_kind(unsigned int permits, bool accepted)
{
	if (accepted) {
		if (!(permits & PERMITS_ACCEPT))
			return ACCEPTS_REFUSED;
		return permits & PREFERS_ACCEPT ? DIFFERENCE_NR
						: ACCEPTS_CONTESTED;
	}
	if (!(permits & PERMITS_REFUSE))
		return REFUSES_ACCEPTED;
	return permits & PREFERS_ACCEPT ? REFUSES_CONTESTED : DIFFERENCE_NR;
}

/* Returns true if the mask is in that part of the order that was tried. */
static bool is_in_part(const struct sets *s, uint32_t packed)
{
	const struct map_cell *cell = s->cell;
	const unsigned int distance =
		(unsigned int)__builtin_popcount(packed ^ s->order.centre);
	uint32_t place;

	if (distance < s->first_ring || distance > s->last_ring)
		return false;
	place = order_place(&s->order, packed);
	return place >= cell->cell.begin && place < cell->done;
}

/* All masks of a CELL_LIES cell have CUR_STATE, as the legal one. */
static bool is_tried(const struct sets *s, uint32_t packed)
{
	uint32_t differs = packed ^ s->order.centre;

	if (bit_test(s->accepted, packed))
		return true;
	if (s->order.with_cur && differs & A_CUR_STATE)
		return false;
	if (s->is_part)
		return is_in_part(s, packed);
	return (uint32_t)__builtin_popcount(differs) < s->rings;
}

static void judge(struct analyst *a, struct sets *s, uint32_t packed)
{
	unsigned int permits =
		model_target_permits(a->model, mask_unpack(packed));
	enum difference_kind kind;

	if (a->recorder)
		recorder_tick(a->recorder);
	if (permits & PREFERS_ACCEPT)
		bit_set(s->contract, packed);
	if (!is_tried(s, packed))
		return;
	kind = difference_kind(permits, bit_test(s->accepted, packed));
	if (kind != DIFFERENCE_NR)
		bit_set(s->differs[kind], packed);
}

/* Judges all masks that the transition table permits, with STATE or without. */
static void judge_permitted(struct analyst *a, struct sets *s, uint32_t state)
{
	const struct sweep_cell *c = &s->cell->cell;
	enum qp_kind kind = (enum qp_kind)c->kind;
	int to = state ? c->to : c->from;
	const struct cell *cell = &qp_table()->cell[c->from][to][kind];
	uint32_t dropped = xrc_dropped(kind), must, open, sub = 0;

	if (!qp_table()->valid[c->from][to][kind])
		return;
	must = mask_pack((cell->required & ~dropped) | state);
	open = mask_pack(cell->required | cell->optional | dropped) & ~must;
	open &= ~(uint32_t)A_STATE;
	if (!state && must & A_STATE)
		return;
	do {
		judge(a, s, must | sub);
		sub = (sub - open) & open;
	} while (sub);
}

/* iWARP does not use the table: judges all masks. */
static void judge_all(struct analyst *a, struct sets *s)
{
	for (uint32_t packed = 0; packed < MASKS_NR; packed++)
		judge(a, s, packed);
}

static void judge_accepted(struct analyst *a, struct sets *s)
{
	for (uint32_t w = 0; w < WORDS; w++)
		for (uint64_t left = s->accepted[w]; left; left &= left - 1)
			judge(a, s, w * 64 + (uint32_t)__builtin_ctzll(left));
}

void analyst_remove_deaths(const struct map_cell *cell, uint64_t *masks)
{
	struct mask_order order = cell_order(&cell->cell);
	struct mask_walk walk;

	for (uint32_t i = 0; i < cell->ndeaths; i++) {
		uint32_t packed;

		if (cell->death[i].calls != 1)
			continue;
		walk_begin(&walk, &order, cell->death[i].place);
		packed = walk_next(&walk);
		masks[packed / 64] &= ~(UINT64_C(1) << packed % 64);
	}
}

static struct shape shape_of(const uint64_t *set, enum mask_part part)
{
	struct shape shape = {.required = ALL_BITS, .digest = FNV_BASIS};
	uint32_t any = 0;

	for (uint32_t w = 0; w < WORDS; w++)
		for (uint64_t left = set[w]; left; left &= left - 1) {
			uint32_t packed =
				w * 64 + (uint32_t)__builtin_ctzll(left);

			if (!(packed & A_STATE) != (part == PART_STAYS))
				continue;
			shape.count++;
			shape.digest = fnv_add(shape.digest, packed);
			shape.required &= packed;
			any |= packed;
		}
	if (!shape.count)
		shape.required = 0;
	any &= ~shape.required;
	shape.whole = !shape.count ||
		      shape.count == UINT32_C(1) << __builtin_popcount(any);
	shape.required = mask_unpack(shape.required);
	shape.optional = mask_unpack(any);
	return shape;
}

uint32_t analyst_count(const uint64_t *set, uint32_t *first)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < WORDS; w++) {
		if (set[w] && !n)
			*first = mask_unpack(w * 64 +
					     (uint32_t)__builtin_ctzll(set[w]));
		n += (uint32_t)__builtin_popcountll(set[w]);
	}
	return n;
}

/* A cover of accepted masks may contain all accepted masks, a cover of refused
 * masks all refused ones. Both may contain masks that were not tried. */
static void set_limit(struct sets *s, bool accepts)
{
	bool tried = s->rings > order_bits(&s->order) && !s->order.with_cur;

	for (uint32_t w = 0; w < WORDS; w++)
		s->limit[w] = accepts ? s->accepted[w] : ~s->accepted[w];
	for (uint32_t packed = 0; accepts && !tried && packed < MASKS_NR;
	     packed++)
		if (!is_tried(s, packed))
			bit_set(s->limit, packed);
}

static int describe_difference(struct sets *s, enum difference_kind kind,
			       struct difference *d)
{
	bool accepts = difference_accepts(kind);

	d->count = analyst_count(s->differs[kind], &d->first);
	if (!d->count)
		return 0;
	set_limit(s, accepts);
	return cover_make(s->differs[kind], s->limit, MASKS_BITS, &d->cover);
}

static uint32_t whole_rings(const struct map_cell *cell,
			    const struct mask_order *order)
{
	uint32_t done = cell->done;

	return done >= order_size(order) ? order_bits(order) + 1
					 : order_distance(order, done);
}

static struct sets new_sets(struct analyst *a, const struct map_cell *cell,
			    const uint64_t *accepted)
{
	struct sets s = {.cell = cell, .accepted = accepted};

	memset(a->room, 0, (DIFFERENCE_NR + 2) * WORDS * sizeof(*a->room));
	s.contract = a->room;
	s.limit = a->room + WORDS;
	for (int d = 0; d < DIFFERENCE_NR; d++)
		s.differs[d] = a->room + (size_t)(d + 2) * WORDS;
	s.order = cell_order(&cell->cell);
	s.rings = whole_rings(cell, &s.order);
	s.is_part = !cell_is_whole(&cell->cell);
	s.first_ring = order_distance(&s.order, cell->cell.begin);
	s.last_ring = order_distance(&s.order, cell->done);
	return s;
}

/* The model must be in the state of the cell. */
static void judge_masks(struct analyst *a, struct sets *s)
{
	if (device_iwarp(&a->model->info)) {
		judge_all(a, s);
	} else {
		judge_permitted(a, s, A_STATE);
		judge_permitted(a, s, 0);
		judge_accepted(a, s);
	}
	for (int d = 0; d < DIFFERENCE_NR; d++)
		analyst_remove_deaths(s->cell, s->differs[d]);
}

int analyse_masks(struct analyst *a, const struct map_cell *cell,
		  const uint64_t *accepted, struct analysis *out, char *err,
		  size_t errlen)
{
	struct sets s = new_sets(a, cell, accepted);
	int ret = analyst_open_cell(a, &cell->cell, err, errlen);

	memset(out, 0, sizeof(*out));
	if (!ret)
		judge_masks(a, &s);
	for (int p = 0; p < PART_NR; p++) {
		out->device[p] = shape_of(accepted, (enum mask_part)p);
		out->contract[p] = shape_of(s.contract, (enum mask_part)p);
	}
	for (int d = 0; d < DIFFERENCE_NR && !ret; d++)
		ret = describe_difference(&s, (enum difference_kind)d,
					  &out->difference[d]);
	restorer_close(&a->restorer);
	return ret;
}

static int find_differences(struct analyst *a, struct sets *s, char *err,
			    size_t errlen)
{
	int ret;

	/* The contract permits no mask with an undefined bit. */
	if (s->cell->cell.sort == CELL_UNDEFINED) {
		memcpy(s->differs[ACCEPTS_REFUSED], s->accepted,
		       WORDS * sizeof(*s->accepted));
		return 0;
	}
	ret = analyst_open_cell(a, &s->cell->cell, err, errlen);
	if (!ret && s->cell->cell.sort == CELL_VALUES)
		analyst_differing_values(a, s->cell, s->accepted, s->differs);
	else if (!ret)
		judge_masks(a, s);
	restorer_close(&a->restorer);
	return ret;
}

int analyse_differences(struct analyst *a, const struct map_cell *cell,
			const uint64_t *accepted,
			uint64_t *differs[DIFFERENCE_NR], char *err,
			size_t errlen)
{
	struct sets s = new_sets(a, cell, accepted);
	int ret = find_differences(a, &s, err, errlen), n = 0;
	uint32_t first;

	for (int d = 0; d < DIFFERENCE_NR; d++) {
		differs[d] = s.differs[d];
		n += (int)analyst_count(s.differs[d], &first);
	}
	return ret ? ret : n;
}

const uint64_t *analyst_answers(struct analyst *a, const struct map_cell *cell,
				const uint64_t *accepted)
{
	bool all_same = true;

	for (uint32_t i = 0; i < cell->nrepeats; i++)
		all_same = all_same && cell->repeat[i].same;
	if (all_same)
		return accepted;
	memcpy(a->answers, accepted, WORDS * sizeof(*accepted));
	for (uint32_t i = 0; i < cell->nrepeats; i++) {
		uint32_t call = cell->repeat[i].call;

		if (!cell->repeat[i].same)
			a->answers[call / 64] ^= UINT64_C(1) << call % 64;
	}
	return a->answers;
}
