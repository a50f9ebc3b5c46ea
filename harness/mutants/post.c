// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of posting and polling: completions lost, doubled, out of order
 * or wrong; requests not flushed or carried out too early; limits of a request.
 */
#include "mutants/lister.h"

/* Rows that refuse nothing, and what the fault does. */
static const struct {
	enum row row;
	const char *what;
} broken[] = {
	{ROW_POST_REFUSED, "a refused request that is carried out later"},
	{ROW_POST_SQD, "a send that SQD does not hold"},
	{ROW_POLL_NONE, "an unsignaled send that completes"},
	{ROW_POLL_EACH, "a completion that is lost"},
	{ROW_POLL_ORDER, "completions out of order"},
	{ROW_POLL_FLUSH, "unsignaled work that is not flushed"},
	{ROW_POLL_RESET, "work that survives RESET"},
	{ROW_QRY_XRC_RCV, "a state that ibv_query_xrc_rcv_qp forgets"},
	{ROW_QRY_OPENED, "an opened queue pair that is reported as fresh"},
	{ROW_RETRY_RNR, "retries for a receive that never end"},
	{ROW_RETRY_ANSWER, "retries for an answer that never end"},
	{ROW_RETRY_SEQUENCE, "retries for a sequence that never end"},
	{ROW_RETRY_PATIENT, "a request that is given up at once"},
	{ROW_RETRY_QUERY, "the retries that are left, reported as those set"},
	{ROW_SQD_UNDER_WAY, "work under way that SQD holds"},
	{ROW_SQD_CHANGED, "a change that SQD forgets while it holds sends"},
	{ROW_SEND_ERROR_RC, "a send error that leaves the state as it was"},
	{ROW_UD_QKEY, "a datagram that is taken with any Q_Key"},
	{ROW_UD_QKEY_OWN, "a Q_Key whose highest bit means nothing"},
	{ROW_PACKET_PKEY, "a packet that is taken with any P_Key"},
	{ROW_SOURCE_QPN_SENT, "a source_qpn that is not the sender's number"},
	{ROW_SOURCE_QPN_RECEIVES, "a queue pair with source_qpn that receives"},
	{ROW_POLL_LOST, "a lost message that takes a receive with it"},
	{ROW_POLL_ARRIVES, "messages of which none arrives"},
	{ROW_POLL_OPCODE, "an operation at fault that completes as flushed"},
	{ROW_CQ_EX_TIME, "a time that runs backwards"},
	{ROW_WR_BEFORE, "a request that runs before its batch is complete"},
	{ROW_WR_ABORT, "a batch that is aborted and carried out"},
	{ROW_WR_WHOLE, "a batch that is refused and carried out"},
	{ROW_WR_SET, "a list of elements of which a setter takes the first"},
	{ROW_THREADS_POST, "a completion that is lost when threads post"},
	{ROW_THREADS_RECV, "a receive that is lost when threads post them"},
	{ROW_THREADS_POLL, "a completion that is lost when threads poll"},
	{ROW_THREADS_DESTROY, "a poll that fails while a queue pair goes"},
	{ROW_NOTIFY_PRESENT, "an event of a completion that was there"},
	{ROW_CQ_OVERRUN, "an overrun that is not told"},
	{ROW_OVERRUN_SHUT, "a queue that goes on after an overrun"},
	{ROW_OVERRUN_QP, "a queue pair that goes on after an overrun"},
	{ROW_THREADS_EVENTS, "a thread that misses an event"},
	{ROW_THREADS_HEARD, "a thread that misses the end of its object"},
	{ROW_TSO_SEGMENTS, "a payload that leaves as one message"},
	{ROW_FLOW_MATCH, "a packet that any rule takes"},
	{ROW_FLOW_ORDER, "the last of two rules that decides"},
	{ROW_FLOW_DROP, "a packet to drop that is received"},
	{ROW_FLOW_PASSES, "a packet that a rule with DONT_TRAP keeps"},
	{ROW_FLOW_AGAIN, "a packet that comes once and not again"},
	{ROW_FLOW_SELF, "a packet that its sender does not want"},
	{ROW_RSS_SAME, "equal packets on different work queues"},
	{ROW_RSS_SPREAD, "packets that are all on one work queue"},
	{ROW_RSS_TOEPLITZ, "a hash that is not Toeplitz"},
	{ROW_RSS_INNER, "a hash over the outer packet of a tunnel"},
	{ROW_FLOW_CSUM, "a wrong checksum that is told as right"},
	{ROW_FLOW_CSUM_OK, "a right checksum that is not told"},
	{ROW_FLOW_FCS, "a packet without its frame check sequence"},
	{ROW_FLOW_VLAN, "a VLAN tag that stays"},
	{ROW_FLOW_PADDING, "padding past the end of a cache line"},
	{ROW_TM_HANDLE, "tags with one handle"},
	{ROW_TM_WC, "an operation on tags that is told as another one"},
	{ROW_TM_DEL, "a removed tag that matches"},
	{ROW_TM_DEL_USED, "the removal of a used tag that succeeds"},
	{ROW_TM_SYNC_REQ, "an unexpected message that is not asked for"},
	{ROW_TM_SYNC_NEW, "a new tag that matches while the count is behind"},
	{ROW_TM_SYNC_OLD, "an old tag that an unexpected message stops"},
	{ROW_TM_SYNC, "tags that match nothing any more"},
	{ROW_TM_MASK, "a mask that is not looked at"},
	{ROW_TM_ORDER, "the last tag that matches"},
	{ROW_TM_PAYLOAD, "a buffer that gets the header, too"},
	{ROW_TM_RECV, "a match with the wr_id of its TAG_ADD"},
	{ROW_TM_INFO, "a match that is told with another tag"},
	{ROW_TM_SHORT, "a match whose data never become valid"},
	{ROW_TM_LONG, "a long message that completes once"},
	{ROW_TM_UNEXPECTED, "an unexpected message without its header"},
	{ROW_TM_NO_TAG, "a message without a tag that is told as another one"},
	{ROW_TM_RNDV, "a payload that is not read"},
	{ROW_TM_FIN, "an answer with the opcode of its request"},
	{ROW_TM_RNDV_SHORT, "a payload that does not fit and is told as read"},
};

static void of_behaviour(const struct lister *m)
{
	static const enum verb verbs[] = {V_post_send,	   V_post_recv,
					  V_post_srq_recv, V_post_wq_recv,
					  V_post_srq_ops,  V_wr_complete};

	for (size_t i = 0; i < COUNT(broken); i++)
		mutants_list(m, "P", broken[i].what, "skip:%s",
			     rule(broken[i].row)->id);
	for (size_t i = 0; i < COUNT(verbs); i++)
		mutants_list(m, "P", "a request that is lost", "leak:%s",
			     verb_info(verbs[i])->name);
}

static void of_limits(const struct lister *m)
{
	static const enum field fields[] = {
		F_send_num_sge,	  F_recv_num_sge,    F_send_length,
		F_dev_max_sge_rd, F_port_max_msg_sz, F_send_tso_hdr_sz,
		F_dev_max_tso};
	static const char *const ops[] = {"less", "more", "none"};
	char name[64];

	for (size_t i = 0; i < 2; i++)
		mutants_list(m, "P", "a request without elements is refused",
			     "zero-refused:%s",
			     mutant_field_name(fields[i], name, sizeof(name)));
	mutants_list(m, "P", "inline data of which the first part is measured",
		     "first:%s",
		     mutant_field_name(F_send_length, name, sizeof(name)));
	for (size_t i = 0; i < COUNT(fields); i++)
		for (size_t o = 0; o < COUNT(ops); o++)
			mutants_list(m, "P", "a limit other than was granted",
				     "%s:%s", ops[o],
				     mutant_field_name(fields[i], name,
						       sizeof(name)));
}

/* The same fields, only in the functions of an extended completion queue. */
static void of_extended(const struct lister *m)
{
	static const char *const verbs[] = {"start_poll", "next_poll"};
	static const char *const faults[] = {
		"ones:WC.wc0.status",  "drop:WC.wc0.wr_id",
		"add:WC.wc0.wr_id=1",  "drop:WC.wc0.qp",
		"ones:WC.wc0.opcode",  "map:WC.wc0.opcode=128,0",
		"zero:WC.wc0.src_qp",  "add:WC.wc0.byte_len=1",
		"drop:WC.wc0.imm_data"};

	for (size_t i = 0; i < COUNT(faults); i++)
		mutants_list(m, "W", "an extended queue that reads wrongly",
			     "%s@%s", faults[i], verbs[0]);
	for (size_t i = 0; i < 4; i++)
		mutants_list(m, "W", "an extended queue that goes on wrongly",
			     "%s@%s", faults[i], verbs[1]);
}

/* The fields of a completion, of the first and of later ones. */
static void of_completions(const struct lister *m)
{
	static const enum field fields[] = {
		F_wc_count,	F_wc0_status, F_wc0_qp,
		F_wc0_opcode,	F_wc1_status, F_wc1_wr_id,
		F_wc1_byte_len, F_wc6_status, F_wc6_wr_id,
	};
	static const enum field numbers[] = {F_wc0_wr_id, F_wc0_byte_len,
					     F_wc0_imm_data, F_wc0_src_qp};

	for (size_t i = 0; i < COUNT(fields); i++) {
		mutants_output(m, "drop", fields[i], "");
		mutants_output(m, "ones", fields[i], "");
	}
	for (size_t i = 0; i < COUNT(numbers); i++) {
		mutants_output_missing(m, numbers[i]);
		mutants_output_miscounted(m, numbers[i]);
	}
	mutants_output(m, "swap", F_wc0_wc_flags, "=1,3");
	mutants_output(m, "drop", F_wc0_vendor_err, "");
	mutants_output(m, "drop", F_wc1_vendor_err, "");
	mutants_output_missing(m, F_wc0_slid);
	mutants_output_miscounted(m, F_wc0_slid);
	mutants_output(m, "ones", F_wc0_sl, "");
	mutants_output(m, "add", F_wc0_sl, "=1");
	mutants_output(m, "ones", F_wc0_path_bits, "");
	mutants_output(m, "drop", F_wc_completion_ts, "");
	mutants_output(m, "drop", F_wc_wallclock_ns, "");
	mutants_output(m, "drop", F_wc_cvlan, "");
	mutants_output(m, "drop", F_wc_flow_tag, "");
	mutants_output(m, "drop", F_wc_tm_tag, "");
	mutants_output(m, "drop", F_wc_tm_priv, "");
	mutants_output(m, "swap", F_wc0_wc_flags, "=0,5");
	of_extended(m);
	mutants_output(m, "map", F_wc0_status, "=0,5");
	mutants_output(m, "map", F_wc0_status, "=5,0");
	mutants_output(m, "map", F_wc0_status, "=12,13");
	mutants_output(m, "map", F_wc0_status, "=13,12");
	mutants_output(m, "map", F_wc0_opcode, "=128,0");
	mutants_output(m, "map", F_wc0_opcode, "=129,128");
	mutants_output(m, "add", F_posted_bad_wr, "=1");
	mutants_output(m, "add", F_posted_bad_wr, "=-1");
	mutants_output_missing(m, F_posted_bad_wr);
	mutants_output_miscounted(m, F_wc_tm_tag);
	mutants_output(m, "trunc", F_wc_tm_tag, "=32");
	mutants_output(m, "trunc", F_wc_tm_priv, "=16");
	mutants_output(m, "swap", F_wc0_wc_flags, "=5,6");
}

void mutants_of_posts(struct lister *m)
{
	of_behaviour(m);
	of_limits(m);
	of_completions(m);
}
