/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The rule that the judge names for a deviation. Where a general rule is
 * broken, it names the special rule about the request, or the rule of the
 * explanation that agrees most with what was seen.
 */
#include "tests/unit/oracle/oracle_pair.h"

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
	ok(breaks(b, ROW_POST_SQD),
	   "the message of a send that SQD held is not lost");
	play(b, CONNECTED RECV SEND("1") SENDS);
	none(b);
	ok(breaks(b, ROW_POLL_EACH),
	   "a send that SQD did not hold: the usual rule");
}

static void test_under_way(struct bench *b)
{
	play(b, CONNECTED SEND("1") SQD("qp0") EVENT);
	b->outcome.out.event.event_type = IBV_EVENT_SQ_DRAINED;
	b->outcome.out.event.qp = b->program.call[b->program.ncalls - 2].on;
	ok(breaks(b, ROW_SQD_UNDER_WAY),
	   "SQ_DRAINED while a send waits for a receive");
	play(b, CONNECTED SEND("1") EVENT);
	b->outcome.out.event.event_type = IBV_EVENT_SQ_DRAINED;
	ok(breaks(b, ROW_EVENT_NONE), "SQ_DRAINED outside of SQD");
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

/* SQE leaves the receive alone, ERR flushes it. */
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
	   "two flushed completions: in ERR the first status is wrong");
}

/* UC packets do not name their sender. */
static void test_one_way(struct bench *b)
{
	play(b, UC UC_RTS("qp0") UC_RTR("qp1", "") RECV SEND("1") RECEIVES);
	ok(b->outcome.out.polled.count == 1 && passes(b),
	   "a UC message reaches a peer that is not connected back");
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
	ok(non_strict(b, ROW_REMOTE_FIRST), "or waits for a receive first");
	play(b, CONNECTED RECV WRITE_IMM SENDS);
	none(b);
	ok(!judged(b), "it does not wait if a receive is posted");
}

/* The queue pair is connected to itself, so both ends go to ERR. */
static void test_itself(struct bench *b)
{
	const char *text = PAIR RTR("qp0", "qp0") RTS("qp0") WRITE_IMM SENDS;

	play(b, text);
	ok(passes(b), "a queue pair refuses its own write");
	play(b, text);
	status(b, 0, IBV_WC_WR_FLUSH_ERR);
	ok(non_strict(b, ROW_POLL_IN_FLIGHT), "and may flush that write");
	play(b, CONNECTED WRITE_IMM SENDS);
	status(b, 0, IBV_WC_WR_FLUSH_ERR);
	ok(breaks(b, ROW_REMOTE_QP), "but not another queue pair's");
}

/* The requester has no READ resources, max_rd_atomic is 0. */
static void test_no_resources(struct bench *b)
{
	play(b, CONNECTED "post_send qp0 opcode=RDMA_READ send_flags=SIGNALED "
			  "num_sge=1 length=8 remote=mr0\n" SENDS);
	ok(passes(b), "a READ without local memory fails");
	play(b, CONNECTED "post_send qp0 opcode=RDMA_READ send_flags=SIGNALED "
			  "num_sge=1 length=8 remote=mr0\n" SENDS);
	none(b);
	ok(non_strict(b, ROW_FAULT_FIRST),
	   "or waits, as no READ may be outstanding");
}

#define BAD_SEND(id)                                                           \
	"post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 "      \
	"lkey=mr0.lkey+1 length=8 wr_id=" id "\n"

static void flushed(struct bench *b, unsigned int n)
{
	struct polled_args *out = &b->outcome.out.polled;

	for (unsigned int i = 0; i < n; i++) {
		if (i >= out->count)
			out->wc[i] = out->wc[0];
		out->wc[i].wr_id = i + 1;
		out->wc[i].qp = b->program.call[b->program.ncalls - 2].on;
		status(b, (int)i, IBV_WC_WR_FLUSH_ERR);
	}
	out->count = n;
}

/* A refused send on a queue pair that no other is connected to. */
#define ELSEWHERE                                                              \
	"qp2 = create_qp pd0 qp_type=RC " CAP "post_send qp2 opcode=SEND "     \
	"num_sge=1 mr=mr0 length=8 wr_id=7\n"

/* Requests before one that fails locally are carried out first. */
static void test_flushed_early(struct bench *b)
{
	play(b, CONNECTED RECV SEND("1") BAD_SEND("2") SENDS);
	flushed(b, 2);
	ok(breaks(b, ROW_LOCAL_KEY),
	   "a send is flushed though only the next one is at fault");
	play(b, CONNECTED SEND("1") BAD_SEND("2") SENDS);
	flushed(b, 2);
	ok(breaks(b, ROW_LOCAL_KEY),
	   "a waiting send is flushed though only the next one is at fault");
	play(b, CONNECTED SEND("1") SEND("2") SENDS);
	flushed(b, 2);
	ok(breaks(b, ROW_RETRY_RNR),
	   "two flushed sends without a fault: the retry rule");
}

static void one_receive(struct bench *b)
{
	struct polled_args *out = &b->outcome.out.polled;

	out->count = 1;
	out->wc[0] = (struct polled_wc){.wr_id = 10, .opcode = IBV_WC_RECV};
}

static void test_refused_message(struct bench *b)
{
	play(b, PAIR RTR("qp0", "qp1") RTR("qp1", "qp0") SEND("1") RTS("qp0")
			RTS("qp1") RECV RECEIVES);
	one_receive(b);
	ok(breaks(b, ROW_POST_REFUSED), "a refused message takes a receive");
	play(b, PAIR RTR("qp0", "qp1") RTR("qp1", "qp0") SEND("1") RTS("qp0")
			RTS("qp1") RECV "modify_qp qp1 mask=STATE "
					"qp_state=ERR\n" RECEIVES);
	status(b, 0, IBV_WC_SUCCESS);
	ok(breaks(b, ROW_POST_REFUSED),
	   "a refused message takes a receive that should be flushed");
	play(b, PAIR RTR("qp0", "qp1") RTR("qp1", "qp0") SEND("1") RTS("qp0")
			RECV "query_qp qp1 mask=STATE\n");
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_ERR;
	ok(breaks(b, ROW_POST_REFUSED),
	   "a refused message takes its peer to ERR");
	play(b, PAIR RTR("qp0", "qp1") RTR("qp1", "qp0") SEND("1") RTS("qp0")
			RTS("qp1") RECV SEND("2") SENDS);
	none(b);
	ok(breaks(b, ROW_POST_REFUSED),
	   "a refused message holds up the next one");
	play(b, CONNECTED RECV "query_qp qp1 mask=STATE\n");
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_ERR;
	ok(breaks(b, ROW_QRY_STATE),
	   "without a refused message: the state rule");
	play(b, CONNECTED RECV RECEIVES);
	one_receive(b);
	ok(breaks(b, ROW_POLL_NONE), "or by none that is known of");
	play(b, CONNECTED ELSEWHERE RECV RECEIVES);
	one_receive(b);
	ok(breaks(b, ROW_POLL_NONE), "nor by one of a queue pair elsewhere");
}

#define BATCH(setter)                                                          \
	PAIR "qp2 = create_qp_ex comp_mask=PD|SEND_OPS_FLAGS pd=pd0 "          \
	     "send_ops_flags=RDMA_WRITE qp_type=RC " CAP INIT("qp2")           \
		     RTR("qp2", "qp1") RTR("qp1", "qp2") RTS("qp2")            \
			     RTS("qp1") "wr_start qp2\n"                       \
					"wr qp2 setter=" setter " wr_id=1 "    \
					"opcode=RDMA_WRITE num_sge=1 mr=mr0 "  \
					"length=8 remote=mr0\n"                \
					"wr_complete qp2\n" SENDS

static void test_batch(struct bench *b)
{
	play(b, BATCH("SGE_LIST"));
	status(b, 0, IBV_WC_WR_FLUSH_ERR);
	ok(breaks(b, ROW_WR_SET), "a list that was set fails at home");
	play(b, BATCH("SGE"));
	status(b, 0, IBV_WC_WR_FLUSH_ERR);
	ok(breaks(b, ROW_REMOTE_QP), "of one element the usual rule is told");
}

static void test_invalidate_uc(struct bench *b)
{
	play(b, ALONE "post_send qp0 wr_id=1 opcode=SEND_WITH_INV "
		      "send_flags=SIGNALED invalidate_rkey=mr0.rkey\n" SENDS);
	status(b, 0, IBV_WC_WR_FLUSH_ERR);
	ok(breaks(b, ROW_INV_UC),
	   "an operation that UC may lack is not flushed");
	play(b, ALONE "post_send qp0 wr_id=1 opcode=SEND_WITH_INV "
		      "invalidate_rkey=mr0.rkey\n"
		      "modify_qp qp0 mask=STATE qp_state=ERR\n"
		      "query_qp qp0 mask=STATE\n");
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
	ok(breaks(b, ROW_QRY_STATE), "and its queue pair does not leave ERR");
}

/* The device looks for the bytes of mr1 at its address. */
#define ZERO_BASED(setup)                                                      \
	setup "mr1 = reg_mr pd0 length=64 access=ZERO_BASED\n"                 \
	      "post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 "       \
	      "mr=mr1 "                                                        \
	      "length=8 wr_id=1\n" SENDS

static void test_zero_based(struct bench *b)
{
	struct polled_args *out = &b->outcome.out.polled;

	play(b, ZERO_BASED(CONNECTED RECV));
	status(b, 0, IBV_WC_LOC_PROT_ERR);
	ok(breaks(b, ROW_DATA_ZERO_BASED), "a send of offset 0 fails");
	play(b, ZERO_BASED(CONNECTED));
	out->wc[0] =
		(struct polled_wc){.wr_id = 1, .status = IBV_WC_LOC_PROT_ERR};
	out->count = 1;
	ok(breaks(b, ROW_DATA_ZERO_BASED),
	   "a send of offset 0 fails before its peer has a receive");
	play(b, ZERO_BASED(CONNECTED));
	out->wc[0] = (struct polled_wc){.wr_id = 1};
	out->count = 1;
	ok(breaks(b, ROW_RETRY_RNR),
	   "without a receive it does not succeed: the retry rule");
}

#define FIRST_QPN 17 /* of the model's first queue pair */
#define UD_QP                                                                  \
	"create_qp pd0 qp_type=UD send_cq=cq0 recv_cq=cq1 cap.max_send_wr=4 "  \
	"cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1\n"
#define UD_RTS(qp)                                                             \
	"modify_qp " qp " mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT "      \
	"port_num=$port\nmodify_qp " qp " mask=STATE qp_state=RTR\n"           \
	"modify_qp " qp " mask=STATE|SQ_PSN qp_state=RTS\n"
#define TO_GROUP(number)                                                       \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"ah0 = create_ah pd0 is_global=1 grh.dgid=ff02::1 dlid=0xc001 "        \
	"port_num=$port\nqp0 = " UD_QP "qp1 = " UD_QP UD_RTS("qp0")            \
		UD_RTS("qp1") RECV                                             \
		"post_send qp0 wr_id=1 opcode=SEND num_sge=1 mr=mr0 length=8 " \
		"ah=ah0 remote_qpn=" number "\n" RECEIVES

/* The queue pair with this number is attached to no group. */
static void test_group_number(struct bench *b)
{
	play(b, TO_GROUP("qp1.qp_num"));
	ok(passes(b),
	   "a group address with one queue pair's number: nobody receives");
	play(b, TO_GROUP("qp1.qp_num"));
	one_receive(b);
	b->outcome.out.polled.wc[0].qp = b->program.call[6].result;
	b->outcome.out.polled.wc[0].byte_len = 48;
	b->outcome.out.polled.wc[0].wc_flags = IBV_WC_GRH;
	b->outcome.out.polled.wc[0].src_qp = FIRST_QPN;
	ok(non_strict(b, ROW_MC_NUMBER),
	   "or the queue pair with the number receives");
	play(b, TO_GROUP("0xffffff"));
	one_receive(b);
	ok(breaks(b, ROW_POLL_NONE),
	   "the number of groups reaches no other queue pair");
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
	test_flushed_early(b);
	test_refused_message(b);
	test_batch(b);
	test_invalidate_uc(b);
	test_group_number(b);
	test_zero_based(b);
	return bench_end(b);
}
