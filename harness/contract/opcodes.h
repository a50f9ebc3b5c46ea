/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The operations that can be posted to a send queue.
 */
#ifndef IBVET_CONTRACT_OPCODES_H
#define IBVET_CONTRACT_OPCODES_H

#include "contract/contract.h"

/* part: WR_FLUSH */
#define WR_FLUSH 14 /* IBV_WR_FLUSH, which headers before rdma-core 46 lack */
/* end of part */
/* The right that a placement type needs is the type shifted left by eight
 * bits. */
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
	uint32_t access;     /* rights that the responder may have to grant */
	bool receive;	     /* takes a receive of the responder */
	bool imm;
	bool atomic;
	bool invalidates; /* invalidates a memory window of the responder */
	bool local;	  /* sends nothing */
	bool window;	  /* concerns a memory window */
	bool batched;	  /* exists only in batches */
	bool by_value;	  /* its builder takes the data as a value */
	bool places;	  /* FLUSH: has placement types and no data */
	bool segmented;	  /* TSO: is sent as several messages */
	bool own;	  /* a vendor's operation, which its own calls build */
	bool empty;	  /* does nothing */
};

/* Returns all operations, in the order of the table. */
const struct opcode *opcodes_all(size_t *n);
/* Returns all operations except TSO, which needs a queue pair created for it.
 */
const struct opcode *opcodes_of_batches(size_t *n);
/* Returns the operations of ibv_post_send: without TSO, and without operations
 * that exist only in batches. */
const struct opcode *opcodes(size_t *n);
/* Returns the bit of send_ops_flags, IBV_QP_EX_WITH_…, that asks for an
 * operation. */
uint64_t opcode_asked_for(uint32_t value);
/* Returns NULL if verbs do not define the operation, or ibvet does not judge
 * it. A vendor's own operations have numbers from OPCODE_OWN on, which
 * ibv_post_send does not know. */
#define OPCODE_OWN 224u
const struct opcode *opcode_of(uint32_t value);
/* Returns true if the operation exists only in batches. */
bool opcode_is_batched(uint32_t value);
/* Returns true if a batch sets the data in a call of its own, after the
 * builder. */
bool opcode_sets_data(uint32_t value);
/* Returns the rights that the responder must grant; for FLUSH, by its types. */
uint32_t opcode_right(const struct opcode *op, uint32_t flush_type);
/* Returns true if the responder sends bytes back. */
bool opcode_fetches(const struct opcode *op);
/* Returns true if max_rd_atomic limits the operation. */
bool opcode_takes_resources(const struct opcode *op);
/* Returns true if racing threads may post the operation: it names only memory.
 */
bool opcode_races(uint32_t value);
/* Returns true if the type has the operation. */
bool opcode_has(const struct opcode *op, enum qp_kind kind);
/* Returns true if cases post the operation on the type, which may lack it. */
bool opcode_is_tried(const struct opcode *op, enum qp_kind kind);
/* Returns true if the operation exists and the type has it. */
bool opcode_offered(uint32_t value, enum qp_kind kind);

#endif
