/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions, memory windows, address handles, work queues, indirection
 * tables and parent domains.
 */
#include "contract/opcodes.h"
#include "cases/generate/generate.h"

static enum row flush_row(const struct gen *g, uint32_t access)
{
	uint32_t rights = ACCESS_FLUSH_GLOBAL | ACCESS_FLUSH_PERSISTENT;

	if (access & rights & ~device_rights(g->d))
		return ROW_MR_FLUSH;
	return access & ACCESS_FLUSH_PERSISTENT ? ROW_MR_PERSISTENT
						: ROW_OBJ_ACCEPT;
}

static enum row access_row(const struct gen *g, uint32_t access)
{
	uint32_t remote = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	if ((access & remote) && !(access & IBV_ACCESS_LOCAL_WRITE))
		return ROW_MR_ACCESS;
	if (access & ACCESS_UNDEFINED)
		return ROW_MR_ACCESS_UNKNOWN;
	if (access & IBV_ACCESS_ON_DEMAND &&
	    !(g->d->limit[LIM_odp_general_caps] & IBV_ODP_SUPPORT))
		return ROW_MR_ON_DEMAND;
	if (access & IBV_ACCESS_HUGETLB)
		return ROW_MR_HUGETLB;
	if (access & IBV_ACCESS_ZERO_BASED)
		return ROW_MR_ZERO_BASED;
	if (access & IBV_ACCESS_OPTIONAL_RANGE)
		return ROW_MR_OPTIONAL;
	return flush_row(g, access);
}

/* One set of access flags. */
static void mr_access(struct gen *g, uint32_t access)
{
	enum row row = access_row(g, access);
	struct mr_args args = {.access = access};
	char name[96];
	uint8_t pd, mr;

	field_print(F_mr_access, &args, g->p, name, sizeof(name));
	gen_plus(name);
	if (!gen_id(g, "access/%s", name) ||
	    !gen_says_rule(g, row, CLAIM_NONE, "reg_mr with access %s", name))
		return;
	pd = gen_pd(g);
	mr = gen_mr_of(g, pd, 4096, access);
	if (!row_accepts(row))
		mr = gen_mr(g, pd);
	gen_call(g, V_dealloc_pd, pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

static enum row length_row(uint64_t length)
{
	if (length > MR_MAPPED_MAX)
		return ROW_MR_UNMAPPED;
	return length ? ROW_OBJ_ACCEPT : ROW_MR_EMPTY;
}

static void mr_length(struct gen *g, uint64_t length)
{
	enum row row = length_row(length);
	uint8_t pd, mr;

	if (!gen_id(g, "length/%llu", (unsigned long long)length) ||
	    !gen_says(g, row, CLAIM_NONE,
		      row == ROW_OBJ_ACCEPT
			      ? "reg_mr of %llu bytes is granted."
			      : "reg_mr of %llu bytes is granted or refused.",
		      (unsigned long long)length))
		return;
	pd = gen_pd(g);
	mr = gen_mr_of(g, pd, length, IBV_ACCESS_LOCAL_WRITE);
	gen_call(g, V_dereg_mr, mr);
	gen_done(g);
}

static enum row mw_row(const struct gen *g, uint32_t type)
{
	uint64_t flags = IBV_DEVICE_MEM_WINDOW;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		return ROW_MW_TYPE;
	if (type == IBV_MW_TYPE_2)
		flags = IBV_DEVICE_MEM_WINDOW_TYPE_2A |
			IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	return device_flag(g->d, flags) ? ROW_OBJ_ACCEPT : ROW_MW_TYPE_CLAIM;
}

static void mw_type(struct gen *g, uint32_t type)
{
	enum row row = mw_row(g, type);
	uint8_t pd, mw;

	if (!gen_id(g, "type/%u", type) ||
	    !gen_says_rule(g, row, gen_needs(g, CLAIM_MW),
			   "alloc_mw of type %u", type))
		return;
	pd = gen_pd(g);
	mw = gen_mw(g, pd, type);
	if (row_accepts(row)) {
		gen_call(g, V_dealloc_pd, pd);
		gen_call(g, V_dealloc_mw, mw);
	}
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

static enum claim ah_claim(const struct gen *g)
{
	return gen_needs(g, CLAIM_VERBS_CONNECT,
			 g->global ? CLAIM_GID : CLAIM_NONE);
}

/* Opens a case and creates the address handle under test. Returns NO_OBJ if no
 * program is wanted. */
static uint8_t ah_case(struct gen *g, const char *name, enum row row)
{
	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, row, ah_claim(g), "Address handle (%s)", name))
		return NO_OBJ;
	g->pd = gen_pd(g);
	return gen_ah(g, g->pd);
}

/* Creates and destroys a valid address handle, and ends the case. */
static void ah_end(struct gen *g, uint8_t tried, enum row row)
{
	uint8_t ah = gen_ah(g, g->pd);

	gen_call(g, V_destroy_ah, ah);
	if (row_accepts(row))
		gen_call(g, V_destroy_ah, tried);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

static void ah_field(struct gen *g, const char *name, enum row row,
		     enum field f, uint64_t num)
{
	uint8_t ah = ah_case(g, name, row);

	if (ah == NO_OBJ)
		return;
	if (f == F_addr_sgid_index)
		prog_num(g->p, F_addr_is_global, 1);
	prog_num(g->p, f, num);
	ah_end(g, ah, row);
}

static void ah_symbol(struct gen *g, const char *name, enum row row,
		      enum field f, const char *symbol, int64_t plus)
{
	uint8_t ah = ah_case(g, name, row);

	if (ah == NO_OBJ)
		return;
	if (f == F_addr_sgid_index)
		prog_num(g->p, F_addr_is_global, 1);
	prog_sym(g->p, f, symbol, plus);
	ah_end(g, ah, row);
}

/* Returns the first index without a GID, or -1. */
static int64_t empty_gid(const struct gen *g)
{
	const struct port_info *port = device_port(g->d);

	if (port->ngids == DEVICE_MAX_GIDS)
		return -1;
	for (int index = 0; index < port->attr.gid_tbl_len && index < 256;
	     index++)
		if (!port_gid(port, (unsigned int)index))
			return index;
	return -1;
}

static void ah_sgids(struct gen *g)
{
	int64_t empty = empty_gid(g);

	if (device_port(g->d)->attr.gid_tbl_len < 256)
		ah_symbol(g, "sgid-past", ROW_AH_SGID, F_addr_sgid_index,
			  "gid_tbl_len", 0);
	if (empty >= 0)
		ah_field(g, "sgid-empty", ROW_AH_SGID, F_addr_sgid_index,
			 (uint64_t)empty);
	if (g->global)
		ah_field(g, "not-global", ROW_AH_GRH, F_addr_is_global, 0);
}

static void ah_unknown(struct gen *g)
{
	static const union ibv_gid far[] = {
		{.raw = {0x20, 0x01, 0x0d, 0xb8, [15] = 0x77}},
		{.raw = {[10] = 0xff, 0xff, 192, 0, 2, 77}}};
	const struct gid_entry *own = device_gid(g->d);
	uint8_t ah = ah_case(g, "unreachable", ROW_AH_UNREACHABLE);

	if (ah == NO_OBJ)
		return;
	prog_gid(g->p, F_addr_dgid, &far[own && gid_is_ipv4(&own->gid)]);
	ah_end(g, ah, ROW_AH_UNREACHABLE);
}

static void ahs(struct gen *g)
{
	gen_prefix(g, "ah/");
	ah_field(g, "traffic-class", ROW_OBJ_ACCEPT, F_addr_traffic_class, 32);
	ah_field(g, "flow-label", ROW_OBJ_ACCEPT, F_addr_flow_label, 0x12345);
	ah_field(g, "service-level", ROW_OBJ_ACCEPT, F_addr_sl, 3);
	ah_field(g, "port-0", ROW_AH_PORT, F_addr_port_num, 0);
	ah_symbol(g, "port-past", ROW_AH_PORT, F_addr_port_num, "ports", 1);
	ah_field(g, "port-255", ROW_AH_PORT, F_addr_port_num, 255);
	ah_sgids(g);
	if (g->global)
		ah_unknown(g);
}

static void mrs(struct gen *g)
{
	static const uint64_t lengths[] = {
		0, 1, 2, 4095, 4097, 65536, 1 << 20, MR_MAPPED_MAX + 1};
	static const uint32_t odd[] = {
		IBV_ACCESS_ON_DEMAND,
		IBV_ACCESS_HUGETLB,
		IBV_ACCESS_ZERO_BASED,
		1u << 10,
		1u << 19,
		1u << 30,
		1u << 31,
	};

	gen_prefix(g, "mr/");
	for (uint32_t access = 0; access < 16; access++)
		mr_access(g, access);
	for (uint32_t flush = 1; flush < 4; flush++)
		for (uint32_t local = 0; local < 2; local++)
			mr_access(g, flush << 8 | local);
	for (size_t i = 0; i < COUNT(odd); i++)
		mr_access(g, odd[i]);
	for (uint32_t bit = IBV_ACCESS_OPTIONAL_FIRST;
	     bit & IBV_ACCESS_OPTIONAL_RANGE; bit <<= 1)
		mr_access(g, bit | IBV_ACCESS_LOCAL_WRITE);
	mr_access(g, IBV_ACCESS_OPTIONAL_RANGE);
	for (size_t i = 0; i < COUNT(lengths); i++)
		mr_length(g, lengths[i]);
	gen_prefix(g, "mw/");
	for (uint32_t type = 0; type < 8; type++)
		mw_type(g, type);
	mw_type(g, 255);
	mw_type(g, 256 + IBV_MW_TYPE_1);
}

struct wq_size {
	const char *name;
	enum field field;
	enum limit limit;
	uint64_t num;
	int64_t plus;
	bool symbolic;
	enum row row;
};

static void wq_case(struct gen *g, const struct wq_size *s)
{
	uint8_t pd, cq, wq;

	if ((s->symbolic &&
	     !gen_affordable(g, s->limit,
			     g->d->limit[s->limit] + (uint64_t)s->plus)) ||
	    !gen_id(g, "%s", s->name) ||
	    !gen_says_rule(g, s->row, gen_needs(g, CLAIM_WQ), "Work queue (%s)",
			   s->name))
		return;
	pd = gen_pd(g);
	cq = gen_cq(g);
	wq = gen_wq(g, pd, cq);
	if (s->symbolic)
		prog_limit(g->p, s->field, s->limit, s->plus);
	else
		prog_num(g->p, s->field, s->num);
	if (!row_accepts(s->row))
		wq = gen_wq(g, pd, cq);
	gen_call(g, V_destroy_wq, wq);
	gen_call(g, V_destroy_cq, cq);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

#define WR  F_wq_max_wr, LIM_max_qp_wr
#define SGE F_wq_max_sge, LIM_max_sge

static void wqs(struct gen *g)
{
	static const struct wq_size list[] = {
		{"wr-1", WR, 1, 0, false, ROW_OBJ_ACCEPT},
		{"wr-3", WR, 3, 0, false, ROW_OBJ_ACCEPT},
		{"wr-limit", WR, 0, 0, true, ROW_OBJ_ACCEPT},
		{"wr-over", WR, 0, 1, true, ROW_WQ_RANGE},
		{"wr-ones", WR, 0xffffffff, 0, false, ROW_WQ_RANGE},
		{"wr-zero", WR, 0, 0, false, ROW_WQ_RANGE},
		{"sge-2", SGE, 2, 0, false, ROW_OBJ_ACCEPT},
		{"sge-limit", SGE, 0, 0, true, ROW_OBJ_ACCEPT},
		{"sge-over", SGE, 0, 1, true, ROW_WQ_RANGE},
		{"sge-ones", SGE, 0xffffffff, 0, false, ROW_WQ_RANGE},
		{"type-1", F_wq_type, 0, 1, 0, false, ROW_WQ_RANGE},
		{"type-255", F_wq_type, 0, 255, 0, false, ROW_WQ_RANGE},
		{"comp_mask-bit1", F_wq_comp_mask, 0, 2, 0, false,
		 ROW_WQ_RANGE},
		{"comp_mask-bit31", F_wq_comp_mask, 0, 1u << 31, 0, false,
		 ROW_WQ_RANGE},
	};

	gen_prefix(g, "wq/");
	for (size_t i = 0; i < COUNT(list); i++)
		wq_case(g, &list[i]);
}

static void ind_case(struct gen *g, const char *name, uint32_t log_size,
		     uint32_t comp_mask)
{
	uint64_t most = g->d->limit[LIM_max_rwq_indirection_table_size];
	bool fits =
		!comp_mask && log_size < 32 && UINT64_C(1) << log_size <= most;
	enum row row = fits ? ROW_OBJ_ACCEPT : ROW_IND_RANGE;
	uint8_t wq, ind;

	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, row, gen_needs(g, CLAIM_WQ, CLAIM_RSS),
			   "Indirection table (%s)", name))
		return;
	wq = gen_wq(g, gen_pd(g), gen_cq(g));
	ind = gen_ind(g, wq);
	prog_num(g->p, F_ind_log_size, log_size);
	if (comp_mask)
		prog_num(g->p, F_ind_comp_mask, comp_mask);
	if (!fits)
		ind = gen_ind(g, wq);
	gen_call(g, V_destroy_wq, wq);
	gen_call(g, V_destroy_rwq_ind_table, ind);
	gen_call(g, V_destroy_wq, wq);
	gen_done(g);
}

static void inds(struct gen *g)
{
	uint64_t most = g->d->limit[LIM_max_rwq_indirection_table_size];
	uint32_t log = 0;
	char name[24];

	gen_prefix(g, "ind/");
	while (most && log < 20 && UINT64_C(2) << log <= most)
		log++;
	for (uint32_t size = 0; size <= log + 2; size++) {
		snprintf(name, sizeof(name), "log-%u", size);
		ind_case(g, name, size, 0);
	}
	/* Larger tables would need a caller with as many pointers. */
	ind_case(g, "comp_mask-bit0", 0, 1);
	ind_case(g, "comp_mask-bit31", 0, 1u << 31);
}

#define PARENT_SHARED 2 /* bit ALLOW_CC_UNPROTECTED_ALLOC */

static enum row parent_row(int bit)
{
	if (bit < 0)
		return ROW_PARENT_OFFERED;
	return bit == PARENT_SHARED ? ROW_PARENT_SHARED : ROW_PARENT_FLAGS;
}

/* Bits 0 and 1 stand for members that the program language lacks. */
static void parent_domain(struct gen *g, int bit)
{
	enum row row = parent_row(bit);
	uint8_t pd, parent, mr;
	char name[16];

	snprintf(name, sizeof(name), "bit%d", bit);
	if (!gen_id(g, "%s", bit < 0 ? "plain" : name) ||
	    !gen_says_rule(g, row, CLAIM_NONE, "ibv_alloc_parent_domain"))
		return;
	pd = gen_pd(g);
	parent = gen_parent_domain(g, pd, NO_OBJ);
	if (bit >= 0) {
		prog_num(g->p, F_parent_comp_mask, 1u << bit);
	} else {
		mr = gen_mr(g, parent);
		gen_call(g, V_dealloc_pd, parent);
		gen_call(g, V_dereg_mr, mr);
		gen_call(g, V_dealloc_pd, parent);
	}
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

static void parent_domains(struct gen *g)
{
	gen_prefix(g, "parent-domain/");
	parent_domain(g, -1);
	for (int bit = 2; bit < 32; bit++)
		parent_domain(g, bit);
}

void gen_create_objects(struct gen *g)
{
	parent_domains(g);
	mrs(g);
	ahs(g);
	wqs(g);
	inds(g);
	gen_create_unmasked_objects(g);
}
