// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Each request completes once, in order, and with the status that the calls
 * permit: check_requests.c and check_status.c.
 */
#include "tests/unit/fire/fire_bench.h"

static void test_once(struct bench *b)
{
	play(b, PAIR, RECV("20") SEND("1") SENT CAME CAME);
	ok(polled(b, 2)->count == 1 && polled(b, 3)->count == 1 &&
		   holds(b, fire_check_once),
	   "a send and its receive complete");
	*polled(b, 4) = *polled(b, 3);
	ok(breaks(b, fire_check_once, ROW_FIRE_ONCE), "but not twice");
	polled(b, 4)->count = 0;
	polled(b, 3)->wc[0].wr_id = 99;
	ok(breaks(b, fire_check_once, ROW_FIRE_ONCE),
	   "nor with a number that no request has");
	polled(b, 3)->wc[0].wr_id = 20;
	overlap(b, 3, 0);
	ok(holds(b, fire_check_once), "in a poll beside the post");
	at(b, 0)->begin = at(b, 3)->end + 1;
	ok(breaks(b, fire_check_once, ROW_FIRE_ONCE), "not in one before it");
}

static void test_refused(struct bench *b)
{
	play(b, PAIR, WRITE("1") SENT);
	ok(holds(b, fire_check_refused_post), "an accepted write completes");
	at(b, 0)->o.ret = ENOMEM;
	at(b, 0)->o.out.posted.bad_wr = 0;
	ok(breaks(b, fire_check_refused_post, ROW_FIRE_REFUSED_POST),
	   "a refused one must not");
}

static void test_order(struct bench *b)
{
	play(b, PAIR, WRITE("1") WRITE("2") SENT);
	ok(polled(b, 2)->count == 2 && holds(b, fire_check_order),
	   "two writes complete in order");
	polled(b, 2)->wc[0].wr_id = 2;
	polled(b, 2)->wc[1].wr_id = 1;
	ok(breaks(b, fire_check_order, ROW_FIRE_ORDER), "in no other order");
	overlap(b, 0, 1);
	ok(holds(b, fire_check_order), "posted at once, in any order");
	play(b, SRQ_PAIRS,
	     SRQ_RECV("20") SRQ_RECV("21") SEND("1") SEND_TO("qp2", "2") CAME);
	polled(b, 4)->wc[0].wr_id = 21;
	polled(b, 4)->wc[1].wr_id = 20;
	ok(holds(b, fire_check_order), "and receives of an SRQ");
}

static void test_flushed(struct bench *b)
{
	play(b, PAIR, RECV("20") ERR("qp1") CAME);
	ok(polled(b, 2)->count == 1 && holds(b, fire_check_flushed),
	   "ERR flushes a receive");
	polled(b, 2)->count = 0;
	ok(breaks(b, fire_check_flushed, ROW_FIRE_FLUSHED), "or it is lost");
	overlap(b, 0, 1);
	ok(holds(b, fire_check_flushed), "unless it was posted beside ERR");
	play(b, PAIR, RECV("20") RESET("qp1") CAME);
	ok(holds(b, fire_check_flushed), "RESET flushes none");
	play(b, SRQ_PAIRS, SRQ_RECV("20") ERR("qp1") ERR("qp3") CAME);
	ok(polled(b, 3)->count == 0 && holds(b, fire_check_flushed),
	   "nor does ERR flush a receive of an SRQ");
	play(b, UC_PAIR, RECV("20") ERR("qp1") CAME);
	polled(b, 2)->count = 0;
	ok(breaks(b, fire_check_flushed, ROW_FIRE_FLUSHED),
	   "a receive of UC is flushed");
}

static void test_room_of_completions(struct bench *b)
{
	play(b, PAIR, "resize_cq cq1 cqe=16\n" RECV("20") ERR("qp1") CAME);
	polled(b, 3)->count = 0;
	ok(breaks(b, fire_check_flushed, ROW_FIRE_FLUSHED),
	   "also in a queue that was resized");
	at(b, 0)->o.out.cq.cqe = 0;
	ok(holds(b, fire_check_flushed), "unless it has no room");
}

static void test_after_err(struct bench *b)
{
	play(b, PAIR, ERR("qp1") RECV("20") CAME);
	ok(polled(b, 2)->count == 1 && holds(b, fire_check_status),
	   "a receive posted after ERR is flushed");
	polled(b, 2)->wc[0].status = IBV_WC_SUCCESS;
	ok(breaks(b, fire_check_status, ROW_FIRE_STATUS), "only so");
	overlap(b, 0, 1);
	ok(holds(b, fire_check_status), "beside ERR it may succeed");
}

static void test_behind_failed(struct bench *b)
{
	play(b, PAIR, WRITE("1") WRITE("2") SENT);
	polled(b, 2)->wc[0].status = IBV_WC_REM_ACCESS_ERR;
	ok(breaks(b, fire_check_status, ROW_FIRE_STATUS),
	   "no write succeeds behind one that failed");
	polled(b, 2)->wc[1].status = IBV_WC_WR_FLUSH_ERR;
	ok(holds(b, fire_check_status), "it is flushed");
	play(b, UC_PAIR, WRITE("1") WRITE("2") SENT);
	polled(b, 2)->wc[0].status = IBV_WC_LOC_PROT_ERR;
	ok(holds(b, fire_check_status), "UC may go on");
}

static void test_cause(struct bench *b)
{
	play(b, PAIR, WRITE("1") SENT ERR("qp0"));
	polled(b, 1)->wc[0].status = IBV_WC_WR_FLUSH_ERR;
	ok(breaks(b, fire_check_cause, ROW_FIRE_CAUSE),
	   "no flush before any ERR");
	overlap(b, 1, 2);
	ok(holds(b, fire_check_cause), "but beside one");
	play(b, SRQ_PAIRS,
	     SRQ_RECV("20") WRITE("1") SENT SEND_TO("qp2", "2")
		     SEND_TO("qp2", "3") SENT);
	polled(b, 2)->wc[0].status = IBV_WC_WR_FLUSH_ERR;
	ok(breaks(b, fire_check_cause, ROW_FIRE_CAUSE),
	   "a request that fails later is no cause");
}

int main(void)
{
	struct bench *b = bench_new();

	test_once(b);
	test_refused(b);
	test_order(b);
	test_flushed(b);
	test_room_of_completions(b);
	test_after_err(b);
	test_behind_failed(b);
	test_cause(b);
	return bench_end(b);
}
