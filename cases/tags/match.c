// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which buffer a message goes to, what the buffer and the completion hold then,
 * and where a message goes that no tag matches.
 */
#include "cases/tags/tags.h"

static const struct length {
	const char *name, *symbol;
	int plus;
} lengths[] = {
	{"header", NULL, 16},	      {"17", NULL, 17},
	{"200", NULL, TAGS_MESSAGE},  {"mtu", "mtu_bytes", 0},
	{"over-mtu", "mtu_bytes", 1}, {"long", NULL, TAGS_ROOM},
};

static void put_length(struct gen *g, const struct length *l)
{
	if (l->symbol)
		prog_sym(g->p, F_send_length, l->symbol, l->plus);
	else
		prog_num(g->p, F_send_length, (uint64_t)l->plus);
}

/* Sends message 0 of a length. */
static void send_length(const struct tags *t, const struct length *l)
{
	tags_post(t, 0, 0);
	put_length(t->p.g, l);
	post_poll(&t->p, 1);
}

static bool is_long(const struct length *l)
{
	return (l->symbol && l->plus > 0) || l->plus == TAGS_ROOM;
}

static void by_length(struct gen *g, const struct length *l)
{
	enum row row = is_long(l)		 ? ROW_TM_LONG
		       : l->plus == TAGS_MESSAGE ? ROW_TM_PAYLOAD
						 : ROW_TM_SHORT;
	struct tags t;

	if (!tags_case(g, row, "An eager message", "match/length/%s", l->name))
		return;
	t = tags_ready(g, 1);
	tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
	tags_write(&t, 0, IBV_TMH_EAGER, TAGS_TAG);
	send_length(&t, l);
	tags_poll(&t, is_long(l) ? 2 : 1);
	tags_end(&t);
}

static const struct pair {
	const char *name;
	uint64_t tag, mask, sent;
	bool match;
} pairs[] = {
	{"all", TAGS_TAG, UINT64_MAX, TAGS_TAG, true},
	{"bits-outside", TAGS_TAG, TAGS_MASK, TAGS_TAG | 7u << 16, true},
	{"other-bit", TAGS_TAG, TAGS_MASK, TAGS_TAG ^ 1, false},
	{"none", 0, 0, TAGS_TAG, true},
	{"never", TAGS_TAG | 1u << 16, TAGS_MASK, TAGS_TAG | 1u << 16, false},
	{"top", UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_MAX, true},
	{"top-other", UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_MAX >> 1,
	 false},
	{"bytes", UINT64_C(0x0102030405060708), UINT64_MAX,
	 UINT64_C(0x0102030405060708), true},
	{"bytes-swapped", UINT64_C(0x0102030405060708), UINT64_MAX,
	 UINT64_C(0x0807060504030201), false},
};

static void by_mask(struct gen *g, const struct pair *pair)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_MASK, pair->match ? "A match" : "No match",
		       "match/mask/%s", pair->name))
		return;
	t = tags_ready(g, 1);
	tags_added(&t, 0, pair->tag, pair->mask);
	tags_message(&t, 0, pair->sent);
	tags_poll(&t, 1);
	tags_end(&t);
}

static const struct mask {
	const char *name;
	uint64_t bits;
} masks[] = {
	{"byte-0", UINT64_C(0xff)},
	{"byte-1", UINT64_C(0xff) << 8},
	{"byte-2", UINT64_C(0xff) << 16},
	{"byte-3", UINT64_C(0xff) << 24},
	{"byte-4", UINT64_C(0xff) << 32},
	{"byte-5", UINT64_C(0xff) << 40},
	{"byte-6", UINT64_C(0xff) << 48},
	{"byte-7", UINT64_C(0xff) << 56},
	{"low-half", UINT64_C(0xffffffff)},
	{"high-half", UINT64_C(0xffffffff) << 32},
	{"every-other", UINT64_C(0xaaaaaaaaaaaaaaaa)},
	{"bytes-apart", UINT64_C(0x00ff00ff00ff00ff)},
	{"but-lowest", UINT64_MAX << 1},
	{"but-highest", UINT64_MAX >> 1},
	{"lowest", 1},
};

#define VALUE UINT64_C(0x9669c33c5aa50ff1)

static uint64_t lowest_of(uint64_t bits)
{
	return bits & ~(bits - 1);
}

static uint64_t highest_of(uint64_t bits)
{
	return UINT64_C(1) << (63 - __builtin_clzll(bits));
}

/* Messages whose tags differ in the lowest bit of the mask, in the highest one,
 * and in all bits outside. */
static void each_side(struct gen *g, const struct mask *m)
{
	uint64_t tag = VALUE & m->bits;
	struct tags t;

	if (!tags_case(g, ROW_TM_MASK, "Messages that differ inside the mask",
		       "match/mask-of/%s/inside", m->name))
		return;
	t = tags_ready(g, 2);
	tags_added(&t, 0, tag, m->bits);
	tags_message(&t, 0, VALUE ^ lowest_of(m->bits));
	tags_poll(&t, 1);
	tags_message(&t, 1, VALUE ^ highest_of(m->bits));
	tags_poll(&t, 1);
	tags_message(&t, 2, VALUE ^ ~m->bits);
	tags_poll(&t, 1);
	tags_end(&t);
}

/* Tags with a bit outside of the mask match nothing: neither a message with
 * that bit, nor one without. */
static void outside(struct gen *g, const struct mask *m)
{
	uint64_t tag = VALUE & m->bits, low = tag | lowest_of(~m->bits),
		 high = tag | highest_of(~m->bits);
	struct tags t;

	if (!tags_case(g, ROW_TM_MASK, "Tags with a bit outside of the mask",
		       "match/mask-of/%s/outside", m->name))
		return;
	t = tags_ready(g, 3);
	tags_added(&t, 0, low, m->bits);
	tags_added(&t, 1, high, m->bits);
	tags_message(&t, 0, low);
	tags_poll(&t, 1);
	tags_message(&t, 1, high);
	tags_poll(&t, 1);
	tags_message(&t, 2, tag);
	tags_poll(&t, 1);
	tags_end(&t);
}

#define FULL UINT64_C(0x8877665544332211)

/* Tags and masks of which one byte counts, or does not. */
static void by_byte(struct gen *g, unsigned int byte)
{
	const uint64_t bits = UINT64_C(0xff) << 8 * byte;
	const uint64_t low = UINT64_C(1) << 8 * byte;
	const struct pair in[] = {
		{"differs", FULL, UINT64_MAX, FULL ^ low, false},
		{"masked-out", FULL & ~bits, ~bits, FULL, true},
		{"alone", FULL & bits, bits, ~FULL ^ bits, true},
		{"alone-differs", FULL & bits, bits, FULL ^ low, false},
	};

	for (size_t i = 0; i < COUNT(in); i++) {
		char name[32];
		struct pair one = in[i];

		snprintf(name, sizeof(name), "byte-%u/%s", byte, one.name);
		one.name = name;
		by_mask(g, &one);
	}
}

/* Two tags that differ in one byte alone. The message for the second one comes
 * first. */
static void two_of_byte(struct gen *g, unsigned int byte)
{
	const uint64_t second = FULL ^ UINT64_C(1) << 8 * byte;
	struct tags t;

	if (!tags_case(g, ROW_TM_MASK, "Tags that differ in one byte",
		       "match/mask/byte-%u/two", byte))
		return;
	t = tags_ready(g, 1);
	tags_added(&t, 0, FULL, UINT64_MAX);
	tags_added(&t, 1, second, UINT64_MAX);
	tags_message(&t, 0, second);
	tags_poll(&t, 1);
	tags_message(&t, 1, second);
	tags_poll(&t, 1);
	tags_message(&t, 2, FULL);
	tags_poll(&t, 1);
	tags_end(&t);
}

/* Tags that lose their entries to tags with another mask: the message matches
 * by one of the two masks only. */
static const struct remasked {
	const char *name;
	struct pair before, after;
} remasked[] = {
	{"all-bits",
	 {.tag = 0x10, .mask = 0xf0, .sent = 0x15},
	 {.tag = 0x20, .mask = UINT64_MAX, .sent = 0x25}},
	{"all-bits-of-none",
	 {.tag = 0, .mask = 0, .sent = TAGS_TAG},
	 {.tag = 0, .mask = UINT64_MAX, .sent = 0x25}},
	{"fewer-bits",
	 {.tag = 0x10, .mask = UINT64_MAX, .sent = 0x10},
	 {.tag = 0x20, .mask = 0xf0, .sent = 0x25, .match = true}},
	{"none",
	 {.tag = 0x10, .mask = 0xf0, .sent = 0x15},
	 {.tag = 0, .mask = 0, .sent = 0x25, .match = true}},
	{"other-bits",
	 {.tag = 0x10, .mask = 0xf0, .sent = 0x15},
	 {.tag = 0x05, .mask = 0x0f, .sent = 0x25, .match = true}},
};

/* All entries are used up, or their tags are removed; then all are taken again.
 */
static void reused_entries(struct gen *g, const struct remasked *m, bool used)
{
	unsigned int sent = used ? TAGS_MOST : 0;
	uint8_t tag[TAGS_MOST];
	struct tags t;

	if (!tags_case(g, ROW_TM_MASK, m->after.match ? "A match" : "No match",
		       "match/mask-after-%s/%s", used ? "use" : "del", m->name))
		return;
	t = tags_ready(g, 1);
	for (unsigned int n = 0; n < TAGS_MOST; n++)
		tag[n] = tags_added(&t, n, m->before.tag, m->before.mask);
	for (unsigned int n = 0; n < TAGS_MOST; n++) {
		if (used)
			tags_message(&t, n, m->before.sent);
		else
			tags_del(&t, 20 + n, tag[n]);
		tags_poll(&t, 1);
	}
	for (unsigned int n = 0; n < TAGS_MOST; n++)
		tags_added(&t, n, m->after.tag, m->after.mask);
	for (unsigned int n = 0; n < (m->after.match ? TAGS_MOST : 1u); n++) {
		tags_message(&t, sent + n, m->after.sent);
		tags_poll(&t, 1);
	}
	tags_end(&t);
}

static void by_order(struct gen *g)
{
	struct tags t;

	if (tags_case(g, ROW_TM_ORDER, "Equal tags", "match/order/equal")) {
		t = tags_ready(g, 0);
		for (unsigned int n = 0; n < 3; n++)
			tags_added(&t, n, TAGS_TAG, TAGS_MASK);
		for (unsigned int k = 0; k < 3; k++) {
			tags_message(&t, k, TAGS_TAG);
			tags_poll(&t, 1);
		}
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_ORDER, "A tag for all before one that is equal",
		      "match/order/wide-first")) {
		t = tags_ready(g, 0);
		tags_added(&t, 0, 0, 0);
		tags_added(&t, 1, TAGS_TAG, UINT64_MAX);
		tags_message(&t, 0, TAGS_TAG);
		tags_poll(&t, 1);
		tags_message(&t, 1, TAGS_TAG);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_ORDER, "A later tag that alone matches",
		      "match/order/later")) {
		t = tags_ready(g, 0);
		tags_added(&t, 0, TAGS_TAG + 1, TAGS_MASK);
		tags_added(&t, 1, TAGS_TAG, TAGS_MASK);
		tags_message(&t, 0, TAGS_TAG);
		tags_poll(&t, 1);
		tags_message(&t, 1, TAGS_TAG + 1);
		tags_poll(&t, 1);
		tags_end(&t);
	}
}

static void one_tag(struct gen *g, enum row row, const char *what,
		    const char *id, uint64_t tag, bool empty)
{
	static const struct length header = {"", NULL, 16};
	struct tags t;

	if (!tags_case(g, row, what, "match/%s", id))
		return;
	t = tags_ready(g, 0);
	tags_add(&t, 0, tag, TAGS_MASK);
	if (empty)
		prog_num(g->p, F_ops_num_sge, 0);
	tags_poll(&t, 1);
	tags_write(&t, 0, IBV_TMH_EAGER, tag | 5u << 20);
	if (empty)
		send_length(&t, &header);
	else
		tags_send(&t, 0, TAGS_MESSAGE);
	tags_poll(&t, 1);
	tags_end(&t);
}

#define WIDE UINT64_C(0x8070605040302010)

static void wide_numbers(struct gen *g)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_RECV, "A match with numbers of 64 bits",
		       "match/wr-id"))
		return;
	t = tags_ready(g, 0);
	tags_add(&t, 0, TAGS_TAG, TAGS_MASK);
	prog_num(g->p, F_ops_wr_id, WIDE + 1);
	prog_num(g->p, F_ops_recv_wr_id, WIDE + 2);
	tags_poll(&t, 1);
	tags_message(&t, 0, TAGS_TAG);
	tags_poll(&t, 1);
	tags_end(&t);
}

/* A second sender, whose messages go through the same list. */
static void two_senders(struct gen *g)
{
	struct tags t, other;

	if (!tags_case(g, ROW_TM_RECV, "Messages of two senders",
		       "match/two-senders"))
		return;
	t = tags_ready(g, 0);
	other = tags_pair(&t, false);
	tags_connect(&other);
	tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
	tags_added(&t, 1, TAGS_TAG, TAGS_MASK);
	tags_message(&other, 0, TAGS_TAG);
	tags_poll(&t, 1);
	tags_message(&t, 1, TAGS_TAG);
	tags_poll(&t, 1);
	tags_end(&t);
}

static void unexpected(struct gen *g)
{
	struct tags t;

	if (tags_case(g, ROW_TM_UNEXPECTED, "An empty list",
		      "unexpected/no-tags")) {
		t = tags_ready(g, 1);
		tags_message(&t, 0, TAGS_TAG);
		tags_poll(&t, 1);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_UNEXPECTED_OP, "An unexpected message",
		      "unexpected/opcode")) {
		t = tags_ready(g, 2);
		tags_message(&t, 0, TAGS_TAG);
		tags_message(&t, 1, TAGS_TAG);
		tags_poll(&t, 2);
		tags_end(&t);
	}
	if (tags_case(g, ROW_TM_UNEXPECTED, "Another tag",
		      "unexpected/other-tag")) {
		t = tags_ready(g, 1);
		tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
		tags_message(&t, 0, TAGS_TAG + 2);
		tags_poll(&t, 1);
		tags_end(&t);
	}
}

/* A match takes no receive of the SRQ, an unexpected message takes one. */
static void limit(struct gen *g)
{
	struct tags t;

	if (!tags_case(g, ROW_SRQ_LIMIT_EVENT, "A match, then no match",
		       "unexpected/limit"))
		return;
	t = tags_ready(g, 2);
	gen_srq_limit(g, t.p.srq, 2);
	tags_added(&t, 0, TAGS_TAG, TAGS_MASK);
	tags_message(&t, 0, TAGS_TAG);
	tags_poll(&t, 1);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	tags_message(&t, 1, TAGS_TAG);
	tags_poll(&t, 1);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	tags_end(&t);
}

static void waits(struct gen *g)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_UNEXPECTED, "A message that waits",
		       "unexpected/waits"))
		return;
	t = tags_stage(g, false);
	post_rnr(&t.p.with, POST_FOREVER, 1);
	tags_connect(&t);
	tags_write(&t, 0, IBV_TMH_EAGER, TAGS_TAG);
	tags_post(&t, 0, TAGS_MESSAGE);
	post_poll(&t.p, 0);
	tags_receive(&t, 0);
	post_poll(&t.p, 1);
	tags_poll(&t, 1);
	tags_end(&t);
}

static void no_tag(struct gen *g, uint32_t length)
{
	struct tags t;

	if (!tags_case(g, ROW_TM_NO_TAG, "A message with a tag that matches",
		       "unexpected/no-tag/%u", length))
		return;
	t = tags_ready(g, 1);
	tags_added(&t, 0, 0, 0);
	tags_write(&t, 0, IBV_TMH_NO_TAG, TAGS_TAG);
	tags_send(&t, 0, length);
	tags_poll(&t, 1);
	tags_end(&t);
}

void gen_tags_match(struct gen *g)
{
	for (size_t i = 0; i < COUNT(lengths); i++)
		by_length(g, &lengths[i]);
	for (size_t i = 0; i < COUNT(pairs); i++)
		by_mask(g, &pairs[i]);
	for (size_t i = 0; i < COUNT(masks); i++) {
		each_side(g, &masks[i]);
		outside(g, &masks[i]);
	}
	for (unsigned int byte = 0; byte < 8; byte++) {
		by_byte(g, byte);
		two_of_byte(g, byte);
	}
	for (size_t i = 0; i < COUNT(remasked); i++) {
		reused_entries(g, &remasked[i], false);
		reused_entries(g, &remasked[i], true);
	}
	by_order(g);
	one_tag(g, ROW_TM_INFO, "A match", "info", TAGS_TAG + 1, false);
	one_tag(g, ROW_TM_RECV, "A match", "completion", TAGS_TAG, false);
	one_tag(g, ROW_TM_SHORT, "A buffer without elements", "empty", TAGS_TAG,
		true);
	wide_numbers(g);
	two_senders(g);
	unexpected(g);
	limit(g);
	waits(g);
	no_tag(g, 1);
	no_tag(g, 16);
	no_tag(g, TAGS_MESSAGE);
}
