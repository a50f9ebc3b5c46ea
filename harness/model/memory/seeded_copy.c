// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults in the bytes that requests copy.
 */
#include "contract/opcodes.h"
#include "model/data/seeded.h"
#include "model/internal.h"
#include "model/memory/copy.h"
#include "model/memory/seeded_copy.h"

bool seeded_goes_before(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && ((is->at_iova && is->page_offset &&
		       mutant_has_quirk(m->mutant, QUIRK_PAGE_BEGIN)) ||
		      is->at_start);
}

bool seeded_comes_from_before(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && is->at_start;
}

uint64_t seeded_move_back(const struct model *m, struct place *at,
			  uint64_t most)
{
	const struct model_mr *is = region_at(m, at->mr);
	uint64_t before = is ? is->pages_before : 0;

	if (is && is->strayed) {
		at->offset += OFFSET_BEFORE;
		return most;
	}

	if (at->offset >= before) {
		at->offset -= before;
		return most;
	}
	most = smaller_of(most, before - at->offset);
	at->offset += OFFSET_BEFORE;
	return most;
}

uint64_t seeded_arriving(const struct model *m, uint64_t length)
{
	bool loses = length && mutant_skips(m->mutant, ROW_DATA_BYTES);

	return loses ? length - 1 : length;
}

uint64_t seeded_before_empty(const struct elements *e, uint64_t length)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < e->n; i++) {
		const struct elements one = element_at(e, i);

		if (!one.length)
			return smaller_of(bytes, length);
		bytes += one.length;
	}
	return length;
}

void seeded_keep_late(struct model *m, const struct elements *to,
		      uint64_t behind, const struct elements *from,
		      uint64_t length)
{
	if (mutant_repeats(m->mutant, V_post_send))
		m->late = (struct late_copy){*to, *from, behind, length};
}

void seeded_copy_late(struct model *m)
{
	const struct late_copy late = m->late;

	m->late = (struct late_copy){0};
	if (late.length && region_at(m, late.to.mr) &&
	    region_at(m, late.from.mr) && m->object[late.to.mr].alive &&
	    m->object[late.from.mr].alive)
		copy_elements(m, &late.to, late.behind, &late.from,
			      late.length);
}

void seeded_keep_for_fence(struct model *m, const struct model_wr *w,
			   const struct opcode *op)
{
	struct elements copy;
	bool overtakes = mutant_skips(m->mutant, ROW_DATA_FENCE) ||
			 mutant_alters_send_flags(m->mutant) ||
			 mutant_has_quirk(m->mutant, QUIRK_LIST_FENCE) ||
			 (op->atomic &&
			  (mutant_has_quirk(m->mutant, QUIRK_FENCE_ATOMIC) ||
			   mutant_has_quirk(m->mutant, QUIRK_FENCE_OPEN)));

	if (!overtakes || !opcode_fetches(op) || m->memory)
		return;
	copy = (struct elements){
		.length = w->length, .n = 1, .mr = MEMORY_BEFORE};
	bytes_forget(m, MEMORY_BEFORE);
	copy_elements(m, &copy, 0, &w->data, w->length);
	m->fence_before = w->data;
}

const struct elements *seeded_fence_bytes(struct model *m,
					  const struct model_wr *w,
					  struct elements *kept)
{
	bool overtakes = w->fence_lost || seeded_passes_atomic(m, w) ||
			 (w->fenced &&
			  (mutant_skips(m->mutant, ROW_DATA_FENCE) ||
			   mutant_has_quirk(m->mutant, QUIRK_FENCE_ATOMIC)));
	bool stale = overtakes && m->fence_before.n &&
		     w->data.mr == m->fence_before.mr &&
		     w->data.offset == m->fence_before.offset;

	if (!stale)
		return &w->data;
	*kept = (struct elements){
		.length = w->length, .n = 1, .mr = MEMORY_BEFORE};
	return kept;
}

void seeded_repeat_before_null(struct model *m, const struct model_wr *w,
			       const struct elements *to, uint64_t behind,
			       uint64_t length)
{
	uint64_t at = 0, run;

	if (!mutant_has_quirk(m->mutant, QUIRK_NULL_BEHIND))
		return;
	for (uint32_t i = 0; i < w->data.n; i++) {
		const struct elements one = element_at(&w->data, i);
		const struct elements before =
			i ? element_at(&w->data, i - 1) : one;
		const struct model_mr *is = region_at(m, one.mr);
		const struct model_mr *was = region_at(m, before.mr);
		uint64_t end = smaller_of(at + one.length, length);
		bool breaks = i && is && is->null && was && !was->null &&
			      before.length;

		for (uint64_t b = at; breaks && b < end; b += run) {
			uint64_t skip = (b - at) % before.length;

			run = smaller_of(before.length - skip, end - b);
			copy_from(m, to, behind + b, &before, skip, run,
				  NO_OBJ);
		}
		at += one.length;
	}
}

void seeded_keep_tail(struct model *m, const struct model_wr *w, uint64_t left)
{
	m->tail = (struct late_copy){
		.from = w->data, .behind = left, .length = w->length - left};
	m->tail_copy = w->copy;
}

void seeded_send_tail(struct model *m, const struct model_wr *w,
		      const struct elements *to, uint64_t behind)
{
	if (!m->tail.length || w->copy == NO_OBJ || w->copy != m->tail_copy ||
	    behind + w->length > elements_bytes(to))
		return;
	m->tail.to = *to;
	m->tail_copy = NO_OBJ;
	m->tail_behind = behind;
}

void seeded_copy_tail(struct model *m)
{
	const struct late_copy *t = &m->tail;

	if (!t->length || m->tail_copy != NO_OBJ)
		return;
	if (region_at(m, t->to.mr) && region_at(m, t->from.mr))
		copy_from(m, &t->to, m->tail_behind + t->behind, &t->from,
			  t->behind, t->length, NO_OBJ);
	m->tail.length = 0;
}

static bool is_null_element(const struct model *m, const struct elements *one)
{
	const struct model_mr *is = region_at(m, one->mr);

	return is && is->null;
}

bool seeded_shift_null(struct model *m, const struct model_wr *r,
		       uint64_t behind, const struct elements *from,
		       uint64_t length)
{
	uint64_t at = 0; /* of the header and the message behind it */
	bool any = false;

	if (!mutant_has_quirk(m->mutant, QUIRK_NULL_SHIFTS) || r->data.n < 2)
		return false;
	for (uint32_t i = 0; i < r->data.n; i++) {
		const struct elements one = element_at(&r->data, i);

		any |= one.length && is_null_element(m, &one);
	}
	if (!any)
		return false;
	for (uint32_t i = 0; i < r->data.n; i++) {
		const struct elements one = element_at(&r->data, i);
		uint64_t skip = at < behind ? behind - at : 0;
		uint64_t left, run;

		if (is_null_element(m, &one))
			continue;
		left = at + skip - behind;
		left = left < length ? length - left : 0;
		if (skip < one.length && left) {
			run = smaller_of(one.length - skip, left);
			copy_from(m, &one, skip, from, at + skip - behind, run,
				  NO_OBJ);
		}
		at += one.length;
	}
	return true;
}

void seeded_pass_null(struct model *m, const struct model_wr *w,
		      const struct elements *target)
{
	struct elements first, null, third;

	if (!mutant_has_quirk(m->mutant, QUIRK_NULL_READ) || w->data.n != 3)
		return;
	first = element_at(&w->data, 0);
	null = element_at(&w->data, 1);
	third = element_at(&w->data, 2);
	if (is_null_element(m, &first) || !is_null_element(m, &null) ||
	    is_null_element(m, &third) || w->length <= first.length)
		return;
	copy_from(m, &third, 0, target, first.length,
		  smaller_of(third.length, w->length - first.length), NO_OBJ);
}

static bool sends_bytes(const struct model_wr *w)
{
	return w->opcode == IBV_WR_SEND || w->opcode == IBV_WR_SEND_WITH_IMM ||
	       w->opcode == IBV_WR_SEND_WITH_INV;
}

void seeded_keep_rest(const struct model *m, struct model_wr *w)
{
	bool again = mutant_has_quirk(m->mutant, QUIRK_INLINE_AGAIN);

	if (!again && (w->data.n < 2 || !sends_bytes(w)))
		return;
	w->rest = w->data;
	w->rest_at = again ? 1 : element_at(&w->data, 0).length + 1;
}

void seeded_read_late(const struct step *s, struct model_wr *w)
{
	const struct elements copy = w->data;

	if (s->b->verb != V_post_send &&
	    !mutant_has_quirk(s->m->mutant, QUIRK_INLINE_AGAIN))
		w->rest_at = 0;
	if (!w->rest_at ||
	    !mutant_has_quirk(s->m->mutant, QUIRK_INLINE_REST_LATE))
		return;
	w->data = w->rest;
	seeded_keep_tail(s->m, w, w->rest_at - 1);
	w->data = copy;
}

void seeded_read_again(struct model *m, struct model_wr *w)
{
	uint64_t at = w->rest_at - 1;

	if (!w->rest_at || w->copy == NO_OBJ || at >= w->length ||
	    (!mutant_has_quirk(m->mutant, QUIRK_INLINE_REST) &&
	     !(w->waits_for == WAITS_RECEIVE &&
	       mutant_has_quirk(m->mutant, QUIRK_INLINE_AGAIN))))
		return;
	for (uint32_t i = 0; i < w->rest.n; i++)
		if (!region_at(m, element_at(&w->rest, i).mr))
			return;
	copy_from(m, &w->data, at, &w->rest, at, w->length - at, NO_OBJ);
}
