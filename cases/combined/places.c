// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Combined places: where the bytes of a request come from and go to. Each end
 * is a region or a window of some kind, perhaps with a second one beside it,
 * and elements of other regions stand before and behind its bytes. At the end
 * the bytes of all regions are looked at.
 */
#include "cases/combined/places.h"

#define LAP 8 /* receives of a queue, with which it begins anew */

/* The receives of a lap have elements. */
static void lap(const struct places *t)
{
	static const struct length length = {"", NULL, 64};

	if (!places_has(t, LIFE, LIFE_LAP))
		return;
	for (unsigned int i = 0; i < LAP; i++)
		data_carry_one(&t->w.d, opcode_of(IBV_WR_SEND), 100 + i,
			       &length);
}

/* Returns where the GRH of a datagram is, or UINT64_MAX. */
static uint64_t header_at(const struct places *t)
{
	return t->w.d.p.kind == QK_UD ? places_receive_at(t) : UINT64_MAX;
}

static void carry(struct places *t)
{
	const struct data *d = &t->w.d;

	places_fill(t);
	places_bind(t);
	places_post(t);
	data_wait(d, places_operation(t->row));
	places_look(t, header_at(t));
}

static void live_again(struct places *t)
{
	const struct post *p = &t->w.d.p;

	gen_modify(p->g, p->a, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	gen_modify(p->g, p->b, A_STATE, IBV_QPS_RTS, IBV_QPS_RESET, NULL);
	post_both(p, 0);
	t->round++;
	carry(t);
}

static void end(struct places *t)
{
	const struct data *d = &t->w.d;

	if (t->null != NO_OBJ)
		places_send_null(t);
	if (d->p.kind == QK_RC) {
		data_wait(d, places_post_last(t));
		places_post_outside(t);
		data_wait_or_fail(d);
	}
	places_look(t, header_at(t));
}

static void build(struct gen *g, enum qp_kind kind, const uint8_t *row)
{
	struct places t;
	bool wr = g->wr;

	places_stage(&t, g, kind, row);
	places_refused(&t);
	lap(&t);
	carry(&t);
	if (places_has(&t, LIFE, LIFE_RESET))
		live_again(&t);
	end(&t);
	g->wr = wr;
}

static const struct combined places = {
	.name = "places",
	.factor = places_factors,
	.n = PLACES_FACTORS,
	.offered = places_offered,
	.permitted = places_permitted,
	.build = build,
};

void gen_combined_places(struct gen *g, enum qp_kind kind)
{
	if (kind == QK_RC || kind == QK_UC || kind == QK_UD)
		combined_cases(g, kind, &places, data_bytes_row(kind),
			       post_claim(g, kind, IBV_QPS_RTS, NULL));
}
