/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Compares each run of a page with the next run, and converts the changes to
 * JSON.
 */
#include <errno.h>
#include "reports/diff/diff.h"
#include "reports/html/html.h"

#define MOST_CHANGES 5000 /* that a page lists; ibvet diff -v lists all */

struct changes {
	json_t *list;
	uint64_t left; /* changes that are only counted */
};

static void add_change(const struct diff_change *c, void *arg)
{
	struct changes *all = arg;

	if (json_array_size(all->list) >= MOST_CHANGES) {
		all->left++;
		return;
	}
	json_array_append_new(
		all->list,
		json_pack("[i,s,s?,s?,s?,s?,s?,s?]", (int)c->kind, c->id,
			  c->rule,
			  c->was.there ? verdict_name(c->was.verdict) : NULL,
			  c->was.observed,
			  c->is.there ? verdict_name(c->is.verdict) : NULL,
			  c->is.observed, c->target));
}

static json_t *pair_json(const struct diff *d, const struct diff_pair *pair)
{
	return json_pack("{s:s?,s:s?,s:I,s:I,s:I,s:o}", "was",
			 pair->was < 0 ? NULL : d->was->target[pair->was].name,
			 "is",
			 pair->is < 0 ? NULL : d->is->target[pair->is].name,
			 "same", (json_int_t)pair->same, "onlyWas",
			 (json_int_t)pair->only_was, "onlyIs",
			 (json_int_t)pair->only_is, "environment",
			 diff_environment(d, pair));
}

static json_t *kinds_json(const struct diff *d)
{
	json_t *list = json_array();

	for (enum diff_kind kind = 0; kind < DIFF_NR; kind++)
		json_array_append_new(
			list, json_pack("[s,I,b]", diff_kind_title(kind),
					(json_int_t)d->count[kind],
					diff_kind_counts(kind)));
	return list;
}

static json_t *changes_json(const struct diff *d)
{
	struct changes all = {.list = json_array()};
	json_t *pairs = json_array();

	for (int i = 0; i < d->npairs; i++)
		json_array_append_new(pairs, pair_json(d, &d->pair[i]));
	diff_each(d, add_change, &all);
	return json_pack("{s:o,s:o,s:o,s:I}", "pairs", pairs, "kinds",
			 kinds_json(d), "cases", all.list, "left",
			 (json_int_t)all.left);
}

int page_changes(const struct report *runs, int n, json_t *list, char *err,
		 size_t errlen)
{
	for (int i = 1; i < n; i++) {
		struct diff d;
		int ret = diff_open(&d, &runs[i - 1], &runs[i], NULL, NULL, err,
				    errlen);

		if (ret == -EINVAL) /* not comparable: err says why */
			json_array_append_new(list,
					      json_pack("{s:s}", "why", err));
		else if (ret)
			return ret;
		if (ret)
			continue;
		json_array_append_new(list, changes_json(&d));
		diff_close(&d);
	}
	return 0;
}
