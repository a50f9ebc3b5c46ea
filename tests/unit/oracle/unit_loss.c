// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages that may be lost. The receive stays, and the next message takes it,
 * even a message that had no receive without the loss. Nothing else may be
 * missing.
 */
#include "tests/unit/oracle/oracle_datagram.h"

#define SELF                                                                   \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"                             \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"ah0 = create_ah pd0 dlid=$lid port_num=$port\n"                       \
	"qp0 = create_qp pd0 " QP "modify_qp qp0 " INIT                        \
	"modify_qp qp0 mask=STATE qp_state=RTR\n"                              \
	"modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS\n"
#define ROOM "num_sge=1 mr=mr0 length=256\n"
#define SEND(id, length)                                                       \
	"post_send qp0 opcode=SEND num_sge=1 mr=mr0 ah=ah0 "                   \
	"remote_qpn=qp0.qp_num wr_id=" id " length=" length "\n"
/* Receives 10 to 12, and messages of 1, 2 and 3 bytes. */
#define THREE                                                                  \
	SELF "post_recv qp0 wr_id=10 more=2 " ROOM SEND("1", "1")              \
		SEND("2", "2") SEND("3", "3") "poll_cq cq0 max=8\n"

/* Shows that receives from 10 on got the last `n` of the three messages. */
static void arrive(struct bench *b, uint32_t n)
{
	struct polled_args *out = &b->outcome.out.polled;

	out->count = n;
	for (uint32_t i = 0; i < n; i++)
		out->wc[i].byte_len += 3 - n;
}

static void test_lost(struct bench *b)
{
	play(b, THREE);
	ok(b->outcome.out.polled.count == 3 && passes(b),
	   "messages that all arrive");
	for (uint32_t n = 0; n < 3; n++) {
		play(b, THREE);
		arrive(b, n);
		ok(non_strict(b, ROW_POLL_LOST), "the first ones are lost");
	}
	play(b, THREE);
	b->outcome.out.polled.wc[1].byte_len = 40 + 3;
	b->outcome.out.polled.count = 2;
	ok(non_strict(b, ROW_POLL_LOST), "the one in the middle is lost");
	play(b, THREE);
	b->outcome.out.polled.wc[0].wr_id = 11;
	ok(!judged(b), "but no lost message takes its receive with it");
	play(b, THREE);
	b->outcome.out.polled.wc[0].byte_len = 40 + 4;
	ok(breaks(b, ROW_POLL_FIELDS), "no message comes from nowhere");
}

/* Without a loss no receive is left to flush. */
static void test_lost_flush(struct bench *b)
{
	static const char more[] = "modify_qp qp0 " ERR "poll_cq cq0 max=8\n";
	char text[2048];
	struct polled_args *out = &b->outcome.out.polled;

	snprintf(text, sizeof(text), "%s%s",
		 SELF "post_recv qp0 wr_id=10 " ROOM SEND("1", "1"), more);
	play(b, text);
	out->wc[0].status = IBV_WC_WR_FLUSH_ERR;
	out->wc[0].vendor_err = 0;
	ok(out->count == 1 && non_strict(b, ROW_POLL_LOST),
	   "the receive of a lost message is flushed");
	play(b, text);
	out->count = 0;
	ok(breaks(b, ROW_POLL_FLUSH), "that receive is not missing");
}

/* One receive, and two messages. */
#define ONE SELF "post_recv qp0 wr_id=10 " ROOM SEND("1", "1") SEND("2", "2")

static void test_stray(struct bench *b)
{
	struct polled_args *out = &b->outcome.out.polled;

	play(b, ONE "poll_cq cq0 max=8\n");
	ok(out->count == 1 && passes(b), "the first of two messages arrives");
	play(b, ONE "poll_cq cq0 max=8\n");
	out->wc[0].byte_len = 40 + 2;
	ok(non_strict(b, ROW_POLL_LOST),
	   "the second message arrives if the first is lost");
	play(b, ONE "poll_cq cq0 max=8\n");
	out->wc[0].byte_len = 40 + 3;
	ok(breaks(b, ROW_POLL_FIELDS), "no third message arrives");
	play(b, ONE "post_recv qp0 wr_id=11 " ROOM SEND(
			"3", "3") "poll_cq cq0 max=8\n");
	out->wc[0].byte_len = 40 + 2;
	ok(out->count == 2 && non_strict(b, ROW_POLL_LOST),
	   "and the third one takes its own receive");
	play(b, ONE "post_recv qp0 wr_id=11 " ROOM SEND(
			"3", "3") "poll_cq cq0 max=8\n");
	out->wc[1].byte_len = 40 + 2;
	ok(!judged(b), "which the second one cannot, after the first");
}

/* Two messages of one length by two addresses, which leave one receive. */
#define PATHS(first, second)                                                   \
	SELF "ah1 = create_ah pd0 dlid=$lid port_num=$port " first             \
	     "ah2 = create_ah pd0 dlid=$lid port_num=$port " second            \
	     "post_recv qp0 wr_id=10 " ROOM SEND_BY("ah1")                     \
		     SEND_BY("ah2") "poll_cq cq0 max=8\n"
#define SEND_BY(ah)                                                            \
	"post_send qp0 opcode=SEND num_sge=1 mr=mr0 length=1 ah=" ah           \
	" remote_qpn=qp0.qp_num\n"
#define GLOBAL "is_global=1 grh.dgid=$gid grh.hop_limit=64\n"

/* The next message has another path. */
static void test_lost_path(struct bench *b)
{
	struct polled_wc *wc = b->outcome.out.polled.wc, without;

	play(b, PATHS(GLOBAL, "\n"));
	ok(wc->wc_flags == IBV_WC_GRH && passes(b), "a message with a GRH");
	play(b, PATHS("\n", "\n"));
	without = *wc;
	play(b, PATHS(GLOBAL, "\n"));
	*wc = without;
	ok(non_strict(b, ROW_POLL_LOST),
	   "a message with a GRH is lost, and one without arrives");
	play(b, PATHS("\n", GLOBAL));
	wc->wc_flags = IBV_WC_GRH;
	ok(non_strict(b, ROW_POLL_LOST),
	   "a message without a GRH is lost, and one with a GRH arrives");
	play(b, PATHS(GLOBAL, GLOBAL));
	wc->wc_flags = 0;
	ok(breaks(b, ROW_POLL_FIELDS), "no message without a GRH arrives");
	play(b, PATHS("sl=1\n", "sl=2\n"));
	wc->sl = 2;
	ok(non_strict(b, ROW_POLL_LOST),
	   "a message is lost, and one of another SL arrives");
	play(b, PATHS("sl=1\n", "sl=2\n"));
	wc->sl = 3;
	ok(breaks(b, ROW_POLL_PATH), "no message of a third SL arrives");
}

int main(void)
{
	struct bench *b = bench_new();

	test_lost(b);
	test_lost_flush(b);
	test_stray(b);
	test_lost_path(b);
	return bench_end(b);
}
