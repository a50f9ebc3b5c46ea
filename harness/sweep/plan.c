// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides the cells of a sweep: for each type that the device makes and each
 * pair of states, and with --values for each field that the pair takes.
 */
#include <stdlib.h>
#include "cases/generate/generate.h"
#include "sweep/plan.h"
#include "sweep/shard.h"

static const uint8_t undefined_bit[] = {21, 22, 23, 24, 26, 27, 28, 29, 30, 31};

#define UNDEFINED_BITS COUNT(undefined_bit)

struct mask_order cell_order(const struct sweep_cell *c)
{
	uint32_t legal = gen_minimal((enum qp_kind)c->kind, c->from, c->to);

	if (c->sort == CELL_LIES)
		legal |= A_CUR_STATE;
	return (struct mask_order){mask_pack(legal), c->sort == CELL_LIES};
}

uint32_t cell_size(const struct sweep_cell *c)
{
	struct mask_order order = cell_order(c);

	if (c->sort == CELL_UNDEFINED)
		return UNDEFINED_BITS * order_within(&order, MASKS_NEAR);
	if (c->sort == CELL_VALUES)
		return domain_size(cell_field(c));
	return order_size(&order);
}

uint32_t cell_undefined(const struct sweep_cell *c, uint32_t n)
{
	struct mask_order order = cell_order(c);
	struct mask_walk walk;

	walk_begin(&walk, &order, n / UNDEFINED_BITS);
	return mask_unpack(walk_next(&walk)) |
	       1u << undefined_bit[n % UNDEFINED_BITS];
}

void cell_name(const struct sweep_cell *c, char *buf, size_t len)
{
	int n = snprintf(buf, len, "%s/%s-%s",
			 qp_kind_slug((enum qp_kind)c->kind),
			 state_slug(c->from), state_slug(c->to));

	if (c->sort == CELL_UNDEFINED)
		snprintf(buf + n, len - (size_t)n, "/undefined-bits");
	if (c->sort == CELL_LIES)
		snprintf(buf + n, len - (size_t)n, "/cur-state/%s",
			 state_slug(c->claimed));
	if (c->sort == CELL_VALUES)
		snprintf(buf + n, len - (size_t)n, "/value/%s",
			 field_info(cell_field(c))->text);
}

enum claim cell_missing(const struct sweep_cell *c, const struct device_info *d)
{
	static const struct selection all = {.shards = 1};
	struct gen g = {.d = d, .sel = &all};
	enum claim claim;

	g.global = device_port(d)->attr.link_layer == IBV_LINK_LAYER_ETHERNET;
	g.kind = (enum qp_kind)c->kind;
	claim = gen_claim(&g, (enum qp_kind)c->kind, c->from, c->from);
	/* On some devices a send error leads there: the restorer finds out. */
	return claim == CLAIM_SQE ? CLAIM_NONE : claim;
}

uint32_t cell_mask(const struct sweep_cell *c)
{
	return gen_minimal((enum qp_kind)c->kind, c->from, c->to) |
	       1u << field_attr(cell_field(c));
}

/* Returns true if the pair takes the attribute on this device; else the values
 * of the field do not matter. Values of qp_state are other pairs, except for
 * those that are no state, which are tried once, with the pair to ERR. */
static bool takes(const struct sweep_cell *c, const struct device_info *d)
{
	static const struct selection all = {.shards = 1};
	struct gen g = {.d = d, .sel = &all};
	uint32_t attr = 1u << field_attr(cell_field(c));
	enum row row;

	if (attr & A_STATE)
		return c->to == IBV_QPS_ERR;
	if (!(gen_allowed((enum qp_kind)c->kind, c->from, c->to) & attr))
		return false;
	if ((attr & (A_ALT_PATH | A_PATH_MIG_STATE)) &&
	    !claim_holds(CLAIM_APM, d))
		return false;
	g.kind = (enum qp_kind)c->kind;
	row = gen_row(&g, (enum qp_kind)c->kind, c->from, c->to, cell_mask(c));
	return row_accepts(row);
}

struct plan {
	const struct sweep_options *o;
	const struct device_info *d;
	struct sweep_cell *cell;
	size_t n, room;
	uint16_t pairs;
};

static bool add(struct plan *p, const struct sweep_cell *c)
{
	struct sweep_cell *more;

	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 512;
		more = realloc(p->cell, p->room * sizeof(*more));
		if (!more)
			return false;
		p->cell = more;
	}
	p->cell[p->n] = *c;
	p->cell[p->n++].end = cell_size(c);
	return true;
}

static bool add_lies(struct plan *p, struct sweep_cell c)
{
	bool good = true;

	c.sort = CELL_LIES;
	for (uint8_t claimed = 0; claimed < STATE_NR && good; claimed++) {
		c.claimed = claimed;
		if (claimed != c.from)
			good = add(p, &c);
	}
	return good;
}

static bool add_values(struct plan *p, struct sweep_cell c)
{
	bool good = true;

	c.sort = CELL_VALUES;
	for (unsigned int i = 0; i < family_count(FAM_QP_ATTR) && good; i++) {
		c.field = (uint8_t)i;
		if (domain_is(cell_field(&c)) && takes(&c, p->d))
			good = add(p, &c);
	}
	return good;
}

static bool add_pair(struct plan *p, enum qp_kind kind, int from, int to)
{
	struct sweep_cell c = {
		.sort = CELL_MASKS,
		.kind = (uint8_t)kind,
		.from = (uint8_t)from,
		.to = (uint8_t)to,
		.claimed = (uint8_t)from,
		.pair = p->pairs++,
	};
	struct sweep_cell undefined = c;

	undefined.sort = CELL_UNDEFINED;
	return add(p, &c) && add(p, &undefined) &&
	       (!p->o->lies || add_lies(p, c)) &&
	       (!p->o->values || add_values(p, c));
}

static bool any(const bool *chosen, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (chosen[i])
			return true;
	return false;
}

static bool has_type(const struct plan *p, enum qp_kind kind)
{
	if (kind == QK_NR)
		return false;
	if (any(p->o->type, QK_END))
		return p->o->type[kind];
	return claim_holds(claim_of_kind(kind), p->d);
}

struct sweep_cell *plan_make(const struct sweep_options *o,
			     const struct device_info *d, size_t *n)
{
	struct plan p = {.o = o, .d = d};
	bool some = any(&o->pair[0][0], SWEEP_PAIRS), good = true;

	for (int k = 0; k < QK_END; k++)
		for (int i = 0; i < SWEEP_PAIRS && good; i++)
			if (has_type(&p, (enum qp_kind)k) &&
			    (!some || o->pair[i / STATE_NR][i % STATE_NR]))
				good = add_pair(&p, (enum qp_kind)k,
						i / STATE_NR, i % STATE_NR);
	if (good && p.n && o->shards > 1)
		shard_take(o, d, p.cell, &p.n);
	*n = p.n;
	if (good)
		return p.cell;
	free(p.cell);
	return NULL;
}
