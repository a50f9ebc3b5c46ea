// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Carries out atomic operations, and writes of a value, on bytes in memory.
 */
#include "model/internal.h"
#include "model/memory/copy.h"
#include "model/memory/untold.h"

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
		const struct elements whole = element_at_place(
			(struct place){one.offset, one.mr}, sizeof(uint64_t));

		copy_forget(m, &whole, 0, one.length ? whole.length : 0);
	}
}

static void put_value(struct model *m, struct place at, uint64_t value)
{
	if (untold_awaited(m, at, sizeof(value)))
		bytes_set_unknown(m, at, sizeof(value));
	else
		bytes_store(m, at, value);
}

void atomic_carry_out(struct model *m, const struct model_wr *w,
		      struct place at)
{
	struct elements target = element_at_place(at, sizeof(uint64_t));
	uint64_t old;
	bool known = bytes_load(m, at, &old);

	if (!mutant_skips(m->mutant, ROW_DATA_ATOMIC))
		copy_write(m, &(struct copy_end){&w->data, w->owner, false}, 0,
			   &(struct copy_end){&target, NO_OBJ, true},
			   sizeof(old), NO_OBJ);
	forget_whole(m, w);
	if (known && !elements_overlap(&w->data, at, sizeof(old)))
		put_value(m, at, next_value(m, w, old));
	else
		bytes_set_unknown(m, at, sizeof(old));
	untold_note_elements(m, &w->data, ROW_DATA_ATOMIC, teller_of_fetch(w));
	untold_note(m, at.mr, ROW_DATA_ATOMIC, teller_of_change(w));
}

void atomic_store_value(struct model *m, const struct model_wr *w,
			struct place at)
{
	if (!mutant_skips(m->mutant, ROW_DATA_VALUE))
		put_value(m, at, w->swap);
	untold_note(m, at.mr, ROW_DATA_VALUE, teller_of_change(w));
}
