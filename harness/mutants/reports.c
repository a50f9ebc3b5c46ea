// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of what a queue pair reports beside its attributes: the order
 * of its data, and its options of ECE.
 */
#include "mutants/lister.h"

/* Rows about counters of flow rules, and what the fault does. */
static void of_counters(const struct lister *m)
{
	static const struct {
		enum row row;
		const char *what;
	} broken[] = {
		{ROW_COUNTERS_PACKETS, "packets that are counted twice"},
		{ROW_COUNTERS_BYTES, "bytes without the Ethernet header"},
		{ROW_COUNTERS_CLEARED, "a counter that begins at 1"},
		{ROW_COUNTERS_SUM, "the last attachment of an index alone"},
		{ROW_COUNTERS_SHARED, "the packets of the first rule alone"},
		{ROW_COUNTERS_RISE, "a read that clears the counters"},
		{ROW_COUNTERS_CACHED, "a cached value from the future"},
		{ROW_COUNTERS_GUARD, "a value behind the end of the array"},
	};

	for (size_t i = 0; i < COUNT(broken); i++)
		mutants_list(m, "Q", broken[i].what, "skip:%s",
			     rule(broken[i].row)->id);
	mutants_list(m, "L", "a call that succeeds and does nothing",
		     "leak:attach_counters_point_flow");
}

/* Rows about completion counters, and what the fault does. */
static void of_comp_cntrs(const struct lister *m)
{
	static const struct {
		enum row row;
		const char *what;
	} broken[] = {
		{ROW_CNTR_CAPS, "capabilities that change"},
		{ROW_CNTR_CAPS_OPS, "an operation that nobody defines"},
		{ROW_CNTR_CLEARED, "a counter that begins at 1"},
		{ROW_CNTR_SET, "a set that adds"},
		{ROW_CNTR_INC, "an increment that sets"},
		{ROW_CNTR_WRAP, "a count that stays at its largest value"},
		{ROW_CNTR_APART, "an error count that is the completion count"},
		{ROW_CNTR_LATE, "a change that no read shows before the next"},
		{ROW_CNTR_COUNTS, "successes that are not counted"},
		{ROW_CNTR_BYTES, "requests that are counted for bytes"},
		{ROW_CNTR_REMOTE,
		 "operations of the peer that are not counted"},
		{ROW_CNTR_ERRORS, "failures that are counted as successes"},
		{ROW_CNTR_OTHER, "operations that are counted unasked"},
		{ROW_CNTR_SHARED, "completions of the first queue pair alone"},
	};
	static const enum verb idle[] = {
		V_set_comp_cntr,     V_set_err_comp_cntr,   V_inc_comp_cntr,
		V_inc_err_comp_cntr, V_qp_attach_comp_cntr,
	};

	for (size_t i = 0; i < COUNT(broken); i++)
		mutants_list(m, "Q", broken[i].what, "skip:%s",
			     rule(broken[i].row)->id);
	for (size_t i = 0; i < COUNT(idle); i++)
		mutants_list(m, "L", "a call that succeeds and does nothing",
			     "leak:%s", verb_info(idle[i])->name);
	mutants_output(m, "zero", F_cntr_seen, "");
	mutants_output(m, "trunc", F_cntr_seen, "=32");
	mutants_output(m, "zero", F_cntr_max_value, "");
}

void mutants_of_reports(struct lister *m)
{
	static const enum row rows[] = {
		ROW_ORDER_ANSWER,      ROW_ORDER_CAPS,
		ROW_ORDER_PLAIN,       ROW_ORDER_SAME,
		ROW_ORDER_DEVICE,      ROW_ORDER_UNKNOWN,
		ROW_ECE_VENDOR,	       ROW_ECE_QUERY_MASK,
		ROW_ECE_QUERY_OPTIONS, ROW_ECE_ACCEPTED,
		ROW_ECE_USED,	       ROW_PORT_SPEED,
		ROW_GID_EX_ENTRY,      ROW_GID_EX_TYPE,
		ROW_GIDS_ENTRIES,      ROW_GIDS_GUARD,
		ROW_PKEY_AT,	       ROW_CLOCK_AGAIN,
		ROW_CLOCK_MASK,	       ROW_CLOCK_FORWARD,
		ROW_ALLOCATOR_NULL,    ROW_ALLOCATOR_OWN,
		ROW_ALLOCATOR_MASKED,  ROW_ALLOCATOR_KEPT,
		ROW_ALLOCATOR_FREED,   ROW_ALLOCATOR_FOREIGN,
		ROW_ALLOCATOR_CONTEXT, ROW_ALLOCATOR_SIZE,
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		mutants_list(m, "Q", "a wrong report", "skip:%s",
			     rule(rows[i])->id);
	of_counters(m);
	of_comp_cntrs(m);
	m->where = "@query_ece";
	mutants_output(m, "drop", F_ece_vendor_id, "");
	mutants_output(m, "zero", F_ece_vendor_id, "");
	mutants_output(m, "drop", F_ece_comp_mask, "");
	mutants_output(m, "ones", F_ece_comp_mask, "");
	m->where = "@set_ece";
	mutants_output(m, "ones", F_ece_options, "");
	m->where = "";
	mutants_output(m, "ones", F_ordered, "");
}
