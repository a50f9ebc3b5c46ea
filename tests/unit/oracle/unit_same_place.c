// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests that write to the same bytes. The program knows which write was last
 * only if it polled each completion before the next request. An atomic
 * operation whose old value goes to its own target leaves undefined bytes
 * there.
 */
#include "tests/unit/oracle/oracle_pair.h"

#define SENT(offset)                                                           \
	"post_send qp0 opcode=SEND send_flags=SIGNALED num_sge=1 mr=mr0 "      \
	"length=8 offset=" offset "\n"
#define RECEIVED "poll_cq cq1 max=1 timeout_ms=1000\n"
#define READ	 "read_mr mr0 length=8\n"
#define POSTED                                                                 \
	CONNECTED "fill_mr mr0 offset=1024 length=8 pattern=1\n"               \
		  "fill_mr mr0 offset=2048 length=8 pattern=2\n"               \
		  "post_recv qp1 more=1 num_sge=1 mr=mr0 length=8\n"
#define AT_ONCE	 POSTED SENT("1024") SENT("2048")
#define BY_TURNS POSTED SENT("1024") RECEIVED SENT("2048") RECEIVED

#define ALONE                                                                  \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE|REMOTE_ATOMIC\n"      \
	"qp0 = create_qp pd0 qp_type=RC " CAP ATOMICS("qp0")
#define ADDED(offset)                                                          \
	"post_send qp0 opcode=ATOMIC_FETCH_AND_ADD send_flags=SIGNALED "       \
	"num_sge=1 mr=mr0 length=8 remote=mr0 "                                \
	"compare_add=0x0101010101010101 swap=0 offset=" offset "\n"            \
	"poll_cq cq0 max=2 timeout_ms=1000\n"
#define TOLD	 ALONE "post_recv qp0 num_sge=1 mr=mr0 length=8\n" SENT("1024")
#define IN_PLACE ALONE ADDED("0")
#define BEFORE	 TOLD ADDED("512") RECEIVED
#define BEHIND	 TOLD RECEIVED ADDED("512")

/* Eight bytes are fetched, and written from there to another place. */
#define FETCHER                                                                \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"mr0 = reg_mr pd0 length=4096 "                                        \
	"access=LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC\n"          \
	"qp0 = create_qp pd0 qp_type=RC " CAP ATOMICS(                         \
		"qp0") "fill_mr mr0 offset=1024 length=8 pattern=1\n"          \
		       "fill_mr mr0 offset=2048 length=8 pattern=2\n"          \
		       "modify_qp qp0 mask=STATE|ACCESS_FLAGS qp_state=RTS "   \
		       "qp_access_flags=REMOTE_WRITE|REMOTE_READ\n"
#define MOVED(op, flags, from, to)                                             \
	"post_send qp0 opcode=" op " send_flags=" flags " num_sge=1 mr=mr0 "   \
	"length=8 offset=" from " remote=mr0 remote_offset=" to "\n"
#define FETCHED(flags) MOVED("RDMA_READ", flags, "1024", "2048")
#define WRITTEN(flags) MOVED("RDMA_WRITE", flags, "1024", "3072")
#define ONE	       "poll_cq cq0 max=1 timeout_ms=1000\n"
#define BOTH	       ONE ONE
#define THERE	       "read_mr mr0 offset=3072 length=8\n"
#define IN_TURN(flags) FETCHER FETCHED("SIGNALED") WRITTEN(flags) BOTH THERE

static struct memory_run *first_run(struct bench *b)
{
	return &b->outcome.out.view.run[0];
}

static bool holds(struct bench *b, const char *text, uint32_t pattern)
{
	play(b, text);
	return first_run(b)->pattern == pattern;
}

/* Changes the pattern that the program reads. */
static struct bench *shows(struct bench *b, const char *text, uint32_t pattern)
{
	play(b, text);
	first_run(b)->pattern = pattern;
	return b;
}

static void test_fetched(struct bench *b)
{
	ok(holds(b, IN_TURN("SIGNALED"), 2) && passes(b),
	   "fetched bytes may be used from their target");
	ok(passes(shows(b, IN_TURN("SIGNALED"), 1)),
	   "or may still be in the completion");
	ok(breaks(shows(b, IN_TURN("SIGNALED|FENCE"), 1), ROW_DATA_FENCE),
	   "but not for a request with a fence");
	ok(breaks(shows(b,
			FETCHER FETCHED("SIGNALED") ONE WRITTEN("SIGNALED")
				ONE THERE,
			1),
		  ROW_DATA_BYTES),
	   "nor after the completion was polled");
	ok(breaks(shows(b,
			FETCHER MOVED("RDMA_READ", "SIGNALED", "512", "2048")
				WRITTEN("SIGNALED") BOTH THERE,
			2),
		  ROW_DATA_BYTES),
	   "nor for another place");
	ok(passes(shows(b,
			FETCHER MOVED("RDMA_READ", "SIGNALED", "3072", "2048")
				WRITTEN("SIGNALED") BOTH THERE,
			2)),
	   "fetched bytes may be written over a later write");
}

/* A request without a completion is known to be done once a later one was
 * polled. */
static void test_untold(struct bench *b)
{
	ok(passes(shows(b, FETCHER WRITTEN("SIGNALED") WRITTEN("0") ONE THERE,
			2)),
	   "an unsignaled write may not be done yet");
	ok(breaks(shows(b, FETCHER WRITTEN("0") WRITTEN("SIGNALED") ONE THERE,
			2),
		  ROW_DATA_BYTES),
	   "until a later request was polled");
}

int main(void)
{
	struct bench *b = bench_new();

	ok(holds(b, AT_ONCE READ, 2),
	   "the device writes the last message last");
	ok(holds(b, AT_ONCE RECEIVED RECEIVED READ, 2), "and it may stay");
	ok(passes(shows(b, AT_ONCE READ, 1)),
	   "either of the two messages may be there");
	ok(passes(shows(b, AT_ONCE READ, 0)), "or neither");
	ok(passes(shows(b, AT_ONCE RECEIVED RECEIVED READ, 1)),
	   "or the completion's bytes are written last");
	ok(passes(shows(b, BY_TURNS READ, 2)),
	   "polled one by one: the last message is there");
	ok(breaks(shows(b, BY_TURNS READ, 1), ROW_DATA_BYTES),
	   "and no other message");
	ok(holds(b, IN_PLACE READ, 0) && passes(b),
	   "the old value stays at the target");
	ok(passes(shows(b, IN_PLACE READ, 1)), "which is not promised");
	ok(passes(shows(b, BEFORE READ, 0)),
	   "a message may be written over the sum of an atomic operation");
	ok(breaks(shows(b, BEHIND READ, 0), ROW_DATA_ATOMIC),
	   "unless it was polled before");
	test_fetched(b);
	test_untold(b);
	return bench_end(b);
}
