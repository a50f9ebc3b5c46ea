// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of what a queue pair reports beside its attributes: the order
 * of its data, and its options of ECE.
 */
#include "mutants/lister.h"

void mutants_of_reports(struct lister *m)
{
	static const enum row rows[] = {
		ROW_ORDER_ANSWER, ROW_ORDER_CAPS,     ROW_ORDER_PLAIN,
		ROW_ORDER_SAME,	  ROW_ORDER_DEVICE,   ROW_ORDER_UNKNOWN,
		ROW_ECE_VENDOR,	  ROW_ECE_QUERY_MASK, ROW_ECE_QUERY_OPTIONS,
		ROW_ECE_ACCEPTED,
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		mutants_list(m, "Q", "a wrong report", "skip:%s",
			     rule(rows[i])->id);
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
