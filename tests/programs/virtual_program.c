// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that knows nothing of ibvet. Creates, changes and destroys objects
 * of the virtual device through libibverbs and libmlx5, as on a real device.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>
#include "../unit/tap.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static char memory[8192];

static bool refused(const void *object, int with)
{
	return !object && errno == with;
}

static void test_memory(void)
{
	unsigned int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, sizeof(memory), access);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);

	ok(mr && mr->lkey, "ibv_reg_mr registers memory");
	ok(refused(ibv_reg_mr(pd, (void *)4096, 4096, 0), EFAULT),
	   "ibv_reg_mr refuses unmapped memory with EFAULT");
	ok(!ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0),
	   "ibv_rereg_mr changes the access flags");
	ok(mw != NULL, "ibv_alloc_mw allocates a memory window");
	ok(ibv_dealloc_pd(pd) == EBUSY,
	   "a protection domain in use cannot be deallocated");
	ok(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(mr),
	   "the window and the region are freed");
}

static void test_queues(void)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
	struct ibv_cq_init_attr_ex extended = {.cqe = 7, .channel = channel};
	struct ibv_cq *on = ibv_create_cq(context, 10, NULL, channel, 0);
	struct ibv_cq_ex *ex = ibv_create_cq_ex(context, &extended);

	ok(on && on->cqe >= 10 && ex,
	   "completion queues are created on a channel");
	ok(!ibv_resize_cq(on, 100) && on->cqe >= 100,
	   "ibv_resize_cq enlarges a queue");
	ok(!ibv_resize_cq(on, 20) && on->cqe >= 20 && on->cqe < 100,
	   "ibv_resize_cq shrinks a queue");
	ok(refused(ibv_create_cq(context, 10, NULL, NULL, 99), EINVAL),
	   "a completion vector that does not exist is refused");
	ok(!ibv_destroy_cq(on) && !ibv_destroy_cq(ibv_cq_ex_to_cq(ex)) &&
		   !ibv_destroy_comp_channel(channel),
	   "the completion queues and the channel are destroyed");
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* Waits in epoll_pwait() with the signal of the timer blocked, then without. */
static void test_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	sigset_t alarms;
	int fd = epoll_create1(0);

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	epoll_ctl(fd, EPOLL_CTL_ADD, context->async_fd, &event);
	ok(!epoll_pwait(fd, &event, 1, 50, &alarms),
	   "epoll_pwait() ends when its time is over, and blocks signals");
	ok(epoll_pwait(fd, &event, 1, -1, NULL) < 0 && errno == EINTR,
	   "epoll_pwait() waits until a signal ends it");
	close(fd);
}

/* Waits for events that do not come, until a signal ends the wait. */
static void test_waits(void)
{
	const struct sigaction handler = {.sa_handler = on_alarm};
	const struct itimerval often = {{0, 20000}, {0, 20000}}, never = {0};
	/* 2^32 + 1 milliseconds */
	const struct timespec ns = {4294967, 297000000};
	struct timeval us = {4294967, 297000};
	struct pollfd p = {.fd = context->async_fd, .events = POLLIN};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(context->async_fd, &set);
	ok(!poll(&p, 1, 1), "poll() ends when its time is over");
	sigaction(SIGALRM, &handler, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	ok(ppoll(&p, 1, &ns, NULL) < 0 && errno == EINTR,
	   "ppoll() waits for more than 2^32 milliseconds");
	ok(select(context->async_fd + 1, &set, NULL, NULL, &us) < 0 &&
		   errno == EINTR,
	   "select() waits for more than 2^32 milliseconds");
	ok(pselect(context->async_fd + 1, &set, NULL, NULL, &ns, NULL) < 0 &&
		   errno == EINTR,
	   "pselect() waits for more than 2^32 milliseconds");
	test_epoll();
	setitimer(ITIMER_REAL, &never, NULL);
}

static void test_srq(void)
{
	struct ibv_srq_attr attr = {.srq_limit = 3};

	ok(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT) &&
		   !ibv_query_srq(srq, &attr) && attr.srq_limit == 3,
	   "ibv_modify_srq sets the limit of an SRQ");
	attr.srq_limit = attr.max_wr + 1;
	ok(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT) == EINVAL,
	   "a limit past the SRQ's size is refused");
}

/* The attributes that each type needs on the way to RTS. */
static const struct type {
	const char *name;
	enum ibv_qp_type type;
	int init, rtr, rts;
} types[] = {
	{"RC", IBV_QPT_RC, IBV_QP_ACCESS_FLAGS,
	 IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	 IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		 IBV_QP_MAX_QP_RD_ATOMIC},
	{"UC", IBV_QPT_UC, IBV_QP_ACCESS_FLAGS,
	 IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
	 IBV_QP_SQ_PSN},
	{"UD", IBV_QPT_UD, IBV_QP_QKEY, 0, IBV_QP_SQ_PSN},
	{"XRC_SEND", IBV_QPT_XRC_SEND, IBV_QP_ACCESS_FLAGS,
	 IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
	 IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		 IBV_QP_MAX_QP_RD_ATOMIC},
	{"XRC_RECV", IBV_QPT_XRC_RECV, IBV_QP_ACCESS_FLAGS,
	 IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	 IBV_QP_SQ_PSN | IBV_QP_TIMEOUT},
	{"RAW_PACKET", IBV_QPT_RAW_PACKET, 0, 0, 0},
};

static struct ibv_qp_attr values(enum ibv_qp_state to)
{
	return (struct ibv_qp_attr){.qp_state = to,
				    .port_num = 1,
				    .qkey = 5,
				    .path_mtu = IBV_MTU_1024,
				    .dest_qp_num = 0x11,
				    .ah_attr = {.is_global = 1,
						.port_num = 1,
						.dlid = 1,
						.grh = {.hop_limit = 1}},
				    .max_rd_atomic = 1,
				    .max_dest_rd_atomic = 1,
				    .min_rnr_timer = 12,
				    .timeout = 14,
				    .retry_cnt = 7,
				    .rnr_retry = 7,
				    .en_sqd_async_notify = 1};
}

static int move(struct ibv_qp *qp, enum ibv_qp_state to, int mask)
{
	struct ibv_qp_attr attr = values(to);

	if (to == IBV_QPS_RTR && mask & IBV_QP_AV)
		ibv_query_gid(context, 1, 0, &attr.ah_attr.grh.dgid);
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | mask);
}

static bool is_in(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return !ibv_query_qp(qp, &attr, IBV_QP_STATE, &init) &&
	       attr.qp_state == state;
}

static struct ibv_qp *make(const struct type *t, struct ibv_xrcd *xrcd)
{
	struct ibv_qp_init_attr_ex init = {.qp_type = t->type,
					   .comp_mask = IBV_QP_INIT_ATTR_PD,
					   .pd = pd,
					   .send_cq = cq,
					   .recv_cq = cq,
					   .cap = {10, 10, 2, 2, 16}};

	if (t->type == IBV_QPT_XRC_RECV)
		init = (struct ibv_qp_init_attr_ex){
			.qp_type = t->type,
			.comp_mask = IBV_QP_INIT_ATTR_XRCD,
			.xrcd = xrcd};
	if (t->type == IBV_QPT_XRC_SEND)
		init.cap.max_recv_wr = init.cap.max_recv_sge = 0;
	return ibv_create_qp_ex(context, &init);
}

static void test_type(const struct type *t, struct ibv_xrcd *xrcd)
{
	int ports = t->type == IBV_QPT_RAW_PACKET
			    ? IBV_QP_PORT
			    : IBV_QP_PORT | IBV_QP_PKEY_INDEX;
	struct ibv_qp *qp = make(t, xrcd);
	char name[64];

	snprintf(name, sizeof(name), "%s: a queue pair is created", t->name);
	if (!ok(qp && qp->qp_num, name))
		return;
	snprintf(name, sizeof(name),
		 "%s: a mask with a missing attribute is refused", t->name);
	ok(move(qp, IBV_QPS_INIT, 0) == EINVAL && is_in(qp, IBV_QPS_RESET),
	   name);
	snprintf(name, sizeof(name), "%s: the queue pair moves to RTS",
		 t->name);
	ok(!move(qp, IBV_QPS_INIT, ports | t->init) &&
		   !move(qp, IBV_QPS_RTR, t->rtr) &&
		   !move(qp, IBV_QPS_RTS, t->rts) && is_in(qp, IBV_QPS_RTS),
	   name);
	snprintf(name, sizeof(name), "%s: the queue pair is destroyed",
		 t->name);
	ok(!ibv_destroy_qp(qp), name);
}

static void test_types(bool packets)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT};
	struct ibv_xrcd *xrcd = ibv_open_xrcd(context, &attr);

	ok(xrcd != NULL, "an XRC domain is opened");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].type != IBV_QPT_RAW_PACKET || packets)
			test_type(&types[i], xrcd);
	if (!packets)
		ok(refused(make(&types[5], xrcd), EOPNOTSUPP),
		   "RAW_PACKET is refused on InfiniBand");
	ok(!ibv_close_xrcd(xrcd), "the XRC domain is closed");
}

static void test_event(void)
{
	struct ibv_qp *qp = make(&types[2], NULL);
	struct ibv_async_event event;

	move(qp, IBV_QPS_INIT, IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY);
	move(qp, IBV_QPS_RTR, 0);
	move(qp, IBV_QPS_RTS, IBV_QP_SQ_PSN);
	ok(!move(qp, IBV_QPS_SQD, IBV_QP_EN_SQD_ASYNC_NOTIFY) &&
		   !ibv_get_async_event(context, &event) &&
		   event.event_type == IBV_EVENT_SQ_DRAINED &&
		   event.element.qp == qp,
	   "SQD raises SQ_DRAINED if asked for");
	ibv_ack_async_event(&event);
	ok(!ibv_destroy_qp(qp),
	   "the queue pair is destroyed after the event is acknowledged");
}

static struct ibv_qp *make_dc(enum mlx5dv_dc_type type, uint32_t flags)
{
	bool target = type == MLX5DV_DCTYPE_DCT;
	struct mlx5dv_qp_init_attr dc = {
		.comp_mask =
			MLX5DV_QP_INIT_ATTR_MASK_DC |
			(flags ? MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS : 0),
		.create_flags = flags,
		.dc_init_attr = {.dc_type = type, .dct_access_key = 77}};
	struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_DRIVER,
					   .comp_mask = IBV_QP_INIT_ATTR_PD,
					   .pd = pd,
					   .send_cq = cq,
					   .recv_cq = cq,
					   .srq = target ? srq : NULL};

	if (!target)
		init.cap = (struct ibv_qp_cap){4, 0, 1, 0, 0};
	return mlx5dv_create_qp(context, &init, &dc);
}

static void test_initiator(void)
{
	struct ibv_qp *qp = make_dc(MLX5DV_DCTYPE_DCI, 0);

	ok(qp && qp->qp_num, "DCI: a queue pair is created");
	ok(move(qp, IBV_QPS_INIT, IBV_QP_PORT) == EINVAL,
	   "DCI: a mask with a missing attribute is refused");
	ok(!move(qp, IBV_QPS_INIT, IBV_QP_PORT | IBV_QP_PKEY_INDEX) &&
		   !move(qp, IBV_QPS_RTR, IBV_QP_PATH_MTU) &&
		   !move(qp, IBV_QPS_RTS,
			 IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				 IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN) &&
		   is_in(qp, IBV_QPS_RTS),
	   "DCI: the queue pair moves to RTS");
	ok(move(qp, IBV_QPS_SQD, 0) == EINVAL, "DCI: SQD is refused");
	ok(!ibv_destroy_qp(qp), "DCI: the queue pair is destroyed");
	ok(refused(make_dc(MLX5DV_DCTYPE_DCI, MLX5DV_QP_CREATE_TUNNEL_OFFLOADS),
		   EINVAL),
	   "DCI: TUNNEL_OFFLOADS is refused");
}

static void test_target(void)
{
	int init = IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS;
	int rtr = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER;
	struct ibv_qp *qp = make_dc(MLX5DV_DCTYPE_DCT, 0);

	ok(qp && !qp->qp_num, "DCT: a queue pair is created without a number");
	ok(!move(qp, IBV_QPS_INIT, init) && !is_in(qp, IBV_QPS_INIT),
	   "DCT: a query in INIT fails");
	ok(!move(qp, IBV_QPS_RTR, rtr) && qp->qp_num && is_in(qp, IBV_QPS_RTR),
	   "DCT: the queue pair has a number in RTR");
	ok(move(qp, IBV_QPS_RTS, IBV_QP_SQ_PSN) == EINVAL,
	   "DCT: RTS is refused");
	ok(ibv_destroy_srq(srq) == EBUSY,
	   "DCT: the SRQ in use cannot be destroyed");
	ok(!ibv_destroy_qp(qp), "DCT: the queue pair is destroyed");
}

int main(int argc, char **argv)
{
	struct ibv_srq_init_attr wanted = {
		.attr = {.max_wr = 10, .max_sge = 2}};
	struct ibv_device **list = ibv_get_device_list(NULL);

	(void)argv;
	context = list && *list ? ibv_open_device(*list) : NULL;
	pd = context ? ibv_alloc_pd(context) : NULL;
	cq = pd ? ibv_create_cq(context, 10, NULL, NULL, 0) : NULL;
	srq = cq ? ibv_create_srq(pd, &wanted) : NULL;
	if (!ok(srq != NULL, "device, protection domain, completion queue and "
			     "SRQ are created"))
		return tap_end();
	test_memory();
	test_queues();
	test_waits();
	test_srq();
	test_types(argc > 1);
	test_event();
	test_initiator();
	test_target();
	ok(!ibv_destroy_srq(srq) && !ibv_destroy_cq(cq) && !ibv_dealloc_pd(pd),
	   "SRQ, completion queue and protection domain are freed");
	ok(!ibv_close_device(context), "the device is closed");
	ibv_free_device_list(list);
	return tap_end();
}
