/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by cases about tag matching: an SRQ of type TM with a completion queue
 * of its own, a queue pair that receives through it, and one that sends.
 */
#ifndef IBVET_CASES_TAGS_H
#define IBVET_CASES_TAGS_H

#include <infiniband/tm_types.h>
#include "cases/post/post.h"

#define TAGS_MOST    4		       /* max_num_tags */
#define TAGS_OPS     8		       /* max_ops */
#define TAGS_BUFFER  8192	       /* bytes from a buffer to the next one */
#define TAGS_ROOM    6000	       /* bytes of a buffer, of a receive too */
#define TAGS_RECV_AT (4 * TAGS_BUFFER) /* of receive 0 of the SRQ */
#define TAGS_MESSAGE 200	       /* bytes, with the header */
#define TAGS_TAG     UINT64_C(0x1234)
#define TAGS_MASK    UINT64_C(0xffff)

struct tags {
	struct post p; /* p.a sends to p.b; p.srq */
	uint8_t cq;    /* of the SRQ */
	uint8_t from, into;
};

/* Opens a case: gen_id() and gen_says_rule(). */
__attribute__((format(printf, 4, 5))) bool
tags_case(struct gen *g, enum row row, const char *what, const char *id, ...);
/* Creates the completion queue, and an SRQ with it. */
uint8_t tags_cq(struct gen *g);
uint8_t tags_srq(struct gen *g, uint8_t cq);
/* Creates all objects. With `reads`, the receiver has no send queue, as the SRQ
 * uses it to read payloads. */
struct tags tags_stage(struct gen *g, bool reads);
/* Returns the same stage with another sender, and its receiver. */
struct tags tags_pair(const struct tags *with, bool reads);
/* A stage whose SRQ has `receives` receives, numbered from 200. */
struct tags tags_ready(struct gen *g, unsigned int receives);
void tags_connect(const struct tags *t);
/* Posts receive number `n` of the SRQ: wr_id 200 + n. */
void tags_receive(const struct tags *t, unsigned int n);

/* Adds a call of ibv_post_srq_ops. Callers may add settings. */
void tags_op(const struct tags *t, enum ibv_ops_wr_opcode opcode,
	     uint64_t wr_id, uint32_t flags);
/* Adds tag number `n` with its own buffer: wr_id 300 + n, recv_wr_id 400 + n.
 * Returns the slot of its handle. */
uint8_t tags_add(const struct tags *t, unsigned int n, uint64_t tag,
		 uint64_t mask);
/* The same, and waits for the completion. */
uint8_t tags_added(const struct tags *t, unsigned int n, uint64_t tag,
		   uint64_t mask);
/* Adds `n` tags by a list: numbers 0 and on, with tags from TAGS_TAG on. */
uint8_t tags_add_list(const struct tags *t, unsigned int n);
void tags_del(const struct tags *t, uint64_t wr_id, uint8_t tag);
/* Reports a number of unexpected messages, and waits for the completion. */
void tags_report(const struct tags *t, uint32_t count);
/* Write message number `k`; post it, with wr_id 1 + k; and wait until it is
 * sent. tags_message() does all three. */
void tags_write(const struct tags *t, unsigned int k, enum ibv_tmh_op opcode,
		uint64_t tag);
void tags_post(const struct tags *t, unsigned int k, uint32_t length);
void tags_send(const struct tags *t, unsigned int k, uint32_t length);
void tags_message(const struct tags *t, unsigned int k, uint64_t tag);
/* Posts message number `k`, which asks to read a payload of t->from; and a
 * receive of the sender for the answer, with wr_id 700 + n. */
void tags_request(const struct tags *t, unsigned int k, uint64_t tag,
		  uint64_t payload, uint32_t length);
void tags_answer(const struct tags *t, unsigned int n, uint64_t offset);
/* Polls `n` completions of the SRQ's queue. */
void tags_poll(const struct tags *t, unsigned int n);
/* Ends a case: no completion is left, and both regions are read. */
void tags_end(const struct tags *t);

/* The parts of gen_tags() */
void gen_tags_create(struct gen *g);
void gen_tags_list(struct gen *g);
void gen_tags_unequal(struct gen *g);
void gen_tags_late_del(struct gen *g);
void gen_tags_match(struct gen *g);
void gen_tags_sync(struct gen *g);
void gen_tags_rendezvous(struct gen *g);

#endif
