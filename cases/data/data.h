/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the generators about bytes share: two connected queue pairs, a region
 * that data come from and one that they go to, both filled with patterns.
 */
#ifndef IBVET_CASES_DATA_DATA_H
#define IBVET_CASES_DATA_DATA_H

#include "cases/post/post.h"

#define DATA_AT	    512	 /* where data lie in both regions */
#define DATA_MARGIN 4096 /* bytes of a region besides the data */
#define DATA_SGE    4	 /* elements that the queue pairs have */
#define DATA_GRH    40

struct data {
	struct post p;
	uint8_t from, into;
	uint64_t compare_add; /* that atomic operations begin with, 0: none */
	uint32_t inline_data; /* bytes that the sender is to have room for */
	bool all_signaled;    /* every request of the pair */
};

/* A length, or as many bytes as a symbol says and some. */
struct length {
	const char *name, *symbol;
	int64_t bytes;
};
/* Those that messages are tried with; over-mtu and large ones take a
 * connection. */
extern const struct data_lengths {
	struct length quick[2], full[5], large[5];
} data_lengths;
void data_length(struct gen *g, enum field f, const struct length *length,
		 int64_t plus);

/* The rule that bytes of a message rest on. */
enum row data_bytes_row(enum qp_kind kind);
/* Regions of a length and DATA_MARGIN; no queue pairs yet. */
struct data data_stage(struct gen *g, enum qp_kind kind,
		       const struct length *length);
uint8_t data_qp(struct gen *g, enum qp_kind kind);
/* Memory for as many bytes, and that anybody may use. */
uint8_t data_region(struct gen *g, const struct length *length);
/* Both queue pairs; those of data_pair() in RTS. */
void data_make_pair(struct data *d);
void data_pair(struct data *d);
void data_fill(const struct data *d, uint8_t mr, unsigned int pattern);
void data_look(const struct data *d, uint8_t mr);
void data_look_at(const struct data *d, uint8_t mr, uint64_t offset,
		  uint64_t length);
/* A receive of one element. */
void data_recv(const struct data *d, uint64_t wr_id,
	       const struct length *length);
/* Signaled, from or to the places that the operation has; an atomic one has
 * eight bytes, whatever the length. */
void data_send(const struct data *d, const struct opcode *op, uint64_t wr_id,
	       const struct length *length);
/* The same as one more of the batch that is open, where there are batches. */
void data_more(const struct data *d, const struct opcode *op, uint64_t wr_id,
	       const struct length *length);
/* Waits until the operation is done, and its bytes are there. */
void data_wait(const struct data *d, const struct opcode *op);
/* The same of any number of sends without a receive that were polled for. */
void data_wait_sent(const struct data *d);
/* Parts of gen_data(). */
void gen_data_limits(struct gen *g, enum qp_kind kind);
void gen_data_edges(struct gen *g, enum qp_kind kind);
void gen_data_lists(struct gen *g, enum qp_kind kind);
/* Of gen_data_operations(): elements of one request that differ. */
void gen_data_elements(struct gen *g, enum qp_kind kind,
		       const struct opcode *op);
/* Operations by length, shape and inline data, and one after the other: the
 * same through batches (g->wr), and into an SRQ (g->by_srq). */
void gen_data_operations(struct gen *g, enum qp_kind kind);
/* Of gen_post_batch(): requests of several kinds in one batch. */
void gen_data_batches(struct gen *g, enum qp_kind kind);
/* Whole but for what a datagram's header may have left. */
void data_look_into(const struct data *d, uint8_t mr);
/* Both regions. */
void data_look_all(const struct data *d);

#endif
