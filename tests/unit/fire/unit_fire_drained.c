// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * SQ_DRAINED comes once, after the last send: check_drained.c.
 */
#include "tests/unit/fire/fire_bench.h"

#define SQD                                                                    \
	"modify_qp qp0 mask=STATE|EN_SQD_ASYNC_NOTIFY qp_state=SQD "           \
	"en_sqd_async_notify=1\n"
#define DRAINED "wait_drained qp0 timeout_ms=10\n"
#define EVENT	"get_async_event timeout_ms=10\n"

static void test_count(struct bench *b)
{
	play(b, PAIR, SQD DRAINED EVENT EVENT);
	ok(at(b, 2)->o.out.event.event_type == IBV_EVENT_SQ_DRAINED &&
		   holds(b, fire_check_drained),
	   "the event comes once");
	at(b, 3)->o = at(b, 2)->o;
	ok(breaks(b, fire_check_drained, ROW_FIRE_DRAINED), "not twice");
	at(b, 2)->o.out.event.event_type = NO_EVENT;
	at(b, 3)->o.out.event.event_type = NO_EVENT;
	ok(breaks(b, fire_check_drained, ROW_FIRE_DRAINED), "nor never");
	at(b, 1)->o.ret = ETIMEDOUT;
	ok(holds(b, fire_check_drained), "unless the queue did not drain");
}

static void test_last(struct bench *b)
{
	play(b, PAIR, WRITE("1") SQD EVENT SENT SENT);
	ok(polled(b, 3)->count == 1 && holds(b, fire_check_drained),
	   "a write before the event");
	*polled(b, 4) = *polled(b, 3);
	polled(b, 3)->count = 0;
	ok(breaks(b, fire_check_drained, ROW_FIRE_DRAINED_LAST),
	   "does not complete after it");
	overlap(b, 2, 3);
	ok(holds(b, fire_check_drained), "unless no poll was between");
	play(b, PAIR,
	     SQD "modify_qp qp0 mask=STATE qp_state=RTS\n" WRITE("1")
		     SQD EVENT SENT SENT);
	*polled(b, 6) = *polled(b, 5);
	polled(b, 5)->count = 0;
	ok(polled(b, 6)->count == 1 && holds(b, fire_check_drained),
	   "or the event may be of the SQD before");
}

int main(void)
{
	struct bench *b = bench_new();

	test_count(b);
	test_last(b);
	return bench_end(b);
}
