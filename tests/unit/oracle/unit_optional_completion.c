// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions that a device may keep over RESET or drop. They neither certainly
 * fill a queue nor hide later requests with the same wr_id. Once a poll found
 * the queue empty, or a later completion came, they were dropped.
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
	ok(passes(b), "completions after RESET find room");
	play(b, ROUND FLUSHED("3") POLL("4"));
	b->outcome.out.polled.count = 0;
	ok(judged(b), "unless the queue was still full and is overrun");
	play(b, LARGE FLUSHED("1") RESET FLUSHED("3") POLL("4"));
	b->outcome.out.polled.count = 1;
	ok(breaks(b, ROW_POLL_FLUSH), "a larger queue is not overrun");
	play(b, SMALL FLUSHED("1") "get_async_event\n");
	b->outcome.out.event.event_type = IBV_EVENT_CQ_ERR;
	ok(!judged(b), "nor is a queue without earlier completions");
}

/* A queue pair that is created afterwards. */
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
	ok(judged(b), "an overrun may take any queue pair of the queue to ERR");
	play(b, LATER(SMALL));
	in_later(b);
	ok(!judged(b), "a queue that is not overrun takes none to ERR");
}

static void test_resize(struct bench *b)
{
	play(b, ROUND "resize_cq cq1 cqe=1\n");
	ok(passes(b), "a queue that may be empty can be smaller");
	play(b, OVERRUN POLL("4") "resize_cq cq1 cqe=4\n");
	ok(passes(b), "an overrun queue can be made smaller");
	play(b, OVERRUN POLL("4") "resize_cq cq1 cqe=4\n");
	b->outcome.ret = EINVAL;
	ok(judged(b), "or not, as its contents are unknown");
	play(b, SMALL FLUSHED("1") "resize_cq cq1 cqe=1\n");
	ok(b->outcome.ret == EINVAL && passes(b),
	   "a queue that holds more is not made smaller");
}

static void test_alike(struct bench *b)
{
	play(b, ROUND FLUSHED("1") POLL("1"));
	ok(passes(b), "of two requests with one wr_id the later completes");
	play(b, ROUND FLUSHED("1") POLL("1") POLL("1"));
	ok(passes(b), "then the second request completes");
	play(b, ROUND POLL("1"));
	ok(passes(b), "completions that RESET drops are gone");
}

/* Shows the flushed completion that the device kept over RESET. */
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
	ok(non_strict(b, ROW_LIFE_CQE),
	   "a completion from before RESET may be kept");
	play(b, ROUND POLL("1") POLL("1"));
	shows_kept(b, 1);
	ok(breaks(b, ROW_POLL_NONE), "not if the queue was empty since");
	play(b, LARGE FLUSHED("1") RESET FLUSHED("3") POLL("1"));
	shows_kept(b, 1);
	ok(non_strict(b, ROW_LIFE_CQE),
	   "a kept completion comes before later requests");
	play(b, LARGE FLUSHED("1") RESET FLUSHED("3") POLL("1") POLL("1"));
	shows_kept(b, 1);
	ok(breaks(b, ROW_POLL_ORDER),
	   "a kept completion does not come after later requests");
}

/* A queue pair connected to itself, with one completion queue for both ends. */
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
	ok(passes(b), "a send and a receive with one wr_id: either is first");
	play(b, TO_ITSELF POLL("1") POLL("1"));
	ok(passes(b), "then the other completes");
	play(b, TO_ITSELF POLL("1") POLL("1"));
	b->outcome.out.polled.wc[0].opcode ^= IBV_WC_RECV;
	ok(breaks(b, ROW_POLL_FIELDS), "the first does not complete again");
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
