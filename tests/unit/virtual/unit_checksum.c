// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The checksums of block signatures against published values: the check values
 * of the CRC catalogue, the bytes of RFC 3720 B.4, the example of RFC 1071.
 */
#include "tests/unit/tap.h"
#include "vendor-mlx5/model/checksum.h"

static const uint8_t digits[] = "123456789";
#define DIGITS (sizeof(digits) - 1)

static void crcs(void)
{
	uint8_t zeros[32] = {0}, count[32];

	for (unsigned int i = 0; i < sizeof(count); i++)
		count[i] = (uint8_t)i;
	ok(mlx5_crc_reflected(CRC32_POLYNOMIAL, UINT32_MAX, digits, DIGITS) ==
		   (0xcbf43926 ^ UINT32_MAX),
	   "CRC32 of the check string");
	ok(mlx5_crc_reflected(CRC32C_POLYNOMIAL, UINT32_MAX, digits, DIGITS) ==
		   (0xe3069283 ^ UINT32_MAX),
	   "CRC32C of the check string");
	ok(mlx5_crc_reflected(CRC32C_POLYNOMIAL, UINT32_MAX, zeros,
			      sizeof(zeros)) == (0x8a9136aa ^ UINT32_MAX),
	   "CRC32C of 32 zeros, RFC 3720");
	ok(mlx5_crc_reflected(CRC32C_POLYNOMIAL, UINT32_MAX, count,
			      sizeof(count)) == (0x46dd794e ^ UINT32_MAX),
	   "CRC32C of 32 bytes that count up, RFC 3720");
	ok(mlx5_crc_reflected(CRC64_XP10_POLYNOMIAL, UINT64_MAX, digits,
			      DIGITS) ==
		   (UINT64_C(0xae8b14860a799888) ^ UINT64_MAX),
	   "CRC64 of the check string");
	ok(mlx5_crc16_t10dif(0, digits, DIGITS) == 0xd0db,
	   "the CRC of T10-DIF of the check string");
}

static void ip_checksum(void)
{
	static const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03,
					0xf4, 0xf5, 0xf6, 0xf7};

	ok(mlx5_ip_checksum(0, bytes, sizeof(bytes)) == (0xddf2 ^ 0xffff),
	   "the Internet checksum of the example of RFC 1071");
}

int main(void)
{
	crcs();
	ip_checksum();
	return tap_end();
}
