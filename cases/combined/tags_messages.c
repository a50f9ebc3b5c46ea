// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The messages of combined tag matching: those that tags of the list match, and
 * unexpected ones.
 */
#include "cases/combined/tags.h"

#define PAYLOAD 2048 /* of a rendezvous request, behind its header */
#define MISSES	(TAGS_TAG + 9)
#define OUTSIDE (UINT64_C(7) << 16) /* bits that the mask leaves out */

static const uint32_t lengths[] = {
	[EAGER] = TAGS_MESSAGE, [HEADER_ALONE] = 16,	  [LONG] = TAGS_ROOM,
	[RENDEZVOUS] = 100,	[RENDEZVOUS_LONG] = 4097,
};

uint32_t matching_payload(const struct matching *m)
{
	uint32_t length = lengths[m->row[MESSAGE]];

	return matching_asks(m) ? length : length - MATCHING_HEADER;
}

/* Returns true if a tag of the list matches, and takes that out. */
static bool matches(struct matching *m, uint64_t tag)
{
	for (unsigned int i = 0; i < m->n; i++) {
		const struct known_tag *k = &m->list[i];

		if (k->waits || (tag & k->mask) != k->tag)
			continue;
		matching_forget(m, i);
		return true;
	}
	return false;
}

/* Takes what a message brought. Which tags match is not sure any more if the
 * device may have counted a message. */
static void arrive(struct matching *m, bool match)
{
	bool twice = m->row[MESSAGE] >= LONG;

	m->due += match && twice && !m->unsure ? 2 : 1;
	if (!matching_has(m, TAKING, TOGETHER))
		matching_take(m);
	if (!m->unsure || !twice)
		return;
	matching_take(m);
	gen_call(m->t.p.g, V_start_poll, m->t.cq);
	prog_num(m->t.p.g->p, F_poll_timeout, POST_MAYBE);
	gen_call(m->t.p.g, V_end_poll, m->t.cq);
}

/* Waits until a message is sent, and a rendezvous request is answered. */
static void await_sent(const struct matching *m, const struct tags *t,
		       bool match)
{
	if (m->unsure && matching_asks(m)) {
		post_poll(&t->p, 1);
		post_poll_for(&t->p, 1, POST_MAYBE);
	} else {
		post_poll(&t->p, match && matching_asks(m) ? 2 : 1);
	}
}

static void message(struct matching *m, uint64_t tag)
{
	const bool match = matches(m, tag);
	const unsigned int n = m->sent++, k = n % MATCHING_PLACES;
	const struct tags *t = matching_has(m, SENDERS, TWO_SENDERS) && n % 2
				       ? &m->other
				       : &m->t;

	if (matching_has(m, TAGS, BITS_OUTSIDE))
		tag |= OUTSIDE;
	if (matching_asks(m)) {
		tags_answer(t, n, k * TAGS_BUFFER + MATCHING_ANSWER);
		tags_request(t, k, tag, k * TAGS_BUFFER + PAYLOAD,
			     matching_payload(m));
	} else {
		tags_write(t, k, IBV_TMH_EAGER, tag);
		tags_post(t, k, lengths[m->row[MESSAGE]]);
	}
	prog_num(t->p.g->p, F_send_wr_id, 1 + n);
	await_sent(m, t, match);
	m->unexpected += !match;
	arrive(m, match);
}

static void untagged(struct matching *m)
{
	unsigned int k = m->sent++ % MATCHING_PLACES;

	tags_write(&m->t, k, IBV_TMH_NO_TAG, TAGS_TAG);
	tags_send(&m->t, k, TAGS_MESSAGE);
	m->due++;
	matching_take(m);
	m->unsure = true;
}

void matching_early(struct matching *m)
{
	if (matching_has(m, EARLY, UNEXPECTED))
		message(m, MISSES);
	if (matching_has(m, EARLY, UNTAGGED))
		untagged(m);
	matching_take(m);
}

void matching_hits(struct matching *m, unsigned int n)
{
	for (unsigned int i = 0; i < n && m->n; i++) {
		const struct known_tag *k =
			&m->list[matching_has(m, ORDER, FORWARD) ? 0
								 : m->n - 1];

		message(m, k->mask ? k->tag : TAGS_TAG + 7);
		if (!i)
			matching_report(m, AFTER_MESSAGE);
	}
}

void matching_late(struct matching *m)
{
	if (matching_has(m, LATE, OTHER_TAG))
		message(m, MISSES);
	if (matching_has(m, LATE, LATE_UNTAGGED))
		untagged(m);
	matching_take(m);
}
