/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what counts as a new corner of the contract: a pair of states that
 * was granted or refused, a required attribute that alone was missing, an
 * optional one that was there, a row that decided. A device under test gives
 * libFuzzer no coverage; these do.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/fuzz.h"
#include "run/coverage.h"

enum { ATTRS = 32 };

/* What a call reached, in one line of counters. */
struct corners {
	uint8_t pair[QK_NR][STATE_NR][STATE_NR][2]; /* granted, refused */
	uint8_t missing[QK_NR][STATE_NR][STATE_NR][ATTRS];
	uint8_t taken[QK_NR][STATE_NR][STATE_NR][ATTRS];
	uint8_t row[ROW_NR];
};

/* libFuzzer clears these before each program. */
__attribute__((
	section("__libfuzzer_extra_counters"))) static struct corners now;
static struct corners ever;
static struct coverage coverage;
static struct qp_states states;

static void reach(uint8_t *counter)
{
	*counter = 1;
	((uint8_t *)&ever)[counter - (uint8_t *)&now] = 1;
}

static void reach_modify(const struct bound *b, bool granted)
{
	const struct qp_attr_args *in = &b->in.qp_attr;
	enum qp_kind kind = states.kind[b->on];
	unsigned int from = states.state[b->on], to = from;
	uint32_t mask, missing, surplus;

	if (in->mask & A_STATE)
		to = (unsigned int)in->attr.qp_state;
	if (kind >= QK_NR || to >= STATE_NR)
		return;
	reach(&now.pair[kind][from][to][!granted]);
	mask = uverbs_mask(kind, (int)to, in->mask);
	switch (table_judge(qp_table(), kind, (int)from, (int)to, mask,
			    &missing, &surplus)) {
	case TABLE_OK:
		for (int bit = 0; bit < ATTRS; bit++)
			if (mask & 1u << bit)
				reach(&now.taken[kind][from][to][bit]);
		break;
	case TABLE_MISSING:
		if (!surplus && !(missing & (missing - 1)))
			reach(&now.missing[kind][from][to]
					  [__builtin_ctz(missing)]);
		break;
	default:
		break;
	}
}

void reach_call(const struct program *p, int index, const struct bound *b,
		const struct outcome *o)
{
	if (b->verb == V_modify_qp && b->on < PROG_MAX_OBJECTS)
		reach_modify(b, !outcome_error(b->verb, o));
	coverage_call(&coverage, &states, p, index, b, o);
}

void reach_row(enum row row)
{
	reach(&now.row[row]);
	coverage_row(&coverage, row);
}

void reach_begin(void)
{
	qp_states_init(&states);
}

/* The cells of a step that a mask can reach: those that arrive at the table. */
static void count_cells(enum qp_kind kind, int from, int to,
			struct coverage_count *cells)
{
	const struct cell *c = &qp_table()->cell[from][to][kind];
	uint32_t arrives = uverbs_mask(kind, to, A_DEFINED);
	uint32_t optional = (c->optional | A_STATE) & ~c->forbidden;

	if (!qp_table()->valid[from][to])
		return;
	if (!state_takes_cur(from))
		arrives &= ~(uint32_t)A_CUR_STATE;
	for (int bit = 0; bit < ATTRS; bit++) {
		if (c->required & arrives & 1u << bit) {
			cells->total++;
			cells->tried += ever.missing[kind][from][to][bit];
		}
		if ((c->required | optional) & arrives & 1u << bit) {
			cells->total++;
			cells->tried += ever.taken[kind][from][to][bit];
		}
	}
}

static struct coverage_count cells_reached(void)
{
	struct coverage_count cells = {0, 0};

	for (enum qp_kind kind = 0; kind < QK_NR; kind++)
		for (int from = 0; from < STATE_NR; from++)
			for (int to = 0; to < STATE_NR; to++)
				if (from != IBV_QPS_SQE ||
				    kind_stops_in_sqe(kind))
					count_cells(kind, from, to, &cells);
	return cells;
}

static void say(const char *what, struct coverage_count count, const char *end)
{
	fprintf(stderr, "%llu/%llu %s%s", (unsigned long long)count.tried,
		(unsigned long long)count.total, what, end);
}

static void sum_up(void)
{
	struct coverage_sums sums;

	coverage_sum(&coverage, &sums);
	fprintf(stderr, "reached ");
	say("state pairs", coverage_all(sums.pairs), ", ");
	say("cells of the table", cells_reached(), ", ");
	say("operations by state", coverage_all(sums.posts), ", ");
	say("verbs", sums.verbs, ", ");
	say("rules", sums.rows, "; ");
	fprintf(stderr, "%llu masks\n",
		(unsigned long long)coverage_all(sums.masks).tried);
	coverage_free(&coverage);
}

void reach_open(void)
{
	coverage_init(&coverage, false);
	atexit(sum_up);
}
