// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of messages through an mkey with crypto attributes: each way in both
 * directions, sizes of data units, tweaks, and attributes that are replaced.
 */
#include "vendor-mlx5/cases/crypto.h"
#include "vendor-mlx5/crypto.h"

#define TWEAK	   UINT64_C(0x1122334455667788)
#define TWEAK_HIGH UINT64_C(0x99aabbccddeeff01)

static const struct crypto_key plain_key = {CRYPTO_KEY, 0, false};

enum claim crypto_claim(const struct gen *g)
{
	return claim_holds(CLAIM_MLX5_MKEY, g->d) ? CLAIM_MLX5_CRYPTO
						  : CLAIM_MLX5_MKEY;
}

uint8_t crypto_key(struct gen *g, const struct crypto_key *key)
{
	uint8_t dek = gen_make(g, V_mlx5dv_dek_create, g->pd);

	if (key->is_long)
		prog_num(g->p, F_dek_key_size, MLX5DV_CRYPTO_KEY_SIZE_256);
	prog_num(g->p, F_dek_key, key->key);
	if (key->keytag) {
		prog_num(g->p, F_dek_has_keytag, 1);
		prog_num(g->p, F_dek_keytag, key->keytag);
	}
	prog_num(g->p, F_dek_comp_mask, MLX5DV_DEK_INIT_ATTR_CRYPTO_LOGIN);
	return dek;
}

struct mkey_stage crypto_stage(struct gen *g, uint32_t flags,
			       const struct crypto_key *key,
			       struct mlx5_crypto *attr)
{
	struct mkey_stage s =
		sig_stage_of(g, flags | MLX5DV_MKEY_INIT_ATTR_FLAGS_CRYPTO, 0);

	attr->dek = crypto_key(g, key);
	attr->keytag = key->keytag;
	return s;
}

void crypto_put(const struct mkey_stage *s, const struct mlx5_crypto *attr)
{
	const struct {
		enum field field;
		uint64_t value;
	} values[] = {
		{F_crypto_encrypts, attr->encrypts},
		{F_crypto_order, attr->order},
		{F_crypto_unit, attr->unit},
		{F_crypto_tweak, attr->tweak[0]},
		{F_crypto_tweak_high, attr->tweak[1]},
		{F_crypto_keytag, attr->keytag},
		{F_crypto_standard, attr->standard},
		{F_crypto_comp_mask, attr->comp_mask},
	};
	struct program *p = s->p.g->p;

	prog_obj(p, F_crypto_dek, (uint8_t)attr->dek);
	for (size_t i = 0; i < COUNT(values); i++)
		if (values[i].value)
			prog_num(p, values[i].field, values[i].value);
}

void crypto_post(const struct mkey_stage *s, uint32_t length,
		 const struct mlx5_signature *sig,
		 const struct mlx5_crypto *attr)
{
	sig_post(s, CRYPTO_FROM, length, sig);
	if (!attr)
		return;
	prog_num(s->p.g->p, F_umr_setters,
		 MLX5_SET_ACCESS | MLX5_SET_LIST | MLX5_SET_CRYPTO |
			 (sig ? MLX5_SET_SIG_BLOCK : 0));
	crypto_put(s, attr);
}

void crypto_configure(const struct mkey_stage *s, uint32_t length,
		      const struct mlx5_signature *sig,
		      const struct mlx5_crypto *attr)
{
	crypto_post(s, length, sig, attr);
	post_poll(&s->p, 1);
}

/* A message of two data units, or of `length` bytes. */
static void message(struct gen *g, enum row row, const char *name,
		    const struct crypto_key *key, struct mlx5_crypto attr,
		    const struct mkey_way *way, uint32_t length)
{
	struct mkey_stage s;

	if (!crypto_opens(g, row, "A message through an mkey", "%s/%s", name,
			  way->name))
		return;
	s = crypto_stage(g, 0, key, &attr);
	crypto_configure(&s, length, NULL, &attr);
	mkey_go(&s, way, 2, 0, length);
	mkey_finish(&s);
}

static void ways(struct gen *g)
{
	static const struct crypto_key keys[] = {
		{CRYPTO_KEY, 0, false},
		{CRYPTO_KEY, 0, true},
	};

	for (size_t k = 0; k < COUNT(keys); k++)
		for (uint8_t encrypts = 0; encrypts < 2; encrypts++) {
			const struct mlx5_crypto attr = {
				.encrypts = encrypts,
				.tweak = {TWEAK, TWEAK_HIGH},
			};
			char name[24];

			snprintf(name, sizeof(name), "%s-%s",
				 encrypts ? "encrypt" : "decrypt",
				 keys[k].is_long ? "256" : "128");
			for (size_t w = 0; w < WAY_NR; w++)
				message(g, ROW_CRYPTO_DATA, name, &keys[k],
					attr, &mkey_ways[w], 1024);
		}
}

/* Each size of data units, with a message that reaches into the second; and
 * messages whose last data unit is short. */
static void units(struct gen *g)
{
	static const uint32_t sizes[] = {512, 520, 4048, 4096, 4160};
	static const uint32_t lengths[] = {16, 128, 496, 512, 512 + 128};
	char name[24];

	for (uint8_t unit = 0; unit < COUNT(sizes); unit++) {
		const struct mlx5_crypto attr = {.encrypts = true,
						 .unit = unit};

		snprintf(name, sizeof(name), "unit/%u", sizes[unit]);
		message(g, ROW_CRYPTO_UNIT, name, &plain_key, attr,
			&mkey_ways[WAY_WRITE_FROM], sizes[unit] + 32);
		message(g, ROW_CRYPTO_UNIT, name, &plain_key, attr,
			&mkey_ways[WAY_WRITE_TO], sizes[unit]);
	}
	for (size_t i = 0; i < COUNT(lengths); i++) {
		const struct mlx5_crypto attr = {.encrypts = true};

		snprintf(name, sizeof(name), "length/%u", lengths[i]);
		message(g, ROW_CRYPTO_UNIT, name, &plain_key, attr,
			&mkey_ways[WAY_WRITE_FROM], lengths[i]);
	}
}

/* Tweaks that begin at 0, and that carry out of their low 32, 64 or 96 bits:
 * behind the first data unit, or behind the second one. */
static const struct tweak {
	const char *name;
	uint64_t tweak[2];
	bool carries;
} tweak_list[] = {
	{"zero", {0, 0}, false},
	{"byte", {0xff, 0}, false},
	{"high", {0, UINT64_C(1) << 63}, false},
	{"carry", {UINT64_MAX, 0}, true},
	{"carry-32", {UINT32_MAX, 0}, true},
	{"carry-32-second", {UINT32_MAX - 1, 0}, true},
	{"carry-32-alone", {TWEAK | UINT32_MAX, TWEAK_HIGH}, true},
	{"carry-64-second", {UINT64_MAX - 1, 0}, true},
	{"carry-96", {UINT64_MAX, UINT32_MAX}, true},
};

#define UNIT 512 /* bytes */

static void tweaks(struct gen *g)
{
	for (size_t i = 0; i < COUNT(tweak_list); i++) {
		const struct tweak *t = &tweak_list[i];
		struct mlx5_crypto attr = {.encrypts = true};
		char name[40];

		memcpy(attr.tweak, t->tweak, sizeof(attr.tweak));
		snprintf(name, sizeof(name), "tweak/%s", t->name);
		for (int way = 0; way < WAY_NR; way++)
			if (t->carries || way <= WAY_WRITE_TO)
				message(g, ROW_CRYPTO_TWEAK, name, &plain_key,
					attr, &mkey_ways[way],
					t->carries ? 3 * UNIT : 2 * UNIT);
	}
}

/* The tweak of each message begins with initial_tweak. */
static void messages(struct gen *g)
{
	struct mlx5_crypto attr = {.encrypts = true, .tweak = {7, 0}};
	struct mkey_stage s;

	if (!crypto_opens(g, ROW_CRYPTO_TWEAK, "A second message",
			  "tweak/each-message"))
		return;
	s = crypto_stage(g, 0, &plain_key, &attr);
	crypto_configure(&s, 512, NULL, &attr);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 2, 0, 512);
	gen_fill(g, s.p.mr, 4);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 3, 0, 512);
	mkey_finish(&s);
}

/* Returns a number whose key has zeros from one byte on, until the next byte
 * whose index is a multiple of 8, or in that byte alone. */
static uint64_t number_with_zero(unsigned int byte, bool run)
{
	const unsigned int end = run ? byte / 8 * 8 + 8 : byte + 1;
	uint64_t number = CRYPTO_KEY;
	char key[64];

	put_key(key, 0, sizeof(key));
	for (unsigned int i = byte; i < end; i++) {
		number &= ~(UINT64_C(0xff) << (8 * (i % 8)));
		number |= (uint64_t)(uint8_t)key[i] << (8 * (i % 8));
	}
	return number;
}

/* Keys with zeros at the ends of both AES keys and between them. */
static void zeros(struct gen *g)
{
	static const struct {
		const char *name;
		unsigned int byte;
		bool run, is_long;
	} keys[] = {
		{"128-first", 0, false, false},
		{"128-first-run", 0, true, false},
		{"128-end", 15, false, false},
		{"128-second", 16, false, false},
		{"128-second-run", 16, true, false},
		{"128-last", 31, false, false},
		{"256-first", 0, false, true},
		{"256-middle", 20, false, true},
		{"256-second", 32, false, true},
		{"256-last", 63, false, true},
		{"256-last-run", 56, true, true},
	};
	const struct mlx5_crypto attr = {.encrypts = true};
	char name[32];

	for (size_t i = 0; i < COUNT(keys); i++) {
		const struct crypto_key key = {number_with_zero(keys[i].byte,
								keys[i].run),
					       0, keys[i].is_long};

		snprintf(name, sizeof(name), "key-zero/%s", keys[i].name);
		message(g, ROW_CRYPTO_DATA, name, &key, attr,
			&mkey_ways[WAY_WRITE_FROM], 512);
	}
}

/* A second configuration: with other attributes, or without any. */
static void again(struct gen *g, const char *name, bool sets,
		  const struct crypto_key *key)
{
	struct mlx5_crypto attr = {.encrypts = true, .tweak = {1, 0}};
	struct mkey_stage s;

	if (!crypto_opens(g, ROW_CRYPTO_AGAIN, "A second configuration",
			  "again/%s", name))
		return;
	s = crypto_stage(g, 0, &plain_key, &attr);
	crypto_configure(&s, 1024, NULL, &attr);
	if (key)
		attr.dek = crypto_key(g, key);
	attr.tweak[0] = 2;
	crypto_configure(&s, 1024, NULL, sets ? &attr : NULL);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 3, 0, 1024);
	mkey_finish(&s);
}

/* One mkey encrypts, and another one decrypts the result. */
static void round_trip(struct gen *g)
{
	struct mlx5_crypto attr = {.encrypts = true, .tweak = {TWEAK, 0}};
	struct mkey_stage s, back;

	if (!crypto_opens(g, ROW_CRYPTO_DATA, "Encrypted bytes", "round-trip"))
		return;
	s = crypto_stage(g, 0, &plain_key, &attr);
	crypto_configure(&s, 1024, NULL, &attr);
	mkey_go(&s, &mkey_ways[WAY_WRITE_FROM], 2, 0, 1024);
	gen_fill(g, s.second, 4);
	back = s;
	crypto_configure(&back, 1024, NULL, &attr);
	mkey_go(&back, &mkey_ways[WAY_READ_TO], 3, 0, 1024);
	mkey_finish(&s);
}

void mlx5_gen_crypto(struct gen *g)
{
	static const struct crypto_key other = {~CRYPTO_KEY, 0, false};

	gen_prefix(g, "mlx5/crypto/");
	g->wr = true;
	ways(g);
	units(g);
	tweaks(g);
	messages(g);
	again(g, "tweak", true, NULL);
	again(g, "key", true, &other);
	again(g, "kept", false, NULL);
	round_trip(g);
	zeros(g);
	mlx5_gen_crypto_tags(g);
	mlx5_gen_crypto_order(g);
	mlx5_gen_crypto_refused(g);
	g->wr = false;
}
