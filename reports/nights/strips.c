/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Gathers the rules by which a device fails: for each night how many cases, and
 * which ones. A page shows up to MOST cases of a night; it counts all.
 */
#include <stdlib.h>
#include <string.h>
#include "judge/judge.h"
#include "reports/history/times.h"
#include "reports/nights/nights.h"

#define MOST	    20
#define BLOCK_BYTES (256 * 1024)

/* Flags of a strip, as page/data.js knows them. IS_MOVED: cases of the strip
 * fail by another rule now, as after a rule got another id. */
enum { IS_NEW = 1, IS_FLAKY = 2, IS_MOVED = 4 };

/* States of a failing case on a night */
enum state { HELD, NOT_RUN, FAILED };

/* A span that fails. Its texts are numbers. */
struct failing {
	int64_t id, first, last, verdict, rule, observed, expected, program;
	int worst;	   /* enum verdict */
	unsigned char *on; /* enum state of each night */
};

struct gathering {
	struct nights *n;
	const struct nights_device *d;
	struct failing *span; /* by rule, then by id */
	struct failing **by_id;
	size_t nspans, room;
	unsigned char *states; /* what the spans' `on` point to */
};

static bool widen(struct gathering *g)
{
	size_t room = g->room ? 2 * g->room : 256;
	struct failing *grown;

	if (g->nspans < g->room)
		return true;
	grown = realloc(g->span, room * sizeof(*grown));
	if (!grown)
		return false;
	g->span = grown;
	g->room = room;
	return true;
}

static int verdict_of(struct nights *n, int64_t text)
{
	json_t *name = ask_text(&n->asking, text);
	int v = json_string_value(name)
			? verdict_by_name(json_string_value(name))
			: -1;

	json_decref(name);
	return v < 0 ? VERDICT_DEVIATES : v;
}

/* Returns true if the case is one that the page is about. */
static bool is_chosen(struct nights *n, int64_t id)
{
	json_t *text;
	bool chosen;

	if (!n->asking.choice->id)
		return true;
	text = ask_text(&n->asking, id);
	chosen = ask_id_is_chosen(&n->asking, text);
	json_decref(text);
	return chosen;
}

static void read_spans(struct gathering *g)
{
	struct history *h = g->n->asking.h;
	sqlite3_stmt *s = store_prepare(
		h, "SELECT id, first, ifnull(last, ?2), verdict, ifnull(rule, "
		   "0), ifnull(observed, 0), ifnull(expected, 0), "
		   "ifnull(program, 0) FROM span WHERE device = ?1 AND fails "
		   "AND first <= ?2 AND (last IS NULL OR last >= ?3) ORDER BY "
		   "rule, id, first");

	store_bind(h, s, "iii", g->d->latest.device, g->d->latest.run,
		   g->d->run[0].id);
	while (store_step(h, s)) {
		if (!widen(g)) {
			g->n->failed = true;
			break;
		}
		if (!is_chosen(g->n, column_int(s, 0)))
			continue;
		g->span[g->nspans++] = (struct failing){
			.id = column_int(s, 0),
			.first = column_int(s, 1),
			.last = column_int(s, 2),
			.verdict = column_int(s, 3),
			.rule = column_int(s, 4),
			.observed = column_int(s, 5),
			.expected = column_int(s, 6),
			.program = column_int(s, 7),
		};
	}
	sqlite3_finalize(s);
}

static int by_id(const void *one, const void *other)
{
	const struct failing *a = *(struct failing *const *)one;
	const struct failing *b = *(struct failing *const *)other;

	return (a->id > b->id) - (a->id < b->id);
}

/* Gives each span its states, and sorts the spans by case. */
static bool prepare(struct gathering *g)
{
	size_t count = (size_t)g->n->count;

	g->by_id = calloc(g->nspans, sizeof(struct failing *));
	g->states = calloc(g->nspans, count);
	if (!g->by_id || !g->states)
		return false;
	for (size_t i = 0; i < g->nspans; i++) {
		g->span[i].on = g->states + i * count;
		g->span[i].worst = verdict_of(g->n, g->span[i].verdict);
		g->by_id[i] = &g->span[i];
	}
	qsort(g->by_id, g->nspans, sizeof(struct failing *), by_id);
	return true;
}

/* Notes which cases failed in a run: those of the spans that hold the run. The
 * run's times tell which cases ran. */
static void note_run(struct gathering *g, const struct nights_run *run,
		     struct times_reader times)
{
	uint32_t id = 0;
	uint8_t level;
	bool more = times_next(&times, &id, &level);

	for (size_t i = 0; i < g->nspans; i++) {
		struct failing *f = g->by_id[i];

		while (more && id < f->id)
			more = times_next(&times, &id, &level);
		if (f->first <= run->id && run->id <= f->last)
			f->on[run->night] =
				more && id == f->id ? FAILED : NOT_RUN;
	}
}

static void note_runs(struct gathering *g)
{
	struct history *h = g->n->asking.h;
	sqlite3_stmt *s = store_prepare(h, "SELECT took FROM run WHERE id = ?");

	for (int i = 0; i < g->d->nruns; i++) {
		store_bind(h, s, "i", g->d->run[i].id);
		if (store_step(h, s))
			note_run(g, &g->d->run[i], times_of(s, 0));
	}
	sqlite3_finalize(s);
}

/* --- Strips
 * ------------------------------------------------------------------
 */

/* Orders verdicts for a night. */
static int severity(int verdict)
{
	static const int of[VERDICT_NR] = {
		[VERDICT_INCONCLUSIVE] = 1, [VERDICT_FIXED] = 2,
		[VERDICT_NON_STRICT] = 3,   [VERDICT_DEVIATES] = 4,
		[VERDICT_HUNG] = 5,	    [VERDICT_CRASHED] = 6,
		[VERDICT_HOST_LOST] = 7,
	};

	return of[verdict];
}

/* Appends night, number of failing cases and worst verdict, unless the rule
 * held on this night. A number of 0: no case that failed before ran. */
static void add_night(json_t *list, const struct failing *f, size_t n,
		      int night)
{
	json_int_t failed = 0;
	bool any = false;
	int worst = VERDICT_INCONCLUSIVE;

	for (size_t i = 0; i < n; i++) {
		any |= f[i].on[night] != HELD;
		failed += f[i].on[night] == FAILED;
		if (f[i].on[night] == FAILED &&
		    severity(f[i].worst) > severity(worst))
			worst = f[i].worst;
	}
	if (!any)
		return;
	json_array_append_new(list, json_integer(night));
	json_array_append_new(list, json_integer(failed));
	json_array_append_new(list, json_integer(worst));
}

/* Returns true if another span of the case holds at the latest run. */
static bool fails_elsewhere(const struct gathering *g, const struct failing *f)
{
	int64_t latest = g->d->latest.run;
	size_t low = 0, high = g->nspans;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (g->by_id[middle]->id < f->id)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < g->nspans && g->by_id[low]->id == f->id; low++)
		if (g->by_id[low]->rule != f->rule &&
		    g->by_id[low]->last >= latest)
			return true;
	return false;
}

/* Returns IS_NEW and IS_FLAKY as the questions new and flaky tell them. */
static int flags_of(struct gathering *g, const struct failing *f, size_t n)
{
	const struct asked_run *r = &g->d->latest;
	bool tonight = g->d->run[g->d->nruns - 1].night == g->n->count - 1;
	int flags = 0;

	for (size_t i = 0; i < n; i++) {
		struct past past =
			ask_past(&g->n->asking, r->device, f[i].id, r->run);

		if (past_is_flaky(&past))
			flags |= IS_FLAKY;
		else if (tonight && f[i].last >= r->run &&
			 past_is_new(r, &past))
			flags |= IS_NEW;
		if (f[i].last < r->run && fails_elsewhere(g, &f[i]))
			flags |= IS_MOVED;
	}
	return flags;
}

static int64_t rule_number(struct nights *n, int64_t text)
{
	json_t *name = ask_text(&n->asking, text);
	const char *id = json_string_value(name) ? json_string_value(name) : "";
	const json_t *number = json_object_get(n->rules, id);
	int64_t found = number ? json_integer_value(number)
			       : (int64_t)json_object_size(n->rules);

	if (!number)
		json_object_set_new(n->rules, id, json_integer(found));
	json_decref(name);
	return found;
}

/* --- Cases
 * -------------------------------------------------------------------
 */

static void pack_text(struct nights *n, struct pack *p, int64_t number)
{
	json_t *text = ask_text(&n->asking, number);
	const char *value = json_string_value(text);

	pack_raw(p, ",", 1);
	pack_string(p, value ? value : "");
	json_decref(text);
}

/* Returns the index of the first or last night on which the span holds. */
static int edge(const struct failing *f, int count, bool last)
{
	for (int i = 0; i < count; i++) {
		int night = last ? count - 1 - i : i;

		if (f->on[night] != HELD)
			return night;
	}
	return 0;
}

/* Appends the nights between the edges on which the case did not run. */
static void pack_gaps(struct pack *p, const struct failing *f, int from, int to)
{
	const char *before = ",[";

	for (int night = from; night <= to; night++) {
		if (f->on[night] != NOT_RUN)
			continue;
		pack_str(p, before);
		pack_number(p, night);
		before = ",";
	}
	pack_str(p, *before == ',' && before[1] == '[' ? ",[]" : "]");
}

/* Appends [id, verdict, expected, observed, first night, last night, program,
 * [nights without the case], began before the page]. */
static void pack_case(struct gathering *g, const struct failing *f, bool first)
{
	struct nights *n = g->n;
	struct pack *p = &n->cases;
	int from = edge(f, n->count, false), to = edge(f, n->count, true);
	json_t *id = ask_text(&n->asking, f->id);

	pack_str(p, first ? "[" : ",[");
	pack_string(p, json_string_value(id) ? json_string_value(id) : "");
	json_decref(id);
	pack_raw(p, ",", 1);
	pack_number(p, f->worst);
	pack_text(n, p, f->expected);
	pack_text(n, p, f->observed);
	pack_raw(p, ",", 1);
	pack_number(p, from);
	pack_raw(p, ",", 1);
	pack_number(p, to);
	pack_raw(p, ",", 1);
	pack_number(p, nights_program(n, f->program));
	pack_gaps(p, f, from, to);
	pack_str(p, f->first < g->d->run[0].id ? ",1]" : ",0]");
}

/* Returns true if the case is among the first ones of a night, and counts it
 * there. */
static bool is_shown(const struct failing *f, int count, int *shown)
{
	bool any = false;

	for (int night = 0; night < count; night++)
		any |= f->on[night] == FAILED && shown[night] < MOST;
	for (int night = 0; any && night < count; night++)
		shown[night] += f->on[night] == FAILED;
	return any;
}

static void add_cases(struct gathering *g, const struct failing *f, size_t n)
{
	struct pack *p = &g->n->cases;
	int shown[NIGHTS_MOST] = {0};
	bool first = true;

	pack_str(p, p->cases ? ",[" : "[[");
	for (size_t i = 0; i < n; i++) {
		if (!is_shown(&f[i], g->n->count, shown))
			continue;
		pack_case(g, &f[i], first);
		first = false;
	}
	pack_str(p, "]");
	p->cases++;
	if (p->len > BLOCK_BYTES)
		nights_flush(g->n, p, "cases");
}

/* Appends [device, rule, flags, [night, number, verdict, …]]. */
static void add_strip(struct gathering *g, const struct failing *f, size_t n)
{
	json_t *list = json_array();
	json_int_t device = (json_int_t)json_array_size(g->n->devices) - 1;

	for (int night = 0; night < g->n->count; night++)
		add_night(list, f, n, night);
	if (!json_array_size(list)) { /* failed in no run of these nights */
		json_decref(list);
		return;
	}
	json_array_append_new(g->n->strips,
			      json_pack("[I, I, i, o]", device,
					(json_int_t)rule_number(g->n, f->rule),
					flags_of(g, f, n), list));
	add_cases(g, f, n);
}

static void add_strips(struct gathering *g)
{
	size_t from = 0, to;

	for (; from < g->nspans; from = to) {
		for (to = from;
		     to < g->nspans && g->span[to].rule == g->span[from].rule;)
			to++;
		add_strip(g, &g->span[from], to - from);
	}
}

void nights_strips(struct nights *n, const struct nights_device *d)
{
	struct gathering g = {.n = n, .d = d};

	if (d->nruns)
		read_spans(&g);
	if (g.nspans) {
		n->failed |= !prepare(&g);
		if (!n->failed) {
			note_runs(&g);
			add_strips(&g);
		}
	}
	free(g.span);
	free(g.by_id);
	free(g.states);
}
