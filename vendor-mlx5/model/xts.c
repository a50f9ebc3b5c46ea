// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * AES-XTS of IEEE 1619, by nettle.
 */
#include <nettle/xts.h>
#include "vendor-mlx5/model/xts.h"

static void put_number(uint8_t *to, const uint64_t number[2])
{
	for (unsigned int i = 0; i < XTS_BLOCK; i++)
		to[i] = (uint8_t)(number[i / 8] >> (8 * (i % 8)));
}

static void crypt_short(const uint8_t *key, bool encrypts, const uint8_t *tweak,
			uint8_t *data, size_t bytes)
{
	struct xts_aes128_key aes;

	if (encrypts) {
		xts_aes128_set_encrypt_key(&aes, key);
		xts_aes128_encrypt_message(&aes, tweak, bytes, data, data);
	} else {
		xts_aes128_set_decrypt_key(&aes, key);
		xts_aes128_decrypt_message(&aes, tweak, bytes, data, data);
	}
}

static void crypt_long(const uint8_t *key, bool encrypts, const uint8_t *tweak,
		       uint8_t *data, size_t bytes)
{
	struct xts_aes256_key aes;

	if (encrypts) {
		xts_aes256_set_encrypt_key(&aes, key);
		xts_aes256_encrypt_message(&aes, tweak, bytes, data, data);
	} else {
		xts_aes256_set_decrypt_key(&aes, key);
		xts_aes256_decrypt_message(&aes, tweak, bytes, data, data);
	}
}

void mlx5_xts(const struct xts_key *key, bool encrypts, const uint64_t tweak[2],
	      uint8_t *data, size_t bytes)
{
	uint8_t number[XTS_BLOCK];

	put_number(number, tweak);
	if (key->is_long)
		crypt_long(key->bytes, encrypts, number, data, bytes);
	else
		crypt_short(key->bytes, encrypts, number, data, bytes);
}
