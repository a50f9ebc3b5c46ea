/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Choices. A row lists the permitted outcomes, best first. A device takes the
 * first. An oracle keeps the outcomes that agree with what was seen; the judge
 * calls it again and again, until each of them was taken once.
 */
#include <errno.h>
#include "model/internal.h"

struct alternative {
	uint16_t row, out;
	uint8_t rank;
};

struct alternatives {
	int n;
	struct alternative at[MODEL_MAX_ALTERNATIVES];
};

void choices_overflow(struct step *s)
{
	if (s->ch)
		s->ch->full = true;
}

static void clear_alternatives(struct alternatives *all)
{
	all->n = 0;
	all->at[0] = (struct alternative){0};
}

static void add_alternative(struct alternatives *all, enum row row,
			    enum out out)
{
	if (all->n == MODEL_MAX_ALTERNATIVES)
		return;
	all->at[all->n] = (struct alternative){
		.row = (uint16_t)row,
		.out = (uint16_t)out,
		.rank = (uint8_t)all->n,
	};
	all->n++;
}

/* Returns the first accepting outcome of a row, or OUT_NONE. */
static enum out accepting(enum row row)
{
	for (int i = 0, n = rule_nouts(row); i < n; i++)
		if (!out_errno(rule(row)->out[i]))
			return rule(row)->out[i];
	return OUT_NONE;
}

static bool lists_errno(const struct alternatives *all, enum out out)
{
	for (int i = 0; i < all->n; i++)
		if (all->at[i].out == out)
			return true;
	return false;
}

static bool refuses_first(enum row row)
{
	return out_errno(rule(row)->out[0]) != 0;
}

static void add_refusals(struct alternatives *all, enum row row)
{
	for (int o = 0, n = rule_nouts(row); o < n; o++) {
		enum out out = rule(row)->out[o];

		if (out_errno(out) && !lists_errno(all, out))
			add_alternative(all, row, out);
	}
}

static void add_acceptances(struct alternatives *all, enum row row)
{
	for (int o = 0, n = rule_nouts(row); o < n; o++)
		if (!out_errno(rule(row)->out[o]))
			add_alternative(all, row, rule(row)->out[o]);
}

/* For rows that all prefer acceptance: adds the first accepting outcome other
 * than OUT_OK, which promises most, or OUT_OK if there is no other. */
static void add_weakest_acceptance(struct alternatives *all,
				   const struct faults *f)
{
	enum row row = (enum row)f->row[0];

	for (int i = 1; i < f->n; i++)
		if (accepting(row) == OUT_OK)
			row = (enum row)f->row[i];
	add_alternative(all, row, accepting(row));
}

/*
 * Adds the outcomes of several violated rows. Any of their errnos may come
 * first on some device. Acceptance is permitted only if every row permits it.
 * Rows that prefer to refuse come before rows that prefer to accept.
 */
static void add_several(struct alternatives *all, const struct faults *f)
{
	enum row refusing = ROW_NONE;
	bool accepted = true;
	int refusals = 0;

	for (int i = 0; i < f->n; i++) {
		enum row row = (enum row)f->row[i];

		accepted &= accepting(row) != OUT_NONE;
		if (refuses_first(row) && refusals++ == 0)
			refusing = row;
	}
	if (!refusals)
		add_weakest_acceptance(all, f);
	for (int i = 0; i < f->n; i++)
		if (refuses_first((enum row)f->row[i]))
			add_refusals(all, (enum row)f->row[i]);
	if (accepted && refusals == 1)
		add_acceptances(all, refusing);
	else if (accepted && refusals)
		add_alternative(all, refusing, OUT_ANY_VALUE);
	for (int i = 0; i < f->n; i++)
		if (!refuses_first((enum row)f->row[i]))
			add_refusals(all, (enum row)f->row[i]);
}

static void add_row(struct alternatives *all, enum row row)
{
	for (int o = 0, n = rule_nouts(row); o < n; o++)
		add_alternative(all, row, rule(row)->out[o]);
}

static bool agrees(const struct step *s, const struct alternative *alt)
{
	enum out out = (enum out)alt->out;

	if (out == OUT_ERRNO_UNSET)
		return s->seen_error == ERRNO_POISON;
	return out_errno(out) == s->seen_error;
}

/* Keeps the alternatives that agree with what was seen. If none does, all stay,
 * so that the answer says what was expected. */
static void filter(const struct step *s, struct alternatives *all)
{
	int kept = 0;

	for (int i = 0; i < all->n; i++)
		if (agrees(s, &all->at[i]))
			all->at[kept++] = all->at[i];
	if (kept)
		all->n = kept;
}

/* Returns the index of the alternative that the judge prescribes for this call,
 * by default 0. Records the choice unless only the best alternative is left. */
static int follow_one(struct step *s, const struct alternatives *all)
{
	struct choices *ch = s->ch;
	struct choice *c;

	if (!ch || (all->n == 1 && all->at[0].rank == 0))
		return 0;
	if (ch->n == MODEL_MAX_CHOICES) {
		ch->full |= all->n > 1;
		return 0;
	}
	c = &ch->at[ch->n++];
	if (ch->n > ch->given)
		c->pick = 0;
	c->of = (uint8_t)all->n;
	c->row = all->at[c->pick].row;
	c->out = all->at[c->pick].out;
	c->rank = all->at[c->pick].rank;
	return c->pick;
}

static const struct alternative *decide(struct step *s,
					struct alternatives *all)
{
	int forced;

	if (is_oracle(s)) {
		filter(s, all);
		return &all->at[follow_one(s, all)];
	}
	for (int i = 0; s->mutant && i < all->n; i++) {
		forced = mutant_choice(s->mutant, (enum row)all->at[i].row);
		if (forced == all->at[i].out)
			return &all->at[i];
	}
	return &all->at[0];
}

/* Returns the errno of an outcome, or 0 with the accepting outcome in *effect.
 */
static int result_of(struct step *s, enum row row, enum out out,
		     enum out *effect)
{
	int err = mutant_errno(s->mutant, row, out_errno(out));

	s->a->row = row;
	if (out == OUT_ERRNO_UNSET)
		err = ERRNO_POISON;
	*effect = err ? OUT_NONE : out;
	return err;
}

/* Returns true if the only violated row has one outcome. */
static bool leaves_no_choice(const struct faults *f)
{
	return f->n == 1 && rule((enum row)f->row[0])->out[1] == OUT_NONE;
}

/* Returns the row to report. For a call that was accepted although it had to be
 * refused, that is the first row that never permits acceptance. */
static enum row row_to_report(const struct step *s, const struct faults *f,
			      const struct alternative *alt)
{
	if (!is_oracle(s) || s->seen_error || !out_errno((enum out)alt->out))
		return (enum row)alt->row;
	for (int i = 0; i < f->n; i++)
		if (accepting((enum row)f->row[i]) == OUT_NONE)
			return (enum row)f->row[i];
	return (enum row)alt->row;
}

int choose_outcome(struct step *s, const struct faults *f, enum out *effect)
{
	struct alternatives all;
	const struct alternative *alt;
	int err;

	*effect = OUT_OK;
	if (f->n == 0)
		return 0;
	if (leaves_no_choice(f))
		return result_of(s, (enum row)f->row[0],
				 rule((enum row)f->row[0])->out[0], effect);
	clear_alternatives(&all);
	if (f->n == 1)
		add_row(&all, (enum row)f->row[0]);
	else
		add_several(&all, f);
	alt = decide(s, &all);
	err = result_of(s, (enum row)alt->row, (enum out)alt->out, effect);
	s->a->row = row_to_report(s, f, alt);
	return err;
}

int faults_errno(const struct faults *f)
{
	for (int i = 0; i < f->n; i++)
		if (refuses_first((enum row)f->row[i]))
			return out_errno(rule((enum row)f->row[i])->out[0]);
	return 0;
}

unsigned int faults_permit(const struct faults *f)
{
	unsigned int all = PERMITS_ACCEPT | PREFERS_ACCEPT;

	for (int i = 0; i < f->n; i++) {
		const struct rule *r = rule((enum row)f->row[i]);

		if (accepting((enum row)f->row[i]) == OUT_NONE)
			all &= ~(unsigned int)PERMITS_ACCEPT;
		if (out_errno(r->out[0]))
			all &= ~(unsigned int)PREFERS_ACCEPT;
		for (int o = 0; o < rule_nouts((enum row)f->row[i]); o++)
			if (out_errno(r->out[o]))
				all |= PERMITS_REFUSE;
	}
	return all;
}

int choose_for_row(struct step *s, enum row row, enum out *effect)
{
	struct faults f = {0};

	add_fault(s, &f, row);
	return choose_outcome(s, &f, effect);
}

uint64_t choose_value(struct step *s, enum row row, const uint64_t *value,
		      int n, uint64_t seen)
{
	struct alternatives all;
	int at = 0;

	clear_alternatives(&all);
	record_row(s, row);
	if (!is_oracle(s)) {
		for (int i = 0; i < n && i < rule_nouts(row); i++)
			if (mutant_choice(s->mutant, row) ==
			    (int)rule(row)->out[i])
				at = i;
		return value[at];
	}
	for (int i = n - 1; i >= 0; i--)
		if (value[i] == seen)
			at = i;
	add_alternative(&all, row, rule(row)->out[at]);
	all.at[0].rank = (uint8_t)at;
	follow_one(s, &all);
	return value[at];
}

void choose_second(struct step *s, enum row row)
{
	static const uint64_t values[2] = {0, 1};

	choose_value(s, row, values, 2, 1);
}

enum out choose_hidden(struct step *s, enum row row)
{
	struct alternatives all;

	clear_alternatives(&all);
	record_row(s, row);
	add_row(&all, row);
	if (!is_oracle(s))
		return (enum out)decide(s, &all)->out;
	return (enum out)all.at[follow_one(s, &all)].out;
}

enum out choose_acceptance(struct step *s, enum row row)
{
	struct alternatives all;

	clear_alternatives(&all);
	add_acceptances(&all, row);
	if (!all.n || !is_oracle(s))
		return rule(row)->out[0];
	return (enum out)all.at[follow_one(s, &all)].out;
}

unsigned int choose_among(struct step *s, unsigned int n)
{
	struct alternatives all;

	if (n < 2)
		return 0;
	if (n > MODEL_MAX_ALTERNATIVES) {
		choices_overflow(s);
		n = MODEL_MAX_ALTERNATIVES;
	}
	for (all.n = 0; all.n < (int)n; all.n++)
		all.at[all.n] = (struct alternative){ROW_NONE, OUT_NONE, 0};
	return (unsigned int)follow_one(s, &all);
}
