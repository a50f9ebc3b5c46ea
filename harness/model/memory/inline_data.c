// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Copies of the inline data of requests, which a post makes.
 */
#include "model/data/seeded.h"
#include "model/internal.h"
#include "model/memory/copy.h"
#include "model/memory/seeded_copy.h"

void copy_inline(struct model *m, struct model_wr *w)
{
	struct elements copy = {.length = w->length, .n = 1, .mr = NO_OBJ};
	uint64_t length = w->length, left;

	if (mutant_has_quirk(m->mutant, QUIRK_INLINE_LATE) &&
	    wr_list_at(m, w->owner, 0)->posted > 1)
		return;
	if (mutant_has_quirk(m->mutant, QUIRK_INLINE_SQD) &&
	    m->object[w->owner].qp.state == IBV_QPS_SQD)
		return;
	if (mutant_has_quirk(m->mutant, QUIRK_EMPTY_INLINE))
		length = seeded_before_empty(&w->data, length);
	if (m->inline_used != UINT64_MAX && w->length <= MODEL_INLINE_BYTES) {
		unsigned int i = (unsigned int)__builtin_ctzll(~m->inline_used);

		m->inline_used |= UINT64_C(1) << i;
		w->copy = copy.mr = (uint16_t)(MEMORY_INLINE + i);
		if (m->mutant)
			seeded_keep_rest(m, w);
		if (m->tail_copy == w->copy)
			m->tail.length = 0;
		copy_elements(m, &copy, 0, &w->data,
			      mutant_skips(m->mutant, ROW_DATA_INLINE)
				      ? w->data.length
				      : length);
		left = seeded_ring_left(m, w);
		if (left < length &&
		    mutant_has_quirk(m->mutant, QUIRK_INLINE_TAIL))
			seeded_keep_tail(m, w, left);
		else if (left < length)
			copy_elements(m, &copy, left, &w->data, length - left);
	}
	w->data = copy;
}

void copy_release_inline(struct model *m, const struct model_wr *w)
{
	if (w->copy == NO_OBJ)
		return;
	bytes_forget(m, w->copy);
	m->inline_used &= ~(UINT64_C(1) << (w->copy - MEMORY_INLINE));
}
