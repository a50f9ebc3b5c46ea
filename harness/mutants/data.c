// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of memory: bytes that go to a wrong place, requests that are
 * changed, and missing checks of keys, ranges, rights and lengths.
 */
#include "mutants/lister.h"

/* Rows that refuse nothing, and what the fault does. */
static const struct {
	enum row row;
	const char *what;
} broken[] = {
	{ROW_DATA_BYTES, "the last byte that does not arrive"},
	{ROW_DATA_IOVA, "an IOVA that is taken for an address"},
	{ROW_DATA_ZERO_BASED,
	 "a region with ZERO_BASED that is at its address"},
	{ROW_DATA_NULL_READ, "a null region that holds something"},
	{ROW_DATA_NULL_WRITE, "a null region that keeps what it gets"},
	{ROW_DATA_DM, "device memory that lacks the last word of a copy"},
	{ROW_DATA_DMABUF, "a dma-buf whose offset is not looked at"},
	{ROW_MR_EX_DMAH, "a DMA handle that makes a region unusable"},
	{ROW_IMPORT_KEYS, "an imported region with a key of its own"},
	{ROW_IMPORT_SAME, "an imported domain that is another domain"},
	{ROW_IMPORT_DM, "imported device memory with bytes of its own"},
	{ROW_IMPORT_LEFT, "an object that its import takes along"},
	{ROW_DATA_DM_BASE, "a region that begins where its device memory does"},
	{ROW_DATA_INLINE, "inline data of the first element alone"},
	{ROW_DATA_DATAGRAM, "no room for the global route header"},
	{ROW_DATA_FENCE, "a fenced request that does not wait for a READ"},
	{ROW_DATA_ATOMIC, "the old value that is not given back"},
	{ROW_DATA_VALUE, "a value that is not written"},
	{ROW_DATA_PROTECTED, "a refused write that is made all the same"},
	{ROW_LOCAL_KEY, "a local key that is not looked at"},
	{ROW_LOCAL_PD, "a local protection domain that is not looked at"},
	{ROW_LOCAL_RANGE, "a local range that is not looked at"},
	{ROW_LOCAL_RIGHT, "a local right that is not looked at"},
	{ROW_REMOTE_KEY, "a remote key that is not looked at"},
	{ROW_REMOTE_PD, "a remote protection domain that is not looked at"},
	{ROW_REMOTE_RANGE, "a remote range that is not looked at"},
	{ROW_REMOTE_RIGHT, "a remote right that is not looked at"},
	{ROW_REMOTE_QP, "a queue pair's rights that are not looked at"},
	{ROW_RECV_SHORT, "a message that is cut to its receive"},
	{ROW_RECV_MEMORY, "a receive's memory that is not looked at"},
	{ROW_REREG_MEMORY, "a region that stays where it was"},
	{ROW_REREG_PD, "a region that stays in its protection domain"},
	{ROW_REREG_RIGHTS, "a region that keeps its rights"},
	{ROW_REREG_KEYS, "new keys that the device does not know"},
	{ROW_REREG_CODE, "the code for the other kind of refusal"},
	{ROW_REREG_KEPT, "a region that is lost by wrong arguments"},
};

/* A member of an operation on tags is changed before the device carries it out,
 * and limits of the list are not those of the SRQ. */
static void of_tags(const struct lister *m)
{
	static const enum field fields[] = {
		F_ops_wr_id,  F_ops_offset, F_ops_length,     F_ops_recv_wr_id,
		F_ops_tag,    F_ops_mask,   F_ops_tag_step,   F_ops_buffer_step,
		F_ops_handle, F_ops_odd,    F_ops_unexpected,
	};
	static const enum field cut[] = {F_ops_wr_id, F_ops_recv_wr_id,
					 F_ops_tag, F_ops_mask};
	static const enum field limits[] = {F_srq_max_num_tags, F_srq_max_ops,
					    F_ops_num_sge};
	static const char *const ops[] = {"less", "more", "none"};
	char name[64];

	for (size_t i = 0; i < COUNT(fields); i++) {
		mutants_output(m, "zero", fields[i], "");
		mutants_output(m, "add", fields[i], "=1");
	}
	for (size_t i = 0; i < COUNT(cut); i++)
		mutants_output(m, "trunc", cut[i], "=32");
	mutants_output(m, "copy", F_ops_recv_wr_id, "=OPS.wr_id");
	for (size_t i = 0; i < COUNT(limits); i++)
		for (size_t o = 0; o < COUNT(ops); o++)
			mutants_list(m, "P", "a limit other than was granted",
				     "%s:%s", ops[o],
				     mutant_field_name(limits[i], name,
						       sizeof(name)));
}

/* A member of a request is changed before the device carries it out. */
static void of_requests(const struct lister *m)
{
	static const enum field fields[] = {
		F_send_offset,	      F_send_length,	  F_send_stride,
		F_send_remote_offset, F_send_compare_add, F_send_swap,
		F_send_imm_data,      F_recv_offset,	  F_recv_length,
		F_recv_stride,
	};
	static const enum field odd[] = {
		F_send_odd,	    F_send_odd_opcode, F_send_odd_length,
		F_send_odd_offset,  F_send_odd_mr,     F_send_odd_remote_offset,
		F_send_part,	    F_send_part_mr,    F_send_part_length,
		F_send_part_offset, F_recv_odd,	       F_recv_odd_mr,
		F_recv_odd_length,  F_recv_part,       F_recv_part_mr,
		F_recv_part_length,
	};
	static const enum field olds[] = {F_send_offset, F_send_length,
					  F_send_remote_offset, F_send_imm_data,
					  F_send_opcode};

	of_tags(m);
	for (size_t i = 0; i < COUNT(fields); i++) {
		mutants_output(m, "zero", fields[i], "");
		mutants_output(m, "add", fields[i], "=1");
	}
	for (size_t i = 0; i < COUNT(odd); i++)
		mutants_output(m, "zero", odd[i], "");
	mutants_output(m, "first", F_send_lkey, "");
	mutants_output(m, "first", F_recv_lkey, "");
	for (size_t i = 0; i < COUNT(olds); i++)
		mutants_output(m, "stale", olds[i], "");
	mutants_output(m, "copy", F_send_compare_add, "=SEND.swap");
	mutants_output(m, "copy", F_send_swap, "=SEND.compare_add");
	mutants_output(m, "trunc", F_send_compare_add, "=32");
	mutants_output(m, "trunc", F_recv_length, "=16");
	mutants_output(m, "trunc", F_send_length, "=16");
}

/* Numbers are cut to some of their bits, in each call that takes or returns
 * them. */
static void of_widths(const struct lister *m)
{
	static const struct {
		enum field field;
		const char *keep, *where;
	} cuts[] = {
		{F_send_wr_id, "=16", "@post_send"},
		{F_send_wr_id, "=32", "@post_send"},
		{F_send_wr_id, "=63", "@post_send"},
		{F_send_wr_id, "=32", "@wr"},
		{F_recv_wr_id, "=16", "@post_recv"},
		{F_recv_wr_id, "=32", "@post_recv"},
		{F_recv_wr_id, "=32", "@post_srq_recv"},
		{F_bind_wr_id, "=32", "@bind_mw"},
		{F_wc0_wr_id, "=32", "@poll_cq"},
		{F_wc0_wr_id, "=32", "@start_poll"},
		{F_send_imm_data, "=31", "@post_send"},
		{F_send_imm_data, "=31", "@wr"},
		{F_wc0_imm_data, "=31", "@poll_cq"},
		{F_wc0_imm_data, "=31", "@start_poll"},
		{F_send_offset, "=15", ""},
		{F_send_offset, "=17", ""},
		{F_send_offset, "=21", ""},
		{F_send_remote_offset, "=15", ""},
		{F_send_remote_offset, "=17", ""},
		{F_send_remote_offset, "=21", ""},
		{F_recv_offset, "=15", ""},
		{F_recv_offset, "=17", ""},
		{F_recv_offset, "=21", ""},
	};
	struct lister here = *m;

	for (size_t i = 0; i < COUNT(cuts); i++) {
		here.where = cuts[i].where;
		mutants_output(&here, "trunc", cuts[i].field, cuts[i].keep);
	}
}

/* Flags are dropped, for each way of posting, and one flag is refused. */
static void of_flags(const struct lister *m)
{
	static const enum verb verbs[] = {V_post_send, V_wr};

	for (size_t i = 0; i < COUNT(verbs); i++) {
		mutants_list(m, "D", "a fence that is dropped",
			     "swap:SEND.send_flags=0,5@%s",
			     verb_info(verbs[i])->name);
		mutants_list(m, "D", "an event asked for that is dropped",
			     "swap:SEND.send_flags=2,5@%s",
			     verb_info(verbs[i])->name);
		mutants_list(m, "D", "checksums that are claimed and refused",
			     "checks:SEND.send_flags@%s",
			     verb_info(verbs[i])->name);
	}
}

void mutants_of_data(struct lister *m)
{
	for (size_t i = 0; i < COUNT(broken); i++)
		mutants_list(m, "D", broken[i].what, "skip:%s",
			     rule(broken[i].row)->id);
	mutants_list(m, "D", "bytes that are moved after the completion",
		     "again:post_send");
	mutants_list(m, "L", "a child that is overlooked", "free:dm/mr");
	mutants_list(m, "L", "a child that is overlooked", "free:dmah/mr");
	mutants_list(m, "D", "a member that is read though it is not used",
		     "unmasked:SEND.remote_srqn");
	of_requests(m);
	of_widths(m);
	of_flags(m);
	mutants_output(m, "map", F_wc0_status, "=10,11");
	mutants_output(m, "map", F_wc0_status, "=4,0");
	mutants_output(m, "map", F_wc0_status, "=1,4");
	mutants_output(m, "map", F_wc0_status, "=9,10");
}
