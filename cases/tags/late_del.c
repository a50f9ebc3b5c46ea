// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * TAG_DEL with the handle of a tag that a message has used up, after other tags
 * were added. The deletion fails, and the other tags still match.
 */
#include "cases/tags/tags.h"

#define RECEIVES 2 /* for messages that a faulty device matches no more */

/* `before` tags are added, number `used` is used up, and then `more` tags are
 * added. */
struct late {
	unsigned int before, used, more;
	bool polled; /* the completion of the used tag, before tags are added */
};

enum way { ONCE, TWICE, UNSIGNALED, EQUAL, WAYS };
static const char *const way_names[WAYS] = {"", "-twice", "-unsignaled",
					    "-equal"};

/* Adds the first tags and sends the message. Returns the slot of the used tag's
 * handle. */
static uint8_t use_tag(const struct tags *t, const struct late *l)
{
	uint8_t used = NO_OBJ;

	for (unsigned int n = 0; n < l->before; n++) {
		uint8_t tag = tags_added(t, n, TAGS_TAG + n, TAGS_MASK);

		if (n == l->used)
			used = tag;
	}
	tags_message(t, 0, TAGS_TAG + l->used);
	if (l->polled)
		tags_poll(t, 1);
	return used;
}

/* Adds the other tags. The first of them may be equal to the used one. Returns
 * the number of unpolled completions. */
static unsigned int add_more(const struct tags *t, const struct late *l,
			     bool equal)
{
	for (unsigned int i = 0; i < l->more; i++) {
		unsigned int n = l->before + i;

		tags_add(t, n, TAGS_TAG + (equal && !i ? l->used : n),
			 TAGS_MASK);
		if (l->polled)
			tags_poll(t, 1);
	}
	return l->polled ? 0 : 1 + l->more;
}

/* Deletes the used tag. The completion of the deletion comes behind `unpolled`
 * others. A handle that means no tag any more may also be refused. Behind an
 * unsignaled deletion, a signaled TAG_SYNC tells that it has ended. */
static void delete_used(const struct tags *t, const struct late *l,
			enum way way, uint8_t used, unsigned int unpolled)
{
	for (unsigned int i = 0; i < (way == TWICE ? 2u : 1u); i++) {
		tags_del(t, 20 + i, used);
		unpolled++;
		if (way != UNSIGNALED)
			continue;
		prog_num(t->p.g->p, F_ops_flags, 0);
		tags_op(t, IBV_WR_TAG_SYNC, 30, IBV_OPS_SIGNALED);
	}
	if (!l->polled) {
		tags_poll(t, unpolled);
		return;
	}
	for (unsigned int i = 0; i < unpolled; i++) {
		gen_call(t->p.g, V_start_poll, t->cq);
		prog_num(t->p.g->p, F_poll_timeout, POST_MAYBE);
		gen_call(t->p.g, V_end_poll, t->cq);
	}
}

/* Sends a message to each tag that is left, the last one first. */
static void match_rest(const struct tags *t, const struct late *l, bool equal)
{
	unsigned int k = 1;

	for (unsigned int n = l->before + l->more; n-- > 0;) {
		bool same = equal && n == l->before;

		if (n == l->used)
			continue;
		tags_message(t, k++, TAGS_TAG + (same ? l->used : n));
		tags_poll(t, 1);
	}
}

static void late(struct gen *g, const struct late *l, enum way way)
{
	enum row row = l->polled	   ? ROW_TM_DEL_UNKNOWN
		       : way == UNSIGNALED ? ROW_TM_RECV
					   : ROW_TM_DEL_USED;
	unsigned int unpolled;
	uint8_t used;
	struct tags t;

	if (!tags_case(g, row, "A used tag, after other tags were added",
		       "del/late/%u-of-%u-before-%u%s%s", l->used + 1,
		       l->before, l->more, way_names[way],
		       l->polled ? "-polled" : ""))
		return;
	t = tags_ready(g, RECEIVES);
	used = use_tag(&t, l);
	unpolled = add_more(&t, l, way == EQUAL);
	delete_used(&t, l, way, used, unpolled);
	match_rest(&t, l, way == EQUAL);
	tags_end(&t);
}

/* Two of three tags are used up in an order, a tag is added, and both are
 * deleted in the other order. */
static void two_used(struct gen *g, unsigned int first, unsigned int second)
{
	struct tags t;
	uint8_t tag[TAGS_MOST];

	if (!tags_case(g, ROW_TM_DEL_USED, "Two used tags, after another one",
		       "del/late/two-%u-%u", first + 1, second + 1))
		return;
	t = tags_ready(g, RECEIVES);
	for (unsigned int n = 0; n < 3; n++)
		tag[n] = tags_added(&t, n, TAGS_TAG + n, TAGS_MASK);
	tags_message(&t, 0, TAGS_TAG + first);
	tags_message(&t, 1, TAGS_TAG + second);
	tags_add(&t, 3, TAGS_TAG + 3, TAGS_MASK);
	tags_del(&t, 20, tag[second]);
	tags_del(&t, 21, tag[first]);
	tags_poll(&t, 5);
	tags_message(&t, 2, TAGS_TAG + 3);
	tags_poll(&t, 1);
	tags_message(&t, 3, TAGS_TAG + 3 - first - second);
	tags_poll(&t, 1);
	tags_end(&t);
}

void gen_tags_late_del(struct gen *g)
{
	for (unsigned int before = 1; before < TAGS_MOST; before++)
		for (unsigned int used = 0; used < before; used++)
			for (unsigned int more = 1; before + more <= TAGS_MOST;
			     more++) {
				struct late l = {before, used, more, false};

				late(g, &l, ONCE);
				l.polled = true;
				late(g, &l, ONCE);
			}
	for (unsigned int before = 1; before < TAGS_MOST; before++)
		for (int way = TWICE; way < WAYS; way++)
			for (int polled = 0; polled < 2; polled++) {
				const struct late l = {before, 0, 1, polled};

				late(g, &l, (enum way)way);
			}
	for (unsigned int first = 0; first < 3; first++)
		for (unsigned int second = 0; second < 3; second++)
			if (first != second)
				two_used(g, first, second);
}
