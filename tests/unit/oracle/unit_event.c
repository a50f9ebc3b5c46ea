// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Asynchronous events that a device may leave out. However many of them are
 * unread, a required event must come.
 */
#include "tests/unit/oracle/oracle_pair.h"

#define SQD   "modify_qp qp0 mask=STATE qp_state=SQD\n"
#define ROUND SQD "modify_qp qp0 mask=STATE qp_state=RTS\n"
#define MANY  ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND ROUND
#define ASKED                                                                  \
	"modify_qp qp0 mask=STATE|EN_SQD_ASYNC_NOTIFY qp_state=SQD "           \
	"en_sqd_async_notify=1\n"
#define EVENT "get_async_event\n"

static void test_unread(struct bench *b)
{
	play(b, CONNECTED MANY MANY MANY MANY ASKED EVENT);
	ok(b->outcome.out.event.event_type == IBV_EVENT_SQ_DRAINED && passes(b),
	   "an event that was asked for, behind many that may come unasked");
	play(b, CONNECTED MANY MANY MANY MANY ASKED EVENT);
	b->outcome.out.event.event_type = NO_EVENT;
	b->outcome.out.event.qp = NO_OBJ;
	ok(breaks(b, ROW_SQD_EVENT_ASKED), "and its absence is a deviation");
	play(b, CONNECTED MANY ASKED EVENT EVENT);
	ok(b->outcome.out.event.event_type == NO_EVENT && judged(b),
	   "optional events may be missing");
}

static void drained(struct bench *b)
{
	b->outcome.out.event.event_type = IBV_EVENT_SQ_DRAINED;
	b->outcome.out.event.qp = 5;
	b->outcome.out.event.cq = b->outcome.out.event.srq = NO_OBJ;
}

static void test_counted(struct bench *b)
{
	play(b, CONNECTED ROUND EVENT);
	drained(b);
	ok(non_strict(b, ROW_SQD_EVENT_UNASKED), "optional events may come");
	b->alter = drained;
	play(b, CONNECTED ROUND EVENT EVENT);
	drained(b);
	ok(breaks(b, ROW_EVENT_NONE), "each optional event comes once");
	play(b, CONNECTED ROUND ROUND EVENT EVENT);
	drained(b);
	ok(judged(b), "two equal optional events come twice");
	b->alter = NULL;
}

int main(void)
{
	struct bench *b = bench_new();

	test_unread(b);
	test_counted(b);
	return bench_end(b);
}
