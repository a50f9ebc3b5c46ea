// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program that knows nothing of ibvet. Checks that messages, RDMA and atomic
 * operations between queue pairs of the virtual device arrive, byte by byte.
 */
#include "virtual_traffic.h"

/* Sends more messages than the rings hold, of different sizes, some inline. */
static bool many_arrive(struct pair p)
{
	for (unsigned int i = 1; i <= 100; i++) {
		struct ibv_sge sge = element(i, i);
		struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

		fill((unsigned char)i);
		wr.send_flags = i % 2 ? IBV_SEND_INLINE : 0;
		if (receive(p.b, 0, 256) || post(p.a, &wr) ||
		    !comes(RECEIVED, IBV_WC_SUCCESS) ||
		    !comes(SENT, IBV_WC_SUCCESS) || !arrived(0, i, i))
			return false;
	}
	return true;
}

static void test_messages(enum ibv_qp_type type)
{
	struct pair p = connect(type, NULL);
	struct ibv_sge sge[2] = {element(0, 100), element(1000, 50)};
	struct ibv_send_wr wr = request(IBV_WR_SEND_WITH_IMM, sge, 2);
	struct ibv_wc got;

	wr.imm_data = htobe32(0xabcd);
	fill(1);
	ok(!receive(p.b, 0, 512) && !post(p.a, &wr),
	   type == IBV_QPT_RC ? "RC: a message is posted"
			      : "UC: a message is posted");
	got = polled();
	ok(got.wr_id == RECEIVED && got.opcode == IBV_WC_RECV &&
		   got.byte_len == 150 && got.qp_num == p.b->qp_num &&
		   got.wc_flags & IBV_WC_WITH_IMM &&
		   got.imm_data == htobe32(0xabcd),
	   "the receive has the length and the immediate data");
	ok(comes(SENT, IBV_WC_SUCCESS), "the send completes");
	ok(!memcmp(memory + TARGET, memory, 100) && arrived(100, 1000, 50),
	   "the receive has the bytes of both elements");
	ok(many_arrive(p),
	   "more messages than the ring has entries arrive, inline or not");
	ok(nothing_comes(), "there is no further completion");
	end(p);
}

static void test_remote(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_sge sge = element(10, 300);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &sge, 1);
	uint64_t *word = (uint64_t *)(void *)(memory + TARGET);
	uint64_t *old = (uint64_t *)(void *)memory;
	struct ibv_wc got;

	fill(2);
	remote(&wr, 5);
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_SUCCESS) &&
		   arrived(5, 10, 300),
	   "an RDMA WRITE writes the bytes");
	wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	wr.imm_data = htobe32(7);
	remote(&wr, 1000);
	ok(!receive(p.b, 3000, 0) && !post(p.a, &wr),
	   "an RDMA WRITE with immediate data is posted");
	got = polled();
	ok(got.opcode == IBV_WC_RECV_RDMA_WITH_IMM && got.byte_len == 300 &&
		   got.imm_data == htobe32(7) && comes(SENT, IBV_WC_SUCCESS) &&
		   arrived(1000, 10, 300),
	   "the receive has the immediate data and the length");
	wr.opcode = IBV_WR_RDMA_READ;
	sge = element(2000, 300);
	remote(&wr, 5);
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_SUCCESS) &&
		   !memcmp(memory + 2000, memory + 10, 300),
	   "an RDMA READ reads the bytes");
	fill(3);
	*word = 40;
	sge = element(0, 8);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	atomic(&wr, 2, 0);
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_SUCCESS) && *old == 40 &&
		   *word == 42,
	   "a FETCH_AND_ADD adds and returns the old value");
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	atomic(&wr, 42, 5);
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_SUCCESS) && *old == 42 &&
		   *word == 5,
	   "a CMP_AND_SWP swaps if the value is equal");
	atomic(&wr, 42, 6);
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_SUCCESS) && *old == 5 &&
		   *word == 5,
	   "a CMP_AND_SWP does not swap if the value differs");
	end(p);
}

/* Sends datagrams, and makes an address handle from the header of a datagram.
 */
static void test_datagrams(void)
{
	struct pair p = connect(IBV_QPT_UD, NULL);
	struct ibv_ah_attr to = address(), back;
	struct ibv_ah *ah = ibv_create_ah(pd, &to);
	struct ibv_sge sge = element(0, 200);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);
	struct ibv_wc got;

	fill(4);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = p.b->qp_num;
	wr.wr.ud.remote_qkey = QKEY;
	ok(ah && !receive(p.b, 0, 512) && !post(p.a, &wr),
	   "UD: a message is posted");
	got = polled();
	ok(got.wr_id == RECEIVED && got.byte_len == 200 + GRH &&
		   got.src_qp == p.a->qp_num && got.wc_flags & IBV_WC_GRH,
	   "the receive of a datagram names the sender");
	ok(comes(SENT, IBV_WC_SUCCESS) && arrived(GRH, 0, 200),
	   "the receive of a datagram has the bytes behind the header");
	ok(!ibv_init_ah_from_wc(context, 1, &got,
				(struct ibv_grh *)(void *)(memory + TARGET),
				&back) &&
		   !memcmp(&back.grh.dgid, &gid, sizeof(gid)) &&
		   back.grh.traffic_class == 8,
	   "ibv_init_ah_from_wc returns the address of the sender");
	wr.wr.ud.remote_qkey = QKEY + 1;
	ok(!receive(p.b, 0, 512) && !post(p.a, &wr) &&
		   comes(SENT, IBV_WC_SUCCESS) && nothing_comes(),
	   "a datagram with a wrong Q_Key does not arrive");
	ok(!ibv_destroy_ah(ah), "the address handle is destroyed");
	end(p);
}

static struct ibv_srq *make_srq(struct ibv_xrcd *xrcd)
{
	struct ibv_srq_init_attr_ex init = {
		.attr = {.max_wr = 8, .max_sge = 1},
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = xrcd ? IBV_SRQT_XRC : IBV_SRQT_BASIC,
		.pd = pd,
		.xrcd = xrcd,
		.cq = cq};

	if (xrcd)
		init.comp_mask |= IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	return ibv_create_srq_ex(context, &init);
}

static bool limit_is_told(void)
{
	struct pollfd p = {.fd = context->async_fd, .events = POLLIN};
	struct ibv_async_event event;
	bool is;

	if (poll(&p, 1, SECONDS * 1000) != 1 ||
	    ibv_get_async_event(context, &event))
		return false;
	is = event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED;
	ibv_ack_async_event(&event);
	return is;
}

/* Entries of an SRQ are used again in another order. */
static void test_shared(void)
{
	struct ibv_srq_attr limit = {.srq_limit = 2};
	struct ibv_srq *srq = make_srq(NULL);
	struct pair p = connect(IBV_QPT_RC, srq), q = connect(IBV_QPT_RC, srq);
	bool all = true;

	for (unsigned int i = 0; i < 50; i++) {
		struct ibv_sge sge = element(i, 60);
		struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

		fill((unsigned char)(i + 9));
		all &= !receive_shared(srq, 1, 0) &&
		       !receive_shared(srq, 2, 500) &&
		       !post(i % 3 ? p.a : q.a, &wr) && !post(p.a, &wr) &&
		       comes(1, IBV_WC_SUCCESS) &&
		       comes(SENT, IBV_WC_SUCCESS) &&
		       comes(2, IBV_WC_SUCCESS) &&
		       comes(SENT, IBV_WC_SUCCESS) && arrived(0, i, 60) &&
		       arrived(500, i, 60);
	}
	ok(all, "messages use the receives of an SRQ in order");
	for (uint64_t id = 1; id <= 3; id++)
		all &= !receive_shared(srq, id, 0);
	all &= !ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT);
	for (uint64_t id = 1; id <= 2; id++) {
		struct ibv_sge sge = element(0, 60);
		struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);

		all &= !post(p.a, &wr) && comes(id, IBV_WC_SUCCESS) &&
		       comes(SENT, IBV_WC_SUCCESS);
	}
	ok(all && limit_is_told(), "the limit of the SRQ raises an event");
	end(p);
	end(q);
	ok(!ibv_destroy_srq(srq), "the SRQ is destroyed");
}

static void test_xrc(void)
{
	struct ibv_xrcd_init_attr of = {.comp_mask = IBV_XRCD_INIT_ATTR_FD |
						     IBV_XRCD_INIT_ATTR_OFLAGS,
					.fd = -1,
					.oflags = O_CREAT};
	struct ibv_xrcd *xrcd = ibv_open_xrcd(context, &of);
	struct ibv_srq *srq = make_srq(xrcd);
	struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_XRC_RECV,
					   .comp_mask = IBV_QP_INIT_ATTR_XRCD,
					   .xrcd = xrcd};
	struct pair p = {make(IBV_QPT_XRC_SEND, NULL),
			 ibv_create_qp_ex(context, &init)};
	struct ibv_sge sge = element(0, 40);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 1);
	uint32_t number = 0;

	fill(6);
	ok(p.a && p.b && !up(p.a, p.b->qp_num) && !up(p.b, p.a->qp_num) &&
		   !ibv_get_srq_num(srq, &number),
	   "XRC: both queue pairs move to RTS");
	wr.qp_type.xrc.remote_srqn = number;
	ok(!receive_shared(srq, 5, 0) && !post(p.a, &wr) &&
		   comes(5, IBV_WC_SUCCESS) && comes(SENT, IBV_WC_SUCCESS) &&
		   arrived(0, 0, 40),
	   "XRC: a message arrives at the SRQ that it names");
	end(p);
	ok(!ibv_destroy_srq(srq) && !ibv_close_xrcd(xrcd),
	   "XRC: the SRQ and the domain are destroyed");
}

static void test_window(void)
{
	struct pair p = connect(IBV_QPT_RC, NULL);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	struct ibv_send_wr wr = request(IBV_WR_BIND_MW, NULL, 0);
	struct ibv_sge sge = element(0, 100);

	fill(8);
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		mr, (uintptr_t)memory + TARGET, 150, IBV_ACCESS_REMOTE_WRITE};
	ok(!post(p.b, &wr) && comes(SENT, IBV_WC_SUCCESS),
	   "a memory window is bound");
	mw->rkey = wr.bind_mw.rkey;
	wr = request(IBV_WR_RDMA_WRITE, &sge, 1);
	remote(&wr, 50);
	wr.wr.rdma.rkey = mw->rkey;
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_SUCCESS) &&
		   arrived(50, 0, 100),
	   "an RDMA WRITE through the window arrives");
	wr = request(IBV_WR_LOCAL_INV, NULL, 0);
	wr.invalidate_rkey = mw->rkey;
	ok(!post(p.b, &wr) && comes(SENT, IBV_WC_SUCCESS),
	   "LOCAL_INV invalidates the window");
	wr = request(IBV_WR_RDMA_WRITE, &sge, 1);
	remote(&wr, 50);
	wr.wr.rdma.rkey = mw->rkey;
	ok(!post(p.a, &wr) && comes(SENT, IBV_WC_REM_ACCESS_ERR),
	   "an RDMA WRITE through the invalidated window fails");
	end(p);
	ok(!ibv_dealloc_mw(mw), "the window is deallocated");
}

int main(void)
{
	set_up();
	test_messages(IBV_QPT_RC);
	test_messages(IBV_QPT_UC);
	test_remote();
	test_datagrams();
	test_shared();
	test_xrc();
	test_window();
	return tear_down();
}
