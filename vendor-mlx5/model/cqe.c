// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The completion queue entry that was polled last, as the model knows it: its
 * opcode, and which row decides whether it holds the data.
 */
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include "model/vendor.h"
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/model/create_bits.h"

#define SHORT_ENTRY 64u
#define LONG_ENTRY  128u

/* The length of a completion without data of its own: too long for any entry.
 */
#define NOT_ITS_OWN UINT32_MAX

uint32_t mlx5_create_flags(const struct qp_init_args *init)
{
	if (!(init->vendor.mlx5.comp_mask &
	      MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS))
		return 0;
	return init->vendor.mlx5.create_flags;
}

bool mlx5_loses_read(const struct model *m, const struct model_wr *w)
{
	const struct qp_init_args *init = &m->object[w->owner].qp.init;

	return mutant_has_quirk(m->mutant, QUIRK_SCATTER_LOST) &&
	       mlx5_create_flags(init) &
		       MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE &&
	       !init->sq_sig_all && !w->signaled && w->length <= 32;
}

/* Returns true if a queue pair was made with send operations, so that a DCI
 * posts in batches only. */
static bool posts_in_batches(const struct qp_init_args *init)
{
	return init->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS ||
	       init->vendor.mlx5.comp_mask &
		       MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS;
}

static enum row row_of(const struct model_qp *qp, bool recv)
{
	return mlx5_scatter_row((enum qp_kind)qp->kind, recv,
				mlx5_create_flags(&qp->init),
				qp->init.sq_sig_all,
				posts_in_batches(&qp->init));
}

/* Returns how many bytes arrived for a request or a receive, which go to the
 * places of its scatter list. */
static uint32_t length_of(const struct model_wr *w)
{
	if (w->recv)
		return w->wc_opcode == IBV_WC_RECV ? w->length : NOT_ITS_OWN;
	switch (w->opcode) {
	case IBV_WR_RDMA_READ:
		return w->length;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return 8;
	default:
		return NOT_ITS_OWN;
	}
}

static uint8_t opcode_of_success(const struct model_wr *w)
{
	if (!w->recv)
		return MLX5_CQE_REQ;
	if (w->wc_opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		return MLX5_CQE_RESP_WR_IMM;
	if (w->imm)
		return MLX5_CQE_RESP_SEND_IMM;
	return w->invalidated ? MLX5_CQE_RESP_SEND_INV : MLX5_CQE_RESP_SEND;
}

void mlx5_completed(struct step *s, const struct model_wr *w,
		    struct polled_wc *wc)
{
	uint32_t status = wc->status;
	struct model_cqe *entry = &s->m->object[s->b->on].cq.last_cqe;
	struct mlx5_cqe_state *cqe = &entry->vendor.mlx5;
	const struct object *owner = &s->m->object[w->owner];

	mlx5_note_told(s, w);
	mlx5_break_completion(s, w, wc);
	*entry = (struct model_cqe){
		.state = s->b->verb == V_poll_cq ? CQE_KNOWN : CQE_OPEN,
	};
	cqe->opcode = w->recv ? MLX5_CQE_RESP_ERR : MLX5_CQE_REQ_ERR;
	if (!owner->alive)
		entry->state = CQE_UNKNOWN;
	if (status != IBV_WC_SUCCESS || !owner->alive)
		return;
	cqe->opcode = opcode_of_success(w);
	cqe->row = (uint16_t)row_of(&owner->qp, w->recv);
	cqe->long_only = owner->qp.kind == QK_DCT;
	cqe->length = length_of(w);
}

static enum row row_in(const struct mlx5_cqe_state *cqe, uint32_t size)
{
	uint32_t room = size == LONG_ENTRY ? 64 : 32;
	enum row row = (enum row)cqe->row;

	if (row != ROW_SCATTER_DEFAULT && row != ROW_SCATTER_ALLOWED)
		return row;
	if (cqe->long_only && size != LONG_ENTRY)
		return ROW_SCATTER_TYPE;
	return cqe->length > room ? ROW_SCATTER_FITS : row;
}

static void define_scattered(struct step *s, const struct mlx5_cqe_state *cqe,
			     uint32_t size)
{
	uint64_t room = size == LONG_ENTRY ? 64 : 32;
	enum row row = row_in(cqe, size);
	const uint64_t either[2] = {room, 0};
	uint64_t scattered = 0;

	if (row == ROW_NONE)
		return;
	record_row(s, row);
	if (row == ROW_SCATTER_DEFAULT || row == ROW_SCATTER_ALLOWED)
		scattered = choose_value(s, row, either, 2,
					 answer_seen(s, F_cqe_scattered, room));
	else if (mutant_skips(s->mutant, row))
		scattered = room;
	answer_define(s, F_cqe_scattered, scattered, row);
}

/* Defines the bytes of an entry: as cqe_size asked for, or else what the device
 * has. Returns them. */
static uint64_t define_size(struct step *s, const struct model_cq *cq)
{
	uint64_t size = answer_seen(s, F_cqe_size, SHORT_ENTRY);
	uint64_t asked = cq->vendor.mlx5.entry;
	enum row row = ROW_CQE_SAYS;

	if (size != LONG_ENTRY)
		size = SHORT_ENTRY;
	if (asked) {
		row = cq->first_cqe ? ROW_MLX5_CQE_KEPT : ROW_MLX5_CQE_SIZE;
		size = mutant_skips(s->mutant, row) ? SHORT_ENTRY : asked;
	}
	record_row(s, row);
	answer_define(s, F_cqe_size, size, row);
	return size;
}

static void define_entry(struct step *s, const struct model_cq *cq)
{
	const struct mlx5_cqe_state *cqe = &cq->last_cqe.vendor.mlx5;
	uint64_t size = define_size(s, cq);
	uint64_t opcode = cqe->opcode;

	record_row(s, ROW_CQE_SAYS);
	if (mutant_skips(s->mutant, ROW_CQE_SAYS))
		opcode = MLX5_CQE_INVALID;
	answer_define(s, F_cqe_opcode, opcode, ROW_CQE_SAYS);
	define_scattered(s, cqe, (uint32_t)size);
}

/* Returns true if the call succeeds and the model knows the entry. */
static bool is_judged(struct step *s, const struct model_cqe *entry)
{
	enum row row =
		claim_holds(CLAIM_DV, s->d) ? ROW_CQE_NONE : ROW_DV_DEVICE;
	enum out effect;
	int err = 0;

	if (row == ROW_DV_DEVICE || entry->state == CQE_NONE)
		err = choose_for_row(s, row, &effect);
	else if (is_oracle(s) && entry->state != CQE_KNOWN)
		err = s->seen_error;
	if (err)
		answer_refuse(s, row, err);
	return !err && entry->state == CQE_KNOWN;
}

void do_mlx5_look_cqe(struct step *s)
{
	struct model_cq *cq = &s->m->object[s->b->on].cq;

	answer_accept(s, ROW_CQE_SAYS);
	if (is_judged(s, &cq->last_cqe))
		define_entry(s, cq);
	cq->shown |= !s->a->outcome.ret;
}
