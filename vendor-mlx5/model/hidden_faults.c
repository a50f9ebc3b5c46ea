// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Names the seeded faults below libmlx5 that no caller of libmlx5 can see,
 * because libmlx5 decides by itself or does not pass the value to the kernel.
 */
#include <infiniband/mlx5dv.h>
#include "mutants/mutant.h"
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/model/create_bits.h"

#define UNTOLD                                                                 \
	(DV_OOO_DP | MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE |                 \
	 MLX5DV_QP_CREATE_SIG_PIPELINING)

static const char *why_flag_is_hidden(const struct mutant *m,
				      const struct device_info *d)
{
	const struct create_bit *b = mlx5_create_bit(m->field, m->bit);

	if (m->field != F_dv_create_flags)
		return "libmlx5 alone knows of send operations";
	if (m->bit & UNTOLD)
		return "libmlx5 does not tell the kernel of this flag";
	if (m->kind == QK_DCT)
		return "libmlx5 refuses this flag for a DCT by itself";
	if (!kind_is_vendors((enum qp_kind)m->kind) &&
	    !device_makes(d, (uint32_t)qp_kind_value((enum qp_kind)m->kind)))
		return "the device makes no queue pair of that type";
	if (b && !claim_holds(b->claim, d))
		return "the device does not claim what the flag is for";
	return NULL;
}

const char *mlx5_hidden_below(const struct mutant *m,
			      const struct device_info *d)
{
	if (m->op == MUT_FLIP && m->kind >= 0 && m->field != FIELD_NR &&
	    mlx5_create_bit(m->field, m->bit))
		return why_flag_is_hidden(m, d);
	if (m->op == MUT_CHECKS && m->field != FIELD_NR &&
	    field_info(m->field)->family == FAM_CQ)
		return "libmlx5 itself reads its structure";
	if (m->op == MUT_WRAP && field_info(m->field)->family == FAM_QP_INIT)
		return "libmlx5 sizes the rings by itself, with what it "
		       "refuses";
	if (m->verb == V_mlx5dv_qp_cancel_posted_send_wrs ||
	    (m->field != FIELD_NR &&
	     (field_info(m->field)->family == FAM_CANCEL ||
	      field_info(m->field)->family == FAM_CANCELED)))
		return "libmlx5 itself cancels requests and counts them";
	if (m->verb == V_mlx5dv_mkey_check || m->row == ROW_CHECK_NONE ||
	    (m->field != FIELD_NR &&
	     field_info(m->field)->family == FAM_MKEY_ERR))
		return "libmlx5 itself keeps signature errors and tells them";
	if (m->verb == V_mlx5dv_reserved_qpn_alloc ||
	    m->verb == V_mlx5dv_reserved_qpn_dealloc ||
	    m->row == ROW_QPN_UNIQUE)
		return "libmlx5 itself gives out the numbers of a block";
	if (m->verb == V_mlx5dv_crypto_login ||
	    m->verb == V_mlx5dv_crypto_login_query_state ||
	    m->verb == V_mlx5dv_crypto_logout)
		return "libmlx5 itself knows of no login session";
	if (m->field == F_ops_wr_id || m->field == F_ops_recv_wr_id)
		return "libmlx5 keeps the numbers of operations and buffers";
	if (m->row == ROW_TM_PARTS)
		return "libibverbs decides this by itself";
	if (m->row == ROW_AH_MAP_HINT)
		return "libmlx5 alone knows which handle a mapping is of";
	if (m->row == ROW_CQE_SAYS)
		return "libmlx5 itself takes completions by what their entries "
		       "say";
	if (m->row != ROW_NONE && rule(m->row)->layer == LAYER_PROVIDER)
		return "libmlx5 decides this by itself";
	return NULL;
}
