// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The memory that programs register. The model reads and writes this memory by
 * the functions of this file, and keeps copies of inline data in fake.copy[].
 */
#include <string.h>
#include "tests/stand-in/stand_in.h"

uint64_t fake_iova(const struct ibv_mr *mr)
{
	return ((const struct fake_region *)mr)->iova;
}

static bool holds(const struct ibv_mr *mr, uint64_t addr)
{
	return addr >= fake_iova(mr) && addr - fake_iova(mr) < mr->length;
}

uint16_t fake_region_at(const struct fake *f, uint64_t addr, uint32_t key,
			bool remote)
{
	uint16_t of_key = NO_OBJ, holder = NO_OBJ;

	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		const struct ibv_mr *mr = f->object[slot];

		if (f->kind[slot] != OBJ_MR || !mr)
			continue;
		if (key == (remote ? mr->rkey : mr->lkey))
			of_key = slot;
		if (holds(mr, addr) && of_key == slot)
			return slot;
		if (holds(mr, addr) && holder == NO_OBJ)
			holder = slot;
	}
	return holder == NO_OBJ ? of_key : holder;
}

/* Copies `length` bytes from offset `from` of the inline data of the request
 * that this thread is posting. */
static void gather_inline(unsigned char *to, uint64_t from, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++) {
		uint64_t at = from + i;
		const struct ibv_sge *sge = fake_inlined;

		while (at >= sge->length)
			at -= sge++->length;
		to[i] = ((unsigned char *)(uintptr_t)sge->addr)[at];
	}
}

/* Returns the address of a place in a region or in a copy of inline data, or
 * NULL. */
static unsigned char *address_of(struct fake *f, struct place at)
{
	const struct ibv_mr *mr = fake_object_at(f, at.mr);

	if (mr)
		return (unsigned char *)mr->addr + at.offset;
	if (at.mr < MEMORY_INLINE)
		return NULL;
	return f->copy[at.mr - MEMORY_INLINE] + at.offset;
}

static void copy_bytes(void *arg, struct place to, struct place from,
		       uint64_t length)
{
	struct fake *f = arg;

	if (to.mr >= MEMORY_INLINE)
		gather_inline(address_of(f, to), to.offset, length);
	else if (address_of(f, from))
		memmove(address_of(f, to), address_of(f, from), length);
}

static void store_value(void *arg, struct place to, uint64_t value)
{
	memcpy(address_of(arg, to), &value, sizeof(value));
}

static uint64_t load_value(void *arg, struct place at)
{
	uint64_t value;

	memcpy(&value, address_of(arg, at), sizeof(value));
	return value;
}

static void read_bytes(void *arg, struct place from, void *bytes,
		       uint32_t length)
{
	memcpy(bytes, address_of(arg, from), length);
}

static void write_bytes(void *arg, struct place to, const void *bytes,
			uint32_t length)
{
	memcpy(address_of(arg, to), bytes, length);
}

static bool find_place(void *arg, uint16_t user, uint32_t rkey,
		       uint64_t address, struct place *at)
{
	const struct fake *f = arg;
	uint16_t slot = fake_region_at(f, address, rkey, true);

	(void)user;
	if (slot == NO_OBJ)
		return false;
	*at = (struct place){address - fake_iova(f->object[slot]), slot};
	return true;
}

void fake_attach_memory(struct fake *f)
{
	f->memory = (struct model_memory){.copy = copy_bytes,
					  .store = store_value,
					  .load = load_value,
					  .read = read_bytes,
					  .write = write_bytes,
					  .find = find_place,
					  .arg = f};
	model_use_memory(f->model, &f->memory);
}
