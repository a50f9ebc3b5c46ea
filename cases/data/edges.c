// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Bytes at boundaries: the ends of a region, far from its start, PSNs that wrap
 * around to 0, and lengths around each path MTU of the port.
 */
#include "cases/data/data.h"

#define LENGTH 64
#define PSNS   0x1000000
#define MIB    (1u << 20)

static const struct length small = {"", NULL, LENGTH};

/* More packets than precede PSN 0, even with the largest MTU. */
#define PSN_WITHIN 3
static const struct length several_packets = {"", NULL, 4 * 4096 + 1};

/* Reads the region back, except for the GRH of a datagram. */
static void look_at_edges(const struct data *d, uint64_t at)
{
	uint64_t data = at + (d->p.kind == QK_UD ? DATA_GRH : 0);

	if (at)
		data_look_at(d, d->into, 0, at);
	data_look_at(d, d->into, data, 0);
	data_look(d, d->from);
}

/* From the first bytes of a region to the first, or from the last to the last.
 */
static void at_edge(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    bool last)
{
	uint64_t most = DATA_MARGIN + LENGTH;
	uint64_t bytes = op->atomic ? 8 : LENGTH;
	uint64_t at = last ? most - bytes : 0;
	uint64_t into = last && kind == QK_UD ? at - DATA_GRH : at;
	struct data d;

	if (!gen_id(g, "%s/region-%s", op->slug, last ? "end" : "begin") ||
	    !post_op_says_with(g, kind, op, CLAIM_NONE, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &small);
	d.compare_add = 1;
	data_pair(&d);
	data_carry_at(&d, op, 1, &small, at, into);
	look_at_edges(&d, into);
	gen_done(g);
}

/* Behind the first 2 MiB of a region, and across that boundary. */
static void far(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	static const struct length most = {"", NULL, 4 * MIB};
	static const uint64_t across = 2 * MIB - LENGTH / 2, behind = 3 * MIB;
	uint64_t header = kind == QK_UD ? DATA_GRH : 0;
	struct data d;

	if (!gen_id(g, "%s/region-far", op->slug) ||
	    !post_op_says_with(g, kind, op, CLAIM_NONE, data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &most);
	d.compare_add = 1;
	data_pair(&d);
	data_carry_at(&d, op, 1, &small, behind, behind - header);
	data_carry_at(&d, op, 2, &small, across, across - header);
	data_look_at(&d, d.into, 0, across - header);
	data_look_at(&d, d.into, across, behind - header - across);
	data_look_at(&d, d.into, behind, 0);
	data_look(&d, d.from);
	gen_done(g);
}

static void carry(const struct data *d, const struct opcode *op,
		  uint64_t number, const struct length *length)
{
	data_carry_one(d, op, number, length);
	data_look_all(d);
}

static void put_psn(struct data *d, int64_t before)
{
	gen_value(&d->p.with, F_sq_psn, NULL, PSNS - before);
	gen_value(&d->p.with, F_rq_psn, NULL, PSNS - before);
}

/* Two messages. The first `before` packets have PSNs before 0. */
static void wraps(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  const char *name, const struct length *length, int64_t before)
{
	struct data d;

	if (!gen_id(g, "%s/psn-%s", op->slug, name) ||
	    !post_op_says_with(g, kind, op, CLAIM_VERBS_CONNECT,
			       data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, length);
	put_psn(&d, before);
	data_pair(&d);
	carry(&d, op, 1, length);
	carry(&d, op, 2, length);
	gen_done(g);
}

static void of_numbers(struct gen *g, enum qp_kind kind,
		       const struct opcode *op)
{
	wraps(g, kind, op, "within", &several_packets, PSN_WITHIN);
	wraps(g, kind, op, "between", &small, 1);
}

/* One byte less than the path MTU, as many, one more, and several packets. */
static void of_path(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    int mtu)
{
	int64_t bytes = 128ll << mtu;
	const struct length lengths[] = {{"", NULL, bytes - 1},
					 {"", NULL, bytes},
					 {"", NULL, bytes + 1},
					 {"", NULL, 3 * bytes + 1}};
	struct data d;

	if (!gen_id(g, "%s/path-mtu-%d", op->slug, (int)bytes) ||
	    !post_op_says_with(g, kind, op, CLAIM_VERBS_CONNECT,
			       data_bytes_row(kind)))
		return;
	d = data_stage(g, kind, &lengths[3]);
	gen_value(&d.p.with, F_path_mtu, NULL, mtu);
	data_pair(&d);
	for (uint64_t i = 0; i < 4; i++)
		carry(&d, op, i + 1, &lengths[i]);
	gen_done(g);
}

/* Messages of several packets pass PSN 0, each in a life of its own. Any of
 * them may be lost, but not all. */
static void wraps_again(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	struct data d;

	if (!gen_id(g, "%s/psn-within-again", op->slug) ||
	    !post_op_says_with(g, kind, op, CLAIM_VERBS_CONNECT,
			       ROW_POLL_ARRIVES))
		return;
	d = data_stage(g, kind, &several_packets);
	put_psn(&d, PSN_WITHIN);
	data_make_pair(&d);
	for (uint64_t i = 1; i <= POST_LOSABLE; i++) {
		post_both(&d.p, 0);
		data_recv(&d, 199 + i, &several_packets);
		data_send(&d, op, i, &several_packets);
		post_poll(&d.p, 2);
		gen_step(g, d.p.a, IBV_QPS_RTS, IBV_QPS_RESET);
		gen_step(g, d.p.b, IBV_QPS_RTS, IBV_QPS_RESET);
	}
	gen_done(g);
}

static bool is_quick(enum qp_kind kind, const struct opcode *op)
{
	return kind == QK_RC && op->value == IBV_WR_SEND;
}

void gen_data_edges(struct gen *g, enum qp_kind kind)
{
	int most = (int)device_port(g->d)->attr.active_mtu;
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]) || op[i].imm)
			continue;
		if (gen_full(g) || (kind == QK_RC && !op[i].atomic))
			far(g, kind, &op[i]);
		if (!gen_full(g) && kind == QK_UC)
			of_numbers(g, kind, &op[i]);
		if (!gen_full(g) && !is_quick(kind, &op[i]))
			continue;
		at_edge(g, kind, &op[i], false);
		at_edge(g, kind, &op[i], true);
		if (kind == QK_UD || kind_is_vendors(kind) || op[i].atomic)
			continue;
		of_numbers(g, kind, &op[i]);
		for (int mtu = IBV_MTU_256; mtu <= most; mtu++)
			of_path(g, kind, &op[i], mtu);
	}
	if (kind == QK_UC)
		wraps_again(g, kind);
}
