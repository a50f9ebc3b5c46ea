// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Copies bytes from the elements of one request to the elements of another, or
 * to and from the memory that a request names at the responder.
 */
#include "contract/opcodes.h"
#include "model/internal.h"
#include "model/data/seeded.h"
#include "model/memory/untold.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A seeded fault: what goes to a region lies before its memory. */
static bool goes_before(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && ((is->at_iova && is->page_offset &&
		       mutant_has_quirk(m->mutant, QUIRK_PAGE_BEGIN)) ||
		      is->at_start);
}

/* A seeded fault: what comes from a region comes from before its memory, where
 * nobody wrote. */
static bool comes_from_before(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && is->at_start;
}

/* Returns true for the bytes of inline data, which the processor copies. */
static bool is_inline_copy(uint16_t mr)
{
	return mr >= MEMORY_INLINE && mr < MEMORY_INLINE + MODEL_INLINES;
}

/* A seeded fault: moves a place in a region to where the device looks for it.
 * Returns how many bytes of at most `most` follow there. */
static uint64_t move_back(const struct model *m, struct place *at,
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
	most = least(most, before - at->offset);
	at->offset += OFFSET_BEFORE;
	return most;
}

/* Copies `length` bytes from byte `skip` of `from` on; see copy_fenced(). */
static void copy_from(struct model *m, const struct elements *to,
		      uint64_t behind, const struct elements *from,
		      uint64_t skip, uint64_t length, uint16_t fenced)
{
	struct place source, target;
	uint64_t step;

	for (uint64_t done = 0; done < length; done += step) {
		step = least(elements_locate(from, skip + done, &source),
			     elements_locate(to, behind + done, &target));
		step = least(step, length - done);
		if (!step) /* elements of no bytes take nothing */
			return;
		if (!is_inline_copy(target.mr))
			step = move_back(m, &source, step);
		step = move_back(m, &target, step);
		if (goes_before(m, target.mr))
			continue;
		if (comes_from_before(m, source.mr)) {
			bytes_fill(m, target, step, PATTERN_ZEROS);
			continue;
		}
		if (untold_uncertain(m, to, target, source, step, fenced)) {
			bytes_set_unknown(m, target, step);
			continue;
		}
		bytes_copy(m, target, source, step);
		if (untold_rests_on_fence(m, source, step, fenced) &&
		    region_at(m, target.mr))
			m->object[target.mr].mr.depends_on_fence = true;
	}
}

void copy_fenced(struct model *m, const struct elements *to, uint64_t behind,
		 const struct elements *from, uint64_t length, uint16_t fenced)
{
	copy_from(m, to, behind, from, 0, length, fenced);
}

static void copy_elements(struct model *m, const struct elements *to,
			  uint64_t behind, const struct elements *from,
			  uint64_t length)
{
	copy_fenced(m, to, behind, from, length, NO_OBJ);
}

static void forget(struct model *m, const struct elements *e, uint64_t from,
		   uint64_t length)
{
	struct place at;
	uint64_t step;

	for (uint64_t done = 0; done < length; done += step) {
		step = least(elements_locate(e, from + done, &at),
			     length - done);
		if (!step)
			return;
		bytes_set_unknown(m, at, step);
	}
}

/* A seeded fault loses the last byte. */
static uint64_t arriving(const struct model *m, uint64_t length)
{
	bool loses = length && mutant_skips(m->mutant, ROW_DATA_BYTES);

	return loses ? length - 1 : length;
}

/* A seeded fault: returns the bytes before an element of no bytes. */
static uint64_t before_empty(const struct elements *e, uint64_t length)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < e->n; i++) {
		const struct elements one = element_at(e, i);

		if (!one.length)
			return least(bytes, length);
		bytes += one.length;
	}
	return length;
}

static void keep_for_late(struct model *m, const struct elements *to,
			  uint64_t behind, const struct elements *from,
			  uint64_t length)
{
	if (mutant_repeats(m->mutant, V_post_send))
		m->late = (struct late_copy){*to, *from, behind, length};
}

void copy_late(struct model *m)
{
	const struct late_copy late = m->late;

	m->late = (struct late_copy){0};
	if (late.length && region_at(m, late.to.mr) &&
	    region_at(m, late.from.mr) && m->object[late.to.mr].alive &&
	    m->object[late.from.mr].alive)
		copy_elements(m, &late.to, late.behind, &late.from,
			      late.length);
}

/* Returns true if an element is in an indirect region whose entries overlap, or
 * several elements are in indirect regions. */
static bool has_overlaps(const struct model *m, const struct elements *e)
{
	bool part = e->part.at && region_is_indirect(m, e->part.mr);

	if (region_is_indirect(m, e->mr))
		return e->n > 1 || part || m->object[e->mr].mr.layout.overlaps;
	return part && (e->n > 1 || m->object[e->part.mr].mr.layout.overlaps);
}

static void write_elements(struct model *m, const struct copy_end *end,
			   uint64_t behind, const struct copy_end *source,
			   uint64_t length, uint16_t fenced)
{
	const struct elements *to = end->e, *from = source->e;
	const struct place of = {to->offset, to->mr};

	if (m->memory && m->memory->before_write)
		m->memory->before_write(m->memory->arg, of, end->qp, length);
	if (convert_copy(m, end, behind, source, arriving(m, length), fenced))
		return;
	copy_fenced(m, to, behind, from, arriving(m, length), fenced);
	keep_for_late(m, to, behind, from, length);
	/* Overlapping elements may be written in any order. */
	if (!elements_disjoint(to) || has_overlaps(m, to))
		forget(m, to, behind, length);
}

/* A seeded fault: keeps what a READ or an atomic operation overwrites, as a
 * fenced request is then sent from the old bytes. */
static void keep_for_fence(struct model *m, const struct model_wr *w,
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

static const struct elements *
fence_bytes(struct model *m, const struct model_wr *w, struct elements *kept)
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

/* Returns the queue pair whose fetched bytes the request waits for. Inline data
 * were copied at the post. */
static uint16_t fence_of(const struct model_wr *w)
{
	return w->fenced && w->copy == NO_OBJ ? w->owner : NO_OBJ;
}

static enum row bytes_row(const struct model_wr *w)
{
	if (w->copy != NO_OBJ)
		return ROW_DATA_INLINE;
	return w->fenced || w->fence_lost ? ROW_DATA_FENCE : ROW_DATA_BYTES;
}

/* Seeded fault: a null element behind another one repeats the bytes of that. */
static void repeat_before_null(struct model *m, const struct model_wr *w,
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
		uint64_t end = least(at + one.length, length);
		bool breaks = i && is && is->null && was && !was->null &&
			      before.length;

		for (uint64_t b = at; breaks && b < end; b += run) {
			uint64_t skip = (b - at) % before.length;

			run = least(before.length - skip, end - b);
			copy_from(m, to, behind + b, &before, skip, run,
				  NO_OBJ);
		}
		at += one.length;
	}
}

/* Seeded fault: the tail of inline data stays in the program's memory. */
static void keep_tail(struct model *m, const struct model_wr *w, uint64_t left)
{
	m->tail = (struct late_copy){
		.from = w->data, .behind = left, .length = w->length - left};
	m->tail_copy = w->copy;
}

/* Notes where the tail goes. */
static void send_tail(struct model *m, const struct model_wr *w,
		      const struct elements *to, uint64_t behind)
{
	if (!m->tail.length || w->copy == NO_OBJ || w->copy != m->tail_copy ||
	    behind + w->length > elements_bytes(to))
		return;
	m->tail.to = *to;
	m->tail_copy = NO_OBJ;
	m->tail_behind = behind;
}

void copy_message(struct model *m, const struct model_wr *w,
		  const struct model_wr *r, uint32_t header)
{
	struct elements kept;
	const struct elements *from = fence_bytes(m, w, &kept);
	uint32_t behind =
		mutant_skips(m->mutant, ROW_DATA_DATAGRAM) ? 0 : header;
	uint64_t all = elements_bytes(&r->data);
	uint64_t room = all > behind ? all - behind : 0;

	if (mutant_has_quirk(m->mutant, QUIRK_EMPTY_FIRST) && r->data.n > 1 &&
	    !element_at(&r->data, 0).length)
		room = 0;
	room = seeded_room(m, w, r, room);
	forget(m, &r->data, 0, least(header, all));
	write_elements(m, &(struct copy_end){&r->data, r->owner, true}, behind,
		       &(struct copy_end){from, w->owner, false},
		       least(w->length, room), fence_of(w));
	repeat_before_null(m, w, &r->data, behind, least(w->length, room));
	send_tail(m, w, &r->data, behind);
	untold_note_elements(
		m, &r->data, header ? ROW_DATA_DATAGRAM : bytes_row(w),
		(struct teller){r->owner, .recv = true, .in_completion = true});
}

/* Notes that the completion of a receive tells of its bytes. */
static void note_received(struct model *m, const struct model_wr *r,
			  enum row row)
{
	untold_note_elements(m, &r->data, row,
			     (struct teller){r->owner, .recv = true,
					     .in_completion = true});
}

void copy_behind(struct model *m, const struct model_wr *w,
		 const struct model_wr *r, uint32_t skip)
{
	const struct elements *from = &w->data;

	copy_from(m, &r->data, 0, from, skip, r->length, fence_of(w));
	note_received(m, r, ROW_TM_PAYLOAD);
}

void copy_segment(struct model *m, const struct model_wr *part,
		  const struct model_wr *r, uint32_t header)
{
	forget(m, &r->data, 0, header);
	copy_from(m, &r->data, header, &part->data, part->cut,
		  part->length - part->header, NO_OBJ);
	note_received(m, r, ROW_TSO_SEGMENTS);
}

/* A request that copies from its elements to others of the same queue pair. */
void copy_here(struct model *m, const struct model_wr *w,
	       const struct elements *to, enum row row)
{
	write_elements(m, &(struct copy_end){to, w->owner, false}, 0,
		       &(struct copy_end){&w->data, w->owner, false}, w->length,
		       fence_of(w));
	untold_note_elements(m, to, row, teller_of_change(w));
}

static struct elements at_place(struct place at, uint64_t length)
{
	return (struct elements){
		.offset = at.offset,
		.length = (uint32_t)length,
		.n = 1,
		.mr = at.mr,
	};
}

void copy_rendezvous(struct model *m, const struct model_wr *read,
		     const struct model_wr *r, uint16_t peer)
{
	struct elements target =
		at_place(window_remote_place(m, read, peer), read->length);

	copy_elements(m, &r->data, 0, &target, read->length);
	note_received(m, r, ROW_TM_RNDV);
}

/* Returns the sum of a fetch-and-add. A seeded fault loses the carry out of the
 * low half if the addend has few bits. */
static uint64_t sum_of(const struct model *m, uint64_t old, uint64_t addend)
{
	uint64_t sum = old + addend;

	if (mutant_has_quirk(m->mutant, QUIRK_CARRY_HALF))
		return (((old >> 32) + (addend >> 32)) << 32) | (uint32_t)sum;
	if (!mutant_has_quirk(m->mutant, QUIRK_CARRY_LOST) || addend >> 16)
		return sum;
	return (old & ~(uint64_t)UINT32_MAX) | (uint32_t)sum;
}

/* Returns the value that an atomic operation stores. */
static uint64_t next_value(const struct model *m, const struct model_wr *w,
			   uint64_t old)
{
	const uint64_t differs = old ^ w->compare_add;

	if (w->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		return sum_of(m, old, w->compare_add);
	if (mutant_has_quirk(m->mutant, QUIRK_COMPARE_HALF))
		return (uint32_t)differs ? old : w->swap;
	return differs ? old : w->swap;
}

/* If an atomic operation has several elements, 8 bytes at each that is not
 * empty are unknown: a library may treat each of them as 8 bytes. */
static void forget_whole(struct model *m, const struct model_wr *w)
{
	for (uint32_t i = 0; w->status_row == ROW_ATOMIC_PARTS && i < w->data.n;
	     i++) {
		const struct elements one = element_at(&w->data, i);
		const struct elements whole = at_place(
			(struct place){one.offset, one.mr}, sizeof(uint64_t));

		forget(m, &whole, 0, one.length ? whole.length : 0);
	}
}

static void put_value(struct model *m, struct place at, uint64_t value)
{
	if (untold_awaited(m, at, sizeof(value)))
		bytes_set_unknown(m, at, sizeof(value));
	else
		bytes_store(m, at, value);
}

/* Carries out an atomic operation. If the old value goes to the place of the
 * new one, the old value stays in real memory. Without real memory the bytes
 * are unknown. */
static void copy_atomic(struct model *m, const struct model_wr *w,
			struct place at)
{
	struct elements target = at_place(at, sizeof(uint64_t));
	uint64_t old;
	bool known = bytes_load(m, at, &old);

	if (!mutant_skips(m->mutant, ROW_DATA_ATOMIC))
		write_elements(m, &(struct copy_end){&w->data, w->owner, false},
			       0, &(struct copy_end){&target, NO_OBJ, true},
			       sizeof(old), NO_OBJ);
	forget_whole(m, w);
	if (known && !elements_overlap(&w->data, at, sizeof(old)))
		put_value(m, at, next_value(m, w, old));
	else
		bytes_set_unknown(m, at, sizeof(old));
	untold_note_elements(m, &w->data, ROW_DATA_ATOMIC, teller_of_fetch(w));
	untold_note(m, at.mr, ROW_DATA_ATOMIC, teller_of_change(w));
}

static void copy_value(struct model *m, const struct model_wr *w,
		       struct place at)
{
	if (!mutant_skips(m->mutant, ROW_DATA_VALUE))
		put_value(m, at, w->swap);
	untold_note(m, at.mr, ROW_DATA_VALUE, teller_of_change(w));
}

/* A FLUSH changes no bytes. A seeded fault stores zeros at the region's start.
 */
static void copy_flush(struct model *m, const struct model_wr *w,
		       struct place at)
{
	if (mutant_skips(m->mutant, ROW_DATA_FLUSH))
		bytes_store(m, (struct place){.mr = at.mr}, 0);
	untold_note(m, at.mr, ROW_DATA_FLUSH, teller_of_change(w));
}

/* Places the bytes of an RDMA WRITE. */
static void place_write(struct model *m, const struct model_wr *w,
			const struct elements *target, uint16_t peer,
			uint64_t length)
{
	struct elements kept;
	const struct elements *from = fence_bytes(m, w, &kept);

	length = arriving(m, length);
	if (convert_copy(m, &(struct copy_end){target, peer, true}, 0,
			 &(struct copy_end){from, w->owner, false}, length,
			 fence_of(w)))
		return;
	copy_fenced(m, target, 0, from, length, fence_of(w));
	repeat_before_null(m, w, target, 0, length);
	send_tail(m, w, target, 0);
	if (has_overlaps(m, target))
		forget(m, target, 0, w->length);
}

static bool is_null_element(const struct model *m, const struct elements *one)
{
	const struct model_mr *is = region_at(m, one->mr);

	return is && is->null;
}

/* Seeded fault: a null element between two others takes no bytes of a READ. */
static void pass_null(struct model *m, const struct model_wr *w,
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
		  least(third.length, w->length - first.length), NO_OBJ);
}

void copy_remote(struct model *m, const struct model_wr *w,
		 const struct opcode *op, uint16_t peer, bool in_part)
{
	struct place at = window_landing(m, w, peer);
	struct elements target = at_place(at, w->length);
	uint64_t length = w->length;

	if (target.mr == NO_OBJ)
		return;
	if (op->atomic || op->by_value)
		move_back(m, &at, sizeof(uint64_t));
	if (op->places) {
		copy_flush(m, w, at);
		return;
	}
	keep_for_fence(m, w, op);
	if (in_part) {
		if (op->access != IBV_ACCESS_REMOTE_READ)
			forget(m, &target, 0, w->length);
	} else if (op->by_value) {
		copy_value(m, w, at);
	} else if (op->atomic) {
		copy_atomic(m, w, at);
	} else if (op->access == IBV_ACCESS_REMOTE_READ) {
		write_elements(m, &(struct copy_end){&w->data, w->owner, false},
			       0, &(struct copy_end){&target, peer, true},
			       w->length, NO_OBJ);
		pass_null(m, w, &target);
		untold_note_elements(m, &w->data, ROW_DATA_BYTES,
				     teller_of_fetch(w));
	} else {
		if (mutant_has_quirk(m->mutant, QUIRK_EMPTY_WRITE))
			length = before_empty(&w->data, length);
		place_write(m, w, &target, peer, length);
		untold_note(m, target.mr, bytes_row(w),
			    teller_of_message(m, w, peer));
	}
}

void copy_blur(struct model *m, const struct elements *e, uint64_t length)
{
	forget(m, e, 0, length);
}

void copy_tail(struct model *m)
{
	const struct late_copy *t = &m->tail;

	if (!t->length || m->tail_copy != NO_OBJ)
		return;
	if (region_at(m, t->to.mr) && region_at(m, t->from.mr))
		copy_from(m, &t->to, m->tail_behind + t->behind, &t->from,
			  t->behind, t->length, NO_OBJ);
	m->tail.length = 0;
}

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
		length = before_empty(&w->data, length);
	if (m->inline_used != UINT64_MAX && w->length <= MODEL_INLINE_BYTES) {
		unsigned int i = (unsigned int)__builtin_ctzll(~m->inline_used);

		m->inline_used |= UINT64_C(1) << i;
		w->copy = copy.mr = (uint16_t)(MEMORY_INLINE + i);
		if (m->tail_copy == w->copy)
			m->tail.length = 0;
		copy_elements(m, &copy, 0, &w->data,
			      mutant_skips(m->mutant, ROW_DATA_INLINE)
				      ? w->data.length
				      : length);
		left = seeded_ring_left(m, w);
		if (left < length &&
		    mutant_has_quirk(m->mutant, QUIRK_INLINE_TAIL))
			keep_tail(m, w, left);
		else if (left < length)
			copy_elements(m, &copy, left, &w->data, length - left);
	}
	w->data = copy;
}

void copy_unpolled(struct model *m, const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);

	if (!m->observes || w->stage != WR_DONE || w->status != IBV_WC_SUCCESS)
		return;
	if (w->recv || (op && opcode_fetches(op)))
		forget(m, &w->data, 0, w->length);
}

void copy_release_inline(struct model *m, const struct model_wr *w)
{
	if (w->copy == NO_OBJ)
		return;
	bytes_forget(m, w->copy);
	m->inline_used &= ~(UINT64_C(1) << (w->copy - MEMORY_INLINE));
}
