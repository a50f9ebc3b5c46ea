// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The oracle beside a program that writes to memory of requests whose ends it
 * has not seen: what they bring may come before that, or after it.
 */
#include "tests/unit/oracle/oracle_pair.h"

#define RECEIVE "post_recv qp1 num_sge=1 mr=mr0 offset=512 length=8\n"
#define FILL	"fill_mr mr0 pattern=2\n"
#define SENDS	"poll_cq cq0 max=1 timeout_ms=1000\n"
#define TAKEN	"poll_cq cq1 max=1 timeout_ms=1000\n"
#define READ	"read_mr mr0\n"

/* The device wrote what it had still to write. */
static void comes_late(struct bench *b)
{
	b->outcome.out.view.count = 3;
	b->outcome.out.view.checksum++;
}

int main(void)
{
	struct bench *b = bench_new();

	play(b, CONNECTED RECEIVE SEND("1") SENDS FILL TAKEN READ);
	ok(passes(b), "what is written over a message may stay");
	play(b, CONNECTED RECEIVE SEND("1") SENDS FILL TAKEN READ);
	comes_late(b);
	ok(passes(b), "or the message comes to memory as it is polled");
	play(b, CONNECTED RECEIVE SEND("1") SENDS TAKEN FILL READ);
	comes_late(b);
	ok(breaks(b, ROW_DATA_BYTES), "but not behind that");
	return bench_end(b);
}
