/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The bytes of requests whose memory is registered ON_DEMAND: within a page,
 * across pages, in the second element of a list, and in pages that nobody has
 * touched before. A device says for each type and operation whether it can do
 * that.
 */
#include "contract/opcodes.h"
#include "cases/data/data.h"
#include "cases/memory/memory.h"

static const struct length lengths[] = {
	{"", NULL, 1000},
	{"-pages", NULL, 9000},
};
#define DATAGRAM 1 /* lengths that fit into one */

/* Returns what the device says of a type: IBV_ODP_SUPPORT_SEND and so on. */
static uint64_t offered(const struct gen *g, enum qp_kind kind)
{
	switch (kind) {
	case QK_RC:
		return g->d->limit[LIM_odp_rc_caps];
	case QK_UC:
		return g->d->limit[LIM_odp_uc_caps];
	case QK_UD:
		return g->d->limit[LIM_odp_ud_caps];
	default:
		return g->d->limit[LIM_odp_xrc_caps];
	}
}

/* Returns the same bit for the end of an operation that its requester has, or
 * for the receives. */
static uint64_t needed(const struct gen *g, enum qp_kind kind,
		       const struct opcode *op, bool receives)
{
	if (receives && op->receive && op->value != IBV_WR_RDMA_WRITE_WITH_IMM)
		return g->by_srq || kind == QK_XRC_SEND
			       ? IBV_ODP_SUPPORT_SRQ_RECV
			       : IBV_ODP_SUPPORT_RECV;
	if (op->atomic)
		return IBV_ODP_SUPPORT_ATOMIC;
	switch (op->value) {
	case IBV_WR_RDMA_READ:
		return IBV_ODP_SUPPORT_READ;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_ODP_SUPPORT_WRITE;
	default:
		return IBV_ODP_SUPPORT_SEND;
	}
}

bool on_demand_offers(const struct gen *g, enum qp_kind kind,
		      const struct opcode *op, bool receives)
{
	return offered(g, kind) & needed(g, kind, op, receives);
}

static uint8_t on_demand(const struct data *d, uint64_t bytes)
{
	struct gen *g = d->p.g;

	return gen_mr_of(g, g->pd, bytes,
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND |
				 gen_remote_access(g));
}

static uint8_t region(const struct data *d, const struct length *length,
		      unsigned int pattern)
{
	uint8_t mr = on_demand(d, (uint64_t)length->bytes + DATA_MARGIN);

	data_fill(d, mr, pattern);
	return mr;
}

/* A message whose source, target or both are ON_DEMAND. */
static void bytes(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  bool from, bool into, const struct length *length)
{
	struct data d;

	if (!gen_id(g, "%s/%s%s%s", op->slug, from ? "from" : "",
		    into ? from ? "-into" : "into" : "", length->name) ||
	    !post_op_says_with(g, kind, op, CLAIM_ODP, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, length);
	if (from)
		d.from = region(&d, length, 3);
	if (into)
		d.into = region(&d, length, 4);
	data_carry(&d, op, length);
}

/* The second of three elements is in the other region. */
static void mixed(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	struct data d;
	uint8_t plain;

	if (!gen_id(g, "%s/mixed", op->slug) ||
	    !post_op_says_with(g, kind, op, CLAIM_ODP, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &lengths[0]);
	plain = d.from;
	d.from = region(&d, &lengths[0], 3);
	data_carry_mixed(&d, op, &lengths[0], plain);
}

static void operation(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	bool sends = on_demand_offers(g, kind, op, false);
	bool receives = on_demand_offers(g, kind, op, true);
	size_t n = kind == QK_UD ? DATAGRAM : COUNT(lengths);

	for (size_t i = 0; i < (op->atomic ? 1 : n); i++) {
		if (sends)
			bytes(g, kind, op, true, false, &lengths[i]);
		if (receives)
			bytes(g, kind, op, false, true, &lengths[i]);
		if (sends && receives)
			bytes(g, kind, op, true, true, &lengths[i]);
	}
}

#define PAGE  4096
#define PAGES ((int64_t)4 * PAGE) /* of a region, in bytes */

/* Memory of zeros that a program has never read or written: the device is the
 * first to touch it, where the message lies. The first bytes of the region may
 * be filled before. */
static const struct spot {
	const char *name;
	int64_t bytes, offset, filled;
} spots[] = {
	{"first-page", 1000, 64, 0},
	{"last-page", 1000, PAGES - 1000, 0},
	{"second-page", 1000, PAGE, 0},
	{"border", 1000, PAGE - 500, 0},
	{"half-filled", 1000, PAGE - 500, PAGE},
	{"pages", PAGES - 104, 96, 0},
	{"last-pages", 9000, PAGES - 9000, PAGE},
};

static uint8_t untouched_region(const struct data *d, const struct spot *spot)
{
	uint8_t mr = on_demand(d, (uint64_t)PAGES);

	if (spot->filled) {
		data_fill(d, mr, 5);
		prog_num(d->p.g->p, F_memory_length, (uint64_t)spot->filled);
	}
	return mr;
}

/* Reads both regions, but for the GRH of a datagram. */
static void look_around(const struct data *d, uint64_t into)
{
	if (d->p.kind != QK_UD) {
		data_look_all(d);
		return;
	}
	data_look_at(d, d->into, 0, into);
	data_look_at(d, d->into, into + DATA_GRH, 0);
	data_look(d, d->from);
}

/* The device is the first to touch a page of the source or of the target. */
static void untouched(struct gen *g, enum qp_kind kind, const struct opcode *op,
		      bool into, const struct spot *spot)
{
	static const struct length room = {"", NULL, PAGES - DATA_MARGIN};
	const struct length length = {"", NULL, spot->bytes};
	uint64_t at = (uint64_t)spot->offset;
	uint64_t recv_at = at - (kind == QK_UD ? DATA_GRH : 0);
	struct data d;

	if (!gen_id(g, "untouched/%s/%s-%s", op->slug, into ? "into" : "from",
		    spot->name) ||
	    !post_op_says_with(g, kind, op, CLAIM_ODP, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &room);
	if (into)
		d.into = untouched_region(&d, spot);
	else
		d.from = untouched_region(&d, spot);
	data_pair(&d);
	data_carry_at(&d, op, 1, &length, at, recv_at);
	look_around(&d, recv_at);
	gen_done(g);
}

/* The second of three elements of a receive is in pages that nobody touched. */
static void untouched_element(struct gen *g, enum qp_kind kind,
			      const struct opcode *op)
{
	static const struct length room = {"", NULL, 1000};
	struct data d;
	uint8_t plain;

	if (!gen_id(g, "untouched/%s/into-second", op->slug) ||
	    !post_op_says_with(g, kind, op, CLAIM_ODP, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &room);
	plain = d.into;
	d.into = untouched_region(&d, &spots[0]);
	data_pair(&d);
	data_recv(&d, 200, &room);
	prog_num(g->p, F_recv_num_sge, 3);
	prog_num(g->p, F_recv_length, 400);
	prog_obj(g->p, F_recv_mr, plain);
	prog_num(g->p, F_recv_stride, 450);
	prog_num(g->p, F_recv_part, 2);
	prog_obj(g->p, F_recv_part_mr, d.into);
	data_send(&d, op, 1, &room);
	data_wait(&d, op);
	data_look(&d, d.into);
	d.into = plain;
	data_look_into(&d, plain);
	gen_done(g);
}

/* Returns true if a message may lie at a spot: one packet of a datagram, and
 * the eight aligned bytes of an atomic operation within a page. */
static bool may_lie(enum qp_kind kind, const struct opcode *op,
		    const struct spot *spot)
{
	if (op->atomic)
		return spot == &spots[0] || spot == &spots[1];
	return kind != QK_UD || spot->bytes <= 1000;
}

static void all_untouched(struct gen *g, enum qp_kind kind,
			  const struct opcode *op)
{
	bool sends = on_demand_offers(g, kind, op, false);
	bool receives = on_demand_offers(g, kind, op, true);

	for (size_t i = 0; i < COUNT(spots); i++) {
		if (!may_lie(kind, op, &spots[i]))
			continue;
		if (sends && !g->by_srq)
			untouched(g, kind, op, false, &spots[i]);
		if (receives)
			untouched(g, kind, op, true, &spots[i]);
	}
	if (receives && op->value == IBV_WR_SEND)
		untouched_element(g, kind, op);
}

/* Calls a function for each operation that has memory of its own. */
static void each_operation(struct gen *g, enum qp_kind kind,
			   void (*with)(struct gen *, enum qp_kind,
					const struct opcode *))
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++)
		if (post_has(kind, &op[i]) && !op[i].by_value && !op[i].places)
			with(g, kind, &op[i]);
}

/* Immediate data do not change what a page is touched by. */
static void untouched_pages(struct gen *g, enum qp_kind kind,
			    const struct opcode *op)
{
	if (op->value == IBV_WR_SEND ||
	    (!g->by_srq && op->access && (gen_full(g) || !op->receive)))
		all_untouched(g, kind, op);
}

void gen_memory_on_demand(struct gen *g, enum qp_kind kind)
{
	if (kind != QK_RC && kind != QK_UC && kind != QK_UD &&
	    kind != QK_XRC_SEND)
		return;
	gen_prefix(g, "on-demand/%s/", qp_kind_slug(kind));
	each_operation(g, kind, operation);
	if (offered(g, kind) & IBV_ODP_SUPPORT_SEND)
		mixed(g, kind);
	each_operation(g, kind, untouched_pages);
	if (kind != QK_RC && kind != QK_UD)
		return;
	gen_prefix(g, "on-demand/%s/srq/", qp_kind_slug(kind));
	g->by_srq = true;
	each_operation(g, kind, untouched_pages);
	g->by_srq = false;
}
