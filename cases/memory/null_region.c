/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Null regions: bytes written to them are discarded, bytes read from them are
 * zeros, and they give no remote access. For each operation, and more lengths,
 * offsets and elements for some.
 */
#include "contract/opcodes.h"
#include "cases/data/data.h"

static const struct length message = {"1000", NULL, 1000};

static bool null_case(struct gen *g, enum qp_kind kind, enum row row,
		      const char *name)
{
	return post_case_with(g, kind, IBV_QPS_RTS, CLAIM_NULL_MR, row, name,
			      "%s", name);
}

static uint8_t null_region(struct gen *g)
{
	return gen_make(g, V_alloc_null_mr, g->pd);
}

static void freed(struct gen *g)
{
	uint8_t pd, mr;

	if (!gen_id(g, "alloc") ||
	    !gen_says_rule(g, ROW_OBJ_ACCEPT, gen_needs(g, CLAIM_NULL_MR),
			   "alloc_null_mr"))
		return;
	pd = gen_pd(g);
	mr = gen_make(g, V_alloc_null_mr, pd);
	gen_call(g, V_dereg_mr, mr);
	gen_call(g, V_dealloc_pd, pd);
	gen_done(g);
}

/* Zeros are sent from any offset. */
static void read_from(struct gen *g, enum qp_kind kind, uint32_t opcode,
		      const char *name, uint64_t offset)
{
	const struct opcode *op = opcode_of(opcode);
	struct data d;
	uint8_t from;

	if (!post_has(kind, op) ||
	    !null_case(g, kind, ROW_DATA_NULL_READ, name))
		return;
	d = data_stage(g, kind, &message);
	from = d.from;
	d.from = null_region(g);
	data_pair(&d);
	if (op->receive)
		data_recv(&d, 200, &message);
	data_send(&d, op, 1, &message);
	prog_num(g->p, F_send_offset, offset);
	d.from = from;
	data_wait(&d, op);
	data_look_into(&d, d.into);
	gen_done(g);
}

/* Bytes are discarded: what is sent from there afterwards are zeros. */
static void written_to(struct gen *g, enum qp_kind kind, uint32_t opcode,
		       const char *name)
{
	const struct opcode *op = opcode_of(opcode);
	uint8_t into, null;
	struct data d;

	if (!post_has(kind, op) ||
	    !null_case(g, kind, ROW_DATA_NULL_WRITE, name))
		return;
	d = data_stage(g, kind, &message);
	into = d.into;
	d.into = null = null_region(g);
	data_pair(&d);
	if (op->receive)
		data_recv(&d, 200, &message);
	data_send(&d, op, 1, &message);
	post_poll(&d.p, op->receive ? 2 : 1);
	data_look(&d, d.from);
	d.into = into;
	data_recv(&d, 201, &message);
	data_send(&d, opcode_of(IBV_WR_SEND), 2, &message);
	prog_obj(g->p, F_send_mr, null);
	post_poll(&d.p, 2);
	data_look_into(&d, d.into);
	gen_done(g);
}

/* The fields of the elements of a request, or of a receive. */
static const struct elements_fields {
	enum field num, length, stride, part, part_mr, part_length;
} sent = {F_send_num_sge, F_send_length,  F_send_stride,
	  F_send_part,	  F_send_part_mr, F_send_part_length},
  received = {F_recv_num_sge, F_recv_length,  F_recv_stride,
	      F_recv_part,    F_recv_part_mr, F_recv_part_length};

static void put_three(struct program *p, const struct elements_fields *f,
		      uint32_t length, uint64_t stride)
{
	prog_num(p, f->num, 3);
	prog_num(p, f->length, length);
	prog_num(p, f->stride, stride);
}

/* Takes the second element from a null region. */
static void put_null(struct program *p, const struct elements_fields *f,
		     uint8_t null)
{
	prog_num(p, f->part, 2);
	prog_obj(p, f->part_mr, null);
}

/* Three elements: `length` bytes, six of the null region, and as many as the
 * first one. */
static void put_six(struct program *p, const struct elements_fields *f,
		    uint8_t null, uint32_t length)
{
	put_three(p, f, length, 133);
	put_null(p, f, null);
	prog_num(p, f->part_length, 6);
}

/* One element of a message is discarded, or is zeros. */
static void in_the_middle(struct gen *g, bool recv)
{
	struct data d;
	uint8_t null;

	if (!null_case(g, QK_RC,
		       recv ? ROW_DATA_NULL_WRITE : ROW_DATA_NULL_READ,
		       recv ? "element-received" : "element-sent"))
		return;
	d = data_stage(g, QK_RC, &message);
	null = null_region(g);
	data_pair(&d);
	data_recv(&d, 200, &message);
	if (recv) {
		put_three(g->p, &received, 100, 133);
		put_null(g->p, &received, null);
	}
	data_send(&d, opcode_of(IBV_WR_SEND), 1, &message);
	put_three(g->p, &sent, 100, 120);
	if (!recv)
		put_null(g->p, &sent, null);
	data_wait(&d, opcode_of(IBV_WR_SEND));
	data_look_all(&d);
	gen_done(g);
}

/* A request whose second element is of a null region, which begins at byte
 * `length` of the message. */
static void element_posted(struct gen *g, enum qp_kind kind, uint32_t opcode,
			   uint32_t length)
{
	const struct opcode *op = opcode_of(opcode);
	struct data d;
	uint8_t null;

	if (!post_case_with(g, kind, IBV_QPS_RTS, CLAIM_NULL_MR,
			    opcode_fetches(op) ? ROW_DATA_NULL_WRITE
					       : ROW_DATA_NULL_READ,
			    op->slug, "element/%s/%s/%u", qp_kind_slug(kind),
			    op->slug, length))
		return;
	d = data_stage(g, kind, &message);
	null = null_region(g);
	data_pair(&d);
	if (op->receive)
		data_recv(&d, 200, &message);
	data_send(&d, op, 1, &message);
	put_six(g->p, &sent, null, length);
	data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

/* The same for a receive. */
static void element_received(struct gen *g, uint32_t length)
{
	const struct length bytes = {"", NULL, 2 * length + 6};
	const struct opcode *op = opcode_of(IBV_WR_SEND);
	struct data d;
	uint8_t null;

	if (!post_case_with(g, QK_RC, IBV_QPS_RTS, CLAIM_NULL_MR,
			    ROW_DATA_NULL_WRITE, "A receive",
			    "element/rc/receive/%u", length))
		return;
	d = data_stage(g, QK_RC, &message);
	null = null_region(g);
	data_pair(&d);
	data_recv(&d, 200, &message);
	put_six(g->p, &received, null, length);
	data_send(&d, op, 1, &bytes);
	data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

/* Null elements that begin at offsets of a message which are no multiple of
 * four. */
static void unaligned_elements(struct gen *g)
{
	for (uint32_t length = 97; length < 100; length++) {
		element_posted(g, QK_RC, IBV_WR_SEND, length);
		element_posted(g, QK_RC, IBV_WR_RDMA_WRITE, length);
		element_posted(g, QK_RC, IBV_WR_RDMA_READ, length);
		element_received(g, length);
	}
	element_posted(g, QK_UD, IBV_WR_SEND, 7);
}

/* More than a page of zeros. */
static void read_long(struct gen *g)
{
	static const struct length longer = {"9000", NULL, 9000};
	const struct opcode *op = opcode_of(IBV_WR_RDMA_WRITE);
	uint8_t null;
	struct data d;

	if (!null_case(g, QK_RC, ROW_DATA_NULL_READ, "long"))
		return;
	d = data_stage(g, QK_RC, &longer);
	null = null_region(g);
	data_pair(&d);
	data_send(&d, op, 1, &longer);
	prog_obj(g->p, F_send_mr, null);
	data_wait(&d, op);
	data_look_into(&d, d.into);
	gen_done(g);
}

/* A null region is of one domain, as others are. */
static void of_another_domain(struct gen *g)
{
	uint8_t null;
	struct data d;

	if (!null_case(g, QK_RC, ROW_LOCAL_PD, "other-domain"))
		return;
	d = data_stage(g, QK_RC, &message);
	null = gen_make(g, V_alloc_null_mr, gen_pd(g));
	data_pair(&d);
	data_send(&d, opcode_of(IBV_WR_RDMA_WRITE), 1, &message);
	prog_obj(g->p, F_send_mr, null);
	data_wait_or_fail(&d);
	data_look_into(&d, d.into);
	gen_done(g);
}

/* The null region is the memory of a request, of a receive, or at the other
 * end. */
enum end { LOCAL, RECEIVE, REMOTE, ENDS };

static bool has_end(enum qp_kind kind, const struct opcode *op, enum end end)
{
	if (!post_has(kind, op) || op->by_value || op->places || op->own)
		return false;
	if (end == RECEIVE)
		return op->receive && !op->access;
	return end == LOCAL || (op->access && post_reliable(kind));
}

static enum row row_of_end(const struct opcode *op, enum end end)
{
	if (end == REMOTE)
		return ROW_MR_NULL_REMOTE;
	return end == RECEIVE || opcode_fetches(op) ? ROW_DATA_NULL_WRITE
						    : ROW_DATA_NULL_READ;
}

/* Returns where the stage keeps the region of an end. */
static uint8_t *region_of_end(struct data *d, const struct opcode *op,
			      enum end end)
{
	bool fetches = opcode_fetches(op);

	if (end == RECEIVE)
		return &d->into;
	return fetches == (end == LOCAL) ? &d->into : &d->from;
}

/* Sends a message and looks at all memory. */
static void at_end(struct gen *g, enum qp_kind kind, const struct opcode *op,
		   enum end end)
{
	static const char *const names[ENDS] = {"local", "receive", "remote"};
	uint8_t *region, usual;
	struct data d;

	if (!has_end(kind, op, end) ||
	    !gen_id(g, "%s/%s/%s", names[end], qp_kind_slug(kind), op->slug) ||
	    !post_op_says_with(g, kind, op, CLAIM_NULL_MR, row_of_end(op, end)))
		return;
	d = data_stage(g, kind, &message);
	region = region_of_end(&d, op, end);
	usual = *region;
	data_pair(&d);
	*region = null_region(g);
	if (op->receive)
		data_recv(&d, 200, &message);
	data_send(&d, op, 1, &message);
	*region = usual;
	if (end == REMOTE)
		data_wait_or_fail(&d);
	else
		data_wait(&d, op);
	data_look_all(&d);
	gen_done(g);
}

static void at_each_end(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	for (size_t i = 0; i < n; i++)
		for (enum end end = 0; end < ENDS; end++)
			if (end == LOCAL || !g->wr)
				at_end(g, kind, &op[i], end);
}

static void changed(struct gen *g)
{
	uint8_t pd, mr;

	if (!gen_id(g, "rereg") ||
	    !gen_says_rule(g, ROW_REREG_INPUT,
			   gen_needs(g, CLAIM_NULL_MR, CLAIM_REREG),
			   "rereg_mr of a null region"))
		return;
	pd = gen_pd(g);
	mr = gen_make(g, V_alloc_null_mr, pd);
	gen_make(g, V_rereg_mr, mr);
	prog_num(g->p, F_rereg_flags, IBV_REREG_MR_CHANGE_ACCESS);
	gen_call(g, V_dereg_mr, mr);
	gen_done(g);
}

void gen_memory_null(struct gen *g)
{
	gen_prefix(g, "null-region/");
	freed(g);
	read_long(g);
	of_another_domain(g);
	read_from(g, QK_RC, IBV_WR_SEND, "sent", 0);
	read_from(g, QK_RC, IBV_WR_SEND, "sent-far", UINT64_C(1) << 40);
	read_from(g, QK_RC, IBV_WR_RDMA_WRITE, "written-from", 8);
	read_from(g, QK_UD, IBV_WR_SEND, "sent-ud", 0);
	written_to(g, QK_RC, IBV_WR_SEND, "received");
	written_to(g, QK_RC, IBV_WR_RDMA_READ, "read-into");
	written_to(g, QK_UD, IBV_WR_SEND, "received-ud");
	in_the_middle(g, false);
	in_the_middle(g, true);
	unaligned_elements(g);
	changed(g);
	post_each_kind(g, at_each_end);
	gen_prefix(g, "null-region/wr/");
	g->wr = true;
	post_each_kind(g, at_each_end);
	g->wr = false;
}
