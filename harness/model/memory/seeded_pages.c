/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded fault: pages of an on-demand region that were prefetched for reading
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
