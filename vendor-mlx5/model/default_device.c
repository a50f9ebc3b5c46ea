// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The mlx5 limits of the model's default device. It copies no real device: it
 * has every feature that mlx5dv_query_device can report, or DCI and one format
 * of compressed completions.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/mlx5.h"

void mlx5_model_device(struct device_info *info, bool all)
{
	uint64_t *limit = info->limit;

	limit[LIM_mlx5_dv] = 1;
	limit[LIM_mlx5_dc_types] = 1u << MLX5DV_DCTYPE_DCI;
	limit[LIM_mlx5_cqe_comp_max_num] = 64;
	limit[LIM_mlx5_cqe_comp_formats] = MLX5DV_CQE_RES_FORMAT_HASH;
	if (!all)
		return;
	limit[LIM_mlx5_dc_types] |= 1u << MLX5DV_DCTYPE_DCT;
	limit[LIM_mlx5_flags] = MLX5DV_CONTEXT_FLAGS_PACKET_BASED_CREDIT_MODE |
				MLX5DV_CONTEXT_FLAGS_CQE_128B_COMP |
				MLX5DV_CONTEXT_FLAGS_CQE_128B_PAD;
	limit[LIM_mlx5_cqe_comp_formats] |=
		MLX5DV_CQE_RES_FORMAT_CSUM | MLX5DV_CQE_RES_FORMAT_CSUM_STRIDX;
	limit[LIM_mlx5_tunnel_offloads_caps] =
		MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_VXLAN |
		MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GRE |
		MLX5DV_RAW_PACKET_CAP_TUNNELED_OFFLOAD_GENEVE;
	limit[LIM_mlx5_dci_log_num_concurent] = 5;
	limit[LIM_mlx5_dci_log_num_errored] = 4;
	limit[LIM_mlx5_max_wr_memcpy_length] = 65536;
	limit[LIM_mlx5_num_lag_ports] = 2;
	limit[LIM_mlx5_mkeys] = 1;
	limit[LIM_mlx5_sig_block_prot] =
		MLX5DV_SIG_PROT_CAP_T10DIF | MLX5DV_SIG_PROT_CAP_CRC;
	limit[LIM_mlx5_sig_block_size] =
		MLX5DV_BLOCK_SIZE_CAP_512 | MLX5DV_BLOCK_SIZE_CAP_520 |
		MLX5DV_BLOCK_SIZE_CAP_4048 | MLX5DV_BLOCK_SIZE_CAP_4096 |
		MLX5DV_BLOCK_SIZE_CAP_4160;
	limit[LIM_mlx5_sig_t10dif_bg] =
		MLX5DV_SIG_T10DIF_BG_CAP_CRC | MLX5DV_SIG_T10DIF_BG_CAP_CSUM;
	limit[LIM_mlx5_sig_crc_type] = MLX5DV_SIG_CRC_TYPE_CAP_CRC32 |
				       MLX5DV_SIG_CRC_TYPE_CAP_CRC32C |
				       MLX5DV_SIG_CRC_TYPE_CAP_CRC64_XP10;
	limit[LIM_mlx5_crypto_flags] = MLX5DV_CRYPTO_CAPS_CRYPTO;
	limit[LIM_mlx5_crypto_engines] =
		MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_SINGLE_BLOCK |
		MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK;
	limit[LIM_mlx5_sched] = 1;
	limit[LIM_mlx5_reserved_qpns] = 1;
}
