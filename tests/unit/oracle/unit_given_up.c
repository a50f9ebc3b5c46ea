// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A request that no receive is posted for. That it failed may show before its
 * completion does: in the state of its queue pair, in a refusal, in the answer
 * to a request that arrives, in its last event, or in an event of a completion
 * queue.
 */
#include <errno.h>
#include "tests/unit/oracle/oracle_pair.h"

#define RTS_RETRIES(qp, retries)                                               \
	"modify_qp " qp                                                        \
	" mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC "     \
	"qp_state=RTS timeout=8 retry_cnt=1 rnr_retry=" retries "\n"
#define POSTED(retries, timer)                                                 \
	PAIR RTR_TIMER("qp0", "qp1", timer) RTR_TIMER("qp1", "qp0", timer)     \
		RTS_RETRIES("qp0", retries) RTS_RETRIES("qp1", retries)        \
			SEND("1")
#define RTR_TIMER(qp, peer, timer)                                             \
	"modify_qp " qp                                                        \
	" mask=STATE|AV|PATH_MTU|DEST_QPN|RQ_PSN|MAX_DEST_RD_ATOMIC|"          \
	"MIN_RNR_TIMER qp_state=RTR ah_attr.port_num=$port "                   \
	"ah_attr.dlid=$lid path_mtu=$mtu min_rnr_timer=" timer                 \
	" dest_qp_num=" peer ".qp_num\n"
#define AT_ONCE	 POSTED("0", "1")
#define FOR_EVER POSTED("7", "1")
#define PATIENT	 POSTED("6", "0")
#define QUERY	 "query_qp qp0 mask=STATE\n"
#define CHANGE	 "modify_qp qp0 mask=STATE|ACCESS_FLAGS qp_state=RTS\n"
#define TO_ERR	 "modify_qp qp0 mask=STATE qp_state=ERR\n"
#define LEFT	 "destroy_qp qp1\n"
#define RECEIVED "post_recv qp1 wr_id=9 num_sge=1 mr=mr0 length=64\n"
#define SENDS	 "poll_cq cq0 max=8 timeout_ms=5000\n"
#define BRIEFLY	 "poll_cq cq0 max=8 timeout_ms=1\n"
#define OTHER_CQ "poll_cq cq1 max=8 timeout_ms=5000\n"

static void in_err(struct bench *b)
{
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_ERR;
}

static void refused(struct bench *b)
{
	b->outcome.ret = EINVAL;
}

static void given_up(struct bench *b)
{
	struct polled_wc *wc = &b->outcome.out.polled.wc[0];

	b->outcome.ret = 0;
	b->outcome.out.polled.count = 1;
	wc->status = IBV_WC_RNR_RETRY_EXC_ERR;
	wc->vendor_err = 0;
}

static void given_up_after(struct bench *b, const char *text)
{
	play(b, text);
	given_up(b);
}

static struct polled_wc *completion(struct bench *b)
{
	return &b->outcome.out.polled.wc[0];
}

static bool breaks_with(struct bench *b, void (*alter)(struct bench *b),
			enum row row)
{
	alter(b);
	return breaks(b, row);
}

static void test_state(struct bench *b)
{
	play(b, AT_ONCE QUERY);
	ok(passes(b), "the request may still wait");
	play(b, AT_ONCE QUERY);
	in_err(b);
	ok(passes(b), "or its queue pair is in ERR");
	play(b, FOR_EVER QUERY);
	ok(breaks_with(b, in_err, ROW_QRY_STATE),
	   "but not in ERR with infinite retries");
	play(b, PATIENT QUERY);
	ok(breaks_with(b, in_err, ROW_QRY_STATE),
	   "nor before its retries can be over");
	play(b, PATIENT OTHER_CQ QUERY);
	in_err(b);
	ok(passes(b), "after a wait it is in ERR");
	play(b, PATIENT OTHER_CQ QUERY);
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
	ok(breaks(b, ROW_QRY_STATE),
	   "after a wait it is not in RTS on any device");
}

static void test_completion(struct bench *b)
{
	after(b, in_err, AT_ONCE QUERY SENDS);
	given_up(b);
	ok(passes(b), "the completion then says why");
	after(b, in_err, AT_ONCE QUERY SENDS);
	given_up(b);
	b->outcome.out.polled.wc[0].status = IBV_WC_SUCCESS;
	ok(!judged(b), "and does not say that it was carried out");
	after(b, in_err, AT_ONCE QUERY SENDS);
	b->outcome.out.polled.count = 0;
	ok(!judged(b), "and is not missing");
	after(b, in_err, AT_ONCE QUERY QUERY);
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
	ok(!judged(b), "and the queue pair does not leave ERR");
}

static void test_refusal(struct bench *b)
{
	play(b, AT_ONCE CHANGE);
	ok(passes(b), "a change that RTS allows is taken");
	play(b, AT_ONCE CHANGE);
	refused(b);
	ok(passes(b), "or refused, as in ERR");
	after(b, refused, AT_ONCE CHANGE QUERY);
	in_err(b);
	ok(passes(b), "a query then shows ERR");
	after(b, refused, AT_ONCE CHANGE QUERY);
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
	ok(!judged(b), "a query then does not show RTS");
	play(b, FOR_EVER CHANGE);
	refused(b);
	ok(!judged(b), "a request that waits for ever refuses nothing");
	play(b, AT_ONCE OTHER_CQ "inject_send_error qp0\n");
	ok(b->outcome.ret == EINVAL && passes(b),
	   "a send error cannot be injected in ERR");
	play(b, FOR_EVER "inject_send_error qp0\n");
	refused(b);
	ok(!judged(b), "it can be while the request waits for ever");
	play(b, AT_ONCE TO_ERR);
	refused(b);
	ok(!judged(b), "ERR does not refuse what it allows");
}

/* qp1 writes to qp0 without permission. The request of qp0 itself waits. */
#define BACK                                                                   \
	"poll_cq cq1 max=1 timeout_ms=10\n"                                    \
	"post_send qp1 opcode=RDMA_WRITE send_flags=SIGNALED wr_id=2\n"
#define SOON "poll_cq cq0 max=8 timeout_ms=10\n"
#define QP0  5 /* its slot */

static void that_of_qp0(struct bench *b)
{
	given_up(b);
	b->outcome.out.polled.wc[0].wr_id = 1;
	b->outcome.out.polled.wc[0].qp = QP0;
}

static void test_peer(struct bench *b)
{
	play(b, AT_ONCE BACK SOON);
	ok(b->outcome.out.polled.count == 2 && passes(b),
	   "a request that arrives meanwhile is refused");
	play(b, AT_ONCE BACK SOON);
	that_of_qp0(b);
	ok(non_strict(b, ROW_RETRY_UNSEEN), "or finds the queue pair in ERR");
	play(b, FOR_EVER BACK SOON);
	that_of_qp0(b);
	ok(!judged(b), "it does not find ERR if the request waits for ever");
}

/* A poll with a timeout of 100 ms that returns seconds later. */
static void test_late(struct bench *b)
{
	play(b, PATIENT "poll_cq cq0 max=8 timeout_ms=100\n");
	that_of_qp0(b);
	ok(breaks(b, ROW_RETRY_PATIENT),
	   "a patient request does not fail at once");
	play(b, PATIENT "poll_cq cq0 max=8 timeout_ms=100\n");
	that_of_qp0(b);
	b->outcome.since_ms = 4000;
	ok(passes(b), "it may have failed if the clock shows that time passed");
}

/* The receives of the destroyed queue pair complete to cq1, which has a
 * channel. */
#define RECEIVE	  "post_recv qp0 wr_id=7 num_sge=1 mr=mr0 length=8\n"
#define ARM	  "req_notify_cq cq1\n"
#define DESTROYED "poll_cq cq0 max=1 timeout_ms=10\ndestroy_qp qp0\n"
#define EVENT	  "get_cq_event ch0 timeout_ms=10\n"
#define CQ1	  3 /* its slot */

static void tells(struct bench *b, uint16_t cq)
{
	if (b->bound.verb != V_get_cq_event)
		return;
	b->outcome.out.cq_event.count = 1;
	b->outcome.out.cq_event.cq = cq;
	b->outcome.out.cq_event.context = cq;
}

static void told(struct bench *b)
{
	tells(b, CQ1);
}

static void test_event(struct bench *b)
{
	play(b, AT_ONCE RECEIVE ARM DESTROYED EVENT);
	ok(passes(b), "a destroyed queue pair may have raised no event");
	play(b, AT_ONCE RECEIVE ARM DESTROYED EVENT);
	told(b);
	ok(is_open(b), "or the event of flushed receives: nobody can tell");
	play(b, AT_ONCE RECEIVE ARM DESTROYED ARM EVENT);
	told(b);
	ok(is_open(b), "even if the queue was armed again");
	play(b, FOR_EVER RECEIVE ARM DESTROYED EVENT);
	told(b);
	ok(breaks(b, ROW_NOTIFY_NONE),
	   "if the request waits for ever, no event comes");
}

/* The sends complete to a queue with a channel. A request out of sequence,
 * without a timeout, fails on this device and may wait for ever on others. */
#define ARMED(rts)    ARMED_TIMER(rts, "1")
#define PATIENT_SENDS ARMED_TIMER(RTS_RETRIES("qp0", "6"), "0")
#define ARMED_TIMER(rts, timer)                                                \
	"pd0 = alloc_pd\nch0 = create_comp_channel\n"                          \
	"cq0 = create_cq cqe=16 channel=ch0\ncq1 = create_cq cqe=16\n"         \
	"mr0 = reg_mr pd0 length=4096 access=LOCAL_WRITE\n"                    \
	"qp0 = create_qp pd0 qp_type=RC " CAP INIT("qp0")                      \
		RTR_TIMER("qp0", "qp0", timer) rts ARM_SENDS SEND("1")
#define AHEAD                                                                  \
	"modify_qp qp0 "                                                       \
	"mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_RD_ATOMIC "      \
	"qp_state=RTS sq_psn=5\n"
#define ARM_SENDS "req_notify_cq cq0\n"
#define AGAIN	  OTHER_CQ ARM_SENDS SEND("2")
#define CQ0	  2 /* its slot */

static void told_of_sends(struct bench *b)
{
	tells(b, CQ0);
}

static void test_armed_again(struct bench *b)
{
	play(b, ARMED(AHEAD) OTHER_CQ EVENT EVENT);
	told_of_sends(b);
	ok(breaks(b, ROW_NOTIFY_NONE), "a failed request raises one event");
	play(b, ARMED(AHEAD) AGAIN EVENT EVENT);
	ok(b->outcome.out.cq_event.count && is_open(b),
	   "after arming again nobody can tell whether there is another");
	b->outcome.out.cq_event.count = 0;
	b->outcome.ret = -ENOMEM;
	ok(breaks(b, ROW_INT_RETURN), "but no device returns that");
	play(b, ARMED(RTS_RETRIES("qp0", "7")) AGAIN EVENT);
	told_of_sends(b);
	ok(breaks(b, ROW_NOTIFY_NONE),
	   "a request that waits for ever raises no event");
}

#define ANEW ARMED(AHEAD) "modify_qp qp0 mask=STATE qp_state=RESET\n"

/* The queue pair is in RESET, whether its send had ended before or not. */
static void test_anew(struct bench *b)
{
	play(b, ANEW QUERY EVENT);
	ok(passes(b), "a queue pair that is reset need not raise an event");
	play(b, ANEW QUERY EVENT);
	told_of_sends(b);
	ok(is_open(b), "or may have raised it before");
}

#define WITH_SRQ                                                               \
	"pd0 = alloc_pd\nch0 = create_comp_channel\n"                          \
	"cq0 = create_cq cqe=16 channel=ch0\n"                                 \
	"mr0 = reg_mr pd0 length=64 access=LOCAL_WRITE\n"                      \
	"srq0 = create_srq pd0 max_wr=2 max_sge=1\n"                           \
	"qp0 = create_qp pd0 qp_type=RC send_cq=cq0 recv_cq=cq0 srq=srq0 "     \
	"cap.max_send_wr=2 cap.max_send_sge=1\n" INIT("qp0")                   \
		RTR_TIMER("qp0", "qp0", "1")
#define OF_SRQ	     WITH_SRQ AHEAD ARM_SENDS SEND("1")
#define BEGINS_ANEW  "modify_qp qp0 mask=STATE qp_state=RESET\n"
#define ASYNCHRONOUS "get_async_event\n"
#define QP_OF_SRQ    5 /* its slot */

static void was_last(struct bench *b)
{
	b->outcome.out.event = (struct event_args){
		.event_type = IBV_EVENT_QP_LAST_WQE_REACHED,
		.qp = QP_OF_SRQ,
		.cq = NO_OBJ,
		.srq = NO_OBJ,
	};
}

static void test_last(struct bench *b)
{
	play(b, OF_SRQ BEGINS_ANEW ASYNCHRONOUS);
	ok(b->outcome.out.event.event_type == NO_EVENT && passes(b),
	   "a queue pair that is reset need not have one");
	play(b, OF_SRQ BEGINS_ANEW ASYNCHRONOUS);
	was_last(b);
	ok(is_open(b), "it may have raised LAST_WQE_REACHED before");
	play(b, WITH_SRQ RTS_RETRIES("qp0", "7") SEND("1")
			BEGINS_ANEW ASYNCHRONOUS);
	was_last(b);
	ok(breaks(b, ROW_EVENT_NONE), "but not if its send waits for ever");
}

#define SECOND                                                                 \
	"qp1 = create_qp pd0 qp_type=RC " CAP INIT("qp1")                      \
		RTR_TIMER("qp1", "qp1", "1")                                   \
			RTS_RETRIES("qp1", "0") "post_send qp1 opcode=SEND\n"

/* A program reads an event, arms the queue, polls, and waits again. */
static void test_loop(struct bench *b)
{
	play(b, ARMED(RTS_RETRIES("qp0", "0"))
			SECOND OTHER_CQ EVENT ARM_SENDS SENDS EVENT);
	ok(!b->outcome.out.cq_event.count && passes(b),
	   "two that ended before it is armed again raise no event then");
	play(b, ARMED(RTS_RETRIES("qp0", "0")) SECOND OTHER_CQ EVENT EVENT);
	told_of_sends(b);
	ok(breaks(b, ROW_NOTIFY_NONE), "two ended sends raise no two events");
}

/* The retry timers of the peer may take seconds. */
static void test_impatient(struct bench *b)
{
	play(b, PATIENT_SENDS EVENT);
	told_of_sends(b);
	ok(breaks(b, ROW_RETRY_PATIENT), "an event that comes too soon");
	play(b, PATIENT_SENDS "get_cq_event ch0 timeout_ms=5000\n");
	told_of_sends(b);
	ok(passes(b), "an event after a wait");
}

#define LOST                                                                   \
	PAIR RTR_TIMER(                                                        \
		"qp0", "qp1",                                                  \
		"1") "modify_qp qp0 "                                          \
		     "mask=STATE|SQ_PSN|TIMEOUT|RETRY_CNT|RNR_RETRY|MAX_QP_"   \
		     "RD_ATOMIC "                                              \
		     "qp_state=RTS timeout=0 retry_cnt=1 rnr_retry=1\n" SEND(  \
			     "1")
#define NEXT "post_send qp0 wr_id=2\n"
#define GONE "dereg_mr mr0\n" QUERY

static void is_protected(struct bench *b)
{
	given_up(b);
	b->outcome.out.polled.wc[0].status = IBV_WC_LOC_PROT_ERR;
}

/* The region of a waiting request is deregistered. */
static void test_region(struct bench *b)
{
	play(b, LOST GONE SENDS);
	ok(!b->outcome.out.polled.count && passes(b),
	   "a lost request waits for ever, even without its region");
	play(b, LOST GONE SENDS);
	is_protected(b);
	ok(!judged(b), "and does not fail");
	play(b, FOR_EVER GONE NEXT BRIEFLY);
	ok(b->outcome.out.polled.wc[0].status == IBV_WC_LOC_PROT_ERR &&
		   passes(b),
	   "a request that is retried fails without its region");
	play(b, FOR_EVER GONE NEXT BRIEFLY);
	b->outcome.out.polled.count = 0;
	ok(non_strict(b, ROW_RETRY_RUINED), "or was not retried yet");
	play(b, FOR_EVER GONE NEXT SENDS);
	b->outcome.out.polled.count = 0;
	ok(breaks(b, ROW_LOCAL_KEY), "but has been after seconds");
	play(b, FOR_EVER GONE NEXT BRIEFLY);
	b->outcome.out.polled.wc[0].status = IBV_WC_RNR_RETRY_EXC_ERR;
	ok(!judged(b), "its retries are infinite and do not run out");
	play(b, AT_ONCE GONE NEXT BRIEFLY);
	b->outcome.out.polled.wc[0].status = IBV_WC_RNR_RETRY_EXC_ERR;
	ok(non_strict(b, ROW_RETRY_RUINED),
	   "with finite retries they may have run out");
	play(b, FOR_EVER GONE NEXT BRIEFLY);
	b->outcome.out.polled.wc[0].status = IBV_WC_SUCCESS;
	ok(!judged(b), "the request does not succeed");
	play(b, FOR_EVER GONE NEXT QUERY);
	ok(passes(b), "its queue pair is in ERR");
	play(b, FOR_EVER GONE NEXT QUERY);
	b->outcome.out.qp_attr.attr.qp_state = IBV_QPS_RTS;
	ok(passes(b), "or not yet in ERR");
}

/* A request is flushed that may have failed before. */
static void test_flush(struct bench *b)
{
	play(b, AT_ONCE TO_ERR SENDS);
	ok(b->outcome.out.polled.wc[0].status == IBV_WC_WR_FLUSH_ERR &&
		   passes(b),
	   "ERR flushes one that waits");
	play(b, AT_ONCE TO_ERR SENDS);
	given_up(b);
	ok(passes(b), "a flushed request may have failed before");
	play(b, FOR_EVER TO_ERR SENDS);
	given_up(b);
	ok(!judged(b), "but not with infinite retries");
	play(b, FOR_EVER GONE NEXT TO_ERR SENDS);
	ok(b->outcome.out.polled.wc[0].status == IBV_WC_LOC_PROT_ERR &&
		   passes(b),
	   "or may have failed without its region");
	play(b, FOR_EVER GONE NEXT TO_ERR SENDS);
	b->outcome.out.polled.wc[0].status = IBV_WC_WR_FLUSH_ERR;
	ok(non_strict(b, ROW_RETRY_RUINED), "or may have been flushed");
}

/* The peer is destroyed, or a receive is posted: the request waits for
 * something else from then on. */
static void test_reasons(struct bench *b)
{
	given_up_after(b, AT_ONCE LEFT SENDS);
	ok(judged(b),
	   "a request whose peer was destroyed may have failed before");
	given_up_after(b, FOR_EVER LEFT SENDS);
	ok(!judged(b), "but not with infinite retries");
	play(b, AT_ONCE RECEIVED SENDS);
	ok(completion(b)->status == IBV_WC_SUCCESS && passes(b),
	   "a receive posted late is taken");
	given_up_after(b, AT_ONCE RECEIVED SENDS);
	ok(non_strict(b, ROW_RETRY_UNSEEN),
	   "or the receive was posted too late");
	given_up_after(b, FOR_EVER RECEIVED SENDS);
	ok(!judged(b), "a request with infinite retries takes the receive");
	given_up_after(b, AT_ONCE RECEIVED QUERY SENDS);
	ok(!judged(b), "so does a request that was seen to wait");
}

#define INVALIDATES                                                            \
	CONNECTED "post_send qp0 opcode=LOCAL_INV send_flags=SIGNALED\n"
#define GOES_TO(state) "modify_qp qp0 mask=STATE qp_state=" state "\n"

static void taken(struct bench *b)
{
	b->outcome.ret = 0;
}

/* The model chose that a request failed, and the device accepts a call that ERR
 * refuses. If the call is legal without the failure, the judge names the row of
 * the request. */
static void test_taken(struct bench *b)
{
	play(b, INVALIDATES GOES_TO("256"));
	ok(breaks_with(b, taken, ROW_STATE_RANGE),
	   "an invalid state: the rule of the call");
}

/* A single call of ibv_poll_cq waits for nothing. */
static void test_single_call(struct bench *b)
{
	play(b, AT_ONCE "poll_cq cq0 entries=4 timeout_ms=5000\n");
	b->outcome.out.polled.count = 0;
	ok(passes(b), "a single call may find no completion yet");
	play(b, AT_ONCE SENDS);
	b->outcome.out.polled.count = 0;
	ok(breaks(b, ROW_RETRY_RNR), "a poll of five seconds finds one");
}

int main(void)
{
	struct bench *b = bench_new();

	test_state(b);
	test_completion(b);
	test_refusal(b);
	test_peer(b);
	test_late(b);
	test_event(b);
	test_armed_again(b);
	test_anew(b);
	test_last(b);
	test_loop(b);
	test_impatient(b);
	test_region(b);
	test_flush(b);
	test_reasons(b);
	test_taken(b);
	test_single_call(b);
	return bench_end(b);
}
