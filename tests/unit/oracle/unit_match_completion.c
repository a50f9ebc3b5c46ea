// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the request that a completion belongs to if several requests have its
 * wr_id. The other fields of the completion tell, or the completions that
 * follow.
 */
#include "tests/unit/oracle/oracle_pair.h"

#define POLL(n) "poll_cq cq1 max=" n "\n"

#define MADE(qp, send_cq)                                                      \
	qp " = create_qp pd0 qp_type=RC send_cq=" send_cq " recv_cq=cq1 "      \
	   "cap.max_send_wr=2 cap.max_recv_wr=3 cap.max_send_sge=1 "           \
	   "cap.max_recv_sge=1\n" INIT(qp)

/* Two queue pairs connected to themselves, whose completion queue does not
 * report the queue pair. */
#define LONER(qp)                                                              \
	MADE(qp, "cq1")                                                        \
	RTR(qp, qp)                                                            \
	RTS(qp)                                                                \
	"modify_qp " qp " mask=ACCESS_FLAGS qp_access_flags=REMOTE_WRITE\n"
#define RECEIVE(qp)    "post_recv " qp " wr_id=5 num_sge=1 mr=mr0 length=64\n"
#define TELL(qp, what) "post_send " qp " wr_id=5 mr=mr0 " what "\n"
#define LONERS(flags, first, second)                                           \
	"pd0 = alloc_pd\nmr0 = reg_mr pd0 length=64 access=LOCAL_WRITE\n"      \
	"cq1 = create_cq_ex cqe=16 wc_flags=" flags "\n" LONER("qp0")          \
		LONER("qp1") RECEIVE("qp0") RECEIVE("qp1") TELL("qp0", first)  \
			TELL("qp1", second)
#define BYTES(n) " num_sge=1 length=" n " "
#define LENGTHS(flags)                                                         \
	LONERS(flags, "opcode=SEND" BYTES("8"), "opcode=SEND" BYTES("9"))
#define FLAGS                                                                  \
	LONERS("BYTE_LEN", "opcode=SEND" BYTES("8"),                           \
	       "opcode=SEND_WITH_IMM" BYTES("8"))
#define VALUES                                                                 \
	LONERS("IMM", "opcode=SEND_WITH_IMM imm_data=1",                       \
	       "opcode=SEND_WITH_IMM imm_data=2")
#define OPERATIONS                                                             \
	LONERS("BYTE_LEN", "opcode=SEND send_flags=SIGNALED" BYTES("8"),       \
	       "opcode=RDMA_WRITE send_flags=SIGNALED")
#define FIRST "start_poll cq1\n"
#define BOTH  FIRST "next_poll cq1\n"

static struct polled_wc *told(struct bench *b)
{
	return &b->outcome.out.polled.wc[0];
}

static void other_length(struct bench *b)
{
	told(b)->byte_len ^= 8 ^ 9;
}

static void other_flags(struct bench *b)
{
	told(b)->wc_flags ^= IBV_WC_WITH_IMM;
}

static void other_value(struct bench *b)
{
	told(b)->imm_data ^= 1 ^ 2;
}

static void other_operation(struct bench *b)
{
	told(b)->opcode ^= IBV_WC_SEND ^ IBV_WC_RDMA_WRITE;
}

static void test_told(struct bench *b)
{
	after(b, other_length, LENGTHS("BYTE_LEN") BOTH);
	ok(told(b)->byte_len == 9 && breaks(b, ROW_POLL_FIELDS),
	   "of two receives of a number, the length of one comes once");
	after(b, other_length, LENGTHS("BYTE_LEN") BOTH);
	other_length(b);
	ok(passes(b), "either queue pair may be first");
	play(b, LENGTHS("BYTE_LEN") FIRST);
	told(b)->byte_len = 10;
	ok(breaks(b, ROW_POLL_FIELDS), "another length matches no receive");
	after(b, other_flags, FLAGS BOTH);
	other_flags(b);
	ok(passes(b), "the receive with immediate data is told apart");
	after(b, other_flags, FLAGS BOTH);
	ok(breaks(b, ROW_POLL_FIELDS), "it comes once, too");
	after(b, other_value, VALUES BOTH);
	other_value(b);
	ok(passes(b), "the receive with other immediate data is told apart");
	after(b, other_value, VALUES BOTH);
	ok(breaks(b, ROW_POLL_FIELDS), "each comes once");
	after(b, other_length, LENGTHS("IMM") BOTH);
	told(b)->byte_len = 77;
	ok(passes(b), "a field that the queue does not report tells nothing");
	after(b, other_operation, OPERATIONS BOTH "next_poll cq1\n");
	other_operation(b);
	ok(told(b)->opcode == IBV_WC_SEND && passes(b),
	   "the opcode tells two sends apart");
}

/* The first completion may be of either queue pair. */
#define UNTOLD(first)                                                          \
	"pd0 = alloc_pd\ncq1 = create_cq_ex cqe=16 wc_flags=BYTE_LEN\n" MADE(  \
		"qp0", "cq1")                                                  \
		MADE("qp1",                                                    \
		     "cq1") "post_recv qp0 wr_id=5\npost_recv qp0 wr_id=6\n"   \
			    "post_recv qp1 wr_id=5\npost_recv qp1 wr_id=7\n"   \
			    "modify_qp " first " mask=STATE qp_state=ERR\n"
#define SECOND "modify_qp qp1 mask=STATE qp_state=ERR\n"

static void test_untold(struct bench *b)
{
	play(b, UNTOLD("qp0") BOTH);
	ok(told(b)->wr_id == 6 && passes(b),
	   "the first completion is of the first queue pair");
	play(b, UNTOLD("qp1") BOTH);
	ok(told(b)->wr_id == 7 && passes(b), "or of the second queue pair");
	play(b, UNTOLD("qp0") SECOND BOTH);
	ok(told(b)->wr_id == 6 && passes(b), "the next completion tells which");
	play(b, UNTOLD("qp0") SECOND BOTH);
	told(b)->wr_id = 7;
	ok(passes(b), "the next completion may match either");
	play(b, UNTOLD("qp0") SECOND BOTH);
	told(b)->wr_id = 8;
	ok(breaks(b, ROW_POLL_ORDER), "and is matched to one of them");
}

/* A failed completion does not show whether it is of a send or a receive. */
#define BOTH_QUEUES                                                            \
	"pd0 = alloc_pd\ncq1 = create_cq cqe=8\n" MADE("qp0", "cq1") MADE(     \
		"qp1", "cq1") RTR("qp0", "qp1") RTR("qp1", "qp0")              \
		RTS("qp0") "post_recv qp0 wr_id=5\npost_recv qp0 wr_id=7\n"    \
			   "post_send qp0 wr_id=5 opcode=SEND\n"               \
			   "post_send qp0 wr_id=6 opcode=SEND\n"               \
			   "modify_qp qp0 mask=STATE qp_state=ERR\n"

static void test_queues(struct bench *b)
{
	play(b, BOTH_QUEUES POLL("2"));
	ok(told(b)[1].wr_id == 6 && passes(b), "sends may be flushed first");
	play(b, BOTH_QUEUES POLL("2"));
	told(b)[1].wr_id = 7;
	ok(passes(b), "or receives may be flushed first");
}

/* The sends wait for receives and are not retried. */
#define HASTY_RTS(qp, peer)                                                    \
	RTR(qp, peer)                                                          \
	"modify_qp " qp                                                        \
	" mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC "     \
	"qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=0\n"
#define IN_TIME " timeout_ms=3000\n"

/* The second send fails, then the first gets its receive. */
static void receives(struct bench *b)
{
	struct polled_wc *wc = told(b);

	wc->wr_id = 3;
	wc->status = IBV_WC_SUCCESS;
	wc->opcode = IBV_WC_RECV;
	wc->wc_flags = 0;
}

static void test_waiting(struct bench *b)
{
	play(b, "pd0 = alloc_pd\ncq1 = create_cq_ex cqe=8 wc_flags=IMM\n" MADE(
			"qp0", "cq1") MADE("qp1", "cq1") HASTY_RTS("qp0", "qp0")
			HASTY_RTS("qp1", "qp1") "post_send qp0 opcode=SEND\n"
						"post_send qp1 opcode=SEND\n"
						"start_poll cq1" IN_TIME
						"end_poll cq1\n"
						"post_recv qp0 wr_id=3\n"
						"start_poll cq1\n");
	receives(b);
	ok(passes(b), "of two sends that wait either is given up first");
	play(b, "pd0 = alloc_pd\ncq0 = create_cq cqe=2\ncq1 = create_cq "
		"cqe=2\n" MADE("qp0", "cq0") MADE("qp1", "cq0")
			HASTY_RTS("qp0", "qp1")
				RTR("qp1", "qp0") "post_recv qp0 wr_id=5\n"
						  "post_send qp0 opcode=SEND\n"
						  "poll_cq cq1 max=1" IN_TIME);
	ok(told(b)->status == IBV_WC_WR_FLUSH_ERR && passes(b),
	   "a receive polled before tells which send failed");
}

static void swap_completions(struct bench *b)
{
	struct polled_wc first = told(b)[0];

	told(b)[0] = told(b)[1];
	told(b)[1] = first;
}

static void test_last_resort(struct bench *b)
{
	play(b,
	     "pd0 = alloc_pd\ncq1 = create_cq cqe=4\n" MADE("qp0", "cq1")
		     MADE("qp1", "cq1") HASTY_RTS("qp0", "qp1") HASTY_RTS(
			     "qp1", "qp0") "post_recv qp0\n"
					   "post_send qp1 wr_id=1 opcode=SEND\n"
					   "post_send qp0 opcode=SEND\n"
					   "poll_cq cq1 max=2" IN_TIME);
	swap_completions(b);
	ok(told(b)->status == IBV_WC_RNR_RETRY_EXC_ERR && passes(b),
	   "a request of the number that succeeds is not the one that failed");
	/* A destroyed queue pair may have left a completion with this wr_id. */
	play(b,
	     "pd0 = alloc_pd\ncq0 = create_cq cqe=2\n"
	     "cq1 = create_cq_ex cqe=4 wc_flags=IMM\ncq2 = create_cq "
	     "cqe=2\n" MADE("qp0", "cq1") MADE("qp1", "cq0")
		     HASTY_RTS("qp0", "qp0") HASTY_RTS(
			     "qp1", "qp0") "post_send qp0 wr_id=1 opcode=SEND\n"
					   "destroy_qp qp0\n"
					   "post_recv qp1 wr_id=1\npost_recv "
					   "qp1 wr_id=1\n"
					   "post_recv qp1 wr_id=2\n"
					   "post_send qp1 wr_id=4 opcode=SEND\n"
					   "poll_cq cq2 max=1" IN_TIME BOTH
					   "next_poll cq1\n");
	ok(told(b)->wr_id == 2 && passes(b),
	   "a completion of a destroyed queue pair need not come");
}

int main(void)
{
	struct bench *b = bench_new();

	test_told(b);
	test_untold(b);
	test_queues(b);
	test_waiting(b);
	test_last_resort(b);
	return bench_end(b);
}
