/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which targets of two runs are compared, and whether a run was asked
 * for a case.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "reports/diff/item.h"

static int target_by_name(const struct report *r, const char *name)
{
	for (int t = 0; t < r->ntargets; t++)
		if (!strcmp(r->target[t].name, name))
			return t;
	return -1;
}

static void put(struct diff *d, int was, int is)
{
	d->pair[d->npairs++] = (struct diff_pair){.was = was, .is = is};
}

/* Writes the names of all targets, as in "model, rxe0". */
static void names(const struct report *r, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (int t = 0; t < r->ntargets && used < len; t++)
		used += (size_t)snprintf(buf + used, len - used, "%s%s",
					 t ? ", " : "", r->target[t].name);
}

static int no_target(const struct report *r, const char *option,
		     const char *name, char *err, size_t errlen)
{
	char all[256];

	names(r, all, sizeof(all));
	snprintf(err, errlen,
		 "%s: %s has no target \"%s\"; its targets are: %s", option,
		 r->dir, name, all);
	return -EINVAL;
}

/* Chooses a target by --from or --to, or the only target of the run. */
static int choose(const struct report *r, const char *option, const char *name,
		  int *t, char *err, size_t errlen)
{
	char all[256];

	*t = name ? target_by_name(r, name) : 0;
	if (name && *t < 0)
		return no_target(r, option, name, err, errlen);
	if (name || r->ntargets == 1)
		return 0;
	names(r, all, sizeof(all));
	snprintf(err, errlen, "%s has several targets: choose with %s from %s",
		 r->dir, option, all);
	return -EINVAL;
}

static int pair_chosen(struct diff *d, const char *from, const char *to,
		       char *err, size_t errlen)
{
	int was, is = 0;
	int ret = choose(d->was, "--from", from, &was, err, errlen);

	/* Without --to, prefer the target of the same name. */
	if (!to && d->is->ntargets > 1 && from &&
	    target_by_name(d->is, from) >= 0)
		to = from;
	if (!ret)
		ret = choose(d->is, "--to", to, &is, err, errlen);
	if (!ret)
		put(d, was, is);
	return ret;
}

/* Returns the only target whose name the other run does not have, or -1 if
 * there is no such target or several. */
static int only_left(const struct diff *d, bool second)
{
	const struct report *r = second ? d->is : d->was;
	const struct report *other = second ? d->was : d->is;
	int left = -1;

	for (int t = 0; t < r->ntargets; t++) {
		if (target_by_name(other, r->target[t].name) >= 0)
			continue;
		if (left >= 0)
			return -1;
		left = t;
	}
	return left;
}

static int pair_by_name(struct diff *d, char *err, size_t errlen)
{
	int was_left = only_left(d, false), is_left = only_left(d, true);
	bool left_fit = was_left >= 0 && is_left >= 0;
	char was[256], is[256];
	int fit = 0;

	for (int t = 0; t < d->was->ntargets; t++) {
		int other = target_by_name(d->is, d->was->target[t].name);

		if (other < 0 && left_fit)
			other = is_left;
		put(d, t, other);
		fit += other >= 0;
	}
	for (int t = 0; t < d->is->ntargets; t++)
		if (target_by_name(d->was, d->is->target[t].name) < 0 &&
		    !left_fit)
			put(d, -1, t);
	if (fit)
		return 0;
	names(d->was, was, sizeof(was));
	names(d->is, is, sizeof(is));
	snprintf(err, errlen,
		 "no target is in both runs (%s; %s): choose with --from "
		 "and --to",
		 was, is);
	return -EINVAL;
}

int diff_pair_targets(struct diff *d, const char *from, const char *to,
		      char *err, size_t errlen)
{
	if (from || to)
		return pair_chosen(d, from, to, err, errlen);
	return pair_by_name(d, err, errlen);
}

/* Returns true if the patterns of a run select the id. */
static bool fits_patterns(const json_t *patterns, const char *id)
{
	bool choosing = false, chosen = false;
	size_t n = json_array_size(patterns);

	for (size_t i = 0; i < n; i++) {
		const char *p = json_string_value(json_array_get(patterns, i));
		bool without = p && *p == '!';

		if (!p)
			continue;
		if (without && id_matches(id, p + 1))
			return false;
		choosing |= !without;
		chosen |= !without && id_matches(id, p);
	}
	return chosen || !choosing;
}

/* Returns true if the id belongs to the shard that a run was asked for. A
 * merged run has all shards except those that its run event lists as missing.
 */
static bool in_shard(const json_t *run, const char *id)
{
	unsigned int shards = (unsigned int)event_number(run, "shards", 1);
	const json_t *missing = json_object_get(run, "missing"), *one;
	size_t i;

	if (shards > 1 && id_shard(id, shards) != event_number(run, "shard", 1))
		return false;
	shards = (unsigned int)event_number(run, "merged_of", 1);
	json_array_foreach(missing, i, one)
	{
		if (json_integer_value(one) == id_shard(id, shards))
			return false;
	}
	return true;
}

bool diff_selects(const struct report *r, const struct report *other,
		  const char *id)
{
	if (event_number(r->run, "profile", PROFILE_QUICK) <
	    event_number(other->run, "profile", PROFILE_QUICK))
		return false;
	/* Ids of random values depend on the seed. */
	if (event_number(r->run, "seed", CASE_SEED) !=
	    event_number(other->run, "seed", CASE_SEED))
		return false;
	if (json_array_size(json_object_get(r->run, "programs")) ||
	    !in_shard(r->run, id))
		return false;
	return fits_patterns(json_object_get(r->run, "patterns"), id);
}
