// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Notifications and asynchronous events on soft RoCE: what arming a completion
 * queue brings, what acknowledging is good for, overrun, and shared receive
 * queues that run low.
 */
#include "claims.h"
#include <string.h>

struct watched {
	struct ibv_comp_channel *channel;
	struct pair p;
};

/* A pair whose chosen queue has a completion channel. */
static struct watched watched_pair(const struct lab *lab, bool send_side)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct watched w;
	struct ibv_cq *cq;

	w.channel = must_have(lab, ibv_create_comp_channel(lab->ctx),
			      "ibv_create_comp_channel");
	cq = must_have(lab, ibv_create_cq(lab->ctx, 64, NULL, w.channel, 0),
		       "ibv_create_cq");
	if (send_side)
		shape.send_cq = cq;
	else
		shape.recv_cq = cq;
	w.p = make_pair(lab, &shape);
	return w;
}

static void send_one(const struct lab *lab, struct pair *p, unsigned int flags)
{
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);

	wr.send_flags |= flags;
	must(lab, post_recv(lab, p->b, 64), "ibv_post_recv");
	must(lab, post(p->a, &wr), "ibv_post_send");
}

static void one_shot(struct lab *lab)
{
	struct watched w = watched_pair(lab, false);
	bool first, second;

	must(lab, ibv_req_notify_cq(w.p.recv_cq, 0), "ibv_req_notify_cq");
	send_one(lab, &w.p, 0);
	first = notified(w.channel, 1000);
	send_one(lab, &w.p, 0);
	second = notified(w.channel, 300);
	saw(lab, first && !second, "first completion: %s, second: %s",
	    first ? "event" : "none", second ? "event" : "none");
}

static void existing(struct lab *lab)
{
	struct watched w = watched_pair(lab, false);
	bool told;

	send_one(lab, &w.p, 0);
	next_wc(w.p.send_cq, 1000);
	must(lab, ibv_req_notify_cq(w.p.recv_cq, 0), "ibv_req_notify_cq");
	told = notified(w.channel, 300);
	saw(lab, !told, "%s for a completion that was there",
	    told ? "an event" : "no event");
}

static void solicited(struct lab *lab)
{
	struct watched w = watched_pair(lab, false);
	bool plain, asked;

	must(lab, ibv_req_notify_cq(w.p.recv_cq, 1), "ibv_req_notify_cq");
	send_one(lab, &w.p, 0);
	plain = notified(w.channel, 300);
	send_one(lab, &w.p, IBV_SEND_SOLICITED);
	asked = notified(w.channel, 1000);
	saw(lab, !plain && asked, "without SOLICITED: %s, with it: %s",
	    plain ? "event" : "none", asked ? "event" : "none");
}

static void solicited_send_error(struct lab *lab)
{
	struct watched w = watched_pair(lab, true);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_SEND, &sge);
	struct ibv_wc wc;
	bool told;

	must(lab, ibv_req_notify_cq(w.p.send_cq, 1), "ibv_req_notify_cq");
	sge.lkey ^= 0xff;
	must(lab, post(w.p.a, &wr), "ibv_post_send");
	told = notified(w.channel, 500);
	wc = next_wc(w.p.send_cq, 500);
	saw(lab, !told && wc.status != IBV_WC_SUCCESS, "%s; %s",
	    status_name(wc.status), told ? "an event" : "no event");
}

static void solicited_flush(struct lab *lab)
{
	struct watched w = watched_pair(lab, false);
	struct ibv_wc wc;
	bool told;

	must(lab, post_recv(lab, w.p.b, 64), "ibv_post_recv");
	must(lab, ibv_req_notify_cq(w.p.recv_cq, 1), "ibv_req_notify_cq");
	must(lab, to_state(w.p.b, IBV_QPS_ERR), "RTS to ERR");
	told = notified(w.channel, 500);
	wc = next_wc(w.p.recv_cq, 500);
	saw(lab, !told && wc.status == IBV_WC_WR_FLUSH_ERR, "%s; %s",
	    status_name(wc.status), told ? "an event" : "no event");
}

static void armed_twice(struct lab *lab)
{
	struct watched w = watched_pair(lab, false);
	bool told;

	must(lab, ibv_req_notify_cq(w.p.recv_cq, 0), "ibv_req_notify_cq");
	must(lab, ibv_req_notify_cq(w.p.recv_cq, 1), "ibv_req_notify_cq");
	send_one(lab, &w.p, 0);
	told = notified(w.channel, 500);
	saw(lab, told,
	    "armed for any, then for solicited ones; one without SOLICITED: %s",
	    told ? "event" : "none");
}

static struct ibv_cq *cq_with_event(const struct lab *lab,
				    struct ibv_comp_channel **channel,
				    struct pair *p)
{
	struct watched w = watched_pair(lab, false);

	*channel = w.channel;
	*p = w.p;
	must(lab, ibv_req_notify_cq(w.p.recv_cq, 0), "ibv_req_notify_cq");
	send_one(lab, &w.p, 0);
	if (!readable(w.channel->fd, 1000))
		cannot(lab, "no completion event");
	ibv_destroy_qp(w.p.a);
	ibv_destroy_qp(w.p.b);
	return w.p.recv_cq;
}

static void unread_event(struct lab *lab)
{
	struct ibv_comp_channel *channel;
	struct pair p;

	ibv_destroy_cq(cq_with_event(lab, &channel, &p));
}

static void unacked_event(struct lab *lab)
{
	struct ibv_comp_channel *channel;
	void *context;
	struct pair p;
	struct ibv_cq *cq = cq_with_event(lab, &channel, &p);

	ibv_get_cq_event(channel, &cq, &context);
	ibv_destroy_cq(cq);
}

static void overacked_event(struct lab *lab)
{
	struct ibv_comp_channel *channel;
	void *context;
	struct pair p;
	struct ibv_cq *cq = cq_with_event(lab, &channel, &p);

	ibv_get_cq_event(channel, &cq, &context);
	ibv_ack_cq_events(cq, 2);
	ibv_destroy_cq(cq);
}

static void destroy_unread(struct lab *lab)
{
	bool hung = hangs(lab, unread_event, 5);

	saw(lab, !hung, "ibv_destroy_cq %s", hung ? "hangs" : "ends");
}

static void destroy_unacked(struct lab *lab)
{
	bool hung = hangs(lab, unacked_event, 5);

	saw(lab, hung, "ibv_destroy_cq %s", hung ? "hangs" : "ends");
}

static void destroy_overacked(struct lab *lab)
{
	bool hung = hangs(lab, overacked_event, 5);

	saw(lab, hung, "ibv_destroy_cq %s", hung ? "hangs" : "ends");
}

/* Sends to a receive queue's completion queue that holds few. */
static void recv_overrun(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_wc wc;
	struct pair p;
	int i, event;

	shape.recv_cq = make_cq(lab, 1);
	p = make_pair(lab, &shape);
	for (i = 0; i < 6; i++)
		send_one(lab, &p, 0);
	event = next_event(lab, 1000);
	wc = next_wc(p.recv_cq, 200);
	saw(lab, event == IBV_EVENT_CQ_ERR && state_of(lab, p.b) == IBV_QPS_ERR,
	    "%s, the queue pair in state %d, the queue: %s", event_name(event),
	    (int)state_of(lab, p.b), status_name(wc.status));
}

static int count_wc(struct ibv_cq *cq)
{
	int n = 0;

	while (next_wc(cq, 50).status != CLAIM_NONE)
		n++;
	return n;
}

static void send_overrun(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	int i, event, held;
	struct pair p;
	struct ibv_wc wc;

	shape.send_cq = make_cq(lab, 1);
	p = make_pair(lab, &shape);
	for (i = 0; i < 6; i++)
		send_one(lab, &p, 0);
	event = next_event(lab, 1000);
	held = count_wc(p.send_cq);
	send_one(lab, &p, 0);
	wc = next_wc(p.send_cq, 500);
	saw(lab,
	    event == IBV_EVENT_CQ_ERR && held < 6 &&
		    state_of(lab, p.a) == IBV_QPS_RTS &&
		    wc.status == IBV_WC_SUCCESS,
	    "%s, %d of 6 completions, state %d; one more send: %s",
	    event_name(event), held, (int)state_of(lab, p.a),
	    status_name(wc.status));
}

static struct pair srq_pair(const struct lab *lab, struct ibv_srq *srq)
{
	struct shape shape = usual(lab, IBV_QPT_RC);

	shape.srq = srq;
	return make_pair(lab, &shape);
}

static void fill(const struct lab *lab, struct ibv_srq *srq, int entries)
{
	struct ibv_sge sge = piece(lab, BUF_SIZE / 2, 64);
	struct ibv_recv_wr *bad, wr = {.sg_list = &sge, .num_sge = 1};

	while (entries--)
		must(lab, ibv_post_srq_recv(srq, &wr, &bad),
		     "ibv_post_srq_recv");
}

static uint32_t limit_of(const struct lab *lab, struct ibv_srq *srq)
{
	struct ibv_srq_attr attr;

	memset(&attr, 0, sizeof(attr));
	must(lab, ibv_query_srq(srq, &attr), "ibv_query_srq");
	return attr.srq_limit;
}

static void srq_at_creation(struct lab *lab)
{
	struct ibv_srq *srq = make_srq(lab, 8, 2);
	struct pair p = srq_pair(lab, srq);
	uint32_t before = limit_of(lab, srq);
	int event;

	fill(lab, srq, 2);
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	event = next_event(lab, 1000);
	saw(lab, before == 2 && event == IBV_EVENT_SRQ_LIMIT_REACHED,
	    "srq_limit 2 at creation reads %u; one of two entries taken: %s",
	    before, event_name(event));
}

static void srq_late(struct lab *lab)
{
	struct ibv_srq *srq = make_srq(lab, 8, 0);
	struct ibv_srq_attr attr = {.srq_limit = 4};
	struct pair p = srq_pair(lab, srq);
	uint32_t after;
	int early, late;

	fill(lab, srq, 2);
	must(lab, ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "ibv_modify_srq");
	early = next_event(lab, 300);
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	late = next_event(lab, 1000);
	after = limit_of(lab, srq);
	saw(lab, early < 0 && late == IBV_EVENT_SRQ_LIMIT_REACHED && after == 0,
	    "armed with 4 over 2 entries: %s; the next one taken: %s; "
	    "srq_limit then reads %u",
	    event_name(early), event_name(late), after);
}

static void last_wqe(struct lab *lab)
{
	struct ibv_srq *srq = make_srq(lab, 8, 0);
	struct pair p = srq_pair(lab, srq);
	int first, second;

	must(lab, to_state(p.b, IBV_QPS_ERR), "RTS to ERR");
	first = next_event(lab, 1000);
	must(lab, to_state(p.b, IBV_QPS_ERR), "ERR to ERR");
	second = next_event(lab, 500);
	saw(lab,
	    first == IBV_EVENT_QP_LAST_WQE_REACHED &&
		    second == IBV_EVENT_QP_LAST_WQE_REACHED,
	    "to ERR: %s; ERR to ERR: %s", event_name(first),
	    event_name(second));
}

/* The errors that IBTA has affiliated events for, and soft RoCE has none. */
static void access_error(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_sge sge = piece(lab, 0, 8);
	struct ibv_send_wr wr = work(IBV_WR_RDMA_WRITE, &sge);
	int event;

	wr.wr.rdma.remote_addr = (uintptr_t)lab->buf;
	wr.wr.rdma.rkey = lab->mr->rkey ^ 0xff;
	must(lab, post(p.a, &wr), "ibv_post_send");
	next_wc(p.send_cq, 1000);
	event = next_event(lab, 500);
	saw(lab, event < 0 && state_of(lab, p.b) == IBV_QPS_ERR,
	    "the responder is in state %d: %s", (int)state_of(lab, p.b),
	    event_name(event));
}

static const struct claim claims[] = {
	{"N-1", "one event per arming", one_shot},
	{"N-2", "no event for a completion that was there", existing},
	{"N-4", "armed for solicited ones, only SOLICITED sends tell",
	 solicited},
	{"X-68/send", "a send that fails does not fire solicited-only arming",
	 solicited_send_error},
	{"X-68/flush", "a flushed receive does not fire solicited-only arming",
	 solicited_flush},
	{"X-67", "a stronger request is kept", armed_twice},
	{"N-8", "ibv_destroy_cq waits for an event that was read",
	 destroy_unacked},
	{"N-9", "ibv_destroy_cq does not wait for an event that was not read",
	 destroy_unread},
	{"N-10", "acknowledging too much makes ibv_destroy_cq hang",
	 destroy_overacked},
	{"X-66/recv", "CQ_ERR and ERR", recv_overrun},
	{"X-66/send", "CQ_ERR, completions lost, RTS, and it goes on",
	 send_overrun},
	{"X-71", "srq_limit at creation arms", srq_at_creation},
	{"X-73", "no event at arming, one at the next entry taken; reads 0",
	 srq_late},
	{"X-80", "LAST_WQE_REACHED comes again with every move to ERR",
	 last_wqe},
	{"X-79", "no asynchronous event for a remote access error",
	 access_error},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
