// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of functions that only compute: each promise broken, and
 * numbers that are wrong for some values.
 */
#include "mutants/lister.h"

void mutants_of_library(struct lister *m)
{
	for (int r = ROW_STR; r <= ROW_FLOW_SPORT; r++)
		mutants_list(m, "Q", "a wrong answer of the library", "skip:%s",
			     rule((enum row)r)->id);
	mutants_output_missing(m, F_computed_number);
	mutants_output_miscounted(m, F_computed_number);
	mutants_output_cut(m, F_computed_number, UINT32_MAX);
	mutants_output_missing(m, F_computed_text);
	mutants_output(m, "ones", F_computed_text, "");
}
