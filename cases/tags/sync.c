// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The count of unexpected messages: while the program has not reported one,
 * tags that it adds match nothing.
 */
#include "cases/tags/tags.h"

/* Adds a tag that reports a number of messages, and waits. */
static void add_reporting(const struct tags *t, unsigned int n, uint32_t count)
{
	tags_add(t, n, TAGS_TAG, TAGS_MASK);
	prog_num(t->p.g->p, F_ops_flags, IBV_OPS_SIGNALED | IBV_OPS_TM_SYNC);
	prog_num(t->p.g->p, F_ops_unexpected, count);
	tags_poll(t, 1);
}

/* One message that no tag matches. */
static void miss(const struct tags *t, unsigned int k)
{
	tags_message(t, k, TAGS_TAG + 9);
	tags_poll(t, 1);
}

static void hit(const struct tags *t, unsigned int k)
{
	tags_message(t, k, TAGS_TAG);
	tags_poll(t, 1);
}

static void add(struct gen *g)
{
	struct tags t;

	if (tags_case(g, ROW_TM_SYNC_REQ, "TAG_ADD", "sync/request/add")) {
		t = tags_ready(g, 1);
		miss(&t, 0);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC_REQ, "TAG_DEL", "sync/request/del")) {
		uint8_t tag;

		t = tags_ready(g, 1);
		tag = tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		miss(&t, 0);
		tags_del(&t, 20, tag);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC_REQ, "One of two messages reported",
		      "sync/request/behind")) {
		t = tags_ready(g, 2);
		miss(&t, 0);
		miss(&t, 1);
		add_reporting(&t, 0, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC_SPARE, "TAG_ADD that reports all",
		      "sync/spare/add")) {
		t = tags_ready(g, 1);
		miss(&t, 0);
		add_reporting(&t, 0, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC_SPARE, "TAG_ADD after TAG_SYNC",
		      "sync/spare/after")) {
		t = tags_ready(g, 1);
		miss(&t, 0);
		tags_report(&t, 1);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_end(&t);
	}
}

static void effect(struct gen *g)
{
	struct tags t;
	uint8_t tag;

	if (tags_case(g, ROW_TM_SYNC_NEW, "A new tag", "sync/new")) {
		t = tags_ready(g, 3);
		miss(&t, 0);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		hit(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC_OLD, "An old tag", "sync/old")) {
		t = tags_ready(g, 2);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		miss(&t, 0);
		hit(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC_OLD, "An old tag before a new one",
		      "sync/old-and-new")) {
		t = tags_ready(g, 3);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		miss(&t, 0);
		tags_added(&t, 1, TAGS_TAG, TAGS_MASK);
		hit(&t, 1);
		hit(&t, 2);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC, "TAG_SYNC", "sync/resume/sync")) {
		t = tags_ready(g, 2);
		miss(&t, 0);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_report(&t, 1);
		hit(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC, "TAG_SYNC of two of three messages",
		      "sync/resume/in-steps")) {
		t = tags_ready(g, 4);
		miss(&t, 0);
		miss(&t, 1);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_report(&t, 1);
		hit(&t, 2);
		tags_report(&t, 3);
		hit(&t, 3);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC, "TAG_ADD", "sync/resume/add")) {
		t = tags_ready(g, 2);
		miss(&t, 0);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		add_reporting(&t, 1, 1);
		hit(&t, 1);
		hit(&t, 2);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_SYNC, "TAG_DEL", "sync/resume/del")) {
		t = tags_ready(g, 2);
		tag = tags_added(&t, 1, TAGS_TAG + 1, TAGS_MASK);
		miss(&t, 0);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_del(&t, 20, tag);
		prog_num(g->p, F_ops_flags, IBV_OPS_SIGNALED | IBV_OPS_TM_SYNC);
		prog_num(g->p, F_ops_unexpected, 1);
		tags_poll(&t, 1);
		hit(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_NO_TAG_COUNT, "A NO_TAG message before TAG_ADD",
		      "sync/no-tag")) {
		t = tags_ready(g, 2);
		tags_write(&t, 0, IBV_TMH_NO_TAG, TAGS_TAG);
		tags_send(&t, 0, TAGS_MESSAGE);
		tags_poll(&t, 1);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		hit(&t, 1);
		tags_end(&t);
	}
}

void gen_tags_sync(struct gen *g)
{
	add(g);
	effect(g);
}
