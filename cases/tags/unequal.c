// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Lists of operations with one TAG_DEL at each place among TAG_ADD or TAG_SYNC,
 * and with one TAG_ADD among TAG_DELs. Each operation completes with a status
 * of its own.
 */
#include "cases/tags/tags.h"

#define FIRST_ADDED 1 /* number of the first tag that a list adds */
#define MOST	    3 /* operations of a list */

/* The operations of a list: `odd` at `place`, counted from 1, and `usual` at
 * all others. */
struct list {
	enum ibv_ops_wr_opcode usual, odd;
	unsigned int n, place;
	bool used;  /* a message has used up the tag that is removed */
	bool alone; /* the operation at `place` alone is signaled */
};

static const char *const names[] = {"add", "del", "sync"};

static unsigned int count_of(const struct list *l,
			     enum ibv_ops_wr_opcode opcode)
{
	return (l->usual == opcode ? l->n - 1 : 0) + (l->odd == opcode);
}

/* Posts the list. Fields that an operation does not take are ignored. */
static void post_list(const struct tags *t, const struct list *l, uint8_t tag)
{
	struct program *prog = t->p.g->p;

	tags_add(t, FIRST_ADDED, TAGS_TAG + FIRST_ADDED, TAGS_MASK);
	prog_num(prog, F_ops_opcode, l->usual);
	prog_num(prog, F_ops_flags, l->alone ? 0 : IBV_OPS_SIGNALED);
	prog_num(prog, F_ops_more, l->n - 1);
	prog_num(prog, F_ops_tag_step, 1);
	prog_num(prog, F_ops_buffer_step, TAGS_BUFFER);
	prog_num(prog, F_ops_odd, l->place);
	prog_num(prog, F_ops_odd_opcode, l->odd);
	prog_num(prog, F_ops_odd_flags, IBV_OPS_SIGNALED);
	if (l->odd == IBV_WR_TAG_ADD) {
		prog_num(prog, F_ops_odd_num_sge, 1);
		prog_obj(prog, F_ops_odd_mr, t->into);
		prog_num(prog, F_ops_odd_offset, FIRST_ADDED * TAGS_BUFFER);
		prog_num(prog, F_ops_odd_length, TAGS_ROOM);
	}
	if (count_of(l, IBV_WR_TAG_DEL))
		prog_out(prog, F_ops_handle, tag, F_posted_handle0, 0);
}

/* Sends a message to each tag that the list has added, the last one first, and
 * one to the tag that the list has removed, which is unexpected. */
static void match_rest(const struct tags *t, const struct list *l)
{
	unsigned int k = l->used;

	for (unsigned int at = l->n; at-- > 0;) {
		bool odd = at + 1 == l->place;

		if ((odd ? l->odd : l->usual) != IBV_WR_TAG_ADD)
			continue;
		tags_message(t, k++, TAGS_TAG + FIRST_ADDED + at);
		tags_poll(t, 1);
	}
	tags_message(t, k, TAGS_TAG);
	tags_poll(t, 1);
}

/* Behind operations that are not signaled, a signaled TAG_SYNC tells that they
 * have ended. */
static void unequal(struct gen *g, const struct list *l)
{
	struct tags t;
	uint8_t tag;

	if (!tags_case(g, l->used ? ROW_TM_DEL_USED : ROW_TM_WC,
		       "A list of unequal operations",
		       "ops/unequal/%s-%s%s-of-%u%s%s", names[l->usual],
		       names[l->odd], post_places[l->place], l->n,
		       l->used ? "-used" : "", l->alone ? "-alone" : ""))
		return;
	t = tags_ready(g, 1);
	tag = tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
	if (l->used)
		tags_message(&t, 0, TAGS_TAG);
	post_list(&t, l, tag);
	if (l->alone)
		tags_op(&t, IBV_WR_TAG_SYNC, 40, IBV_OPS_SIGNALED);
	tags_poll(&t, l->used + (l->alone ? 2 : l->n));
	match_rest(&t, l);
	tags_end(&t);
}

/* One TAG_DEL among other operations. */
static void one_del(struct gen *g, enum ibv_ops_wr_opcode usual, bool used)
{
	for (unsigned int n = 2; n <= MOST; n++)
		for (unsigned int place = 1; place <= n; place++)
			unequal(g, &(struct list){usual, IBV_WR_TAG_DEL, n,
						  place, used, false});
	for (unsigned int place = 1; place <= MOST; place++)
		unequal(g, &(struct list){usual, IBV_WR_TAG_DEL, MOST, place,
					  used, true});
}

void gen_tags_unequal(struct gen *g)
{
	for (int used = 0; used < 2; used++) {
		one_del(g, IBV_WR_TAG_ADD, used);
		one_del(g, IBV_WR_TAG_SYNC, used);
	}
	/* two TAG_DELs of one used tag fail both */
	for (unsigned int place = 1; place <= MOST; place++)
		unequal(g, &(struct list){IBV_WR_TAG_DEL, IBV_WR_TAG_ADD, MOST,
					  place, true, false});
}
