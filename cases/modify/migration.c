// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Automatic path migration: which path_mig_state a program may ask for, what a
 * query reports, and messages before and after a migration that the program,
 * the peer or a failing path causes. The alternate path differs from the
 * primary one by its timeout, its P_Key or its port.
 */
#include "cases/post/post.h"

#define NO_LID	  0xbffe /* the last but one unicast LID, which no port has */
#define BOTH_ENDS 6000	 /* ms until a request has failed on both paths */
#define LONG	  20	 /* a timeout of 4 s */

enum way { SAME, PKEY, PORT, NOWHERE };

static const char *const names[] = {"same-port", "pkey", "port"};

static enum claim way_claim(const struct gen *g, enum way way)
{
	enum claim claim = gen_also(g, CLAIM_NONE, CLAIM_APM);

	if (way == PKEY)
		return gen_also(g, claim, CLAIM_PKEYS);
	return way == PORT ? gen_also(g, claim, CLAIM_JOINED) : claim;
}

static bool says(struct gen *g, enum qp_kind kind, enum way way, enum row row,
		 const char *what)
{
	return post_says_with(g, kind, IBV_QPS_RTS, way_claim(g, way), row,
			      what);
}

/* Sets the alternate path of a queue pair and the migration state to ask for.
 */
static void load(const struct post *p, uint8_t qp, enum way way,
		 int64_t timeout, uint32_t mask)
{
	const struct device_info *d = p->g->d;
	struct gen_values v = {0};

	gen_value(&v, F_alt_timeout, NULL, timeout);
	gen_value(&v, F_path_mig_state, NULL, IBV_MIG_REARM);
	if (way == PKEY)
		gen_value(&v, F_alt_pkey_index, NULL, 1);
	if (way == NOWHERE)
		gen_value(&v, F_alt_dlid, NULL, NO_LID);
	if (way == PORT) {
		gen_value(&v, F_alt_port_num, NULL, d->joined_port);
		gen_value(&v, F_alt_ah_port_num, NULL, d->joined_port);
		gen_value(&v, F_alt_dlid, NULL,
			  d->port[d->joined_port - 1].attr.lid);
	}
	gen_modify(p->g, qp, mask, IBV_QPS_RTS, IBV_QPS_RTS, &v);
}

static void rearm(const struct post *p, uint8_t qp, enum way way)
{
	load(p, qp, way, POST_TIMER, A_ALT_PATH | A_PATH_MIG_STATE);
}

static void ask(const struct post *p, uint8_t qp, int state, int64_t asked)
{
	struct gen_values v = {0};

	gen_value(&v, F_path_mig_state, NULL, asked);
	gen_modify(p->g, qp, A_PATH_MIG_STATE, state, state, &v);
}

static void look(const struct post *p)
{
	gen_query(p->g, p->a);
	gen_query(p->g, p->b);
}

static void quiet(const struct post *p)
{
	gen_async_event(p->g, NO_OBJ, POST_QUIET);
}

static void message(const struct post *p, uint64_t wr_id)
{
	post_recv(p, p->b, 200 + wr_id, 0);
	post_send(p, IBV_WR_SEND, wr_id, IBV_SEND_SIGNALED);
	post_poll(p, 2);
}

/* Sends a message each way. XRC sends only from a. */
static void exchange(const struct post *p, uint64_t wr_id)
{
	struct post back = post_back(p);

	message(p, wr_id);
	if (kind_receiver(p->kind) == p->kind)
		message(&back, wr_id + 1);
}

/* Creates both in RTS. */
static struct post stage(struct gen *g, enum qp_kind kind)
{
	struct post p = post_pair(g, kind);

	post_retries(&p.with, POST_TIMER, 1);
	post_both(&p, 0);
	return p;
}

/* Creates both in RTS and ARMED. */
static struct post armed_pair(struct gen *g, enum qp_kind kind, enum way a,
			      enum way b)
{
	struct post p = stage(g, kind);

	rearm(&p, p.a, a);
	rearm(&p, p.b, b);
	exchange(&p, 1);
	return p;
}

/* Both are rearmed: REARM until a message comes, then ARMED. */
static void armed(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "armed") ||
	    !says(g, kind, SAME, ROW_MIG_ARMED, "Messages after REARM"))
		return;
	p = stage(g, kind);
	look(&p);
	rearm(&p, p.a, SAME);
	rearm(&p, p.b, SAME);
	look(&p);
	exchange(&p, 1);
	look(&p);
	quiet(&p);
	exchange(&p, 3);
	look(&p);
	quiet(&p);
	gen_done(g);
}

/* The queries come before the completions of the message that arms. */
static void unpolled(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "armed-unpolled") ||
	    !says(g, kind, SAME, ROW_VAL_MIG_MOVES,
		  "A message after REARM that is not polled"))
		return;
	p = stage(g, kind);
	rearm(&p, p.a, SAME);
	rearm(&p, p.b, SAME);
	post_recv(&p, p.b, 200, 0);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	look(&p);
	post_poll(&p, 2);
	look(&p);
	gen_done(g);
}

/* Only one end, or none, is rearmed. */
static void unarmed(struct gen *g, enum qp_kind kind, bool one)
{
	struct post p;

	if (!gen_id(g, one ? "one-end" : "unasked") ||
	    !says(g, kind, SAME, one ? ROW_MIG_ARMED : ROW_MIG_UNASKED,
		  one ? "Messages to a peer that is not rearmed"
		      : "Messages with an alternate path and without REARM"))
		return;
	p = stage(g, kind);
	look(&p);
	load(&p, p.a, SAME, POST_TIMER, A_ALT_PATH);
	load(&p, p.b, SAME, POST_TIMER, A_ALT_PATH);
	if (one)
		ask(&p, p.a, IBV_QPS_RTS, IBV_MIG_REARM);
	exchange(&p, 1);
	look(&p);
	quiet(&p);
	gen_done(g);
}

/* The program migrates a, and b follows with the next message. */
static void by_program(struct gen *g, enum qp_kind kind, enum way way)
{
	struct post p;

	if (!gen_id(g, "program/%s", names[way]) ||
	    !says(g, kind, way, ROW_MIG_PEER,
		  "A migration that the program asks for"))
		return;
	p = armed_pair(g, kind, way, way);
	ask(&p, p.a, IBV_QPS_RTS, IBV_MIG_MIGRATED);
	gen_async_event(g, NO_OBJ, POST_MAYBE); /* of a, which asked for it */
	look(&p);
	message(&p, 3);
	look(&p);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	quiet(&p);
	exchange(&p, 4);
	look(&p);
	quiet(&p);
	gen_done(g);
}

/* One end, the sender or the receiver, is asked to migrate while in SQD. */
static void in_sqd(struct gen *g, enum qp_kind kind, bool receiver)
{
	struct post p;
	uint8_t qp;

	if (!gen_id(g, "program/%s-in-sqd", receiver ? "receiver" : "sender") ||
	    !says(g, kind, SAME, ROW_MIG_PATH,
		  "A migration that the program asks for in SQD"))
		return;
	p = armed_pair(g, kind, SAME, SAME);
	qp = receiver ? p.b : p.a;
	gen_step(g, qp, IBV_QPS_RTS, IBV_QPS_SQD);
	ask(&p, qp, IBV_QPS_SQD, IBV_MIG_MIGRATED);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_query(g, qp);
	gen_step(g, qp, IBV_QPS_SQD, IBV_QPS_RTS);
	gen_query(g, qp);
	gen_done(g);
}

/* Gives a an address that leads nowhere. The alternate path stays. */
static void break_path(const struct post *p)
{
	struct gen *g = p->g;
	struct gen_values v = {0};

	gen_value(&v, F_ah_dlid, NULL, NO_LID);
	gen_modify(g, p->a, A_STATE, IBV_QPS_RTS, IBV_QPS_SQD, NULL);
	gen_wait_drained(g, p->a);
	gen_modify(g, p->a, A_AV, IBV_QPS_SQD, IBV_QPS_SQD, &v);
	gen_modify(g, p->a, A_STATE, IBV_QPS_SQD, IBV_QPS_RTS, NULL);
	gen_async_event(g, NO_OBJ, POST_MAYBE); /* SQ_DRAINED may come */
}

/* Nobody answers on the primary path of a, which migrates. */
static void failing(struct gen *g, enum qp_kind kind, enum way way)
{
	struct post p;

	if (!gen_id(g, "failing/%s", names[way]) ||
	    !says(g, kind, way, ROW_MIG_FAILING,
		  "A primary path that fails in ARMED"))
		return;
	p = armed_pair(g, kind, way, way);
	break_path(&p);
	look(&p);
	post_recv(&p, p.b, 203, 0);
	post_send(&p, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	post_poll_for(&p, 2, BOTH_ENDS);
	look(&p);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	quiet(&p);
	exchange(&p, 4);
	look(&p);
	gen_done(g);
}

/* Nobody answers on either path. */
static void fails_too(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "failing/both") ||
	    !says(g, kind, SAME, ROW_RETRY_ANSWER,
		  "A primary and an alternate path that fail"))
		return;
	p = armed_pair(g, kind, NOWHERE, SAME);
	break_path(&p);
	post_send(&p, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, BOTH_ENDS);
	look(&p);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	quiet(&p);
	gen_done(g);
}

/* b does not expect messages from where the alternate path of a begins. */
static void refused(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "refused") ||
	    !says(g, kind, SAME, ROW_MIG_ERR,
		  "A migration to a path that the peer does not know"))
		return;
	p = armed_pair(g, kind, SAME, NOWHERE);
	ask(&p, p.a, IBV_QPS_RTS, IBV_MIG_MIGRATED);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	post_send(&p, IBV_WR_RDMA_WRITE, 3, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, BOTH_ENDS);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	look(&p);
	gen_done(g);
}

/* A send on an alternate path with a long timeout is not given up early. */
static void patient(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "timeout") ||
	    !says(g, kind, SAME, ROW_RETRY_PATIENT,
		  "A long timeout of the alternate path"))
		return;
	p = stage(g, kind);
	load(&p, p.a, NOWHERE, LONG, A_ALT_PATH | A_PATH_MIG_STATE);
	rearm(&p, p.b, SAME);
	exchange(&p, 1);
	ask(&p, p.a, IBV_QPS_RTS, IBV_MIG_MIGRATED);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	post_send(&p, IBV_WR_SEND, 3, IBV_SEND_SIGNALED);
	post_poll_for(&p, 1, 4 * POST_MAYBE);
	gen_query(g, p.a);
	post_to_err(&p, p.a, IBV_QPS_RTS);
	post_poll(&p, 1);
	gen_done(g);
}

/* Moves that a program should not ask for. */
static void asked(struct gen *g, enum qp_kind kind, const char *name,
		  int64_t state, enum ibv_mig_state now, bool sqd)
{
	struct post p;

	if (!gen_id(g, "asked/%s", name) ||
	    !says(g, kind, SAME, ROW_MIG_ASKED,
		  "A path_mig_state that only the channel sets"))
		return;
	p = now == IBV_MIG_ARMED ? armed_pair(g, kind, SAME, SAME)
				 : stage(g, kind);
	if (now == IBV_MIG_REARM)
		rearm(&p, p.a, SAME);
	if (sqd)
		gen_step(g, p.a, IBV_QPS_RTS, IBV_QPS_SQD);
	gen_query(g, p.a);
	ask(&p, p.a, sqd ? IBV_QPS_SQD : IBV_QPS_RTS, state);
	gen_query(g, p.a);
	gen_done(g);
}

/* After a migration another alternate path is loaded, and used. */
static void again(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "again") ||
	    !says(g, kind, PKEY, ROW_MIG_PATH, "A second migration"))
		return;
	p = armed_pair(g, kind, PKEY, PKEY);
	for (uint64_t i = 3; i <= 6; i += 3) {
		ask(&p, p.a, IBV_QPS_RTS, IBV_MIG_MIGRATED);
		gen_async_event(g, NO_OBJ, POST_MAYBE);
		message(&p, i);
		gen_async_event(g, NO_OBJ, POST_WAIT);
		look(&p);
		rearm(&p, p.a, SAME);
		rearm(&p, p.b, SAME);
		look(&p);
		exchange(&p, i + 1);
		look(&p);
	}
	quiet(&p);
	gen_done(g);
}

/* RESET forgets the state. */
static void reset(struct gen *g, enum qp_kind kind)
{
	struct post p;

	if (!gen_id(g, "reset") ||
	    !says(g, kind, SAME, ROW_MIG_UNASKED, "RESET in ARMED"))
		return;
	p = armed_pair(g, kind, SAME, SAME);
	gen_modify(g, p.b, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	gen_modify(g, p.a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	post_both(&p, 0);
	look(&p);
	exchange(&p, 3);
	look(&p);
	quiet(&p);
	gen_done(g);
}

void gen_modify_migration(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC && kind != QK_UC && kind != QK_XRC_SEND)
		return;
	gen_prefix(g, "modify/%s/migration/", qp_kind_slug(kind));
	armed(g, kind);
	unpolled(g, kind);
	unarmed(g, kind, true);
	unarmed(g, kind, false);
	for (enum way way = SAME; way <= PORT; way++) {
		by_program(g, kind, way);
		if (post_reliable(kind))
			failing(g, kind, way);
	}
	in_sqd(g, kind, false);
	in_sqd(g, kind, true);
	refused(g, kind);
	if (post_reliable(kind)) {
		fails_too(g, kind);
		patient(g, kind);
	}
	asked(g, kind, "armed", IBV_MIG_ARMED, IBV_MIG_MIGRATED, false);
	asked(g, kind, "armed-in-rearm", IBV_MIG_ARMED, IBV_MIG_REARM, false);
	asked(g, kind, "migrated-in-rearm", IBV_MIG_MIGRATED, IBV_MIG_REARM,
	      false);
	asked(g, kind, "rearm-in-armed", IBV_MIG_REARM, IBV_MIG_ARMED, false);
	asked(g, kind, "rearm-in-sqd", IBV_MIG_REARM, IBV_MIG_MIGRATED, true);
	again(g, kind);
	reset(g, kind);
}
