// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Turns the rows of a covering array into cases. The id of a case
 * names its levels, so that a case keeps its id when levels are added, and has
 * the same program on each device that has it. Rows are kept for the passes
 * that ask for the same cases again: to find them takes long.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases/combined/combined.h"
#include "cases/post/post.h"

#define PART_LEN 32

struct rows {
	const struct gen *g;
	enum qp_kind kind;
	const struct combined *subject;
	enum row row;
	char part[COVERING_FACTORS][COMBINED_LEVELS][PART_LEN]; /* of ids */
};

static unsigned int count_levels(const struct combined_factor *f)
{
	unsigned int n = 0;

	while (n < COMBINED_LEVELS && f->level[n])
		n++;
	return n;
}

static bool permits(const uint8_t *row, void *arg)
{
	const struct rows *r = arg;

	return r->subject->permitted(r->g, r->kind, row);
}

static bool is_among(enum qp_kind kind, uint32_t kinds)
{
	return !kind_is_vendors(kind) && kinds >> kind & 1;
}

/* Appends the levels that are not the usual ones: " op=read queue=small". */
static void describe(const struct combined *s, const uint8_t *row, char *text)
{
	*text = '\0';
	for (unsigned int f = 0; f < s->n; f++) {
		if (!row[f])
			continue;
		text = stpcpy(stpcpy(text, " "), s->factor[f].name);
		text = stpcpy(stpcpy(text, "="), s->factor[f].level[row[f]]);
	}
}

/* Returns true if another factor has a level of that name, too. */
static bool is_ambiguous(const struct combined *s, unsigned int factor,
			 const char *level)
{
	for (unsigned int f = 0; f < s->n; f++)
		for (unsigned int l = 1; f != factor && l < COMBINED_LEVELS &&
					 s->factor[f].level[l];
		     l++)
			if (!strcmp(s->factor[f].level[l], level))
				return true;
	return false;
}

/* Returns the level's name, or the factor's if that is enough ("inline"). */
static const char *level_name(const struct combined_factor *f,
			      unsigned int level)
{
	return strcmp(f->level[level], "yes") ? f->level[level] : f->name;
}

/* Names each level as ids do. */
static void name_levels(struct rows *r)
{
	const struct combined *s = r->subject;

	for (unsigned int f = 0; f < s->n; f++)
		for (unsigned int l = 1;
		     l < COMBINED_LEVELS && s->factor[f].level[l]; l++) {
			const char *level = level_name(&s->factor[f], l);
			bool both = is_ambiguous(s, f, level);

			snprintf(r->part[f][l], PART_LEN, "%s%s%s",
				 both ? s->factor[f].name : "", both ? "-" : "",
				 level);
		}
}

/* Writes the levels as the end of an id: "read+small+end-reset". */
static void name(const struct rows *r, const uint8_t *row, char *text)
{
	char *at = text;

	strcpy(text, "usual");
	for (unsigned int f = 0; f < r->subject->n; f++) {
		if (!row[f])
			continue;
		if (at > text)
			*at++ = '+';
		at = stpcpy(at, r->part[f][row[f]]);
	}
}

static void begin(struct covering *c, struct rows *r)
{
	const struct combined *s = r->subject;

	memset(c->lacks, 0, sizeof(c->lacks));
	c->strength = gen_full(r->g) || is_among(r->kind, s->three) ? 3 : 2;
	c->n = s->n;
	c->permits = permits;
	c->arg = r;
	for (unsigned int f = 0; f < s->n; f++) {
		c->levels[f] = (uint8_t)count_levels(&s->factor[f]);
		for (unsigned int l = 0; l < c->levels[f]; l++)
			if (s->offered && !s->offered(r->g, r->kind, f, l))
				c->lacks[f] |= UINT32_C(1) << l;
	}
	name_levels(r);
	covering_begin(c);
}

static void one_case(struct rows *r, struct gen *g, const uint8_t *row)
{
	char levels[COVERING_FACTORS * 2 * PART_LEN],
		id[COVERING_FACTORS * (PART_LEN + 1)];

	name(r, row, id);
	if (!gen_id(g, "%s", id))
		return;
	describe(r->subject, row, levels);
	if (!gen_says(g, r->row, CLAIM_NONE, "%s:%s", qp_kind_name(r->kind),
		      levels))
		return;
	r->subject->build(g, r->kind, row);
	gen_done(g);
}

/* Hands over one case for all that a device lacks a claim for. */
static void none(struct gen *g, const struct rows *r, enum claim missing)
{
	if (gen_id(g, "any"))
		gen_says(g, r->row, missing, "%s: all combinations of %s",
			 qp_kind_name(r->kind), r->subject->name);
}

struct kept_rows {
	struct kept_rows *next;
	const struct combined *subject;
	const struct device_info *d;
	enum qp_kind kind;
	size_t n, room;
	uint8_t (*row)[COVERING_FACTORS];
};

static const struct kept_rows *find_kept(const struct gen *g, enum qp_kind kind,
					 const struct combined *subject)
{
	const struct kept_rows *k = g->rows;

	while (k && (k->subject != subject || k->kind != kind || k->d != g->d))
		k = k->next;
	return k;
}

/* Returns false without memory for the row. */
static bool keep_row(struct kept_rows *k, const uint8_t *row)
{
	if (k->n == k->room) {
		const size_t room = k->room ? 2 * k->room : 64;
		void *more = realloc(k->row, room * sizeof(*k->row));

		if (!more)
			return false;
		k->row = more;
		k->room = room;
	}
	memcpy(k->row[k->n++], row, sizeof(*k->row));
	return true;
}

static void free_kept(struct kept_rows *k)
{
	if (k)
		free(k->row);
	free(k);
}

void combined_forget(struct gen *g)
{
	while (g->rows) {
		struct kept_rows *next = g->rows->next;

		free_kept(g->rows);
		g->rows = next;
	}
}

/* Finds the rows, hands their cases over, and keeps the rows if there is memory
 * for them. */
static void first_pass(struct rows *r, struct gen *g)
{
	struct kept_rows *k = calloc(1, sizeof(*k));
	uint8_t row[COVERING_FACTORS];
	struct covering c;
	bool all = k;

	begin(&c, r);
	while (!g->stop && covering_next(&c, row)) {
		all = all && keep_row(k, row);
		one_case(r, g, row);
	}
	if (!all || g->stop) {
		free_kept(k);
		return;
	}
	k->next = g->rows;
	k->subject = r->subject;
	k->d = g->d;
	k->kind = r->kind;
	g->rows = k;
}

static void again(struct rows *r, struct gen *g, const struct kept_rows *k)
{
	name_levels(r);
	for (size_t i = 0; i < k->n && !g->stop; i++)
		one_case(r, g, k->row[i]);
}

void combined_cases(struct gen *g, enum qp_kind kind,
		    const struct combined *subject, enum row row,
		    enum claim missing)
{
	struct rows r = {.g = g, .kind = kind, .subject = subject, .row = row};
	const struct kept_rows *kept = find_kept(g, kind, subject);

	gen_prefix(g, "combined/%s/%s/", qp_kind_slug(kind), subject->name);
	if (missing != CLAIM_NONE)
		none(g, &r, missing);
	else if (kept)
		again(&r, g, kept);
	else if (gen_may_select(g))
		first_pass(&r, g);
}

bool combined_offers(const struct gen *g, enum qp_kind kind, uint32_t opcode)
{
	const struct opcode *op = opcode_of(opcode);

	if (op->imm && !claim_holds(CLAIM_IMM_DATA, g->d))
		return false;
	if (op->window)
		return kind == QK_RC && claim_holds(CLAIM_MW_2, g->d);
	return post_offers(g, kind, op);
}
