// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined tag matching: how tags are added and removed, which messages match
 * them, when unexpected messages come and are reported, which calls are refused
 * meanwhile, and what a second round finds after a failure.
 */
#include "cases/combined/combined.h"
#include "cases/tags/tags.h"

enum tags_factor {
	ADDED,
	TAGS,
	NUMBER,
	BUFFER,
	EARLY, /* a message before any tag is added */
	REPORTED,
	DELETED,
	MESSAGE,
	ORDER,
	SENDERS,
	LATE, /* a message that no tag matches, behind the others */
	TAKING,
	LIMIT,
	REFUSED,
	LIFE,
	ENDING,
	TAGS_FACTORS
};

enum { BY_CALLS, BY_LIST, POLLED_TOGETHER, LAST_SIGNALED };
enum { DISTINCT, EQUAL, WIDE_FIRST, WIDE_LAST, BITS_OUTSIDE };
enum { THREE, FULL };
enum { ROOMY, EXACT, ODD_PLACE };
enum { NOT_EARLY, UNEXPECTED, UNTAGGED };
enum { BY_SYNC, BY_ADD, AFTER_MESSAGE, NEVER };
enum { NOT_DELETED, FIRST, LAST, UNSIGNALED };
enum { EAGER, HEADER_ALONE, LONG, RENDEZVOUS, RENDEZVOUS_LONG };
enum { FORWARD, BACKWARD };
enum { ONE_SENDER, TWO_SENDERS };
enum { NOT_LATE, OTHER_TAG, LATE_UNTAGGED };
enum { EACH, TOGETHER, BY_BATCH };
enum { NO_LIMIT, ARMED };
enum { NOT_REFUSED, TOO_MANY, OPCODE, IN_LIST, TOO_MANY_ELEMENTS, LIMIT_PAST };
enum { SAME, RESET, ERR, OTHER_PAIR };
enum { LOOK, DELETE_ALL, DESTROY };

#define RECEIVES GEN_QUEUE_WR /* of the SRQ */
#define PLACES	 4	      /* of receives in memory, and messages */
#define PAYLOAD	 2048	      /* of a rendezvous request, behind its header */
#define ANSWER	 7000	      /* where the answer to the request goes */
#define MISSES	 (TAGS_TAG + 9)
#define OUTSIDE	 (UINT64_C(7) << 16) /* bits that the mask leaves out */

static const struct combined_factor factors[TAGS_FACTORS] = {
	[ADDED] = {"added", {"calls", "list", "together", "last-signaled"}},
	[TAGS] = {"tags",
		  {"distinct", "equal", "wide-first", "wide-last", "outside"}},
	[NUMBER] = {"number", {"3", "4"}},
	[BUFFER] = {"buffer", {"roomy", "exact", "odd"}},
	[EARLY] = {"early", {"none", "unexpected", "no-tag"}},
	[REPORTED] = {"reported", {"sync", "add", "late", "never"}},
	[DELETED] = {"deleted", {"none", "first", "last", "unsignaled"}},
	[MESSAGE] = {"message",
		     {"eager", "header", "long", "rendezvous",
		      "rendezvous-long"}},
	[ORDER] = {"order", {"forward", "backward"}},
	[SENDERS] = {"senders", {"1", "2"}},
	[LATE] = {"miss", {"none", "other-tag", "no-tag"}},
	[TAKING] = {"taking", {"each", "many", "batch"}},
	[LIMIT] = {"limit", {"no", "yes"}},
	[REFUSED] = {"refused",
		     {"none", "full", "opcode", "in-list", "post", "modify"}},
	[LIFE] = {"life", {"same", "reset", "err", "other-pair"}},
	[ENDING] = {"end", {"look", "delete", "destroy"}},
};

static const uint32_t lengths[] = {
	[EAGER] = TAGS_MESSAGE, [HEADER_ALONE] = 16,	  [LONG] = TAGS_ROOM,
	[RENDEZVOUS] = 100,	[RENDEZVOUS_LONG] = 4097,
};

/* A tag, as the program knows it. */
struct known_tag {
	uint64_t tag, mask;
	uint8_t slot;	 /* of the call that added the tag, */
	unsigned int at; /* and its place in the list */
	unsigned int number;
	bool waits; /* until all unexpected messages are reported */
};

struct matching {
	struct tags t, other;
	const uint8_t *row;
	struct known_tag list[TAGS_MOST];
	unsigned int n; /* tags in the list */
	unsigned int received, sent, due;
	uint32_t unexpected, reported;
	bool unsure; /* a device may count messages without a tag */
	unsigned int round;
};

static bool has(const struct matching *m, enum tags_factor f, unsigned int l)
{
	return m->row[f] == l;
}

static bool offered(const struct gen *g, enum qp_kind kind, unsigned int factor,
		    unsigned int level)
{
	(void)g;
	(void)kind;
	(void)factor;
	(void)level;
	return true;
}

static bool permitted(const struct gen *g, enum qp_kind kind,
		      const uint8_t *row)
{
	(void)g;
	(void)kind;
	/* the tags of a list have one mask */
	if ((is_level(row, ADDED, BY_LIST) ||
	     is_level(row, ADDED, LAST_SIGNALED)) &&
	    (is_level(row, TAGS, WIDE_FIRST) || is_level(row, TAGS, WIDE_LAST)))
		return false;
	if (is_level(row, MESSAGE, HEADER_ALONE) &&
	    is_level(row, BUFFER, EXACT))
		return false;
	if (is_level(row, REFUSED, TOO_MANY) && is_level(row, NUMBER, THREE))
		return false;
	/* which of two messages is the first is not known */
	if (is_level(row, SENDERS, TWO_SENDERS) &&
	    is_level(row, TAKING, TOGETHER))
		return false;
	/* a device may count messages without a tag, or not */
	if ((is_level(row, EARLY, UNTAGGED) ||
	     is_level(row, LATE, LATE_UNTAGGED)) &&
	    is_other(row, REPORTED, NEVER))
		return false;
	return !is_level(row, EARLY, NOT_EARLY) ||
	       !is_level(row, LATE, NOT_LATE) ||
	       !is_other(row, REPORTED, BY_SYNC);
}

static bool is_rendezvous(const struct matching *m)
{
	return m->row[MESSAGE] >= RENDEZVOUS;
}

static uint32_t payload(const struct matching *m)
{
	uint32_t length = lengths[m->row[MESSAGE]];

	return is_rendezvous(m) ? length : length - lengths[HEADER_ALONE];
}

static unsigned int number(const struct matching *m)
{
	return has(m, NUMBER, FULL) ? TAGS_MOST : 3;
}

/* Takes the completions that are due in the queue of the SRQ. */
static void take(struct matching *m)
{
	if (has(m, TAKING, BY_BATCH))
		combined_poll_batches(m->t.p.g, m->t.cq, m->due);
	else
		tags_poll(&m->t, m->due);
	m->due = 0;
}

/* Waits for an operation that has been posted. */
static void operation_done(struct matching *m, unsigned int n)
{
	m->due += n;
	take(m);
}

static void receive(struct matching *m, unsigned int n)
{
	for (; n; n--, m->received++) {
		tags_receive(&m->t, m->received);
		prog_num(m->t.p.g->p, F_recv_offset,
			 TAGS_RECV_AT + m->received % PLACES * TAGS_BUFFER);
	}
}

static bool is_wide(const struct matching *m, unsigned int n)
{
	return (has(m, TAGS, WIDE_FIRST) && !n) ||
	       (has(m, TAGS, WIDE_LAST) && n == number(m) - 1);
}

/* Notes that tag number `n` is in the list. */
static void know(struct matching *m, unsigned int n, uint8_t slot,
		 unsigned int at)
{
	bool wide = is_wide(m, n);

	m->list[m->n++] = (struct known_tag){
		.tag = wide ? 0 : TAGS_TAG + (has(m, TAGS, EQUAL) ? 0 : n),
		.mask = wide ? 0 : TAGS_MASK,
		.slot = slot,
		.at = at,
		.number = n,
		.waits = m->reported != m->unexpected,
	};
}

static struct known_tag forget(struct matching *m, unsigned int i)
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
	return has(m, REPORTED, how) && m->reported != m->unexpected;
}

static void report(struct matching *m, unsigned int how)
{
	if (!is_behind(m, how))
		return;
	take(m);
	tags_report(&m->t, m->unexpected);
	reported(m);
}

static void put_buffer(const struct matching *m, unsigned int n)
{
	struct program *p = m->t.p.g->p;

	if (has(m, BUFFER, EXACT))
		prog_num(p, F_ops_length, payload(m));
	if (has(m, BUFFER, ODD_PLACE))
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
	const bool one = has(m, ADDED, LAST_SIGNALED);
	struct program *p = m->t.p.g->p;
	uint8_t slot = tags_add_list(&m->t, number(m));
	uint32_t flags;

	put_buffer(m, 0);
	if (has(m, TAGS, EQUAL))
		prog_num(p, F_ops_tag_step, 0);
	flags = put_flags(m);
	if (one) {
		prog_num(p, F_ops_flags, flags & ~(uint32_t)IBV_OPS_SIGNALED);
		prog_num(p, F_ops_odd, number(m));
		prog_num(p, F_ops_odd_flags, flags);
	}
	for (unsigned int n = 0; n < number(m); n++)
		know(m, n, slot, n);
	operation_done(m, one ? 1 : number(m));
}

/* Adds all tags that are not in the list. */
static void add_all(struct matching *m)
{
	bool listed = has(m, ADDED, BY_LIST) || has(m, ADDED, LAST_SIGNALED);
	unsigned int there = 0, added = 0;

	for (unsigned int i = 0; i < m->n; i++)
		there |= 1u << m->list[i].number;
	if (listed && !m->round) {
		add_by_list(m);
		return;
	}
	for (unsigned int n = 0; n < number(m); n++) {
		if (there >> n & 1)
			continue;
		add(m, n);
		added++;
		if (!has(m, ADDED, POLLED_TOGETHER))
			operation_done(m, 1);
	}
	if (has(m, ADDED, POLLED_TOGETHER))
		operation_done(m, added);
}

static void delete (struct matching *m, unsigned int i, bool signals)
{
	const struct known_tag tag = forget(m, i);
	struct program *p = m->t.p.g->p;

	tags_del(&m->t, 600 + tag.number, tag.slot);
	prog_out(p, F_ops_handle, tag.slot,
		 (enum field)(F_posted_handle0 + tag.at), 0);
	if (!signals) {
		prog_num(p, F_ops_flags, 0);
		tags_op(&m->t, IBV_WR_TAG_SYNC, 610, IBV_OPS_SIGNALED);
	}
	operation_done(m, 1);
}

static void delete_one(struct matching *m)
{
	if (has(m, DELETED, FIRST) || has(m, DELETED, UNSIGNALED))
		delete (m, 0, has(m, DELETED, FIRST));
	if (has(m, DELETED, LAST))
		delete (m, m->n - 1, true);
}

static void refuse(struct matching *m)
{
	struct gen *g = m->t.p.g;

	switch (m->row[REFUSED]) {
	case TOO_MANY:
		tags_add(&m->t, 0, TAGS_TAG + 20, TAGS_MASK);
		return;
	case OPCODE:
		tags_op(&m->t, IBV_WR_TAG_SYNC, 620, IBV_OPS_SIGNALED);
		prog_num(g->p, F_ops_opcode, 3);
		return;
	case IN_LIST:
		tags_op(&m->t, IBV_WR_TAG_SYNC, 630, IBV_OPS_SIGNALED);
		prog_num(g->p, F_ops_more, 2);
		prog_num(g->p, F_ops_odd, 2);
		prog_num(g->p, F_ops_odd_opcode, 3);
		operation_done(m, 1);
		return;
	case TOO_MANY_ELEMENTS:
		tags_receive(&m->t, 0);
		prog_out(g->p, F_recv_num_sge, m->t.p.srq, F_srq_max_sge, 1);
		return;
	case LIMIT_PAST:
		gen_srq_limit(g, m->t.p.srq, 100000);
		return;
	default:
		return;
	}
}

/* Returns true if a tag of the list matches, and takes that out. */
static bool matches(struct matching *m, uint64_t tag)
{
	for (unsigned int i = 0; i < m->n; i++) {
		const struct known_tag *k = &m->list[i];

		if (k->waits || (tag & k->mask) != k->tag)
			continue;
		forget(m, i);
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
	if (!has(m, TAKING, TOGETHER))
		take(m);
	if (!m->unsure || !twice)
		return;
	take(m);
	gen_call(m->t.p.g, V_start_poll, m->t.cq);
	prog_num(m->t.p.g->p, F_poll_timeout, POST_MAYBE);
	gen_call(m->t.p.g, V_end_poll, m->t.cq);
}

/* Waits until a message is sent, and a rendezvous request is answered. */
static void await_sent(const struct matching *m, const struct tags *t,
		       bool match)
{
	if (m->unsure && is_rendezvous(m)) {
		post_poll(&t->p, 1);
		post_poll_for(&t->p, 1, POST_MAYBE);
	} else {
		post_poll(&t->p, match && is_rendezvous(m) ? 2 : 1);
	}
}

static void message(struct matching *m, uint64_t tag)
{
	const bool match = matches(m, tag);
	const unsigned int n = m->sent++, k = n % PLACES;
	const struct tags *t =
		has(m, SENDERS, TWO_SENDERS) && n % 2 ? &m->other : &m->t;

	if (has(m, TAGS, BITS_OUTSIDE))
		tag |= OUTSIDE;
	if (is_rendezvous(m)) {
		tags_answer(t, n, k * TAGS_BUFFER + ANSWER);
		tags_request(t, k, tag, k * TAGS_BUFFER + PAYLOAD, payload(m));
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
	unsigned int k = m->sent++ % PLACES;

	tags_write(&m->t, k, IBV_TMH_NO_TAG, TAGS_TAG);
	tags_send(&m->t, k, TAGS_MESSAGE);
	m->due++;
	take(m);
	m->unsure = true;
}

static void early(struct matching *m)
{
	if (has(m, EARLY, UNEXPECTED))
		message(m, MISSES);
	if (has(m, EARLY, UNTAGGED))
		untagged(m);
	take(m);
}

/* Messages for `n` tags of the list. */
static void hits(struct matching *m, unsigned int n)
{
	for (unsigned int i = 0; i < n && m->n; i++) {
		const struct known_tag *k =
			&m->list[has(m, ORDER, FORWARD) ? 0 : m->n - 1];

		message(m, k->mask ? k->tag : TAGS_TAG + 7);
		if (!i)
			report(m, AFTER_MESSAGE);
	}
}

static void late(struct matching *m)
{
	if (has(m, LATE, OTHER_TAG))
		message(m, MISSES);
	if (has(m, LATE, LATE_UNTAGGED))
		untagged(m);
	take(m);
}

static void limit_event(const struct matching *m)
{
	if (has(m, LIMIT, ARMED))
		gen_async_event(m->t.p.g, NO_OBJ,
				m->unexpected || m->unsure ? POST_MAYBE
							   : POST_QUIET);
}

static void carry(struct matching *m)
{
	if (!m->round)
		early(m);
	report(m, BY_SYNC);
	add_all(m);
	if (!m->round) {
		refuse(m);
		delete_one(m);
	}
	hits(m, 2);
	late(m);
	limit_event(m);
}

static void other_pair(struct matching *m)
{
	struct gen *g = m->t.p.g;

	gen_call(g, V_destroy_qp, m->t.p.b);
	gen_call(g, V_destroy_qp, m->t.p.a);
	m->t = tags_pair(&m->t, is_rendezvous(m));
}

/* The tags stay in the list, whatever becomes of a receiver. */
static void live(struct matching *m)
{
	struct gen *g = m->t.p.g;
	int from = IBV_QPS_RTS;

	if (has(m, LIFE, SAME))
		return;
	if (has(m, LIFE, ERR)) {
		gen_step(g, m->t.p.b, from, IBV_QPS_ERR);
		gen_async_event(g, NO_OBJ, POST_MAYBE);
		from = IBV_QPS_ERR;
	}
	if (has(m, LIFE, OTHER_PAIR)) {
		other_pair(m);
	} else {
		gen_step(g, m->t.p.b, from, IBV_QPS_RESET);
		gen_step(g, m->t.p.a, IBV_QPS_RTS, IBV_QPS_RESET);
	}
	tags_connect(&m->t);
}

static void stage(struct matching *m, struct gen *g)
{
	m->t = tags_stage(g, is_rendezvous(m));
	receive(m, RECEIVES);
	if (has(m, LIMIT, ARMED))
		gen_srq_limit(g, m->t.p.srq, RECEIVES);
	tags_connect(&m->t);
	if (!has(m, SENDERS, TWO_SENDERS))
		return;
	m->other = tags_pair(&m->t, is_rendezvous(m));
	tags_connect(&m->other);
}

static void destroy(const struct matching *m)
{
	struct gen *g = m->t.p.g;

	gen_call(g, V_destroy_qp, m->t.p.a);
	gen_call(g, V_destroy_qp, m->t.p.b);
	if (has(m, SENDERS, TWO_SENDERS)) {
		gen_call(g, V_destroy_qp, m->other.p.a);
		gen_call(g, V_destroy_qp, m->other.p.b);
	}
	gen_call(g, V_destroy_srq, m->t.p.srq);
	gen_call(g, V_destroy_cq, m->t.cq);
}

static void read_part(const struct matching *m, uint8_t mr, uint64_t offset,
		      uint64_t length)
{
	struct gen *g = m->t.p.g;

	gen_call(g, V_read_mr, mr);
	prog_num(g->p, F_memory_offset, offset);
	prog_num(g->p, F_memory_length, length);
}

/* Reads what messages left in the buffers of tags, in receives, and in the
 * answers to rendezvous requests. Which address a request has is not known. */
static void look(const struct matching *m)
{
	bool asks = is_rendezvous(m);

	for (unsigned int i = 0; i < TAGS_MOST; i++)
		read_part(m, m->t.into, i * TAGS_BUFFER, TAGS_BUFFER);
	for (unsigned int i = 0; i < PLACES; i++)
		read_part(m, m->t.into, TAGS_RECV_AT + i * TAGS_BUFFER,
			  asks ? lengths[HEADER_ALONE] : TAGS_BUFFER);
	for (unsigned int i = 0; i < PLACES && asks; i++)
		read_part(m, m->t.from, i * TAGS_BUFFER + ANSWER,
			  lengths[HEADER_ALONE]);
}

static void end(struct matching *m)
{
	struct gen *g = m->t.p.g;

	if (has(m, ENDING, DELETE_ALL) && !m->unsure)
		while (m->n)
			delete (m, 0, true);
	gen_call(g, V_start_poll, m->t.cq);
	prog_num(g->p, F_poll_timeout, POST_QUIET);
	look(m);
	if (has(m, ENDING, DESTROY))
		destroy(m);
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct matching m = {.row = row};

	(void)kind;
	stage(&m, g);
	carry(&m);
	live(&m);
	m.round = 1;
	carry(&m);
	end(&m);
}

static const struct combined matching = {
	.name = "tags",
	.factor = factors,
	.n = TAGS_FACTORS,
	.offered = offered,
	.permitted = permitted,
	.build = build,
};

void gen_combined_tags(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC)
		combined_cases(g, kind, &matching, ROW_TM_ORDER,
			       gen_needs(g, CLAIM_TM, CLAIM_TYPE_RC));
}
