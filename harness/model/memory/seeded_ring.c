// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Seeded fault: where the send ring of a queue pair ends, for inline data that
 * run over its end. A model has no ring; its blocks are those of mlx5.
 */
#include "contract/opcodes.h"
#include "model/internal.h"

#define BLOCK 64 /* bytes of a send ring */

/* Returns the bytes of a request before its elements or inline data: control,
 * then address or remote address. */
static uint32_t ring_header(const struct model *m, const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);
	enum qp_kind kind = (enum qp_kind)m->object[w->owner].qp.kind;
	uint32_t bytes = 16;

	if (kind == QK_UD)
		bytes += 48;
	if (kind == QK_XRC_SEND)
		bytes += 16;
	if (op && op->access)
		bytes += op->atomic ? 32 : 16;
	return bytes;
}

static uint32_t power_of_2(uint32_t n)
{
	uint32_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

/* Returns how many blocks the send ring of a queue pair has. */
static uint32_t ring_size(const struct model_qp *qp)
{
	uint32_t inlined = qp->init.cap.max_inline_data
				   ? qp->init.cap.max_inline_data + 4
				   : 0;
	uint32_t data = qp->init.cap.max_send_sge * 16;
	uint32_t wqe = (qp->kind == QK_UD ? 64 : 48) +
		       (inlined > data ? inlined : data);

	wqe = power_of_2((wqe + BLOCK - 1) / BLOCK);
	return power_of_2(qp->init.cap.max_send_wr * wqe);
}

/* Returns how many bytes of inline data there is room for before the end. */
static uint32_t left_of_ring(const struct model *m, const struct model_wr *w)
{
	const struct model_qp *qp = &m->object[w->owner].qp;
	uint32_t size = ring_size(qp), header = ring_header(m, w) + 4;
	uint32_t bytes = (size - qp->ring_blocks % size) * BLOCK;

	return bytes > header ? bytes - header : 0;
}

uint64_t seeded_ring_left(const struct model *m, const struct model_wr *w)
{
	if (!mutant_has_quirk(m->mutant, QUIRK_INLINE_RING) &&
	    !(mutant_has_quirk(m->mutant, QUIRK_INLINE_TAIL) &&
	      ring_header(m, w) + 4 + w->length > 2 * BLOCK))
		return UINT64_MAX;
	return left_of_ring(m, w);
}

void seeded_wrap_inline(struct model *m, const struct model_wr *w,
			const struct wr_args *in)
{
	uint32_t first, left;
	struct elements given, second;

	if (!mutant_has_quirk(m->mutant, QUIRK_INLINE_RING_SGE) ||
	    w->copy == NO_OBJ)
		return;
	elements_of(in, &given);
	if (given.n < 2)
		return;
	left = left_of_ring(m, w);
	first = element_at(&given, 0).length;
	second = element_at(&given, 1);
	if (left <= first || left >= first + second.length)
		return;
	copy_fenced(m, &w->data, left, &second, first + second.length - left,
		    NO_OBJ);
}

static uint32_t ring_blocks(const struct model *m, const struct model_wr *w)
{
	uint32_t bytes = ring_header(m, w);

	bytes += w->copy != NO_OBJ ? 4 + w->length : 16 * w->data.n;
	return (bytes + BLOCK - 1) / BLOCK;
}

void seeded_ring_count(struct model *m, struct model_wr *w)
{
	w->ring_at = m->object[w->owner].qp.ring_blocks;
	m->object[w->owner].qp.ring_blocks += ring_blocks(m, w);
}

uint32_t seeded_ring_turn(const struct model *m, const struct model_wr *w)
{
	return w->ring_at / ring_size(&m->object[w->owner].qp);
}

void seeded_ring_abort(struct model *m, uint16_t qp)
{
	if (!mutant_has_quirk(m->mutant, QUIRK_ABORT_BLOCKS))
		return;
	each_wr(m, wr_list_at(m, qp, false), w)
	{
		if (w->stage == WR_BUILT && w->copy != NO_OBJ)
			m->object[qp].qp.ring_lost += ring_blocks(m, w) - 1;
	}
}

bool seeded_ring_full(struct model *m, uint16_t qp)
{
	uint32_t used = m->object[qp].qp.ring_lost;

	if (!used || !mutant_has_quirk(m->mutant, QUIRK_ABORT_BLOCKS))
		return false;
	each_wr(m, wr_list_at(m, qp, false), w)
	{
		if (w->stage == WR_BUILT || w->stage == WR_POSTED)
			used += ring_blocks(m, w);
	}
	return used > ring_size(&m->object[qp].qp);
}
