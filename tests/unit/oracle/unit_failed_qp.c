// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A queue pair goes to ERR over a failure that no call has shown yet. A request
 * that arrives right after it finds ERR, or came before the failure. Both ends
 * have to agree, and once a call has shown the failure no request arrives.
 */
#include "mutants/mutant.h"
#include "tests/unit/oracle/oracle_pair.h"

#define RECV(id, more)                                                         \
	"post_recv qp0 wr_id=" id " more=" more " num_sge=1 mr=mr0 "           \
	"length=64\n"
#define READY CONNECTED RECV("10", "1")
#define FAILS                                                                  \
	"post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 "      \
	"lkey=mr0.lkey+1 length=8 wr_id=1\n"
#define REFUSED                                                                \
	"post_send qp0 opcode=RDMA_WRITE send_flags=SIGNALED num_sge=1 "       \
	"mr=mr0 length=8 wr_id=1 remote=mr0\n"
#define BACK(opcode, id, more)                                                 \
	"post_send qp1 opcode=" opcode " send_flags=SIGNALED num_sge=1 "       \
	"mr=mr0 length=8 wr_id=" id " more=" more "\n"
#define MESSAGE(id) BACK("SEND", id, "0")
#define TWO	    BACK("SEND", "3", "1")
#define RECEIVES    "poll_cq cq1 max=8 timeout_ms=900\n"
#define SENDS	    "poll_cq cq0 max=8 timeout_ms=5000\n"
#define BRIEFLY	    "poll_cq cq0 max=1 timeout_ms=10\n"
#define QUERY(qp)   "query_qp " qp " mask=STATE\n"

static struct polled_wc *completion(struct bench *b, uint64_t wr_id)
{
	struct polled_args *out = &b->outcome.out.polled;

	for (uint32_t i = 0; i < out->count; i++)
		if (out->wc[i].wr_id == wr_id)
			return &out->wc[i];
	must(false, "no such completion");
	return NULL;
}

static void ended(struct bench *b, uint64_t wr_id, enum ibv_wc_status status)
{
	struct polled_wc *wc = completion(b, wr_id);

	wc->status = status;
	wc->vendor_err = 0;
	wc->opcode = IBV_WC_SEND;
}

static void received(struct bench *b, uint64_t wr_id)
{
	struct polled_wc *wc = completion(b, wr_id);

	ended(b, wr_id, IBV_WC_SUCCESS);
	wc->opcode = IBV_WC_RECV;
	wc->byte_len = 8;
	wc->wc_flags = 0;
}

static void first_received(struct bench *b)
{
	received(b, 10);
}

static void first_sent(struct bench *b)
{
	ended(b, 3, IBV_WC_SUCCESS);
}

static void in_rts(struct bench *b)
{
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
}

static bool may(struct bench *b)
{
	return non_strict(b, ROW_STOP_UNSEEN);
}

static void test_message(struct bench *b)
{
	play(b, READY FAILS MESSAGE("3") RECEIVES);
	ok(b->outcome.out.polled.count == 2 && passes(b),
	   "the failure flushes the receives before a message comes");
	play(b, READY FAILS MESSAGE("3") RECEIVES);
	received(b, 10);
	ok(may(b), "or a message takes the first receive");
	play(b, READY FAILS MESSAGE("3") RECEIVES);
	received(b, 11);
	ok(!judged(b), "a message does not take the second receive");
	play(b, READY FAILS MESSAGE("3") RECEIVES);
	received(b, 10);
	received(b, 11);
	ok(!judged(b), "one message takes one receive");
	play(b, READY FAILS RECEIVES);
	received(b, 10);
	ok(breaks(b, ROW_POLL_FLUSH), "without a message all are flushed");
}

static void test_sender(struct bench *b)
{
	play(b, READY FAILS MESSAGE("3") SENDS);
	ok(completion(b, 3)->status == IBV_WC_RETRY_EXC_ERR && passes(b),
	   "the sender of the message gets no answer");
	play(b, READY FAILS MESSAGE("3") SENDS);
	first_sent(b);
	ok(may(b), "or its send succeeds");
	after(b, first_received, READY FAILS MESSAGE("3") RECEIVES SENDS);
	first_sent(b);
	ok(may(b), "if the message came its send succeeds");
	after(b, first_received, READY FAILS MESSAGE("3") RECEIVES SENDS);
	ended(b, 3, IBV_WC_RETRY_EXC_ERR);
	ok(!judged(b), "in any case");
	after(b, first_sent, READY FAILS MESSAGE("3") SENDS RECEIVES);
	ok(b->outcome.out.polled.count == 2 && !judged(b),
	   "if the send succeeds its message came");
	play(b, READY FAILS BACK("RDMA_WRITE", "3", "0 remote=mr0") SENDS);
	ended(b, 3, IBV_WC_REM_ACCESS_ERR);
	ok(may(b), "a request without permission is refused");
}

static void test_list(struct bench *b)
{
	play(b, READY FAILS TWO RECEIVES);
	received(b, 10);
	ok(may(b), "of two messages the first one comes");
	play(b, READY FAILS TWO RECEIVES);
	received(b, 10);
	received(b, 11);
	ok(may(b), "or both messages come");
	after(b, first_received, READY FAILS TWO RECEIVES SENDS);
	ended(b, 3, IBV_WC_SUCCESS);
	ended(b, 4, IBV_WC_RETRY_EXC_ERR);
	ok(may(b), "the sender's completions agree");
	after(b, first_received, READY FAILS TWO RECEIVES SENDS);
	ended(b, 3, IBV_WC_SUCCESS);
	ended(b, 4, IBV_WC_SUCCESS);
	ok(!judged(b), "and of no other");
	play(b, READY MESSAGE("3") FAILS MESSAGE("4") RECEIVES);
	ended(b, 10, IBV_WC_WR_FLUSH_ERR);
	received(b, 11);
	ok(!judged(b), "the messages before a received one have come");
	play(b, CONNECTED FAILS RECV("10", "0") MESSAGE("3") RECEIVES);
	received(b, 10);
	ok(may(b), "it may take a receive that was posted meanwhile");
}

/* Which calls show the failure. */
static void test_seen(struct bench *b)
{
	play(b, READY FAILS BRIEFLY MESSAGE("3") RECEIVES);
	received(b, 10);
	ok(breaks(b, ROW_POLL_FLUSH),
	   "no message comes after the failure was polled");
	play(b, READY FAILS QUERY("qp0") MESSAGE("3") RECEIVES);
	received(b, 10);
	ok(breaks(b, ROW_POLL_FLUSH), "nor after a query showed ERR");
	play(b, READY FAILS QUERY("qp1") MESSAGE("3") RECEIVES);
	received(b, 10);
	ok(may(b), "a query of the other queue pair shows nothing");
	play(b, READY FAILS
	     "modify_qp qp0 mask=STATE qp_state=ERR\n" MESSAGE("3") RECEIVES);
	received(b, 10);
	ok(breaks(b, ROW_POLL_FLUSH), "nor after ibv_modify_qp to ERR");
	play(b, READY FAILS "cq2 = create_cq cqe=16\n"
			    "poll_cq cq2 max=1 timeout_ms=1000\n" MESSAGE("3")
				    RECEIVES);
	received(b, 10);
	ok(breaks(b, ROW_POLL_FLUSH), "nor a second later");
	after(b, in_rts, READY FAILS QUERY("qp0") QUERY("qp0"));
	ok(passes(b), "a query that shows RTS does not show the failure");
	play(b, READY FAILS "modify_qp qp0 mask=STATE|ACCESS_FLAGS "
			    "qp_state=RTS\n");
	b->outcome.ret = 0;
	ok(passes(b), "nor does an accepted change that RTS allows");
	play(b, READY FAILS BRIEFLY "modify_qp qp0 mask=STATE|ACCESS_FLAGS "
				    "qp_state=RTS\n");
	b->outcome.ret = 0;
	ok(!judged(b), "such a change is refused after the failure was polled");
}

/* The end that refuses a request goes to ERR, too. */
static void test_refusal(struct bench *b)
{
	play(b, READY REFUSED MESSAGE("3") RECEIVES);
	ok(completion(b, 10)->status == IBV_WC_WR_FLUSH_ERR && passes(b),
	   "a refused request takes both ends to ERR");
	play(b, READY REFUSED MESSAGE("3") RECEIVES);
	received(b, 10);
	ok(may(b), "or a message was sent before the refusal");
	play(b, READY REFUSED MESSAGE("3") SENDS);
	first_sent(b);
	ok(may(b), "and its send succeeds");
	after(b, first_sent, READY REFUSED MESSAGE("3") SENDS RECEIVES);
	ok(!judged(b), "if its send succeeds the message came");
	after(b, first_received, READY REFUSED MESSAGE("3") RECEIVES SENDS);
	ended(b, 3, IBV_WC_WR_FLUSH_ERR);
	ok(may(b), "or the answer was lost and the send is flushed");
	play(b, READY REFUSED BRIEFLY MESSAGE("3") RECEIVES);
	received(b, 10);
	ok(breaks(b, ROW_POLL_FLUSH),
	   "no message comes after the refusal was polled");
	play(b, READY REFUSED QUERY("qp1"));
	in_rts(b);
	ok(passes(b), "the refusing end may still be in RTS");
	after(b, in_rts, READY REFUSED QUERY("qp1") QUERY("qp1"));
	ok(passes(b), "until a query shows ERR");
	play(b, READY REFUSED QUERY("qp1") QUERY("qp1"));
	in_rts(b);
	ok(breaks(b, ROW_QRY_STATE), "the refusing end does not leave ERR");
}

#define DATAGRAM(qp)                                                           \
	qp " = create_qp pd0 qp_type=UD " CAP "modify_qp " qp                  \
	   " mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT port_num=$port "    \
	   "qkey=5\nmodify_qp " qp " mask=STATE qp_state=RTR\nmodify_qp " qp   \
	   " mask=STATE|SQ_PSN qp_state=RTS\n"
#define DATAGRAMS                                                              \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"ah0 = create_ah pd0 port_num=$port dlid=$lid\n" DATAGRAM("qp0")       \
		DATAGRAM("qp1") RECV("10", "1")
#define TO(peer) " ah=ah0 remote_qpn=" peer ".qp_num remote_qkey=5"

/* A failed UD send leads to SQE, which receives messages, or to ERR. */
static void test_datagram(struct bench *b)
{
	static const char text[] = DATAGRAMS
		"post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 "
		"mr=mr0 lkey=mr0.lkey+1 length=8 wr_id=1" TO(
			"qp1") "\npost_send qp1 opcode=SEND num_sge=1 mr=mr0 "
			       "length=8 wr_id=3" TO("qp0") "\n" RECEIVES;
	static struct mutant to_err;
	struct polled_wc came;
	char err[256];

	must(!mutant_parse("choose:choice/send-error-datagram=STATE_ERR",
			   &to_err, err, sizeof(err)),
	     err);
	play(b, text);
	came = *completion(b, 10);
	ok(came.status == IBV_WC_SUCCESS && passes(b),
	   "a queue pair in SQE receives a datagram");
	b->seed = &to_err;
	play(b, text);
	ok(completion(b, 10)->status == IBV_WC_WR_FLUSH_ERR && judged(b),
	   "a datagram finds its receive flushed in ERR");
	play(b, text);
	*completion(b, 10) = came;
	ok(judged(b), "or the datagram came before the failure");
	play(b, text);
	*completion(b, 10) = came;
	ended(b, 11, IBV_WC_SUCCESS);
	ok(!judged(b), "one datagram takes one receive");
	b->seed = NULL;
}

/* More choices than the judge follows in a call lead to no verdict. */
#define LONG_CAP                                                               \
	"send_cq=cq0 recv_cq=cq1 cap.max_send_wr=32 cap.max_recv_wr=32 "       \
	"cap.max_send_sge=1 cap.max_recv_sge=1\n"
#define LONG                                                                   \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=64\ncq1 = create_cq cqe=64\n"     \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"qp0 = create_qp pd0 qp_type=RC " LONG_CAP                             \
	"qp1 = create_qp pd0 qp_type=RC " LONG_CAP INIT("qp0") INIT("qp1")     \
		RTR("qp0", "qp1") RTR("qp1", "qp0") RTS("qp0") RTS("qp1")      \
			RECV("100", "29")

#define UNSIGNALED(more)                                                       \
	"post_send qp1 opcode=SEND send_flags=0 num_sge=1 mr=mr0 length=8 "    \
	"wr_id=3 more=" more "\n"

static void test_long(struct bench *b)
{
	play(b, LONG FAILS UNSIGNALED("14") SENDS);
	b->outcome.out.polled.count = 1;
	ok(completion(b, 1) && may(b), "all of a long list may have come");
	play(b, LONG FAILS UNSIGNALED("19") SENDS);
	b->outcome.out.polled.count = 1;
	ok(is_open(b), "more messages than the judge follows: inconclusive");
}

int main(void)
{
	struct bench *b = bench_new();

	test_message(b);
	test_sender(b);
	test_list(b);
	test_seen(b);
	test_refusal(b);
	test_datagram(b);
	test_long(b);
	return bench_end(b);
}
