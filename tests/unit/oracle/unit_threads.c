// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Threads that race. If nothing else decides the result, the oracle knows it.
 * Else it knows only what cannot happen.
 */
#include <errno.h>
#include "tests/unit/oracle/oracle_pair.h"

#define RACE(what)                                                             \
	"post_and_poll qp0 opcode=SEND_WITH_IMM posters=2 length=8 "           \
	"mr=mr0 " what "\n"
#define INTO  "receivers=1 recv_qp=qp1 into=mr1 "
#define KNOWN "count=12 depth=12 timeout_ms=5000 "
#define ONE_CQ(cqe)                                                            \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=" cqe "\n"                        \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"mr1 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"qp0 = create_qp pd0 qp_type=RC " ALL "qp1 = create_qp pd0 "           \
	"qp_type=RC " ALL INIT("qp0") INIT("qp1")
#define ALL                                                                    \
	"send_cq=cq0 recv_cq=cq0 cap.max_send_wr=8 cap.max_recv_wr=8 "         \
	"cap.max_send_sge=1 cap.max_recv_sge=1\n"
#define JOINED RTR("qp0", "qp1") RTR("qp1", "qp0") RTS("qp0") RTS("qp1")
#define READY  ONE_CQ("16") JOINED
#define ATTACHED                                                               \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"                             \
	"qp0 = create_qp pd0 qp_type=UD " ALL                                  \
	"modify_qp qp0 mask=STATE|PKEY_INDEX|PORT|QKEY qp_state=INIT "         \
	"port_num=$port\n"                                                     \
	"attach_mcast qp0 gid=ff02::1 lid=49153\n"
#define APART                                                                  \
	ONE_CQ("16")                                                           \
	"modify_qp qp0 mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|"                \
	"MAX_DEST_RD_ATOMIC|MIN_RNR_TIMER qp_state=RTR "                       \
	"ah_attr.port_num=$port ah_attr.dlid=0x33 path_mtu=$mtu "              \
	"dest_qp_num=qp1.qp_num\n" RTR("qp1", "qp0") RTS("qp0") RTS("qp1")

static struct raced_args *raced(struct bench *b)
{
	return &b->outcome.out.raced;
}

/* Half of the requests complete, and some of these fail. */
static void half(struct bench *b)
{
	*raced(b) = (struct raced_args){
		.posted = 12, .completed = 6, .received = 5, .failed = 3};
}

static void test_known(struct bench *b)
{
	play(b, READY RACE(INTO KNOWN));
	ok(raced(b)->posted == 24 && passes(b), "all requests complete");
	play(b, READY RACE(INTO KNOWN));
	raced(b)->completed--;
	ok(breaks(b, ROW_THREADS_POST), "none of the completions is lost");
	play(b, READY RACE(INTO KNOWN));
	raced(b)->received--;
	ok(breaks(b, ROW_THREADS_RECV), "and none of the receives");
	play(b, READY RACE(INTO "count=12 depth=8 timeout_ms=5000"));
	ok(raced(b)->posted == 0 && passes(b),
	   "without room they post nothing");
	play(b, READY RACE(INTO KNOWN) "poll_cq cq0 max=8\n");
	ok(passes(b), "calls after the race are judged");
}

static void is_left_open(struct bench *b, const char *text, const char *why)
{
	play(b, text);
	half(b);
	if (!b->bound.in.race.receivers)
		raced(b)->received = 0;
	ok(is_open(b), why);
}

static void test_open(struct bench *b)
{
	is_left_open(b, READY RACE(INTO "count=12 depth=32 timeout_ms=5000"),
		     "they may overfill the send queue");
	is_left_open(b, ONE_CQ("4") JOINED RACE(INTO KNOWN),
		     "or the completion queue");
	is_left_open(b, READY RACE(INTO "count=12 depth=12 timeout_ms=10"),
		     "they may not wait long enough");
	is_left_open(b, READY RACE(KNOWN), "there may be no receives");
	is_left_open(b, APART RACE(INTO KNOWN), "the peer may be unreachable");
	is_left_open(b, READY SEND("1") RACE(INTO KNOWN),
		     "a request may be under way before");
	is_left_open(b,
		     CONNECTED
		     "mr1 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n" RACE(
			     INTO KNOWN),
		     "receives may complete to a queue that is not polled");
}

static void test_never(struct bench *b)
{
	play(b, READY RACE(KNOWN));
	half(b);
	raced(b)->posted = 25;
	ok(breaks(b, ROW_THREADS_POST),
	   "no more requests are posted than asked for");
	play(b, READY RACE(KNOWN));
	half(b);
	raced(b)->received = 0;
	raced(b)->completed = 13;
	ok(breaks(b, ROW_THREADS_POST), "no request completes twice");
	play(b, READY RACE(KNOWN));
	half(b);
	raced(b)->received = 0;
	raced(b)->disordered = 1;
	ok(breaks(b, ROW_THREADS_POST), "no request completes out of order");
	play(b, READY RACE("depth=12 count=0x80000000"));
	ok(b->outcome.ret == EINVAL && passes(b),
	   "too many requests are refused");
}

static void test_destroy(struct bench *b)
{
	play(b, READY "destroy_qp_polled qp1\n");
	ok(passes(b), "a thread that polls while a queue pair is destroyed");
	play(b, READY SEND("1") "destroy_qp_polled qp1\n");
	ok(is_open(b), "may take completions of other queue pairs");
	play(b, READY SEND("1") "destroy_qp_polled qp0\n");
	ok(passes(b), "completions of the destroyed queue pair do not stay");
	play(b, ATTACHED "destroy_qp_polled qp0\n");
	ok(b->outcome.ret == EBUSY && passes(b),
	   "with nothing to poll nothing is taken");
	play(b, ATTACHED "post_recv qp0 wr_id=7\n"
			 "modify_qp qp0 mask=STATE qp_state=ERR\n"
			 "destroy_qp_polled qp0\n");
	ok(b->outcome.ret == EBUSY && is_open(b),
	   "a queue pair that is not destroyed keeps its completions, which "
	   "may be taken");
}

int main(void)
{
	struct bench *b = bench_new();

	test_known(b);
	test_open(b);
	test_never(b);
	test_destroy(b);
	return bench_end(b);
}
