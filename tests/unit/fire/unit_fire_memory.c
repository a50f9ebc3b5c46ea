// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Nothing is written but what requests may write, and not by the rkey of a
 * window that was invalidated: check_memory.c and check_window.c.
 */
#include "program/pattern.h"
#include "tests/unit/fire/fire_bench.h"

enum { LENGTH = 4096, PATTERN = 3 };

#define FILLED "fill_mr mr0 pattern=3\n"
#define WINDOW                                                                 \
	PAIR "mr1 = reg_mr pd0 length=4096 access=LOCAL_WRITE|MW_BIND\n"       \
	     "fill_mr mr1 pattern=3\n"                                         \
	     "mw0 = alloc_mw pd0 type=TYPE_2\n"
#define BIND(n, tag)                                                           \
	"post_send qp1 wr_id=" n " opcode=BIND_MW send_flags=SIGNALED "        \
	"bind.rkey=mw0.rkey+" tag " mw=mw0 bind.mr=mr1 bind.length=2048 "      \
	"bind.access=REMOTE_WRITE\n"
#define INVALIDATE                                                             \
	"post_send qp1 wr_id=51 opcode=LOCAL_INV send_flags=SIGNALED "         \
	"invalidate_rkey=mw0.rkey+1\n"
#define BY_RKEY                                                                \
	"post_send qp0 wr_id=1 opcode=RDMA_WRITE send_flags=SIGNALED "         \
	"num_sge=1 mr=mr0 length=8 remote=mr1 rkey=mw0.rkey+1\n"

/* A device whose memory the test writes to. */
static struct device {
	struct target target;
	unsigned char bytes[LENGTH];
	bool late;
} device;

static void call(struct target *t, const struct bound *b, struct outcome *o)
{
	(void)t;
	pattern_describe(&device.bytes[b->in.memory.offset],
			 b->in.memory.length, b->in.memory.offset,
			 &o->out.view);
	o->ret = 0;
}

static bool wrote_late(struct target *t, uint16_t slot)
{
	(void)t;
	(void)slot;
	return device.late;
}

static const struct target_ops ops = {.call = call, .wrote_late = wrote_late};

static void reset_device(void)
{
	device = (struct device){.target = {.ops = &ops}};
	pattern_fill(device.bytes, PATTERN, 0, LENGTH);
}

static bool check_memory(const struct fire_view *v, struct fire_said *said)
{
	return fire_check_memory(&device.target, v, said);
}

static void test_bytes(struct bench *b)
{
	play(b, PAIR FILLED, WRITE("1") SENT);
	reset_device();
	ok(holds(b, check_memory), "no byte was written");
	device.bytes[1024] ^= 1;
	device.bytes[1031] ^= 1;
	ok(holds(b, check_memory), "a write may write its bytes");
	device.bytes[1032] ^= 1;
	ok(breaks(b, check_memory, ROW_FIRE_BYTES), "and no other");
}

static void test_late(struct bench *b)
{
	play(b, PAIR, WRITE("1") SENT "dereg_mr mr0\n");
	reset_device();
	ok(holds(b, check_memory), "no byte is written after the end");
	device.late = true;
	ok(breaks(b, check_memory, ROW_FIRE_LATE), "or it is seen");
	at(b, 2)->o.ret = EBUSY;
	ok(holds(b, check_memory), "unless the region stayed");
}

static void test_window_bytes(struct bench *b)
{
	play(b, WINDOW, BIND("50", "1") INVALIDATE SENT BY_RKEY SENT);
	reset_device();
	device.bytes[0] ^= 1;
	ok(breaks(b, check_memory, ROW_FIRE_BYTES),
	   "an invalidated rkey gives no right to write");
	overlap(b, 2, 3);
	ok(holds(b, check_memory), "once that was polled");
}

static void test_window(struct bench *b)
{
	play(b, WINDOW, BIND("50", "1") INVALIDATE SENT BY_RKEY SENT);
	ok(polled(b, 2)->count == 2 && polled(b, 4)->count == 1 &&
		   holds(b, fire_check_window),
	   "a write by an invalidated rkey fails");
	polled(b, 4)->wc[0].status = IBV_WC_SUCCESS;
	ok(breaks(b, fire_check_window, ROW_FIRE_WINDOW),
	   "it must not succeed");
	overlap(b, 2, 3);
	ok(holds(b, fire_check_window), "unless it was posted before the poll");
	play(b, WINDOW,
	     RESET("qp0") BIND("50", "1") INVALIDATE SENT BY_RKEY SENT);
	polled(b, 5)->count = 1;
	polled(b, 5)->wc[0].wr_id = 1;
	polled(b, 5)->wc[0].status = IBV_WC_SUCCESS;
	ok(holds(b, fire_check_window),
	   "or it may count as a duplicate, after RESET");
	play(b, WINDOW,
	     BIND("50", "1") INVALIDATE SENT BIND("52", "1") BY_RKEY SENT);
	polled(b, 5)->wc[0].status = IBV_WC_SUCCESS;
	ok(holds(b, fire_check_window), "or the rkey was bound again");
}

int main(void)
{
	struct bench *b = bench_new();

	test_bytes(b);
	test_late(b);
	test_window_bytes(b);
	test_window(b);
	return bench_end(b);
}
