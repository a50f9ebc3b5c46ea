// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A queue has room for as many requests as it was created for: check_room.c.
 */
#include "tests/unit/fire/fire_bench.h"

#define WRITES(more)                                                           \
	"post_send qp0 wr_id=1 more=" more " opcode=RDMA_WRITE "               \
	"send_flags=SIGNALED num_sge=1 mr=mr0 length=8 remote=mr0 "            \
	"remote_offset=1024\n"
#define MORE_WRITES                                                            \
	"post_send qp0 wr_id=11 more=1 opcode=RDMA_WRITE "                     \
	"send_flags=SIGNALED num_sge=1 mr=mr0 length=8 remote=mr0 "            \
	"remote_offset=1024\n"
#define SRQ_RECVS                                                              \
	"post_srq_recv srq0 wr_id=20 more=4 num_sge=1 mr=mr0 length=8\n"

/* Makes the device refuse a post from this request of the list on. */
static void refuse(struct bench *b, int n, int32_t from)
{
	at(b, n)->o.ret = ENOMEM;
	at(b, n)->o.out.posted.bad_wr = from;
}

static void test_list(struct bench *b)
{
	play(b, PAIR, WRITES("4"));
	refuse(b, 0, 4);
	ok(holds(b, fire_check_room), "four of five writes fit");
	refuse(b, 0, 2);
	ok(breaks(b, fire_check_room, ROW_FIRE_ROOM), "not only two");
	at(b, 0)->o.ret = EINVAL;
	ok(holds(b, fire_check_room), "another error says nothing of room");
}

static void test_polled(struct bench *b)
{
	play(b, PAIR, WRITES("3") SENT MORE_WRITES);
	ok(polled(b, 1)->count == 4, "four writes complete");
	refuse(b, 2, 0);
	ok(breaks(b, fire_check_room, ROW_FIRE_ROOM),
	   "the poll makes room for others");
	overlap(b, 1, 2);
	ok(holds(b, fire_check_room), "unless it is under way");
	play(b, PAIR, WRITES("3") SENT ERR("qp0") MORE_WRITES);
	refuse(b, 3, 0);
	ok(holds(b, fire_check_room), "in ERR a send may be refused");
}

static void test_srq(struct bench *b)
{
	play(b, SRQ_PAIRS, SRQ_RECVS);
	refuse(b, 0, 4);
	ok(holds(b, fire_check_room), "four of five receives fit");
	refuse(b, 0, 3);
	ok(breaks(b, fire_check_room, ROW_FIRE_ROOM), "not only three");
}

int main(void)
{
	struct bench *b = bench_new();

	test_list(b);
	test_polled(b);
	test_srq(b);
	return bench_end(b);
}
