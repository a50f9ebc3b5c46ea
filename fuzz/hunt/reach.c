/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what counts as a new part of the contract: a pair of states that the
 * device granted or refused, a required attribute that alone was missing, an
 * attribute that was set in an allowed transition, a rule that decided a
 * verdict. A device under test gives libFuzzer no coverage. These parts are its
 * coverage instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/libfuzzer/fuzz.h"
#include "fuzz/kcov/kernel_reach.h"
#include "fuzz/hunt/fresh_parts.h"
#include "fuzz/hunt/reached.h"
#include "run/plural.h"

enum { ATTRS = 32 };

/* Counters that libFuzzer reads after each program and clears before. */
struct counters {
	uint8_t pair[QK_NR][STATE_NR][STATE_NR][2]; /* granted, refused */
	uint8_t missing[QK_NR][STATE_NR][STATE_NR][ATTRS];
	uint8_t taken[QK_NR][STATE_NR][STATE_NR][ATTRS];
	uint8_t row[ROW_NR];
};

__attribute__((
	section("__libfuzzer_extra_counters"))) static struct counters now;

/* The parts that all programs so far have reached */
static struct reached of_process, *ever = &of_process;
static struct coverage coverage;
static struct qp_states states;
static uint64_t programs;

/* The counters of the instrumented code, where the linker put them. */
extern uint8_t code_begin[] __asm__("__start___sancov_cntrs")
	__attribute__((weak));
extern uint8_t code_end[] __asm__("__stop___sancov_cntrs")
	__attribute__((weak));
static uint8_t *code_new; /* for each counter, 1: not reached so far */

static void mark(uint8_t *counter, uint32_t bits)
{
	for (; bits; bits &= bits - 1)
		counter[__builtin_ctz(bits)] = 1;
}

static void name_attributes(const char *what, enum qp_kind kind,
			    unsigned int from, unsigned int to, uint32_t bits)
{
	for (; bits; bits &= bits - 1) {
		const char *attr = attr_name(__builtin_ctz(bits));

		fresh_parts_add("%s-%s-%s-%s-%s", what, qp_kind_slug(kind),
				state_slug((int)from), state_slug((int)to),
				attr ? attr : "undefined");
	}
}

/* Adds bits to the known ones, which other processes may do as well. Returns
 * the bits that are new. */
static uint32_t add_bits(uint32_t *known, uint32_t bits)
{
	return bits & ~__atomic_fetch_or(known, bits, __ATOMIC_RELAXED);
}

/* Adds a pair of states that was granted or refused. Returns true if it is new.
 */
static bool add_pair(enum qp_kind kind, unsigned int from, unsigned int to,
		     bool granted)
{
	uint8_t *known = &ever->pair[kind][from][to];
	const uint8_t bit = (uint8_t)(1u << granted);

	if (__atomic_fetch_or(known, bit, __ATOMIC_RELAXED) & bit)
		return false;
	fresh_parts_add("pair-%s-%s-%s-%s", qp_kind_slug(kind),
			state_slug((int)from), state_slug((int)to),
			granted ? "granted" : "refused");
	return true;
}

bool reach_modify(enum qp_kind kind, unsigned int from,
		  const struct qp_attr_args *in, bool granted)
{
	unsigned int to =
		in->mask & A_STATE ? (unsigned int)in->attr.qp_state : from;
	uint32_t mask, missing, surplus;
	bool fresh;

	if (kind >= QK_NR || from >= STATE_NR || to >= STATE_NR)
		return false;
	now.pair[kind][from][to][!granted] = 1;
	fresh = add_pair(kind, from, to, granted);
	mask = uverbs_mask(kind, (int)to, in->mask);
	switch (table_judge(qp_table(), kind, (int)from, (int)to, mask,
			    &missing, &surplus)) {
	case TABLE_OK:
		mark(now.taken[kind][from][to], mask);
		mask = add_bits(&ever->taken[kind][from][to], mask);
		name_attributes("taken", kind, from, to, mask);
		return mask || fresh;
	case TABLE_MISSING:
		if (surplus || missing & (missing - 1))
			return fresh;
		mark(now.missing[kind][from][to], missing);
		missing = add_bits(&ever->missing[kind][from][to], missing);
		name_attributes("missing", kind, from, to, missing);
		return missing || fresh;
	default:
		return fresh;
	}
}

void reach_call(const struct program *p, int index, const struct bound *b,
		const struct outcome *o)
{
	if (b->verb == V_modify_qp && b->on < PROG_MAX_OBJECTS)
		reach_modify((enum qp_kind)states.kind[b->on],
			     states.state[b->on], &b->in.qp_attr,
			     !outcome_error(b->verb, o));
	coverage_call(&coverage, &states, p, index, b, o);
}

bool reach_row(enum row row)
{
	bool fresh = !ever->row[row];

	now.row[row] = 1;
	ever->row[row] = true;
	if (fresh) {
		fresh_parts_add("rule-%s", rule(row)->id);
		coverage_row(&coverage, row);
	}
	return fresh;
}

static void name_answer(enum verb verb, int error)
{
	const char *name = verb_info(verb)->name;

	if (!error)
		fresh_parts_add("answer-%s-success", name);
	else if (error < 0 || error >= ANSWERS)
		fresh_parts_add("answer-%s-no-errno", name);
	else if (!strncmp(errno_name(error), "E", 1))
		fresh_parts_add("answer-%s-%s", name, errno_name(error));
	else
		fresh_parts_add("answer-%s-%d", name, error);
}

bool reach_answer(enum verb verb, int error)
{
	bool *answer = &ever->answer[verb][error >= 0 && error < ANSWERS
						   ? error
						   : ANSWERS - 1];
	bool fresh = !*answer;

	*answer = true;
	if (fresh)
		name_answer(verb, error);
	return fresh;
}

size_t reach_size(void)
{
	return sizeof(struct reached);
}

void reach_share(void *memory)
{
	ever = memory;
}

struct reached *reach_so_far(void)
{
	return ever;
}

static size_t code_size(void)
{
	return code_new ? (uintptr_t)code_end - (uintptr_t)code_begin : 0;
}

bool reach_is_new_code(void)
{
	uint8_t more = 0;

	for (size_t i = 0; i < code_size(); i++)
		more |= (uint8_t)((code_begin[i] != 0) & code_new[i]);
	return more;
}

void reach_learn_code(void)
{
	for (size_t i = 0; i < code_size(); i++)
		code_new[i] &= code_begin[i] == 0;
}

void reach_clear_code(void)
{
	if (code_size())
		memset(code_begin, 0, code_size());
}

void reach_begin(void)
{
	qp_states_init(&states);
	programs++;
}

void reach_count_program(void)
{
	programs++;
}

uint64_t reach_programs(void)
{
	return programs;
}

/* Returns true if a transition can set the attribute. It cannot if uverbs adds
 * another attribute to the mask that is not allowed: the address of UC in SQD.
 */
static bool is_takable(enum qp_kind kind, int to, uint32_t attr,
		       uint32_t allowed)
{
	uint32_t named = attr | A_STATE;

	return allowed & attr &&
	       !(uverbs_mask(kind, to, named) & ~named & ~allowed);
}

/* Counts the cells of a transition. Only attributes that uverbs passes on to
 * the table count. */
static void count_cells(enum qp_kind kind, int from, int to,
			struct coverage_count *cells)
{
	const struct cell *c = &qp_table()->cell[from][to][kind];
	uint32_t arrives = uverbs_mask(kind, to, A_DEFINED);
	uint32_t allowed =
		c->required | ((c->optional | A_STATE) & ~c->forbidden);

	if (!qp_table()->valid[from][to][kind])
		return;
	if (!state_takes_cur(from))
		arrives &= ~(uint32_t)A_CUR_STATE;
	for (int bit = 0; bit < ATTRS; bit++) {
		if (c->required & arrives & 1u << bit) {
			cells->total++;
			cells->tried +=
				ever->missing[kind][from][to] >> bit & 1;
		}
		if (is_takable(kind, to, arrives & 1u << bit, allowed)) {
			cells->total++;
			cells->tried += ever->taken[kind][from][to] >> bit & 1;
		}
	}
}

struct coverage_count reach_cells(void)
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

static void print_count(const char *what, struct coverage_count count,
			const char *end)
{
	fprintf(stderr, "%llu/%llu %s%s", (unsigned long long)count.tried,
		(unsigned long long)count.total, what, end);
}

static void print_summary(void)
{
	struct coverage_sums sums;

	coverage_sum(&coverage, &sums);
	fprintf(stderr, "reached ");
	print_count("state pairs", coverage_all(sums.pairs), ", ");
	print_count("cells of the table", reach_cells(), ", ");
	print_count("operations by state", coverage_all(sums.posts), ", ");
	print_count("verbs", sums.verbs, ", ");
	print_count("rules", sums.rows, "");
	if (kernel_reach_count())
		fprintf(stderr, ", %zu kernel points", kernel_reach_count());
	fprintf(stderr, "; ");
	fprintf(stderr, "%llu program%s judged\n", (unsigned long long)programs,
		plural(programs));
}

/* A process that ran no programs prints nothing: it wrote seeds, or started
 * others. */
static void at_end(void)
{
	if (programs)
		print_summary();
	coverage_free(&coverage);
}

void reach_open(void)
{
	size_t n = (uintptr_t)code_end - (uintptr_t)code_begin;

	coverage_init(&coverage, false);
	code_new = n ? malloc(n) : NULL;
	if (code_new)
		memset(code_new, 1, n);
	atexit(at_end);
}
