// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of memory windows: binds that are not checked, windows that
 * allow more than they were bound for, keys that stay valid, and changed binds.
 */
#include "mutants/lister.h"

static const struct {
	enum row row;
	const char *what;
} broken[] = {
	{ROW_MW_PD_QP, "a queue pair's protection domain not looked at"},
	{ROW_MW_PD_MR, "a region's protection domain not looked at"},
	{ROW_MW_MR_BIND, "a region's right to be bound not looked at"},
	{ROW_MW_MR_WRITE, "a region's right to be written not looked at"},
	{ROW_MW_MR_RANGE, "a window that is larger than its region"},
	{ROW_MW_EMPTY_2, "a window of type 2 bound to nothing"},
	{ROW_MW_NOT_FREE, "a window bound twice"},
	{ROW_MW_STALE, "a window bound by a key that it does not have"},
	{ROW_MW_REKEY, "the old key after a bind"},
	{ROW_MW_RANGE, "a window that gives the whole region"},
	{ROW_MW_RIGHT, "a window that gives every right"},
	{ROW_MW_RIGHT_MR, "a window that gives the rights of its region"},
	{ROW_MW_OTHER_QP_2B, "a window of type 2B for every queue pair"},
	{ROW_MW_ORDER, "a bind that what is behind it does not wait for"},
	{ROW_MW_GONE, "a key that lives on"},
	{ROW_MW_PD, "a window for every protection domain"},
	{ROW_MW_INVALIDATED, "a receive that tells of no invalidation"},
	{ROW_INV_LOCAL, "anything invalidated with success"},
};

/* Windows with fewer bytes, or with a lower offset, than were asked for. */
static void of_truncation(struct lister *m)
{
	static const enum field lengths[] = {F_bind_length, F_send_bind_length};
	static const enum field offsets[] = {F_bind_offset, F_send_bind_offset};
	static const char *const bits[] = {"=8", "=10", "=12", "=16"};

	for (size_t i = 0; i < 2; i++) {
		for (size_t b = 0; b < COUNT(bits); b++)
			mutants_output(m, "trunc", lengths[i], bits[b]);
		mutants_output(m, "trunc", offsets[i], "=11");
		mutants_output(m, "trunc", offsets[i], "=16");
	}
}

void mutants_of_windows(struct lister *m)
{
	static const enum field fields[] = {F_bind_offset, F_bind_length,
					    F_send_bind_offset,
					    F_send_bind_length};

	for (size_t i = 0; i < COUNT(broken); i++)
		mutants_list(m, "P", broken[i].what, "skip:%s",
			     rule(broken[i].row)->id);
	for (size_t i = 0; i < COUNT(fields); i++) {
		mutants_output(m, "zero", fields[i], "");
		mutants_output(m, "add", fields[i], "=1");
	}
	mutants_output(m, "zero", F_bind_access, "");
	mutants_output(m, "zero", F_send_bind_access, "");
	mutants_output(m, "add", F_send_bind_rkey, "=1");
	mutants_output(m, "zero", F_send_invalidate_rkey, "");
	mutants_output(m, "add", F_send_invalidate_rkey, "=1");
	of_truncation(m);
	mutants_output(m, "zero", F_wc0_invalidated_rkey, "");
	mutants_output(m, "add", F_wc0_invalidated_rkey, "=1");
	mutants_output(m, "map", F_wc0_status, "=6,2");
	mutants_output(m, "map", F_wc0_opcode, "=5,6");
	mutants_output(m, "map", F_wc0_opcode, "=6,0");
	mutants_output(m, "add", F_window_rkey, "=1");
}
