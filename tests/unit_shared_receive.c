// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Two receives of one place: a device writes what comes, one message after the
 * other. Who only watches knows what is there once both have been polled before
 * the next one came.
 */
#include "oracle_pair.h"

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

static struct memory_run *first_run(struct bench *b)
{
	return &b->outcome.out.view.run[0];
}

static bool holds(struct bench *b, const char *text, uint32_t pattern)
{
	play(b, text);
	return first_run(b)->pattern == pattern;
}

/* Has it show another one. */
static struct bench *shows(struct bench *b, const char *text, uint32_t pattern)
{
	play(b, text);
	first_run(b)->pattern = pattern;
	return b;
}

int main(void)
{
	struct bench *b = bench_new();

	ok(holds(b, AT_ONCE READ, 2), "a device writes what comes last");
	ok(holds(b, AT_ONCE RECEIVED RECEIVED READ, 2), "and leaves it there");
	ok(passes(shows(b, AT_ONCE READ, 1)), "of the two either may be there");
	ok(passes(shows(b, AT_ONCE READ, 0)), "or none");
	ok(passes(shows(b, AT_ONCE RECEIVED RECEIVED READ, 1)),
	   "and be put there last");
	ok(passes(shows(b, BY_TURNS READ, 2)), "one after the other the last");
	ok(breaks(shows(b, BY_TURNS READ, 1), ROW_DATA_BYTES), "and no other");
	return bench_end(b);
}
