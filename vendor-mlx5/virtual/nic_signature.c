// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads the signatures of an mkey from a request that configures it (BSF), and
 * writes the completion queue entry by which the device tells of a signature
 * error.
 */
#include <infiniband/mlx5dv.h>
#include <string.h>
#include "vendor-mlx5/mlx5.h"
#include "vendor-mlx5/virtual/mailbox.h"
#include "vendor-mlx5/virtual/rings.h"

/* Offsets in a BSF, and bits */
#define SIZE_AT		 0
#define SHARED		 0x10 /* both domains have one block structure */
#define CHECK_AT	 1
#define WIRE_AT		 2 /* block size, or the bytes to copy if SHARED */
#define MEMORY_AT	 3 /* block size */
#define WIRE_FORMAT_AT	 8
#define MEMORY_FORMAT_AT 12
#define WIRE_T10DIF_AT	 32
#define MEMORY_T10DIF_AT 48
/* A format, 0 for T10-DIF */
#define FORMAT_CRC32  0x20
#define FORMAT_CRC32C 0x40
#define FORMAT_CRC64  0x50
#define FORMAT_BASE   0xf0
#define FORMAT_ZEROS  0x01 /* the seed */
/* Offsets in the part for T10-DIF */
#define APP_AT	   2
#define REF_AT	   4
#define GUARD_AT   8
#define GUARD_IP   2
#define SEED_AT	   9
#define SEED_BIT   0x08
#define FLAGS_AT   13
#define COUNTS	   0x40
#define ESCAPE_REF 0x02
#define ESCAPE_APP 0x01

uint8_t mlx5_block_of(uint8_t selector)
{
	static const uint8_t sizes[] = {
		[1] = MLX5DV_BLOCK_SIZE_512,  [2] = MLX5DV_BLOCK_SIZE_520,
		[3] = MLX5DV_BLOCK_SIZE_4096, [4] = MLX5DV_BLOCK_SIZE_4160,
		[6] = MLX5DV_BLOCK_SIZE_4048,
	};

	return selector < COUNT(sizes) ? sizes[selector] : 0;
}

static void take_t10dif(const uint8_t *in, struct mlx5_sig_domain *d)
{
	d->kind = in[GUARD_AT] == GUARD_IP ? SIG_T10DIF_CSUM : SIG_T10DIF_CRC;
	d->seed = in[SEED_AT] & SEED_BIT ? SEED_ONES : SEED_ZEROS;
	d->app_tag = mailbox_word(in, APP_AT);
	d->ref_tag = mailbox_long(in, REF_AT);
	if (in[FLAGS_AT] & COUNTS)
		d->flags |= MLX5DV_SIG_T10DIF_FLAG_REF_REMAP;
	if (in[FLAGS_AT] & ESCAPE_REF)
		d->flags |= MLX5DV_SIG_T10DIF_FLAG_APP_REF_ESCAPE;
	if (in[FLAGS_AT] & ESCAPE_APP)
		d->flags |= MLX5DV_SIG_T10DIF_FLAG_APP_ESCAPE;
}

static void take_domain(uint8_t format, const uint8_t *t10dif, uint8_t selector,
			struct mlx5_sig_domain *d)
{
	d->block = mlx5_block_of(selector);
	if (!format) {
		take_t10dif(t10dif, d);
		return;
	}
	d->seed = format & FORMAT_ZEROS ? SEED_ZEROS : SEED_ONES;
	switch (format & FORMAT_BASE) {
	case FORMAT_CRC32C:
		d->kind = SIG_CRC32C;
		break;
	case FORMAT_CRC64:
		d->kind = SIG_CRC64_XP10;
		break;
	default:
		d->kind = SIG_CRC32;
		break;
	}
}

void mlx5_take_signature(const struct mlx5_queue *q, uint16_t index,
			 uint32_t at, struct mlx5_signature *sig)
{
	uint8_t bsf[MLX5_BSF_BYTES];
	bool shared;

	mlx5_read_segments(q, index, at, bsf, sizeof(bsf));
	shared = bsf[SIZE_AT] & SHARED;
	*sig = (struct mlx5_signature){.check_mask = bsf[CHECK_AT]};
	if (bsf[MEMORY_AT])
		take_domain(bsf[MEMORY_FORMAT_AT], bsf + MEMORY_T10DIF_AT,
			    bsf[MEMORY_AT], &sig->mem);
	if (shared || bsf[WIRE_AT])
		take_domain(bsf[WIRE_FORMAT_AT], bsf + WIRE_T10DIF_AT,
			    shared ? bsf[MEMORY_AT] : bsf[WIRE_AT], &sig->wire);
	if (!shared)
		return;
	sig->flags = MLX5DV_SIG_BLOCK_ATTR_FLAG_COPY_MASK;
	sig->copy_mask = bsf[WIRE_AT];
}

/* Offsets in the entry of an error */
#define EXPECTED_AT	16
#define ACTUAL_AT	20
#define EXPECTED_REF_AT 24
#define ACTUAL_REF_AT	28
#define SYNDROME_AT	32
#define DOMAIN_AT	35
#define KEY_AT		36
#define OFFSET_AT	40
#define OWNER_AT	63
#define ENTRY_BYTES	64

static uint16_t syndrome_of(uint8_t type)
{
	switch (type) {
	case MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG:
		return 1u << 11;
	case MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG:
		return 1u << 12;
	default:
		return 1u << 13;
	}
}

/* Returns a value at its place in a signature of 64 bits. */
static uint64_t aligned(const struct mlx5_sig_error *e, uint64_t value)
{
	if (e->type == MLX5DV_MKEY_SIG_BLOCK_BAD_REFTAG)
		return value;
	if (e->type == MLX5DV_MKEY_SIG_BLOCK_BAD_APPTAG)
		return value << 32;
	if (e->kind == SIG_CRC64_XP10)
		return value;
	return value << (e->kind == SIG_CRC32 || e->kind == SIG_CRC32C ? 32
								       : 48);
}

static void fill_entry(uint8_t *entry, uint32_t key,
		       const struct mlx5_sig_error *e)
{
	uint64_t expected = aligned(e, e->expected);
	uint64_t actual = aligned(e, e->actual);

	memset(entry, 0, OWNER_AT);
	mailbox_put_long(entry, EXPECTED_AT, (uint32_t)(expected >> 32));
	mailbox_put_long(entry, EXPECTED_REF_AT, (uint32_t)expected);
	mailbox_put_long(entry, ACTUAL_AT, (uint32_t)(actual >> 32));
	mailbox_put_long(entry, ACTUAL_REF_AT, (uint32_t)actual);
	mailbox_put_word(entry, SYNDROME_AT, syndrome_of(e->type));
	entry[DOMAIN_AT] = e->in_memory;
	mailbox_put_long(entry, KEY_AT, key);
	mailbox_put_long(entry, OFFSET_AT, (uint32_t)(e->offset >> 32));
	mailbox_put_long(entry, OFFSET_AT + 4, (uint32_t)e->offset);
}

void mlx5_tell(struct virtual_object *object, uint32_t key, const void *error)
{
	struct mlx5_cq *cq = object->own;
	uint8_t *entry = mlx5_next_entry(cq) + cq->size - ENTRY_BYTES;
	uint8_t mark = MLX5_CQE_SIG_ERR << 4 | !!(cq->produced & cq->entries);

	if (!mlx5_room(object))
		return;
	fill_entry(entry, key, error);
	__atomic_store_n(&entry[OWNER_AT], mark, __ATOMIC_RELEASE);
	cq->produced++;
}
