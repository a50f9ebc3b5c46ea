/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The oracle keeps one model for each way in which the contract explains what
 * the device did so far. A call that no model explains is a deviation. The best
 * explanation has the fewest departures, which are choices other than the
 * first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "judge/compare.h"
#include "judge/judge.h"

#define MAX_HYPOTHESES 32
#define MAX_WAYS       1024 /* continuations of one explanation that are tried */

struct hypothesis {
	struct model *model;
	unsigned int departures; /* choices other than the first */
	enum row row;		 /* of the first departure */
	enum out out;
	int call;
};

struct judge {
	const struct device_info *info;
	struct model *fresh; /* a device without objects */
	bool dropped; /* an explanation was dropped, for lack of room or time */
	bool forgot;  /* in this call a model could not follow the program */
	int n, nnext;
	/* The explanations before a call and after it. A model is allocated at
	 * its first use. One further place is for the continuation being tried.
	 */
	struct hypothesis *now, *next;
	struct hypothesis room[2][MAX_HYPOTHESES + 1];
	const struct judge
		*from;		/* the judge that holds `now`; NULL: this one */
	struct answer expected; /* of the best explanation's first choices */
	struct answer walk;	/* of the combination being tried */
};

static bool has_model(struct hypothesis *h)
{
	if (!h->model)
		h->model = calloc(1, model_size(PROG_MAX_OBJECTS));
	return h->model;
}

struct judge *judge_new(const struct device_info *info)
{
	struct judge *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->now = j->room[0];
	j->next = j->room[1];
	j->fresh = calloc(1, model_size(PROG_MAX_OBJECTS));
	if (!j->fresh || !has_model(&j->now[0])) {
		judge_free(j);
		return NULL;
	}
	j->info = info;
	model_init(j->fresh, PROG_MAX_OBJECTS, info, NULL);
	judge_reset(j);
	return j;
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	for (int i = 0; i <= MAX_HYPOTHESES; i++) {
		free(j->now[i].model);
		free(j->next[i].model);
	}
	free(j->fresh);
	free(j);
}

void judge_reset(struct judge *j)
{
	struct hypothesis *h = &j->now[0];

	model_copy(h->model, j->fresh);
	h->departures = 0;
	h->row = ROW_NONE;
	h->out = OUT_NONE;
	h->call = -1;
	j->n = 1;
	j->from = NULL;
	j->dropped = false;
}

void judge_continue(struct judge *j, const struct judge *from)
{
	j->from = from;
	j->dropped = from->dropped;
}

bool judge_copy(struct judge *to, const struct judge *from)
{
	if (from->from)
		from = from->from;
	to->from = NULL;
	for (int i = 0; i < from->n; i++) {
		struct hypothesis *h = &to->now[i];
		struct model *own;

		if (!has_model(h))
			return false;
		own = h->model;
		*h = from->now[i];
		h->model = own;
		model_copy(own, from->now[i].model);
	}
	to->n = from->n;
	to->dropped = from->dropped;
	return true;
}

static void count_departures(struct hypothesis *h, const struct choices *ch,
			     int call)
{
	for (int i = 0; i < ch->n; i++) {
		if (ch->at[i].rank == 0)
			continue;
		if (h->departures++ == 0) {
			h->row = (enum row)ch->at[i].row;
			h->out = (enum out)ch->at[i].out;
			h->call = call;
		}
	}
}

/* Keeps the continuation that is in the place behind the others. Of equal
 * models only the one with the fewest departures stays. */
static void keep(struct judge *j, const struct hypothesis *from,
		 const struct choices *ch, int call)
{
	struct hypothesis way = *from;
	struct hypothesis *h, *end = &j->next[j->nnext];
	int at = 0;

	count_departures(&way, ch, call);
	while (at < j->nnext && !model_equal(j->next[at].model, end->model))
		at++;
	if (at == MAX_HYPOTHESES) {
		j->dropped = true;
		return;
	}
	h = &j->next[at];
	if (at < j->nnext && h->departures <= way.departures)
		return;
	way.model = end->model;
	end->model = h->model;
	*h = way;
	if (at == j->nnext)
		j->nnext++;
}

/* A model that could not follow the program neither explains nor refutes. */
static void accept_or_drop(struct judge *j, const struct hypothesis *from,
			   const struct choices *ch, int call)
{
	if (model_lost_track(j->next[j->nnext].model))
		j->dropped = j->forgot = true;
	else
		keep(j, from, ch, call);
}

/* Moves to the next combination of choices; returns false after the last. */
static bool advance(struct choices *ch)
{
	for (int i = ch->n - 1; i >= 0; i--) {
		if (ch->at[i].pick + 1 >= ch->at[i].of)
			continue;
		ch->at[i].pick++;
		ch->given = (uint8_t)(i + 1);
		return true;
	}
	return false;
}

/* Tries each combination of choices from one explanation. The answer of the
 * first combination goes to *a. */
static void explain(struct judge *j, const struct hypothesis *h,
		    const struct bound *b, const struct outcome *seen, int call,
		    struct answer *a)
{
	struct choices ch = {.n = 0, .given = 0};
	unsigned int ways = 0;

	do {
		struct hypothesis *next = &j->next[j->nnext];

		if (ways++ == MAX_WAYS || !has_model(next)) {
			j->dropped = true;
			return;
		}
		model_copy(next->model, h->model);
		model_call(next->model, b, seen, &ch, a);
		if (outcome_matches(b->verb, a, seen))
			accept_or_drop(j, h, &ch, call);
		else if (model_may_differ(next->model, b))
			j->dropped = j->forgot = true;
		a = &j->walk;
	} while (advance(&ch));
	j->dropped |= ch.full;
}

static bool leaves_no_choice(const struct choices *ch)
{
	for (int i = 0; i < ch->n; i++)
		if (ch->at[i].rank || ch->at[i].of > 1)
			return false;
	return true;
}

/* No continuation explains the call: picks the answer that agrees most with the
 * outcome, of equal ones the first. */
static void expect_nearest(struct judge *j, const struct judge *from,
			   const struct bound *b, const struct outcome *seen)
{
	unsigned int most = outcome_agreement(b->verb, &j->expected, seen),
		     agrees;
	struct model *scratch = j->next[0].model;

	for (int i = 0; scratch && i < from->n; i++) {
		struct choices ch = {.n = 0, .given = 0};

		for (int ways = 0; ways < MAX_WAYS; ways++) {
			model_copy(scratch, from->now[i].model);
			model_call(scratch, b, seen, &ch, &j->walk);
			agrees = outcome_agreement(b->verb, &j->walk, seen);
			if (agrees > most) {
				most = agrees;
				j->expected = j->walk;
			}
			if (!advance(&ch))
				break;
		}
	}
}

/* Returns true if the only explanation refuses the call, too, without a choice
 * and with this outcome. The call then changes no model, and none is copied. */
static bool is_unchanged(struct judge *j, const struct judge *from,
			 const struct bound *b, const struct outcome *seen)
{
	struct choices ch = {.n = 0, .given = 0};

	return from->n == 1 &&
	       model_refuses(from->now[0].model, b, seen, &ch, &j->expected) &&
	       leaves_no_choice(&ch) &&
	       outcome_matches(b->verb, &j->expected, seen);
}

static int best(const struct hypothesis *h, int n)
{
	int at = 0;

	for (int i = 1; i < n; i++)
		if (h[i].departures < h[at].departures)
			at = i;
	return at;
}

static void swap_generations(struct judge *j)
{
	struct hypothesis *before = j->now;

	j->now = j->next;
	j->next = before;
	j->n = j->nnext;
}

static void report(const struct hypothesis *h, struct judgement *out)
{
	out->verdict = h->departures ? VERDICT_NON_STRICT : VERDICT_PASS;
	out->row = h->row;
	out->taken = h->out;
	out->call = h->call;
	if (!h->departures)
		return;
	snprintf(out->expected, sizeof(out->expected), "%s",
		 out_name(rule(h->row)->out[0]));
	snprintf(out->observed, sizeof(out->observed), "%s, which is permitted",
		 out_name(h->out));
}

/* Returns true if the explanation permits the outcome. *chooses: only with a
 * choice that a later call could refute. */
static bool permits(struct judge *j, const struct hypothesis *h,
		    const struct bound *b, const struct outcome *seen,
		    bool *chooses)
{
	struct choices ch = {.n = 0, .given = 0};
	struct hypothesis *tried = &j->next[0];

	*chooses = true;
	if (!has_model(tried))
		return true;
	for (unsigned int ways = 0; ways < MAX_WAYS; ways++) {
		model_copy(tried->model, h->model);
		model_call(tried->model, b, seen, &ch, &j->walk);
		*chooses = ch.n || model_may_differ(tried->model, b) ||
			   model_lost_track(tried->model);
		if (outcome_matches(b->verb, &j->walk, seen))
			return true;
		if (!advance(&ch))
			return false;
	}
	return true;
}

enum need judge_need(struct judge *j, const struct bound *b,
		     const struct outcome *nothing)
{
	const struct judge *from = j->from ? j->from : j;
	bool chooses, nothing_needed = true, all_need = true;

	for (int i = 0; i < from->n; i++) {
		bool may = permits(j, &from->now[i], b, nothing, &chooses);

		nothing_needed &= may && !chooses;
		all_need &= !may;
	}
	if (nothing_needed)
		return NEED_NOTHING;
	return all_need ? NEED_SOMETHING : NEED_MAYBE;
}

uint32_t judge_most(const struct judge *j, const struct bound *b)
{
	const struct judge *from = j->from ? j->from : j;
	uint32_t most = 0;

	if (j->dropped || from->dropped)
		return UINT32_MAX;
	for (int i = 0; i < from->n; i++) {
		uint32_t n = model_most_completions(from->now[i].model, b);

		most = n > most ? n : most;
	}
	return most;
}

enum row judge_row(const struct judge *j)
{
	return j->expected.row;
}

/* Reports that no continuation explains the call. If an explanation was dropped
 * before, it might have, so the verdict is inconclusive; but none explains what
 * a verb never returns. */
static void give_up(const struct judge *j, const struct program *p,
		    const struct bound *b, const struct outcome *seen,
		    struct judgement *out)
{
	bool never = compare_breaks_convention(b->verb, seen);

	out->verdict =
		j->dropped && !never ? VERDICT_INCONCLUSIVE : VERDICT_DEVIATES;
	if (!j->forgot || never) {
		compare_describe(p, b, &j->expected, seen, out);
		return;
	}
	out->row = ROW_NONE;
	snprintf(out->expected, sizeof(out->expected),
		 "nothing that the model cannot follow");
	snprintf(out->observed, sizeof(out->observed),
		 "more requests or events than it counts, threads that raced, "
		 "or sends that ended unseen");
}

bool judge_step(struct judge *j, const struct program *p, int index,
		const struct bound *b, const struct outcome *seen,
		struct judgement *out)
{
	const struct judge *from = j->from ? j->from : j;
	int first = best(from->now, from->n);

	if (is_unchanged(j, from, b, seen)) {
		report(&from->now[first], out);
		return true;
	}
	j->nnext = 0;
	j->forgot = false;
	explain(j, &from->now[first], b, seen, index, &j->expected);
	for (int i = 0; i < from->n; i++)
		if (i != first)
			explain(j, &from->now[i], b, seen, index, &j->walk);
	j->from = NULL;
	if (!j->nnext) {
		out->call = index;
		expect_nearest(j, from, b, seen);
		give_up(j, p, b, seen, out);
		return false;
	}
	swap_generations(j);
	report(&j->now[best(j->now, j->n)], out);
	return true;
}
