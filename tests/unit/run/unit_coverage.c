// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Points of coverage survive the journal, and no count is above its total.
 */
#include <string.h>
#include "contract/opcodes.h"
#include "coverage/coverage.h"
#include "coverage/point.h"
#include "tests/unit/tap.h"

static void add_post(struct coverage *c, enum qp_kind kind, uint32_t opcode)
{
	const struct point point = {.what = POINT_POST,
				    .kind = (uint8_t)kind,
				    .from = IBV_QPS_RESET,
				    .id = opcode};
	char text[POINT_TEXT];
	json_t *points;

	point_print(&point, text, sizeof(text));
	points = json_pack("[s]", text);
	coverage_join(c, points);
	json_decref(points);
}

/* Posts each operation on a queue pair in RESET, and calls no ibv_modify_qp. */
static void post_all(struct coverage *c, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes_all(&n);

	add_post(c, kind, POST_RECV);
	for (size_t i = 0; i < n; i++)
		add_post(c, kind, op[i].value);
}

static void check_totals(void)
{
	bool right = true, listed = true;

	for (enum qp_kind kind = 0; kind < QK_END; kind++) {
		struct coverage_sums sums;
		struct coverage c;
		json_t *json;

		if (kind == QK_NR)
			continue;
		coverage_init(&c, false);
		post_all(&c, kind);
		coverage_sum(&c, &sums);
		if (sums.posts[kind].tried > sums.posts[kind].total)
			right = false;
		json = coverage_json(&c);
		listed = listed &&
			 json_object_get(json_object_get(json, "types"),
					 qp_kind_slug(kind));
		json_decref(json);
		coverage_free(&c);
	}
	ok(right, "operations on a queue pair in RESET are below their total");
	ok(listed, "a type has its counts if only operations were tried");
}

static void check_journal(void)
{
	json_t *given =
		json_pack("[s,s,s,s,s,s,s,i]", "mask rc INIT RTR 0x1213a1",
			  "field rc path_mtu", "verb modify_qp",
			  "post rc RTS recv", "verb no_such_verb",
			  "mask rc INIT", "", 7);
	struct coverage first, second;
	json_t *fresh;

	coverage_init(&first, true);
	coverage_init(&second, false);
	coverage_join(&first, given);
	fresh = coverage_fresh(&first);
	ok(json_array_size(fresh) == 4, "unknown points are ignored");
	ok(!coverage_fresh(&first), "a point is fresh only once");
	coverage_join(&second, fresh);
	ok(second.used == first.used, "points can be read from the journal");
	coverage_union(&second, &first);
	ok(second.used == first.used, "a union has each point once");
	json_decref(fresh);
	json_decref(given);
	coverage_free(&first);
	coverage_free(&second);
}

int main(void)
{
	check_totals();
	check_journal();
	return tap_end();
}
