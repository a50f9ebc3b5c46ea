/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tags of windows: the lowest byte of the rkey, which the binder of a window of
 * type 2 chooses. A tag of a case is the distance to that of the new window,
 * which is 0 on many devices.
 */
#include "cases/windows/windows.h"

#define MOST_TAGS 4
#define STEPS	  48 /* binds in a row, from half as many before the first tag */

static const struct tags {
	const char *name;
	int n, tag[MOST_TAGS];
} tags[] = {
	{"wrap", 4, {-2, -1, 0, 1}},
	{"down", 4, {2, 1, 0, -1}},
	{"far", 4, {128, 255, 85, 170}},
};

static const struct opcode *write_op(void)
{
	return opcode_of(IBV_WR_RDMA_WRITE);
}

static void bind_with(struct window *w, int tag)
{
	w->tag = tag - 1;
	window_bound(w, WINDOW_WRITE);
}

static void write_through(const struct window *w, uint64_t wr_id)
{
	window_use(w, write_op(), wr_id, WINDOW_AT, 16);
	data_wait(&w->d, write_op());
}

/* Ends the binding, by SEND_WITH_INV if `sent`. */
static void end_binding(const struct window *w, bool sent)
{
	static const struct length room = {"", NULL, 256};

	if (!sent) {
		window_local_inv(w);
		return;
	}
	data_recv(&w->d, 202, &room);
	window_send_inv(w, w->tag);
	post_poll(&w->d.p, 2);
}

/* Each tag gives access. */
static void used(struct gen *g, enum qp_kind kind, const struct tags *t,
		 bool sent)
{
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_2, ROW_MW_RANGE,
			 "Binds with other tags", "tag/%s%s", t->name,
			 sent ? "-sent" : ""))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	for (int i = 0; i < t->n; i++) {
		if (i)
			end_binding(&w, sent);
		bind_with(&w, t->tag[i]);
		write_through(&w, 1 + (uint64_t)i);
	}
	window_end(&w, 0);
}

/* The tag of the bind before the last one gives no access. */
static void before_last(struct gen *g, enum qp_kind kind, const struct tags *t)
{
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_2, ROW_MW_GONE,
			 "Use of the tag before", "tag/%s-old", t->name))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	for (int i = 0; i < t->n - 1; i++) {
		if (i)
			end_binding(&w, false);
		bind_with(&w, t->tag[i]);
	}
	w.tag = t->tag[t->n - 3];
	window_use(&w, write_op(), 1, WINDOW_AT, 16);
	window_end_refused(&w);
}

/* Binds with one tag after the other, around the tag of the new window. */
static void in_a_row(struct gen *g, enum qp_kind kind)
{
	struct window w;

	if (!window_case(g, kind, IBV_MW_TYPE_2, ROW_MW_RANGE,
			 "Binds with one tag after the other", "tag/row"))
		return;
	w = window_pair(g, kind, IBV_MW_TYPE_2);
	for (int i = 0; i < STEPS; i++) {
		if (i)
			end_binding(&w, false);
		bind_with(&w, i - STEPS / 2);
	}
	write_through(&w, 1);
	window_end(&w, 0);
}

void gen_windows_tags(struct gen *g, enum qp_kind kind)
{
	for (size_t i = 0; i < COUNT(tags); i++) {
		used(g, kind, &tags[i], false);
		if (kind == QK_RC)
			used(g, kind, &tags[i], true);
		before_last(g, kind, &tags[i]);
	}
	in_a_row(g, kind);
}
