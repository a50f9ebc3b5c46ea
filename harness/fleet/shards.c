/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Divides cases into shards. A case belongs to the shard of its id. From there,
 * cases of the longest shard move to the shortest one until they take about
 * equal time. The time of a case is that of the device's last night.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fleet/plan.h"
#include "journal/journal.h"
#include "reports/history/history.h"

#define FIRST_SHARDS 4	 /* of a device that no night knows */
#define MOST_SHARDS  128 /* by time */
#define MOST_MOVES   2000
#define EVEN	     0.01 /* of a shard: they differ by no more */

struct timed_case {
	char *id;
	double seconds;
	unsigned int shard, by_id; /* from 0 */
};

struct division {
	struct timed_case *at;
	size_t n, room;
	double load[MOST_SHARDS], total;
	unsigned int shards;
	bool failed;
};

static void add_case(const char *id, uint64_t us, void *arg)
{
	struct division *v = arg;
	struct timed_case *grown = v->at;

	if (v->n == v->room) {
		v->room = v->room ? 2 * v->room : 4096;
		grown = realloc(v->at, v->room * sizeof(*grown));
		if (!grown) {
			v->failed = true;
			v->room = v->n;
			return;
		}
		v->at = grown;
	}
	v->at[v->n].id = strdup(id);
	v->failed |= !v->at[v->n].id;
	v->at[v->n].seconds = (double)us / 1e6;
	v->total += (double)us / 1e6;
	v->n += v->at[v->n].id != NULL;
}

static int by_time(const void *one, const void *other)
{
	const struct timed_case *a = one, *b = other;

	return (a->seconds < b->seconds) - (a->seconds > b->seconds);
}

static void divide_by_id(struct division *v)
{
	qsort(v->at, v->n, sizeof(*v->at), by_time);
	for (size_t i = 0; i < v->n; i++) {
		struct timed_case *c = &v->at[i];

		c->by_id = id_shard(c->id, v->shards) - 1;
		c->shard = c->by_id;
		v->load[c->shard] += c->seconds;
	}
}

/* Returns the longest case of a shard that takes at most `seconds`, or NULL.
 * Cases are sorted by their time. */
static struct timed_case *longest(struct division *v, unsigned int shard,
				  double seconds)
{
	size_t low = 0, high = v->n;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (v->at[middle].seconds > seconds)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < v->n && v->at[low].shard != shard)
		low++;
	return low < v->n && v->at[low].seconds > 0 ? &v->at[low] : NULL;
}

/* Moves a case so that the longest shard becomes shorter. Returns false if none
 * does, or the shards are even. */
static bool move_one(struct division *v)
{
	const double even = EVEN * v->total / v->shards;
	unsigned int from = 0, to = 0;
	struct timed_case *c;

	for (unsigned int k = 1; k < v->shards; k++) {
		from = v->load[k] > v->load[from] ? k : from;
		to = v->load[k] < v->load[to] ? k : to;
	}
	if (v->load[from] - v->load[to] <= even)
		return false;
	c = longest(v, from, (v->load[from] - v->load[to]) / 2);
	if (!c)
		return false;
	v->load[from] -= c->seconds;
	v->load[to] += c->seconds;
	c->shard = to;
	return true;
}

static json_t *moves(const struct division *v)
{
	json_t *all = json_object();

	for (size_t i = 0; i < v->n; i++)
		if (v->at[i].shard != v->at[i].by_id)
			json_object_set_new(all, v->at[i].id,
					    json_integer(v->at[i].shard + 1));
	return all;
}

/* Returns how many seconds of a run there are to a second of its cases, of
 * which several run at once. */
static double pace_of(const json_t *earlier)
{
	const json_t *pace = json_object_get(earlier, "pace");
	const double value = json_is_number(pace) ? json_number_value(pace) : 1;

	return value > 0.001 && value < 1000 ? value : 1;
}

static unsigned int number_of_shards(const struct lab_run *run, double seconds)
{
	double n = seconds / run->shard_seconds;

	if (run->shards)
		return (unsigned int)run->shards;
	if (!(seconds > 0))
		return strcmp(run->profile, "quick") ? FIRST_SHARDS : 1;
	n = n < 1 ? 1 : n > MOST_SHARDS ? MOST_SHARDS : n + 0.5;
	return (unsigned int)n;
}

/* Reads the times of the device's last run in the profile, if there is one. */
static int read_times(struct division *v, const json_t *earlier,
		      const struct lab *lab, char *err, size_t errlen)
{
	const char *run = json_string_value(json_object_get(earlier, "run"));
	struct history *h;
	int ret;

	if (!run || access(lab->history, F_OK))
		return 0;
	ret = history_open(&h, lab->history, err, errlen);
	if (ret)
		return ret;
	ret = history_each_time(h, run, add_case, v, err, errlen);
	history_close(h);
	if (v->failed && !ret) {
		snprintf(err, errlen, "no memory for the times of cases");
		ret = -ENOMEM;
	}
	return ret;
}

static void divide(struct division *v, json_t *device, double seconds,
		   const struct lab_run *run)
{
	v->shards = number_of_shards(run, seconds);
	json_object_set_new(device, "shards", json_integer(v->shards));
	if (!(seconds > 0))
		return;
	json_object_set_new(device, "seconds", json_real(seconds / v->shards));
	if (v->shards < 2 || v->shards > MOST_SHARDS)
		return;
	divide_by_id(v);
	for (int i = 0; i < MOST_MOVES && move_one(v); i++)
		;
	json_object_set_new(device, "moved", moves(v));
}

/* A sweep divides itself, by calls; the time of the last one says into how many
 * parts. Hunts do not divide anything: each lasts as long as the file says. */
static void divide_other(json_t *device, const struct lab_run *run,
			 const json_t *earlier)
{
	const bool is_fuzz =
		lab_kind_by_name(event_text(device, "kind")) == LAB_FUZZ;
	double seconds = json_number_value(json_object_get(earlier, "seconds"));
	unsigned int n = 1;

	if (!is_fuzz)
		n = number_of_shards(run, seconds);
	else if (run->shards)
		n = (unsigned int)run->shards;
	seconds = is_fuzz ? lab_seconds(run) : seconds / n;
	json_object_set_new(device, "shards", json_integer(n));
	if (seconds > 0)
		json_object_set_new(device, "seconds", json_real(seconds));
}

int night_shards(json_t *device, const struct lab *lab,
		 const struct lab_run *run, const json_t *earlier, char *err,
		 size_t errlen)
{
	struct division *v;
	int ret;

	if (event_text(device, "kind")) {
		divide_other(device, run, earlier);
		return 0;
	}
	v = calloc(1, sizeof(*v));
	if (!v) {
		snprintf(err, errlen, "no memory for a plan");
		return -ENOMEM;
	}
	ret = read_times(v, earlier, lab, err, errlen);
	if (!ret)
		divide(v, device, v->total * pace_of(earlier), run);
	for (size_t i = 0; i < v->n; i++)
		free(v->at[i].id);
	free(v->at);
	free(v);
	return ret;
}
