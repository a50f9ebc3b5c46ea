// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The oracle beside completions that a device may keep over RESET, or drop:
 * they neither fill a queue for certain nor stand in the way of later requests
 * of the same number. What has not come by the time that a queue is empty, or
 * that what is behind it has come, never comes.
 */
#include <errno.h>
#include "tests/unit/oracle/oracle_pair.h"

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
#define OVERRUN SMALL FLUSHED("1") "post_recv qp0 more=1 wr_id=3\n"
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

/* Another queue pair, made behind all that. */
#define LATER(from)                                                            \
	from "qp1 = create_qp pd0 qp_type=RC send_cq=cq1 recv_cq=cq1 "         \
	     "cap.max_recv_wr=2\nget_async_event\n"

static void in_later(struct bench *b)
{
	b->outcome.out.event.event_type = IBV_EVENT_QP_FATAL;
	b->outcome.out.event.cq = NO_OBJ;
	b->outcome.out.event.qp = 3;
}

static void test_later(struct bench *b)
{
	play(b, LATER(OVERRUN));
	in_later(b);
	ok(judged(b), "a queue that has run over takes whom it likes with it");
	play(b, LATER(SMALL));
	in_later(b);
	ok(!judged(b), "another one nobody");
}

static void test_resize(struct bench *b)
{
	play(b, ROUND "resize_cq cq1 cqe=1\n");
	ok(passes(b), "a queue that may be empty can be smaller");
	play(b, OVERRUN POLL("4") "resize_cq cq1 cqe=4\n");
	ok(passes(b), "as can one that has run over");
	play(b, OVERRUN POLL("4") "resize_cq cq1 cqe=4\n");
	b->outcome.ret = EINVAL;
	ok(judged(b), "of which nobody knows what it holds");
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

/* The flush of a receive, as a device has kept it. */
static void shows_kept(struct bench *b, uint64_t wr_id)
{
	struct polled_args *polled = &b->outcome.out.polled;

	polled->count = 1;
	polled->wc[0].wr_id = wr_id;
	polled->wc[0].status = IBV_WC_WR_FLUSH_ERR;
	polled->wc[0].vendor_err = 0;
	polled->wc[0].qp = b->results.alive[2] ? 2 : NO_OBJ;
}

static void test_gone(struct bench *b)
{
	play(b, ROUND POLL("1"));
	shows_kept(b, 1);
	ok(non_strict(b, ROW_LIFE_CQE), "what came before RESET may be kept");
	play(b, ROUND POLL("1") POLL("1"));
	shows_kept(b, 1);
	ok(breaks(b, ROW_POLL_NONE), "not by a queue that was empty since");
	play(b, LARGE FLUSHED("1") RESET FLUSHED("3") POLL("1"));
	shows_kept(b, 1);
	ok(non_strict(b, ROW_LIFE_CQE), "and comes before what is posted then");
	play(b, LARGE FLUSHED("1") RESET FLUSHED("3") POLL("1") POLL("1"));
	shows_kept(b, 1);
	ok(breaks(b, ROW_POLL_ORDER), "not behind it");
}

/* Of a queue pair that sends to itself, both ends complete in one queue. */
#define TO_ITSELF                                                              \
	"pd0 = alloc_pd\ncq1 = create_cq cqe=4\n"                              \
	"qp0 = create_qp pd0 qp_type=RC send_cq=cq1 recv_cq=cq1 "              \
	"cap.max_send_wr=1 cap.max_recv_wr=1\n" INIT("qp0") RTR("qp0", "qp0")  \
		RTS("qp0") "post_recv qp0 wr_id=5\n"                           \
			   "post_send qp0 wr_id=5 "                            \
			   "opcode=SEND "                                      \
			   "send_flags=SIGNALED\n"

static void test_sides(struct bench *b)
{
	play(b, TO_ITSELF POLL("1"));
	ok(passes(b), "of a send and a receive of a number one comes first");
	play(b, TO_ITSELF POLL("1") POLL("1"));
	ok(passes(b), "then the other one");
	play(b, TO_ITSELF POLL("1") POLL("1"));
	b->outcome.out.polled.wc[0].opcode ^= IBV_WC_RECV;
	ok(breaks(b, ROW_POLL_FIELDS), "and not the first one again");
}

int main(void)
{
	struct bench *b = bench_new();

	test_room(b);
	test_later(b);
	test_resize(b);
	test_alike(b);
	test_gone(b);
	test_sides(b);
	return bench_end(b);
}
