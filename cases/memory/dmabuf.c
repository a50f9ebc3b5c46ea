// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Regions of dma-bufs: which parts, IOVAs, flags and descriptors are granted,
 * and the bytes of requests that name them, each part at each kind of IOVA.
 */
#include "contract/opcodes.h"
#include "cases/data/data.h"

#define PAGE 4096
#define ALL  (UINT64_C(2) * PAGE)
#define AT   UINT64_C(0x7654321000)

#define LOCAL IBV_ACCESS_LOCAL_WRITE

/* Makes a region of a dma-buf of two pages. */
static uint8_t region(struct gen *g, uint8_t pd, uint64_t offset,
		      uint64_t length, uint64_t iova, uint32_t access)
{
	uint8_t mr = gen_make(g, V_reg_dmabuf_mr, pd);

	prog_num(g->p, F_dmabuf_size, ALL);
	prog_num(g->p, F_dmabuf_offset, offset);
	prog_num(g->p, F_dmabuf_length, length);
	prog_num(g->p, F_dmabuf_iova, iova);
	prog_num(g->p, F_dmabuf_access, access);
	return mr;
}

struct variant {
	const char *name;
	enum row row;
	uint64_t offset, length, iova;
	uint32_t access, fd;
};

static void variant(struct gen *g, const struct variant *v)
{
	uint8_t pd, mr;

	if (!gen_id(g, "%s", v->name) ||
	    !gen_says_rule(g, v->row, gen_needs(g, CLAIM_DMABUF),
			   "ibv_reg_dmabuf_mr, %s", v->name))
		return;
	pd = gen_pd(g);
	mr = region(g, pd, v->offset, v->length, v->iova, v->access);
	if (v->fd)
		prog_num(g->p, F_dmabuf_fd, v->fd);
	gen_call(g, V_dealloc_pd, pd);
	if (row_accepts(v->row)) {
		gen_call(g, V_dereg_mr, mr);
		gen_call(g, V_dealloc_pd, pd);
	}
	gen_done(g);
}

/* clang-format off */
static const struct variant variants[] = {
	{"all", ROW_DMABUF_ACCEPT, 0, ALL, AT, LOCAL, 0},
	{"read-only", ROW_DMABUF_ACCEPT, 0, ALL, AT, 0, 0},
	{"iova-0", ROW_DMABUF_ACCEPT, 0, ALL, 0, LOCAL, 0},
	{"second-page", ROW_DMABUF_ACCEPT, PAGE, PAGE, AT, LOCAL, 0},
	{"part-of-page", ROW_DMABUF_ACCEPT, 64, 100, AT + 64, LOCAL, 0},
	{"over-pages", ROW_DMABUF_ACCEPT, 4000, 200, AT + 4000, LOCAL, 0},
	{"last-byte", ROW_DMABUF_ACCEPT, ALL - 1, 1, AT + PAGE - 1, LOCAL, 0},
	{"relaxed", ROW_DMABUF_ACCEPT, 0, ALL, AT,
		LOCAL | IBV_ACCESS_RELAXED_ORDERING, 0},
	{"page-offset-1", ROW_DMABUF_OFFSET, 0, PAGE, AT + 1, LOCAL, 0},
	{"page-offset-of-part", ROW_DMABUF_OFFSET, 64, 100, AT, LOCAL, 0},
	{"page-offset-last", ROW_DMABUF_OFFSET, 0, PAGE, AT + PAGE - 1, LOCAL,
		0},
	{"bind", ROW_DMABUF_ACCESS, 0, PAGE, AT, LOCAL | IBV_ACCESS_MW_BIND, 0},
	{"zero-based", ROW_DMABUF_ACCESS, 0, PAGE, 0,
		LOCAL | IBV_ACCESS_ZERO_BASED, 0},
	{"on-demand", ROW_DMABUF_ACCESS, 0, PAGE, AT,
		LOCAL | IBV_ACCESS_ON_DEMAND, 0},
	{"huge", ROW_DMABUF_ACCESS, 0, PAGE, AT, LOCAL | IBV_ACCESS_HUGETLB, 0},
	{"flag-bit15", ROW_DMABUF_ACCESS, 0, PAGE, AT, LOCAL | 1u << 15, 0},
	{"remote-without-local", ROW_MR_ACCESS, 0, PAGE, AT,
		IBV_ACCESS_REMOTE_WRITE, 0},
	{"atomic-without-local", ROW_MR_ACCESS, 0, PAGE, AT,
		IBV_ACCESS_REMOTE_ATOMIC, 0},
	{"longer", ROW_DMABUF_RANGE, 0, ALL + 1, AT, LOCAL, 0},
	{"page-longer", ROW_DMABUF_RANGE, PAGE, ALL, AT, LOCAL, 0},
	{"behind", ROW_DMABUF_RANGE, ALL, PAGE, AT, LOCAL, 0},
	{"wraps", ROW_DMABUF_RANGE, UINT64_MAX - PAGE + 1, PAGE, AT, LOCAL, 0},
	{"closed", ROW_DMABUF_FD, 0, PAGE, AT, LOCAL, DMABUF_FD_CLOSED},
	{"file", ROW_DMABUF_NO_BUF, 0, PAGE, AT, LOCAL, DMABUF_FD_FILE},
};
/* clang-format on */

#define MESSAGE 1000

static const struct length message = {"1000", NULL, MESSAGE};

/* A region of the middle of a dma-buf, over the end of a page. */
static uint8_t filled(const struct data *d, uint64_t iova, unsigned int pattern)
{
	struct gen *g = d->p.g;
	uint8_t mr = region(g, g->pd, PAGE - 512, MESSAGE + DATA_MARGIN,
			    iova + PAGE - 512, LOCAL | gen_remote_access(g));

	prog_num(g->p, F_dmabuf_size, 4 * PAGE);
	data_fill(d, mr, pattern);
	return mr;
}

/* The part of a dma-buf of four pages that a region has, and its IOVA. */
static const struct part_of_buf {
	const char *name;
	uint64_t offset, length, iova;
} parts_of_buf[] = {
	{"iova-0", PAGE, PAGE, 0},
	{"iova-0-later", UINT64_C(2) * PAGE, PAGE, 0},
	{"iova-0-to-end", UINT64_C(2) * PAGE, ALL, 0},
	{"iova-0-begin", 0, PAGE, 0},
	{"iova-low-odd", PAGE + 513, PAGE, 513},
	{"iova-as-offset", PAGE, PAGE, PAGE},
	{"page", PAGE, PAGE, AT},
	{"odd", PAGE + 513, PAGE, AT + 513},
	{"begin", 0, PAGE, AT},
	{"high", PAGE, PAGE, UINT64_C(0xffffffff00000000)},
};
#define IOVA_0 3 /* of them, at IOVA 0 with an offset */

static uint8_t filled_part(const struct data *d, const struct part_of_buf *part,
			   unsigned int pattern)
{
	struct gen *g = d->p.g;
	uint8_t mr = region(g, g->pd, part->offset, part->length, part->iova,
			    LOCAL | gen_remote_access(g));

	prog_num(g->p, F_dmabuf_size, UINT64_C(4) * PAGE);
	data_fill(d, mr, pattern);
	return mr;
}

/* Makes a stage whose source or target is a part of a dma-buf. */
static struct data part_stage(struct gen *g, enum qp_kind kind,
			      const struct part_of_buf *part, bool into)
{
	static const struct length page = {"", NULL, PAGE};
	struct data d = data_stage(g, kind, &page);

	if (into)
		d.into = filled_part(&d, part, 4);
	else
		d.from = filled_part(&d, part, 3);
	return d;
}

static bool opens_part(struct gen *g, enum qp_kind kind,
		       const struct opcode *op, enum row row, bool into,
		       const struct part_of_buf *part, const char *more)
{
	return gen_id(g, "%s/%s-%s%s", op->slug, into ? "into" : "from",
		      part->name, more) &&
	       post_op_says_with(g, kind, op, CLAIM_DMABUF, row);
}

/* The source or the target of an operation is a part of a dma-buf: a message at
 * the usual place, and one that ends where the part ends. */
static void part_bytes(struct gen *g, enum qp_kind kind,
		       const struct opcode *op, const struct part_of_buf *part,
		       bool into)
{
	uint64_t last = part->length - (op->atomic ? 8 : MESSAGE);
	uint64_t last_recv = kind == QK_UD ? last - DATA_GRH : last;
	struct data d;

	if (!opens_part(g, kind, op, ROW_DATA_DMABUF, into, part, ""))
		return;
	d = part_stage(g, kind, part, into);
	data_pair(&d);
	data_carry_one(&d, op, 1, &message);
	data_look_all(&d);
	data_carry_at(&d, op, 2, &message, last, last_recv);
	data_look_at(&d, d.into, last, 0);
	data_look(&d, d.from);
	gen_done(g);
}

/* A request past either end of a part. The bytes would be in the dma-buf. */
static void outside_part(struct gen *g, const struct opcode *op, bool before)
{
	const struct part_of_buf *part = &parts_of_buf[0];
	bool into = !opcode_fetches(op);
	struct data d;

	if (!opens_part(g, QK_RC, op, ROW_REMOTE_RANGE, into, part,
			before ? "-before" : "-past"))
		return;
	d = part_stage(g, QK_RC, part, into);
	data_pair(&d);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_remote_offset,
		 before ? (uint64_t)-500 : part->length - 500);
	data_wait_or_fail(&d);
	data_look_all(&d);
	gen_done(g);
}

/* Returns true if a part is the end of an operation whose bytes a program sees
 * in the quick profile: the memory of messages, and that of the responder. */
static bool is_usual_end(const struct opcode *op, bool into)
{
	return !op->access || opcode_fetches(op) != into;
}

static void parts_of(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	size_t n = kind == QK_RC || gen_full(g) ? COUNT(parts_of_buf) : IOVA_0;

	for (size_t i = 0; i < n; i++)
		for (int into = 0; into < 2; into++) {
			/* an atomic operation has eight aligned bytes */
			if (op->atomic && (into || parts_of_buf[i].offset % 8))
				continue;
			if (gen_full(g) || is_usual_end(op, into))
				part_bytes(g, kind, op, &parts_of_buf[i], into);
		}
}

/* Both ends of an operation are dma-bufs. */
static void bytes(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	struct data d;

	if (!gen_id(g, "%s", op->slug) ||
	    !post_op_says_with(g, kind, op, CLAIM_DMABUF, ROW_DATA_DMABUF))
		return;
	d = data_stage(g, kind, &message);
	if (!op->atomic)
		d.from = filled(&d, AT, 3);
	d.into = filled(&d, AT + 4 * PAGE, 4);
	data_carry(&d, op, &message);
}

void gen_memory_dmabuf(struct gen *g)
{
	gen_prefix(g, "dmabuf/");
	for (size_t i = 0; i < COUNT(variants); i++)
		variant(g, &variants[i]);
}

/* Immediate data change nothing about the memory. */
static void parts(struct gen *g, enum qp_kind kind)
{
	static const enum ibv_wr_opcode outside[] = {IBV_WR_RDMA_WRITE,
						     IBV_WR_RDMA_READ};
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++)
		if (post_has(kind, &op[i]) && !op[i].by_value &&
		    !op[i].places && !op[i].imm &&
		    (kind != QK_UC || op[i].receive))
			parts_of(g, kind, &op[i]);
	for (size_t i = 0; kind == QK_RC && i < COUNT(outside); i++) {
		outside_part(g, opcode_of(outside[i]), false);
		outside_part(g, opcode_of(outside[i]), true);
	}
}

void gen_memory_dmabuf_bytes(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (kind != QK_RC && kind != QK_UC && kind != QK_UD)
		return;
	gen_prefix(g, "dmabuf/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++)
		if (post_has(kind, &op[i]) && !op[i].by_value &&
		    !op[i].places && (kind != QK_UC || op[i].receive))
			bytes(g, kind, &op[i]);
	parts(g, kind);
}
