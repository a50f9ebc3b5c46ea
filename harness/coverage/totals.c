/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counts the points of a set, and decides the total of each count. Masks: every
 * mask of defined attributes on every pair of states. Fields: the fields of
 * each attribute that some transition of the type requires or allows. A pair
 * that begins in SQE belongs to the total of a type only if a send error moves
 * the type to SQE, or if the set has a point of the type in SQE.
 */
#include <string.h>
#include "contract/opcodes.h"
#include "coverage/coverage.h"
#include "coverage/point.h"

#define PAIRS (STATE_NR * STATE_NR)

/* The points of one type, for counts that are not sums over all points */
struct tried {
	bool pairs[PAIRS]; /* pairs of states, each with any mask */
	bool in_sqe;	   /* pairs that begin in SQE belong to the total */
	bool any;	   /* a vendor's type has totals only if it was tried */
};

/* Returns the attributes that some transition of the type requires or allows.
 */
static uint32_t attrs_of(enum qp_kind kind)
{
	const struct qp_table *t = qp_table();
	uint32_t attrs = A_STATE;

	for (int from = 0; from < STATE_NR; from++)
		for (int to = 0; to < STATE_NR; to++)
			if (t->valid[from][to][kind])
				attrs |= t->cell[from][to][kind].required |
					 t->cell[from][to][kind].optional;
	return attrs;
}

static bool field_counts(enum field f, uint32_t attrs)
{
	int bit = field_attr(f);

	return bit >= 0 && (attrs >> bit) & 1;
}

/* Returns how many operations the cases try on a type: opcode_is_tried(), and
 * one for all receives unless the type is a vendor's. */
static uint64_t operations_of(enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes_all(&n);
	uint64_t count = !kind_is_vendors(kind);

	for (size_t i = 0; i < n; i++)
		count += opcode_is_tried(&op[i], kind);
	return count;
}

/* Returns the number of states in which a queue pair of the type can be. */
static uint64_t states_of(enum qp_kind kind, bool in_sqe)
{
	uint64_t states = 0;

	if (!kind_is_vendors(kind))
		return in_sqe ? STATE_NR : STATE_NR - 1;
	for (int state = 0; state < STATE_NR; state++)
		states += kind_reaches(kind, state);
	return states;
}

static void set_totals_of(struct coverage_sums *sums, enum qp_kind kind,
			  bool in_sqe)
{
	enum field first = family_first(FAM_QP_ATTR);
	unsigned int n = family_count(FAM_QP_ATTR);
	uint32_t attrs = attrs_of(kind);
	uint64_t states = states_of(kind, in_sqe);

	sums->pairs[kind].total = states * STATE_NR;
	sums->posts[kind].total = operations_of(kind) * states;
	sums->masks[kind].total = sums->pairs[kind].total
				  << __builtin_popcount((uint32_t)A_DEFINED);
	for (unsigned int i = 0; i < n; i++)
		sums->fields[kind].total += field_counts(first + i, attrs);
}

static void set_totals(struct coverage_sums *sums,
		       const struct tried tried[QK_END])
{
	for (enum qp_kind kind = 0; kind < QK_END; kind++)
		if (kind < QK_NR || tried[kind].any)
			set_totals_of(sums, kind, tried[kind].in_sqe);
	for (enum verb verb = 0; verb < VERB_NR; verb++)
		sums->verbs.total += verb_info(verb)->conv != CONV_OWN &&
				     !verb_is_vendors(verb);
	for (enum row row = 1; row < ROW_NR; row++)
		(row_is_vendors(row) ? &sums->vendor_rows : &sums->rows)
			->total++;
}

/* Returns true if operations_of() counts the operation. */
static bool post_counts(uint32_t id, enum qp_kind kind)
{
	const struct opcode *op;

	if (id == POST_RECV)
		return !kind_is_vendors(kind);
	op = opcode_of(id);
	return op && opcode_is_tried(op, kind);
}

static void sum_point(const struct point *point, struct coverage_sums *sums,
		      struct tried tried[QK_END])
{
	struct tried *of = &tried[point->kind];

	switch (point->what) {
	case POINT_MASK:
		of->any = true;
		of->pairs[point->from * STATE_NR + point->to] = true;
		of->in_sqe = of->in_sqe || point->from == IBV_QPS_SQE;
		if (point->id & ~(uint32_t)A_DEFINED)
			sums->undefined_masks[point->kind]++;
		else
			sums->masks[point->kind].tried++;
		return;
	case POINT_FIELD:
		sums->fields[point->kind].tried +=
			field_counts(point->id, attrs_of(point->kind));
		return;
	case POINT_VERB:
		sums->verbs.tried += verb_info(point->id)->conv != CONV_OWN &&
				     !verb_is_vendors(point->id);
		return;
	case POINT_POST:
		sums->posts[point->kind].tried +=
			post_counts(point->id, point->kind);
		of->any = true;
		of->in_sqe = of->in_sqe || point->from == IBV_QPS_SQE;
		return;
	default:
		(row_is_vendors(point->id) ? &sums->vendor_rows : &sums->rows)
			->tried++;
	}
}

void coverage_sum(const struct coverage *c, struct coverage_sums *sums)
{
	struct tried tried[QK_END] = {0};

	memset(sums, 0, sizeof(*sums));
	for (enum qp_kind kind = 0; kind < QK_NR; kind++)
		tried[kind].in_sqe = kind_stops_in_sqe(kind);
	for (size_t i = 0; i < c->room; i++) {
		struct point point = point_of_key(c->slot[i]);

		if (c->slot[i])
			sum_point(&point, sums, tried);
	}
	set_totals(sums, tried);
	for (enum qp_kind kind = 0; kind < QK_END; kind++)
		for (int i = 0; i < PAIRS; i++)
			sums->pairs[kind].tried += tried[kind].pairs[i];
}

static json_t *count_json(const struct coverage_count *count)
{
	return json_pack("{s:I,s:I}", "tried", (json_int_t)count->tried,
			 "total", (json_int_t)count->total);
}

static json_t *type_json(const struct coverage_sums *sums, enum qp_kind kind)
{
	return json_pack("{s:o,s:o,s:I,s:o,s:o}", "state_pairs",
			 count_json(&sums->pairs[kind]), "masks",
			 count_json(&sums->masks[kind]), "undefined_masks",
			 (json_int_t)sums->undefined_masks[kind], "fields",
			 count_json(&sums->fields[kind]), "operations",
			 count_json(&sums->posts[kind]));
}

struct coverage_count coverage_all(const struct coverage_count count[QK_END])
{
	struct coverage_count all = {0, 0};

	for (enum qp_kind kind = 0; kind < QK_END; kind++) {
		all.tried += count[kind].tried;
		all.total += count[kind].total;
	}
	return all;
}

json_t *coverage_json(const struct coverage *c)
{
	struct coverage_count pairs, masks, fields, posts;
	struct coverage_sums sums;
	json_t *types = json_object();
	json_t *all;

	coverage_sum(c, &sums);
	pairs = coverage_all(sums.pairs);
	masks = coverage_all(sums.masks);
	fields = coverage_all(sums.fields);
	posts = coverage_all(sums.posts);
	for (enum qp_kind kind = 0; kind < QK_END; kind++)
		if (sums.pairs[kind].total)
			json_object_set_new(types, qp_kind_slug(kind),
					    type_json(&sums, kind));
	all = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "state_pairs",
			count_json(&pairs), "masks", count_json(&masks),
			"fields", count_json(&fields), "operations",
			count_json(&posts), "verbs", count_json(&sums.verbs),
			"rows", count_json(&sums.rows), "types", types);
	if (sums.vendor_rows.tried)
		json_object_set_new(all, "vendor_rows",
				    count_json(&sums.vendor_rows));
	return all;
}
