// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The list of combined tag matching, as the program knows it: tags that are
 * added one by one or by a list, tags that are removed, and reports of
 * unexpected messages.
 */
#include "cases/combined/tags.h"

void matching_take(struct matching *m)
{
	if (matching_has(m, TAKING, BY_BATCH))
		combined_poll_batches(m->t.p.g, m->t.cq, m->due);
	else
		tags_poll(&m->t, m->due);
	m->due = 0;
}

void matching_done(struct matching *m, unsigned int n)
{
	m->due += n;
	matching_take(m);
}

static bool is_wide(const struct matching *m, unsigned int n)
{
	return (matching_has(m, TAGS, WIDE_FIRST) && !n) ||
	       (matching_has(m, TAGS, WIDE_LAST) &&
		n == matching_number(m) - 1);
}

/* Notes that tag number `n` is in the list. */
static void know(struct matching *m, unsigned int n, uint8_t slot,
		 unsigned int at)
{
	bool wide = is_wide(m, n);

	m->list[m->n++] = (struct known_tag){
		.tag = wide ? 0
			    : TAGS_TAG + (matching_has(m, TAGS, EQUAL) ? 0 : n),
		.mask = wide ? 0 : TAGS_MASK,
		.slot = slot,
		.at = at,
		.number = n,
		.waits = m->reported != m->unexpected,
	};
}

struct known_tag matching_forget(struct matching *m, unsigned int i)
{
	struct known_tag tag = m->list[i];

	for (m->n--; i < m->n; i++)
		m->list[i] = m->list[i + 1];
	return tag;
}

/* The program tells of all unexpected messages. */
static void reported(struct matching *m)
{
	m->reported = m->unexpected;
	for (unsigned int i = 0; i < m->n; i++)
		m->list[i].waits = false;
}

static bool is_behind(const struct matching *m, unsigned int how)
{
	return matching_has(m, REPORTED, how) && m->reported != m->unexpected;
}

void matching_report(struct matching *m, unsigned int how)
{
	if (!is_behind(m, how))
		return;
	matching_take(m);
	tags_report(&m->t, m->unexpected);
	reported(m);
}

static void put_buffer(const struct matching *m, unsigned int n)
{
	struct program *p = m->t.p.g->p;

	if (matching_has(m, BUFFER, EXACT))
		prog_num(p, F_ops_length, matching_payload(m));
	if (matching_has(m, BUFFER, ODD_PLACE))
		prog_num(p, F_ops_offset, n * TAGS_BUFFER + 3);
}

/* Adds flags to an operation that adds a tag. The first one of a round may
 * report. */
static uint32_t put_flags(struct matching *m)
{
	struct program *p = m->t.p.g->p;
	uint32_t flags = IBV_OPS_SIGNALED;

	if (is_behind(m, BY_ADD)) {
		flags |= IBV_OPS_TM_SYNC;
		prog_num(p, F_ops_unexpected, m->unexpected);
		reported(m);
	}
	prog_num(p, F_ops_flags, flags);
	return flags;
}

static void add(struct matching *m, unsigned int n)
{
	uint8_t slot;

	slot = tags_add(&m->t, n, 0, 0);
	put_buffer(m, n);
	put_flags(m);
	know(m, n, slot, 0);
	prog_num(m->t.p.g->p, F_ops_tag, m->list[m->n - 1].tag);
	prog_num(m->t.p.g->p, F_ops_mask, m->list[m->n - 1].mask);
}

static void add_by_list(struct matching *m)
{
	const bool one = matching_has(m, ADDED, LAST_SIGNALED);
	struct program *p = m->t.p.g->p;
	uint8_t slot = tags_add_list(&m->t, matching_number(m));
	uint32_t flags;

	put_buffer(m, 0);
	if (matching_has(m, TAGS, EQUAL))
		prog_num(p, F_ops_tag_step, 0);
	flags = put_flags(m);
	if (one) {
		prog_num(p, F_ops_flags, flags & ~(uint32_t)IBV_OPS_SIGNALED);
		prog_num(p, F_ops_odd, matching_number(m));
		prog_num(p, F_ops_odd_flags, flags);
	}
	for (unsigned int n = 0; n < matching_number(m); n++)
		know(m, n, slot, n);
	matching_done(m, one ? 1 : matching_number(m));
}

void matching_add(struct matching *m)
{
	bool listed = matching_has(m, ADDED, BY_LIST) ||
		      matching_has(m, ADDED, LAST_SIGNALED);
	unsigned int there = 0, added = 0;

	for (unsigned int i = 0; i < m->n; i++)
		there |= 1u << m->list[i].number;
	if (listed && !m->round) {
		add_by_list(m);
		return;
	}
	for (unsigned int n = 0; n < matching_number(m); n++) {
		if (there >> n & 1)
			continue;
		add(m, n);
		added++;
		if (!matching_has(m, ADDED, POLLED_TOGETHER))
			matching_done(m, 1);
	}
	if (matching_has(m, ADDED, POLLED_TOGETHER))
		matching_done(m, added);
}

void matching_delete(struct matching *m, unsigned int i, bool signals)
{
	const struct known_tag tag = matching_forget(m, i);
	struct program *p = m->t.p.g->p;

	tags_del(&m->t, 600 + tag.number, tag.slot);
	prog_out(p, F_ops_handle, tag.slot,
		 (enum field)(F_posted_handle0 + tag.at), 0);
	if (!signals) {
		prog_num(p, F_ops_flags, 0);
		tags_op(&m->t, IBV_WR_TAG_SYNC, 610, IBV_OPS_SIGNALED);
	}
	matching_done(m, 1);
}

void matching_delete_one(struct matching *m)
{
	if (matching_has(m, DELETED, FIRST) ||
	    matching_has(m, DELETED, UNSIGNALED))
		matching_delete(m, 0, matching_has(m, DELETED, FIRST));
	if (matching_has(m, DELETED, LAST))
		matching_delete(m, m->n - 1, true);
}
