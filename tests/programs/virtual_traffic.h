/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the programs that send between queue pairs of the virtual device
 * and know nothing of ibvet: objects, requests, and completions.
 */
#ifndef IBVET_TESTS_VIRTUAL_TRAFFIC_H
#define IBVET_TESTS_VIRTUAL_TRAFFIC_H

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../unit/tap.h"

#define QP_RIGHTS                                                              \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                    \
	 IBV_ACCESS_REMOTE_ATOMIC)
#define ALL_RIGHTS (QP_RIGHTS | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)
#define QKEY	   0x11111
#define GRH	   40
#define TARGET	   4096 /* offset of the target buffers in memory */
#define SECONDS	   10
#define RECEIVED   100 /* wr_id of receives and sends */
#define SENT	   200

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_port_attr port;
static union ibv_gid gid;
static unsigned char memory[8192];

struct pair {
	struct ibv_qp *a, *b;
};

static inline void give_up(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

static inline void fill(unsigned char by)
{
	for (unsigned int i = 0; i < sizeof(memory); i++)
		memory[i] = (unsigned char)(i * 7 + by);
	memset(memory + TARGET, 0, sizeof(memory) - TARGET);
}

static inline bool arrived(unsigned int to, unsigned int from,
			   unsigned int length)
{
	return !memcmp(memory + TARGET + to, memory + from, length) &&
	       !memory[TARGET + to + length];
}

static inline struct ibv_sge element(unsigned int at, unsigned int length)
{
	return (struct ibv_sge){(uintptr_t)memory + at, length, mr->lkey};
}

static inline struct ibv_ah_attr address(void)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.dlid = port.lid,
		.grh = {.dgid = gid, .hop_limit = 4, .traffic_class = 8}};
}

static inline int up(struct ibv_qp *qp, uint32_t to)
{
	enum ibv_qp_type type = qp->qp_type;
	bool ud = type == IBV_QPT_UD, reliable = type != IBV_QPT_UC && !ud;
	bool sends = type != IBV_QPT_XRC_RECV;
	bool answers = reliable && type != IBV_QPT_XRC_SEND;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
				   .port_num = 1,
				   .qp_access_flags = QP_RIGHTS,
				   .qkey = QKEY};
	int ret =
		ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
				      (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));

	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTR,
				    .path_mtu = IBV_MTU_1024,
				    .dest_qp_num = to,
				    .max_dest_rd_atomic = 1,
				    .min_rnr_timer = 1,
				    .ah_attr = address()};
	ret |= ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE |
				     (ud ? 0
					 : IBV_QP_AV | IBV_QP_PATH_MTU |
						      IBV_QP_DEST_QPN |
						      IBV_QP_RQ_PSN) |
				     (answers ? IBV_QP_MAX_DEST_RD_ATOMIC |
							IBV_QP_MIN_RNR_TIMER
					      : 0));
	attr = (struct ibv_qp_attr){.qp_state = IBV_QPS_RTS,
				    .timeout = 8,
				    .retry_cnt = 1,
				    .rnr_retry = 1,
				    .max_rd_atomic = 1};
	ret |= ibv_modify_qp(
		qp, &attr,
		IBV_QP_STATE | IBV_QP_SQ_PSN | (reliable ? IBV_QP_TIMEOUT : 0) |
			(reliable && sends
				 ? IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					   IBV_QP_MAX_QP_RD_ATOMIC
				 : 0));
	return ret;
}

static inline struct ibv_qp *make(enum ibv_qp_type type, struct ibv_srq *srq)
{
	bool receives = !srq && type != IBV_QPT_XRC_SEND;
	struct ibv_qp_init_attr init = {.send_cq = cq,
					.recv_cq = cq,
					.srq = srq,
					.qp_type = type,
					.sq_sig_all = 1,
					.cap = {.max_send_wr = 8,
						.max_recv_wr = receives ? 8 : 0,
						.max_send_sge = 2,
						.max_recv_sge =
							receives ? 2 : 0,
						.max_inline_data = 128}};

	return ibv_create_qp(pd, &init);
}

static inline struct pair connect(enum ibv_qp_type type, struct ibv_srq *srq)
{
	struct pair p = {make(type, NULL), make(type, srq)};

	if (!p.a || !p.b || up(p.a, p.b->qp_num) || up(p.b, p.a->qp_num))
		give_up("a pair of queue pairs cannot be created");
	return p;
}

static inline void end(struct pair p)
{
	if (ibv_destroy_qp(p.a) || ibv_destroy_qp(p.b))
		give_up("a queue pair cannot be destroyed");
}

static inline int receive(struct ibv_qp *qp, unsigned int at,
			  unsigned int length)
{
	struct ibv_sge sge = element(TARGET + at, length);
	struct ibv_recv_wr wr = {
		.wr_id = RECEIVED, .sg_list = &sge, .num_sge = 1};
	struct ibv_recv_wr *bad;

	return ibv_post_recv(qp, &wr, &bad);
}

static inline int receive_shared(struct ibv_srq *srq, uint64_t id,
				 unsigned int at)
{
	struct ibv_sge sge = element(TARGET + at, 64);
	struct ibv_recv_wr wr = {.wr_id = id, .sg_list = &sge, .num_sge = 1};
	struct ibv_recv_wr *bad;

	return ibv_post_srq_recv(srq, &wr, &bad);
}

static inline struct ibv_send_wr request(enum ibv_wr_opcode opcode,
					 struct ibv_sge *sge, int n)
{
	return (struct ibv_send_wr){
		.wr_id = SENT, .opcode = opcode, .sg_list = sge, .num_sge = n};
}

static inline int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return ibv_post_send(qp, wr, &bad);
}

static inline struct ibv_wc polled(void)
{
	struct ibv_wc wc = {.status = IBV_WC_GENERAL_ERR};

	for (int ms = 0; ms < SECONDS * 1000 && !ibv_poll_cq(cq, 1, &wc); ms++)
		usleep(1000);
	return wc;
}

/* Returns true if the next completion has the wr_id and the status. */
static inline bool comes(uint64_t id, enum ibv_wc_status status)
{
	struct ibv_wc wc = polled();

	if (wc.wr_id != id || wc.status != status)
		printf("# wr_id %d: %s\n", (int)wc.wr_id,
		       ibv_wc_status_str(wc.status));
	return wc.wr_id == id && wc.status == status;
}

static inline bool nothing_comes(void)
{
	struct ibv_wc wc;

	return !ibv_poll_cq(cq, 1, &wc);
}

static inline void remote(struct ibv_send_wr *wr, unsigned int at)
{
	wr->wr.rdma.remote_addr = (uintptr_t)memory + TARGET + at;
	wr->wr.rdma.rkey = mr->rkey;
}

static inline void atomic(struct ibv_send_wr *wr, uint64_t compare_add,
			  uint64_t swap)
{
	wr->wr.atomic.remote_addr = (uintptr_t)memory + TARGET;
	wr->wr.atomic.rkey = mr->rkey;
	wr->wr.atomic.compare_add = compare_add;
	wr->wr.atomic.swap = swap;
}

static inline void set_up(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	context = list && *list ? ibv_open_device(*list) : NULL;
	pd = context ? ibv_alloc_pd(context) : NULL;
	channel = pd ? ibv_create_comp_channel(context) : NULL;
	cq = channel ? ibv_create_cq(context, 63, NULL, channel, 0) : NULL;
	mr = cq ? ibv_reg_mr(pd, memory, sizeof(memory), ALL_RIGHTS) : NULL;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mr || ibv_query_port(context, 1, &port) ||
	    ibv_query_gid(context, 1, 0, &gid))
		give_up("no device, or its first objects cannot be created");
	ibv_free_device_list(list);
}

static inline int tear_down(void)
{
	ok(!ibv_dereg_mr(mr) && !ibv_destroy_cq(cq) &&
		   !ibv_destroy_comp_channel(channel) && !ibv_dealloc_pd(pd) &&
		   !ibv_close_device(context),
	   "all objects are destroyed and the device is closed");
	return tap_end();
}

#endif
