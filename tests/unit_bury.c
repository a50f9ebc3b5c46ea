// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Walks give the slot of an object that is gone to a new one, while requests
 * still name the old one: these do not get the new one.
 */
#include "oracle_pair.h"

/* A receive into a region that goes before the message comes. */
#define RECEIVE                                                                \
	CONNECTED "mr1 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"          \
		  "post_recv qp1 num_sge=1 mr=mr1 length=64 wr_id=7\n"         \
		  "dereg_mr mr1\n"
#define ARRIVES SEND("1") "poll_cq cq1 max=1\n"

/* The last object of a program is made in the slot of the one before it. */
static void take_slot_again(struct program *p)
{
	uint8_t last = (uint8_t)(p->nobjects - 1);

	for (unsigned int i = 0; i < p->ncalls; i++)
		if (p->call[i].result == last)
			p->call[i].result = (uint8_t)(last - 1);
}

static void play_again(struct bench *b, const char *text)
{
	read_program(b, text);
	take_slot_again(&b->program);
	run_program(b);
}

static bool has_failed(const struct bench *b)
{
	return b->outcome.out.polled.count == 1 &&
	       b->outcome.out.polled.wc[0].status == IBV_WC_LOC_PROT_ERR;
}

int main(void)
{
	struct bench *b = bench_new();

	play(b, RECEIVE ARRIVES);
	ok(has_failed(b) && passes(b), "a receive without its region fails");
	play_again(b, RECEIVE
		   "mr2 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n" ARRIVES);
	ok(has_failed(b) && passes(b), "as it does beside a new region");
	play_again(b, RECEIVE
		   "srq0 = create_srq pd0 max_wr=7 max_sge=1\n" ARRIVES);
	ok(has_failed(b) && passes(b), "and beside an object of another kind");
	play_again(b, RECEIVE
		   "mr2 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n" ARRIVES);
	b->outcome.out.polled.wc[0].status = IBV_WC_SUCCESS;
	ok(breaks(b, ROW_RECV_MEMORY),
	   "a device that writes to the new one deviates");
	return bench_end(b);
}
