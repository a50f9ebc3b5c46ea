// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What the oracle leaves to a device: timers with a floor, armings that are
 * numbered by the events read, what an IP network changes in a header, a clock
 * of the wall that is put back, what becomes of an atomic operation of several
 * elements that SQD held. Each time the next worse answer is found.
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
	ok(judged(b), "or later, where timers have a floor");
	play(b, SILENT "3200\n");
	b->outcome.out.polled.count = 0;
	ok(breaks(b, ROW_RETRY_ANSWER), "but not for ever");
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
	   "or one, as long as it was not read");
	play(b, ARMED EVENT AGAIN EVENT);
	no_event(b);
	ok(breaks(b, ROW_NOTIFY_EVENT), "but one of each that was read");
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
	ok(passes(b), "as it was sent");
	route(b)->traffic_class = 0x6b;
	ok(passes(b), "the network may set the ECN bits");
	route(b)->traffic_class = 0x6c;
	ok(breaks(b, ROW_REPLY_GRH), "and no other bit of the class");
	route(b)->hop_limit = 64;
	ok(non_strict(b, ROW_REPLY_HOPS), "the hop limit of a route");
	route(b)->hop_limit = 0;
	ok(breaks(b, ROW_REPLY_HOPS), "which is not 0");
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
	ok(passes(b), "the clock of the wall may be put back");
	play(b, TIMES);
	out->completion_ts = 0;
	ok(breaks(b, ROW_CQ_EX_TIME), "that of the device does not run so");
	play(b, TIMES);
	memset(&out->wallclock_ns, OUT_POISON, sizeof(out->wallclock_ns));
	ok(breaks(b, ROW_CQ_EX_TIME), "and each has to be told");
	play(b, TIMES);
	out->cvlan = 5;
	ok(judged(b) && b->said.verdict == VERDICT_PASS,
	   "any VLAN will do where there is none");
	play(b, TIMES);
	memset(&out->cvlan, OUT_POISON, sizeof(out->cvlan));
	ok(breaks(b, ROW_CQ_EX_MORE), "but one has to be told");
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
	ok(non_strict(b, ROW_ATOMIC_PARTS), "it may fail behind SQD, too");
	play(b, PARTS);
	wc->status = IBV_WC_LOC_PROT_ERR;
	wc->vendor_err = 0;
	ok(!judged(b), "not as if its memory were at fault");
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

/* Nobody has polled what it ends with. */
static void test_doubt(struct bench *b)
{
	play(b, OF_FOUR "get_async_event\n");
	comes_unasked(b);
	ok(breaks(b, ROW_EVENT_NONE), "of one that was polled nothing comes");
	play(b, UNPOLLED "get_async_event\n");
	comes_unasked(b);
	ok(breaks(b, ROW_ATOMIC_LENGTH),
	   "what comes of one that was not tells that it was carried out");
}

static void test_count(struct bench *b)
{
	struct polled_wc *wc = b->outcome.out.polled.wc;

	play(b, OF_FOUR);
	wc[0].status = IBV_WC_SUCCESS;
	b->outcome.out.polled.count = 4;
	ok(breaks(b, ROW_ATOMIC_LENGTH),
	   "what comes behind one that should have failed is of that one");
	play(b, OF_FOUR);
	wc[0].status = IBV_WC_SUCCESS;
	b->outcome.out.polled.count = 1;
	ok(breaks(b, ROW_ATOMIC_LENGTH), "and what does not come");
	play(b, OF_FOUR);
	b->outcome.out.polled.count = 4;
	ok(breaks(b, ROW_POLL_NONE), "of one that did, nothing more comes");
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
