/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Finds patterns that match no case of the selection, because they are misspelt
 * or need a wider profile.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "cases/generate/case.h"

const char *profile_text(enum profile profile)
{
	static const char *const names[] = {
		[PROFILE_QUICK] = "quick",
		[PROFILE_FULL] = "full",
		[PROFILE_EXHAUSTIVE] = "exhaustive",
	};

	return profile <= PROFILE_EXHAUSTIVE ? names[profile] : NULL;
}

static bool next_case(const struct test_case *c, void *arg)
{
	(void)c;
	(void)arg;
	return true;
}

static bool all_matched(const struct selection *s)
{
	for (int i = 0; i < s->npatterns; i++)
		if (!s->matched[i])
			return false;
	return true;
}

static int match_in(enum profile profile, const struct device_info *d,
		    const struct selection *s, enum profile *wider)
{
	struct selection other = *s;
	int err;

	other.matched = calloc((size_t)s->npatterns, sizeof(bool));
	if (!other.matched)
		return -ENOMEM;
	other.profile = profile;
	other.ids_only = true;
	other.fair = false;
	err = cases_each(d, &other, next_case, NULL);
	for (int i = 0; i < s->npatterns; i++)
		if (!s->matched[i] && !wider[i] && other.matched[i])
			wider[i] = profile;
	free(other.matched);
	return err;
}

int patterns_wider(const struct device_info *d, const struct selection *s,
		   enum profile *wider)
{
	int err = 0;

	if (all_matched(s))
		return 0;
	for (enum profile p = s->profile + 1; p <= PROFILE_EXHAUSTIVE && !err;
	     p++)
		err = match_in(p, d, s, wider);
	return err;
}

bool patterns_refused(const struct selection *s, const enum profile *wider,
		      char *err, size_t errlen)
{
	for (int i = 0; i < s->npatterns; i++) {
		const char *pattern = s->patterns[i];

		if (s->matched[i] || (wider[i] && pattern[0] == '!'))
			continue;
		if (wider[i])
			snprintf(err, errlen,
				 "\"%s\" selects no case of the %s profile; "
				 "--profile %s has some",
				 pattern, profile_text(s->profile),
				 profile_text(wider[i]));
		else
			snprintf(err, errlen,
				 "\"%s\" selects no case; \"ibvet list\" has "
				 "the ids",
				 pattern);
		return true;
	}
	return false;
}
