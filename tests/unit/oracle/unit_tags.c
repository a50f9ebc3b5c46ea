// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tag matching: what completions may say of operations and of messages that no
 * tag matches, and what is known while an operation has not been carried out.
 */
#include "tests/unit/oracle/oracle_bench.h"

#define QP(name, srq)                                                          \
	name " = create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC "            \
	     "cap.max_send_wr=4 cap.max_send_sge=1" srq "\n"
#define TO_RTS(a, b)                                                           \
	"modify_qp " a " mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT "             \
	"qp_state=INIT port_num=$port\n"                                       \
	"modify_qp " a " mask=STATE|AV|PATH_MTU|RQ_PSN|MIN_RNR_TIMER|"         \
	"MAX_DEST_RD_ATOMIC|DEST_QPN qp_state=RTR ah_attr.dlid=$lid "          \
	"ah_attr.port_num=$port path_mtu=$mtu dest_qp_num=" b ".qp_num\n"      \
	"modify_qp " a " mask=STATE|TIMEOUT|RETRY_CNT|RNR_RETRY|"              \
	"MAX_QP_RD_ATOMIC|SQ_PSN qp_state=RTS timeout=14 retry_cnt=7 "         \
	"rnr_retry=7\n"
#define STAGE                                                                  \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"                             \
	"cq1 = create_cq_ex cqe=16 wc_flags=BYTE_LEN|QP_NUM|TM_INFO\n"         \
	"mr0 = reg_mr pd0 length=256 access=LOCAL_WRITE\n"                     \
	"srq0 = create_srq_ex pd=pd0 cq=cq1 srq_type=TM "                      \
	"comp_mask=TYPE|PD|CQ|TM max_wr=4 max_sge=1 tm_cap.max_num_tags=4 "    \
	"tm_cap.max_ops=8\n"                                                   \
	"post_srq_recv srq0 wr_id=20 num_sge=1 mr=mr0 length=64\n" QP("qp0",   \
								      "")      \
		QP("qp1", " srq=srq0") TO_RTS("qp0", "qp1")                    \
			TO_RTS("qp1", "qp0")
#define SEND(opcode)                                                           \
	"write_tmh mr0 offset=128 opcode=" opcode " tag=5\n"                   \
	"post_send qp0 wr_id=1 opcode=SEND send_flags=SIGNALED num_sge=1 "     \
	"mr=mr0 offset=128 length=32\n"
#define MESSAGE(opcode) SEND(opcode) "poll_cq cq0 max=1 timeout_ms=1000\n"
#define ADD(flags)                                                             \
	"post_srq_ops srq0 wr_id=7 opcode=TAG_ADD flags=" flags                \
	" num_sge=1 mr=mr0 offset=64 length=64 recv_wr_id=30 tag=5 mask=0xf\n"
#define POLL "start_poll cq1 timeout_ms=1000\n"
#define NEXT POLL "end_poll cq1\n"
#define REPORT                                                                 \
	"post_srq_ops srq0 wr_id=8 opcode=TAG_SYNC flags=SIGNALED|TM_SYNC "    \
	"unexpected_cnt=1\n"

static struct polled_wc *wc_of(struct bench *b, const char *text)
{
	b->alter = NULL;
	play(b, text);
	return &b->outcome.out.polled.wc[0];
}

#define MISSED STAGE MESSAGE("EAGER")

static void test_unexpected(struct bench *b)
{
	struct polled_wc *wc = wc_of(b, MISSED POLL);

	ok(wc->opcode == IBV_WC_RECV && passes(b),
	   "an unexpected message is a receive");
	wc = wc_of(b, MISSED POLL);
	wc->opcode = IBV_WC_TM_RECV;
	ok(non_strict(b, ROW_TM_UNEXPECTED_OP), "or TM_RECV without flags");
	wc = wc_of(b, MISSED POLL);
	wc->opcode = IBV_WC_TM_RECV;
	wc->wc_flags |= IBV_WC_TM_MATCH;
	ok(!judged(b), "not with TM_MATCH");
}

static void test_flag(struct bench *b)
{
	struct polled_wc *wc;

	wc = wc_of(b, MISSED NEXT ADD("SIGNALED") POLL);
	ok(wc->wc_flags & IBV_WC_TM_SYNC_REQ && passes(b),
	   "a message that was not reported is asked for");
	wc = wc_of(b, MISSED NEXT ADD("SIGNALED") POLL);
	wc->wc_flags = 0;
	ok(breaks(b, ROW_TM_SYNC_REQ), "by each device");
	wc = wc_of(b, MISSED NEXT REPORT NEXT ADD("SIGNALED") POLL);
	ok(!(wc->wc_flags & IBV_WC_TM_SYNC_REQ) && passes(b),
	   "one that was reported is not");
	wc = wc_of(b, MISSED NEXT REPORT NEXT ADD("SIGNALED") POLL);
	wc->wc_flags |= IBV_WC_TM_SYNC_REQ;
	ok(non_strict(b, ROW_TM_SYNC_SPARE), "but a device may do so");
	wc = wc_of(b, STAGE MESSAGE("NO_TAG") NEXT ADD("SIGNALED") POLL);
	wc->wc_flags |= IBV_WC_TM_SYNC_REQ;
	ok(judged(b), "nor a NO_TAG message, unless the device counts it");
}

static void test_handles(struct bench *b)
{
	static const char two[] = STAGE ADD("SIGNALED") ADD("SIGNALED");

	b->alter = NULL;
	play(b, two);
	ok(passes(b), "two tags");
	play(b, two);
	b->outcome.out.posted.handle[0] = 3;
	ok(passes(b), "have any handles");
	play(b, two);
	b->outcome.out.posted.handle[0] = 0;
	ok(breaks(b, ROW_TM_HANDLE), "but not the same");
}

/* The message takes the receive of the SRQ. */
static void misses(struct bench *b, const char *text)
{
	struct polled_wc *wc = wc_of(b, text);

	wc->opcode = IBV_WC_RECV;
	wc->wr_id = 20;
	wc->wc_flags = 0;
	wc->byte_len = 32;
}

static void test_unseen(struct bench *b)
{
	misses(b, STAGE ADD("SIGNALED") NEXT MESSAGE("EAGER") POLL);
	ok(!judged(b) && b->said.verdict == VERDICT_DEVIATES,
	   "a tag that is there matches");
	b->alter = NULL;
	play(b, STAGE ADD("0") SEND("EAGER"));
	ok(is_open(b), "one that nobody has seen may come too late");
}

int main(void)
{
	struct bench *b = bench_new();

	test_unexpected(b);
	test_flag(b);
	test_handles(b);
	test_unseen(b);
	return bench_end(b);
}
