// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that knows nothing of ibvet. Checks the errors of requests between
 * queue pairs of the virtual device, and completion events.
 */
#include "virtual_traffic.h"

static bool is_in(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return !ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) &&
	       attr.qp_state == state;
}

static struct ibv_send_wr write_of(struct ibv_sge *sge)
{
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, sge, 1);

	remote(&wr, 0);
	return wr;
}

static void test_wrong_keys(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_sge sge = element(0, 100);
	struct ibv_send_wr wr = write_of(&sge);

	fill(1);
	wr.wr.rdma.rkey ^= 0x100000;
	ok(!receive(p.a, 0, 10) && !post(p.a, &wr) && !post(p.a, &wr),
	   "two RDMA WRITEs with a wrong rkey are posted");
	ok(comes(SENT, IBV_WC_REM_ACCESS_ERR),
	   "a wrong rkey completes with REM_ACCESS_ERR");
	ok(comes(RECEIVED, IBV_WC_WR_FLUSH_ERR) &&
		   comes(SENT, IBV_WC_WR_FLUSH_ERR) &&
		   is_in(p.a, IBV_QPS_ERR) && is_in(p.b, IBV_QPS_ERR),
	   "the other requests are flushed and both queue pairs are in ERR");
	ok(!memory[TARGET] && nothing_comes(),
	   "an RDMA WRITE with a wrong rkey writes nothing");
	end(p);
	p = connect(IBV_QPT_RC, NULL);
	wr = write_of(&sge);
	sge.lkey ^= 0x100000;
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_LOC_PROT_ERR),
	   "a wrong lkey completes with LOC_PROT_ERR");
	end(p);
	p = connect(IBV_QPT_RC, NULL);
	sge = element(0, 100);
	wr = request(IBV_WR_SEND, &sge, 1);
	ok(!receive(p.b, 0, 99) && !post(p.a, &wr) &&
		   comes(RECEIVED, IBV_WC_LOC_LEN_ERR) &&
		   comes(SENT, IBV_WC_REM_INV_REQ_ERR),
	   "a receive that is too short fails at both ends");
	end(p);
}

static void test_waiting(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_sge sge = element(0, 100);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

	fill(2);
	ok(!post(p.a, &wr) && nothing_comes() && !receive(p.b, 0, 200) &&
		   comes(RECEIVED, IBV_WC_SUCCESS) &&
		   comes(SENT, IBV_WC_SUCCESS) && arrived(0, 0, 100),
	   "a message waits for a receive");
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_RNR_RETRY_EXC_ERR),
	   "a message without a receive completes with RNR_RETRY_EXC_ERR");
	end(p);
	p = connect(IBV_QPT_RC, NULL);
	if (ibv_destroy_qp(p.b))
		give_up("a queue pair cannot be destroyed");
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_RETRY_EXC_ERR),
	   "a message to a destroyed queue pair completes with RETRY_EXC_ERR");
	ok(!ibv_destroy_qp(p.a), "the queue pair is destroyed");
}

static void test_flush(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	struct ibv_sge sge = element(0, 10);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

	ok(!receive(p.a, 0, 10) && !receive(p.a, 0, 10) &&
		   !ibv_modify_qp(p.a, &attr, IBV_QP_STATE) &&
		   comes(RECEIVED, IBV_WC_WR_FLUSH_ERR) &&
		   comes(RECEIVED, IBV_WC_WR_FLUSH_ERR),
	   "ERR flushes receives");
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_WR_FLUSH_ERR),
	   "a send posted in ERR is flushed");
	attr.qp_state = IBV_QPS_RESET;
	ok(!ibv_modify_qp(p.a, &attr, IBV_QP_STATE) &&
		   !ibv_modify_qp(p.b, &attr, IBV_QP_STATE) &&
		   !up(p.a, p.b->qp_num) && !up(p.b, p.a->qp_num) &&
		   !receive(p.b, 0, 20) && !post(p.a, &wr) &&
		   comes(RECEIVED, IBV_WC_SUCCESS) &&
		   comes(SENT, IBV_WC_SUCCESS),
	   "queue pairs work again after RESET");
	end(p);
}

static void *send_later(void *arg)
{
	struct pair *p = arg;
	struct ibv_sge sge = element(0, 10);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

	usleep(50000);
	post(p->a, &wr);
	return NULL;
}

static bool is_told(void)
{
	struct ibv_cq *of;
	void *context_of;

	if (ibv_get_cq_event(channel, &of, &context_of))
		return false;
	ibv_ack_cq_events(of, 1);
	return of == cq;
}

static bool is_waiting(void)
{
	struct pollfd p = {.fd = channel->fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static void test_events(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	pthread_t thread;

	ok(!receive(p.b, 0, 10) && !ibv_req_notify_cq(cq, 0) && !is_waiting(),
	   "an armed queue without a completion has no event");
	pthread_create(&thread, NULL, send_later, &p);
	ok(is_told(), "a waiting thread gets the event");
	pthread_join(thread, NULL);
	ok(comes(RECEIVED, IBV_WC_SUCCESS) && comes(SENT, IBV_WC_SUCCESS),
	   "both completions are there after the event");
	ok(!is_waiting(), "there is only one event");
	if (receive(p.b, 0, 10))
		give_up("a receive is refused");
	send_later(&p);
	ok(!is_waiting() && !ibv_req_notify_cq(cq, 0) && is_told(),
	   "arming a queue with unseen completions raises an event");
	ok(comes(RECEIVED, IBV_WC_SUCCESS) && comes(SENT, IBV_WC_SUCCESS),
	   "both completions are there after the second event");
	end(p);
}

static void test_resize(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);

	if (receive(p.b, 0, 10))
		give_up("a receive is refused");
	send_later(&p);
	ok(!ibv_resize_cq(cq, 200) && comes(RECEIVED, IBV_WC_SUCCESS),
	   "ibv_resize_cq keeps the first completion");
	ok(comes(SENT, IBV_WC_SUCCESS) && nothing_comes(),
	   "ibv_resize_cq keeps the second completion");
	if (receive(p.b, 0, 10))
		give_up("a receive is refused");
	send_later(&p);
	ok(comes(RECEIVED, IBV_WC_SUCCESS) && comes(SENT, IBV_WC_SUCCESS),
	   "new completions arrive in the resized queue");
	end(p);
}

static void test_extended(void)
{
	struct ibv_cq_init_attr_ex init = {.cqe = 10,
					   .wc_flags = IBV_WC_EX_WITH_BYTE_LEN};
	struct ibv_cq_ex *ex = ibv_create_cq_ex(context, &init);
	struct ibv_poll_cq_attr none = {0};
	struct ibv_cq *plain = cq;
	struct pair p;

	cq = ibv_cq_ex_to_cq(ex);
	p = connect(IBV_QPT_RC, NULL);
	ok(ibv_start_poll(ex, &none) == ENOENT,
	   "ibv_start_poll of an empty queue returns ENOENT");
	if (receive(p.b, 0, 20))
		give_up("a receive is refused");
	send_later(&p);
	ok(!ibv_start_poll(ex, &none) && ex->wr_id == RECEIVED &&
		   ibv_wc_read_byte_len(ex) == 10 && !ibv_next_poll(ex) &&
		   ex->wr_id == SENT && ex->status == IBV_WC_SUCCESS,
	   "a batch has both completions");
	ok(ibv_next_poll(ex) == ENOENT,
	   "ibv_next_poll returns ENOENT at the end");
	ibv_end_poll(ex);
	end(p);
	ok(!ibv_destroy_cq(cq), "the extended queue is destroyed");
	cq = plain;
}

/* Returns true if the next event of the device is CQ_ERR of the queue. */
static bool overran(void)
{
	struct pollfd p = {.fd = context->async_fd, .events = POLLIN};
	struct ibv_async_event event;
	bool is_it;

	if (poll(&p, 1, 0) != 1 || ibv_get_async_event(context, &event))
		return false;
	is_it = event.event_type == IBV_EVENT_CQ_ERR && event.element.cq == cq;
	ibv_ack_async_event(&event);
	return is_it;
}

/* The queue holds cqe completions, wherever the NIC keeps them. */
static void test_overrun(void)
{
	struct ibv_sge sge = element(0, 100);
	struct ibv_send_wr wr = write_of(&sge);
	struct ibv_cq *plain = cq;
	struct pair p;

	cq = ibv_create_cq(context, 1, NULL, NULL, 0);
	p = connect(IBV_QPT_RC, NULL);
	ok(cq->cqe == 1 && !post(p.a, &wr) && comes(SENT, IBV_WC_SUCCESS) &&
		   !post(p.a, &wr) && !overran(),
	   "a queue of one entry takes a completion once one was polled");
	ok(!post(p.a, &wr) && overran(), "the next completion overruns it");
	ok(comes(SENT, IBV_WC_SUCCESS) && nothing_comes(),
	   "the completion before is there, the one that overran is not");
	end(p);
	while (overran())
		;
	ok(!ibv_destroy_cq(cq), "the queue is destroyed");
	cq = plain;
}

/* After fork() the child has a copy of the device. */
static void test_fork(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	int status = -1;
	pid_t child;

	fill(3);
	fflush(stdout);
	child = fork();
	if (!child) {
		bool good = !receive(p.b, 0, 10);

		send_later(&p);
		_exit(!good || !comes(RECEIVED, IBV_WC_SUCCESS) ||
		      !comes(SENT, IBV_WC_SUCCESS) || !arrived(0, 0, 10));
	}
	ok(child > 0 && waitpid(child, &status, 0) == child && !status,
	   "a child process sends and receives");
	ok(!memory[TARGET] && nothing_comes() && !receive(p.b, 0, 10),
	   "the parent sees no bytes or completions of its child");
	send_later(&p);
	ok(comes(RECEIVED, IBV_WC_SUCCESS) && comes(SENT, IBV_WC_SUCCESS) &&
		   arrived(0, 0, 10),
	   "the parent sends and receives after fork()");
	end(p);
}

int main(void)
{
	set_up();
	test_wrong_keys();
	test_waiting();
	test_flush();
	test_events();
	test_resize();
	test_extended();
	test_overrun();
	test_fork();
	return tear_down();
}
