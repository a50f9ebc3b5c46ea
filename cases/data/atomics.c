// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Values of atomic operations: sums with carries, exchanges that do and do not
 * take place, and a fetched value of two elements.
 */
#include "cases/data/data.h"

static const uint64_t ones = UINT64_MAX;

static const struct length small = {"", NULL, 1000};

static void put_atomic(const struct data *d, uint32_t opcode, uint64_t wr_id,
		       uint64_t compare_add, uint64_t swap)
{
	struct program *prog = d->p.g->p;

	data_send(d, opcode_of(opcode), wr_id, &small);
	prog_num(prog, F_send_offset, DATA_AT + 16 * wr_id);
	prog_num(prog, F_send_compare_add, compare_add);
	prog_num(prog, F_send_swap, swap);
}

static void atomic(const struct data *d, uint32_t opcode, uint64_t wr_id,
		   uint64_t compare_add, uint64_t swap)
{
	put_atomic(d, opcode, wr_id, compare_add, swap);
	post_poll(&d->p, 1);
}

/* The same on another word of the target. */
static void atomic_at(const struct data *d, uint32_t opcode, uint64_t wr_id,
		      unsigned int word, uint64_t compare_add, uint64_t swap)
{
	put_atomic(d, opcode, wr_id, compare_add, swap);
	prog_num(d->p.g->p, F_send_remote_offset, DATA_AT + 8 * word);
	post_poll(&d->p, 1);
}

/* Starts with zeros: a sum, an overflow, and exchanges that do and do not take
 * place. Each old value goes to another offset. */
static void atomics(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_ATOMIC_FETCH_AND_ADD);
	struct data d;

	if (!gen_id(g, "atomic/values") ||
	    !post_op_says(g, kind, op, ROW_DATA_ATOMIC))
		return;
	d = data_stage(g, kind, &small);
	data_fill(&d, d.from, 0);
	data_pair(&d);
	atomic(&d, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, 0x0123456789abcdef, 77);
	atomic(&d, IBV_WR_ATOMIC_FETCH_AND_ADD, 2, ones, 0);
	data_look(&d, d.from);
	atomic(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 3, 0x0123456789abcdee, 42);
	atomic(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 4, 0x0123456789abcdee, 43);
	data_look(&d, d.from);
	atomic(&d, IBV_WR_ATOMIC_FETCH_AND_ADD, 5, (uint64_t)-43, 1);
	atomic(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 6, ones, ones - 1);
	data_look(&d, d.into);
	data_look(&d, d.from);
	gen_done(g);
}

/* An exchange compares all 64 bits: one bit of either half is another value. */
static void atomic_halves(struct gen *g, enum qp_kind kind)
{
	const struct opcode *op = opcode_of(IBV_WR_ATOMIC_CMP_AND_SWP);
	const uint64_t value = 0x0123456789abcdef;
	struct data d;

	if (!gen_id(g, "atomic/halves") ||
	    !post_op_says(g, kind, op, ROW_DATA_ATOMIC))
		return;
	d = data_stage(g, kind, &small);
	data_fill(&d, d.from, 0);
	data_pair(&d);
	atomic(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 1, 0, value);
	atomic(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 2, value ^ 1, 42);
	atomic(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 3, value ^ 1ull << 32, 43);
	atomic(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 4, value ^ 1ull << 63, 44);
	data_look(&d, d.into);
	atomic(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 5, value, ~value);
	data_look(&d, d.into);
	data_look(&d, d.from);
	gen_done(g);
}

/* The fetched value is scattered over two halves, or one element is empty. */
static void atomic_parts(struct gen *g, enum qp_kind kind, uint64_t first,
			 uint64_t second)
{
	const struct opcode *op = opcode_of(IBV_WR_ATOMIC_FETCH_AND_ADD);
	enum row row = first && second ? ROW_ATOMIC_PARTS : ROW_DATA_ATOMIC;
	struct data d;

	if (!gen_id(g, "atomic/elements-%u-%u", (unsigned int)first,
		    (unsigned int)second) ||
	    !post_op_says(g, kind, op, row))
		return;
	d = data_stage(g, kind, &small);
	data_pair(&d);
	data_send(&d, op, 1, &small);
	prog_num(g->p, F_send_num_sge, 2);
	prog_num(g->p, F_send_length, first);
	prog_num(g->p, F_send_stride, 32);
	prog_num(g->p, F_send_part, 2);
	prog_num(g->p, F_send_part_length, second);
	prog_num(g->p, F_send_compare_add, 0x1234);
	if (g->wr)
		prog_num(g->p, F_send_setter, SET_SGE_LIST);
	post_poll_for(&d.p, 1, row == ROW_DATA_ATOMIC ? POST_WAIT : POST_MAYBE);
	data_look_all(&d);
	gen_done(g);
}

static void atomics_in_parts(struct gen *g, enum qp_kind kind)
{
	static const uint64_t lengths[][2] = {{8, 0}, {0, 8}, {4, 4}, {3, 5}};

	for (int i = 0; i < 4; i++)
		if (gen_full(g) || i % 2 == 0)
			atomic_parts(g, kind, lengths[i][0], lengths[i][1]);
}

/* Additions, of which each needs a carry. */
enum carries { ONE, ABOVE, SMALL, BORROW, SAME, CARRIES };

#define UPPER UINT64_C(0x0123456700000000)

/* Returns a word whose lowest `bits` bits are ones. */
static uint64_t low_ones(unsigned int bits)
{
	return ones >> (64 - bits);
}

/* Returns the addend of sum 1 to 8, and the word that it is added to. */
static uint64_t addend_of(enum carries carries, unsigned int sum,
			  uint64_t *word)
{
	unsigned int bits = 8 * sum;

	*word = low_ones(bits);
	switch (carries) {
	case ABOVE:
		*word |= UPPER;
		return 3;
	case SMALL:
		*word = UPPER | low_ones(32);
		return low_ones(4 * sum);
	case BORROW:
		*word = sum < 8 ? *word + 1 : 0;
		return ones;
	case SAME:
		return *word;
	default:
		return 1;
	}
}

/* Sums of eight words of the region: carries out of each byte, of a small
 * addend, of a negative one, and of all bits. */
static void atomic_carries(struct gen *g, enum qp_kind kind,
			   enum carries carries)
{
	static const char *const names[CARRIES] = {"one", "above", "small",
						   "borrow", "same"};
	const struct opcode *op = opcode_of(IBV_WR_ATOMIC_FETCH_AND_ADD);
	struct data d;

	if (!gen_id(g, "atomic/carry-%s", names[carries]) ||
	    !post_op_says(g, kind, op, ROW_DATA_ATOMIC))
		return;
	d = data_stage(g, kind, &small);
	data_fill(&d, d.from, 0);
	data_pair(&d);
	for (unsigned int sum = 1; sum <= 8; sum++) {
		uint64_t word, addend = addend_of(carries, sum, &word);

		atomic_at(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 2 * sum, sum, 0, word);
		atomic_at(&d, IBV_WR_ATOMIC_FETCH_AND_ADD, 2 * sum + 1, sum,
			  addend, 0);
	}
	data_look(&d, d.into);
	data_look(&d, d.from);
	gen_done(g);
}

/* Exchanges whose comparison fails in one byte, or which change one byte, of a
 * word for each byte. */
static void atomic_bytes(struct gen *g, enum qp_kind kind, bool changes)
{
	const struct opcode *op = opcode_of(IBV_WR_ATOMIC_CMP_AND_SWP);
	const uint64_t value = 0x0123456789abcdef;
	struct data d;

	if (!gen_id(g, "atomic/%s-byte", changes ? "change" : "compare") ||
	    !post_op_says(g, kind, op, ROW_DATA_ATOMIC))
		return;
	d = data_stage(g, kind, &small);
	data_fill(&d, d.from, 0);
	data_pair(&d);
	for (unsigned int byte = 1; byte <= 8; byte++) {
		uint64_t other = value ^ UINT64_C(0x5a) << 8 * (byte - 1);

		atomic_at(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 2 * byte, byte, 0,
			  value);
		atomic_at(&d, IBV_WR_ATOMIC_CMP_AND_SWP, 2 * byte + 1, byte,
			  changes ? value : other, changes ? other : ~value);
	}
	data_look(&d, d.into);
	data_look(&d, d.from);
	gen_done(g);
}

void gen_data_atomics(struct gen *g, enum qp_kind kind)
{
	atomics(g, kind);
	atomic_halves(g, kind);
	for (enum carries carries = 0; carries < CARRIES; carries++)
		atomic_carries(g, kind, carries);
	atomic_bytes(g, kind, false);
	atomic_bytes(g, kind, true);
	atomics_in_parts(g, kind);
}
