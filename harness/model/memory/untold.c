// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keeps account of bytes that an unpolled completion has not told of yet: they
 * may have arrived or not, and a library may place them during the poll.
 */
#include "model/memory/untold.h"
#include "contract/opcodes.h"

#define SHARED_BIT 63
_Static_assert(PROG_MAX_OBJECTS + MODEL_STALE_PLACES <= SHARED_BIT,
	       "those of a program have a bit each");

/* Queue pairs from slot 63 on share a bit: what they write stays unpolled. */
static uint64_t bit_of(uint16_t qp)
{
	return UINT64_C(1) << (qp < SHARED_BIT ? qp : SHARED_BIT);
}

/* Returns true if a send writes to a region at either end. */
static bool writes_region(const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);

	return op && op->access;
}

/* Returns true if a request is done and no polled completion tells that yet. */
static bool is_untold(const struct model_wr *w)
{
	return w->stage == WR_DONE || w->passed ||
	       (w->stage == WR_RETIRED && !w->recv && writes_region(w));
}

/* Returns true if a byte of a request that an indirect region leads to is here.
 */
static bool pieces_overlap(const struct model *m, const struct model_wr *w,
			   struct place at, uint64_t length)
{
	uint64_t run;

	for (uint32_t i = 0; i < w->data.n; i++) {
		struct elements one = element_at(&w->data, i);
		struct place whole = {one.offset, one.mr};
		uint64_t bytes = one.length;

		if (!region_is_indirect(m, one.mr))
			continue;
		convert_range(m, &whole, &bytes);
		for (uint64_t done = 0; done < bytes; done += run) {
			struct place piece = {whole.offset + done, whole.mr};
			struct elements below;

			run = indirect_resolve(m, &piece, bytes - done);
			below = (struct elements){.offset = piece.offset,
						  .length = (uint32_t)run,
						  .n = 1,
						  .mr = piece.mr};
			if (elements_overlap(&below, at, length))
				return true;
		}
	}
	return false;
}

/* Returns true if a request that is done may still have to place bytes here. */
static bool may_still_place(const struct model *m, const struct model_wr *w,
			    struct place at, uint64_t length)
{
	const struct opcode *op = opcode_of(w->opcode);

	if (!is_untold(w) || (!w->recv && !(op && opcode_fetches(op))))
		return false;
	return elements_overlap(&w->data, at, length) ||
	       pieces_overlap(m, w, at, length);
}

/* Requests whose pending bytes do not matter: the one with these elements, and
 * the sends of a queue pair that a fence waits for. */
struct trusted {
	const struct elements *own;
	uint16_t fenced; /* or NO_OBJ */
};

static bool queue_keeps(struct model *m, struct wr_queue q,
			const struct trusted *but, struct place at,
			uint64_t length)
{
	const struct model_mr *mr = &m->object[at.mr].mr;

	if (!(mr->in_completion[q.recv] & bit_of(q.owner)) ||
	    (!q.recv && q.owner == but->fenced))
		return false;
	each_wr(m, wr_list_at(m, q.owner, q.recv), w)
	{
		if (&w->data != but->own && may_still_place(m, w, at, length))
			return true;
	}
	return false;
}

static bool is_awaited(struct model *m, struct place at, uint64_t length,
		       struct trusted but);

static bool is_awaited_below(struct model *m, struct place at, uint64_t length,
			     struct trusted but)
{
	uint64_t run;

	for (; length; length -= run) {
		struct place below = at;

		run = indirect_resolve(m, &below, length);
		if (is_awaited(m, below, run, but))
			return true;
		at.offset += run;
	}
	return false;
}

/* Returns true if bytes here may change later. The bytes that a receive, a READ
 * or an atomic operation gets are there for certain only once its completion
 * was polled. */
static bool is_awaited(struct model *m, struct place at, uint64_t length,
		       struct trusted but)
{
	if (region_is_indirect(m, at.mr))
		return is_awaited_below(m, at, length, but);
	if (!(m->in_completion[0] | m->in_completion[1]) ||
	    !region_at(m, at.mr))
		return false;
	for (uint16_t qp = first_of(m, OBJ_QP); qp != NO_OBJ;
	     qp = next_of(m, OBJ_QP, qp))
		for (int recv = 0; recv < 2; recv++) {
			const struct wr_queue q = {qp, NO_OBJ, recv != 0};

			if (queue_keeps(m, q, &but, at, length))
				return true;
		}
	return false;
}

bool untold_awaited(struct model *m, struct place at, uint64_t length)
{
	return is_awaited(m, at, length, (struct trusted){.fenced = NO_OBJ});
}

bool untold_uncertain(struct model *m, const struct elements *to,
		      struct place target, struct place source, uint64_t length,
		      uint16_t fenced)
{
	return is_awaited(m, source, length,
			  (struct trusted){.fenced = fenced}) ||
	       is_awaited(m, target, length,
			  (struct trusted){.own = to, .fenced = NO_OBJ});
}

bool untold_rests_on_fence(struct model *m, struct place source,
			   uint64_t length, uint16_t fenced)
{
	if (!region_at(m, source.mr))
		return false;
	return m->object[source.mr].mr.depends_on_fence ||
	       (fenced != NO_OBJ && untold_awaited(m, source, length));
}

/* The bytes of an indirect region rest on its layout as well. */
static void note_below(struct model *m, const struct layout *layout,
		       enum row row, struct teller by)
{
	untold_note_elements(
		m, &layout->data,
		row == ROW_DATA_BYTES ? (enum row)layout->row : row, by);
}

void untold_note(struct model *m, uint16_t mr, enum row row, struct teller by)
{
	if (mr == NO_OBJ || mr >= MEMORY_INLINE)
		return;
	if (region_is_indirect(m, mr))
		note_below(m, &m->object[mr].mr.layout, row, by);
	m->object[mr].mr.last_row = (uint16_t)row;
	if (!m->observes) /* a device knows what it did */
		return;
	m->object[mr].mr.unpolled[by.recv] |= bit_of(by.qp);
	m->unpolled[by.recv] |= bit_of(by.qp);
	if (!by.in_completion)
		return;
	m->object[mr].mr.in_completion[by.recv] |= bit_of(by.qp);
	m->in_completion[by.recv] |= bit_of(by.qp);
}

void untold_note_elements(struct model *m, const struct elements *e,
			  enum row row, struct teller by)
{
	untold_note(m, e->mr, row, by);
	if (e->part.at)
		untold_note(m, e->part.mr, row, by);
}

void untold_polled(struct model *m, uint16_t qp, bool recv)
{
	uint64_t bit = bit_of(qp);

	if (qp >= SHARED_BIT || !(m->unpolled[recv] & bit))
		return;
	each_wr(m, wr_list_at(m, qp, recv), w)
	{
		if (is_untold(w))
			return;
	}
	m->unpolled[recv] &= ~bit;
	m->in_completion[recv] &= ~bit;
	for (uint16_t i = first_of(m, OBJ_MR); i != NO_OBJ;
	     i = next_of(m, OBJ_MR, i)) {
		m->object[i].mr.unpolled[recv] &= ~bit;
		m->object[i].mr.in_completion[recv] &= ~bit;
	}
}

struct teller teller_of_fetch(const struct model_wr *w)
{
	return (struct teller){.qp = w->owner, .in_completion = true};
}

struct teller teller_of_change(const struct model_wr *w)
{
	return (struct teller){.qp = w->owner};
}

struct teller teller_of_message(const struct model *m, const struct model_wr *w,
				uint16_t peer)
{
	if (device_iwarp(home_of(m, peer)) ||
	    kind_may_lose_messages((enum qp_kind)m->object[peer].qp.kind))
		return (struct teller){.qp = peer, .recv = true};
	return (struct teller){.qp = w->owner};
}
