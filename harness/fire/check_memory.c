// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Nothing is written but what requests may write. Looks at regions that the
 * prologue has filled, and at the memory of regions that are gone.
 */
#include "contract/opcodes.h"
#include "fire/checks.h"
#include "program/pattern.h"

enum { BYTES = 16384 }; /* longer regions are not looked at */

/* A region, and which of its bytes requests may write. */
struct region {
	uint16_t slot;
	uint64_t length;
	uint32_t pattern;
	bool local; /* a request may write to it as to its own elements */
	bool unknown;
	bool may[BYTES];
};

static void permit(struct region *g, uint64_t offset, uint64_t length)
{
	for (uint64_t i = 0; i < length && offset + i < BYTES; i++)
		g->may[offset + i] = true;
}

static bool is_plain(const struct wr_args *one)
{
	return one->num_sge <= 1 && !one->part && !one->lkey;
}

static bool is_atomic(uint32_t opcode)
{
	return opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static bool writes_remote(uint32_t opcode)
{
	return opcode == IBV_WR_RDMA_WRITE ||
	       opcode == IBV_WR_RDMA_WRITE_WITH_IMM || is_atomic(opcode);
}

static bool reads(uint32_t opcode)
{
	return opcode == IBV_WR_RDMA_READ || is_atomic(opcode);
}

static void permit_request(const struct fire_view *v, struct region *g,
			   const struct fire_request *r)
{
	const struct wr_args one = request_at(&r->post->b.in.wr, r->index);
	const uint64_t length = one.num_sge ? one.length : 0;

	if ((one.mr == g->slot || one.part_mr == g->slot) &&
	    (r->recv || reads(one.opcode))) {
		g->local = true;
		g->unknown |= !is_plain(&one);
		permit(g, one.offset, one.length);
	}
	if (!r->recv && one.remote == g->slot && writes_remote(one.opcode) &&
	    !fire_is_barred(v, r))
		permit(g, one.remote_offset,
		       is_atomic(one.opcode) ? sizeof(uint64_t) : length);
	g->unknown |= one.num_sge > 1 && one.remote == g->slot;
}

static const struct fire_record *filled_by(const struct fire_view *v,
					   uint16_t slot)
{
	const struct fire_record *fill = NULL;

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.verb == V_fill_mr && r->b.on == slot)
			fill = fill || r->end ? NULL : r;
	}
	return fill;
}

static bool takes_part(const struct fire_view *v, struct region *g)
{
	g->local = g->unknown = v->overflow || v->log->posts_elsewhere;
	for (uint64_t i = 0; i < BYTES; i++)
		g->may[i] = false;
	for (unsigned int i = 0; i < v->nrequests; i++)
		permit_request(v, g, &v->request[i]);
	return !g->unknown;
}

static bool is_intact(struct target *t, const struct region *g, uint64_t from,
		      uint64_t length)
{
	struct bound b = {.verb = V_read_mr, .on = g->slot, .result = NO_OBJ};
	unsigned char bytes[BYTES];
	struct memory_view want;
	struct outcome o;

	pattern_fill(bytes, g->pattern, from, length);
	pattern_describe(bytes, length, from, &want);
	b.in.memory.offset = from;
	b.in.memory.length = length;
	outcome_poison(&o, b.verb);
	t->ops->call(t, &b, &o);
	return o.ret != 0 || o.out.view.checksum == want.checksum;
}

static bool check_region(struct target *t, const struct fire_view *v,
			 const struct region *g, struct fire_said *said)
{
	uint64_t from = 0, to;

	for (; from < g->length; from = to) {
		to = from + 1;
		if (g->may[from])
			continue;
		while (to < g->length && !g->may[to])
			to++;
		if (is_intact(t, g, from, to - from))
			continue;
		while (is_intact(t, g, from, 1))
			from++;
		return fire_say(said, ROW_FIRE_BYTES,
				"bytes that no request may write stay",
				"%s: byte %llu was written",
				v->p->object[g->slot].name,
				(unsigned long long)from);
	}
	return false;
}

static bool check_live(struct target *t, const struct fire_view *v,
		       const struct fire_record *reg, struct fire_said *said)
{
	const struct fire_record *fill = filled_by(v, reg->b.result);
	struct region g = {.slot = reg->b.result,
			   .length = reg->b.in.mr.length};

	if (!fill || fill->b.in.memory.offset || g.length > BYTES ||
	    (fill->b.in.memory.length && fill->b.in.memory.length < g.length) ||
	    !takes_part(v, &g))
		return false;
	g.pattern = fill->b.in.memory.pattern;
	return check_region(t, v, &g, said);
}

/* The library may write a receive's bytes when its completion is polled, so
 * only regions that requests of the other end write to are looked at. */
static bool check_gone(struct target *t, const struct fire_view *v,
		       uint16_t slot, struct fire_said *said)
{
	struct region g = {.slot = slot};

	if (!t->ops->wrote_late || !takes_part(v, &g) || g.local ||
	    !t->ops->wrote_late(t, slot))
		return false;
	return fire_say(said, ROW_FIRE_LATE,
			"no byte is written after ibv_dereg_mr",
			"%s: its memory was written after it was deregistered",
			v->p->object[slot].name);
}

bool fire_check_memory(struct target *t, const struct fire_view *v,
		       struct fire_said *said)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.verb == V_reg_mr && !r->end &&
		    v->results->alive[r->b.result] && check_live(t, v, r, said))
			return true;
		if (r->b.verb == V_dereg_mr && r->end && fire_granted(r) &&
		    check_gone(t, v, r->b.on, said))
			return true;
	}
	return false;
}
