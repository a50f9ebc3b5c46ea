// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The other end fails while the link stays whole: its queue pair goes to ERR or
 * RESET or is destroyed, or its process is stopped or killed. A requester gives
 * up what nobody answers and flushes what is behind that; then both queue pairs
 * are connected again.
 */
#include "cases/two-devices/two_devices.h"

#define TIMER	1  /* the shortest min_rnr_timer */
#define PATIENT 14 /* a timeout of about 67 ms: an answer may take long */
#define AMID	4  /* large messages at once */

static const struct length small = {"1000", NULL, 1000};
static const struct length large = {"65536", NULL, 65536};

enum end { END_ERR, END_RESET, END_DESTROYED, END_KILLED, ENDS };

static const char *const names[ENDS] = {"err", "reset", "destroyed", "killed"};

static bool says(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 enum end how, enum row row, const char *what)
{
	enum claim more = how == END_KILLED ? CLAIM_PROCESS : CLAIM_NONE;

	if (post_reliable(kind))
		more = gen_also(g, gen_also(g, CLAIM_NONE, CLAIM_RETRIES),
				more);
	return pair_says(g, kind, op, more, row, what);
}

/* --- Calls of both sides -----------------------------------------------------
 */

/* Sends a message each way. The receiver of XRC sends none. */
static void exchange(const struct pair *p, uint64_t wr_id)
{
	for (int from = 0; from < (p->kind == QK_XRC_SEND ? 1 : 2); from++) {
		pair_recv(p, !from, 200 + wr_id, &small);
		pair_send(p, from, IBV_WR_SEND, wr_id, &small);
		pair_poll(p, from, 1);
		pair_poll(p, !from, 1);
	}
}

static void to_state(const struct pair *p, int at, int from, int to)
{
	gen_modify(p->g, p->side[at].qp, A_STATE, from, to, NULL);
}

static void fail(const struct pair *p, enum end how)
{
	const struct side *peer = &p->side[1];

	if (how == END_KILLED)
		gen_call(p->g, V_kill_process, peer->ctx);
	else if (how == END_DESTROYED)
		gen_call(p->g, V_destroy_qp, peer->qp);
	else
		to_state(p, 1, IBV_QPS_RTS,
			 how == END_ERR ? IBV_QPS_ERR : IBV_QPS_RESET);
}

/* Both queue pairs, or new ones in the place of those that are gone, carry
 * messages again. */
static void connect_again(struct pair *p, enum end how,
			  const struct length *length)
{
	to_state(p, 0, IBV_QPS_ERR, IBV_QPS_RESET);
	if (how == END_KILLED)
		pair_renew_side(p, 1, length);
	else if (how == END_DESTROYED)
		pair_renew_qp(p, 1);
	else if (how == END_ERR)
		to_state(p, 1, IBV_QPS_ERR, IBV_QPS_RESET);
	pair_bring(p);
	exchange(p, 50);
	pair_quiet(p);
	gen_query(p->g, p->side[0].qp);
	gen_done(p->g);
}

/* --- A requester whose peer fails
 * ---------------------------------------------
 */

/* A message waits for a receive, with two requests behind it. */
static void waiting(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    enum end how)
{
	struct pair p;

	if (!gen_id(g, "%s/waiting/%s", names[how], op->slug) ||
	    !says(g, kind, op, how, ROW_RETRY_ANSWER,
		  "A peer that fails while a message waits for a receive"))
		return;
	p = pair_stage(g, kind, &small);
	post_retries(&p.with, PATIENT, 3);
	post_rnr(&p.with, POST_FOREVER, TIMER);
	pair_fill(&p);
	pair_bring(&p);
	exchange(&p, 1);
	if (kind == QK_RC)
		pair_recv(&p, 0, 100, &small);
	pair_send(&p, 0, IBV_WR_SEND, 2, &small);
	pair_send(&p, 0, op->value, 3, &small);
	pair_send(&p, 0, IBV_WR_SEND, 4, &small);
	prog_num(g->p, F_send_flags, 0);
	pair_poll(&p, 0, 0);
	fail(&p, how);
	pair_poll_for(&p, 0, kind == QK_RC ? 4 : 3, PAIR_ENDS);
	pair_poll(&p, 0, 0);
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_query(g, p.side[0].qp);
	connect_again(&p, how, &small);
}

/* Large messages are under way. Those without an answer are given up. */
static void amid(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 enum end how)
{
	struct pair p;

	if (!gen_id(g, "%s/amid/%s", names[how], op->slug) ||
	    !says(g, kind, op, how, ROW_RETRY_ANSWER,
		  "A peer that fails while messages are under way"))
		return;
	p = pair_stage(g, kind, &large);
	post_retries(&p.with, PATIENT, 3);
	pair_fill(&p);
	pair_bring(&p);
	for (uint64_t i = 0; op->receive && i < AMID; i++)
		pair_recv(&p, 1, 200 + i, &large);
	for (uint64_t i = 0; i < AMID; i++)
		pair_send(&p, 0, op->value, 1 + i, &large);
	fail(&p, how);
	pair_poll_for(&p, 0, AMID, PAIR_ENDS);
	pair_poll(&p, 0, 0);
	gen_query(g, p.side[0].qp);
	connect_again(&p, how, &large);
}

/* A peer that is gone before the request, also on iWARP, where the connection
 * ends with it. */
static void killed_before(struct gen *g, enum qp_kind kind)
{
	bool iwarp = device_iwarp(g->d);
	struct pair p;

	if (!gen_id(g, "killed/before/send") ||
	    !pair_says(g, kind, NULL, CLAIM_PROCESS,
		       iwarp ? ROW_IWARP_OVER : ROW_RETRY_ANSWER,
		       "A request to a peer whose process was killed"))
		return;
	p = pair_stage(g, kind, &small);
	post_retries(&p.with, PATIENT, 2);
	pair_bring(&p);
	exchange(&p, 1);
	fail(&p, END_KILLED);
	pair_send(&p, 0, IBV_WR_SEND, 2, &small);
	pair_send(&p, 0, IBV_WR_SEND, 3, &small);
	pair_poll_for(&p, 0, 2, PAIR_ENDS);
	pair_poll(&p, 0, 0);
	gen_query(g, p.side[0].qp);
	gen_done(g);
}

/* --- A responder whose peer fails
 * ----------------------------------------------
 */

/* The responder stays in RTS, and its receives stay in the queue. */
static void responder(struct gen *g, const struct opcode *op, enum end how)
{
	struct pair p;

	if (!gen_id(g, "%s/responder/%s", names[how], op->slug) ||
	    !says(g, QK_RC, op, how, ROW_POLL_EACH,
		  "A requester that fails while its messages are under way"))
		return;
	p = pair_stage(g, QK_RC, &large);
	pair_fill(&p);
	pair_bring(&p);
	for (uint64_t i = 0; op->receive && i < AMID; i++)
		pair_recv(&p, 0, 100 + i, &large);
	for (uint64_t i = 0; i < AMID; i++)
		pair_send(&p, 1, op->value, 1 + i, &large);
	fail(&p, how);
	gen_query(g, p.side[0].qp);
	if (op->receive)
		pair_poll_for(&p, 0, AMID, POST_MAYBE);
	to_state(&p, 0, IBV_QPS_RTS, IBV_QPS_ERR);
	if (op->receive)
		pair_poll_for(&p, 0, AMID, POST_MAYBE);
	pair_poll(&p, 0, 0);
	gen_query(g, p.side[0].qp);
	connect_again(&p, how, &large);
}

/* --- Unreliable types
 * ------------------------------------------------------------
 */

/* The sender does not learn that its peer is gone. */
static void unreliable(struct gen *g, enum qp_kind kind, enum end how)
{
	struct pair p;

	if (!gen_id(g, "%s/before/send", names[how]) ||
	    !says(g, kind, NULL, how, ROW_POLL_EACH,
		  "Messages to a peer that is gone"))
		return;
	p = pair_stage(g, kind, &small);
	pair_bring(&p);
	exchange(&p, 1);
	fail(&p, how);
	for (uint64_t i = 2; i < 5; i++) {
		pair_send(&p, 0, IBV_WR_SEND, i, &small);
		pair_poll(&p, 0, 1);
	}
	gen_async_event(g, NO_OBJ, POST_QUIET);
	gen_query(g, p.side[0].qp);
	connect_again(&p, how, &small);
}

/* --- A process that is stopped
 * -----------------------------------------------------
 */

static void stop(const struct pair *p)
{
	gen_call(p->g, V_stop_process, p->side[1].ctx);
}

/* The peer's device answers while no process of it runs. A message without a
 * receive waits until the process goes on, and posts one. */
static void stopped(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	bool reliable = post_reliable(kind) && !device_iwarp(g->d);
	struct pair p;

	if (!gen_id(g, "stopped/%s", op->slug) ||
	    !pair_says(g, kind, op, CLAIM_PROCESS, ROW_PAIR_DEVICE,
		       "Messages to a peer whose process is stopped"))
		return;
	p = pair_stage(g, kind, &small);
	post_rnr(&p.with, POST_FOREVER, TIMER);
	pair_fill(&p);
	pair_bring(&p);
	if (op->receive)
		pair_recv(&p, 1, 202, &small);
	stop(&p);
	pair_send(&p, 0, op->value, 2, &small);
	pair_poll(&p, 0, 1);
	if (reliable) {
		pair_send(&p, 0, IBV_WR_SEND, 3, &small);
		pair_poll(&p, 0, 0);
		pair_recv(&p, 1, 203, &small);
		pair_poll(&p, 0, 1);
	}
	if (op->receive || reliable)
		pair_poll(&p, 1, (op->receive ? 1u : 0u) + reliable);
	pair_look(&p);
	exchange(&p, 4);
	pair_quiet(&p);
	gen_query(g, p.side[0].qp);
	gen_query(g, p.side[1].qp);
	gen_done(g);
}

/* The process is stopped for longer than the sender tries to find a receive. */
static void stopped_without_receive(struct gen *g, enum qp_kind kind)
{
	struct pair p;

	if (!gen_id(g, "stopped/no-receive") ||
	    !says(g, kind, NULL, END_KILLED, ROW_RETRY_RNR,
		  "A message to a peer whose process is stopped"))
		return;
	p = pair_stage(g, kind, &small);
	post_rnr(&p.with, 1, TIMER);
	pair_bring(&p);
	exchange(&p, 1);
	stop(&p);
	pair_send(&p, 0, IBV_WR_SEND, 2, &small);
	pair_send(&p, 0, IBV_WR_SEND, 3, &small);
	pair_poll_for(&p, 0, 2, PAIR_ENDS);
	gen_query(g, p.side[0].qp);
	pair_quiet(&p);
	gen_query(g, p.side[1].qp);
	to_state(&p, 1, IBV_QPS_RTS, IBV_QPS_ERR);
	connect_again(&p, END_ERR, &small);
}

/* --- All of a type
 * ---------------------------------------------------------------- */

static void of_reliable_operation(struct gen *g, enum qp_kind kind,
				  const struct opcode *op)
{
	bool first = op->value == IBV_WR_SEND;
	bool some = first || op->value == IBV_WR_RDMA_WRITE ||
		    op->value == IBV_WR_RDMA_READ;

	for (int how = 0; how < ENDS; how++) {
		if (gen_full(g) || first)
			waiting(g, kind, op, (enum end)how);
		if (gen_full(g) || some)
			amid(g, kind, op, (enum end)how);
		if (kind == QK_RC && (gen_full(g) || first))
			responder(g, op, (enum end)how);
	}
}

static void of_operations(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]))
			continue;
		if (post_reliable(kind))
			of_reliable_operation(g, kind, &op[i]);
		if (gen_full(g) || op[i].value == IBV_WR_SEND)
			stopped(g, kind, &op[i]);
	}
}

void gen_two_devices_peer_fails(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RAW_PACKET || kind == QK_XRC_RECV)
		return;
	gen_prefix(g, "gone/%s/", qp_kind_slug(kind));
	of_operations(g, kind);
	if (!post_reliable(kind)) {
		for (int how = 0; how < ENDS; how++)
			unreliable(g, kind, (enum end)how);
		return;
	}
	killed_before(g, kind);
	stopped_without_receive(g, kind);
}
