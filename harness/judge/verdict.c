/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The names of verdicts, which of them count as failure, and the words for the
 * device that a failure is of.
 */
#include <string.h>
#include "judge/judge.h"

static const struct {
	const char *name;
	bool fails;
} verdicts[VERDICT_NR] = {
	[VERDICT_PASS] = {"pass", false},
	[VERDICT_NON_STRICT] = {"non-strict", false},
	[VERDICT_DEVIATES] = {"deviates", true},
	[VERDICT_EXPECTED] = {"expected", false},
	[VERDICT_FIXED] = {"fixed", true},
	[VERDICT_UNSUPPORTED] = {"unsupported", false},
	[VERDICT_INCONCLUSIVE] = {"inconclusive", true},
	[VERDICT_CRASHED] = {"crashed", true},
	[VERDICT_HUNG] = {"hung", true},
	[VERDICT_HOST_LOST] = {"host-lost", true},
};

const char *verdict_name(enum verdict v)
{
	return verdicts[v].name;
}

int verdict_by_name(const char *name)
{
	for (int v = 0; v < VERDICT_NR; v++)
		if (!strcmp(verdicts[v].name, name))
			return v;
	return -1;
}

bool verdict_fails(enum verdict v, bool strict)
{
	return verdicts[v].fails || (strict && v == VERDICT_NON_STRICT);
}

bool verdict_is_death(enum verdict v)
{
	return v == VERDICT_CRASHED || v == VERDICT_HUNG;
}

bool verdict_accuses(enum verdict v, bool strict)
{
	return v == VERDICT_DEVIATES || verdict_is_death(v) ||
	       (strict && v == VERDICT_NON_STRICT);
}

const char *whose_name(enum whose w)
{
	static const char *const names[WHOSE_NR] = {
		[WHOSE_FIRST] = "first",
		[WHOSE_SECOND] = "second",
		[WHOSE_EACH] = "each",
		[WHOSE_EITHER] = "either",
	};

	return names[w];
}
