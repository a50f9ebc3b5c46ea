// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * How long nothing is waited for, and which polls have to bring something.
 */
#include <errno.h>
#include "judge/patience.h"
#include "tests/unit/oracle/oracle_pair.h"

static struct patience rounds(uint32_t n, uint64_t us)
{
	struct patience p = {0};

	while (n--)
		patience_add(&p, us);
	return p;
}

static void test_unknown(void)
{
	const struct patience p = {0};

	ok(!patience_round_trip(&p) && patience_quiet(&p) == WAITS_QUIET,
	   "of a device without a round trip nothing is known");
	ok(patience_wait(&p, 10, true) == 10 &&
		   patience_wait(&p, 100, true) == 100 &&
		   patience_wait(&p, 2500, true) == 2500,
	   "each wait stays as the program says");
}

static void test_fast(void)
{
	struct patience p = rounds(PATIENCE_ENOUGH - 1, 5);

	ok(patience_quiet(&p) == WAITS_QUIET,
	   "a few fast round trips shorten nothing");
	patience_add(&p, 0);
	ok(patience_round_trip(&p) == 5 && patience_quiet(&p) == PATIENCE_LEAST,
	   "more of them make quiet waits the shortest");
	ok(patience_wait(&p, 10, true) == PATIENCE_LEAST &&
		   patience_wait(&p, 100, true) == 10 * PATIENCE_LEAST,
	   "short waits keep their proportion");
	ok(patience_wait(&p, 1, true) == 1 && patience_wait(&p, 0, true) == 0,
	   "a wait of 1 ms is no look, and a look is no wait");
	ok(patience_wait(&p, 10, false) == 10 &&
		   patience_wait(&p, 100, false) == 100,
	   "a wait that may have to bring something is not shortened");
	ok(patience_wait(&p, 101, true) == 101 &&
		   patience_wait(&p, 1001, true) == 1001,
	   "neither is a wait for a timer");
	ok(patience_wait(&p, WAITS_MUST, true) == 10 * PATIENCE_LEAST &&
		   patience_wait(&p, WAITS_MUST, false) == WAITS_MUST,
	   "what must come is waited for, unless it was refused");
	p.lengthens = true;
	ok(patience_wait(&p, 10, true) == 10,
	   "nor any of a case that runs again");
}

static void test_slow(void)
{
	struct patience p = rounds(1, 4000);

	ok(patience_wait(&p, 10, true) == 20 &&
		   patience_wait(&p, 10, false) == 20,
	   "one slow round trip lengthens the waits");
	ok(patience_wait(&p, 100, true) == 100, "unless they are long enough");
	ok(patience_wait(&p, 0, true) == 0, "a look stays one");
	p = rounds(1, 30000);
	ok(patience_quiet(&p) == PATIENCE_MOST &&
		   patience_wait(&p, 100, true) == PATIENCE_MOST &&
		   patience_wait(&p, 1000, true) == 1000,
	   "no wait becomes longer than the most");
	p = rounds(2, UINT64_C(1) << 40);
	ok(patience_quiet(&p) == PATIENCE_MOST, "not even after an hour");
}

/* An emulated processor takes 1 ms for a round trip and stops at times. */
static void test_hiccups(void)
{
	struct patience p = rounds(PATIENCE_SAMPLES, 1000);

	ok(patience_quiet(&p) == PATIENCE_MARGIN, "an emulated processor");
	for (int i = 0; i < PATIENCE_SAMPLES / 4; i++)
		patience_add(&p, 400000);
	ok(patience_quiet(&p) == PATIENCE_MARGIN, "hiccups change nothing");
	for (int i = 0; i < PATIENCE_SAMPLES / 2; i++)
		patience_add(&p, 400000);
	ok(patience_quiet(&p) == PATIENCE_MOST,
	   "but a device that has become slow does");
}

static void test_together(void)
{
	struct patience all = rounds(3, 1000), one = all;

	patience_add(&one, 7000);
	patience_add(&one, 8000);
	patience_add_since(&all, &one, 3);
	ok(all.n == 5 && all.us[3] == 7000 && all.us[4] == 8000,
	   "what a case has added is added for all");
	patience_add_since(&all, &one, 5);
	ok(all.n == 5, "and only that");
	one = rounds(100, 9000);
	patience_add_since(&all, &one, 0);
	ok(all.n == 5 + PATIENCE_SAMPLES && patience_round_trip(&all) == 9000,
	   "at most the latest ones");
}

/* Returns what the last poll of a program needs. */
static enum need need(struct bench *b, const char *text)
{
	struct outcome nothing;

	play(b, text);
	outcome_poison_all(&nothing);
	nothing.ret = 0;
	nothing.err = ERRNO_POISON;
	nothing.out.polled.count = 0;
	nothing.out.polled.spilled = 0;
	return judge_need(b->judge, &b->bound, &nothing);
}

#define RECV  "post_recv qp1 wr_id=10 num_sge=1 mr=mr0 length=64\n"
#define ERR   "modify_qp qp1 mask=STATE qp_state=ERR\n"
#define SENDS "poll_cq cq0 max=1 timeout_ms=1000\n"
#define NONE  "poll_cq cq0 max=1 timeout_ms=10\n"

static void test_needs(struct bench *b)
{
	ok(need(b, CONNECTED NONE) == NEED_NOTHING, "an empty queue");
	ok(need(b, CONNECTED RECV SEND("1") NONE) == NEED_SOMETHING,
	   "a completion that must come");
	ok(need(b, CONNECTED RECV SEND("1") SENDS NONE) == NEED_NOTHING,
	   "a queue whose completion was polled");
	ok(need(b, CONNECTED RECV SEND("1") ERR NONE) != NEED_NOTHING,
	   "a message that may be under way");
	ok(need(b, CONNECTED RECV SEND("1") NONE) == NEED_SOMETHING,
	   "nothing is settled by the question");
}

int main(void)
{
	struct bench *b = bench_new();

	test_unknown();
	test_fast();
	test_slow();
	test_hiccups();
	test_together();
	test_needs(b);
	return bench_end(b);
}
