// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases for the creation of a DCI and a DCT: dc_type, parents, capabilities,
 * streams, the access key.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/cases/cases.h"

/* One field of a creation, its value, and the row that judges the value. */
struct setting_case {
	const char *name;
	enum field field;
	uint64_t value;
	enum row row;
};

static void setting(struct gen *g, enum qp_kind kind,
		    const struct setting_case *c, uint64_t more)
{
	uint8_t qp;

	if (!gen_id(g, "%s", c->name) ||
	    !gen_says_rule(g, c->row, gen_claim(g, kind, 0, 0),
			   "%s with %s=%llu", qp_kind_name(kind),
			   field_info(c->field)->text,
			   (unsigned long long)c->value))
		return;
	gen_parents(g, kind);
	qp = mlx5_gen_qp(g, kind, more);
	prog_num(g->p, c->field, c->value);
	mlx5_gen_created(g, kind, qp, c->row);
}

static void settings(struct gen *g, enum qp_kind kind,
		     const struct setting_case *c, size_t n, uint64_t more)
{
	for (size_t i = 0; i < n; i++)
		setting(g, kind, &c[i], more);
}

/* Values around the limit of log_num_concurent or of log_num_errored. */
static void stream_cases(struct gen *g, const char *what, enum field field,
			 uint64_t most)
{
	bool any = claim_holds(CLAIM_DCI_STREAMS, g->d);
	enum row within = any ? ROW_DCI_STREAMS : ROW_DCI_STREAMS_NONE;
	const struct setting_case cases[] = {
		{"zero", field, 0, within},
		{"one-less", field, most - 1, within},
		{"limit", field, most, within},
		{"over", field, most + 1, ROW_DCI_STREAMS_OVER},
		{"ones", field, UINT8_MAX, ROW_DCI_STREAMS_OVER},
	};

	gen_prefix(g, "mlx5/create/dci/streams/%s/", what);
	for (size_t i = 0; i < COUNT(cases); i++)
		if (cases[i].value <= UINT8_MAX)
			setting(g, QK_DCI, &cases[i],
				MLX5DV_QP_INIT_ATTR_MASK_DCI_STREAMS);
}

static void streams(struct gen *g)
{
	static const struct setting_case unsaid[] = {
		{"concurent-unsaid", F_dci_log_concurent, UINT8_MAX,
		 ROW_DCI_STREAMS_UNSAID},
		{"errored-unsaid", F_dci_log_errored, UINT8_MAX,
		 ROW_DCI_STREAMS_UNSAID},
	};

	stream_cases(g, "concurent", F_dci_log_concurent,
		     g->d->limit[LIM_mlx5_dci_log_num_concurent]);
	stream_cases(g, "errored", F_dci_log_errored,
		     g->d->limit[LIM_mlx5_dci_log_num_errored]);
	gen_prefix(g, "mlx5/create/dci/streams/");
	settings(g, QK_DCI, unsaid, 2, 0);
}

static void dci(struct gen *g)
{
	static const struct setting_case cases[] = {
		{"recv/max_recv_wr", F_max_recv_wr, 1, ROW_DCI_RECV},
		{"recv/max_recv_sge", F_max_recv_sge, 1, ROW_DCI_RECV},
		{"dc_type/0", F_dc_type, 0, ROW_DC_TYPE},
		{"dc_type/3", F_dc_type, 3, ROW_DC_TYPE},
		{"dc_type/255", F_dc_type, 255, ROW_DC_TYPE},
		{"dc_type/ones", F_dc_type, UINT32_MAX, ROW_DC_TYPE},
		{"without-dc", F_dv_comp_mask, 0, ROW_DC_DRIVER},
		{"without-pd", F_comp_mask, 0, ROW_CRE_NEEDS_PD},
		{"max_send_wr", F_max_send_wr, 1, ROW_CAP_AT_LEAST},
		{"max_send_sge", F_max_send_sge, 2, ROW_CAP_AT_LEAST},
	};

	mlx5_gen_create_prefix(g, QK_DCI);
	settings(g, QK_DCI, cases, COUNT(cases), 0);
	streams(g);
}

/* A DCI grants the send operations of RC and no other. */
static void dci_op(struct gen *g, int bit)
{
	bool rc = bit < 10; /* bits 10 to 12: TSO, FLUSH, ATOMIC_WRITE */
	enum row row = rc ? ROW_CRE_SEND_OPS_OWN : ROW_CRE_SEND_OPS;
	uint8_t qp;

	if (bit > 10 && bit < 13)
		return; /* verbs has them on RC, some providers do not */
	if (!gen_id(g, "verbs-send-ops/bit%d", bit) ||
	    !gen_says_rule(g, row, gen_claim(g, QK_DCI, 0, 0),
			   "DCI with bit %d of the verbs send operations", bit))
		return;
	gen_parents(g, QK_DCI);
	qp = mlx5_gen_qp(g, QK_DCI, 0);
	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_num(g->p, F_send_ops_flags, UINT64_C(1) << bit);
	mlx5_gen_created(g, QK_DCI, qp, row);
}

/* There is no case without a receive CQ: libibverbs reads the handle of the CQ
 * of each queue pair that has an SRQ. */
static void without_srq(struct gen *g)
{
	uint8_t qp;

	if (!gen_id(g, "without-srq") ||
	    !gen_says(g, ROW_DCT_SRQ, gen_claim(g, QK_DCT, 0, 0), "%s",
		      rule(ROW_DCT_SRQ)->text))
		return;
	gen_parents(g, QK_DCT);
	qp = mlx5_gen_qp(g, QK_DCT, 0);
	prog_obj(g->p, F_srq, NO_OBJ);
	mlx5_gen_created(g, QK_DCT, qp, ROW_DCT_SRQ);
}

static void dct(struct gen *g)
{
	static const struct setting_case cases[] = {
		{"access-key/zero", F_dct_access_key, 0, ROW_DV_ACCEPT},
		{"access-key/ones", F_dct_access_key, UINT64_MAX,
		 ROW_DV_ACCEPT},
		{"without-pd", F_comp_mask, 0, ROW_CRE_NEEDS_PD},
		{"verbs-comp_mask/xrcd", F_comp_mask, 1 | 2,
		 ROW_DCT_VERBS_MASK},
		{"verbs-comp_mask/create-flags", F_comp_mask, 1 | 4,
		 ROW_DCT_VERBS_MASK},
		{"verbs-comp_mask/send-ops", F_comp_mask, 1 | 64,
		 ROW_DCT_VERBS_MASK},
	};
	mlx5_gen_create_prefix(g, QK_DCT);
	settings(g, QK_DCT, cases, COUNT(cases), 0);
	without_srq(g);
}

/* A device without DC refuses DCI and DCT. */
static void unclaimed(struct gen *g, enum qp_kind kind)
{
	uint8_t cq;

	if (claim_holds(claim_of_kind(kind), g->d))
		return;
	mlx5_gen_create_prefix(g, kind);
	if (!gen_id(g, "unclaimed") ||
	    !gen_says_rule(g, ROW_DC_CLAIM, CLAIM_NONE, "%s",
			   qp_kind_name(kind)))
		return;
	gen_parents(g, kind);
	mlx5_gen_qp(g, kind, 0);
	cq = g->cq;
	gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

void mlx5_gen_create_dc(struct gen *g)
{
	unclaimed(g, QK_DCI);
	unclaimed(g, QK_DCT);
	dci(g);
	mlx5_gen_create_prefix(g, QK_DCI);
	for (int bit = 0; bit < 64; bit++)
		if (bit < 17 || bit == 63 || gen_full(g))
			dci_op(g, bit);
	dct(g);
}
