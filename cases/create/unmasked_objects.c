/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work queues, extended completion queues and extended SRQs with values in
 * members whose comp_mask bit is clear. The library does not read these
 * members: the object is granted, and keeps nothing that they name. unmasked.c
 * does the same for queue pairs.
 */
#include "cases/generate/generate.h"

struct number {
	const char *name;
	uint64_t value;
};

static void wq_flags(struct gen *g, const struct number *n)
{
	uint8_t wq;

	if (!gen_id(g, "unmasked/create_flags/%s", n->name) ||
	    !gen_says_rule(g, ROW_OBJ_ACCEPT, gen_needs(g, CLAIM_WQ),
			   "A work queue with create_flags that comp_mask does "
			   "not name (%s)",
			   n->name))
		return;
	wq = gen_wq(g, gen_pd(g), gen_cq(g));
	prog_num(g->p, F_wq_create_flags, n->value);
	gen_call(g, V_destroy_wq, wq);
	gen_done(g);
}

static void wqs(struct gen *g)
{
	static const struct number flags[] = {
		{"vlan", IBV_WQ_FLAGS_CVLAN_STRIPPING},
		{"fcs", IBV_WQ_FLAGS_SCATTER_FCS},
		{"delay-drop", IBV_WQ_FLAGS_DELAY_DROP},
		{"padding", IBV_WQ_FLAGS_PCI_WRITE_END_PADDING},
		{"bit4", IBV_WQ_FLAGS_RESERVED},
		{"bit31", 1u << 31},
		{"ones", UINT32_MAX},
	};

	gen_prefix(g, "wq/");
	for (size_t i = 0; i < COUNT(flags); i++)
		wq_flags(g, &flags[i]);
}

static bool cq_case(struct gen *g, enum row row, const char *member,
		    const char *value)
{
	return gen_id(g, "unmasked/%s/%s", member, value) &&
	       gen_says_rule(g, row, gen_needs(g, CLAIM_CQ_EX),
			     "ibv_create_cq_ex with a value in %s, which "
			     "comp_mask does not name",
			     member);
}

static uint8_t cq_ex(struct gen *g)
{
	uint8_t cq = gen_cq_by(g, V_create_cq_ex);

	prog_num(g->p, F_cqe, 16);
	return cq;
}

static void cq_flags(struct gen *g, const struct number *n)
{
	uint8_t cq;

	if (!cq_case(g, ROW_OBJ_ACCEPT, "flags", n->name))
		return;
	cq = cq_ex(g);
	prog_num(g->p, F_cq_flags, n->value);
	gen_call(g, V_start_poll, cq);
	gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

/* The queue does not keep the domain. */
static void cq_domain(struct gen *g, bool is_parent, bool with_flags)
{
	static const char *const names[2][2] = {{"plain", "plain-with-flags"},
						{"made", "made-with-flags"}};
	enum row row = is_parent ? ROW_PARENT_OFFERED : ROW_OBJ_ACCEPT;
	uint8_t pd, domain, cq;

	if (!cq_case(g, row, "parent_domain", names[is_parent][with_flags]))
		return;
	pd = domain = gen_pd(g);
	if (is_parent)
		domain = gen_parent_domain(g, pd, NO_OBJ);
	cq = cq_ex(g);
	prog_obj(g->p, F_cq_parent, domain);
	if (with_flags)
		prog_num(g->p, F_cq_comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS);
	gen_call(g, V_dealloc_pd, domain);
	if (is_parent)
		gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_start_poll, cq);
	gen_call(g, V_destroy_cq, cq);
	gen_done(g);
}

static void cqs(struct gen *g)
{
	static const struct number flags[] = {
		{"single-threaded", IBV_CREATE_CQ_ATTR_SINGLE_THREADED},
		{"ignore-overrun", IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN},
		{"bit2", 1u << 2},
		{"bit31", 1u << 31},
		{"ones", UINT32_MAX},
	};

	gen_prefix(g, "cq/ex/");
	for (size_t i = 0; i < COUNT(flags); i++)
		cq_flags(g, &flags[i]);
	for (int i = 0; i < 4; i++)
		cq_domain(g, i & 1, i & 2);
}

static bool srq_case(struct gen *g, const char *name, enum claim claim)
{
	return gen_id(g, "unmasked/%s", name) &&
	       gen_says_rule(g, ROW_SRQ_AT_LEAST,
			     gen_also(g, gen_needs(g, CLAIM_SRQ),
				      gen_needs(g, claim)),
			     "ibv_create_srq_ex with a value in a member that "
			     "comp_mask does not name (%s)",
			     name);
}

static uint8_t srq_ex(struct gen *g, uint8_t pd, uint32_t mask)
{
	uint8_t srq = gen_make(g, V_create_srq_ex, NO_OBJ);

	prog_num(g->p, F_srq_comp_mask, IBV_SRQ_INIT_ATTR_PD | mask);
	prog_obj(g->p, F_srq_pd, pd);
	prog_num(g->p, F_srq_max_wr, GEN_QUEUE_WR);
	prog_num(g->p, F_srq_max_sge, 1);
	return srq;
}

static void put_tags(struct gen *g)
{
	prog_num(g->p, F_srq_max_num_tags, UINT32_MAX);
	prog_num(g->p, F_srq_max_ops, UINT32_MAX);
}

static void end_srq(struct gen *g, uint8_t srq)
{
	gen_call(g, V_destroy_srq, srq);
	gen_done(g);
}

/* The SRQ is a basic one, whatever srq_type says. */
static void srq_type(struct gen *g, const struct number *type)
{
	char name[24];
	uint8_t srq;

	snprintf(name, sizeof(name), "srq_type/%s", type->name);
	if (!srq_case(g, name, CLAIM_NONE))
		return;
	srq = srq_ex(g, gen_pd(g), 0);
	prog_num(g->p, F_srq_type, type->value);
	end_srq(g, srq);
}

/* The SRQ keeps neither the completion queue nor the XRC domain. */
static void srq_parents(struct gen *g, const char *name, bool with_cq,
			bool with_xrcd)
{
	uint8_t pd, cq = NO_OBJ, xrcd = NO_OBJ, srq;

	if (!srq_case(g, name, with_xrcd ? CLAIM_XRC : CLAIM_NONE))
		return;
	pd = gen_pd(g);
	if (with_cq)
		cq = gen_cq(g);
	if (with_xrcd)
		xrcd = gen_xrcd(g);
	srq = srq_ex(g, pd, IBV_SRQ_INIT_ATTR_TYPE);
	prog_num(g->p, F_srq_type, IBV_SRQT_BASIC);
	if (with_cq)
		prog_obj(g->p, F_srq_cq, cq);
	if (with_xrcd)
		prog_obj(g->p, F_srq_xrcd, xrcd);
	if (!with_cq && !with_xrcd)
		put_tags(g);
	if (with_cq)
		gen_call(g, V_destroy_cq, cq);
	if (with_xrcd)
		gen_call(g, V_close_xrcd, xrcd);
	end_srq(g, srq);
}

static void srq_of_xrc(struct gen *g)
{
	uint8_t srq;

	if (!srq_case(g, "tm_cap/xrc", CLAIM_XRC))
		return;
	srq = gen_xrc_srq(g, gen_pd(g), gen_xrcd(g), gen_cq(g));
	put_tags(g);
	end_srq(g, srq);
}

static void srqs(struct gen *g)
{
	static const struct number types[] = {
		{"xrc", IBV_SRQT_XRC},
		{"tm", IBV_SRQT_TM},
		{"3", 3},
		{"ones", UINT32_MAX},
	};

	gen_prefix(g, "srq/create_ex/");
	for (size_t i = 0; i < COUNT(types); i++)
		srq_type(g, &types[i]);
	srq_parents(g, "cq", true, false);
	srq_parents(g, "xrcd", false, true);
	srq_parents(g, "cq+xrcd", true, true);
	srq_parents(g, "tm_cap/basic", false, false);
	srq_of_xrc(g);
}

void gen_create_unmasked_objects(struct gen *g)
{
	wqs(g);
	cqs(g);
	srqs(g);
}
