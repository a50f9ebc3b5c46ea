/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which lines of a profile hold for a finding.
 */
#include <string.h>
#include "fuzz/hunt/known_deviation.h"
#include "fuzz/hunt/finding_key.h"
#include "run/case_end.h"

int known_deviations_read(struct expect_list *list, const char *file,
			  const struct device_info *d, char *err, size_t len)
{
	struct expect_facts facts;
	char path[RUN_PATH_LEN];

	if (!file && !expect_default(d->driver, path, sizeof(path)))
		return 0;
	expect_facts_init(&facts, d);
	return expect_read(list, file ? file : path, &facts, err, len);
}

/* Returns true if "rule:" lines hold for the finding. They do not for the
 * outcome of ibv_modify_qp itself, which has generated cases of its own. */
static bool is_anywhere(const struct recorder *r, const struct judgement *j)
{
	return strncmp(r->current.id, "modify/", strlen("modify/")) != 0 ||
	       j->call < 0 || r->program.call[j->call].verb != V_modify_qp;
}

void known_deviation_set_case(struct recorder *r, const struct judgement *j,
			      const char *key)
{
	finding_case_id(r, j, key, r->current.id);
	r->current.row = j->row;
	r->current.anywhere = is_anywhere(r, j);
}

bool is_known_deviation(const struct expect_list *list,
			const struct recorder *r, const struct judgement *j)
{
	const struct expect_seen seen = {.error = case_end_deciding_error(r, j),
					 .row = j->row,
					 .anywhere = r->current.anywhere};
	enum verdict verdict = j->verdict;

	expect_apply(list, r->current.id, &seen, false, &verdict);
	return verdict == VERDICT_EXPECTED;
}
