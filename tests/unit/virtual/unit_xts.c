// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * AES-XTS against vectors that IEEE 1619-2007 publishes in annex B: keys of 128
 * and 256 bits, several numbers of data units, and data units that are no
 * multiple of 16 bytes.
 */
#include <string.h>
#include "tests/unit/tap.h"
#include "vendor-mlx5/model/xts.h"

#define MOST 512

static const struct vector {
	const char *name;
	const char *key; /* both AES keys, in hexadecimal */
	uint64_t tweak;
	const char *plain;  /* NULL: 512 bytes that count up from 0 */
	const char *cipher; /* its beginning, or all */
	size_t bytes;
} vectors[] = {
	{"vector 1: zeros",
	 "0000000000000000000000000000000000000000000000000000000000000000", 0,
	 "0000000000000000000000000000000000000000000000000000000000000000",
	 "917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e",
	 32},
	{"vector 2",
	 "1111111111111111111111111111111122222222222222222222222222222222",
	 UINT64_C(0x3333333333),
	 "4444444444444444444444444444444444444444444444444444444444444444",
	 "c454185e6a16936e39334038acef838bfb186fff7480adc4289382ecd6d394f0",
	 32},
	{"vector 3",
	 "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f022222222222222222222222222222222",
	 UINT64_C(0x3333333333),
	 "4444444444444444444444444444444444444444444444444444444444444444",
	 "af85336b597afc1a900b2eb21ec949d292df4c047e0b21532186a5971a227a89",
	 32},
	{"vector 4: a sector of 512 bytes",
	 "2718281828459045235360287471352631415926535897932384626433832795", 0,
	 NULL,
	 "27a7479befa1d476489f308cd4cfa6e2a96e4bbe3208ff25287dd3819616e89c",
	 512},
	{"vector 10: keys of 256 bits",
	 "2718281828459045235360287471352662497757247093699959574966967627"
	 "3141592653589793238462643383279502884197169399375105820974944592",
	 0xff, NULL,
	 "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b",
	 512},
	{"vector 15: 17 bytes",
	 "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
	 UINT64_C(0x123456789a), "000102030405060708090a0b0c0d0e0f10",
	 "6c1625db4671522d3d7599601de7ca09ed", 17},
};

static unsigned int digit(char c)
{
	return c <= '9' ? (unsigned int)(c - '0')
			: (unsigned int)(c - 'a' + 10);
}

/* Returns the number of bytes. */
static size_t read_hex(const char *text, uint8_t *to)
{
	size_t n = strlen(text) / 2;

	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(digit(text[2 * i]) << 4 |
				  digit(text[2 * i + 1]));
	return n;
}

static void check(const struct vector *v)
{
	uint8_t keys[64], plain[MOST], cipher[MOST], data[MOST];
	const uint64_t tweak[2] = {v->tweak, 0};
	struct xts_key key = {.bytes = keys};
	size_t known;

	key.is_long = read_hex(v->key, keys) == sizeof(keys);
	if (v->plain)
		read_hex(v->plain, plain);
	for (size_t i = 0; !v->plain && i < v->bytes; i++)
		plain[i] = (uint8_t)i;
	known = read_hex(v->cipher, cipher);
	memcpy(data, plain, v->bytes);
	mlx5_xts(&key, true, tweak, data, v->bytes);
	ok(!memcmp(data, cipher, known), v->name);
	mlx5_xts(&key, false, tweak, data, v->bytes);
	ok(!memcmp(data, plain, v->bytes), "the same, decrypted");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		check(&vectors[i]);
	return tap_end();
}
