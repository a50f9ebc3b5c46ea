/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about lists of requests that differ from each other.
 */
#ifndef IBVET_CASES_POST_LISTS_H
#define IBVET_CASES_POST_LISTS_H

#include "cases/post/post.h"

#define LIST_SRQS 3

/* Posts three requests. The caller adds how the second differs. */
void list_post_three(const struct post *p, uint32_t opcode);
/* Creates a pair whose receiver has three SRQs with receives 300, 301, … of the
 * first, 400 and on of the second, 500 and on of the third. */
struct post list_pair_of_srqs(struct gen *g, uint8_t srq[LIST_SRQS]);
/* Adds the number of an SRQ to the call that was made last. */
void list_put_srq(const struct post *p, enum field field, uint8_t srq);

/* Lists and batches of two operations (lists_mixed.c): part of
 * gen_post_list_members(). */
void gen_post_lists_mixed(struct gen *g, enum qp_kind kind);

#endif
