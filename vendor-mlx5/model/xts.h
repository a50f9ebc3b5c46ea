/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * AES-XTS of IEEE 1619 over data units.
 */
#ifndef IBVET_MLX5_MODEL_XTS_H
#define IBVET_MLX5_MODEL_XTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XTS_BLOCK 16u /* bytes of an AES block */

/* Two AES keys, of 256 bits each if is_long, else of 128. */
struct xts_key {
	const uint8_t *bytes;
	bool is_long;
};

/* Encrypts or decrypts one data unit in place. It has at least XTS_BLOCK
 * bytes. `tweak` is a number of 128 bits, the lower half first. */
void mlx5_xts(const struct xts_key *key, bool encrypts, const uint64_t tweak[2],
	      uint8_t *data, size_t bytes);

#endif
