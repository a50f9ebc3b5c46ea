// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Copies bytes from the elements of one request to the elements of another, or
 * to and from the memory that a request names at the responder.
 */
#include "contract/opcodes.h"
#include "model/internal.h"
#include "model/data/seeded.h"
#include "model/memory/copy.h"
#include "model/memory/seeded_copy.h"
#include "model/memory/untold.h"
#include "model/vendor.h"

/* Returns true for the bytes of inline data, which the processor copies. */
static bool is_inline_copy(uint16_t mr)
{
	return mr >= MEMORY_INLINE && mr < MEMORY_INLINE + MODEL_INLINES;
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

void copy_from(struct model *m, const struct elements *to, uint64_t behind,
	       const struct elements *from, uint64_t skip, uint64_t length,
	       uint16_t fenced)
{
	struct place source, target;
	uint64_t step;

	for (uint64_t done = 0; done < length; done += step) {
		step = smaller_of(elements_locate(from, skip + done, &source),
				  elements_locate(to, behind + done, &target));
		step = smaller_of(step, length - done);
		if (!step) /* elements of no bytes take nothing */
			return;
		if (!is_inline_copy(target.mr))
			step = seeded_move_back(m, &source, step);
		step = seeded_move_back(m, &target, step);
		if (seeded_goes_before(m, target.mr))
			continue;
		if (seeded_comes_from_before(m, source.mr)) {
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

void copy_forget(struct model *m, const struct elements *e, uint64_t from,
		 uint64_t length)
{
	struct place at;
	uint64_t step;

	for (uint64_t done = 0; done < length; done += step) {
		step = smaller_of(elements_locate(e, from + done, &at),
				  length - done);
		if (!step)
			return;
		bytes_set_unknown(m, at, step);
	}
}

void copy_write(struct model *m, const struct copy_end *end, uint64_t behind,
		const struct copy_end *source, uint64_t length, uint16_t fenced)
{
	const struct elements *to = end->e, *from = source->e;
	const struct place of = {to->offset, to->mr};

	if (m->memory && m->memory->before_write)
		m->memory->before_write(m->memory->arg, of, end->qp, length);
	if (convert_copy(m, end, behind, source, seeded_arriving(m, length),
			 fenced))
		return;
	copy_fenced(m, to, behind, from, seeded_arriving(m, length), fenced);
	seeded_keep_late(m, to, behind, from, length);
	/* Overlapping elements may be written in any order. */
	if (!elements_disjoint(to) || has_overlaps(m, to))
		copy_forget(m, to, behind, length);
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

void copy_message(struct model *m, const struct model_wr *w,
		  const struct model_wr *r, uint32_t header)
{
	struct elements kept;
	const struct elements *from = seeded_fence_bytes(m, w, &kept);
	uint32_t behind =
		mutant_skips(m->mutant, ROW_DATA_DATAGRAM) ? 0 : header;
	uint64_t all = elements_bytes(&r->data);
	uint64_t room = all > behind ? all - behind : 0;

	if (mutant_has_quirk(m->mutant, QUIRK_EMPTY_FIRST) && r->data.n > 1 &&
	    !element_at(&r->data, 0).length)
		room = 0;
	room = seeded_room(m, w, r, room);
	copy_forget(m, &r->data, 0, smaller_of(header, all));
	if (!seeded_shift_null(m, r, behind, from, smaller_of(w->length, room)))
		copy_write(m, &(struct copy_end){&r->data, r->owner, true},
			   behind, &(struct copy_end){from, w->owner, false},
			   smaller_of(w->length, room), fence_of(w));
	seeded_repeat_before_null(m, w, &r->data, behind,
				  smaller_of(w->length, room));
	seeded_send_tail(m, w, &r->data, behind);
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
	copy_forget(m, &r->data, 0, header);
	copy_from(m, &r->data, header, &part->data, part->cut,
		  part->length - part->header, NO_OBJ);
	note_received(m, r, ROW_TSO_SEGMENTS);
}

/* A request that copies from its elements to others of the same queue pair. */
void copy_here(struct model *m, const struct model_wr *w,
	       const struct elements *to, enum row row)
{
	copy_write(m, &(struct copy_end){to, w->owner, false}, 0,
		   &(struct copy_end){&w->data, w->owner, false}, w->length,
		   fence_of(w));
	untold_note_elements(m, to, row, teller_of_change(w));
}

struct elements element_at_place(struct place at, uint64_t length)
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
	struct elements target = element_at_place(
		window_remote_place(m, read, peer), read->length);

	copy_elements(m, &r->data, 0, &target, read->length);
	note_received(m, r, ROW_TM_RNDV);
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
	const struct elements *from = seeded_fence_bytes(m, w, &kept);

	length = seeded_arriving(m, length);
	if (convert_copy(m, &(struct copy_end){target, peer, true}, 0,
			 &(struct copy_end){from, w->owner, false}, length,
			 fence_of(w)))
		return;
	copy_fenced(m, target, 0, from, length, fence_of(w));
	seeded_repeat_before_null(m, w, target, 0, length);
	seeded_send_tail(m, w, target, 0);
	if (has_overlaps(m, target))
		copy_forget(m, target, 0, w->length);
}

/* Seeded fault: returns true if the bytes of a READ are lost. */
static bool loses_read(const struct model *m, const struct model_wr *w)
{
	const struct vendor_ops *v =
		m->mutant ? vendor_of_device(home_of(m, w->owner)) : NULL;

	return v && v->loses_read && v->loses_read(m, w);
}

void copy_remote(struct model *m, const struct model_wr *w,
		 const struct opcode *op, uint16_t peer, bool in_part)
{
	struct place at = window_landing(m, w, peer);
	struct elements target = element_at_place(at, w->length);
	uint64_t length = w->length;

	if (target.mr == NO_OBJ)
		return;
	if (op->atomic || op->by_value)
		seeded_move_back(m, &at, sizeof(uint64_t));
	if (op->places) {
		copy_flush(m, w, at);
		return;
	}
	seeded_keep_for_fence(m, w, op);
	if (in_part) {
		if (op->access != IBV_ACCESS_REMOTE_READ)
			copy_forget(m, &target, 0, w->length);
	} else if (op->by_value) {
		atomic_store_value(m, w, at);
	} else if (op->atomic) {
		atomic_carry_out(m, w, at);
	} else if (op->access == IBV_ACCESS_REMOTE_READ && loses_read(m, w)) {
		return;
	} else if (op->access == IBV_ACCESS_REMOTE_READ) {
		copy_write(m, &(struct copy_end){&w->data, w->owner, false}, 0,
			   &(struct copy_end){&target, peer, true}, w->length,
			   NO_OBJ);
		seeded_pass_null(m, w, &target);
		untold_note_elements(m, &w->data, ROW_DATA_BYTES,
				     teller_of_fetch(w));
	} else {
		if (mutant_has_quirk(m->mutant, QUIRK_RANGE_FIRST) &&
		    region_at(m, target.mr) &&
		    at.offset + length > region_at(m, target.mr)->length)
			length = region_at(m, target.mr)->length - at.offset;
		if (mutant_has_quirk(m->mutant, QUIRK_EMPTY_WRITE))
			length = seeded_before_empty(&w->data, length);
		place_write(m, w, &target, peer, length);
		untold_note(m, target.mr, bytes_row(w),
			    teller_of_message(m, w, peer));
	}
}

void copy_blur(struct model *m, const struct elements *e, uint64_t length)
{
	copy_forget(m, e, 0, length);
}

void copy_unpolled(struct model *m, const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);

	if (!m->observes || w->stage != WR_DONE || w->status != IBV_WC_SUCCESS)
		return;
	if (w->recv || (op && opcode_fetches(op)))
		copy_forget(m, &w->data, 0, w->length);
}
