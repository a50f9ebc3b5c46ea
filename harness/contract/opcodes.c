/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds the table of operations from opcodes.def, and answers questions about
 * an operation.
 */
#include "contract/device.h"
#include "contract/opcodes.h"

enum {
#define TYPE(id, value, slug, name) id = 1 << QK_##id,
#include "contract/tables/types.def"
#define TYPE(id, value, slug, name) id = 1 << QK_##id,
#define VENDORS_TYPES
#include "vendor/vendors.def"
};

#define NEEDS_NONE	.receive = true
#define NEEDS_IMM	.receive = true, .imm = true
#define NEEDS_WRITE	.access = IBV_ACCESS_REMOTE_WRITE
#define NEEDS_WRITE_IMM NEEDS_WRITE, NEEDS_IMM
#define NEEDS_READ	.access = IBV_ACCESS_REMOTE_READ
#define NEEDS_KEY	.receive = true, .invalidates = true, .window = true
#define NEEDS_LOCAL	.local = true, .window = true
#define NEEDS_ATOMIC	.access = IBV_ACCESS_REMOTE_ATOMIC, .atomic = true
#define NEEDS_VALUE                                                            \
	.access = IBV_ACCESS_REMOTE_WRITE, .batched = true, .by_value = true
#define NEEDS_FLUSH                                                            \
	.access = ACCESS_FLUSH_GLOBAL | ACCESS_FLUSH_PERSISTENT,               \
	.batched = true, .places = true
#define NEEDS_SEGMENTS .receive = true, .segmented = true
#define NEEDS_OWN      .local = true, .own = true
#define NEEDS_NOP      NEEDS_OWN, .empty = true

static const struct opcode table[] = {
#define OPCODE(id, value_, slug_, types_, completion_, needs)                  \
	{.slug = slug_,                                                        \
	 .value = value_,                                                      \
	 .types = types_,                                                      \
	 .completion = completion_,                                            \
	 NEEDS_##needs},
#include "contract/tables/opcodes.def"
};

static const struct opcode own[] = {
#define OPCODE(id, value_, slug_, types_, completion_, needs)                  \
	{.slug = slug_,                                                        \
	 .value = value_,                                                      \
	 .types = types_,                                                      \
	 .completion = completion_,                                            \
	 NEEDS_##needs},
#define VENDORS_OPCODES
#include "vendor/vendors.def"
	{.slug = NULL},
};

const struct opcode *opcodes_all(size_t *n)
{
	*n = COUNT(table);
	return table;
}

const struct opcode *opcodes_of_batches(size_t *n)
{
	const struct opcode *all = opcodes_all(n);

	while (all[*n - 1].segmented)
		--*n;
	return all;
}

const struct opcode *opcodes(size_t *n)
{
	const struct opcode *all = opcodes_of_batches(n);

	while (all[*n - 1].batched)
		--*n;
	return all;
}

uint64_t opcode_asked_for(uint32_t value)
{
	if (value == IBV_WR_ATOMIC_WRITE)
		return IBV_QP_EX_WITH_ATOMIC_WRITE;
	if (value == WR_FLUSH)
		return QP_EX_WITH_FLUSH;
	return value < 64 ? UINT64_C(1) << value : 0;
}

enum {
#define OPCODE(id, value, slug, types, completion, needs) AT_##id,
#include "contract/tables/opcodes.def"
};

/* The index of a value in the table, plus 1 */
static const uint8_t place[] = {
#define OPCODE(id, value, slug, types, completion, needs) [value] = AT_##id + 1,
#include "contract/tables/opcodes.def"
};

static const struct opcode *own_opcode(uint32_t value)
{
	const struct opcode *op = own;

	while (op->slug && op->value != value)
		op++;
	return op->slug ? op : NULL;
}

const struct opcode *opcode_of(uint32_t value)
{
	if (value >= OPCODE_OWN)
		return own_opcode(value);
	if (value >= sizeof(place) || !place[value])
		return NULL;
	return &table[place[value] - 1];
}

bool opcode_is_batched(uint32_t value)
{
	const struct opcode *op = opcode_of(value);

	return op && op->batched;
}

bool opcode_sets_data(uint32_t value)
{
	const struct opcode *op = opcode_of(value);

	return !op || !(op->local || op->batched);
}

uint32_t opcode_right(const struct opcode *op, uint32_t flush_type)
{
	return op->places ? op->access & flush_type << 8 : op->access;
}

bool opcode_fetches(const struct opcode *op)
{
	return op->atomic || op->access == IBV_ACCESS_REMOTE_READ;
}

bool opcode_takes_resources(const struct opcode *op)
{
	return opcode_fetches(op) || op->batched;
}

bool opcode_races(uint32_t value)
{
	const struct opcode *op = opcode_of(value);

	return op && !op->window && !op->batched && !op->segmented;
}

/* Vendors' types do not have the operations that exist only in batches. */
bool opcode_has(const struct opcode *op, enum qp_kind kind)
{
	if (op->own)
		return op->types >> kind & 1;
	return op->types >> kind_sends_as(kind) & 1 &&
	       !(op->batched && kind_is_vendors(kind));
}

bool opcode_is_tried(const struct opcode *op, enum qp_kind kind)
{
	if (kind_is_vendors(kind))
		return opcode_has(op, kind) && !op->window;
	return !op->batched || opcode_has(op, kind);
}

bool opcode_offered(uint32_t value, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(value);

	return op && !op->own && opcode_has(op, kind);
}
