// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues. An SRQ that accepts a limit above the size in the same
 * call has that many entries, whether the limit event was raised or not.
 * Messages sent at the same time may take the receives in any order.
 */
#include "tests/unit/oracle/oracle_bench.h"

static void granted(struct bench *b)
{
	b->outcome.ret = 0;
}

static void reports(struct bench *b, uint32_t max_wr, uint32_t limit)
{
	b->alter = granted;
	play(b, "pd0 = alloc_pd\nsrq0 = create_srq pd0 max_wr=2 max_sge=1\n"
		"modify_srq srq0 mask=MAX_WR|LIMIT max_wr=1 srq_limit=2\n"
		"query_srq srq0\n");
	b->outcome.out.srq_attr.attr.max_wr = max_wr;
	b->outcome.out.srq_attr.attr.srq_limit = limit;
}

#define QP(name, srq)                                                          \
	name " = create_qp pd0 send_cq=cq0 recv_cq=cq1 qp_type=RC "            \
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
#define SHARED                                                                 \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE\n"                      \
	"srq0 = create_srq pd0 max_wr=4 max_sge=1\n" QP("qp0", "")             \
		QP("qp1", " srq=srq0") QP("qp2", "") QP("qp3", " srq=srq0")    \
			TO_RTS("qp0", "qp1") TO_RTS("qp1", "qp0")              \
				TO_RTS("qp2", "qp3") TO_RTS("qp3", "qp2")
#define RECEIVE(n) "post_srq_recv srq0 wr_id=" n " num_sge=1 mr=mr0 length=32\n"
#define SEND(qp, n)                                                            \
	"post_send " qp " wr_id=1 opcode=SEND send_flags=SIGNALED num_sge=1 "  \
	"mr=mr0 length=" n "\n"
#define SENT  "poll_cq cq0 max=1 timeout_ms=1000\n"
#define CAME  "poll_cq cq1 max=2 timeout_ms=1000\n"
#define LATER SEND("qp0", "8") RECEIVE("20") RECEIVE("21") SEND("qp2", "9")

/* The second message takes the receive before the first message. */
static void overtakes(struct bench *b, const char *text)
{
	struct polled_wc *wc, first;

	b->alter = NULL;
	play(b, text);
	wc = b->outcome.out.polled.wc;
	first = wc[0];
	wc[0] = wc[1];
	wc[1] = first;
	wc[0].wr_id = 20;
	wc[1].wr_id = 21;
}

static void test_shared(struct bench *b)
{
	play(b, SHARED LATER CAME);
	ok(b->outcome.out.polled.count == 2 && passes(b),
	   "a message that waited takes the first receive");
	overtakes(b, SHARED LATER CAME);
	ok(non_strict(b, ROW_SRQ_ORDER), "or the second receive");
	overtakes(b, SHARED LATER CAME);
	b->outcome.out.polled.wc[1].byte_len = 9;
	ok(breaks(b, ROW_POLL_FIELDS), "with its own bytes");
	overtakes(b, SHARED RECEIVE("20") RECEIVE("21") SEND("qp0", "8")
			     SENT SEND("qp2", "9") CAME);
	ok(!judged(b), "not if it arrived before the other was sent");
	overtakes(b, SHARED RECEIVE("20") RECEIVE("21") SEND("qp0", "8")
			     SEND("qp0", "9") CAME);
	ok(!judged(b), "nor ahead of a message of the same sender");
}

int main(void)
{
	struct bench *b = bench_new();

	test_shared(b);

	play(b, "pd0 = alloc_pd\nsrq0 = create_srq pd0 max_wr=2 max_sge=1\n"
		"query_srq srq0\n");
	ok(passes(b), "an SRQ as it was made");
	reports(b, 2, 2);
	ok(judged(b), "entries for the limit");
	reports(b, 2, 0);
	ok(judged(b), "or the limit event came at once");
	reports(b, 1, 2);
	ok(breaks(b, ROW_SRQ_LIMIT_RESIZED), "but not fewer entries");
	reports(b, 1, 0);
	ok(breaks(b, ROW_SRQ_LIMIT_RESIZED), "nor fewer after the event");
	return bench_end(b);
}
