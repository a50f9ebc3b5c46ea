// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The model's answer to mlx5dv_create_cq: the checks of ibv_create_cq_ex, and
 * checks of struct mlx5dv_cq_init_attr.
 */
#include <infiniband/mlx5dv.h>
#include "model/create.h"
#include "vendor-mlx5/mlx5.h"

#define SHORT_ENTRY 64u
#define LONG_ENTRY  128u
#define COMP_MASK                                                              \
	(MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE |                             \
	 MLX5DV_CQ_INIT_ATTR_MASK_FLAGS | MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE)

/* The arguments that are read, and whether others hold values. */
struct named {
	struct mlx5_cq_args is;
	bool compresses, sized, unsaid;
};

/* A seeded fault reads a member that comp_mask does not name. */
static bool reads(const struct step *s, uint64_t bit, enum field member)
{
	return s->b->in.cq.vendor.mlx5.comp_mask & bit ||
	       mutant_checks_unmasked(s->mutant, member);
}

static struct named named_args(const struct step *s)
{
	const struct mlx5_cq_args *in = &s->b->in.cq.vendor.mlx5;
	struct named n = {.is = {.comp_mask = in->comp_mask}};

	n.compresses = reads(s, MLX5DV_CQ_INIT_ATTR_MASK_COMPRESSED_CQE,
			     F_dv_cq_format);
	n.sized = reads(s, MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, F_dv_cq_size);
	if (n.compresses)
		n.is.format = in->format;
	if (n.sized)
		n.is.cqe_size = in->cqe_size;
	if (reads(s, MLX5DV_CQ_INIT_ATTR_MASK_FLAGS, F_dv_cq_flags))
		n.is.flags = in->flags;
	n.unsaid = (in->format && !n.compresses) ||
		   (in->cqe_size && !n.sized) || in->flags != n.is.flags;
	return n;
}

static bool has_one_bit(uint64_t bits)
{
	return bits && !(bits & (bits - 1));
}

/* Returns the row of a response format, with entries of the usual size. */
static enum row format_row(const struct step *s, uint8_t format)
{
	uint64_t claimed = s->d->limit[LIM_mlx5_cqe_comp_formats];

	if (!s->d->limit[LIM_mlx5_cqe_comp_max_num] || !(format & claimed))
		return ROW_MLX5_CQ_FORMAT_CLAIM;
	if (has_one_bit(format))
		return ROW_MLX5_CQ_FORMAT;
	return format & ~claimed ? ROW_MLX5_CQ_FORMAT_MIXED
				 : ROW_MLX5_CQ_FORMATS;
}

static void check_compression(struct step *s, struct faults *f,
			      const struct named *n)
{
	enum row row = format_row(s, n->is.format);
	bool lacks = n->is.cqe_size == LONG_ENTRY &&
		     !claim_holds(CLAIM_MLX5_COMPRESS_128, s->d);

	if (row != ROW_MLX5_CQ_FORMAT || !lacks)
		add_fault(s, f, row);
	if (row != ROW_MLX5_CQ_FORMAT_CLAIM && lacks)
		add_fault(s, f, ROW_MLX5_CQ_FORMAT_128);
	if (row == ROW_MLX5_CQ_FORMAT && mutant_skips(s->mutant, row))
		add_fault(s, f, ROW_MLX5_CQ_FORMAT_MIXED);
}

static void check_padding(struct step *s, struct faults *f,
			  const struct named *n)
{
	enum row row = ROW_MLX5_CQ_PAD;

	if (!claim_holds(CLAIM_MLX5_PAD, s->d))
		row = ROW_MLX5_CQ_PAD_CLAIM;
	else if (!n->sized)
		row = ROW_MLX5_CQ_PAD_UNSIZED;
	else if (n->is.cqe_size != LONG_ENTRY)
		row = ROW_MLX5_CQ_PAD_SHORT;
	add_fault(s, f, row);
	if (row == ROW_MLX5_CQ_PAD && mutant_skips(s->mutant, row))
		add_fault(s, f, ROW_MLX5_CQ_PAD_CLAIM);
}

static void check_size_of_entries(struct step *s, struct faults *f,
				  uint16_t size)
{
	bool known = size == SHORT_ENTRY || size == LONG_ENTRY;

	add_fault(s, f, known ? ROW_MLX5_CQ_SIZED : ROW_MLX5_CQ_SIZE);
	if (size == LONG_ENTRY && mutant_skips(s->mutant, ROW_MLX5_CQ_SIZED))
		add_fault(s, f, ROW_MLX5_CQ_SIZE);
}

static void check_vendor(struct step *s, struct faults *f,
			 const struct named *n)
{
	if (n->is.comp_mask & ~(uint64_t)COMP_MASK)
		add_fault(s, f, ROW_MLX5_CQ_MASK);
	if (n->sized)
		check_size_of_entries(s, f, n->is.cqe_size);
	if (n->compresses)
		check_compression(s, f, n);
	if (n->is.flags & ~(uint32_t)MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD)
		add_fault(s, f, ROW_MLX5_CQ_FLAGS);
	if (n->is.flags & MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD)
		check_padding(s, f, n);
	if (n->unsaid)
		add_fault(s, f, ROW_MLX5_CQ_UNSAID);
}

void do_mlx5dv_create_cq(struct step *s)
{
	struct named n = named_args(s);
	struct faults f = {0};
	struct object *o;

	if (!claim_holds(CLAIM_DV, s->d))
		add_fault(s, &f, ROW_DV_DEVICE);
	create_check_cq(s, &f, ROW_MLX5_CQ_ACCEPT);
	check_vendor(s, &f, &n);
	o = create_make_cq(s, &f, ROW_MLX5_CQ_ACCEPT);
	if (!o)
		return;
	o->cq.vendor.mlx5 = (struct mlx5_cq_state){
		.is_own = true,
		.entry = n.is.cqe_size,
		.compresses = n.compresses,
		.pads = n.is.flags & MLX5DV_CQ_INIT_ATTR_FLAGS_CQE_PAD,
	};
	record_row(s, ROW_MLX5_CQ_VERBS);
}

/* Seeded fault: a receive has the immediate data of the receive before it. */
static void repeat_imm(struct mlx5_cq_state *cq, struct polled_wc *wc)
{
	uint32_t imm = wc->imm_data;

	if (cq->has_imm)
		wc->imm_data = cq->last_imm;
	cq->last_imm = imm;
	cq->has_imm = true;
}

void mlx5_break_completion(struct step *s, const struct model_wr *w,
			   struct polled_wc *wc)
{
	struct mlx5_cq_state *cq = &s->m->object[s->b->on].cq.vendor.mlx5;
	const struct mutant *m = s->m->mutant;

	if (cq->entry == LONG_ENTRY)
		record_row(s, ROW_MLX5_CQ_LONG);
	if (cq->compresses)
		record_row(s, ROW_MLX5_CQ_COMPRESSED);
	if (cq->pads)
		record_row(s, ROW_MLX5_CQ_PADDED);
	if (wc->status != IBV_WC_SUCCESS || !w->recv)
		return;
	if (cq->entry == LONG_ENTRY && mutant_skips(m, ROW_MLX5_CQ_LONG))
		wc->byte_len %= 64;
	if (cq->compresses && w->imm && mutant_skips(m, ROW_MLX5_CQ_COMPRESSED))
		repeat_imm(cq, wc);
	if (cq->is_own && s->b->verb != V_poll_cq &&
	    mutant_skips(m, ROW_MLX5_CQ_VERBS))
		wc->byte_len = 0; /* as if wc_flags were 0 */
	if (cq->pads && mutant_skips(m, ROW_MLX5_CQ_PADDED))
		wc->imm_data = 0;
}
