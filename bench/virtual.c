// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The cost of calls on the virtual device, through the real libibverbs and the
 * vendor's library: creating and destroying a queue pair, modifying it, and
 * posting a request and polling its completion, by one thread or by many.
 */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/bench.h"
#include "virtual/virtual.h"

#define OTHERS	500  /* unused queue pairs beside the measured one */
#define CQS	2000 /* unused completion queues, also */
#define THREADS 32
#define PAIRS	64 /* queue pairs of each thread, of which it uses one */

struct device {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char memory[64];
	struct ibv_qp *other[OTHERS];
	struct ibv_cq *other_cq[CQS];
};

static struct ibv_qp *make(const struct device *d)
{
	struct ibv_qp_init_attr init = {.send_cq = d->cq,
					.recv_cq = d->cq,
					.cap = {16, 16, 1, 1, 0},
					.qp_type = IBV_QPT_RC};

	return ibv_create_qp(d->pd, &init);
}

static void destroy_queues(struct device *d)
{
	for (unsigned int i = 0; i < OTHERS; i++)
		if (d->other[i])
			ibv_destroy_qp(d->other[i]);
	if (d->qp)
		ibv_destroy_qp(d->qp);
	if (d->mr)
		ibv_dereg_mr(d->mr);
	if (d->cq)
		ibv_destroy_cq(d->cq);
	for (unsigned int i = 0; i < CQS; i++)
		if (d->other_cq[i])
			ibv_destroy_cq(d->other_cq[i]);
}

static void close_device(void *state)
{
	struct device *d = state;

	destroy_queues(d);
	if (d->pd)
		ibv_dealloc_pd(d->pd);
	if (d->context)
		ibv_close_device(d->context);
	free(d);
	virtual_detach();
}

static bool make_others(struct device *d, int n)
{
	for (int i = 0; i < n; i++) {
		d->other[i] = make(d);
		if (!d->other[i])
			return false;
	}
	return true;
}

static void *open_device(int others)
{
	struct device *d = calloc(1, sizeof(*d));
	char err[256];

	if (!d || virtual_attach(virtual_default(), NULL, err, sizeof(err))) {
		free(d);
		return NULL;
	}
	d->context = bench_open_first();
	d->pd = d->context ? ibv_alloc_pd(d->context) : NULL;
	d->cq = d->pd ? ibv_create_cq(d->context, 16, NULL, NULL, 0) : NULL;
	d->qp = d->cq ? make(d) : NULL;
	if (d->qp && make_others(d, others))
		return d;
	close_device(d);
	return NULL;
}

/* Connects the queue pair to itself. */
static int connect_to_itself(struct device *d)
{
	struct ibv_port_attr port;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		   IBV_QP_ACCESS_FLAGS;

	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	if (ibv_query_port(d->context, 1, &port) ||
	    ibv_modify_qp(d->qp, &attr, mask))
		return -1;
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.dest_qp_num = d->qp->qp_num;
	attr.min_rnr_timer = 12;
	attr.ah_attr.dlid = port.lid;
	attr.ah_attr.port_num = 1;
	mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
	       IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (ibv_modify_qp(d->qp, &attr, mask))
		return -1;
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
	       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	return ibv_modify_qp(d->qp, &attr, mask);
}

static void *open_connected(int others)
{
	struct device *d = open_device(others);

	if (!d)
		return NULL;
	d->mr = ibv_reg_mr(d->pd, d->memory, sizeof(d->memory),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (d->mr && !connect_to_itself(d))
		return d;
	close_device(d);
	return NULL;
}

static void *open_among_cqs(int others)
{
	struct device *d = open_connected(0);

	for (int i = 0; d && i < others; i++) {
		d->other_cq[i] = ibv_create_cq(d->context, 1, NULL, NULL, 0);
		if (!d->other_cq[i]) {
			close_device(d);
			return NULL;
		}
	}
	return d;
}

/* Writes one half of the memory to the other half, again and again. */
static uint64_t post(void *state, uint64_t rounds)
{
	struct device *d = state;
	struct ibv_sge half = {.addr = (uintptr_t)d->memory,
			       .length = sizeof(d->memory) / 2,
			       .lkey = d->mr->lkey};
	struct ibv_send_wr *bad, wr = {.sg_list = &half,
				       .num_sge = 1,
				       .opcode = IBV_WR_RDMA_WRITE,
				       .send_flags = IBV_SEND_SIGNALED};
	struct ibv_wc wc;

	wr.wr.rdma.remote_addr = half.addr + half.length;
	wr.wr.rdma.rkey = d->mr->rkey;
	for (uint64_t i = 0; i < rounds; i++)
		if (ibv_post_send(d->qp, &wr, &bad) ||
		    ibv_poll_cq(d->cq, 1, &wc) != 1 ||
		    wc.status != IBV_WC_SUCCESS)
			return 0;
	return rounds;
}

/* A thread with a completion queue and queue pairs of its own. */
struct worker {
	struct device *device; /* shares context and domain with the others */
	pthread_t thread;
	uint64_t rounds, done;
};

struct crowd {
	struct worker worker[THREADS];
	struct device *first; /* opened the device */
	uint64_t running;
};

static void close_crowd(void *state)
{
	struct crowd *c = state;

	for (unsigned int i = 1; i < THREADS; i++) {
		if (c->worker[i].device)
			destroy_queues(c->worker[i].device);
		free(c->worker[i].device);
	}
	if (c->first)
		close_device(c->first);
	free(c);
}

/* Makes the queues of another thread on the device. */
static struct device *join(const struct device *first)
{
	struct device *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->context = first->context;
	d->pd = first->pd;
	d->cq = ibv_create_cq(d->context, 16, NULL, NULL, 0);
	d->qp = d->cq ? make(d) : NULL;
	d->mr = ibv_reg_mr(d->pd, d->memory, sizeof(d->memory),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	return d;
}

/* Each of the threads has its queues, also if only one of them works. */
static void *open_crowd(int running)
{
	struct crowd *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->running = (uint64_t)running;
	c->first = c->worker[0].device = open_connected(PAIRS);
	for (unsigned int i = 1; c->first && i < THREADS; i++) {
		struct device *d = c->worker[i].device = join(c->first);

		if (!d || !d->qp || !d->mr || !make_others(d, PAIRS) ||
		    connect_to_itself(d)) {
			close_crowd(c);
			return NULL;
		}
	}
	if (c->first)
		return c;
	free(c);
	return NULL;
}

/* Posts and polls; after each completion a poll finds nothing. */
static void *work(void *arg)
{
	struct worker *w = arg;
	struct ibv_wc wc;

	for (w->done = 0; w->done < w->rounds; w->done++)
		if (!post(w->device, 1) || ibv_poll_cq(w->device->cq, 1, &wc))
			break;
	return NULL;
}

/* Shares the rounds among the threads. */
static uint64_t crowd(void *state, uint64_t rounds)
{
	struct crowd *c = state;
	uint64_t each = (rounds + c->running - 1) / c->running, done = 0;
	unsigned int n = 0;

	for (; n < c->running; n++) {
		c->worker[n].rounds = each;
		if (pthread_create(&c->worker[n].thread, NULL, work,
				   &c->worker[n]))
			break;
	}
	for (unsigned int i = 0; i < n; i++) {
		pthread_join(c->worker[i].thread, NULL);
		done += c->worker[i].done;
	}
	return done == each * c->running ? done : 0;
}

static uint64_t create(void *state, uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++) {
		struct ibv_qp *qp = make(state);

		if (!qp || ibv_destroy_qp(qp))
			return 0;
	}
	return rounds;
}

static uint64_t modify(void *state, uint64_t rounds)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RESET};
	const struct device *d = state;

	for (uint64_t i = 0; i < rounds; i++)
		if (ibv_modify_qp(d->qp, &attr, IBV_QP_STATE))
			return 0;
	return rounds;
}

const struct bench bench_virtual[] = {
	{.name = "virtual/modify-qp",
	 .about = "modify_qp to RESET through the vendor's library",
	 .against = "model/modify",
	 .open = open_device,
	 .run = modify,
	 .close = close_device},
	{.name = "virtual/create-qp",
	 .about = "create_qp and destroy_qp through it",
	 .against = "virtual/modify-qp",
	 .open = open_device,
	 .run = create,
	 .close = close_device},
	{.name = "virtual/post-poll",
	 .about = "a write of 32 bytes, posted and polled",
	 .against = "model/post-1",
	 .open = open_connected,
	 .run = post,
	 .close = close_device},
	{.name = "virtual/post-among",
	 .about = "the same beside 500 queue pairs that nobody uses",
	 .against = "model/post-1",
	 .arg = OTHERS,
	 .open = open_connected,
	 .run = post,
	 .close = close_device},
	{.name = "virtual/post-cqs",
	 .about = "the same beside 2,000 completion queues that nobody uses",
	 .against = "model/post-1",
	 .arg = CQS,
	 .open = open_among_cqs,
	 .run = post,
	 .close = close_device},
	{.name = "virtual/threads-1",
	 .about =
		 "a write, posted and polled, and a poll in vain, beside 2,000 "
		 "queue pairs",
	 .against = "virtual/post-poll",
	 .elsewhere = true,
	 .arg = 1,
	 .open = open_crowd,
	 .run = crowd,
	 .close = close_crowd},
	{.name = "virtual/threads-32",
	 .about = "the same by 32 threads",
	 .against = "virtual/threads-1",
	 .elsewhere = true,
	 .arg = THREADS,
	 .open = open_crowd,
	 .run = crowd,
	 .close = close_crowd},
	{.name = "virtual/create-among",
	 .about = "create_qp and destroy_qp beside 500 others",
	 .against = "model/modify",
	 .arg = OTHERS,
	 .open = open_device,
	 .run = create,
	 .close = close_device},
	{0},
};
