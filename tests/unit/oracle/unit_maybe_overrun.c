// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A completion queue with room for one completion, and two waiting sends that
 * may end unseen. If both have ended, the queue is overrun: a completion queue
 * or an event that differs from the model proves nothing. The same holds for a
 * completion that comes while a batch is open.
 */
#include <errno.h>
#include "tests/unit/oracle/oracle_pair.h"

#define RTS_RETRIES(retries)                                                   \
	"modify_qp qp0 "                                                       \
	"mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC "      \
	"qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=" retries "\n"
#define RTR_AT_ONCE                                                            \
	"modify_qp qp0 mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|"                \
	"MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER qp_state=RTR "                       \
	"ah_attr.port_num=$port ah_attr.dlid=$lid path_mtu=$mtu "              \
	"min_rnr_timer=1 dest_qp_num=qp0.qp_num\n"
#define OF(cq, retries)                                                        \
	"pd0 = alloc_pd\ncq0 = " cq "\ncq1 = create_cq cqe=16\n"               \
	"mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE\n"                      \
	"qp0 = create_qp pd0 qp_type=RC " CAP INIT("qp0") RTR_AT_ONCE          \
	RTS_RETRIES(retries)
#define PLAIN	 "create_cq cqe=1"
#define ROOMY	 "create_cq cqe=16"
#define EXTENDED "create_cq_ex cqe=1 wc_flags=QP_NUM"
#define BOTH                                                                   \
	"post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 "      \
	"length=8 wr_id=1 more=1\n"
#define LATE	"poll_cq cq0 max=8 timeout_ms=5000\n"
#define BRIEFLY "poll_cq cq0 max=8 timeout_ms=1\n"
#define LATE_EX "start_poll cq0 timeout_ms=5000\n"
#define ANEW	"modify_qp qp0 mask=STATE qp_state=RESET\n"
#define RESIZED "resize_cq cq0 cqe=1\n"
#define HEARD	"destroy_qp_heard qp0\n"
#define EVENT	"get_async_event\n"
#define CQ0	1 /* its slot */

static struct bench *empty(struct bench *b, const char *text)
{
	play(b, text);
	b->outcome.ret = 0;
	b->outcome.out.polled.count = 0;
	return b;
}

static struct bench *no_entry(struct bench *b, const char *text)
{
	play(b, text);
	b->outcome.ret = ENOENT;
	return b;
}

static struct bench *told(struct bench *b, const char *text)
{
	play(b, text);
	b->outcome.out.event = (struct event_args){
		.event_type = IBV_EVENT_CQ_ERR,
		.qp = NO_OBJ,
		.cq = CQ0,
		.srq = NO_OBJ,
	};
	return b;
}

static void test_polls(struct bench *b)
{
	ok(is_open(empty(b, OF(PLAIN, "0") BOTH LATE)),
	   "two sends that ended unseen may have overrun the queue");
	ok(breaks(empty(b, OF(ROOMY, "0") BOTH LATE), ROW_RETRY_RNR),
	   "a queue with room is not overrun");
	ok(breaks(empty(b, OF(PLAIN, "0") SEND("1") LATE), ROW_RETRY_RNR),
	   "a single send does not overrun the queue");
	ok(passes(empty(b, OF(PLAIN, "0") BOTH BRIEFLY)),
	   "both sends may still wait");
	ok(passes(empty(b, OF(PLAIN, "7") BOTH LATE)),
	   "or wait for ever with infinite retries");
}

/* Shows only the second send's completion. */
static struct bench *second_only(struct bench *b, const char *text)
{
	struct polled_wc *wc = b->outcome.out.polled.wc;

	play(b, text);
	b->outcome.ret = 0;
	b->outcome.out.polled.count = 1;
	wc[0].wr_id = 2;
	wc[0].status = IBV_WC_WR_FLUSH_ERR;
	return b;
}

static void test_places(struct bench *b)
{
	ok(is_open(second_only(b, OF(PLAIN, "0") BOTH LATE)),
	   "either completion may be in the overrun queue");
	ok(!judged(second_only(b, OF(ROOMY, "0") BOTH LATE)),
	   "with room for both the first comes first");
}

static void test_batches(struct bench *b)
{
	ok(is_open(no_entry(b, OF(EXTENDED, "0") BOTH LATE_EX)),
	   "an overrun extended queue may be empty");
	ok(!judged(no_entry(b, OF(EXTENDED, "0") SEND("1") LATE_EX)),
	   "a single send does not explain that");
}

static void test_events(struct bench *b)
{
	ok(judged(told(b, OF(PLAIN, "0") BOTH ANEW EVENT)),
	   "an event may tell of the overrun after RESET");
	ok(judged(told(b, OF(PLAIN, "0") BOTH "destroy_qp qp0\n" EVENT)),
	   "or after the queue pair was destroyed");
	ok(breaks(told(b, OF(PLAIN, "7") BOTH ANEW EVENT), ROW_EVENT_NONE),
	   "nor if the sends wait for ever");
}

#define RECV	"post_recv qp0 num_sge=1 mr=mr0 length=64\n"
#define ARRIVES RECV RECV SEND("1")
#define BATCH	"start_poll cq0 timeout_ms=1000\n"
#define END	"end_poll cq0\n"

/* A device may need the room of a completion until the batch ends. */
static void test_open_batch(struct bench *b)
{
	ok(judged(told(b, OF(EXTENDED, "0") ARRIVES BATCH SEND("2") EVENT)),
	   "a completion may overrun the queue while a batch is open");
	ok(is_open(no_entry(b, OF(EXTENDED, "0") ARRIVES BATCH SEND("2")
				       END LATE_EX)),
	   "and be missing after the batch");
	ok(breaks(told(b, OF(EXTENDED, "0") ARRIVES BATCH END SEND("2") EVENT),
		  ROW_EVENT_NONE),
	   "not after the batch");
}

static struct bench *heard(struct bench *b, const char *text, uint32_t events)
{
	play(b, text);
	b->outcome.out.raced.completed = events;
	return b;
}

/* A thread waits for events while the queue pair is destroyed. */
static void test_threads(struct bench *b)
{
	ok(is_open(heard(b, OF(PLAIN, "0") BOTH HEARD, 1)),
	   "a thread may get the event as the queue pair is destroyed");
	ok(breaks(heard(b, OF(PLAIN, "7") BOTH HEARD, 1), ROW_THREADS_HEARD),
	   "nor if the sends wait for ever");
}

static struct bench *refused(struct bench *b, const char *text)
{
	play(b, text);
	b->outcome.ret = EINVAL;
	return b;
}

static void test_resize(struct bench *b)
{
	ok(judged(refused(b, OF(ROOMY, "0") BOTH RESIZED)),
	   "optional completions may prevent a smaller size");
	play(b, OF(ROOMY, "0") BOTH RESIZED);
	ok(passes(b), "or do not, as they may not have come");
	ok(!judged(refused(b, OF(ROOMY, "0") SEND("1") RESIZED)),
	   "a single completion does not");
}

int main(void)
{
	struct bench *b = bench_new();

	test_polls(b);
	test_places(b);
	test_batches(b);
	test_events(b);
	test_open_batch(b);
	test_threads(b);
	test_resize(b);
	return bench_end(b);
}
