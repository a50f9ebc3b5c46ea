// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The checksums of block signatures, bit by bit: messages are short.
 */
#include "vendor-mlx5/model/checksum.h"

#define T10DIF_POLYNOMIAL 0x8bb7

uint64_t mlx5_crc_reflected(uint64_t polynomial, uint64_t seed,
			    const uint8_t *bytes, size_t n)
{
	uint64_t crc = seed;

	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return crc;
}

uint16_t mlx5_crc16_t10dif(uint16_t seed, const uint8_t *bytes, size_t n)
{
	uint32_t crc = seed;

	for (size_t i = 0; i < n; i++) {
		crc ^= (uint32_t)bytes[i] << 8;
		for (int bit = 0; bit < 8; bit++)
			crc = crc << 1 ^ (crc & 0x8000 ? T10DIF_POLYNOMIAL : 0);
		crc &= 0xffff;
	}
	return (uint16_t)crc;
}

uint16_t mlx5_ip_checksum(uint16_t seed, const uint8_t *bytes, size_t n)
{
	uint32_t sum = seed;

	for (size_t i = 0; i + 1 < n; i += 2)
		sum += (uint32_t)(bytes[i] << 8 | bytes[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}
