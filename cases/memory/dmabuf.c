// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Regions of dma-bufs: which parts, IOVAs, flags and descriptors are granted,
 * and the bytes of requests that name them.
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
}
