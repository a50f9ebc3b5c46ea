// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Two calls of ibv_rereg_mr in a row, with each pair of flag sets.
 */
#include <stdio.h>
#include "contract/opcodes.h"
#include "cases/memory/rereg.h"

static const struct length message = {"1000", NULL, 1000};

/* Two changes. Before the one that gives them, the region has neither the
 * rights nor the domain; with `taken` the first change takes the right to
 * write. */
struct twice {
	uint32_t first, second;
	bool taken;
};

static bool twice_case(struct gen *g, const struct twice *t)
{
	char first[64], second[64], name[160];

	rereg_name_flags(g, t->first, first, sizeof(first));
	rereg_name_flags(g, t->second, second, sizeof(second));
	snprintf(name, sizeof(name), "twice/%s-%s%s", first, second,
		 t->taken ? "-taken" : "");
	return rereg_case(g, ROW_REREG_ACCEPT, name);
}

/* Returns the rights after a number of changes. */
static uint32_t twice_rights(const struct gen *g, const struct twice *t, int n)
{
	const uint32_t flags[] = {t->first, t->second};

	if (t->taken && n)
		return rereg_all_rights(g) & ~(uint32_t)IBV_ACCESS_REMOTE_WRITE;
	for (int i = n; i < 2; i++)
		if (flags[i] & REREG_RIGHTS && !t->taken)
			return IBV_ACCESS_LOCAL_WRITE;
	return rereg_all_rights(g);
}

/* Makes a change of the region. Returns its length. */
static uint64_t change_again(const struct data *d, uint32_t flags, uint8_t pd,
			     uint64_t length, uint32_t access)
{
	rereg_call(d->p.g, d->into, flags);
	rereg_put_change(d->p.g, flags, pd, 2 * length, access);
	if (!(flags & REREG_MEMORY))
		return length;
	data_fill(d, d->into, 5);
	return 2 * length;
}

/* Posts a request to an offset of the region. */
static void reach(const struct data *d, uint32_t opcode, uint64_t wr_id,
		  uint64_t offset)
{
	struct program *prog = d->p.g->p;

	data_send(d, opcode_of(opcode), wr_id, &message);
	prog_obj(prog, F_send_mr, d->from);
	prog_obj(prog, F_send_remote, d->into);
	prog_num(prog, F_send_remote_offset, offset);
}

/* The bytes, the rights and the end of the region are those of the last changes
 * that named them. */
static void twice(struct gen *g, const struct twice *t)
{
	uint64_t length = REREG_LENGTH, end;
	uint8_t other;
	struct data d;
	bool moves = (t->first ^ t->second) & REREG_DOMAIN;

	if (!twice_case(g, t))
		return;
	d = data_stage(g, QK_RC, &message);
	other = gen_pd(g);
	d.into = gen_mr_of(g, moves ? other : g->pd, REREG_LENGTH,
			   twice_rights(g, t, 0));
	data_fill(&d, d.into, 4);
	length = change_again(&d, t->first,
			      t->second & REREG_DOMAIN ? other : g->pd, length,
			      twice_rights(g, t, 1));
	length = change_again(&d, t->second, g->pd, length,
			      twice_rights(g, t, 2));
	data_pair(&d);
	reach(&d, IBV_WR_RDMA_READ, 1, 0);
	post_poll(&d.p, 1);
	end = length - (uint64_t)message.bytes;
	if (!t->taken) {
		reach(&d, IBV_WR_RDMA_WRITE, 2, end);
		data_wait(&d, opcode_of(IBV_WR_RDMA_WRITE));
		end++;
	}
	reach(&d, IBV_WR_RDMA_WRITE, 3, end);
	rereg_finish(&d);
}

void gen_memory_rereg_twice(struct gen *g)
{
	const uint32_t all = REREG_MEMORY | REREG_DOMAIN | REREG_RIGHTS;
	struct twice t;

	for (t.first = 1; t.first <= all; t.first++)
		for (t.second = 1; t.second <= all; t.second++) {
			t.taken = false;
			twice(g, &t);
			t.taken = true;
			if (t.first & REREG_RIGHTS &&
			    !(t.second & REREG_RIGHTS))
				twice(g, &t);
		}
}
