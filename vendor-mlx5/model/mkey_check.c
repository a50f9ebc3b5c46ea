// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * mlx5dv_mkey_check in the model. The device tells of a signature error in a
 * completion queue, so the check knows of the error once the program has polled
 * that queue.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/model/signature.h"

/* Notes that the program has polled what a completion queue told of errors up
 * to a request. */
static void note_told(struct model *m, uint16_t cq, uint32_t done)
{
	for (uint16_t mr = first_of(m, OBJ_MR); mr != NO_OBJ;
	     mr = next_of(m, OBJ_MR, mr)) {
		struct mlx5_mr_state *st = &m->object[mr].mr.vendor.mlx5;

		if (region_is_indirect(m, mr) && st->error && st->cq == cq &&
		    st->after < done)
			st->told = true;
	}
}

void mlx5_found_empty(struct step *s)
{
	if (claim_holds(CLAIM_MLX5_SIG, s->d))
		note_told(s->m, s->b->on, UINT32_MAX);
}

void mlx5_note_told(struct step *s, const struct model_wr *w)
{
	if (claim_holds(CLAIM_MLX5_SIG, s->d))
		note_told(s->m, s->b->on, w->done_order);
}

/* Returns true if the mkey's state of errors is unknown to an oracle. */
static bool is_vague(const struct step *s, const struct mlx5_mr_state *st)
{
	return is_oracle(s) && (st->doubt || (st->error && !st->told));
}

/* Defines the two values of a wrong tag, which may be in either order. */
static void define_tags(struct step *s, const struct mlx5_mr_state *st)
{
	const uint64_t values[2] = {st->actual, st->expected};
	uint64_t actual =
		choose_value(s, ROW_CHECK_TAG, values, 2,
			     answer_seen(s, F_mkey_err_actual, st->actual));

	answer_define(s, F_mkey_err_actual, actual, ROW_CHECK_TAG);
	answer_define(s, F_mkey_err_expected,
		      st->actual + st->expected - actual, ROW_CHECK_TAG);
}

static void define_error(struct step *s, const struct mlx5_mr_state *st)
{
	const uint64_t offsets[2] = {st->offset, st->data_offset};

	record_row(s, ROW_CHECK_ERROR);
	record_row(s, ROW_CHECK_FIRST);
	answer_define(s, F_mkey_err_type, st->error, ROW_CHECK_ERROR);
	answer_define(
		s, F_mkey_err_offset,
		choose_value(s, ROW_CHECK_OFFSET, offsets, 2,
			     answer_seen(s, F_mkey_err_offset, st->offset)),
		ROW_CHECK_OFFSET);
	if (st->error != MLX5DV_MKEY_SIG_BLOCK_BAD_GUARD) {
		define_tags(s, st);
		return;
	}
	record_row(s, ROW_CHECK_GUARD);
	answer_define(s, F_mkey_err_actual, st->actual, ROW_CHECK_GUARD);
	answer_define(s, F_mkey_err_expected, st->expected, ROW_CHECK_GUARD);
}

void do_mlx5dv_mkey_check(struct step *s)
{
	struct model_mr *mr = &obj(s->m, s->b->on)->mr;
	struct mlx5_mr_state *st = &mr->vendor.mlx5;
	enum out effect;
	int err = 0;

	answer_accept(s, ROW_CHECK_NONE);
	if (!mr->layout.signs)
		err = choose_for_row(s, ROW_CHECK_PLAIN, &effect);
	if (err) {
		answer_refuse(s, ROW_CHECK_PLAIN, err);
		return;
	}
	if (is_vague(s, st)) {
		st->doubt = true;
		return;
	}
	if (!st->error || !st->told) {
		record_row(s, ROW_CHECK_NONE);
		answer_define(s, F_mkey_err_type, MLX5DV_MKEY_NO_ERR,
			      ROW_CHECK_NONE);
		return;
	}
	define_error(s, st);
	if (!mutant_skips(s->mutant, ROW_CHECK_NONE))
		st->error = MLX5DV_MKEY_NO_ERR;
}
