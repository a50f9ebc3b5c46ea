/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests that use regions with flags beside the rights that they need: flags
 * that any device may ignore, and MW_BIND.
 */
#include "contract/opcodes.h"
#include "cases/data/data.h"
#include "cases/memory/memory.h"

static const struct beside {
	const char *name;
	uint32_t flags;
} beside[] = {
	{"relaxed", (uint32_t)IBV_ACCESS_RELAXED_ORDERING},
	{"optional", (uint32_t)IBV_ACCESS_OPTIONAL_RANGE},
	{"bind", IBV_ACCESS_MW_BIND},
	{"bind-relaxed",
	 IBV_ACCESS_MW_BIND | (uint32_t)IBV_ACCESS_RELAXED_ORDERING},
};

static const struct length message = {"1000", NULL, 1000};

static uint8_t region(const struct data *d, uint32_t access,
		      unsigned int pattern)
{
	struct gen *g = d->p.g;
	uint8_t mr = gen_mr_of(g, g->pd, 1000 + DATA_MARGIN, access);

	data_fill(d, mr, pattern);
	return mr;
}

/* Both regions have the flags. With `only` the other end's region has the right
 * of the operation alone, else each right. */
static void carried(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    const struct beside *b, bool only)
{
	uint32_t rights = only ? opcode_right(op, 0) : gen_remote_access(g);
	uint32_t access = IBV_ACCESS_LOCAL_WRITE | b->flags;
	struct data d;

	if (b->flags & IBV_ACCESS_MW_BIND && !claim_holds(CLAIM_MW, g->d))
		return;
	if (!post_op_case(g, kind, op, ROW_DATA_BYTES, "%s-%s",
			  only ? "only" : "all", b->name))
		return;
	d = data_stage(g, kind, &message);
	d.from = region(&d, access | rights, 3);
	if (!op->atomic)
		d.into = region(&d, access | rights, 4);
	data_carry(&d, op, &message);
}

void gen_memory_rights(struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes(&n);

	if (kind != QK_RC)
		return;
	gen_prefix(g, "mr-rights/%s/", qp_kind_slug(kind));
	for (size_t i = 0; i < n; i++) {
		if (!post_has(kind, &op[i]) || op[i].by_value || op[i].places)
			continue;
		for (size_t k = 0; k < COUNT(beside); k++) {
			carried(g, kind, &op[i], &beside[k], false);
			if (op[i].access)
				carried(g, kind, &op[i], &beside[k], true);
		}
	}
}
