/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_create_qp_ex with values in members whose comp_mask bit is clear. A
 * device does not read such members, so that values which no device grants must
 * not matter.
 */
#include "cases/generate/generate.h"

/* The bits that are set besides the parent of the type. libibverbs calls
 * ibv_create_qp() if there is none. */
struct others {
	const char *name;
	uint32_t comp_bits;
};

static bool is_object(enum field f)
{
	return field_info(f)->kind == FK_OBJ;
}

/* The PD belongs to XRC_RECV here, and the XRC domain to the other types. */
static bool applies(enum qp_kind kind, enum field f)
{
	if (f == F_pd)
		return kind == QK_XRC_RECV;
	return f != F_xrcd || kind != QK_XRC_RECV;
}

static enum claim claim_of_member(const struct gen *g, enum qp_kind kind,
				  enum field f)
{
	enum claim claim = gen_claim(g, kind, 0, 0);

	if (f == F_xrcd)
		claim = gen_also(g, claim, CLAIM_XRC);
	if (f == F_rwq_ind_tbl)
		claim = gen_also(g, claim, gen_needs(g, CLAIM_WQ, CLAIM_RSS));
	return claim;
}

static uint8_t make_object(struct gen *g, enum field f)
{
	if (f == F_xrcd)
		return gen_xrcd(g);
	if (f == F_pd)
		return gen_pd(g);
	return gen_ind(g, gen_wq(g, gen_pd(g), gen_cq(g)));
}

static enum verb closing(enum field f)
{
	if (f == F_xrcd)
		return V_close_xrcd;
	return f == F_pd ? V_dealloc_pd : V_destroy_rwq_ind_table;
}

/* Every bit of a number is set. The key has only as many bytes as a device may
 * read. */
static uint64_t wrong_value(enum field f)
{
	return f == F_rx_hash_key_len ? UINT8_MAX : UINT32_MAX;
}

static void member(struct gen *g, enum qp_kind kind, enum field f,
		   const struct others *o)
{
	const char *name = field_info(f)->text;
	uint8_t extra = NO_OBJ, qp;

	if (!applies(kind, f) || !gen_id(g, "unmasked/%s/%s", name, o->name) ||
	    !gen_says_rule(g, ROW_CRE_UNMASKED, claim_of_member(g, kind, f),
			   "%s with a value in %s, which comp_mask does not "
			   "name",
			   qp_kind_name(kind), name))
		return;
	gen_parents(g, kind);
	if (is_object(f))
		extra = make_object(g, f);
	qp = gen_qp_by(g, kind, true);
	prog_num(g->p, F_comp_mask,
		 o->comp_bits | (kind == QK_XRC_RECV ? IBV_QP_INIT_ATTR_XRCD
						     : IBV_QP_INIT_ATTR_PD));
	if (extra == NO_OBJ) {
		prog_num(g->p, f, wrong_value(f));
	} else {
		prog_obj(g->p, f, extra);
		gen_call(g, closing(f), extra);
	}
	gen_created(g, kind, qp, true);
}

void gen_create_unmasked(struct gen *g, enum qp_kind kind)
{
	static const struct others alone = {"alone", 0},
				   flags = {"with-flags",
					    IBV_QP_INIT_ATTR_CREATE_FLAGS},
				   ops = {"with-ops",
					  IBV_QP_INIT_ATTR_SEND_OPS_FLAGS};
	size_t n;
	const struct create_member *m = create_members(&n);

	for (size_t i = 0; i < n; i++) {
		member(g, kind, m[i].field, &alone);
		if (m[i].field != F_create_flags)
			member(g, kind, m[i].field, &flags);
		else if (kind_has_send(kind))
			member(g, kind, m[i].field, &ops);
	}
}
