// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Nothing completes after RESET or the end of a queue pair, once a poll has
 * found the completion queue empty: check_ended.c.
 */
#include "tests/unit/fire/fire_bench.h"

/* Makes poll number n bring a completion of the request. */
static void bring(struct bench *b, int n, uint64_t wr_id)
{
	struct polled_args *got = polled(b, n);

	got->count = 1;
	memset(&got->wc[0], 0, sizeof(got->wc[0]));
	got->wc[0].wr_id = wr_id;
	got->wc[0].status = IBV_WC_WR_FLUSH_ERR;
	got->wc[0].qp = at(b, 1)->b.on;
}

static void test_end(struct bench *b, const char *calls, check_fn check,
		     enum row row, const char *what)
{
	char name[80];

	play(b, PAIR, calls);
	ok(holds(b, check), what);
	bring(b, 3, 20);
	snprintf(name, sizeof(name), "%s: and a completion comes", what);
	ok(breaks(b, check, row), name);
	bring(b, 2, 20);
	polled(b, 3)->count = 0;
	snprintf(name, sizeof(name), "%s: it may have been in the queue", what);
	ok(holds(b, check), name);
	bring(b, 3, 20);
	polled(b, 2)->count = 0;
	overlap(b, 1, 2);
	snprintf(name, sizeof(name), "%s: the poll was beside it", what);
	ok(holds(b, check), name);
}

/* A receive of an SRQ is of the queue pair that its completion names. */
static void test_srq(struct bench *b)
{
	play(b, SRQ_PAIRS, SRQ_RECV("20") RESET("qp1") CAME CAME);
	ok(holds(b, fire_check_reset), "a receive stays in the SRQ");
	bring(b, 3, 20);
	ok(breaks(b, fire_check_reset, ROW_FIRE_RESET),
	   "nothing completes on the queue pair that was reset");
	polled(b, 3)->wc[0].qp = NO_OBJ;
	ok(holds(b, fire_check_reset), "but on another one");
	play(b, SRQ_PAIRS,
	     SRQ_RECV("20") RESET("qp1") CAME
	     "modify_qp qp1 mask=STATE|ACCESS_FLAGS|PKEY_INDEX|PORT "
	     "qp_state=INIT port_num=$port\n" CAME);
	bring(b, 4, 20);
	ok(holds(b, fire_check_reset), "or after it came up again");
}

int main(void)
{
	struct bench *b = bench_new();

	test_end(b, RECV("20") RESET("qp1") CAME CAME, fire_check_reset,
		 ROW_FIRE_RESET, "RESET");
	test_end(b, RECV("20") "destroy_qp qp1\n" CAME CAME, fire_check_destroy,
		 ROW_FIRE_DESTROY, "the end");
	test_srq(b);
	return bench_end(b);
}
