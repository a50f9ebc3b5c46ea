/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The checksums of block signatures (checksum.c).
 */
#ifndef IBVET_MLX5_CHECKSUM_H
#define IBVET_MLX5_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* A CRC whose bits are reflected: the reversed polynomial, 32 or 64 bits. The
 * result is not complemented. */
#define CRC32_POLYNOMIAL      UINT64_C(0xedb88320)
#define CRC32C_POLYNOMIAL     UINT64_C(0x82f63b78)
#define CRC64_XP10_POLYNOMIAL UINT64_C(0x9a6c9329ac4bc9b5)
uint64_t mlx5_crc_reflected(uint64_t polynomial, uint64_t seed,
			    const uint8_t *bytes, size_t n);
/* The CRC of T10-DIF. */
uint16_t mlx5_crc16_t10dif(uint16_t seed, const uint8_t *bytes, size_t n);
/* The Internet checksum, complemented. `n` is even. */
uint16_t mlx5_ip_checksum(uint16_t seed, const uint8_t *bytes, size_t n);

#endif
