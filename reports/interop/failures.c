/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Gathers from the runs of all pairs which cases fail, and in which pairs each
 * of them was tried.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "reports/fold.h"
#include "reports/interop/matrix.h"

/* One run that is being read */
struct reading {
	struct failures *f;
	const struct report *r;
	int pair, npairs;
};

static char *keep(const char *text)
{
	return text ? strdup(text) : NULL;
}

static const char *rule_of(const struct report_case *c)
{
	return c->rule_id ? c->rule_id : "";
}

static struct failure *find(const struct failures *f,
			    const struct report_case *c)
{
	const json_t *list = json_object_get(f->by_id, c->id), *number;
	size_t i;

	json_array_foreach(list, i, number)
	{
		struct failure *at = &f->at[json_integer_value(number)];

		if (!strcmp(at->rule, rule_of(c)))
			return at;
	}
	return NULL;
}

static bool has_room(struct failures *f)
{
	size_t room = f->room ? 2 * f->room : 64;
	struct failure *more;

	if (f->n < f->room)
		return true;
	more = realloc(f->at, room * sizeof(*more));
	if (!more)
		return false;
	f->at = more;
	f->room = room;
	return true;
}

static void note_id(struct failures *f, const char *id)
{
	json_t *list = json_object_get(f->by_id, id);

	if (!list) {
		list = json_array();
		json_object_set_new(f->by_id, id, list);
	}
	json_array_append_new(list, json_integer((json_int_t)f->n));
}

static struct failure *add(struct reading *reading, const struct report_case *c)
{
	struct failures *f = reading->f;
	struct failure *at;

	if (!has_room(f))
		return NULL;
	at = &f->at[f->n];
	*at = (struct failure){
		.id = keep(c->id),
		.rule = keep(rule_of(c)),
		.sentence = keep(c->sentence),
		.expected = keep(c->expected),
		.observed = keep(c->observed),
		.program = keep(c->program ? c->program : c->begun),
		.whose = keep(c->whose),
		.verdict = c->verdict,
		.pair = reading->pair,
		.in = calloc((size_t)reading->npairs, 1),
	};
	note_id(f, c->id);
	f->n++;
	return at->id && at->rule && at->in ? at : NULL;
}

static void take_failure(const struct report_case *c, void *arg)
{
	struct reading *reading = arg;
	struct failure *at;

	if (reading->f->failed || !report_fails(reading->r, c))
		return;
	at = find(reading->f, c);
	if (!at)
		at = add(reading, c);
	if (at)
		at->in[reading->pair] = FAILED;
	else
		reading->f->failed = true;
}

/* A case that fails elsewhere, or here by another rule, was tried here. */
static void take_tried(const struct report_case *c, void *arg)
{
	struct reading *reading = arg;
	const json_t *list = json_object_get(reading->f->by_id, c->id), *number;
	size_t i;

	if (c->verdict == VERDICT_UNSUPPORTED)
		return;
	json_array_foreach(list, i, number)
	{
		unsigned char *in = &reading->f->at[json_integer_value(number)]
					     .in[reading->pair];

		if (*in == NOT_TRIED)
			*in = HELD;
	}
}

/* Orders verdicts for a cell: unsupported only says something if no case ran.
 */
static int severity(enum verdict v)
{
	static const int of[VERDICT_NR] = {
		[VERDICT_UNSUPPORTED] = 1, [VERDICT_PASS] = 2,
		[VERDICT_EXPECTED] = 3,	   [VERDICT_NON_STRICT] = 4,
		[VERDICT_FIXED] = 5,	   [VERDICT_INCONCLUSIVE] = 6,
		[VERDICT_DEVIATES] = 7,	   [VERDICT_HUNG] = 8,
		[VERDICT_CRASHED] = 9,	   [VERDICT_HOST_LOST] = 10,
	};

	return of[v];
}

static json_t *worst(const struct report *r)
{
	int at = -1;

	for (int v = 0; v < VERDICT_NR; v++)
		if (r->count[v] &&
		    (at < 0 ||
		     severity((enum verdict)v) > severity((enum verdict)at)))
			at = v;
	return at < 0 ? json_null()
		      : json_string(verdict_name((enum verdict)at));
}

static void sum(const struct report *r, json_t *pair)
{
	char cut[256];

	json_object_set_new(pair, "worst", worst(r));
	json_object_set_new(pair, "failures",
			    json_integer((json_int_t)r->failures));
	json_object_set_new(pair, "counts", report_counts(r->count, r->total));
	if (r->ntargets && report_cut_off(r, 0, cut, sizeof(cut)))
		json_object_set_new(pair, "cut_off", json_string(cut));
}

/* Reads the run of a pair. The first reading finds failures, the second where
 * their cases were tried. */
static int read_run(struct failures *f, const struct pairs *plan, int pair,
		    const char *dir, json_t *sums, char *err, size_t errlen)
{
	char path[RUN_ERROR_LEN];
	struct report r;
	struct reading reading = {f, &r, pair, plan->npairs};
	int ret;

	if (!pairs_has_result(&plan->pair[pair]))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", dir, plan->pair[pair].folder);
	ret = report_open(&r, path, err, errlen);
	if (ret)
		return ret;
	if (sums)
		sum(&r, json_array_get(sums, (size_t)pair));
	if (sums && r.failures)
		ret = report_each_traced(&r, take_failure, &reading, err,
					 errlen);
	else if (!sums)
		ret = report_each(&r, take_tried, &reading, err, errlen);
	report_close(&r);
	return ret;
}

int failures_gather(struct failures *f, const struct pairs *plan,
		    const char *dir, json_t *pairs, char *err, size_t errlen)
{
	int ret = 0;

	f->by_id = json_object();
	for (int i = 0; i < plan->npairs && !ret; i++)
		ret = read_run(f, plan, i, dir, pairs, err, errlen);
	for (int i = 0; i < plan->npairs && f->n && !ret; i++)
		ret = read_run(f, plan, i, dir, NULL, err, errlen);
	if (!ret && f->failed) {
		snprintf(err, errlen, "no memory for what fails");
		ret = -ENOMEM;
	}
	return ret;
}

void failures_free(struct failures *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct failure *at = &f->at[i];

		free(at->id);
		free(at->rule);
		free(at->sentence);
		free(at->expected);
		free(at->observed);
		free(at->program);
		free(at->whose);
		free(at->in);
	}
	free(f->at);
	json_decref(f->by_id);
}
