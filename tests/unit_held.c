// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The oracle beside completions that a device may keep over RESET, or drop:
 * they neither fill a queue for certain nor stand in the way of later requests
 * of the same number.
 */
#include <errno.h>
#include "oracle_pair.h"

#define QUEUE(entries)                                                         \
	"pd0 = alloc_pd\ncq1 = create_cq cqe=" entries "\n"                    \
	"qp0 = create_qp pd0 qp_type=RC send_cq=cq1 recv_cq=cq1 "              \
	"cap.max_recv_wr=2\n"
#define FLUSHED(id)                                                            \
	INIT("qp0")                                                            \
	"post_recv qp0 more=1 wr_id=" id "\n"                                  \
	"modify_qp qp0 mask=STATE qp_state=ERR\n"
#define RESET	"modify_qp qp0 mask=STATE qp_state=RESET\n"
#define SMALL	QUEUE("2")
#define LARGE	QUEUE("4")
#define ROUND	SMALL FLUSHED("1") RESET
#define POLL(n) "poll_cq cq1 max=" n "\n"

static void test_room(struct bench *b)
{
	play(b, ROUND FLUSHED("3") POLL("4"));
	ok(passes(b), "a queue holds what comes after RESET");
	play(b, ROUND FLUSHED("3") POLL("4"));
	b->outcome.out.polled.count = 0;
	ok(judged(b), "unless the queue was still full, and has run over");
	play(b, LARGE FLUSHED("1") RESET FLUSHED("3") POLL("4"));
	b->outcome.out.polled.count = 1;
	ok(breaks(b, ROW_POLL_FLUSH), "which a larger one has not");
	play(b, SMALL FLUSHED("1") "get_async_event\n");
	b->outcome.out.event.event_type = IBV_EVENT_CQ_ERR;
	ok(!judged(b), "nor has one that nothing came to before");
}

static void test_resize(struct bench *b)
{
	play(b, ROUND "resize_cq cq1 cqe=1\n");
	ok(passes(b), "a queue that may be empty can be smaller");
	play(b, SMALL FLUSHED("1") "resize_cq cq1 cqe=1\n");
	ok(b->outcome.ret == EINVAL && passes(b),
	   "one that holds more is not made so small");
}

static void test_alike(struct bench *b)
{
	play(b, ROUND FLUSHED("1") POLL("1"));
	ok(passes(b), "of two requests of a number it is the later one");
	play(b, ROUND FLUSHED("1") POLL("1") POLL("1"));
	ok(passes(b), "whose second comes next");
	play(b, ROUND POLL("1"));
	ok(passes(b), "what RESET drops is gone");
}

int main(void)
{
	struct bench *b = bench_new();

	test_room(b);
	test_resize(b);
	test_alike(b);
	return bench_end(b);
}
