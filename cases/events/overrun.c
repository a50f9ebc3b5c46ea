/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues that are too small for the completions that arrive,
 * successful or flushed.
 */
#include "cases/events/completion.h"

/* Posts more signaled requests than the completion queue has entries. */
static void run_over(const struct post *p, uint8_t cq)
{
	struct program *prog = p->g->p;

	post_send(p, post_without_receive(p->kind), 1, IBV_SEND_SIGNALED);
	prog_out(prog, F_send_more, cq, F_cqe, 1);
}

static uint8_t small_cq(struct gen *g, bool ignore)
{
	uint8_t cq = gen_cq_by(g, ignore ? V_create_cq_ex : V_create_cq);

	prog_num(g->p, F_cqe, 1);
	if (!ignore)
		return cq;
	prog_num(g->p, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS);
	prog_num(g->p, F_cq_flags, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN);
	return cq;
}

/* Two other queue pairs still work. */
static void others_work(struct post *p)
{
	struct gen *g = p->g;

	g->cq = gen_cq(g);
	if (p->xsrq != NO_OBJ)
		p->xsrq = gen_xrc_srq(g, g->pd, g->xrcd, g->cq);
	p->a = g->qp = gen_qp_of(g, p->kind);
	p->b = gen_qp_of(g, kind_receiver(p->kind));
	post_both(p, 1);
	post_send(p, IBV_WR_SEND, 9, IBV_SEND_SIGNALED);
	post_poll(p, 2);
	post_poll(p, 0);
}

/* Polls a queue as often as there are completions. */
static void make_room(const struct post *p, uint8_t cq)
{
	uint8_t usual = p->g->cq;

	p->g->cq = cq;
	post_poll_for(p, 8, POST_MAYBE);
	p->g->cq = usual;
}

/* Reads events, and polls the queue if that is asked for: without CQ_ERR it had
 * room for all completions. Destroys the queue pairs, then the queue; then
 * tests other queue pairs. */
static void end_polled(struct post *p, uint8_t small, bool polled)
{
	struct gen *g = p->g;

	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	if (polled)
		make_room(p, small);
	gen_call(g, V_destroy_qp, p->a);
	gen_call(g, V_destroy_qp, p->b);
	if (p->xsrq != NO_OBJ)
		gen_call(g, V_destroy_srq, p->xsrq);
	gen_call(g, V_destroy_cq, small);
	others_work(p);
	gen_done(g);
}

static void end(struct post *p, uint8_t small)
{
	end_polled(p, small, false);
}

/* Creates b with room for one receive more than its completion queue has
 * entries; on XRC the room is in an SRQ. */
static void make_receiver(struct post *p, uint8_t small)
{
	struct gen *g = p->g;

	if (p->xsrq != NO_OBJ) {
		p->xsrq = gen_xrc_srq(g, g->pd, g->xrcd, small);
		prog_out(g->p, F_srq_max_wr, small, F_cqe, 2);
	}
	p->b = gen_qp_of(g, kind_receiver(p->kind));
	if (p->xsrq != NO_OBJ)
		return;
	prog_obj(g->p, F_recv_cq, small);
	prog_out(g->p, F_max_recv_wr, small, F_cqe, 2);
}

static void fill_receiver(const struct post *p, uint8_t small)
{
	post_recv(p, p->b, 200, 0);
	prog_out(p->g->p, F_recv_more, small, F_cqe, 1);
}

/* Creates both queue pairs, and receives one message more than the completion
 * queue of the receives has entries. */
static void receive_too_many(struct post *p, uint8_t small)
{
	struct gen *g = p->g;

	p->a = g->qp = gen_qp_of(g, p->kind);
	prog_out(g->p, F_max_send_wr, small, F_cqe, 2);
	make_receiver(p, small);
	post_bring(p, p->b, p->a, IBV_QPS_RTS);
	fill_receiver(p, small);
	post_bring(p, p->a, p->b, IBV_QPS_RTS);
	post_send(p, IBV_WR_SEND, 1, 0);
	prog_out(g->p, F_send_more, small, F_cqe, 1);
}

/* Receives that complete, one more than the queue has entries. */
static void overrun_receives(struct gen *g, enum qp_kind kind, bool polled)
{
	uint8_t small;
	struct post p;

	if (!post_case(g, kind, IBV_QPS_RTS, ROW_CQ_OVERRUN,
		       "More receives than the completion queue holds",
		       "receive%s", polled ? "-polled" : ""))
		return;
	p = post_parents(g, kind);
	small = small_cq(g, false);
	receive_too_many(&p, small);
	end_polled(&p, small, polled);
}

/* The queue has a channel and is armed: CQ_ERR comes besides its event. */
static void overrun_armed(struct gen *g, enum qp_kind kind)
{
	struct notify n;

	if (!post_reliable(kind) ||
	    !post_case(g, kind, IBV_QPS_RTS, ROW_CQ_OVERRUN,
		       "More receives than an armed completion queue holds",
		       "receive-armed"))
		return;
	n.p = post_parents(g, kind);
	n.channel = gen_make(g, V_create_comp_channel, NO_OBJ);
	n.receives = small_cq(g, false);
	prog_obj(g->p, F_cq_channel, n.channel);
	notify_arm(&n, n.receives, 0);
	receive_too_many(&n.p, n.receives);
	notify_event(&n);
	notify_ack(&n, n.receives, 1);
	notify_quiet(&n);
	end_polled(&n.p, n.receives, true);
}

/* The same receives, flushed. */
static void flushed_receives(struct gen *g, enum qp_kind kind, bool polled)
{
	uint8_t small;
	struct post p;

	if (!kind_has_recv(kind) ||
	    !post_case(g, kind, IBV_QPS_INIT, ROW_CQ_OVERRUN,
		       "More flushed requests than the completion queue holds",
		       "flush-receives%s", polled ? "-polled" : ""))
		return;
	p = post_parents(g, kind);
	small = small_cq(g, false);
	p.a = g->qp = gen_qp_of(g, kind);
	make_receiver(&p, small);
	post_bring(&p, p.b, p.a, IBV_QPS_INIT);
	fill_receiver(&p, small);
	post_to_err(&p, p.b, IBV_QPS_INIT);
	end_polled(&p, small, polled);
}

/* Flushed sends that SQD held, one more than the queue has entries. */
static void flushed_sends(struct gen *g, enum qp_kind kind, bool polled)
{
	uint8_t small;
	struct post p;

	if (!post_case(g, kind, IBV_QPS_SQD, ROW_CQ_OVERRUN,
		       "More flushed requests than the completion queue holds",
		       "flush-sends%s", polled ? "-polled" : ""))
		return;
	p = post_parents(g, kind);
	small = small_cq(g, false);
	p.b = gen_qp_of(g, kind_receiver(kind));
	p.a = g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_send_cq, small);
	prog_out(g->p, F_max_send_wr, small, F_cqe, 2);
	post_bring(&p, p.b, p.a, IBV_QPS_RTS);
	post_bring(&p, p.a, p.b, IBV_QPS_SQD);
	run_over(&p, small);
	post_to_err(&p, p.a, IBV_QPS_SQD);
	end_polled(&p, small, polled);
}

static void overrun(struct gen *g, enum qp_kind kind, const char *name,
		    bool ignore, bool hold)
{
	enum claim first = ignore ? CLAIM_CQ_EX : CLAIM_NONE;
	enum row row = ignore ? ROW_CQ_IGNORE : ROW_CQ_OVERRUN;
	uint8_t plain, small;
	struct post p;

	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, row, post_claim_behind(g, first, kind), "%s",
			   qp_kind_name(kind)))
		return;
	p = post_parents(g, kind);
	plain = g->cq;
	small = small_cq(g, ignore);
	p.b = gen_qp_of(g, kind_receiver(kind));
	p.a = g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_send_cq, small);
	prog_out(g->p, F_max_send_wr, small, F_cqe, 2);
	post_both(&p, 0);
	run_over(&p, small);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	if (hold)
		prog_num(g->p, F_event_hold, 1);
	g->cq = small;
	post_poll_for(&p, 8, POST_MAYBE);
	gen_async_event(g, NO_OBJ, POST_MAYBE);
	gen_call(g, V_destroy_qp, p.a);
	gen_call(g, V_destroy_qp, p.b);
	if (hold)
		notify_destroy(g, V_destroy_cq_waits, small);
	else
		gen_call(g, V_destroy_cq, small);
	if (p.xsrq != NO_OBJ)
		gen_call(g, V_destroy_srq, p.xsrq);
	gen_call(g, V_destroy_cq, plain);
	others_work(&p);
	gen_done(g);
}

/* Overruns the queue by sends, reads CQ_ERR, and makes room. Returns false if
 * the case is not wanted. */
static bool overrun_and_told(struct gen *g, enum qp_kind kind, enum row row,
			     const char *name, struct post *p, uint8_t *small)
{
	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, row, post_claim(g, kind, IBV_QPS_RTS, NULL),
			   "%s after CQ_ERR of its completion queue",
			   qp_kind_name(kind)))
		return false;
	*p = post_parents(g, kind);
	*small = small_cq(g, false);
	p->b = gen_qp_of(g, kind_receiver(kind));
	p->a = g->qp = gen_qp_of(g, kind);
	prog_obj(g->p, F_send_cq, *small);
	prog_out(g->p, F_max_send_wr, *small, F_cqe, 4);
	post_both(p, 0);
	run_over(p, *small);
	post_send(p, post_without_receive(kind), 50, IBV_SEND_SIGNALED);
	gen_async_event(g, NO_OBJ, POST_WAIT);
	return true;
}

/* The queue takes no completion of a request that is posted afterwards, and the
 * queue pair of such a request is in ERR. */
static void shut(struct gen *g, enum qp_kind kind)
{
	struct post p;
	uint8_t small;

	if (device_iwarp(g->d))
		return;
	if (overrun_and_told(g, kind, ROW_OVERRUN_SHUT, "shut", &p, &small)) {
		make_room(&p, small);
		post_send(&p, post_without_receive(kind), 900,
			  IBV_SEND_SIGNALED);
		make_room(&p, small);
		end(&p, small);
	}
	if (overrun_and_told(g, kind, ROW_OVERRUN_STOPS, "goes-on", &p,
			     &small)) {
		gen_query(g, p.a);
		end(&p, small);
	}
	if (overrun_and_told(g, kind, ROW_OVERRUN_QP, "stops", &p, &small)) {
		post_send(&p, post_without_receive(kind), 900,
			  IBV_SEND_SIGNALED);
		post_poll_for(&p, 1, POST_WAIT);
		gen_query(g, p.a);
		end(&p, small);
	}
}

void gen_events_overrun(struct gen *g, enum qp_kind kind)
{
	overrun(g, kind, "send", false, false);
	overrun(g, kind, "destroy", false, true);
	overrun(g, kind, "ignored", true, false);
	for (int polled = 0; polled < 2; polled++) {
		overrun_receives(g, kind, polled);
		flushed_receives(g, kind, polled);
		flushed_sends(g, kind, polled);
	}
	overrun_armed(g, kind);
	shut(g, kind);
}
