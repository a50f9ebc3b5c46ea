/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The operations that can be posted to a send queue.
 */
#ifndef IBVET_OPCODES_H
#define IBVET_OPCODES_H

#include "contract/contract.h"

/* What rdma-core 46 added: by number, since older headers have no name. A type
 * of placement is the right that it needs, eight bits lower. */
#define WR_FLUSH	 14
#define QP_EX_WITH_FLUSH (UINT64_C(1) << 11)
#define FLUSH_GLOBAL	 (1u << 0)
#define FLUSH_PERSISTENT (1u << 1)
#define FLUSH_RANGE	 0
#define FLUSH_MR	 1

struct opcode {
	const char *slug;
	uint32_t value;	     /* IBV_WR_… */
	uint32_t types;	     /* 1 << enum qp_kind */
	uint32_t completion; /* IBV_WC_… */
	uint32_t access;     /* rights that it may need at the other end */
	bool receive;	     /* takes a receive at the other end */
	bool imm;
	bool atomic;
	bool invalidates; /* a memory window at the other end */
	bool local;	  /* it sends nothing */
	bool window;	  /* it is about a memory window */
	bool batched;	  /* only a batch has it */
	bool by_value;	  /* its data are a value that its builder is given */
	bool places;	  /* it has no data, and a type of placement */
	bool segmented;	  /* its data leave as several messages */
};

/* All, in the order of the table. */
const struct opcode *opcodes_all(size_t *n);
/* Those before TSO, which needs a queue pair made for it; and of these those
 * before the ones that only a batch has. */
const struct opcode *opcodes_of_batches(size_t *n);
const struct opcode *opcodes(size_t *n);
/* IBV_QP_EX_WITH_… */
uint64_t opcode_asked_for(uint32_t value);
/* NULL where verbs define no such operation, or none that is judged. */
const struct opcode *opcode_of(uint32_t value);
/* Is it one that only a batch has? */
bool opcode_is_batched(uint32_t value);
/* Does a batch set its data, once it is built? */
bool opcode_sets_data(uint32_t value);
/* What it has to be permitted at the other end; of a FLUSH, by its types. */
uint32_t opcode_right(const struct opcode *op, uint32_t flush_type);
/* Does the other end send bytes back? */
bool opcode_fetches(const struct opcode *op);
/* Does it take of what max_rd_atomic counts? */
bool opcode_takes_resources(const struct opcode *op);
/* May threads race by it, who name memory and nothing else? */
bool opcode_races(uint32_t value);
/* Is it one of the type? */
bool opcode_has(const struct opcode *op, enum qp_kind kind);
/* Is it for cases to post it, had or not? */
bool opcode_is_tried(const struct opcode *op, enum qp_kind kind);
bool opcode_offered(uint32_t value, enum qp_kind kind);

#endif
