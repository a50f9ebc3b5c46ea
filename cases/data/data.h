/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about bytes: two connected queue pairs, a region that
 * data are sent from and one that they are written to, both filled with
 * patterns.
 */
#ifndef IBVET_CASES_DATA_DATA_H
#define IBVET_CASES_DATA_DATA_H

#include "cases/post/post.h"

#define DATA_AT	    512	 /* offset of the data in both regions */
#define DATA_MARGIN 4096 /* bytes of a region besides the data */
#define DATA_SGE    4	 /* max_send_sge and max_recv_sge */
#define DATA_GRH    40

struct data {
	struct post p;
	uint8_t from, into;
	uint64_t compare_add; /* compare_add of atomic operations, 0: not set */
	uint32_t inline_data; /* max_inline_data of the sender */
	uint32_t send_sge;    /* max_send_sge of the sender, 0: DATA_SGE */
	bool all_signaled;    /* sq_sig_all */
};

/* A number of bytes, to be added to a symbol if there is one. */
struct length {
	const char *name, *symbol;
	int64_t bytes;
};
/* The usual lengths. "over-mtu" and the large ones need a connected type. */
extern const struct data_lengths {
	struct length quick[2], full[5], large[5];
} data_lengths;
void data_length(struct gen *g, enum field f, const struct length *length,
		 int64_t plus);

/* Returns the rule about the bytes of a message. */
enum row data_bytes_row(enum qp_kind kind);
/* Creates parents and both regions, of a length and DATA_MARGIN. Queue pairs
 * follow. */
struct data data_stage(struct gen *g, enum qp_kind kind,
		       const struct length *length);
/* Creates a queue pair with DATA_SGE elements for each request. */
uint8_t data_qp(struct gen *g, enum qp_kind kind);
/* Registers memory of that length with all access rights. */
uint8_t data_region(struct gen *g, const struct length *length);
/* Creates both queue pairs; data_pair() brings them to RTS. */
void data_make_pair(struct data *d);
void data_pair(struct data *d);
void data_fill(const struct data *d, uint8_t mr, unsigned int pattern);
/* Read a region back, from its start or from an offset; length 0: to its end.
 * The judge compares the bytes. data_look_into() leaves the GRH of a datagram
 * out, data_look_all() reads both regions. */
void data_look(const struct data *d, uint8_t mr);
void data_look_into(const struct data *d, uint8_t mr);
void data_look_all(const struct data *d);
void data_look_at(const struct data *d, uint8_t mr, uint64_t offset,
		  uint64_t length);
/* Posts a receive of one element. */
void data_recv(const struct data *d, uint64_t wr_id,
	       const struct length *length);
/* Posts a signaled request between the two regions. Atomic operations have
 * eight bytes, whatever the length. */
void data_send(const struct data *d, const struct opcode *op, uint64_t wr_id,
	       const struct length *length);
/* Posts a SEND of no elements. */
void data_send_nothing(const struct data *d, uint64_t wr_id);
/* Does as data_send(), within the open batch if sends are batched. */
void data_more(const struct data *d, const struct opcode *op, uint64_t wr_id,
	       const struct length *length);
/* Posts a fenced request that sends the bytes which a request before it fetched
 * into `into`, and a receive for such a request. Both write at an offset of
 * `from`. */
void data_fenced(const struct data *d, const struct opcode *op, uint64_t wr_id,
		 const struct length *length, uint64_t offset);
void data_recv_fenced(const struct data *d, uint64_t wr_id,
		      const struct length *length, uint64_t offset);
/* Waits until the operation has completed and its bytes are visible. */
void data_wait(const struct data *d, const struct opcode *op);
/* The same after sends without receives whose completions were polled. */
void data_wait_sent(const struct data *d);
/* Waits for the last request, which may fail, and for requests that are flushed
 * then. Queries the sender. */
void data_wait_or_fail(const struct data *d);
/* Brings the pair up and carries one message, looks at both regions, and ends
 * the case. */
void data_carry(struct data *d, const struct opcode *op,
		const struct length *length);
/* Carries message `number` from an offset to one at the other end, where a
 * datagram begins with its GRH. */
void data_carry_at(const struct data *d, const struct opcode *op,
		   uint64_t number, const struct length *length, uint64_t from,
		   uint64_t into);
/* The same from the usual place to the usual one. */
void data_carry_one(const struct data *d, const struct opcode *op,
		    uint64_t number, const struct length *length);
/* Does as data_carry() with a SEND of three elements, of which the second one
 * is in the region `second`. */
void data_carry_mixed(struct data *d, const struct opcode *op,
		      const struct length *room, uint8_t second);
/* Parts of gen_data(). */
void gen_data_limits(struct gen *g, enum qp_kind kind);
void gen_data_edges(struct gen *g, enum qp_kind kind);
void gen_data_immediate(struct gen *g, enum qp_kind kind);
void gen_data_lists(struct gen *g, enum qp_kind kind);
/* Part of gen_data_operations(): fenced requests. */
void gen_data_fences(struct gen *g, enum qp_kind kind);
/* Part of gen_data_operations(): requests of unequal elements. */
void gen_data_elements(struct gen *g, enum qp_kind kind,
		       const struct opcode *op);
/* Buffers after their completion; values in members that are not used. */
void gen_data_reuse(struct gen *g, enum qp_kind kind);
void gen_data_unused(struct gen *g, enum qp_kind kind);
/* Part of gen_data_operations(): requests behind a send that waits. */
void gen_data_under_way(struct gen *g, enum qp_kind kind);
/* Part of gen_data_operations(): RESET with requests that nobody answered. */
void gen_data_unanswered(struct gen *g, enum qp_kind kind);
/* Part of gen_data_operations(): inline data around the end of the ring. */
void gen_data_inline_ring(struct gen *g, enum qp_kind kind);
/* Operations by length, shape and inline data; also run in batches (g->wr) and
 * into an SRQ (g->by_srq). */
void gen_data_operations(struct gen *g, enum qp_kind kind);
/* The same, of odd sizes that are asked for, and of more elements. */
void gen_data_inline_granted(struct gen *g, enum qp_kind kind,
			     const struct opcode *op);
/* Part of gen_data_operations(): inline data of requests that wait for a
 * receive. */
void gen_data_inline_waits(struct gen *g, enum qp_kind kind,
			   const struct opcode *op);
/* Part of gen_data_operations(): messages that end within the elements of their
 * receive. */
void gen_data_short_receive(struct gen *g, enum qp_kind kind,
			    const struct opcode *op);
/* Part of gen_data_operations(): as much inline data as was granted. */
void gen_data_inline_full(struct gen *g, enum qp_kind kind,
			  const struct opcode *op);
/* Part of gen_data_operations(): values of atomic operations. */
void gen_data_atomics(struct gen *g, enum qp_kind kind);
/* Part of gen_data_shared_srq(), also for a vendor's type: a full SRQ that is
 * filled again while completions of several queue pairs are unpolled. */
void gen_data_srq_refilled(struct gen *g, enum qp_kind kind);
/* Part of gen_post_batch(): several operations in one batch. */
void gen_data_batches(struct gen *g, enum qp_kind kind);
/* The same: requests without bytes behind others. */
void gen_data_empty_behind(struct gen *g, enum qp_kind kind);

#endif
