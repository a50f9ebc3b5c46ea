// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Operations on a list of tags: which are taken, alone and in lists, and how
 * they complete.
 */
#include "cases/tags/tags.h"

static const char *const names[] = {"add", "del", "sync"};

static void other_srq(struct gen *g, enum ibv_ops_wr_opcode opcode)
{
	struct tags t = {.p = post_bare(g, QK_RC)};

	if (!gen_id(g, "ops/basic-srq/%s", names[opcode]) ||
	    !gen_says_rule(g, ROW_TM_PLAIN_SRQ, gen_needs(g, CLAIM_SRQ),
			   "A basic SRQ"))
		return;
	g->pd = gen_pd(g);
	t.p.srq = gen_srq(g, g->pd);
	tags_op(&t, opcode, 1, 0);
	gen_done(g);
}

/* A list of three, of which one is at fault; place 0: one by itself. */
static void bad_opcode(struct gen *g, uint32_t opcode, unsigned int place)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_OPCODE, "An unknown operation",
		       "ops/opcode-%u%s", opcode, post_places[place]))
		return;
	t = tags_stage(g, false);
	tags_op(&t, IBV_WR_TAG_SYNC, 10, IBV_OPS_SIGNALED);
	if (place) {
		prog_num(g->p, F_ops_more, 2);
		prog_num(g->p, F_ops_odd, place);
		prog_num(g->p, F_ops_odd_opcode, opcode);
	} else {
		prog_num(g->p, F_ops_opcode, opcode);
	}
	tags_poll(&t, place ? place - 1 : 0);
	tags_report(&t, 0);
	tags_end(&t);
}

static void many_elements(struct gen *g, unsigned int place)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_SGE, "A buffer of max_sge + 1 elements",
		       "ops/sge-over%s", post_places[place]))
		return;
	t = tags_stage(g, false);
	tags_add(&t, 0, TAGS_TAG, TAGS_MASK);
	if (place) {
		prog_num(g->p, F_ops_more, 2);
		prog_num(g->p, F_ops_odd, place);
		prog_limit(g->p, F_ops_odd_num_sge, LIM_tm_max_sge, 1);
	} else {
		prog_limit(g->p, F_ops_num_sge, LIM_tm_max_sge, 1);
	}
	gen_done(g);
}

uint8_t tags_add_list(const struct tags *t, unsigned int n)
{
	struct program *prog = t->p.g->p;
	uint8_t tag = tags_add(t, 0, TAGS_TAG, TAGS_MASK);

	prog_num(prog, F_ops_more, n - 1);
	prog_num(prog, F_ops_tag_step, 1);
	prog_num(prog, F_ops_buffer_step, TAGS_BUFFER);
	return tag;
}

static void full(struct gen *g)
{
	struct tags t;
	uint8_t tag;

	if (tags_case(g, ROW_TM_FULL, "One tag after max_num_tags",
		      "ops/full/alone")) {
		t = tags_ready(g, 1);
		for (unsigned int n = 0; n < TAGS_MOST; n++)
			tags_added(&t, n, TAGS_TAG + n, TAGS_MASK);
		tags_add(&t, 0, TAGS_TAG + TAGS_MOST, TAGS_MASK);
		tags_message(&t, 0, TAGS_TAG + TAGS_MOST - 1);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_FULL, "A list of max_num_tags + 1 tags",
		      "ops/full/list")) {
		t = tags_ready(g, 1);
		tags_add_list(&t, TAGS_MOST + 1);
		tags_poll(&t, TAGS_MOST);
		tags_message(&t, 0, TAGS_TAG + TAGS_MOST - 1);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_ACCEPT, "A tag after another one was removed",
		      "ops/full/removed")) {
		t = tags_ready(g, 1);
		tag = tags_add_list(&t, TAGS_MOST);
		tags_poll(&t, TAGS_MOST);
		tags_del(&t, 20, tag);
		tags_poll(&t, 1);
		tags_added(&t, 0, TAGS_TAG + 9, TAGS_MASK);
		tags_message(&t, 0, TAGS_TAG + 9);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_ACCEPT, "A tag after another one was used up",
		      "ops/full/used")) {
		t = tags_ready(g, 1);
		tags_add_list(&t, TAGS_MOST);
		tags_poll(&t, TAGS_MOST);
		tags_message(&t, 0, TAGS_TAG + 1);
		tags_poll(&t, 1);
		tags_added(&t, 1, TAGS_TAG + 9, TAGS_MASK);
		tags_message(&t, 1, TAGS_TAG + 9);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_FULL_UNPOLLED,
		      "A tag while the completion of a used one is unpolled",
		      "ops/full/unpolled")) {
		t = tags_ready(g, 1);
		tags_add_list(&t, TAGS_MOST);
		tags_poll(&t, TAGS_MOST);
		tags_message(&t, 0, TAGS_TAG + 1);
		tags_add(&t, 1, TAGS_TAG + 9, TAGS_MASK);
		gen_done(g);
	}
}

/* max_ops operations are outstanding, of which the last one is signaled. */
static void outstanding(struct gen *g, unsigned int more, enum row row,
			const char *id)
{
	struct tags t;

	if (!tags_case(g, row, "Operations up to max_ops", "ops/%s", id))
		return;
	t = tags_stage(g, false);
	for (int round = 0; round < 3; round++) {
		tags_op(&t, IBV_WR_TAG_SYNC, 10, 0);
		prog_num(g->p, F_ops_more, TAGS_OPS - 1 + more);
		prog_num(g->p, F_ops_odd, TAGS_OPS);
		prog_num(g->p, F_ops_odd_flags, IBV_OPS_SIGNALED);
		tags_poll(&t, 1);
		if (more)
			break;
	}
	if (more)
		gen_done(g);
	else
		tags_end(&t);
}

/* Three operations of which all, or only the second one, are signaled. */
static void signaled(struct gen *g, enum ibv_ops_wr_opcode opcode, bool all)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_WC, "Signaled operations in a list",
		       "ops/signaled/%s/%s", names[opcode],
		       all ? "all" : "one"))
		return;
	t = tags_stage(g, false);
	if (opcode == IBV_WR_TAG_ADD)
		tags_add_list(&t, 3);
	else
		tags_op(&t, opcode, 300, IBV_OPS_SIGNALED);
	if (opcode != IBV_WR_TAG_ADD)
		prog_num(g->p, F_ops_more, 2);
	if (!all) {
		prog_num(g->p, F_ops_flags, 0);
		prog_num(g->p, F_ops_odd, 2);
		prog_num(g->p, F_ops_odd_flags, IBV_OPS_SIGNALED);
	}
	tags_poll(&t, all ? 3 : 1);
	tags_end(&t);
}

/* A list whose second operation is another one. */
static void mixed(struct gen *g)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_WC, "Different operations in a list",
		       "ops/mixed"))
		return;
	t = tags_ready(g, 1);
	tags_add_list(&t, 3);
	prog_num(g->p, F_ops_odd, 2);
	prog_num(g->p, F_ops_odd_opcode, IBV_WR_TAG_SYNC);
	tags_poll(&t, 3);
	tags_message(&t, 0, TAGS_TAG + 2);
	tags_poll(&t, 1);
	tags_message(&t, 1, TAGS_TAG + 1);
	tags_poll(&t, 1);
	tags_end(&t);
}

static void wraps(struct gen *g)
{
	struct tags t;
	uint8_t tag;

	if (!tags_case(g, ROW_TM_WC,
		       "More operations, one by one, than the queue has room",
		       "ops/wrap"))
		return;
	t = tags_stage(g, false);
	for (unsigned int i = 0; i < 3 * TAGS_OPS; i++) {
		tag = tags_added(&t, i % TAGS_MOST, TAGS_TAG, TAGS_MASK);
		tags_del(&t, 600 + i, tag);
		tags_poll(&t, 1);
	}
	tags_end(&t);
}

static void removal(struct gen *g)
{
	struct tags t;
	uint8_t tag, other;

	if (tags_case(g, ROW_TM_DEL, "One of two tags", "del/effect")) {
		t = tags_ready(g, 2);
		tag = tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_added(&t, 1, TAGS_TAG + 1, TAGS_MASK);
		tags_del(&t, 20, tag);
		tags_poll(&t, 1);
		tags_message(&t, 0, TAGS_TAG);
		tags_poll(&t, 1);
		tags_message(&t, 1, TAGS_TAG + 1);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_HANDLE, "The second of two equal tags",
		      "del/second")) {
		t = tags_ready(g, 1);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		other = tags_added(&t, 1, TAGS_TAG, TAGS_MASK);
		tags_del(&t, 20, other);
		tags_poll(&t, 1);
		tags_message(&t, 0, TAGS_TAG);
		tags_poll(&t, 1);
		tags_message(&t, 1, TAGS_TAG);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_HANDLE, "The third tag of a list",
		      "del/of-list")) {
		t = tags_ready(g, 1);
		tag = tags_add_list(&t, 3);
		tags_poll(&t, 3);
		tags_del(&t, 20, tag);
		prog_out(g->p, F_ops_handle, tag, F_posted_handle2, 0);
		tags_poll(&t, 1);
		tags_message(&t, 0, TAGS_TAG + 1);
		tags_poll(&t, 1);
		tags_message(&t, 1, TAGS_TAG + 2);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_DEL_USED, "A used tag", "del/used")) {
		t = tags_ready(g, 0);
		tag = tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_message(&t, 0, TAGS_TAG);
		tags_del(&t, 20, tag);
		tags_poll(&t, 2);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_HANDLE, "A used tag, after another one came",
		      "del/used-before-another")) {
		t = tags_ready(g, 1);
		tag = tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_message(&t, 0, TAGS_TAG);
		for (unsigned int n = 1; n < TAGS_MOST; n++)
			tags_add(&t, n, TAGS_TAG + n, TAGS_MASK);
		tags_del(&t, 40, tag);
		tags_poll(&t, TAGS_MOST + 1);
		tags_message(&t, 1, TAGS_TAG + 1);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_RECV, "A match whose tag was removed too late",
		      "del/used-unsignaled")) {
		t = tags_ready(g, 0);
		tag = tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_message(&t, 0, TAGS_TAG);
		tags_del(&t, 20, tag);
		prog_num(g->p, F_ops_flags, 0);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_DEL_UNKNOWN, "A handle of no tag",
		      "del/unknown")) {
		t = tags_ready(g, 0);
		tags_op(&t, IBV_WR_TAG_DEL, 20, IBV_OPS_SIGNALED);
		prog_num(g->p, F_ops_handle, 1);
		gen_done(g);
	}
	if (tags_case(g, ROW_TM_DEL_UNKNOWN, "A tag, twice", "del/twice")) {
		t = tags_ready(g, 0);
		tag = tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_del(&t, 20, tag);
		tags_poll(&t, 1);
		tags_del(&t, 21, tag);
		gen_done(g);
	}
}

void gen_tags_list(struct gen *g)
{
	for (int op = IBV_WR_TAG_ADD; op <= IBV_WR_TAG_SYNC; op++)
		other_srq(g, (enum ibv_ops_wr_opcode)op);
	for (unsigned int place = 0; place < 4; place++) {
		bad_opcode(g, 3, place);
		many_elements(g, place);
	}
	bad_opcode(g, 255, 0);
	full(g);
	outstanding(g, 0, ROW_TM_ACCEPT, "max-ops");
	outstanding(g, 1, ROW_TM_OPS_FULL, "max-ops-over");
	for (int all = 0; all < 2; all++) {
		signaled(g, IBV_WR_TAG_ADD, all);
		signaled(g, IBV_WR_TAG_SYNC, all);
	}
	mixed(g);
	wraps(g);
	removal(g);
}
