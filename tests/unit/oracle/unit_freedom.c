// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What the contract leaves to a device: the minimum of timers, the number of
 * events of several armings, header fields that an IP network changes, a wall
 * clock that is set back, and the status of an atomic operation of several
 * elements that SQD held. Each test also tries an answer that is not permitted.
 */
#include "tests/unit/oracle/oracle_pair.h"

#define POLL   "poll_cq cq0 max=1 timeout_ms="
#define SILENT PAIR RTR("qp0", "qp1") RTS("qp0") SEND("1") POLL

/* Two tries of at most 4 * 268 ms each, and a second. */
static void test_floor(struct bench *b)
{
	play(b, SILENT "2500\n");
	ok(b->outcome.out.polled.count == 1 && passes(b),
	   "a request without an answer ends by its own timeout");
	play(b, SILENT "3100\n");
	b->outcome.out.polled.count = 0;
	ok(judged(b), "or later, if timers have a minimum");
	play(b, SILENT "3200\n");
	b->outcome.out.polled.count = 0;
	ok(breaks(b, ROW_RETRY_ANSWER), "but not after any time");
}

#define ARMED                                                                  \
	PAIR RTR("qp0", "qp1") RTR("qp1", "qp0")                               \
		RTS("qp0") "post_recv qp1 wr_id=10 more=3 num_sge=1 mr=mr0 "   \
			   "length=64\n"                                       \
			   "req_notify_cq cq1\n" SEND("1")
#define AGAIN "req_notify_cq cq1\n" SEND("2")
#define EVENT "get_cq_event ch0\n"

static void no_event(struct bench *b)
{
	struct cq_event_args *e = &b->outcome.out.cq_event;

	e->count = 0;
	e->cq = e->context = NO_OBJ;
}

static void test_unread(struct bench *b)
{
	play(b, ARMED EVENT);
	no_event(b);
	ok(breaks(b, ROW_NOTIFY_EVENT), "an event of the first arming");
	play(b, ARMED AGAIN EVENT EVENT);
	ok(passes(b), "an event of each arming");
	play(b, ARMED AGAIN EVENT EVENT);
	no_event(b);
	ok(non_strict(b, ROW_NOTIFY_UNREAD),
	   "or one event for both, if none was read");
	play(b, ARMED EVENT AGAIN EVENT);
	no_event(b);
	ok(breaks(b, ROW_NOTIFY_EVENT), "but one more after an event was read");
}

#define DATAGRAM                                                               \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"                             \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"ah0 = create_ah pd0 is_global=1 grh.dgid=$gid grh.sgid_index=3 "      \
	"grh.hop_limit=37 grh.traffic_class=0x68 port_num=2\n"                 \
	"qp0 = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=UD "              \
	"cap.max_send_wr=4 cap.max_recv_wr=8 cap.max_send_sge=1 "              \
	"cap.max_recv_sge=1\n"                                                 \
	"modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT "         \
	"port_num=2\n"                                                         \
	"modify_qp qp0 mask=STATE qp_state=RTR\n"                              \
	"modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS\n"                       \
	"post_recv qp0 wr_id=10 num_sge=1 mr=mr0 length=256\n"                 \
	"post_send qp0 opcode=SEND num_sge=1 mr=mr0 length=8 ah=ah0 "          \
	"remote_qpn=qp0.qp_num\n"                                              \
	"wc0 = poll_cq cq0 max=1\n"                                            \
	"init_ah_from_wc completion=wc0 mr=mr0 port_num=2\n"

static struct ibv_global_route *route(struct bench *b)
{
	play(b, DATAGRAM);
	return &b->outcome.out.ah.grh;
}

static void test_header(struct bench *b)
{
	b->info.port_num = 2;
	b->info.gid_index = 3;
	route(b);
	ok(passes(b), "the address of a reply as it was sent");
	route(b)->traffic_class = 0x6b;
	ok(passes(b), "the network may set the ECN bits");
	route(b)->traffic_class = 0x6c;
	ok(breaks(b, ROW_REPLY_GRH),
	   "the network sets no other bit of the traffic class");
	route(b)->hop_limit = 64;
	ok(non_strict(b, ROW_REPLY_HOPS), "a router may change the hop limit");
	route(b)->hop_limit = 0;
	ok(breaks(b, ROW_REPLY_HOPS), "the hop limit is not 0");
	b->info.port_num = 1;
	b->info.gid_index = 0;
}

#define TIMES                                                                  \
	"pd0 = alloc_pd\n"                                                     \
	"cq0 = create_cq_ex cqe=16 wc_flags=COMPLETION_TIMESTAMP|"             \
	"COMPLETION_TIMESTAMP_WALLCLOCK|CVLAN\n"                               \
	"cq1 = create_cq cqe=16\n"                                             \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"qp0 = create_qp pd0 qp_type=RC " CAP                                  \
	"qp1 = create_qp pd0 qp_type=RC " CAP INIT("qp0") INIT(                \
		"qp1") RTR("qp0", "qp1") RTR("qp1", "qp0")                     \
		RTS("qp0") "post_recv qp1 wr_id=10 more=1 num_sge=1 mr=mr0 "   \
			   "length=64\n" SEND("1")                             \
				   SEND("2") "start_poll cq0\nnext_poll cq0\n"

static void test_clocks(struct bench *b)
{
	struct polled_args *out = &b->outcome.out.polled;

	play(b, TIMES);
	out->wallclock_ns = 0;
	ok(passes(b), "the wall clock may be set back");
	play(b, TIMES);
	out->completion_ts = 0;
	ok(breaks(b, ROW_CQ_EX_TIME),
	   "the device's clock does not run backwards");
	play(b, TIMES);
	memset(&out->wallclock_ns, OUT_POISON, sizeof(out->wallclock_ns));
	ok(breaks(b, ROW_CQ_EX_TIME), "each time has to be reported");
	play(b, TIMES);
	out->cvlan = 5;
	ok(judged(b) && b->said.verdict == VERDICT_PASS,
	   "any VLAN may be reported if there is none");
	play(b, TIMES);
	memset(&out->cvlan, OUT_POISON, sizeof(out->cvlan));
	ok(breaks(b, ROW_CQ_EX_MORE), "but a VLAN has to be reported");
}

#define PARTS                                                                  \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=4\n"                              \
	"mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE|REMOTE_ATOMIC\n"        \
	"qp0 = create_qp pd0 qp_type=RC send_cq=cq0 recv_cq=cq0 "              \
	"cap.max_send_wr=1 cap.max_send_sge=2\n" ATOMICS(                      \
		"qp0") "modify_qp qp0 mask=STATE qp_state=SQD\n"               \
		       "post_send qp0 opcode=ATOMIC_FETCH_AND_ADD num_sge=2 "  \
		       "mr=mr0 "                                               \
		       "offset=16 length=4 stride=8 remote=mr0 "               \
		       "send_flags=SIGNALED\n"                                 \
		       "modify_qp qp0 mask=STATE qp_state=RTS\n" POLL "1000\n"

static void test_parts(struct bench *b)
{
	struct polled_wc *wc = &b->outcome.out.polled.wc[0];

	play(b, PARTS);
	wc->status = IBV_WC_LOC_LEN_ERR;
	wc->vendor_err = 0;
	ok(non_strict(b, ROW_ATOMIC_PARTS),
	   "an atomic operation of several elements may fail after SQD");
	play(b, PARTS);
	wc->status = IBV_WC_LOC_PROT_ERR;
	wc->vendor_err = 0;
	ok(!judged(b), "but not with a protection error");
}

#define OF_FOUR UNPOLLED "poll_cq cq0 max=8 timeout_ms=1000\n"
#define UNPOLLED                                                               \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=8\n"                              \
	"mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE|REMOTE_ATOMIC\n"        \
	"qp0 = create_qp pd0 qp_type=RC send_cq=cq0 recv_cq=cq0 "              \
	"cap.max_send_wr=2 cap.max_recv_wr=2 cap.max_send_sge=1 "              \
	"cap.max_recv_sge=1\n" ATOMICS(                                        \
		"qp0") "post_recv qp0 wr_id=9\n"                               \
		       "post_send qp0 opcode=ATOMIC_FETCH_AND_ADD num_sge=1 "  \
		       "mr=mr0 "                                               \
		       "length=4 remote=mr0 remote_offset=8 "                  \
		       "send_flags=SIGNALED\n"                                 \
		       "post_send qp0 opcode=SEND send_flags=SIGNALED "        \
		       "wr_id=1\n"

static void comes_unasked(struct bench *b)
{
	b->outcome.out.event.event_type = IBV_EVENT_COMM_EST;
	b->outcome.out.event.qp = 3; /* its slot */
}

/* The failed request's completion is not polled. */
static void test_doubt(struct bench *b)
{
	play(b, OF_FOUR "get_async_event\n");
	comes_unasked(b);
	ok(breaks(b, ROW_EVENT_NONE),
	   "an unexpected event, all completions polled: the event rule");
	play(b, UNPOLLED "get_async_event\n");
	comes_unasked(b);
	ok(breaks(b, ROW_ATOMIC_LENGTH),
	   "an event while a failed request is unpolled: its rule");
}

static void test_count(struct bench *b)
{
	struct polled_wc *wc = b->outcome.out.polled.wc;

	play(b, OF_FOUR);
	wc[0].status = IBV_WC_SUCCESS;
	b->outcome.out.polled.count = 4;
	ok(breaks(b, ROW_ATOMIC_LENGTH),
	   "completions after a request that should have failed: its rule");
	play(b, OF_FOUR);
	wc[0].status = IBV_WC_SUCCESS;
	b->outcome.out.polled.count = 1;
	ok(breaks(b, ROW_ATOMIC_LENGTH),
	   "a missing completion after such a request: its rule");
	play(b, OF_FOUR);
	b->outcome.out.polled.count = 4;
	ok(breaks(b, ROW_POLL_NONE),
	   "too many completions after a failed request: the usual rule");
}

int main(void)
{
	struct bench *b = bench_new();

	test_floor(b);
	test_unread(b);
	test_header(b);
	test_clocks(b);
	test_parts(b);
	test_count(b);
	test_doubt(b);
	return bench_end(b);
}
