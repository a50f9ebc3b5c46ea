// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * iWARP: how a device has to behave once a flush or a state has shown that a
 * connection ended. Until then the surviving end may be in RTS, and its
 * messages may be sent.
 */
#include <errno.h>
#include "mutants/mutant.h"
#include "tests/unit/oracle/oracle_bench.h"

#define RESET_QP(name)                                                         \
	name " = create_qp pd0 send_cq=cq0 recv_cq=cq1 qp_type=RC "            \
	     "cap.max_send_wr=4 cap.max_recv_wr=4 cap.max_send_sge=1 "         \
	     "cap.max_recv_sge=1\n"
#define QP(name) RESET_QP(name) "modify_qp " name " mask=STATE qp_state=INIT\n"
#define JOINED                                                                 \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n" QP("qp0") QP(      \
		"qp1") "connect qp0 timeout_ms=5000 peer=qp1\n"                \
		       "post_recv qp1 wr_id=10 num_sge=1 mr=mr0 length=64\n"
#define LEFT JOINED "destroy_qp qp0\n"
#define WRONG_KEY                                                              \
	"post_send qp1 wr_id=1 opcode=SEND send_flags=SIGNALED num_sge=1 "     \
	"mr=mr0 lkey=mr0.lkey+1 length=8\n"                                    \
	"poll_cq cq0 max=1 timeout_ms=1000\n"
#define FLUSH "poll_cq cq1 max=1 timeout_ms=1000\n"
#define QUERY "query_qp qp1 mask=STATE\n"
#define SEND                                                                   \
	"post_send qp1 wr_id=1 opcode=SEND send_flags=SIGNALED num_sge=1 "     \
	"mr=mr0 length=8\n"                                                    \
	"poll_cq cq0 max=1 timeout_ms=1000\n"

static void succeeds(struct bench *b)
{
	b->outcome.out.polled.wc[0].status = IBV_WC_SUCCESS;
	b->outcome.out.polled.wc[0].opcode = IBV_WC_SEND;
}

static void reports_rts(struct bench *b, const char *text)
{
	play(b, text);
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
}

static void test_sends(struct bench *b)
{
	play(b, LEFT SEND);
	ok(passes(b), "the surviving end flushes a new request");
	play(b, LEFT SEND);
	succeeds(b);
	ok(passes(b), "or sends it before it learns of the end");
	play(b, LEFT FLUSH SEND);
	ok(passes(b), "once it has flushed it flushes further requests");
	play(b, LEFT FLUSH SEND);
	succeeds(b);
	ok(breaks(b, ROW_IWARP_OVER), "and sends nothing more");
	play(b, LEFT QUERY SEND);
	succeeds(b);
	ok(breaks(b, ROW_IWARP_OVER), "nor does an end that has shown ERR");
}

static void test_states(struct bench *b)
{
	reports_rts(b, LEFT QUERY);
	ok(judged(b), "the surviving end may be in RTS");
	reports_rts(b, LEFT FLUSH QUERY);
	ok(breaks(b, ROW_QRY_STATE), "but not once it has flushed");
	reports_rts(b, LEFT QUERY QUERY);
	ok(breaks(b, ROW_QRY_STATE), "nor once it was seen in a later state");
}

static void ends_with(struct bench *b, uint32_t status)
{
	play(b, JOINED WRONG_KEY);
	b->outcome.out.polled.wc[0].status = status;
}

static void test_local_faults(struct bench *b)
{
	ends_with(b, IBV_WC_LOC_PROT_ERR);
	ok(passes(b), "a wrong local key");
	ends_with(b, IBV_WC_LOC_ACCESS_ERR);
	ok(non_strict(b, ROW_IWARP_LOCAL), "another local error status");
	ends_with(b, IBV_WC_REM_ACCESS_ERR);
	ok(breaks(b, ROW_IWARP_LOCAL), "but not a remote error status");
	ends_with(b, IBV_WC_SUCCESS);
	ok(breaks(b, ROW_IWARP_LOCAL), "and not success");
}

#define WRONG(op)                                                              \
	"post_send qp0 wr_id=1 opcode=" op " send_flags=SIGNALED num_sge=1 "   \
	"mr=mr0 lkey=mr0.lkey+1 length=8 remote=mr0\n"                         \
	"poll_cq cq0 max=1 timeout_ms=1000\n"

/* The peer checks a READ before its bytes are written to local memory. */
static void test_faults_of_both(struct bench *b)
{
	play(b, JOINED WRONG("RDMA_READ"));
	ok(passes(b), "a READ into wrong memory");
	play(b, JOINED WRONG("RDMA_READ"));
	b->outcome.out.polled.wc[0].status = IBV_WC_WR_FLUSH_ERR;
	ok(non_strict(b, ROW_FAULT_FIRST),
	   "the peer may refuse the READ first");
	play(b, JOINED WRONG("RDMA_WRITE"));
	b->outcome.out.polled.wc[0].status = IBV_WC_WR_FLUSH_ERR;
	ok(breaks(b, ROW_IWARP_LOCAL),
	   "a WRITE's local memory is checked first");
}

/* A failed request has a completion, signaled or not. */
static void test_missing(struct bench *b)
{
	play(b, JOINED "post_send qp0 wr_id=1 opcode=RDMA_READ num_sge=1 "
		       "mr=mr0 length=8 remote=mr0\n"
		       "poll_cq cq0 max=1 timeout_ms=1000\n");
	b->outcome.out.polled.count = 0;
	ok(breaks(b, ROW_IWARP_READ), "a READ without the right fails");
}

/* A destroyed queue pair may flush first and raise an event. */
static void test_notices(struct bench *b)
{
	static const char gone[] =
		"pd0 = alloc_pd\nch0 = create_comp_channel\n"
		"cq0 = create_cq cqe=16 channel=ch0\n"
		"cq1 = create_cq cqe=16 channel=ch0\n"
		"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n" QP(
			"qp0") "post_recv qp0 wr_id=10 more=3 num_sge=1 mr=mr0 "
			       "length=64\n"
			       "req_notify_cq cq1\ndestroy_qp qp0\n"
			       "get_cq_event ch0 timeout_ms=10\n";

	play(b, gone);
	ok(judged(b), "a queue pair is destroyed without an event");
	play(b, gone);
	b->outcome.out.cq_event.count = 1;
	b->outcome.out.cq_event.cq = b->outcome.out.cq_event.context = 3;
	ok(judged(b), "or with an event of what it flushed");
	play(b, gone);
	b->outcome.out.cq_event.count = 1;
	b->outcome.out.cq_event.cq = b->outcome.out.cq_event.context = 2;
	ok(!judged(b), "but not of a queue that it does not use");
}

/* RESET is the idle state, as INIT is. A receive that was accepted in RESET is
 * used once connected. */
static void test_idle(struct bench *b)
{
	static const char idle[] =
		"pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"
		"cq1 = create_cq cqe=16\n"
		"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n" RESET_QP(
			"qp0") RESET_QP("qp1") "post_recv qp1 wr_id=10 "
					       "num_sge=1 mr=mr0 length=64\n"
					       "connect qp0 timeout_ms=5000 "
					       "peer=qp1\npost_send qp0 "
					       "wr_id=1 opcode=SEND num_sge=1 "
					       "mr=mr0 length=8\n" FLUSH;
	struct mutant takes;
	char err[256];

	must(!mutant_parse("choose:choice/post-recv-reset=HELD", &takes, err,
			   sizeof(err)),
	     err);
	b->seed = &takes;
	play(b, idle);
	ok(b->outcome.out.polled.count == 1 && judged(b),
	   "a receive posted in RESET takes a message");
	play(b, idle);
	b->outcome.out.polled.count = 0;
	ok(breaks(b, ROW_POLL_EACH), "and is not ignored");
	b->seed = NULL;
}

static void test_answers(struct bench *b)
{
	play(b, JOINED "post_send qp0 wr_id=1 opcode=SEND num_sge=1 mr=mr0 "
		       "length=8\n"
		       "w0 = poll_cq cq1 max=1 timeout_ms=1000\n"
		       "create_ah_from_wc pd0 completion=w0 mr=mr0 "
		       "port_num=$port\n");
	ok(b->outcome.ret && b->outcome.err == EOPNOTSUPP && passes(b),
	   "ibv_create_ah_from_wc is unsupported");
	b->outcome.ret = 0;
	ok(breaks(b, ROW_OBJ_UNSUPPORTED), "and does not succeed");
}

int main(void)
{
	struct bench *b = bench_new();

	b->info.transport = IBV_TRANSPORT_IWARP;
	b->info.can_connect = true;
	test_sends(b);
	test_states(b);
	test_local_faults(b);
	test_faults_of_both(b);
	test_missing(b);
	test_notices(b);
	test_idle(b);
	test_answers(b);
	return bench_end(b);
}
