// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests to a queue pair that is connected to another one, and between queue
 * pairs whose addresses name other GIDs: their fate, the fate of the requests
 * behind them, and retries.
 */
#include "mutants/mutant.h"
#include "tests/unit/oracle/oracle_pair.h"

#define QP(qp) qp " = create_qp pd0 qp_type=RC " CAP
/* qp1 and qp2 are connected to each other, qp0 sends to qp1. */
#define THREE                                                                  \
	PAIR QP("qp2") INIT("qp2") RTR("qp1", "qp2") RTR("qp2", "qp1")         \
		RTS("qp1") RTS("qp2") RTR("qp0", "qp1")
#define ANOTHER THREE RTS("qp0") RECV("qp1", "1")
#define RECV(qp, more)                                                         \
	"post_recv " qp " wr_id=10 more=" more                                 \
	" num_sge=1 mr=mr0 offset=64 length=64\n"
#define POST(qp, opcode, id, rest)                                             \
	"post_send " qp " opcode=" opcode " send_flags=SIGNALED num_sge=1 "    \
	"mr=mr0 length=8 wr_id=" id rest "\n"
#define STRAY(more) POST("qp0", "SEND", "1", " more=" more)
#define FAILS	    POST("qp1", "SEND", "5", " lkey=mr0.lkey+1")
#define RECEIVES    "poll_cq cq1 max=8 timeout_ms=900\n"
#define SENDS	    "poll_cq cq0 max=8 timeout_ms=5000\n"
#define RESET(qp)   "modify_qp " qp " mask=STATE qp_state=RESET\n"
#define AT(psn)                                                                \
	"modify_qp qp0 "                                                       \
	"mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC "      \
	"qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=7 sq_psn=" psn "\n"
/* qp4 sends to qp3; the poll waits longer than qp4 retries. */
#define LATER                                                                  \
	"cq2 = create_cq cqe=16\n" QP("qp3") QP("qp4") INIT("qp3") INIT("qp4") \
		RTR("qp4", "qp3") RTS("qp4") POST("qp4", "SEND", "7", "")      \
			RECV("qp3", "0") "poll_cq cq2 max=1 timeout_ms=1500\n"
/* The address of qp1 names another GID than that of qp0. */
#define TO(qp, peer, gid)                                                      \
	"modify_qp " qp                                                        \
	" mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|"          \
	"MIN_RNR_TIMER qp_state=RTR ah_attr.port_num=$port "                   \
	"max_dest_rd_atomic=1 ah_attr.is_global=1 "                            \
	"ah_attr.grh.sgid_index=$gid_index "                                   \
	"ah_attr.grh.dgid=" gid                                                \
	" ah_attr.dlid=$lid path_mtu=$mtu dest_qp_num=" peer ".qp_num\n"
#define READS                                                                  \
	"modify_qp qp0 "                                                       \
	"mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC "      \
	"qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=7 max_rd_atomic=1\n"
#define GIDS                                                                   \
	PAIR TO("qp0", "qp1", "$gid") TO("qp1", "qp0", "fe80::77")             \
		READS RTS("qp1")
/* Its only fault is its local memory. */
#define READ                                                                   \
	"mr1 = reg_mr pd0 length=4096 access=REMOTE_READ\n"                    \
	"modify_qp qp1 mask=STATE|ACCESS_FLAGS qp_state=RTS "                  \
	"qp_access_flags=REMOTE_READ\n" POST("qp0", "RDMA_READ", "1",          \
					     " remote=mr1 lkey=mr0.lkey+1")

static struct mutant takes;

/* Returns the queue pair of the last receive. */
static uint16_t receiver(const struct bench *b)
{
	int i = b->program.ncalls;

	while (i-- > 0)
		if (b->program.call[i].verb == V_post_recv)
			return b->program.call[i].on;
	must(false, "no receive");
	return NO_OBJ;
}

/* Runs a program whose last poll shows `n` messages. */
static void received(struct bench *b, const char *text, unsigned int n)
{
	struct polled_args *out = &b->outcome.out.polled;

	play(b, text);
	b->outcome.ret = 0;
	out->count = n;
	for (unsigned int i = 0; i < n; i++)
		out->wc[i] = (struct polled_wc){
			.wr_id = 10 + i,
			.status = IBV_WC_SUCCESS,
			.opcode = IBV_WC_RECV,
			.byte_len = 8,
			.qp = receiver(b),
		};
}

static bool deviates(struct bench *b)
{
	return !judged(b) && b->said.verdict == VERDICT_DEVIATES;
}

static bool may(struct bench *b)
{
	return non_strict(b, ROW_PACKET_OTHER);
}

static void test_one(struct bench *b)
{
	received(b, ANOTHER STRAY("0") RECEIVES, 0);
	ok(passes(b),
	   "a request to a queue pair of another connection is ignored");
	received(b, ANOTHER STRAY("0") RECEIVES, 1);
	ok(may(b), "or carried out");
	received(b, ANOTHER STRAY("0") RECEIVES, 2);
	ok(deviates(b), "it is carried out once");
	received(b, THREE AT("1") RECV("qp1", "1") STRAY("0") RECEIVES, 1);
	ok(deviates(b), "it is not carried out with another PSN");
}

/* Requests sent before the answer to an earlier one comes. */
static void test_followed(struct bench *b)
{
	received(b, ANOTHER STRAY("1") RECEIVES, 2);
	ok(is_open(b), "requests behind a waiting one may arrive");
	received(b, ANOTHER STRAY("0") POST("qp0", "SEND", "2", "") RECEIVES,
		 2);
	ok(is_open(b), "also requests that are posted later");
	received(b, THREE AT("0xffffff") RECV("qp1", "1") STRAY("1") RECEIVES,
		 1);
	ok(is_open(b), "the first request may be taken for a duplicate");
	received(b, THREE AT("1") RECV("qp1", "1") STRAY("1") RECEIVES, 1);
	ok(deviates(b), "no request with a PSN ahead arrives");
}

static void test_again(struct bench *b)
{
	static const char on[] = ANOTHER STRAY("0") RECEIVES RESET("qp1")
		INIT("qp1") RECV("qp1", "1") RTR("qp1", "qp2") RECEIVES;

	b->seed = &takes;
	received(b, on, 1);
	ok(may(b), "a retried request is carried out again after RESET");
	received(b, on, 2);
	ok(deviates(b), "it is carried out once");
	play(b, ANOTHER STRAY("0") RECEIVES LATER RTR("qp3", "qp2") RECEIVES);
	ok(!b->outcome.out.polled.count && may(b),
	   "or its retries ran out before its peer was ready");
	b->seed = NULL;
}

static void test_stopped(struct bench *b)
{
	received(b, ANOTHER FAILS STRAY("0") RECEIVES, 1);
	ok(is_open(b), "a request may arrive before an unseen failure");
}

static void in_rts(struct bench *b)
{
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
}

static void test_gids(struct bench *b)
{
	play(b, GIDS FAILS POST("qp0", "SEND", "1", "") SENDS
	     "query_qp qp1 mask=STATE\n");
	in_rts(b);
	ok(breaks(b, ROW_QRY_STATE),
	   "a dropped request does not keep a queue pair out of ERR");
	play(b, GIDS READ SENDS);
	ok(b->outcome.out.polled.wc[0].status == IBV_WC_LOC_PROT_ERR &&
		   passes(b),
	   "a dropped READ fails by its local fault");
	play(b, GIDS READ SENDS);
	b->outcome.out.polled.wc[0].status = IBV_WC_RETRY_EXC_ERR;
	ok(judged(b), "or by its retries");
}

int main(void)
{
	struct bench *b = bench_new();
	char err[256];

	must(!mutant_parse("choose:choice/packet-of-another=ARRIVES", &takes,
			   err, sizeof(err)),
	     err);
	test_one(b);
	test_followed(b);
	test_again(b);
	test_stopped(b);
	test_gids(b);
	return bench_end(b);
}
