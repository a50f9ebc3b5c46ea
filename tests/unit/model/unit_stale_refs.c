// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Walks reuse the slot of a destroyed object while requests still name the old
 * object. Such a request must not use the new object. If the call that creates
 * the new object is refused, the slot stays empty.
 */
#include "tests/unit/oracle/oracle_pair.h"

/* A receive into a region that is deregistered before the message arrives */
#define RECEIVE                                                                \
	CONNECTED "mr1 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"          \
		  "post_recv qp1 num_sge=1 mr=mr1 length=64 wr_id=7\n"         \
		  "dereg_mr mr1\n"
#define ARRIVES SEND("1") "poll_cq cq1 max=1\n"

/* Runs a program whose last object is created in a slot that was used before.
 */
static void play_in(struct bench *b, const char *text, uint8_t slot)
{
	struct program *p = &b->program;

	read_program(b, text);
	for (unsigned int i = 0; i < p->ncalls; i++)
		if (p->call[i].result == p->nobjects - 1)
			p->call[i].result = slot;
	run_program(b);
}

/* Runs a program whose last object reuses the slot of the object before. */
static void play_again(struct bench *b, const char *text)
{
	read_program(b, text);
	play_in(b, text, (uint8_t)(b->program.nobjects - 2));
}

static bool has_failed(const struct bench *b)
{
	return b->outcome.out.polled.count == 1 &&
	       b->outcome.out.polled.wc[0].status == IBV_WC_LOC_PROT_ERR;
}

static void test_refused(struct bench *b)
{
	play_again(b, "pd0 = alloc_pd\nmr0 = reg_mr pd0 length=4096\n"
		      "dereg_mr mr0\nmw0 = alloc_mw pd0 type=TYPE_1\n");
	ok(b->results.alive[1], "a slot that is taken again holds an object");
	play_again(b, "cq0 = create_cq cqe=16\nw0 = poll_cq cq0 max=1\n"
		      "cq1 = create_cq cqe=0x7fffffff\n");
	ok(b->outcome.ret && !b->results.alive[1],
	   "none where the call that makes it is refused");
}

#define XRC_RECV                                                               \
	"xrcd0 = open_xrcd comp_mask=FD|OFLAGS fd=PRIVATE oflags=CREAT\n"      \
	"qp0 = create_qp_ex comp_mask=XRCD xrcd=xrcd0 qp_type=XRC_RECV\n"      \
	"pd0 = alloc_pd\n" INIT("qp0")                                         \
		RTR("qp0",                                                     \
		    "qp0") "modify_qp qp0 mask=STATE|SQ_PSN|TIMEOUT "          \
			   "qp_state=RTS\n"                                    \
			   "qp1 = open_qp comp_mask=NUM|XRCD|TYPE xrcd=xrcd0 " \
			   "qp_num=qp0.qp_num qp_type=XRC_RECV\n"
#define DRAINED                                                                \
	"modify_qp qp1 mask=STATE|EN_SQD_ASYNC_NOTIFY qp_state=SQD "           \
	"en_sqd_async_notify=1\n"
#define REPLACED "destroy_qp qp0\nmw0 = alloc_mw pd0 type=TYPE_1\n"
#define HEARD                                                                  \
	(b->outcome.out.event.event_type == IBV_EVENT_SQ_DRAINED &&            \
	 b->outcome.out.event.qp == 3 && passes(b))

static void test_shared(struct bench *b)
{
	play_in(b, XRC_RECV REPLACED DRAINED "get_async_event\n", 1);
	ok(HEARD, "an event names a handle that is still there");
	play_in(b, XRC_RECV DRAINED REPLACED "get_async_event\n", 1);
	ok(HEARD, "as does one that was raised before the other one went");
	play_in(b, XRC_RECV "destroy_qp qp0\nq0 = query_qp qp1 mask=STATE\n",
		1);
	ok(b->outcome.out.qp_attr.attr.qp_state == IBV_QPS_RTS && passes(b),
	   "a query is about its queue pair if its result takes that slot");
}

#define ROUNDS 16 /* more than the slots for destroyed objects */

/* Appends one request, without a region, and a query. */
static size_t add_round(char *text, size_t len, const char *post, int i)
{
	return (size_t)snprintf(text, len,
				"%s wr_id=%d\nq%d = query_qp qp0 mask=STATE\n",
				post, i, i);
}

/* A slot that no request names is reused again and again: the slot of the first
 * object, number 0. */
static void test_unnamed(struct bench *b)
{
	static const char *const posts[] = {"post_recv qp0", "post_recv qp1"};
	char text[8192] = "ch1 = create_comp_channel\n" CONNECTED
			  "destroy_comp_channel ch1\n";
	size_t len = strlen(text);

	for (int i = 0; i < ROUNDS; i++)
		len += add_round(text + len, sizeof(text) - len, posts[i & 1],
				 i);
	read_program(b, text);
	for (unsigned int i = 0; i < b->program.ncalls; i++)
		if (b->program.call[i].verb == V_query_qp)
			b->program.call[i].result = 0;
	run_program(b);
	ok(passes(b), "what no request names needs no place to be gone in");
}

/* Runs a program with its last object moved to `slot`, in every call. */
static void play_all_in(struct bench *b, const char *text, uint8_t slot)
{
	struct program *p = &b->program;
	uint8_t last;

	read_program(b, text);
	last = (uint8_t)(p->nobjects - 1);
	for (unsigned int i = 0; i < p->ncalls; i++) {
		struct call *c = &p->call[i];

		c->result = c->result == last ? slot : c->result;
		c->on = c->on == last ? slot : c->on;
	}
	for (unsigned int i = 0; i < p->nsettings; i++) {
		struct value *v = &p->setting[i].value;

		if ((v->kind == VAL_OBJ || v->kind == VAL_OUT) &&
		    v->ref == last)
			v->ref = slot;
	}
	run_program(b);
}

#define TO_ITSELF(qp) INIT(qp) RTR(qp, qp) RTS(qp)
#define POLLED	      "poll_cq cq0 max=4\npoll_cq cq1 max=4\n"
#define BROUGHT(seen)                                                          \
	"pd0 = alloc_pd\ncq0 = create_cq cqe=16\ncq1 = create_cq cqe=16\n"     \
	"qp0 = create_qp pd0 qp_type=RC " CAP                                  \
	"mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE\n"                      \
	"fill_mr mr0 pattern=1\n" TO_ITSELF(                                   \
		"qp0") "post_recv qp0 num_sge=1 mr=mr0 length=16\n"            \
		       "post_send qp0 opcode=SEND num_sge=1 mr=mr0 offset=32 " \
		       "length=16\n" seen "destroy_qp qp0\n"                   \
		       "qp1 = create_qp pd0 qp_type=RC " CAP TO_ITSELF(        \
			       "qp1") "post_recv qp1\npost_send qp1 "          \
				      "opcode=SEND\n" POLLED "read_mr mr0\n"
#define QP0 3

/* Returns true if the bytes of the message may be missing from memory. */
static bool may_be_missing(struct bench *b, const char *text)
{
	play_all_in(b, text, QP0);
	if (!passes(b))
		return false;
	b->outcome.out.view.count = 1;
	b->outcome.out.view.checksum++;
	return passes(b);
}

static void test_brought(struct bench *b)
{
	ok(may_be_missing(b, BROUGHT("")),
	   "what a queue pair brought whose slot is taken again need not be "
	   "there where nobody has seen it come");
	ok(!may_be_missing(b, BROUGHT(POLLED)), "else it has to");
}

int main(void)
{
	struct bench *b = bench_new();

	test_refused(b);
	test_shared(b);
	test_unnamed(b);
	test_brought(b);
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
