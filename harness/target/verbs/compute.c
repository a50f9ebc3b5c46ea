// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The functions of libibverbs that only compute, and which of the newer symbols
 * the library has.
 */
#include <dlfcn.h>
#include "program/repro/parts/compute.h"
#include "target/verbs/verbs_target.h"

uint32_t verbs_new_calls(void)
{
	static const char *const symbols[NEW_NR] = {
#define NEW_CALL(id, symbol, since) [NEW_##id] = symbol,
#include "contract/tables/new_calls.def"
	};
	uint32_t bits = 0;

	for (int i = 0; i < NEW_NR; i++)
		bits |= (dlsym(RTLD_DEFAULT, symbols[i]) ? 1u : 0u) << i;
	return bits;
}

void real_compute(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	const struct compute_args *in = &b->in.compute;

	(void)t;
	RECORD_INT(o, compute_all(in->function, in->value, in->caps, in->count,
				  &o->out.computed));
}
