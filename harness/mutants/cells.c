// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded faults of the transition table: each cell changed to each other value,
 * and the validity of each pair of states inverted. No call can reach some
 * cells, because a layer above answers first; the functions below say which,
 * and why.
 */
#include <stdio.h>
#include "mutants/mutant.h"

enum cell_value { REQUIRED, OPTIONAL, FORBIDDEN, CELL_VALUES };

static const char *const values[CELL_VALUES] = {
	[REQUIRED] = "required",
	[OPTIONAL] = "optional",
	[FORBIDDEN] = "forbidden",
};

struct place {
	const struct device_info *d;
	enum qp_kind kind;
	int from, to;
	uint32_t attr;
	enum cell_value value; /* instead of the table's value */
};

static const struct cell *cell_at(const struct place *p)
{
	return &qp_table()->cell[p->from][p->to][p->kind];
}

static enum cell_value table_value(const struct place *p, uint32_t attr)
{
	if (cell_at(p)->required & attr)
		return REQUIRED;
	if (cell_at(p)->optional & attr || attr == A_STATE)
		return OPTIONAL;
	return FORBIDDEN;
}

/* uverbs adds PORT to a mask with AV, except on the way to RTR. */
static bool brings_port(const struct place *p)
{
	return p->attr == A_AV && p->to != IBV_QPS_RTR;
}

/* Returns why the cell is never read, whatever the attribute, or NULL. */
static const char *never_asked(const struct place *p)
{
	if (!qp_table()->valid[p->from][p->to][p->kind])
		return "the pair is invalid, which is judged before its cells";
	if (kind_is_vendors(p->kind) && !kind_reaches(p->kind, p->from))
		return "verbs cannot bring a queue pair of this type there";
	if (p->from == IBV_QPS_SQE && !kind_is_vendors(p->kind) &&
	    !kind_stops_in_sqe(p->kind))
		return "a queue pair of this type never enters SQE: a send "
		       "error puts it into ERR";
	return NULL;
}

/* A mask that changes the state always has STATE. */
static bool state_is_there(const struct place *p)
{
	return p->attr == A_STATE && p->value != FORBIDDEN && p->from != p->to;
}

/* The table neither permits nor refuses an attribute that never reaches it. If
 * the attribute were required it would be missing. */
static const char *never_arrives(const struct place *p)
{
	if (p->value == REQUIRED)
		return NULL;
	if (p->attr == A_CUR_STATE && !kind_is_vendors(p->kind) &&
	    !state_takes_cur(p->from))
		return "CUR_STATE is refused in this state before the table "
		       "is read";
	if (p->attr & xrc_dropped(p->kind))
		return "uverbs drops the attribute for this type before the "
		       "table is read";
	if (p->attr == A_RATE_LIMIT && !device_paces(p->d, p->kind))
		return "RATE_LIMIT is refused above the table, for this type "
		       "has no packet pacing";
	if (brings_port(p) && table_value(p, A_PORT) == FORBIDDEN)
		return "uverbs adds PORT to AV, which this cell refuses either "
		       "way";
	return NULL;
}

/* Returns why no call can show the fault, or NULL. */
static const char *hidden(const struct place *p)
{
	const char *reason = never_asked(p);

	if (reason)
		return reason;
	if (state_is_there(p))
		return "STATE is in every mask that leaves the state";
	return never_arrives(p);
}

static enum mutant_family family_of(enum qp_kind kind)
{
	return kind_is_vendors(kind) ? MUTANTS_VENDORS : MUTANTS_CELLS;
}

static void one_cell(const struct place *p, mutant_fn fn, void *arg)
{
	char name[MUTANT_NAME_LEN];

	snprintf(name, sizeof(name), "cell:%s/%s-%s/%s=%s",
		 qp_kind_slug(p->kind), state_name(p->from), state_name(p->to),
		 attr_name(__builtin_ctz(p->attr)), values[p->value]);
	fn(&(struct mutant_entry){family_of(p->kind), name, "M",
				  "one cell of the transition table",
				  hidden(p)},
	   arg);
}

static void cells_of(struct place *p, mutant_fn fn, void *arg)
{
	for (int bit = 0; bit < 32; bit++) {
		if (!((uint32_t)A_DEFINED & 1u << bit))
			continue;
		p->attr = 1u << bit;
		for (int v = 0; v < CELL_VALUES; v++) {
			p->value = (enum cell_value)v;
			if (p->value != table_value(p, p->attr))
				one_cell(p, fn, arg);
		}
	}
}

static void one_pair(int from, int to, mutant_fn fn, void *arg)
{
	char name[MUTANT_NAME_LEN];

	snprintf(name, sizeof(name), "pair:%s-%s", state_name(from),
		 state_name(to));
	fn(&(struct mutant_entry){MUTANTS_CELLS, name, "M",
				  "the validity of a pair of states", NULL},
	   arg);
}

void mutants_of_cells(const struct device_info *d, mutant_fn fn, void *arg)
{
	struct place p = {.d = d};

	for (p.from = 0; p.from < STATE_NR; p.from++) {
		for (p.to = 0; p.to < STATE_NR; p.to++) {
			one_pair(p.from, p.to, fn, arg);
			for (int k = 0; k < QK_NR; k++) {
				p.kind = (enum qp_kind)k;
				cells_of(&p, fn, arg);
			}
		}
	}
}

/* For a vendor's type, the fault inverts the pair for that type alone. */
static void vendors_pair(const struct place *p, mutant_fn fn, void *arg)
{
	char name[MUTANT_NAME_LEN];

	snprintf(name, sizeof(name), "pair:%s-%s@%s", state_name(p->from),
		 state_name(p->to), qp_kind_slug(p->kind));
	fn(&(struct mutant_entry){MUTANTS_VENDORS, name, "M",
				  "the validity of a pair of states",
				  kind_reaches(p->kind, p->from)
					  ? NULL
					  : "verbs cannot bring a queue pair "
					    "of this type "
					    "there"},
	   arg);
}

void mutants_of_vendors_cells(const struct device_info *d, mutant_fn fn,
			      void *arg)
{
	struct place p = {.d = d};

	for (int k = QK_NR + 1; k < QK_END; k++) {
		p.kind = (enum qp_kind)k;
		for (p.from = 0; p.from < STATE_NR; p.from++) {
			for (p.to = 0; p.to < STATE_NR; p.to++) {
				vendors_pair(&p, fn, arg);
				cells_of(&p, fn, arg);
			}
		}
	}
}
