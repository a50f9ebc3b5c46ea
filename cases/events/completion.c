/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion events: how often they arrive, for which completions, and of which
 * queue. Cases of two connected queue pairs are rows of tables.
 */
#include "cases/events/completion.h"

struct step {
	enum verb verb; /* V_open_device (0) ends the list */
	enum { RECEIVES, SENDS } queue;
	uint32_t number;
};

#define STEP(verb, queue, number)                                              \
	{                                                                      \
		verb, queue, number                                            \
	}
#define ARM(queue)	     STEP(V_req_notify_cq, queue, 0)
#define ARM_SOLICITED(queue) STEP(V_req_notify_cq, queue, 1)
#define SEND(flags)	     STEP(V_post_send, SENDS, flags)
#define POLL(queue, n)	     STEP(V_poll_cq, queue, n)
#define ACK(queue, n)	     STEP(V_ack_cq_events, queue, n)
#define EVENT		     STEP(V_get_cq_event, RECEIVES, POST_WAIT)
#define MAYBE		     STEP(V_get_cq_event, RECEIVES, POST_MAYBE)
#define QUIET		     STEP(V_get_cq_event, RECEIVES, POST_QUIET)
#define RECEIVER_TO_ERR	     STEP(V_modify_qp, RECEIVES, 0)

#define SIGNALED  IBV_SEND_SIGNALED
#define SOLICITED IBV_SEND_SOLICITED

struct script {
	const char *id;
	enum row row;
	const char *what;
	struct step step[21];
};

static const struct script basics[] = {
	{"one-shot",
	 ROW_NOTIFY_EVENT,
	 "Each ibv_req_notify_cq is good for one event",
	 {QUIET, ARM(RECEIVES), QUIET, SEND(0), EVENT, SEND(0),
	  POLL(RECEIVES, 2), QUIET, ARM(RECEIVES), SEND(0), EVENT, QUIET,
	  ACK(RECEIVES, 2), POLL(RECEIVES, 1)}},
	{"unarmed",
	 ROW_NOTIFY_NONE,
	 "Completion queues that are not armed",
	 {SEND(SIGNALED | SOLICITED), POLL(RECEIVES, 1), POLL(SENDS, 1),
	  QUIET}},
	{"solicited/receive",
	 ROW_NOTIFY_SOLICITED,
	 "A completion queue armed for solicited completions",
	 {ARM_SOLICITED(RECEIVES), SEND(0), POLL(RECEIVES, 1), QUIET,
	  SEND(SOLICITED), EVENT, SEND(SOLICITED), POLL(RECEIVES, 2), QUIET}},
	/* The completion of a send is never solicited. */
	{"solicited/send",
	 ROW_NOTIFY_SOLICITED,
	 "The completion of a solicited send",
	 {ARM_SOLICITED(SENDS), SEND(SIGNALED | SOLICITED), POLL(SENDS, 1),
	  QUIET, POLL(RECEIVES, 1)}},
};

static const struct script armings[] = {
	{"send",
	 ROW_NOTIFY_EVENT,
	 "Completions of sends on an armed queue",
	 {ARM(SENDS), SEND(0), POLL(RECEIVES, 1), QUIET, SEND(SIGNALED), EVENT,
	  POLL(SENDS, 1), POLL(RECEIVES, 1)}},
	{"present/any",
	 ROW_NOTIFY_PRESENT,
	 "Completions that are there before the queue is armed",
	 {SEND(SOLICITED), SEND(SOLICITED), POLL(RECEIVES, 1), QUIET,
	  ARM(RECEIVES), QUIET, SEND(SOLICITED), POLL(RECEIVES, 2), EVENT,
	  QUIET}},
	{"present/solicited",
	 ROW_NOTIFY_PRESENT,
	 "Completions that are there before the queue is armed",
	 {SEND(SOLICITED), SEND(SOLICITED), POLL(RECEIVES, 1), QUIET,
	  ARM_SOLICITED(RECEIVES), QUIET, SEND(SOLICITED), POLL(RECEIVES, 2),
	  EVENT, QUIET}},
	/* A queue that is armed twice before a completion arrives raises one
	 * event. */
	{"twice/any-any",
	 ROW_NOTIFY_NONE,
	 "A completion queue that is armed twice",
	 {ARM(RECEIVES), ARM(RECEIVES), SEND(0), POLL(RECEIVES, 1), EVENT,
	  SEND(SOLICITED), POLL(RECEIVES, 1), QUIET, QUIET}},
	{"twice/any-solicited",
	 ROW_NOTIFY_WEAKER,
	 "A completion queue that is armed twice",
	 {ARM(RECEIVES), ARM_SOLICITED(RECEIVES), SEND(0), POLL(RECEIVES, 1),
	  MAYBE, SEND(SOLICITED), POLL(RECEIVES, 1), MAYBE, QUIET}},
	{"twice/solicited-any",
	 ROW_NOTIFY_NONE,
	 "A completion queue that is armed twice",
	 {ARM_SOLICITED(RECEIVES), ARM(RECEIVES), SEND(0), POLL(RECEIVES, 1),
	  EVENT, SEND(SOLICITED), POLL(RECEIVES, 1), QUIET, QUIET}},
	{"twice/solicited-solicited",
	 ROW_NOTIFY_NONE,
	 "A completion queue that is armed twice",
	 {ARM_SOLICITED(RECEIVES), ARM_SOLICITED(RECEIVES), SEND(0),
	  POLL(RECEIVES, 1), QUIET, SEND(SOLICITED), POLL(RECEIVES, 1), EVENT,
	  QUIET}},
};

/* One event for each queue. */
static const struct script shared_channel = {
	"two-queues",
	ROW_NOTIFY_CONTEXT,
	"Two completion queues with one channel",
	{ARM(RECEIVES), ARM(SENDS), SEND(SIGNALED), EVENT, EVENT, QUIET,
	 POLL(RECEIVES, 1), POLL(SENDS, 1), ARM(SENDS), SEND(SIGNALED), EVENT,
	 QUIET}};

/* One unread event for each arming. */
static const struct script collected = {"collected",
					ROW_NOTIFY_EVENT,
					"Several unread events of one queue",
					{ARM(RECEIVES),
					 SEND(SIGNALED),
					 POLL(RECEIVES, 1),
					 POLL(SENDS, 1),
					 ARM(RECEIVES),
					 SEND(SIGNALED),
					 POLL(RECEIVES, 1),
					 POLL(SENDS, 1),
					 ARM(RECEIVES),
					 SEND(SIGNALED),
					 POLL(RECEIVES, 1),
					 POLL(SENDS, 1),
					 EVENT,
					 EVENT,
					 EVENT,
					 QUIET,
					 ARM(RECEIVES),
					 SEND(SIGNALED),
					 EVENT,
					 QUIET}};

static const struct script flushes[] = {
	{"flush/any",
	 ROW_NOTIFY_EVENT,
	 "Flushed receives on an armed queue",
	 {ARM(RECEIVES), RECEIVER_TO_ERR, POLL(RECEIVES, GEN_QUEUE_WR), EVENT,
	  QUIET}},
	{"flush/solicited",
	 ROW_NOTIFY_ERROR,
	 "Flushed receives on an armed queue",
	 {ARM_SOLICITED(RECEIVES), RECEIVER_TO_ERR,
	  POLL(RECEIVES, GEN_QUEUE_WR), EVENT, QUIET}},
};

/* Sends have the numbers 1, 2, 3 and so on. */
static void take_step(const struct notify *n, const struct step *s,
		      uint64_t *wr_id)
{
	uint8_t cq = s->queue == SENDS ? n->sends : n->receives;

	if (s->verb == V_req_notify_cq)
		notify_arm(n, cq, (int)s->number);
	else if (s->verb == V_post_send)
		notify_send(n, ++*wr_id, s->number);
	else if (s->verb == V_poll_cq)
		notify_poll(n, cq, s->number);
	else if (s->verb == V_ack_cq_events)
		notify_ack(n, cq, s->number);
	else if (s->verb == V_get_cq_event)
		notify_wait(n, s->number);
	else
		post_to_err(&n->p, n->p.b, IBV_QPS_RTS);
}

static void scripts(struct gen *g, enum qp_kind kind, const struct script *s,
		    size_t count)
{
	for (const struct script *end = s + count; s < end; s++) {
		uint64_t wr_id = 0;
		struct notify n;

		if (!post_case(g, kind, IBV_QPS_RTS, s->row, s->what, "%s",
			       s->id))
			continue;
		n = notify_ready(g, kind);
		for (size_t i = 0; s->step[i].verb; i++)
			take_step(&n, &s->step[i], &wr_id);
		gen_done(g);
	}
}

/* Completions with an error: flushed sends. */
static void flushed_sends(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!gen_id(g, "flush/sends-solicited") ||
	    !gen_says_rule(g, ROW_NOTIFY_ERROR,
			   post_claim(g, kind, IBV_QPS_SQD, NULL), "%s",
			   qp_kind_name(kind)))
		return;
	n = notify_ready(g, kind);
	post_up(&n.p, n.p.a, n.p.b, IBV_QPS_RTS, IBV_QPS_SQD);
	notify_arm(&n, n.sends, 1);
	notify_send(&n, 1, 0);
	notify_send(&n, 2, IBV_SEND_SIGNALED);
	post_to_err(&n.p, n.p.a, IBV_QPS_SQD);
	notify_poll(&n, n.sends, 2);
	notify_event(&n);
	notify_quiet(&n);
	gen_done(g);
}

static void two_channels(struct gen *g, enum qp_kind kind)
{
	struct notify n;
	uint8_t first;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_CONTEXT,
		       "Two completion queues with a channel each",
		       "two-channels"))
		return;
	n = notify_parents(g, kind, V_create_cq);
	first = n.channel;
	n.channel = gen_make(g, V_create_comp_channel, NO_OBJ);
	n.sends = notify_cq(g, V_create_cq, n.channel);
	notify_pair(&n);
	notify_arm(&n, n.receives, 0);
	notify_arm(&n, n.sends, 0);
	notify_send(&n, 1, IBV_SEND_SIGNALED);
	notify_event(&n);
	notify_quiet(&n);
	n.channel = first;
	notify_event(&n);
	notify_quiet(&n);
	gen_done(g);
}

/* Arming a queue without a channel has no effect. */
static void no_channel(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_NOTIFY_ARM,
		       "Arming a completion queue without a channel",
		       "no-channel"))
		return;
	n = notify_parents(g, kind, V_create_cq);
	n.sends = notify_cq(g, V_create_cq, NO_OBJ);
	notify_pair(&n);
	notify_arm(&n, n.sends, 0);
	notify_arm(&n, n.sends, 1);
	notify_send(&n, 1, IBV_SEND_SIGNALED);
	notify_poll(&n, n.sends, 1);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	gen_done(g);
}

static void extended(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!gen_id(g, "extended") ||
	    !gen_says_rule(g, ROW_NOTIFY_EVENT,
			   post_claim_behind(g, CLAIM_CQ_EX, kind),
			   "Extended completion queues on %s",
			   qp_kind_name(kind)))
		return;
	n = notify_parents(g, kind, V_create_cq_ex);
	notify_pair(&n);
	notify_arm(&n, n.receives, 0);
	notify_send(&n, 1, 0);
	notify_event(&n);
	notify_quiet(&n);
	notify_arm(&n, n.sends, 1);
	notify_send(&n, 2, IBV_SEND_SIGNALED);
	notify_quiet(&n);
	gen_done(g);
}

static void through_srq(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (kind == QK_UC || !gen_id(g, "through-srq") ||
	    !gen_says_rule(g, ROW_NOTIFY_SOLICITED,
			   post_claim_behind(g, CLAIM_SRQ, kind),
			   "Receives through an SRQ on %s", qp_kind_name(kind)))
		return;
	n = notify_parents(g, kind, V_create_cq);
	n.p.srq = gen_srq(g, g->pd);
	g->cq = n.sends;
	n.p.a = g->qp = gen_qp_of(g, kind);
	g->cq = n.receives;
	n.p.b = gen_qp_of(g, kind);
	prog_obj(g->p, F_srq, n.p.srq);
	post_recv(&n.p, n.p.srq, 200, 3);
	post_both(&n.p, 0);
	notify_arm(&n, n.receives, 1);
	notify_send(&n, 1, 0);
	notify_poll(&n, n.receives, 1);
	notify_quiet(&n);
	notify_send(&n, 2, IBV_SEND_SOLICITED);
	notify_event(&n);
	notify_poll(&n, n.receives, 1);
	gen_done(g);
}

/* Receives are flushed from INIT, without a connection. */
static bool flushed_early(struct gen *g, enum qp_kind kind, int only,
			  struct notify *n)
{
	enum row row = only ? ROW_NOTIFY_ERROR : ROW_NOTIFY_EVENT;

	if (!gen_says_rule(g, row,
			   gen_also(g, g->cq_claim, claim_of_kind(kind)),
			   "Receives that are flushed from INIT on %s",
			   qp_kind_name(kind)))
		return false;
	*n = notify_parents(g, kind, V_create_cq);
	g->cq = n->receives;
	n->p.b = g->qp = gen_qp_of(g, kind);
	gen_step(g, n->p.b, IBV_QPS_RESET, IBV_QPS_INIT);
	post_recv(&n->p, n->p.b, 200, 2);
	notify_quiet(n);
	notify_arm(n, n->receives, only);
	post_to_err(&n->p, n->p.b, IBV_QPS_INIT);
	notify_poll(n, n->receives, 3);
	return true;
}

static void from_init(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (gen_id(g, "init/any") && flushed_early(g, kind, 0, &n)) {
		notify_event(&n);
		notify_quiet(&n);
		gen_done(g);
	}
	if (gen_id(g, "init/solicited") && flushed_early(g, kind, 1, &n)) {
		notify_event(&n);
		notify_quiet(&n);
		gen_done(g);
	}
	if (gen_id(g, "init/destroy") && flushed_early(g, kind, 0, &n)) {
		notify_event(&n);
		gen_call(g, V_destroy_qp, n.p.b);
		notify_destroy(g, V_destroy_cq_waits, n.receives);
		gen_done(g);
	}
	if (gen_id(g, "init/destroy-unread") && flushed_early(g, kind, 0, &n)) {
		gen_call(g, V_destroy_qp, n.p.b);
		gen_call(g, V_destroy_cq, n.receives);
		notify_quiet(&n);
		gen_done(g);
	}
}

void gen_events_notify(struct gen *g, enum qp_kind kind)
{
	scripts(g, kind, basics, COUNT(basics));
	gen_events_solicited(g, kind);
	gen_events_error(g, kind);
	scripts(g, kind, armings, COUNT(armings));
	flushed_sends(g, kind);
	scripts(g, kind, &shared_channel, 1);
	two_channels(g, kind);
	no_channel(g, kind);
	extended(g, kind);
	scripts(g, kind, &collected, 1);
	if (kind == QK_XRC_SEND)
		return;
	scripts(g, kind, flushes, COUNT(flushes));
	from_init(g, kind);
	through_srq(g, kind);
	gen_events_destroy(g, kind);
}

void gen_events_completion(struct gen *g, enum qp_kind kind)
{
	if (!post_carries(kind))
		return;
	gen_prefix(g, "notify/%s/", qp_kind_slug(kind));
	gen_events_notify(g, kind);
}
