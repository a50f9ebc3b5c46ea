// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A queue pair receives each message once: check_messages.c.
 */
#include "tests/unit/fire/fire_bench.h"

/* Reports the message of the first completion for another receive as well. */
static void repeat(struct bench *b, int n, uint64_t wr_id)
{
	struct polled_args *came = polled(b, n);

	came->wc[1] = came->wc[0];
	came->wc[1].wr_id = wr_id;
	came->count = 2;
}

static void test_twice(struct bench *b)
{
	play(b, PAIR, RECV("20") RECV("21") SEND("1") SENT CAME);
	ok(polled(b, 4)->count == 1 && holds(b, fire_check_messages),
	   "a message is received");
	repeat(b, 4, 21);
	ok(breaks(b, fire_check_messages, ROW_FIRE_MESSAGES), "only once");
	polled(b, 4)->wc[1].status = IBV_WC_WR_FLUSH_ERR;
	ok(holds(b, fire_check_messages), "the other receive may be flushed");
}

static void test_sent(struct bench *b)
{
	static const char calls[] =
		RECV("20") RECV("21") SEND("1") SENT CAME SEND("2") SENT CAME;

	play(b, PAIR, calls);
	ok(polled(b, 7)->count == 1 && holds(b, fire_check_messages),
	   "two messages are received");
	repeat(b, 4, 21);
	polled(b, 7)->count = 0;
	ok(breaks(b, fire_check_messages, ROW_FIRE_MESSAGES),
	   "the second one not before it is posted");
	at(b, 5)->begin = at(b, 4)->end - 1;
	ok(holds(b, fire_check_messages), "but beside the post");
}

#define SEND_IMM(n)                                                            \
	"post_send qp0 wr_id=" n " opcode=SEND_WITH_IMM send_flags=SIGNALED "  \
	"imm_data=" n " num_sge=1 mr=mr0 length=8\n"

static void test_immediate(struct bench *b)
{
	play(b, PAIR,
	     RECV("20") RECV("21") SEND_IMM("1") SEND_IMM("2") SENT CAME);
	ok(polled(b, 5)->count == 2 && holds(b, fire_check_messages),
	   "two messages with immediate data are received");
	repeat(b, 5, 21);
	ok(breaks(b, fire_check_messages, ROW_FIRE_MESSAGES),
	   "not one of them twice");
}

static void test_refused(struct bench *b)
{
	play(b, PAIR, RECV("20") RECV("21") SEND("1") SEND("2") SENT CAME);
	at(b, 3)->o.ret = EINVAL;
	at(b, 3)->o.out.posted.bad_wr = 0;
	ok(polled(b, 5)->count == 2 && holds(b, fire_check_messages),
	   "a refused send that arrives is for another rule");
}

static void test_other_kinds(struct bench *b)
{
	play(b, UC_PAIR, RECV("20") RECV("21") SEND("1") SENT CAME);
	repeat(b, 4, 21);
	ok(breaks(b, fire_check_messages, ROW_FIRE_MESSAGES),
	   "an unreliable connection repeats none");
	play(b, SRQ_PAIRS,
	     SRQ_RECV("20") SRQ_RECV("21") SEND("1") SEND_TO("qp2", "2")
		     SENT CAME);
	ok(polled(b, 5)->count == 2 && holds(b, fire_check_messages),
	   "two queue pairs receive by one SRQ");
	polled(b, 5)->wc[1].qp = polled(b, 5)->wc[0].qp;
	ok(breaks(b, fire_check_messages, ROW_FIRE_MESSAGES),
	   "each its own messages");
}

int main(void)
{
	struct bench *b = bench_new();

	test_twice(b);
	test_sent(b);
	test_immediate(b);
	test_refused(b);
	test_other_kinds(b);
	return bench_end(b);
}
