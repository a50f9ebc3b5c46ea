/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Regions at an IOVA other than their address, and regions whose memory begins
 * within a page: which are granted, and the bytes of requests that name them.
 * Messages are longer than a completion queue entry: a library that copies a
 * short message out of the entry would take the IOVA for an address
 * (mlx5dv_create_qp(3)).
 */
#include "contract/opcodes.h"
#include "cases/data/data.h"

#define LENGTH 4096 /* a page */
#define HIGH   UINT64_C(0xffffffff00000000)

/* What makes the addresses of a region: its IOVA, ZERO_BASED, or its memory. */
enum addressing { BY_IOVA, BY_FLAG, BY_MEMORY };

struct iova {
	const char *name;
	uint64_t value;
	enum addressing by;
	uint32_t page_offset; /* of its memory */
};

static const struct iova iovas[] = {
	{"high", HIGH, BY_IOVA, 0},
	{"zero", 0, BY_IOVA, 0},
	{"low", 0x10000, BY_IOVA, 0},
	{"middle", UINT64_C(0x123456789000), BY_IOVA, 0},
};
static const struct iova by_flag = {"zero-based", 0, BY_FLAG, 0};
static const struct iova within_page[] = {
	{"within-page", UINT64_C(0x123456789068), BY_IOVA, 0x68},
	{"within-page-zero-based", 0, BY_FLAG, 0x64},
	{"memory-within-page", 0, BY_MEMORY, 0xfff},
};

static void registered(struct gen *g, const char *name, enum row row,
		       uint64_t iova, uint32_t page_offset, uint32_t access)
{
	uint8_t mr;

	if (!gen_id(g, "%s", name) ||
	    !gen_says_rule(g, row, CLAIM_NONE, "reg_mr_iova, %s", name))
		return;
	g->pd = gen_pd(g);
	mr = gen_mr_iova(g, iova, LENGTH, access);
	if (page_offset)
		prog_num(g->p, F_mr_page_offset, page_offset);
	if (!row_accepts(row))
		mr = gen_mr(g, g->pd);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, g->pd);
	gen_done(g);
}

void gen_memory_iova(struct gen *g)
{
	uint32_t all = IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g);

	gen_prefix(g, "mr/iova/");
	for (size_t i = 0; i < COUNT(iovas); i++)
		registered(g, iovas[i].name, ROW_MR_IOVA, iovas[i].value, 0,
			   all);
	registered(g, "last", ROW_MR_IOVA, -(uint64_t)2 * LENGTH, 0, all);
	registered(g, "within-page", ROW_MR_IOVA, HIGH + 0xfff, 0xfff, all);
	registered(g, "zero-based", ROW_MR_ZERO_BASED, 0, 0,
		   all | IBV_ACCESS_ZERO_BASED);
	registered(g, "offset", ROW_MR_IOVA_OFFSET, 0x10001, 0, all);
	registered(g, "offset-of-zero", ROW_MR_IOVA_OFFSET, 8, 0, all);
	registered(g, "offset-of-memory", ROW_MR_IOVA_OFFSET, HIGH, 8, all);
	registered(g, "offsets", ROW_MR_IOVA_OFFSET, HIGH + 0x64, 0x65, all);
	registered(g, "wrapped", ROW_MR_IOVA_WRAP, -(uint64_t)LENGTH, 0, all);
	registered(g, "access", ROW_MR_ACCESS, HIGH, 0,
		   IBV_ACCESS_REMOTE_WRITE);
}

/* The regions that are at an IOVA: where the request reads from, where it
 * writes to, or both. */
enum moved { FROM = 1, INTO = 2, BOTH = 3 };
static const char *const moved_names[] = {"", "from", "into", "both"};

static const struct length message = {"1000", NULL, 1000};

static uint8_t region(struct gen *g, const struct iova *iova, uint64_t below,
		      uint64_t length)
{
	uint32_t access = IBV_ACCESS_LOCAL_WRITE | gen_remote_access(g);

	switch (iova->by) {
	case BY_FLAG:
		return gen_mr_of(g, g->pd, length,
				 access | IBV_ACCESS_ZERO_BASED);
	case BY_MEMORY:
		return gen_mr_of(g, g->pd, length, access);
	default:
		return gen_mr_iova(g, iova->value - below, length, access);
	}
}

static uint8_t filled_pages(const struct data *d, const struct iova *iova,
			    uint64_t below, uint64_t length,
			    unsigned int pattern)
{
	struct gen *g = d->p.g;
	uint8_t mr = region(g, iova, below, length);

	if (iova->page_offset)
		prog_num(g->p, F_mr_page_offset, iova->page_offset);
	data_fill(d, mr, pattern);
	return mr;
}

static uint8_t filled(const struct data *d, const struct iova *iova,
		      uint64_t below, unsigned int pattern)
{
	return filled_pages(d, iova, below, 1000 + DATA_MARGIN, pattern);
}

static struct data stage(struct gen *g, enum qp_kind kind, enum moved moved,
			 const struct iova *iova)
{
	struct data d = data_stage(g, kind, &message);

	if (moved & FROM)
		d.from = filled(&d, iova, 0, 3);
	if (moved & INTO)
		d.into = filled(&d, iova, iova->value ? 0x8000 : 0, 4);
	return d;
}

static enum row row_of(const struct iova *iova, enum qp_kind kind)
{
	switch (iova->by) {
	case BY_FLAG:
		return ROW_DATA_ZERO_BASED;
	case BY_MEMORY:
		return data_bytes_row(kind);
	default:
		return ROW_DATA_IOVA;
	}
}

static void bytes(struct gen *g, enum qp_kind kind, const struct opcode *op,
		  enum moved moved, const struct iova *iova)
{
	struct data d;

	if (!post_op_case(g, kind, op, row_of(iova, kind), "%s-%s",
			  moved_names[moved], iova->name))
		return;
	d = stage(g, kind, moved, iova);
	data_carry(&d, op, &message);
}

/* Messages in each of the three pages of a region whose memory begins within a
 * page, one of them across a border. */
static void later_pages(struct gen *g, enum qp_kind kind,
			const struct opcode *op, enum moved moved)
{
	const struct iova *iova = &within_page[0];
	static const struct length pages = {"", NULL, 3 * LENGTH};
	static const uint64_t at[] = {8, LENGTH - 500, LENGTH + 500,
				      2 * LENGTH + 1000};
	struct data d;

	if (!post_op_case(g, kind, op, row_of(iova, kind), "%s-pages-%s",
			  moved_names[moved], iova->name))
		return;
	d = data_stage(g, kind, &pages);
	if (moved == FROM)
		d.from = filled_pages(&d, iova, 0, 3 * LENGTH, 3);
	else
		d.into = filled_pages(&d, iova, 0x8000, 3 * LENGTH, 4);
	data_pair(&d);
	for (size_t i = 0; i < COUNT(at); i++)
		data_carry_at(&d, op, 1 + i, &message, at[i], at[i]);
	data_look_all(&d);
	gen_done(g);
}

/* A message whose bytes lie on both sides of a multiple of 4 GiB, or all behind
 * it. */
static void across_4_gib(struct gen *g, enum qp_kind kind,
			 const struct opcode *op, bool behind)
{
	static const struct iova at = {"4-GiB", UINT64_C(0x300000000) - LENGTH,
				       BY_IOVA, 0};
	uint64_t offset = behind ? LENGTH : LENGTH - 500;
	struct data d;

	if (!post_op_case(g, kind, op, ROW_DATA_IOVA, "both-%s%s", at.name,
			  behind ? "-behind" : ""))
		return;
	d = data_stage(g, kind, &message);
	d.from = filled(&d, &at, 0, 3);
	d.into = filled(&d, &at, 0x100000000, 4);
	data_pair(&d);
	data_carry_at(&d, op, 1, &message, offset, offset);
	data_look_all(&d);
	gen_done(g);
}

/* Elements in a region at an IOVA and in one at its address, by turns. */
static void mixed(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	struct data d;
	uint8_t plain;

	if (!post_op_case(g, kind, op, ROW_DATA_IOVA, "mixed"))
		return;
	d = data_stage(g, kind, &message);
	plain = d.from;
	d.from = filled(&d, &iovas[0], 0, 3);
	data_carry_mixed(&d, op, &message, plain);
}

/* Inline data have the addresses of memory, whatever the region's IOVA. */
static void copied(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	struct data d;

	if (!post_op_case(g, kind, op, ROW_DATA_INLINE, "inline"))
		return;
	d = stage(g, kind, FROM, &iovas[0]);
	d.inline_data = 64;
	data_pair(&d);
	data_recv(&d, 200, &message);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_flags, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	prog_num(g->p, F_send_length, 64);
	data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

/* A write past either end. At IOVA 0 the addresses before it are the last ones.
 */
static void outside(struct gen *g, enum qp_kind kind, const struct iova *iova,
		    bool before)
{
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE);
	uint64_t past = 1000 + DATA_MARGIN - 999;
	struct data d;

	if (!post_op_case(g, kind, op, ROW_REMOTE_RANGE, "%s-%s",
			  before ? "before" : "past", iova->name))
		return;
	d = stage(g, kind, INTO, iova);
	data_pair(&d);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_remote_offset, before ? (uint64_t)-500 : past);
	data_wait_or_fail(&d);
	data_look_all(&d);
	gen_done(g);
}

static void all_places(struct gen *g, enum qp_kind kind,
		       const struct opcode *op)
{
	bytes(g, kind, op, BOTH, &iovas[0]);
	if (op->value == IBV_WR_SEND || op->access) {
		bytes(g, kind, op, BOTH, &iovas[1]);
		across_4_gib(g, kind, op, false);
		across_4_gib(g, kind, op, true);
	}
	for (size_t i = 0; gen_full(g) && i < COUNT(iovas); i++)
		for (int moved = FROM; moved < BOTH; moved++)
			bytes(g, kind, op, (enum moved)moved, &iovas[i]);
	for (size_t i = 0; i < COUNT(within_page); i++) {
		bytes(g, kind, op, FROM, &within_page[i]);
		bytes(g, kind, op, INTO, &within_page[i]);
	}
	later_pages(g, kind, op, FROM);
	later_pages(g, kind, op, INTO);
}

/* The sender of an atomic operation gets 8 bytes, which may come with its
 * completion: only the other end is at an IOVA. */
static void atomics(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	bytes(g, kind, op, FROM, &iovas[0]);
	bytes(g, kind, op, FROM, &iovas[1]);
}

void gen_memory_iova_bytes(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (kind != QK_RC && kind != QK_UC && kind != QK_UD)
		return;
	gen_prefix(g, "iova/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++) {
		/* Nothing but a short message tells of a write of UC. */
		if (!post_has(kind, &op[i]) ||
		    (kind == QK_UC && !op[i].receive))
			continue;
		if (op[i].atomic) {
			atomics(g, kind, &op[i]);
			bytes(g, kind, &op[i], FROM, &by_flag);
			bytes(g, kind, &op[i], FROM, &within_page[0]);
		} else if (!op[i].by_value && !op[i].places) {
			all_places(g, kind, &op[i]);
			for (int moved = FROM; moved <= BOTH; moved++)
				bytes(g, kind, &op[i], (enum moved)moved,
				      &by_flag);
		}
	}
	mixed(g, kind);
	copied(g, kind);
	if (kind != QK_RC)
		return;
	outside(g, kind, &by_flag, false);
	outside(g, kind, &by_flag, true);
	for (size_t i = 0; i < COUNT(iovas); i++) {
		if (i > 1 && !gen_full(g))
			break;
		outside(g, kind, &iovas[i], false);
		outside(g, kind, &iovas[i], true);
	}
}
