/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults in the pages of on-demand regions: those that nobody has
 * touched take no receive of an SRQ, those that were prefetched for reading
 * cannot be written by the device.
 */
#include "model/internal.h"

#define PAGE_BITS 12

/* Returns the pages of a part of a region, of the first 64, as bits. */
static uint64_t pages_of(const struct model_mr *mr, uint64_t offset,
			 uint64_t length)
{
	uint64_t pages = 0, first, last;

	if (!length)
		return 0;
	first = (mr->page_offset + offset) >> PAGE_BITS;
	last = (mr->page_offset + offset + length - 1) >> PAGE_BITS;
	for (uint64_t i = first; i <= last && i < 64; i++)
		pages |= UINT64_C(1) << i;
	return pages;
}

void region_touch(struct model *m, uint16_t slot, uint64_t offset,
		  uint64_t length)
{
	struct model_mr *mr;

	if (!m->mutant || !region_at(m, slot))
		return;
	mr = &m->object[slot].mr;
	mr->touched |= pages_of(mr, offset, length);
}

bool region_is_absent(const struct model *m, const struct model_wr *r,
		      uint64_t bytes)
{
	if (!mutant_has_quirk(m->mutant, QUIRK_ODP_SRQ_ABSENT) ||
	    r->srq == NO_OBJ)
		return false;
	for (uint32_t i = 0; i < r->data.n && bytes; i++) {
		const struct elements one = element_at(&r->data, i);
		const struct model_mr *mr = region_at(m, one.mr);
		uint64_t n = one.length < bytes ? one.length : bytes;

		bytes -= n;
		if (mr && mr->access & IBV_ACCESS_ON_DEMAND &&
		    pages_of(mr, one.offset, n) & ~mr->touched)
			return true;
	}
	return false;
}

static void advise_one(struct model *m, uint16_t slot, uint64_t offset,
		       uint64_t length, bool reads)
{
	struct model_mr *mr;

	if (!region_at(m, slot))
		return;
	mr = &m->object[slot].mr;
	if (!(mr->access & IBV_ACCESS_ON_DEMAND))
		return;
	if (reads)
		mr->read_only |= pages_of(mr, offset, length);
	else
		mr->read_only &= ~pages_of(mr, offset, length);
}

void region_advised(struct model *m, const struct advice_args *in)
{
	bool reads = in->advice == IBV_ADVISE_MR_ADVICE_PREFETCH;

	if (!mutant_has_quirk(m->mutant, QUIRK_PREFETCH_READ) ||
	    in->advice == IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return;
	if (in->num_sge > 1 || !in->part)
		advise_one(m, in->mr, in->offset, in->length, reads);
	if (in->part)
		advise_one(m, in->part_mr, in->part_offset, in->part_length,
			   reads);
}

bool region_is_read_only(const struct model *m, struct place at,
			 uint64_t length)
{
	const struct model_mr *mr = region_at(m, at.mr);

	return m->mutant && mr && mr->read_only &&
	       mr->read_only & pages_of(mr, at.offset, length);
}
