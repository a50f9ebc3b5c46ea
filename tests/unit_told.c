/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which rule a deviation is told by where a wide one would do as well: one that
 * says what was special about the request, or that of the explanation which
 * agrees the furthest with what was seen.
 */
#include "oracle_pair.h"

#define SQD(qp)	 "modify_qp " qp " mask=STATE qp_state=SQD\n"
#define RECV	 "post_recv qp1 wr_id=10 num_sge=1 mr=mr0 length=64\n"
#define SENDS	 "poll_cq cq0 max=8 timeout_ms=1000\n"
#define RECEIVES "poll_cq cq1 max=8 timeout_ms=1000\n"
#define EVENT	 "get_async_event timeout_ms=5\n"
#define HELD                                                                   \
	CONNECTED RECV SQD("qp0") SEND("1") "modify_qp qp0 mask=STATE "        \
					    "qp_state=RTS\n"

static void none(struct bench *b)
{
	b->outcome.out.polled.count = 0;
}

static void status(struct bench *b, int i, enum ibv_wc_status is)
{
	b->outcome.out.polled.wc[i].status = is;
	b->outcome.out.polled.wc[i].vendor_err = 0;
}

static void test_held(struct bench *b)
{
	play(b, HELD SENDS);
	none(b);
	ok(breaks(b, ROW_POST_SQD), "a send that SQD held is not forgotten");
	play(b, HELD RECEIVES);
	none(b);
	ok(breaks(b, ROW_POST_SQD), "nor is its message");
	play(b, CONNECTED RECV SEND("1") SENDS);
	none(b);
	ok(breaks(b, ROW_POLL_EACH), "of others the usual rule is told");
}

static void test_under_way(struct bench *b)
{
	play(b, CONNECTED SEND("1") SQD("qp0") EVENT);
	b->outcome.out.event.event_type = IBV_EVENT_SQ_DRAINED;
	b->outcome.out.event.qp = b->program.call[b->program.ncalls - 2].on;
	ok(breaks(b, ROW_SQD_UNDER_WAY),
	   "what waits for a receive has not drained");
	play(b, CONNECTED SEND("1") EVENT);
	b->outcome.out.event.event_type = IBV_EVENT_SQ_DRAINED;
	ok(breaks(b, ROW_EVENT_NONE), "nothing drains outside of SQD");
}

#define UC_QP "create_qp pd0 qp_type=UC " CAP
#define UC_INIT(qp)                                                            \
	"modify_qp " qp " mask=STATE|PKEY_INDEX|PORT|ACCESS_FLAGS "            \
	"qp_state=INIT port_num=$port\n"
#define UC_RTR(qp, more)                                                       \
	"modify_qp " qp " mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN "             \
	"qp_state=RTR ah_attr.port_num=$port ah_attr.dlid=$lid "               \
	"path_mtu=$mtu " more "\n"
#define UC_RTS(qp) "modify_qp " qp " mask=STATE|SQ_PSN qp_state=RTS\n"
#define UC                                                                     \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"qp0 = " UC_QP "qp1 = " UC_QP UC_INIT("qp0") UC_INIT("qp1")            \
		UC_RTR("qp0", "dest_qp_num=qp1.qp_num")
#define ALONE                                                                  \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"qp0 = create_qp pd0 qp_type=UC send_cq=cq0 recv_cq=cq0 "              \
	"cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 "              \
	"cap.max_recv_sge=1\n" UC_INIT("qp0") UC_RTR("qp0", "") UC_RTS("qp0")

/* In SQE the receive stays, in ERR it is flushed as well. */
static void test_nearest(struct bench *b)
{
	struct polled_args *out = &b->outcome.out.polled;

	play(b, ALONE "post_recv qp0 wr_id=2 length=8\n"
		      "post_send qp0 wr_id=1 opcode=SEND send_flags=SIGNALED "
		      "num_sge=1 length=8\n"
		      "poll_cq cq0 max=2 timeout_ms=100\n");
	out->wc[1] = out->wc[0];
	out->wc[1].wr_id = 2;
	out->count = 2;
	status(b, 0, IBV_WC_WR_FLUSH_ERR);
	status(b, 1, IBV_WC_WR_FLUSH_ERR);
	ok(breaks(b, ROW_LOCAL_KEY),
	   "two completions: the queue pair is in ERR, and the first is wrong");
}

/* UC packets do not say who sent them. */
static void test_one_way(struct bench *b)
{
	play(b, UC UC_RTS("qp0") UC_RTR("qp1", "") RECV SEND("1") RECEIVES);
	ok(b->outcome.out.polled.count == 1 && passes(b),
	   "a message of UC comes to one that is not connected back");
}

#define WRITE_IMM                                                              \
	"post_send qp0 opcode=RDMA_WRITE_WITH_IMM send_flags=SIGNALED "        \
	"num_sge=1 mr=mr0 length=8 wr_id=1 remote=mr0\n"

static void test_refused_first(struct bench *b)
{
	play(b, CONNECTED WRITE_IMM SENDS);
	ok(passes(b), "a write without the right is refused");
	play(b, CONNECTED WRITE_IMM SENDS);
	none(b);
	ok(non_strict(b, ROW_REMOTE_FIRST), "or waits for a receive before");
	play(b, CONNECTED RECV WRITE_IMM SENDS);
	none(b);
	ok(!judged(b), "unless there is one");
}

/* The other end goes to ERR, which is this one. */
static void test_itself(struct bench *b)
{
	const char *text = PAIR RTR("qp0", "qp0") RTS("qp0") WRITE_IMM SENDS;

	play(b, text);
	ok(passes(b), "it refuses a write of its own");
	play(b, text);
	status(b, 0, IBV_WC_WR_FLUSH_ERR);
	ok(non_strict(b, ROW_POLL_IN_FLIGHT), "and may flush it by that");
	play(b, CONNECTED WRITE_IMM SENDS);
	status(b, 0, IBV_WC_WR_FLUSH_ERR);
	ok(breaks(b, ROW_REMOTE_QP), "but nobody else's");
}

/* RTS grants no READ. */
static void test_no_resources(struct bench *b)
{
	play(b, CONNECTED "post_send qp0 opcode=RDMA_READ send_flags=SIGNALED "
			  "num_sge=1 length=8 remote=mr0\n" SENDS);
	ok(passes(b), "a READ into no memory fails");
	play(b, CONNECTED "post_send qp0 opcode=RDMA_READ send_flags=SIGNALED "
			  "num_sge=1 length=8 remote=mr0\n" SENDS);
	none(b);
	ok(non_strict(b, ROW_FAULT_FIRST), "or waits, as none may begin");
}

int main(void)
{
	struct bench *b = bench_new();

	test_held(b);
	test_under_way(b);
	test_nearest(b);
	test_one_way(b);
	test_refused_first(b);
	test_itself(b);
	test_no_resources(b);
	return bench_end(b);
}
