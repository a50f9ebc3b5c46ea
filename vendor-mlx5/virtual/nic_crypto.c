// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads the crypto attributes of an mkey from a request that configures it.
 */
#include <infiniband/mlx5dv.h>
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/virtual/mailbox.h"
#include "vendor-mlx5/virtual/rings.h"

/* Offsets in the block, and bits */
#define TYPE_AT	    0
#define OF_CRYPTO   0x01
#define ORDER_AT    1
#define STANDARD_AT 3
#define UNIT_AT	    8
#define TWEAK_AT    16
#define KEY_AT	    32
#define NUMBER	    0xffffffu
#define TAG_AT	    40

/* Places that are encrypted, by their numbers in the block: the wire or memory
 * behind the signatures, then both before them */
static const struct {
	bool encrypts, on_wire;
} places[] = {
	{true, true},
	{false, false},
	{true, false},
	{false, true},
};

static uint64_t big(const uint8_t *from)
{
	return (uint64_t)mailbox_long(from, 0) << 32 | mailbox_long(from, 4);
}

/* An engine of several data units takes the tweak in big endian, one of a
 * single unit in little endian. */
static void take_tweak(const struct mlx5_queue *q, const uint8_t *from,
		       uint64_t tweak[2])
{
	tweak[0] = big(from + 8);
	tweak[1] = big(from);
	if (q->one_unit) {
		tweak[0] = __builtin_bswap64(big(from));
		tweak[1] = __builtin_bswap64(big(from + 8));
	}
}

bool mlx5_take_crypto(const struct mlx5_queue *q, uint16_t index, uint32_t at,
		      struct mlx5_crypto *crypto)
{
	uint8_t bsf[MLX5_BSF_BYTES];
	uint8_t place;

	mlx5_read_segments(q, index, at, bsf, sizeof(bsf));
	if (!(bsf[TYPE_AT] & OF_CRYPTO))
		return false;
	place = bsf[ORDER_AT] % COUNT(places);
	*crypto = (struct mlx5_crypto){
		.keytag = __builtin_bswap64(big(bsf + TAG_AT)),
		.dek = (uint16_t)((mailbox_long(bsf, KEY_AT) & NUMBER) - 1),
		.standard = bsf[STANDARD_AT],
		.encrypts = places[place].encrypts,
		.order = places[place].on_wire,
		.unit = mlx5_block_of(bsf[UNIT_AT]),
	};
	take_tweak(q, bsf + TWEAK_AT, crypto->tweak);
	return true;
}
