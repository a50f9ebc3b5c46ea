// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * TSO: one message for each segment, the limits of header and payload, and a
 * device that does not support TSO on any type, or on this one.
 */
#include <errno.h>
#include "tests/unit/oracle/oracle_datagram.h"

#define BEGIN                                                                  \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"                             \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"
#define TSO(header, length)                                                    \
	"post_send qp0 opcode=TSO send_flags=SIGNALED num_sge=1 mr=mr0 "       \
	"tso.mss=100 tso.hdr_sz=" header " length=" length

/* 250 bytes to itself, behind a header of 60. */
#define DATAGRAMS                                                              \
	BEGIN "ah0 = create_ah pd0 dlid=$lid port_num=$port\n"                 \
	      "qp0 = create_qp pd0 " QP "modify_qp qp0 " INIT                  \
	      "modify_qp qp0 mask=STATE qp_state=RTR\n"                        \
	      "modify_qp qp0 mask=STATE|SQ_PSN qp_state=RTS\n"                 \
	      "post_recv qp0 wr_id=10 more=4 num_sge=1 mr=mr0 "                \
	      "length=256\n" TSO("60", "250") " ah=ah0 remote_qpn=qp0.qp_num"
#define ARRIVED DATAGRAMS "\npoll_cq cq0 max=8\n"

static void claim(struct bench *b, uint64_t types)
{
	b->info.limit[LIM_tso_supported_qpts] = types;
	b->info.limit[LIM_max_tso] = 1000;
}

static void test_segments(struct bench *b)
{
	struct polled_wc *wc = b->outcome.out.polled.wc;

	claim(b, 1u << IBV_QPT_UD);
	play(b, ARRIVED);
	ok(b->outcome.out.polled.count == 4 && passes(b),
	   "two whole segments, the rest, and the end of the request");
	ok(wc[0].byte_len == 40 + 60 + 100 && wc[1].byte_len == 40 + 60 + 100 &&
		   wc[2].byte_len == 40 + 60 + 50,
	   "each behind the header");
	play(b, ARRIVED);
	wc[0].byte_len = 40 + 60 + 250;
	ok(breaks(b, ROW_TSO_SEGMENTS), "the segments are not one message");
	play(b, ARRIVED);
	wc[1].byte_len -= 60;
	ok(breaks(b, ROW_TSO_SEGMENTS), "no segment lacks its header");
	play(b, ARRIVED);
	wc[3].opcode = IBV_WC_SEND;
	ok(breaks(b, ROW_POLL_FIELDS), "the completion has the opcode of TSO");
	play(b, ARRIVED "read_mr mr0 length=256\n");
	b->outcome.out.view.checksum++;
	ok(passes(b), "the bytes of the segments are not checked");
}

static void refuse(struct bench *b, int err)
{
	b->outcome.ret = err;
	b->outcome.out.posted.bad_wr = err ? 0 : BAD_WR_UNTOUCHED;
}

static void test_unclaimed(struct bench *b)
{
	claim(b, 1u << IBV_QPT_RAW_PACKET);
	play(b, DATAGRAMS "\n");
	ok(b->outcome.ret == EINVAL && passes(b), "without the claim: refused");
	play(b, DATAGRAMS "\n");
	refuse(b, 0);
	ok(non_strict(b, ROW_TSO_CLAIM), "or accepted");
	play(b, DATAGRAMS "\n");
	refuse(b, EIO);
	ok(breaks(b, ROW_TSO_CLAIM), "but not refused with any errno");
}

#define FRAMES(more)                                                           \
	BEGIN "qp0 = create_qp_ex comp_mask=PD" more                           \
	      " pd=pd0 send_cq=cq0 recv_cq=cq0 qp_type=RAW_PACKET "            \
	      "cap.max_send_wr=4 cap.max_send_sge=1 cap.max_recv_wr=1 "        \
	      "cap.max_recv_sge=1\n"                                           \
	      "modify_qp qp0 mask=STATE|PORT qp_state=INIT port_num=$port\n"   \
	      "modify_qp qp0 mask=STATE qp_state=RTR\n"                        \
	      "modify_qp qp0 mask=STATE qp_state=RTS\n"
#define ASKED FRAMES("|MAX_TSO_HEADER max_tso_header=60")

static void takes(struct bench *b, const char *text, const char *name)
{
	play(b, text);
	ok(!b->outcome.ret && passes(b), name);
}

static void refuses(struct bench *b, const char *text, enum row row,
		    const char *name)
{
	play(b, text);
	ok(b->outcome.ret == EINVAL && passes(b), name);
	play(b, text);
	refuse(b, EOPNOTSUPP);
	ok(breaks(b, row), "and not with another errno");
}

static void test_limits(struct bench *b)
{
	claim(b, 1u << IBV_QPT_RAW_PACKET);
	takes(b, ASKED TSO("60", "1000") "\n",
	      "header and payload at their limits");
	refuses(b, ASKED TSO("61", "1000") "\n", ROW_TSO_HEADER,
		"a header of one byte more is refused");
	refuses(b, ASKED TSO("60", "1001") "\n", ROW_TSO_LONG,
		"a payload of one byte more is refused");
	refuses(b, FRAMES("") TSO("54", "10") "\n", ROW_TSO_HEADER,
		"a queue pair that asked for no header takes none");
	play(b, ASKED TSO("61", "10") "\n");
	refuse(b, 0);
	ok(breaks(b, ROW_TSO_HEADER),
	   "a header that is too long is not accepted");
	play(b, ASKED TSO("60", "1001") "\n");
	refuse(b, 0);
	ok(non_strict(b, ROW_TSO_LONG),
	   "a payload that is too long may be accepted");
}

int main(void)
{
	struct bench *b = bench_new();

	test_segments(b);
	test_unclaimed(b);
	test_limits(b);
	return bench_end(b);
}
