/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Threads that use one object at once. The outcome must be as if they had made
 * their calls one after the other, and so does the model.
 */
#include <errno.h>
#include "contract/opcodes.h"
#include "model/unseen/optional_completion.h"
#include "model/unseen/threads.h"

/* Fills in the send that the threads post. */
static void fill_post(const struct race_args *in, uint16_t on, struct bound *b)
{
	*b = (struct bound){.verb = V_post_send, .result = NO_OBJ, .on = on};
	b->in.wr = (struct wr_args){
		.opcode = in->opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.num_sge = 1,
		.length = in->length,
		.mr = in->mr,
		.remote = in->remote,
		.ah = in->ah,
		.remote_qpn = in->remote_qpn,
		.remote_qkey = in->remote_qkey,
		.remote_srqn = in->remote_srqn,
	};
}

/* Fills in the receive that the threads post. */
static void fill_receive(const struct race_args *in, struct bound *b)
{
	bool shared = in->recv_srq != NO_OBJ;

	*b = (struct bound){.verb = shared ? V_post_srq_recv : V_post_recv,
			    .result = NO_OBJ,
			    .on = shared ? in->recv_srq : in->recv_qp};
	b->in.wr = (struct wr_args){
		.num_sge = 1,
		.length = in->length,
		.mr = in->into,
	};
}

/* Makes a call as a device does. Returns the errno of a refusal, or 0. */
static int make_call(struct step *s, const struct bound *b, struct answer *a)
{
	struct step of = {
		.m = s->m, .b = b, .d = s->d, .device = s->device, .a = a};

	memset(a, 0, sizeof(*a));
	if (b->verb == V_post_send)
		do_post_send(&of);
	else if (b->verb == V_post_recv)
		do_post_recv(&of);
	else if (b->verb == V_post_srq_recv)
		do_post_srq_recv(&of);
	else
		do_poll_cq(&of);
	return a->outcome.ret;
}

/* Counts a completion. One of a request that the threads did not post counts as
 * failed. */
static void count_one(const struct race_args *in, const struct polled_wc *wc,
		      struct raced_args *out)
{
	bool receive = wc->wr_id & RACE_RECEIVE;
	bool theirs = (wc->wr_id & ~RACE_RECEIVE) < threads_posts(in) &&
		      (!receive || in->receivers);

	if (!theirs || wc->status != IBV_WC_SUCCESS)
		out->failed++;
	if (theirs && receive)
		out->received++;
	else if (theirs)
		out->completed++;
}

/* Polls one completion and counts it. Returns false if there was none. */
static bool take_one(struct step *s, const struct race_args *in, uint16_t cq,
		     struct raced_args *out)
{
	struct bound b = {.verb = V_poll_cq, .result = NO_OBJ, .on = cq};
	const struct polled_args *polled;
	struct answer a;

	b.in.poll.max = 1;
	b.in.poll.entries = 1;
	if (make_call(s, &b, &a))
		return false;
	polled = &a.outcome.out.polled;
	if (!polled->count)
		return false;
	count_one(in, &polled->wc[0], out);
	return true;
}

/* Threads name bytes by the addresses of memory. */
static bool has_iova(const struct model *m, uint16_t mr)
{
	return mr != NO_OBJ && m->object[mr].mr.at_iova;
}

static bool has_channel(const struct step *s)
{
	uint16_t cq = qp_of(s->m, s->b->on)->init.send_cq;

	return cq != NO_OBJ && s->m->object[cq].cq.channel != NO_OBJ;
}

/* Returns true if the arguments make sense. */
static bool is_possible(const struct step *s, const struct race_args *in)
{
	bool takes = in->recv_qp != NO_OBJ || in->recv_srq != NO_OBJ;

	return qp_of(s->m, s->b->on)->init.send_cq != NO_OBJ &&
	       opcode_races(in->opcode) && in->posters &&
	       in->posters <= RACE_THREADS && in->pollers <= RACE_THREADS &&
	       in->receivers <= RACE_THREADS && (takes || !in->receivers) &&
	       (!in->events || has_channel(s)) &&
	       (uint64_t)in->count * in->posters <= RACE_MOST &&
	       !has_iova(s->m, in->mr) && !has_iova(s->m, in->remote) &&
	       !has_iova(s->m, in->into);
}

/* Returns true if the queue pair and its completion queue support the calls
 * that the threads are to make. */
static bool supports_calls(const struct step *s, const struct race_args *in)
{
	const struct qp_init_args *init = &qp_of(s->m, s->b->on)->init;
	bool builds =
		in->opcode == IBV_WR_SEND || in->opcode == IBV_WR_RDMA_WRITE;
	bool asked = init->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
		     init->send_ops_flags & opcode_asked_for(in->opcode);

	return (!in->batches || (builds && asked)) &&
	       (!in->extended || s->m->object[init->send_cq].cq.extended);
}

/* Forgets the bytes of receives: nobody knows which receive takes which
 * message. */
static void blur_received(struct model *m, uint16_t mr, uint64_t bytes)
{
	uint64_t most = mr == NO_OBJ ? 0 : m->object[mr].mr.length;

	if (most)
		bytes_set_unknown(m, (struct place){0, mr},
				  bytes < most ? bytes : most);
}

/* Makes the calls in turn: posts a receive and a send, and polls what there
 * is. */
static void take_turns(struct step *s, const struct race_args *in,
		       struct raced_args *out)
{
	uint16_t cq = qp_of(s->m, s->b->on)->init.send_cq;
	uint32_t all = threads_posts(in);
	struct bound post, receive;
	struct answer a;

	fill_post(in, s->b->on, &post);
	fill_receive(in, &receive);
	for (uint32_t i = 0; i < all; i++) {
		uint64_t at = in->apart ? (uint64_t)i * in->length : 0;

		post.in.wr.wr_id = i;
		receive.in.wr.wr_id = RACE_RECEIVE | i;
		post.in.wr.offset = post.in.wr.remote_offset = at;
		receive.in.wr.offset = at;
		if (in->receivers && make_call(s, &receive, &a))
			break;
		if (make_call(s, &post, &a))
			break;
		out->posted++;
		while (take_one(s, in, cq, out))
			continue;
	}
	if (in->receivers)
		blur_received(s->m, in->into, (uint64_t)all * in->length);
}

/* Returns n, or one less where a seeded fault loses a completion. */
static uint32_t lose_one(const struct step *s, enum row row, uint32_t n)
{
	record_row(s, row);
	return n - (n && mutant_skips(s->mutant, row));
}

/* Returns true if each request was posted and has completed with success. */
static bool all_succeeded(const struct race_args *in,
			  const struct raced_args *out)
{
	uint32_t all = threads_posts(in);

	return out->posted == all && out->completed == all && !out->failed &&
	       out->received == (in->receivers ? all : 0);
}

/* Vouches for a value that was seen, up to `most`, and returns it. */
static uint64_t define_up_to(struct step *s, enum field f, uint64_t most,
			     enum row row)
{
	uint64_t seen = answer_seen(s, f, most);

	seen = seen < most ? seen : most;
	answer_define(s, f, seen, row);
	return seen;
}

/* Vouches for upper bounds if the outcome depends on who is faster. The threads
 * post no more than they were told to. If nothing else completes (`alone`),
 * each request completes once at most. Afterwards the model has lost track. */
static void define_open(struct step *s, const struct race_args *in,
			enum row row, bool alone)
{
	uint64_t all = (uint64_t)in->count * in->posters, posted;

	posted = define_up_to(s, F_raced_posted, all, ROW_THREADS_POST);
	s->m->lost_track = true;
	if (!alone)
		return;
	define_up_to(s, F_raced_completed, posted, row);
	answer_define(s, F_raced_disordered, 0, row);
	define_up_to(s, F_raced_received, in->receivers ? all : 0,
		     ROW_THREADS_RECV);
}

static void define_all(struct step *s, const struct race_args *in, enum row row,
		       struct raced_args *out)
{
	out->completed = lose_one(s, row, out->completed);
	if (in->receivers)
		out->received = lose_one(s, ROW_THREADS_RECV, out->received);
	answer_define(s, F_raced_posted, out->posted, ROW_THREADS_POST);
	answer_define(s, F_raced_completed, out->completed, row);
	answer_define(s, F_raced_failed, out->failed, row);
	answer_define(s, F_raced_disordered, 0, row);
	answer_define(s, F_raced_received, out->received, ROW_THREADS_RECV);
	answer_define(s, F_raced_wrong, 0, ROW_THREADS_RECV);
}

/* A thread that waits for events leaves the queue armed for completions that
 * have come already, or its last event unread: nobody knows which. */
static void leave_armed(struct step *s)
{
	uint16_t cq = qp_of(s->m, s->b->on)->init.send_cq;

	s->m->object[cq].cq.events = 0;
	s->m->object[cq].cq.armed = DISARMED;
	s->m->unseen_events |= is_oracle(s);
}

void do_post_and_poll(struct step *s)
{
	const struct race_args *in = &s->b->in.race;
	enum row row = in->events	 ? ROW_THREADS_EVENTS
		       : in->pollers > 1 ? ROW_THREADS_POLL
					 : ROW_THREADS_POST;
	struct raced_args out = {0};
	bool alone, known;

	if (!is_possible(s, in)) {
		answer_refuse(s, ROW_THREADS_POST, EINVAL);
		return;
	}
	if (!supports_calls(s, in)) {
		answer_refuse(s, row, EOPNOTSUPP);
		return;
	}
	alone = threads_complete_alone(s, in);
	known = alone && threads_result_is_known(s, in);
	take_turns(s, in, &out);
	answer_accept(s, row);
	if (!is_oracle(s) || (known && all_succeeded(in, &out)))
		define_all(s, in, row, &out);
	else
		define_open(s, in, row, alone);
	if (in->events)
		leave_armed(s);
}

void do_destroy_qp_polled(struct step *s)
{
	uint16_t cq = qp_of(s->m, s->b->on)->init.send_cq;
	bool others, all;

	if (cq == NO_OBJ) {
		answer_refuse(s, ROW_THREADS_DESTROY, EINVAL);
		return;
	}
	others = threads_poll_takes_others(s->m, obj(s->m, s->b->on)->real, cq);
	all = threads_poll_takes_others(s->m, NO_OBJ, cq);
	record_row(s, ROW_THREADS_DESTROY);
	do_destroy_qp(s);
	s->m->lost_track |= s->a->outcome.ret ? all : others;
	if (s->a->outcome.ret)
		return;
	s->a->row = ROW_THREADS_DESTROY;
	answer_define(s, F_raced_failed,
		      mutant_skips(s->mutant, ROW_THREADS_DESTROY),
		      ROW_THREADS_DESTROY);
}

/* Counts the events that the thread would read: those of the completion queue,
 * and whether there are any of others. */
static void count_cq_events(const struct step *s, uint32_t *own, bool *others)
{
	const struct object *o = obj(s->m, s->b->on);

	*own = o->cq.events;
	for (uint16_t i = first_of(s->m, OBJ_CQ); i != NO_OBJ;
	     i = next_of(s->m, OBJ_CQ, i)) {
		const struct object *is = &s->m->object[i];

		if (is != o && is->alive && is->cq.channel == o->cq.channel &&
		    is->cq.events)
			*others = true;
	}
}

/* The same for the asynchronous events of a queue pair and of others. */
static void count_async_events(const struct step *s, uint32_t *own,
			       bool *others)
{
	uint16_t slot = obj(s->m, s->b->on)->real;

	for (int i = 0; i < s->m->nevents; i++)
		if (s->m->event[i].slot == slot)
			*own += 2u *
				s->m->event[i].times; /* each may come twice */
		else if (s->m->object[s->m->event[i].slot].device == s->device)
			*others = true;
}

/* Destroys an object while a thread reads its events. The thread may get any
 * number of them before they are dropped. If it may take events of others, or
 * the object stays, the model loses track. */
static void destroy_heard(struct step *s, void (*destroy)(struct step *s),
			  uint32_t own, bool others)
{
	uint64_t heard = answer_seen(s, F_raced_completed, own);

	record_row(s, ROW_THREADS_HEARD);
	destroy(s);
	s->m->lost_track |= others || (s->a->outcome.ret && own);
	if (s->a->outcome.ret)
		return;
	s->a->row = ROW_THREADS_HEARD;
	answer_define(s, F_raced_completed, heard < own ? heard : own,
		      ROW_THREADS_HEARD);
	answer_define(s, F_raced_failed,
		      mutant_skips(s->mutant, ROW_THREADS_HEARD),
		      ROW_THREADS_HEARD);
}

void do_destroy_cq_heard(struct step *s)
{
	uint32_t own = 0;
	bool others = false;

	if (obj(s->m, s->b->on)->cq.channel == NO_OBJ) {
		answer_refuse(s, ROW_THREADS_HEARD, EINVAL);
		return;
	}
	count_cq_events(s, &own, &others);
	destroy_heard(s, do_destroy_cq, own, others);
}

void do_destroy_qp_heard(struct step *s)
{
	uint32_t own = 0;
	bool others = false;

	count_async_events(s, &own, &others);
	destroy_heard(s, do_destroy_qp, own, others);
}
