// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A program writes to the memory of a request without a polled completion. The
 * request's bytes may arrive before the program's write or after it. The bytes
 * beside them are known.
 */
#include "program/pattern.h"
#include "tests/unit/oracle/oracle_pair.h"

#define RECEIVE	  "post_recv qp1 num_sge=1 mr=mr0 offset=512 length=8\n"
#define FILL	  "fill_mr mr0 pattern=2\n"
#define FILL_PART "fill_mr mr0 offset=512 length=8 pattern=2\n"
#define SENDS	  "poll_cq cq0 max=1 timeout_ms=1000\n"
#define TAKEN	  "poll_cq cq1 max=1 timeout_ms=1000\n"
#define READ	  "read_mr mr0\n"

/* The device wrote the message only now. */
static void comes_late(struct bench *b)
{
	b->outcome.out.view.count = 3;
	b->outcome.out.view.checksum++;
}

/* The device shows zeros, but for the byte at a place. */
static void shows(struct bench *b, unsigned int place)
{
	unsigned char bytes[4096] = {0};

	bytes[place] = 1;
	pattern_describe(bytes, sizeof(bytes), 0, &b->outcome.out.view);
}

static void test_part(struct bench *b)
{
	const char *text =
		CONNECTED RECEIVE SEND("1") SENDS FILL_PART TAKEN READ;

	play(b, text);
	ok(passes(b), "a write over a message leaves the rest as it was");
	play(b, text);
	shows(b, 519);
	ok(passes(b), "any byte may be where both wrote");
	play(b, text);
	shows(b, 520);
	ok(breaks(b, ROW_DATA_BYTES), "but not behind that");
	play(b, text);
	shows(b, 0);
	ok(breaks(b, ROW_DATA_BYTES), "nor at the first byte");
}

int main(void)
{
	struct bench *b = bench_new();

	play(b, CONNECTED RECEIVE SEND("1") SENDS FILL TAKEN READ);
	ok(passes(b), "what the program writes over a message may stay");
	play(b, CONNECTED RECEIVE SEND("1") SENDS FILL TAKEN READ);
	comes_late(b);
	ok(passes(b), "or the message is written during the poll");
	play(b, CONNECTED RECEIVE SEND("1") SENDS TAKEN FILL READ);
	comes_late(b);
	ok(breaks(b, ROW_DATA_BYTES), "but not after the poll");
	test_part(b);
	return bench_end(b);
}
