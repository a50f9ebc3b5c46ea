// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cases of several messages with wrong signatures before the program asks for
 * errors: an mkey keeps the first error. The signatures are CRCs: an mkey of
 * T10-DIF would be in doubt after the first message.
 */
#include "vendor-mlx5/cases/signature.h"

#define DATA_AT 8
#define APART	16 /* bytes between the wrong data of two messages */

/* The messages of a case. A digit is the block that becomes wrong before a
 * message; 'g' is a message of the first block alone, which is still right. */
static const char *const orders[] = {"10",  "21",  "00",  "02",
				     "2g0", "g20", "210", "2gg0"};

/* The part of a block that becomes wrong. */
enum part { DATA, GUARD, PARTS };
static const char *const part_names[PARTS] = {"data", "guard"};

/* Messages through an mkey, and how many there were. */
struct kept {
	struct mkey_stage s, to;
	const struct sig_kind *kind;
	const struct mkey_way *way;
	struct mlx5_sig_domain d;
	uint32_t sent;
};

static uint32_t framed(const struct sig_kind *kind)
{
	return 512 + kind->bytes;
}

static struct kept prepare(struct gen *g, const struct sig_kind *kind,
			   const struct mkey_way *way)
{
	struct kept k = {.s = sig_stage(g, 0),
			 .kind = kind,
			 .way = way,
			 .d = sig_domain(kind)};

	sig_make_signed(&k.s, &k.d);
	return k;
}

/* Makes a part of a block wrong. The data of each message are wrong elsewhere.
 */
static void make_wrong(const struct kept *k, uint32_t block, enum part part)
{
	uint32_t at = block * framed(k->kind);

	if (part == GUARD)
		sig_corrupt(&k->s, k->s.p.mr, at + 512, 2);
	else
		sig_corrupt(&k->s, k->s.p.mr, at + DATA_AT + APART * k->sent,
			    8);
}

/* Sends blocks through the mkey, which the first message configures. */
static void send(struct kept *k, uint32_t blocks)
{
	uint32_t bytes = sig_takes_from(k->way) ? 512 : framed(k->kind);

	if (!k->sent++)
		k->to = sig_send_checked(&k->s, k->kind, &k->d, SIG_ALL,
					 k->way);
	else
		mkey_go(&k->to, k->way, 3 + k->sent, 0, blocks * bytes);
}

static void send_wrong(struct kept *k, uint32_t block, enum part part)
{
	make_wrong(k, block, part);
	send(k, SIG_BLOCKS);
}

/* The program asks twice: there is no second error. */
static void check_and_finish(const struct kept *k)
{
	sig_check(&k->to);
	sig_check(&k->to);
	mkey_finish(&k->to);
}

static bool opens(struct gen *g, const struct sig_kind *kind, const char *id)
{
	return sig_opens(g, kind, ROW_CHECK_FIRST,
			 "Several messages with wrong signatures",
			 "first/of-messages/%s", id);
}

static void in_order(struct gen *g, const char *order,
		     const struct sig_kind *kind, const struct mkey_way *way)
{
	struct kept k;
	char id[64];

	snprintf(id, sizeof(id), "%s/%s/%s", order, kind->name, way->name);
	if (!opens(g, kind, id))
		return;
	k = prepare(g, kind, way);
	for (const char *c = order; *c; c++)
		if (*c == 'g')
			send(&k, k.sent ? 1 : SIG_BLOCKS);
		else
			send_wrong(&k, (uint32_t)(*c - '0'), DATA);
	check_and_finish(&k);
}

/* The part of the last block, and then that of the first block. */
static void of_parts(struct gen *g, enum part first, enum part second,
		     const struct mkey_way *way)
{
	const struct sig_kind *kind = &sig_kinds[KIND_CRC32C];
	struct kept k;
	char id[64];

	snprintf(id, sizeof(id), "%s-%s/%s", part_names[first],
		 part_names[second], way->name);
	if (!opens(g, kind, id))
		return;
	k = prepare(g, kind, way);
	send_wrong(&k, 2, first);
	send_wrong(&k, 0, second);
	check_and_finish(&k);
}

/* The program asks after one message, and configures the mkey again. Two
 * messages follow. */
static void after_check(struct gen *g, const struct mkey_way *way)
{
	const struct sig_kind *kind = &sig_kinds[KIND_CRC32C];
	struct kept k;
	char id[64];

	snprintf(id, sizeof(id), "after-check/%s", way->name);
	if (!opens(g, kind, id))
		return;
	k = prepare(g, kind, way);
	send_wrong(&k, 2, DATA);
	sig_check(&k.to);
	make_wrong(&k, 1, DATA);
	k.to = sig_send_checked(&k.s, kind, &k.d, SIG_ALL, way);
	send_wrong(&k, 0, DATA);
	check_and_finish(&k);
}

/* Two mkeys in turn, each with an error in each of its messages. */
static void of_two_mkeys(struct gen *g, const struct mkey_way *way,
			 bool reverse)
{
	const struct sig_kind *kind = &sig_kinds[KIND_CRC32C];
	struct kept k, other;
	char id[64];

	snprintf(id, sizeof(id), "two-mkeys%s/%s", reverse ? "-reverse" : "",
		 way->name);
	if (!opens(g, kind, id))
		return;
	other = k = prepare(g, kind, way);
	other.s.mkey =
		mkey_make(g,
			  MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT |
				  MLX5DV_MKEY_INIT_ATTR_FLAGS_BLOCK_SIGNATURE,
			  MKEY_ENTRIES);
	send_wrong(&k, 2, DATA);
	send_wrong(&other, 1, DATA);
	send_wrong(reverse ? &other : &k, 0, DATA);
	send(reverse ? &k : &other, SIG_BLOCKS);
	sig_check(&other.to);
	sig_check(&k.to);
	sig_check(&other.to);
	check_and_finish(&k);
}

void mlx5_gen_sig_kept(struct gen *g)
{
	static const int ways[] = {WAY_WRITE_FROM, WAY_WRITE_TO};

	for (int kind = KIND_CRC32; kind < KIND_NR; kind++)
		for (int way = 0; way < WAY_NR; way++)
			in_order(g, "20", &sig_kinds[kind], &mkey_ways[way]);
	for (size_t w = 0; w < COUNT(ways); w++) {
		const struct mkey_way *way = &mkey_ways[ways[w]];

		for (size_t i = 0; i < COUNT(orders); i++)
			in_order(g, orders[i], &sig_kinds[KIND_CRC32C], way);
		of_parts(g, DATA, GUARD, way);
		of_parts(g, GUARD, DATA, way);
		of_parts(g, GUARD, GUARD, way);
		after_check(g, way);
		of_two_mkeys(g, way, false);
		of_two_mkeys(g, way, true);
	}
}
