// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The oracle beside an SRQ that takes a limit past the size of the same call:
 * it then has as many entries, whether the limit has raised its event or not.
 */
#include "oracle_bench.h"

static void granted(struct bench *b)
{
	b->outcome.ret = 0;
}

static void reports(struct bench *b, uint32_t max_wr, uint32_t limit)
{
	b->alter = granted;
	play(b, "pd0 = alloc_pd\nsrq0 = create_srq pd0 max_wr=2 max_sge=1\n"
		"modify_srq srq0 mask=MAX_WR|LIMIT max_wr=1 srq_limit=2\n"
		"query_srq srq0\n");
	b->outcome.out.srq_attr.attr.max_wr = max_wr;
	b->outcome.out.srq_attr.attr.srq_limit = limit;
}

int main(void)
{
	struct bench *b = bench_new();

	play(b, "pd0 = alloc_pd\nsrq0 = create_srq pd0 max_wr=2 max_sge=1\n"
		"query_srq srq0\n");
	ok(passes(b), "a queue as it was made");
	reports(b, 2, 2);
	ok(judged(b), "room for what the limit asks for");
	reports(b, 2, 0);
	ok(judged(b), "or the limit has told at once");
	reports(b, 1, 2);
	ok(breaks(b, ROW_SRQ_LIMIT_RESIZED), "but no queue that is smaller");
	reports(b, 1, 0);
	ok(breaks(b, ROW_SRQ_LIMIT_RESIZED), "nor after the event");
	return bench_end(b);
}
