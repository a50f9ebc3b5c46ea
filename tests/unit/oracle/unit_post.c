// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions: their order within one queue counts, the order between queues
 * does not. Each completion comes once, and an optional one need not come.
 */
#include <errno.h>
#include "mutants/mutant.h"
#include "tests/unit/oracle/oracle_datagram.h"

#define TWO                                                                    \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"                             \
	"qp0 = create_qp pd0 " QP "qp1 = create_qp pd0 " QP                    \
	"modify_qp qp0 " INIT "modify_qp qp1 " INIT
#define FLUSHED                                                                \
	TWO "post_recv qp0 wr_id=10 more=1\npost_recv qp1 wr_id=20 more=1\n"   \
	    "modify_qp qp0 " ERR "modify_qp qp1 " ERR "poll_cq cq0 max=8\n"

static void swap(struct bench *b, int i, int j)
{
	struct polled_wc *wc = b->outcome.out.polled.wc, first = wc[i];

	wc[i] = wc[j];
	wc[j] = first;
}

static void test_order(struct bench *b)
{
	play(b, FLUSHED);
	ok(b->outcome.out.polled.count == 4 && judged(b), "all are flushed");
	play(b, FLUSHED);
	swap(b, 1, 2);
	ok(passes(b), "queues may be mixed");
	play(b, FLUSHED);
	swap(b, 0, 3);
	swap(b, 1, 2);
	ok(breaks(b, ROW_POLL_ORDER), "one queue keeps its order");
}

static void test_number(struct bench *b)
{
	play(b, FLUSHED);
	b->outcome.out.polled.count = 3;
	ok(breaks(b, ROW_POLL_FLUSH), "one flush is missing");
	play(b, FLUSHED);
	b->outcome.out.polled.wc[4] = b->outcome.out.polled.wc[3];
	b->outcome.out.polled.count = 5;
	ok(breaks(b, ROW_POLL_NONE), "a completion comes twice");
	play(b, FLUSHED);
	b->outcome.out.polled.count = 1000;
	ok(!judged(b), "a count past all room");
	play(b, FLUSHED);
	b->outcome.ret = -5;
	ok(!judged(b), "a poll that fails");
}

static void test_fields(struct bench *b)
{
	play(b, FLUSHED);
	b->outcome.out.polled.wc[0].status = IBV_WC_SUCCESS;
	ok(breaks(b, ROW_POLL_FLUSH), "a wrong status");
	play(b, FLUSHED);
	b->outcome.out.polled.wc[0].byte_len = 77;
	b->outcome.out.polled.wc[0].opcode = IBV_WC_RDMA_READ;
	ok(judged(b), "what an error leaves undefined is not looked at");
	play(b, FLUSHED);
	b->outcome.out.polled.wc[0].qp = NO_OBJ;
	ok(!judged(b), "a wrong queue pair");
}

/* Seven choices that only later calls tell apart count as one. */
static void test_late(struct bench *b)
{
	static const char late[] =
		TWO "modify_qp qp0 " ERR "post_recv qp0 wr_id=1 more=6\n"
		    "poll_cq cq0 max=8\n";

	play(b, late);
	ok(b->outcome.out.polled.count == 7 && passes(b),
	   "posted in ERR, and flushed");
	play(b, late);
	b->outcome.out.polled.count = 0;
	ok(non_strict(b, ROW_POLL_FLUSH_LATE), "posted in ERR, and left alone");
	play(b, late);
	b->outcome.out.polled.count = 3;
	ok(judged(b), "posted in ERR, and flushed in part");
}

/* A device that accepts receives in RESET, and uses them or not. */
static const char *early(struct bench *b, const char *fate, bool flushed)
{
	static const char text[] =
		"pd0 = alloc_pd\ncq0 = create_cq cqe=16\nqp0 = create_qp "
		"pd0 " QP "post_recv qp0 wr_id=10 more=1\nmodify_qp qp0 " INIT
		"modify_qp qp0 mask=STATE qp_state=RTR\nmodify_qp qp0 " ERR
		"poll_cq cq0 max=8\n";
	struct mutant takes, then;
	char err[256];

	must(!mutant_parse("choose:choice/post-recv-reset=HELD", &takes, err,
			   sizeof(err)),
	     err);
	must(!mutant_parse(fate, &then, err, sizeof(err)), err);
	prog_init(&b->program);
	must(!prog_parse(&b->program, "test", text, strlen(text), err,
			 sizeof(err)),
	     err);
	memset(&b->results, 0, sizeof(b->results));
	model_init(b->model, PROG_MAX_OBJECTS, &b->info, &takes);
	judge_reset(b->judge);
	for (int i = 0; i < b->program.ncalls; i++) {
		if (i == 4)
			model_seed(b->model, &then);
		make_call(b, i);
		if (i == b->program.ncalls - 1 && !flushed)
			b->outcome.out.polled.count = 0;
		if (!judged(b))
			return "deviates";
	}
	return verdict_name(b->said.verdict);
}

static void test_early(struct bench *b)
{
	static const char held[] = "choose:choice/post-early-fate=HELD",
			  not [] = "choose:choice/post-early-fate=NOT_CARRIED";

	ok(!strcmp(early(b, held, true), "non-strict"),
	   "receives kept, and flushed");
	ok(!strcmp(early(b, not, true), "non-strict"),
	   "receives ignored, then flushed");
	ok(!strcmp(early(b, not, false), "non-strict"),
	   "receives ignored for good");
}

static void test_refused(struct bench *b)
{
	static const char early[] = TWO "post_send qp0 opcode=SEND wr_id=5\n";
	static const char after[] =
		TWO "post_send qp0 opcode=SEND wr_id=5\nmodify_qp qp0 " ERR
		    "poll_cq cq0 max=8\n";

	play(b, early);
	ok(b->outcome.ret == EINVAL && judged(b), "a send in INIT is refused");
	play(b, early);
	b->outcome.out.posted.bad_wr = BAD_WR_NULL;
	ok(judged(b) && b->said.verdict == VERDICT_NON_STRICT,
	   "bad_wr may be NULL then");
	play(b, early);
	b->outcome.out.posted.bad_wr = BAD_WR_UNTOUCHED;
	ok(!judged(b), "bad_wr must be set");
	play(b, early);
	b->outcome.ret = 0;
	ok(judged(b) && b->said.row == ROW_POST_SEND_EARLY,
	   "a device may accept the send");
	play(b, after);
	b->outcome.out.polled.count = 1;
	b->outcome.out.polled.wc[0] = (struct polled_wc){
		.wr_id = 5, .status = IBV_WC_WR_FLUSH_ERR, .qp = 2};
	ok(breaks(b, ROW_POST_REFUSED),
	   "but not refuse the send and complete it");
}

static void test_lists(struct bench *b)
{
	static const char list[] =
		TWO "post_recv qp0 more=4 odd=4 odd_num_sge=2\n";

	play(b, list);
	ok(b->outcome.ret == EINVAL && b->outcome.out.posted.bad_wr == 3 &&
		   judged(b),
	   "a list is accepted up to the bad request");
	for (int at = 0; at < 5; at++) {
		play(b, list);
		b->outcome.out.posted.bad_wr = at;
		ok(judged(b) == (at == 3),
		   "bad_wr points at the bad request only");
	}
}

int main(void)
{
	struct bench *b = bench_new();

	test_order(b);
	test_number(b);
	test_fields(b);
	test_late(b);
	test_early(b);
	test_refused(b);
	test_lists(b);
	return bench_end(b);
}
