// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The values that a read of a completion counter may give: those of the present
 * bounds, and those of earlier bounds until the read has waited long enough.
 */
#include "model/cntr/cntr.h"

#define SETTLES_MS 2000 /* the "small delay" of ibv_create_comp_cntr(3) */

/* Bounds of a count: from `least` on, in steps of 1, `steps` times. */
struct bounds {
	uint64_t least, steps;
};

static struct bounds bounds_of(struct model *m, uint16_t slot,
			       enum cntr_entry entry)
{
	const struct model_count *c = &m->object[slot].comp_cntr.count[entry];

	return (struct bounds){c->least, c->extra + cntr_pending(m, slot)};
}

void cntr_note_bounds(struct model *m, uint16_t slot, enum cntr_entry entry)
{
	struct model_comp_cntr *cntr = &m->object[slot].comp_cntr;
	struct model_count *c = &cntr->count[entry];
	struct bounds now;

	if (!m->observes)
		return;
	now = bounds_of(m, slot, entry);
	if (now.steps > cntr->most - now.least)
		c->wrapped = true;
	if (now.least < c->low)
		c->low = now.least;
	if (now.least + now.steps > c->high)
		c->high = now.least + now.steps;
}

/* Returns true if the value is one that the count may have in the end. */
static bool is_final(const struct model_comp_cntr *cntr,
		     const struct bounds *now, uint64_t value)
{
	uint64_t room = cntr->most - now->least;

	if (value >= now->least)
		return value - now->least <= now->steps;
	return now->steps > room && value < now->steps - room;
}

/* Returns true if a late read may give the value. */
static bool was_possible(const struct model_count *c, uint64_t value)
{
	return c->wrapped || (value >= c->low && value <= c->high);
}

/* Returns true if the program itself made the last change of a count. */
static bool is_by_program(const struct model_count *c)
{
	return c->why == ROW_CNTR_SET || c->why == ROW_CNTR_INC ||
	       c->why == ROW_CNTR_WRAP;
}

/* Returns the row that promises a value. */
static enum row row_of(const struct model_comp_cntr *cntr,
		       const struct model_count *c, const struct bounds *now,
		       uint64_t value)
{
	if (c->unknown || is_final(cntr, now, value))
		return (enum row)c->why;
	if (was_possible(c, value) && is_by_program(c))
		return ROW_CNTR_LATE;
	return cntr->others && value > now->least ? ROW_CNTR_OTHER
						  : (enum row)c->why;
}

static uint64_t own_value(const struct step *s, const struct model_count *c)
{
	return c->has_old && mutant_skips(s->mutant, ROW_CNTR_LATE) ? c->old
								    : c->least;
}

static void record_rows(const struct step *s,
			const struct model_comp_cntr *cntr,
			const struct model_count *c)
{
	record_row(s, (enum row)c->why);
	if (cntr->others)
		record_row(s, ROW_CNTR_OTHER);
	if (s->b->in.cntr_read.timeout_ms)
		record_row(s, ROW_CNTR_LATE);
}

/* Notes that a count has the value in the end. */
static void settle(struct model_count *c, const struct bounds *now, bool waited)
{
	if (!now->steps)
		c->moved = false;
	if (!waited)
		return;
	c->low = now->least;
	c->high = now->least + now->steps;
	c->wrapped = false;
}

static void read_count(struct step *s, enum cntr_entry entry)
{
	const struct cntr_read_args *in = &s->b->in.cntr_read;
	struct model_comp_cntr *cntr = &obj(s->m, s->b->on)->comp_cntr;
	struct model_count *c = &cntr->count[entry];
	uint64_t value = answer_seen(s, F_cntr_seen, own_value(s, c));
	struct bounds now = bounds_of(s->m, s->b->on, entry);
	bool waited = in->timeout_ms >= SETTLES_MS && value != in->until;
	bool permitted = is_final(cntr, &now, value);

	answer_accept(s, (enum row)c->why);
	record_rows(s, cntr, c);
	if (c->unknown)
		return;
	cntr_note_bounds(s->m, s->b->on, entry);
	if (!waited)
		permitted |= was_possible(c, value);
	answer_define(s, F_cntr_seen,
		      permitted || !is_oracle(s) ? value : now.least,
		      row_of(cntr, c, &now, value));
	if (is_final(cntr, &now, value))
		settle(c, &now, waited);
}

void do_read_comp_cntr(struct step *s)
{
	read_count(s, CNTR_COMP);
}

void do_read_err_comp_cntr(struct step *s)
{
	read_count(s, CNTR_ERR);
}
