// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * No receive of an SRQ is lost, and QP_LAST_WQE_REACHED comes in ERR, after the
 * last receive: check_srq.c.
 */
#include "tests/unit/fire/fire_bench.h"

#define EVENT "get_async_event timeout_ms=10\n"

/* qp2 sends as many messages as there can be receives. */
static void test_lost(struct bench *b)
{
	static const char calls[] = SRQ_RECV("20") SEND("1") ERR("qp1")
		SEND_TO("qp2", "2") SENT CAME;

	play(b, SRQ_PAIRS, calls);
	ok(polled(b, 5)->count == 1 && holds(b, fire_check_srq),
	   "a receive completes");
	polled(b, 5)->count = 0;
	ok(breaks(b, fire_check_srq, ROW_FIRE_SRQ), "it must not be lost");
	overlap(b, 0, 3);
	ok(holds(b, fire_check_srq), "unless it was posted beside the send");
	play(b, SRQ_PAIRS, calls);
	polled(b, 5)->count = 0;
	at(b, 2)->o.ret = EINVAL;
	ok(holds(b, fire_check_srq), "or another queue pair may hold it");
	play(b, SRQ_PAIRS,
	     SRQ_RECV("20") SRQ_RECV("21") SEND("1") ERR("qp1")
		     SEND_TO("qp2", "2") SENT CAME);
	polled(b, 6)->count = 1;
	ok(holds(b, fire_check_srq), "or there are more receives than sends");
	play(b, SRQ_PAIRS,
	     SRQ_RECV("20") ERR("qp1") "modify_qp qp2 mask=STATE "
				       "qp_state=SQD\n" SEND_TO("qp2", "2")
					       CAME);
	ok(polled(b, 4)->count == 0 && holds(b, fire_check_srq),
	   "or the send is held in SQD");
}

static void test_event(struct bench *b)
{
	play(b, SRQ_PAIRS, ERR("qp1") EVENT);
	ok(at(b, 1)->o.out.event.event_type == IBV_EVENT_QP_LAST_WQE_REACHED &&
		   holds(b, fire_check_last_wqe),
	   "the event comes in ERR");
	overlap(b, 1, 0);
	ok(holds(b, fire_check_last_wqe), "also beside it");
	at(b, 0)->o.ret = EINVAL;
	ok(breaks(b, fire_check_last_wqe, ROW_FIRE_LAST_WQE),
	   "but not without it");
}

static void test_last(struct bench *b)
{
	play(b, SRQ_PAIRS, SRQ_RECV("20") SEND("1") ERR("qp1") EVENT CAME CAME);
	ok(polled(b, 4)->count == 1 && holds(b, fire_check_last_wqe),
	   "a receive from before the event");
	*polled(b, 5) = *polled(b, 4);
	polled(b, 4)->count = 0;
	ok(breaks(b, fire_check_last_wqe, ROW_FIRE_LAST_WQE_LAST),
	   "does not complete after it");
	polled(b, 5)->wc[0].qp = NO_OBJ;
	ok(holds(b, fire_check_last_wqe), "on this queue pair");
}

int main(void)
{
	struct bench *b = bench_new();

	test_lost(b);
	test_event(b);
	test_last(b);
	return bench_end(b);
}
