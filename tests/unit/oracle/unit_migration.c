// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Automatic path migration as devices may show it: path_mig_state before and
 * after the completion of a message, and a failing path whose migration shows
 * in a query, an event or a completion first.
 */
#include "tests/unit/oracle/oracle_pair.h"

#define REARM(qp)                                                              \
	"modify_qp " qp                                                        \
	" mask=ALT_PATH|PATH_MIG_STATE alt_ah_attr.port_num=$port "            \
	"alt_ah_attr.dlid=$lid alt_port_num=$port alt_timeout=9 "              \
	"path_mig_state=REARM\n"
#define RECEIVE "post_recv qp1 wr_id=9 num_sge=1 mr=mr0 length=64\n"
#define POSTED	CONNECTED REARM("qp0") REARM("qp1") RECEIVE SEND("1")
#define SENDS	"poll_cq cq0 max=8 timeout_ms=9000\n"
#define RECVS	"poll_cq cq1 max=8 timeout_ms=9000\n"
#define BOTH	POSTED SENDS RECVS
#define ASK	"modify_qp qp0 mask=PATH_MIG_STATE path_mig_state=MIGRATED\n"
#define BROKEN                                                                 \
	BOTH NOTIFY                                                            \
		"modify_qp qp0 mask=STATE qp_state=SQD\n"                      \
		"wait_drained qp0 timeout_ms=1000\n"                           \
		"modify_qp qp0 mask=AV ah_attr.port_num=$port "                \
		"ah_attr.dlid=0xbffe\n"                                        \
		"modify_qp qp0 mask=STATE qp_state=RTS\n" RECEIVE SEND("2")
#define QUERY(qp) "query_qp " qp " mask=STATE|AV|TIMEOUT|PATH_MIG_STATE\n"
#define SQD_1	  "modify_qp qp1 mask=STATE qp_state=SQD\n"
#define AV_1	  "modify_qp qp1 mask=AV ah_attr.port_num=$port\n"
#define RESET_1	  "modify_qp qp1 mask=STATE qp_state=RESET\n"
#define NOTIFY	  "req_notify_cq cq1\n"
#define CQ_EVENT  "get_cq_event ch0 timeout_ms=1\n"
#define EVENT	  "get_async_event timeout_ms=1\n"

static bool shows(struct bench *b, enum ibv_mig_state state)
{
	b->outcome.out.qp_attr.attr.path_mig_state = state;
	return true;
}

static void test_states(struct bench *b)
{
	play(b, CONNECTED QUERY("qp0"));
	ok(shows(b, IBV_MIG_ARMED) && breaks(b, ROW_MIG_UNASKED),
	   "nobody has asked for ARMED");
	play(b, CONNECTED REARM("qp0") REARM("qp1") QUERY("qp0"));
	ok(passes(b), "REARM, before any message");
	play(b, CONNECTED REARM("qp0") REARM("qp1") QUERY("qp0"));
	ok(shows(b, IBV_MIG_ARMED) && breaks(b, ROW_VAL_READBACK),
	   "ARMED comes with a message only");
	play(b, CONNECTED REARM("qp0") REARM("qp1") QUERY("qp0"));
	ok(shows(b, IBV_MIG_MIGRATED) && breaks(b, ROW_VAL_READBACK),
	   "a path does not migrate from REARM");
	play(b, POSTED QUERY("qp0"));
	ok(passes(b), "ARMED, before the completion");
	play(b, POSTED QUERY("qp0"));
	ok(shows(b, IBV_MIG_REARM) && non_strict(b, ROW_VAL_MIG_MOVES),
	   "REARM, before the completion");
	play(b, POSTED QUERY("qp0"));
	ok(shows(b, IBV_MIG_MIGRATED) && breaks(b, ROW_VAL_MIG_MOVES),
	   "not MIGRATED, before the completion");
	play(b, POSTED SENDS QUERY("qp1"));
	ok(shows(b, IBV_MIG_REARM) && breaks(b, ROW_MIG_ARMED),
	   "the completion of the send shows that the peer is in ARMED");
	play(b, BOTH QUERY("qp0"));
	ok(shows(b, IBV_MIG_REARM) && breaks(b, ROW_MIG_ARMED),
	   "ARMED, after the completion");
}

static void test_program(struct bench *b)
{
	play(b, BOTH ASK QUERY("qp0"));
	ok(passes(b), "the path that the program asked for");
	play(b, BOTH ASK QUERY("qp0"));
	b->outcome.out.qp_attr.attr.timeout = 8;
	ok(breaks(b, ROW_MIG_PATH), "the timeout of the primary path");
	play(b, BOTH ASK QUERY("qp1"));
	ok(shows(b, IBV_MIG_MIGRATED) && breaks(b, ROW_MIG_ARMED),
	   "the peer does not migrate without a packet");
	play(b, BOTH ASK RECEIVE SEND("2") QUERY("qp1"));
	ok(passes(b), "the peer has migrated before the completion");
	play(b, BOTH ASK RECEIVE SEND("2") QUERY("qp1"));
	b->outcome.out.qp_attr.attr.timeout = 8;
	ok(shows(b, IBV_MIG_ARMED) && non_strict(b, ROW_VAL_MIG_MOVES),
	   "the peer migrates later, and its path as well");
	play(b, BOTH ASK RECEIVE SEND("2") SENDS QUERY("qp1"));
	ok(shows(b, IBV_MIG_ARMED) && breaks(b, ROW_MIG_PEER),
	   "the peer has migrated after the completion");
}

/* Shows the alternate path in a query of a queue pair that still retries. */
static void alternate(struct bench *b)
{
	struct ibv_qp_attr *attr = &b->outcome.out.qp_attr.attr;

	attr->ah_attr.dlid = b->info.port[0].attr.lid;
	attr->timeout = 9;
	attr->path_mig_state = IBV_MIG_MIGRATED;
}

static void path_mig(struct bench *b)
{
	b->outcome.ret = 0;
	b->outcome.out.event.event_type = IBV_EVENT_PATH_MIG;
	b->outcome.out.event.qp = 5; /* slot of qp0 */
	b->outcome.out.event.cq = b->outcome.out.event.srq = NO_OBJ;
}

static void received(struct bench *b)
{
	b->outcome.ret = 0;
	b->outcome.out.cq_event.count = 1;
	b->outcome.out.cq_event.cq = b->outcome.out.cq_event.context =
		3; /* cq1 */
}

static void test_failing(struct bench *b)
{
	play(b, BROKEN QUERY("qp0"));
	ok(passes(b), "a send is retried on the primary path");
	play(b, BROKEN QUERY("qp0"));
	alternate(b);
	ok(passes(b), "the migration shows in a query first");
	play(b, BROKEN QUERY("qp0"));
	ok(shows(b, IBV_MIG_MIGRATED) && breaks(b, ROW_MIG_PATH),
	   "a migration that keeps the path");
	play(b, BROKEN EVENT);
	path_mig(b);
	ok(passes(b), "the event shows it first");
	play(b, BROKEN CQ_EVENT);
	received(b);
	ok(passes(b), "the event of the receive shows it first");
	play(b, BROKEN NOTIFY);
	ok(is_open(b), "the message may have come before another arming");
	play(b, BOTH EVENT);
	path_mig(b);
	ok(breaks(b, ROW_EVENT_NONE), "no event without a migration");
	play(b, BROKEN SENDS);
	ok(passes(b), "the completion shows it first");
	play(b, BROKEN RECVS);
	ok(passes(b), "the completion of the receive shows it first");
	play(b, BROKEN SENDS);
	b->outcome.out.polled.count = 0;
	ok(breaks(b, ROW_MIG_FAILING), "no completion");
	play(b, BROKEN SENDS);
	b->outcome.out.polled.wc[0].status = IBV_WC_RETRY_EXC_ERR;
	ok(!judged(b) && b->said.verdict == VERDICT_DEVIATES,
	   "retries that end in an error");
}

/* A failing path may migrate its queue pair, and with it the peer, before the
 * program sets the path of the peer or after that. */
static void test_path_set_meanwhile(struct bench *b)
{
	play(b, BROKEN SQD_1 AV_1);
	ok(is_open(b), "the peer may have migrated before its path was set");
	play(b, BROKEN RESET_1);
	ok(is_open(b), "or before it was reset");
	play(b, BROKEN SENDS SQD_1 AV_1);
	ok(passes(b), "not after the completion has shown the migration");
	play(b, BOTH SQD_1 AV_1);
	ok(passes(b), "nor if no path fails");
}

int main(void)
{
	struct bench *b = bench_new();

	test_states(b);
	test_program(b);
	test_failing(b);
	test_path_set_meanwhile(b);
	return bench_end(b);
}
