// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Crypto attributes of mkeys. As a message passes an mkey, its bytes are
 * encrypted or decrypted on the side of memory or of the wire, one data unit
 * behind the other.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/model/convert.h"
#include "vendor-mlx5/model/crypto.h"
#include "vendor-mlx5/model/xts.h"

#define MOST_UNIT 4160

static const uint16_t block_sizes[] = {512, 520, 4048, 4096, 4160};

uint16_t block_bytes(uint8_t block)
{
	return block < COUNT(block_sizes) ? block_sizes[block] : 0;
}

bool crypto_is_on_wire(const struct mlx5_crypto *crypto)
{
	return crypto->order ==
	       MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX;
}

static bool is_valid(const struct mlx5_crypto *in)
{
	return !in->comp_mask &&
	       in->standard == MLX5DV_CRYPTO_STANDARD_AES_XTS &&
	       in->order <=
		       MLX5DV_SIGNATURE_CRYPTO_ORDER_SIGNATURE_BEFORE_CRYPTO_ON_TX &&
	       block_bytes(in->unit);
}

/* Returns the bytes of the mkey once the request is carried out. */
static uint64_t length_after(const struct step *s, uint16_t mkey,
			     uint32_t setters)
{
	const struct wr_args *in = &s->b->in.wr;
	const struct layout *l = &s->m->object[mkey].mr.layout;
	uint32_t repeat = setters & MLX5_SET_INTERLEAVED
				  ? in->vendor.mlx5.repeat_count
				  : 1;
	struct elements e;

	if (!(setters & (MLX5_SET_LIST | MLX5_SET_INTERLEAVED)))
		return l->set ? l->block * l->repeat.count : 0;
	elements_of(in, &e);
	return elements_bytes(&e) * repeat;
}

/* Signatures in both domains leave no place for the crypto operation between
 * them. */
static void check_signatures(struct step *s, struct faults *f, uint16_t mkey,
			     uint32_t setters, const struct mlx5_crypto *crypto)
{
	const struct mlx5_mr_state *st = &s->m->object[mkey].mr.vendor.mlx5;
	const struct mlx5_send_args *own = &s->b->in.wr.vendor.mlx5;
	const struct mlx5_signature *sig =
		setters & MLX5_SET_SIG_BLOCK ? &own->sig : &st->sig;
	bool resets = own->conf_flags &
		      (uint32_t)MLX5DV_MKEY_CONF_FLAG_RESET_SIG_ATTR;

	if (!(setters & MLX5_SET_SIG_BLOCK) && resets)
		return;
	if (sig->mem.kind && sig->wire.kind &&
	    crypto->encrypts != crypto_is_on_wire(crypto))
		add_fault(s, f, ROW_CRYPTO_PAIR);
}

void crypto_check(struct step *s, struct faults *f, uint16_t mkey,
		  uint32_t setters)
{
	const struct mlx5_send_args *own = &s->b->in.wr.vendor.mlx5;
	const struct model_mr *mr = &s->m->object[mkey].mr;
	const struct mlx5_mr_state *st = &mr->vendor.mlx5;
	const uint32_t both = MLX5_SET_SIG_BLOCK | MLX5_SET_CRYPTO;
	bool sets = setters & MLX5_SET_CRYPTO;
	const struct mlx5_crypto *crypto = sets ? &own->crypto : &st->crypto;

	if (sets && !st->may_crypt)
		add_fault(s, f, ROW_UMR_CRYPTO);
	else if (sets && !is_valid(crypto))
		add_fault(s, f, ROW_CRYPTO_ATTR);
	if (!st->may_crypt || !(sets || st->crypts) || !is_valid(crypto))
		return;
	if (mr->layout.signs && setters & both && (setters & both) != both &&
	    st->building)
		s->m->lost_track |= is_oracle(s);
	if (setters & both)
		check_signatures(s, f, mkey, setters, crypto);
	if (!(s->d->limit[LIM_mlx5_crypto_engines] &
	      MLX5DV_CRYPTO_ENGINES_CAP_AES_XTS_MULTI_BLOCK) &&
	    length_after(s, mkey, setters) > block_bytes(crypto->unit))
		add_fault(s, f, ROW_CRYPTO_SINGLE);
}

static const struct mlx5_object_state *key_of(const struct model *m,
					      const struct mlx5_crypto *crypto)
{
	uint16_t dek = crypto->dek;

	return dek < m->top && m->object[dek].alive &&
			       m->object[dek].kind == OBJ_MLX5_DEK
		       ? &m->object[dek].vendor.mlx5
		       : NULL;
}

static bool has_wrong_tag(const struct model *m,
			  const struct mlx5_crypto *crypto)
{
	const struct mlx5_object_state *key = key_of(m, crypto);

	if (!key || !key->has_keytag)
		return false;
	if (mutant_has_quirk(m->mutant, QUIRK_TAG_STRING))
		return strncmp((const char *)&key->keytag,
			       (const char *)&crypto->keytag,
			       sizeof(key->keytag)) != 0;
	return key->keytag != crypto->keytag;
}

bool crypto_set(struct step *s, struct model_wr *w, uint16_t mkey)
{
	struct mlx5_mr_state *st = &s->m->object[mkey].mr.vendor.mlx5;
	const struct mlx5_crypto *in = &w->vendor.mlx5.crypto;

	if (!st->may_crypt)
		return true;
	record_row(s, ROW_CRYPTO_AGAIN);
	if (st->crypts && mutant_skips(s->m->mutant, ROW_CRYPTO_AGAIN))
		return true;
	if (has_wrong_tag(s->m, in) &&
	    choose_hidden(s, ROW_CRYPTO_TAG_WHEN) != OUT_OK) {
		w->status_row = ROW_CRYPTO_TAG_WHEN;
		return false;
	}
	st->crypto = *in;
	st->crypts = true;
	return true;
}

void crypto_permit(struct step *s, uint16_t mkey)
{
	struct model_mr *mr = &s->m->object[mkey].mr;
	const struct mlx5_mr_state *st = &mr->vendor.mlx5;
	enum row row = ROW_NONE;

	mr->layout.barred = false;
	if (!st->may_crypt)
		return;
	if (!st->crypts || !key_of(s->m, &st->crypto))
		row = ROW_CRYPTO_NEEDED;
	else if (has_wrong_tag(s->m, &st->crypto))
		row = ROW_CRYPTO_TAG;
	if (row == ROW_NONE)
		return;
	record_row(s, row);
	mr->layout.barred = !mutant_skips(s->m->mutant, row);
}

/* Returns true if AES-XTS has a data unit of that many bytes, at the end of a
 * message or before. */
static bool is_unit(uint64_t bytes, uint16_t unit)
{
	return bytes == unit || (bytes >= XTS_BLOCK && !(bytes % XTS_BLOCK) &&
				 bytes + XTS_BLOCK <= unit);
}

/* Encrypts or decrypts a data unit. If a byte of it is unknown, all are. */
static void crypt_unit(struct model *m, const struct xts_key *key,
		       bool encrypts, const uint64_t tweak[2], struct place at,
		       uint32_t bytes)
{
	uint8_t data[MOST_UNIT];
	uint32_t run;

	if (!bytes_read(m, at, data, bytes)) {
		bytes_set_unknown(m, at, bytes);
		return;
	}
	mlx5_xts(key, encrypts, tweak, data, bytes);
	for (uint32_t i = 0; i < bytes; i += run) {
		run = bytes - i < 8 ? bytes - i : 8;
		bytes_store_some(m, (struct place){at.offset + i, at.mr},
				 data + i, run);
	}
}

static void count_up(const struct model *m, uint64_t tweak[2], bool no_carry)
{
	if (mutant_has_quirk(m->mutant, QUIRK_TWEAK_LOW)) {
		tweak[0] = (tweak[0] & ~(uint64_t)UINT32_MAX) |
			   (uint32_t)(tweak[0] + 1);
		return;
	}
	if (!++tweak[0] && !no_carry)
		tweak[1]++;
}

static void crypt(struct model *m, const struct mlx5_crypto *crypto,
		  const struct mlx5_object_state *of, bool encrypts,
		  uint16_t mr, uint64_t length)
{
	const struct xts_key key = {of->key, of->is_long};
	uint64_t tweak[2] = {crypto->tweak[0], crypto->tweak[1]};
	uint16_t unit = mutant_skips(m->mutant, ROW_CRYPTO_UNIT)
				? block_sizes[0]
				: block_bytes(crypto->unit);
	/* seeded fault: the low half of a tweak that is all ones has no carry
	 */
	bool no_carry = mutant_has_quirk(m->mutant, QUIRK_TWEAK_64) ||
			(mutant_has_quirk(m->mutant, QUIRK_TWEAK_HALF) &&
			 tweak[0] == UINT64_MAX);
	uint64_t bytes;

	note_row(m, ROW_CRYPTO_DATA);
	note_row(m, ROW_CRYPTO_TWEAK);
	note_row(m, ROW_CRYPTO_UNIT);
	for (uint64_t at = 0; at < length; at += bytes) {
		bytes = length - at < unit ? length - at : unit;
		if (!is_unit(bytes, unit)) {
			m->lost_track |= m->observes;
			return;
		}
		crypt_unit(m, &key, encrypts, tweak, (struct place){at, mr},
			   (uint32_t)bytes);
		if (!mutant_skips(m->mutant, ROW_CRYPTO_TWEAK))
			count_up(m, tweak, no_carry);
	}
}

void crypto_convert(struct model *m, const struct conversion *c, bool in_memory)
{
	const struct mlx5_mr_state *st = &m->object[c->mr].mr.vendor.mlx5;
	const struct mlx5_object_state *key = key_of(m, &st->crypto);
	bool on_wire = crypto_is_on_wire(&st->crypto);

	if (!st->crypts)
		return;
	if (!key) { /* it was destroyed */
		m->lost_track |= m->observes;
		return;
	}
	note_row(m, ROW_CRYPTO_ORDER);
	if (mutant_skips(m->mutant, ROW_CRYPTO_ORDER))
		on_wire = !on_wire;
	if (on_wire == in_memory || mutant_skips(m->mutant, ROW_CRYPTO_DATA))
		return;
	crypt(m, &st->crypto, key, st->crypto.encrypts == c->sends,
	      in_memory ? MEMORY_STORED : MEMORY_WIRE,
	      in_memory ? c->stored : c->wire);
}
