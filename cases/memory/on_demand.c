/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The bytes of requests whose memory is registered ON_DEMAND: within a page,
 * across pages, and in the second element of a list. A device says for each
 * type and operation whether it can do that.
 */
#include "contract/opcodes.h"
#include "cases/data/data.h"

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
static uint64_t needed(enum qp_kind kind, const struct opcode *op,
		       bool receives)
{
	if (receives && op->receive && op->value != IBV_WR_RDMA_WRITE_WITH_IMM)
		return kind == QK_XRC_SEND ? IBV_ODP_SUPPORT_SRQ_RECV
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

static uint8_t region(const struct data *d, const struct length *length,
		      unsigned int pattern)
{
	struct gen *g = d->p.g;
	uint8_t mr = gen_mr_of(g, g->pd, (uint64_t)length->bytes + DATA_MARGIN,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND |
				       gen_remote_access(g));

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
	const uint64_t caps = offered(g, kind);
	bool sends = caps & needed(kind, op, false);
	bool receives = caps & needed(kind, op, true);
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

void gen_memory_on_demand(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (kind != QK_RC && kind != QK_UC && kind != QK_UD &&
	    kind != QK_XRC_SEND)
		return;
	gen_prefix(g, "on-demand/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++)
		if (post_has(kind, &op[i]) && !op[i].by_value && !op[i].places)
			operation(g, kind, &op[i]);
	if (offered(g, kind) & IBV_ODP_SUPPORT_SEND)
		mixed(g, kind);
}
