// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of key tags: an mkey gives access if its tag is that of its key. Tags
 * have zeros in one half, in one byte, or everywhere.
 */
#include "vendor-mlx5/cases/crypto.h"

#define LOW_HALF UINT64_C(0xffffffff)

/* Returns CRYPTO_TAG with a zero in one of its bytes. */
#define tag_with_zero(byte) (CRYPTO_TAG & ~(UINT64_C(0xff) << (8 * (byte))))

static const struct tag {
	const char *name;
	uint64_t value;
} tags[] = {
	{"all", CRYPTO_TAG},
	{"low", CRYPTO_TAG &LOW_HALF},
	{"high", CRYPTO_TAG & ~LOW_HALF},
	{"zero", 0},
};

/* A message through an mkey whose tag is `tag`. */
static void tagged(struct gen *g, const char *name, enum row row,
		   const struct crypto_key *key, uint64_t tag,
		   const struct mkey_way *way)
{
	struct mlx5_crypto attr = {.encrypts = true};
	struct mkey_stage s;

	if (!crypto_opens(g, row, "A message through an mkey", "%s/%s", name,
			  way->name))
		return;
	s = crypto_stage(g, 0, key, &attr);
	prog_num(g->p, F_dek_has_keytag, 1);
	attr.keytag = tag;
	crypto_post(&s, 1024, NULL, &attr);
	post_poll_for(&s.p, 1, POST_WAIT);
	mkey_go(&s, way, 2, 0, 1024);
	mkey_finish(&s);
}

static void right(struct gen *g, const char *name, const struct crypto_key *key)
{
	tagged(g, name, ROW_CRYPTO_DATA, key, key->keytag,
	       &mkey_ways[WAY_WRITE_FROM]);
}

/* Tags with a zero in one byte, and wrong ones that differ behind a zero, or in
 * the byte that is zero. */
static void with_zero(struct gen *g, unsigned int byte)
{
	const struct crypto_key key = {CRYPTO_KEY, tag_with_zero(byte), false};
	char name[32];

	snprintf(name, sizeof(name), "keytag-zero/%u", byte);
	right(g, name, &key);
	snprintf(name, sizeof(name), "wrong-tag-zero-%u", byte);
	tagged(g, name, ROW_CRYPTO_TAG, &key, key.keytag ^ UINT64_C(0x40) << 56,
	       &mkey_ways[WAY_WRITE_FROM]);
}

/* Each tag with a key of this size, and each other one in its place. */
static void halves(struct gen *g, bool is_long)
{
	const char *size = is_long ? "256" : "128";
	char name[64];

	for (size_t i = 0; i < COUNT(tags); i++) {
		const struct crypto_key key = {CRYPTO_KEY, tags[i].value,
					       is_long};

		snprintf(name, sizeof(name), "keytag/%s/%s", size,
			 tags[i].name);
		right(g, name, &key);
		for (size_t k = 0; k < COUNT(tags); k++) {
			if (k == i)
				continue;
			snprintf(name, sizeof(name), "wrong-tag/%s/%s-for-%s",
				 size, tags[k].name, tags[i].name);
			tagged(g, name, ROW_CRYPTO_TAG, &key, tags[k].value,
			       &mkey_ways[(i + k) % 2 ? WAY_WRITE_FROM
						      : WAY_WRITE_TO]);
		}
	}
}

/* Tags that differ in one bit, at the ends of both halves. */
static void bits(struct gen *g, bool is_long)
{
	static const unsigned int at[] = {0, 31, 32, 63};
	const struct crypto_key key = {CRYPTO_KEY, CRYPTO_TAG, is_long};
	char name[64];

	for (size_t i = 0; i < COUNT(at); i++) {
		snprintf(name, sizeof(name), "wrong-tag/%s/bit%u",
			 is_long ? "256" : "128", at[i]);
		tagged(g, name, ROW_CRYPTO_TAG, &key,
		       CRYPTO_TAG ^ UINT64_C(1) << at[i],
		       &mkey_ways[i % 2 ? WAY_WRITE_FROM : WAY_WRITE_TO]);
	}
}

void mlx5_gen_crypto_tags(struct gen *g)
{
	static const struct crypto_key of_128 = {CRYPTO_KEY, CRYPTO_TAG, false};
	static const struct crypto_key of_256 = {CRYPTO_KEY, CRYPTO_TAG, true};
	static const size_t ways[] = {WAY_WRITE_FROM, WAY_WRITE_TO};

	right(g, "keytag", &of_256);
	for (size_t w = 0; w < COUNT(ways); w++)
		tagged(g, "wrong-tag", ROW_CRYPTO_TAG, &of_128, CRYPTO_TAG ^ 1,
		       &mkey_ways[ways[w]]);
	tagged(g, "wrong-tag", ROW_CRYPTO_TAG_WHEN, &of_128, CRYPTO_TAG ^ 1,
	       &mkey_ways[WAY_READ_FROM]);
	with_zero(g, 0);
	with_zero(g, 3);
	with_zero(g, 7);
	for (int is_long = 0; is_long < 2; is_long++) {
		halves(g, is_long);
		bits(g, is_long);
	}
}
