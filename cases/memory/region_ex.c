// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_reg_mr_ex in the ways of the other verbs, and DMA handles.
 */
#include "contract/opcodes.h"
#include "cases/data/data.h"

#define PAGE  4096
#define AT    UINT64_C(0x7654321000)
#define LOCAL IBV_ACCESS_LOCAL_WRITE

static uint8_t region(struct gen *g, uint8_t pd, uint64_t mask, uint64_t length,
		      uint32_t access)
{
	uint8_t mr = gen_make(g, V_reg_mr_ex, pd);

	prog_num(g->p, F_ex_comp_mask, mask);
	prog_num(g->p, F_ex_length, length);
	prog_num(g->p, F_ex_access, access);
	if (mask & MR_ATTR_IOVA)
		prog_num(g->p, F_ex_iova, AT);
	return mr;
}

struct variant {
	const char *name;
	enum row row;
	uint64_t mask;
	uint32_t access;
};

static void variant(struct gen *g, const struct variant *v)
{
	uint8_t pd, mr;

	if (!gen_id(g, "%s", v->name) ||
	    !gen_says_rule(g, v->row, gen_needs(g, CLAIM_REG_MR_EX),
			   "ibv_reg_mr_ex, %s", v->name))
		return;
	pd = gen_pd(g);
	mr = region(g, pd, v->mask, PAGE, v->access);
	gen_call(g, V_dealloc_pd, pd);
	if (row_accepts(v->row)) {
		gen_call(g, V_dereg_mr, mr);
		gen_call(g, V_dealloc_pd, pd);
	}
	gen_done(g);
}

static const struct variant variants[] = {
	{"address", ROW_OBJ_ACCEPT, MR_ATTR_ADDR, LOCAL},
	{"read-only", ROW_OBJ_ACCEPT, MR_ATTR_ADDR, 0},
	{"iova", ROW_MR_IOVA, MR_ATTR_ADDR | MR_ATTR_IOVA, LOCAL},
	{"rights", ROW_MR_ACCESS, MR_ATTR_ADDR, IBV_ACCESS_REMOTE_WRITE},
	{"unknown-right", ROW_MR_ACCESS_UNKNOWN, MR_ATTR_ADDR, 1u << 15},
	{"nothing", ROW_MR_EX_SOURCE, 0, LOCAL},
	{"iova-alone", ROW_MR_EX_SOURCE, MR_ATTR_IOVA, LOCAL},
	{"both", ROW_MR_EX_SOURCE, MR_ATTR_ADDR | MR_ATTR_FD, LOCAL},
	{"closed", ROW_MR_EX_FD, MR_ATTR_FD | MR_ATTR_FD_OFFSET, LOCAL},
	{"bit6", ROW_MR_EX_MASK, MR_ATTR_ADDR | 1u << 6, LOCAL},
	{"bit63", ROW_MR_EX_MASK, MR_ATTR_ADDR | UINT64_C(1) << 63, LOCAL},
};

static uint8_t make_dmah(struct gen *g)
{
	uint8_t dmah = gen_make(g, V_alloc_dmah, NO_OBJ);

	prog_num(g->p, F_dmah_comp_mask, DMAH_ATTR_PH);
	return dmah;
}

static bool handle_case(struct gen *g, const char *id, enum row row)
{
	return gen_id(g, "%s", id) &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_NEW_ALLOC_DMAH),
			     "A DMA handle");
}

static void handles(struct gen *g)
{
	static const int bits[] = {3, 31};
	uint8_t dmah, pd, mr;

	if (handle_case(g, "handle/hint", ROW_DMAH_OFFERED)) {
		dmah = make_dmah(g);
		gen_call(g, V_dealloc_dmah, dmah);
		gen_done(g);
	}
	for (size_t i = 0; i < COUNT(bits); i++) {
		char id[32];

		snprintf(id, sizeof(id), "handle/bit%d", bits[i]);
		if (!handle_case(g, id, ROW_DMAH_MASK))
			continue;
		make_dmah(g);
		prog_num(g->p, F_dmah_comp_mask,
			 DMAH_ATTR_PH | UINT64_C(1) << bits[i]);
		gen_done(g);
	}
	if (!gen_id(g, "handle/used") ||
	    !gen_says_rule(g, ROW_DMAH_OFFERED,
			   gen_needs(g, CLAIM_NEW_ALLOC_DMAH, CLAIM_REG_MR_EX),
			   "A DMA handle that two regions use"))
		return;
	pd = gen_pd(g);
	dmah = make_dmah(g);
	for (int i = 0; i < 2; i++) {
		mr = region(g, pd, MR_ATTR_ADDR | MR_ATTR_DMAH, PAGE, LOCAL);
		prog_obj(g->p, F_ex_dmah, dmah);
		gen_call(g, V_dealloc_dmah, dmah);
		gen_call(g, V_dereg_mr, mr);
	}
	gen_call(g, V_dealloc_dmah, dmah);
	gen_done(g);
}

static const struct length message = {"1000", NULL, 1000};

static uint8_t filled(const struct data *d, uint64_t mask, uint8_t dmah,
		      unsigned int pattern)
{
	struct gen *g = d->p.g;
	uint8_t mr = region(g, g->pd, mask, 1000 + DATA_MARGIN,
			    LOCAL | gen_remote_access(g));

	if (dmah != NO_OBJ)
		prog_obj(g->p, F_ex_dmah, dmah);
	data_fill(d, mr, pattern);
	return mr;
}

/* A message from a region at its address to one at an IOVA, perhaps both with a
 * DMA handle. */
static void bytes(struct gen *g, enum qp_kind kind, bool handle)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	uint64_t more = handle ? MR_ATTR_DMAH : 0;
	uint8_t dmah = NO_OBJ;
	struct data d;

	if (!gen_id(g, "%s/%s", qp_kind_slug(kind),
		    handle ? "handle" : "bytes") ||
	    !post_op_says_with(g, kind, op,
			       gen_needs(g, CLAIM_REG_MR_EX,
					 handle ? CLAIM_NEW_ALLOC_DMAH
						: CLAIM_NONE),
			       handle ? ROW_DMAH_OFFERED : ROW_DATA_IOVA))
		return;
	d = data_stage(g, kind, &message);
	if (handle)
		dmah = make_dmah(g);
	d.from = filled(&d, MR_ATTR_ADDR | more, dmah, 3);
	d.into = filled(&d, MR_ATTR_ADDR | MR_ATTR_IOVA | more, dmah, 4);
	data_carry(&d, op, &message);
}

void gen_memory_region_ex(struct gen *g)
{
	gen_prefix(g, "reg-mr-ex/");
	for (size_t i = 0; i < COUNT(variants); i++)
		variant(g, &variants[i]);
	handles(g);
	for (int k = 0; k < QK_NR && !g->stop; k++) {
		enum qp_kind kind = (enum qp_kind)k;

		if (kind != QK_RC && kind != QK_UD)
			continue;
		bytes(g, kind, false);
		bytes(g, kind, true);
	}
}
