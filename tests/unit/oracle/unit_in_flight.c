// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages under way when either end goes to ERR. Requests without a polled
 * completion may be flushed, both ends have to agree, and completions that were
 * seen stay true.
 */
#include "tests/unit/oracle/oracle_pair.h"

#define MESSAGES                                                               \
	"post_recv qp1 wr_id=10 more=1 num_sge=1 mr=mr0 length=64\n" SEND("1") \
		SEND("2")
#define TWO	  CONNECTED MESSAGES
#define ERR(qp)	  "modify_qp " qp " mask=STATE qp_state=ERR\n"
#define RECEIVES  "poll_cq cq1 max=8 timeout_ms=1000\n"
#define SENDS(ms) "poll_cq cq0 max=8 timeout_ms=" ms "\n"

static void give(struct bench *b, int i, enum ibv_wc_status status)
{
	struct polled_wc *wc = &b->outcome.out.polled.wc[i];

	wc->status = status;
	wc->vendor_err = 0;
}

static void flush_both(struct bench *b)
{
	give(b, 0, IBV_WC_WR_FLUSH_ERR);
	give(b, 1, IBV_WC_WR_FLUSH_ERR);
}

static void no_answer(struct bench *b)
{
	give(b, 0, IBV_WC_RETRY_EXC_ERR);
	give(b, 1, IBV_WC_WR_FLUSH_ERR);
}

static bool may(struct bench *b)
{
	return non_strict(b, ROW_POLL_IN_FLIGHT);
}

static void none(struct bench *b)
{
	b->outcome.out.polled.count = 0;
}

/* The receiver goes to ERR. */
static void test_receives(struct bench *b)
{
	play(b, TWO ERR("qp1") RECEIVES);
	ok(b->outcome.out.polled.count == 2 && passes(b),
	   "both messages arrive");
	play(b, TWO ERR("qp1") RECEIVES);
	flush_both(b);
	ok(may(b), "or none does, and both receives are flushed");
	play(b, TWO ERR("qp1") RECEIVES);
	give(b, 1, IBV_WC_WR_FLUSH_ERR);
	ok(may(b), "or the first message arrives");
	play(b, TWO ERR("qp1") RECEIVES);
	give(b, 0, IBV_WC_WR_FLUSH_ERR);
	ok(!judged(b), "but not only the second");
	play(b, TWO ERR("qp1") RECEIVES);
	none(b);
	ok(breaks(b, ROW_POLL_EACH), "no receive is missing");
	play(b, TWO ERR("qp1") SENDS("1000") RECEIVES);
	flush_both(b);
	ok(!judged(b), "a receive is not flushed if its send has succeeded");
}

/* The completions of the sender. */
static void test_sender(struct bench *b)
{
	after(b, flush_both, TWO ERR("qp1") RECEIVES SENDS("5000"));
	no_answer(b);
	ok(may(b), "the sender gets no answer");
	after(b, flush_both, TWO ERR("qp1") RECEIVES SENDS("5000"));
	ok(!judged(b), "the send does not succeed");
	after(b, flush_both, TWO ERR("qp1") RECEIVES SENDS("100"));
	none(b);
	ok(may(b), "the send may wait");
	after(b, flush_both, TWO ERR("qp1") RECEIVES SENDS("5000"));
	none(b);
	ok(breaks(b, ROW_RETRY_ANSWER), "but not after any time");
	play(b, TWO ERR("qp1") SENDS("5000"));
	no_answer(b);
	ok(may(b), "the sender's completion comes first");
	after(b, no_answer, TWO ERR("qp1") SENDS("5000") RECEIVES);
	flush_both(b);
	ok(may(b), "then the receives are flushed");
	after(b, no_answer, TWO ERR("qp1") SENDS("5000") RECEIVES);
	ok(!judged(b), "and no message arrives");
	play(b, TWO SENDS("5000"));
	no_answer(b);
	ok(!judged(b), "without ERR the send succeeds");
}

/* The sender goes to ERR. */
static void test_flushed(struct bench *b)
{
	play(b, TWO ERR("qp0") RECEIVES);
	none(b);
	ok(may(b), "messages of a sender in ERR need not have come");
	play(b, TWO ERR("qp0") RECEIVES);
	b->outcome.out.polled.count = 1;
	ok(may(b), "or only the first message arrived");
	play(b, TWO ERR("qp0") RECEIVES);
	b->outcome.out.polled.wc[0] = b->outcome.out.polled.wc[1];
	b->outcome.out.polled.count = 1;
	ok(!judged(b), "but not only the second");
	play(b, TWO ERR("qp0") SENDS("1000") RECEIVES);
	none(b);
	ok(breaks(b, ROW_POLL_EACH), "messages whose sends succeeded arrived");
	after(b, flush_both, TWO ERR("qp0") SENDS("1000") RECEIVES);
	none(b);
	ok(may(b), "messages whose sends were flushed need not have");
}

/* A WRITE without permission after two messages: the fault takes both ends to
 * ERR. */
#define FAULT(qp)                                                              \
	"post_send " qp " opcode=RDMA_WRITE send_flags=SIGNALED num_sge=1 "    \
	"mr=mr0 length=8 wr_id=9 remote=mr0\n"
#define BOTH_SEND                                                              \
	TWO "post_recv qp0 wr_id=20 num_sge=1 mr=mr0 length=64\n"              \
	    "post_send qp1 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 "  \
	    "length=8 wr_id=3\n"

/* Runs a program whose last poll shows a request as flushed. */
static void flushed(struct bench *b, uint64_t wr_id, const char *text)
{
	struct polled_args *out = &b->outcome.out.polled;

	play(b, text);
	for (uint32_t i = 0; i < out->count; i++)
		if (out->wc[i].wr_id == wr_id)
			give(b, (int)i, IBV_WC_WR_FLUSH_ERR);
}

static void test_fault(struct bench *b)
{
	play(b, BOTH_SEND FAULT("qp0") RECEIVES);
	ok(b->outcome.out.polled.count == 3 && passes(b),
	   "messages both ways, and a fault of one side");
	flushed(b, 20, BOTH_SEND FAULT("qp0") RECEIVES);
	ok(may(b), "flushes the receive of what the other side sends");
	flushed(b, 10, BOTH_SEND FAULT("qp0") RECEIVES);
	ok(!judged(b), "not the receives of messages before the fault");
	flushed(b, 3, BOTH_SEND FAULT("qp0") SENDS("1000"));
	ok(may(b), "and flushes the send itself");
	flushed(b, 1, BOTH_SEND FAULT("qp0") SENDS("1000"));
	ok(!judged(b), "not the sends before the fault");
}

/* A send fails, which moves its queue pair to another state. */
static void test_failing(struct bench *b)
{
	static const char fails[] = CONNECTED
		"post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 "
		"mr=mr0 lkey=mr0.lkey+1 length=8 wr_id=1\n";
	static const char query[] = "query_qp qp0 mask=STATE\n";
	char text[4096];

	snprintf(text, sizeof(text), "%s%s", fails, query);
	play(b, text);
	ok(b->outcome.out.qp_attr.attr.qp_state == IBV_QPS_ERR && passes(b),
	   "a send has failed when the state is asked for");
	play(b, text);
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
	ok(passes(b), "or is still under way");
	play(b, text);
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_SQE;
	ok(breaks(b, ROW_QRY_STATE), "but does not lead to another state");
	snprintf(text, sizeof(text), "%s%s%s", fails, SENDS("1000"), query);
	play(b, text);
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
	ok(breaks(b, ROW_QRY_STATE), "once seen, the state stays");
}

#define WRITE(id)                                                              \
	"post_send qp0 opcode=RDMA_WRITE send_flags=SIGNALED num_sge=1 "       \
	"mr=mr0 length=8 remote=mr1 wr_id=" id "\n"
#define WRITES                                                                 \
	CONNECTED                                                              \
	"mr1 = reg_mr pd0 length=64 access=LOCAL_WRITE|REMOTE_WRITE\n"         \
	"modify_qp qp1 mask=ACCESS_FLAGS "                                     \
	"qp_access_flags=REMOTE_WRITE\n" WRITE("1") WRITE("2")
#define GONE "destroy_qp qp1\n"

/* Requests without a receive, and the responder stops. */
static void test_requests(struct bench *b)
{
	static const char *const ends[] = {
		WRITES ERR("qp1") SENDS("5000"),
		WRITES
		"modify_qp qp1 mask=STATE qp_state=RESET\n" SENDS("5000"),
		WRITES GONE SENDS("5000"),
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		play(b, ends[i]);
		ok(passes(b), "a responder that stops has answered, or");
		play(b, ends[i]);
		no_answer(b);
		ok(may(b), "has not answered the first write, or");
		play(b, ends[i]);
		give(b, 1, IBV_WC_RETRY_EXC_ERR);
		ok(may(b), "the second one");
		play(b, ends[i]);
		give(b, 0, IBV_WC_RETRY_EXC_ERR);
		ok(!judged(b), "but the second one alone it has not answered");
	}
	play(b, WRITES GONE SENDS("100"));
	none(b);
	ok(may(b), "the writes may still be retried");
	play(b, WRITES GONE SENDS("5000"));
	none(b);
	ok(breaks(b, ROW_RETRY_ANSWER), "but not for ever");
	play(b, WRITES SENDS("5000"));
	no_answer(b);
	ok(!judged(b), "a responder that goes on has answered");
	play(b,
	     WRITES "poll_cq cq0 max=1 timeout_ms=1000\n" GONE SENDS("5000"));
	give(b, 0, IBV_WC_RETRY_EXC_ERR);
	ok(may(b), "the write behind one that was seen may be unanswered");
}

/* A message whose receive nobody can poll any more. */
static void test_gone(struct bench *b)
{
	static const char other[] = PAIR
		"cq2 = create_cq cqe=16\n"
		"qp2 = create_qp pd0 qp_type=RC send_cq=cq2 recv_cq=cq2 "
		"cap.max_send_wr=8 cap.max_recv_wr=8 cap.max_send_sge=1 "
		"cap.max_recv_sge=1\n" INIT(
			"qp2") RTR("qp0", "qp2") RTR("qp2", "qp0") RTS("qp0")
			RTS("qp2") "post_recv qp2 wr_id=10 more=1 num_sge=1 "
				   "mr=mr0 "
				   "length=64\n" SEND("1") SEND(
					   "2") "destroy_qp qp2\ndestroy_cq "
						"cq2\n" SENDS("5000");

	play(b, other);
	ok(passes(b), "a message whose receive is gone was answered");
	play(b, other);
	no_answer(b);
	ok(may(b), "or it was not");
}

static void no_receive(struct bench *b)
{
	give(b, 0, IBV_WC_RNR_RETRY_EXC_ERR);
}

/* A message waits for a receive, without end, when its receiver stops. */
static void test_waiting(struct bench *b)
{
	static const char *const ends[] = {
		CONNECTED SEND("1") ERR("qp1") SENDS("5000"),
		CONNECTED SEND("1") GONE SENDS("5000"),
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		play(b, ends[i]);
		ok(b->outcome.out.polled.count == 1 && passes(b),
		   "a message that waited for a receive is given up");
		play(b, ends[i]);
		none(b);
		ok(breaks(b, ROW_RETRY_ANSWER), "it does not wait for ever");
		play(b, ends[i]);
		no_receive(b);
		ok(!judged(b), "and has run out of no RNR retries");
	}
}

/* The sends of qp0 overran their queue, and the program was told so. Then both
 * queue pairs start anew, and three messages wait for one list of receives. */
#define ANEW(qp) "modify_qp " qp " mask=STATE qp_state=RESET\n"
#define TOLD                                                                   \
	MESSAGES "get_async_event timeout_ms=0\n" ANEW("qp0") ANEW("qp1")      \
		INIT("qp0") INIT("qp1") RTR("qp0", "qp1") RTR("qp1", "qp0")    \
			RTS("qp0") SEND("1") SEND("2")                         \
				SEND("3") "post_recv qp1 wr_id=20 more=2 "     \
					  "num_sge=1 mr=mr0 length=64\n"
#define SMALL	     "resize_cq cq0 cqe=1\n"
#define BEHIND(size) CONNECTED size TOLD RECEIVES

static void test_overrun(struct bench *b)
{
	play(b, BEHIND(SMALL));
	b->outcome.out.polled.count = 1;
	ok(may(b), "sends behind one that finds no room need not come");
	play(b, BEHIND(SMALL));
	none(b);
	ok(breaks(b, ROW_POLL_EACH), "but this one has come");
	play(b, BEHIND(""));
	b->outcome.out.polled.count = 1;
	ok(breaks(b, ROW_POLL_EACH), "with room all of them come");
}

int main(void)
{
	struct bench *b = bench_new();

	test_receives(b);
	test_sender(b);
	test_flushed(b);
	test_fault(b);
	test_failing(b);
	test_requests(b);
	test_gone(b);
	test_waiting(b);
	test_overrun(b);
	return bench_end(b);
}
