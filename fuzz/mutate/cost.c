// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides what a call costs. The largest completion queue takes a quarter of a
 * GiB, which the provider writes to. Forty such queues may take more memory
 * than a machine has, and more time than --timeout allows.
 */
#include "fuzz/mutate/cost.h"
#include "fuzz/mutate/new_call.h"
#include "program/text.h"

/* The size of the largest region */
#define BYTES MR_MAPPED_MAX
/* The most bytes that a call may read of a region, which takes time */
#define READ_BYTES (1 << 22)
/* The entries of the largest completion queue of any device. A number that
 * depends on the device counts as this number. */
#define ENTRIES	    (1 << 22)
#define ENTRY_BYTES 64

/* Returns the number that a call gives a field; `most` if the number is larger
 * or depends on the device; 0 if the call does not set the field. */
static uint64_t number(const struct program *p, unsigned int call, enum field f,
		       uint64_t most)
{
	const struct call *c = &p->call[call];
	const struct setting *s = find_setting(p, c->first, c->nset, f);

	if (!s)
		return 0;
	return s->value.kind != VAL_NUM || (uint64_t)s->value.num > most
		       ? most
		       : (uint64_t)s->value.num;
}

/* Returns the bytes of a region's memory. A region that is too long to be
 * mapped has one page, which counts as 0. */
static uint64_t region_bytes(const struct program *p, unsigned int call,
			     enum field f)
{
	uint64_t length = number(p, call, f, MR_MAPPED_MAX + 1);

	return length <= MR_MAPPED_MAX ? length : 0;
}

static uint64_t bytes_of(const struct program *p, unsigned int call)
{
	if (verb_info((enum verb)p->call[call].verb)->in == FAM_CQ)
		return number(p, call, F_cqe, ENTRIES) * ENTRY_BYTES;
	switch (p->call[call].verb) {
	case V_reg_mr:
	case V_reg_mr_iova:
		return region_bytes(p, call, F_mr_length);
	case V_reg_mr_ex:
		return region_bytes(p, call, F_ex_length);
	case V_reg_dmabuf_mr:
		return region_bytes(p, call, F_dmabuf_size);
	case V_rereg_mr:
		return region_bytes(p, call, F_rereg_length);
	default:
		return 0;
	}
}

static bool reads_much(const struct program *p, unsigned int call)
{
	const struct call *c = &p->call[call];
	int made;

	if (c->verb != V_read_mr)
		return false;
	if (find_setting(p, c->first, c->nset, F_memory_length))
		return number(p, call, F_memory_length, READ_BYTES + 1) >
		       READ_BYTES;
	made = making_call(p, c->on);
	return made >= 0 && number(p, (unsigned int)made, F_mr_length,
				   READ_BYTES + 1) > READ_BYTES;
}

static void cut_wait(struct program *p, unsigned int call, int64_t *left)
{
	const struct call *c = &p->call[call];

	for (unsigned int i = 0; i < c->nset; i++) {
		struct setting *s = &p->setting[c->first + i];

		if (!field_is_wait_time((enum field)s->field) ||
		    s->value.kind != VAL_NUM)
			continue;
		if (s->value.num > *left)
			s->value.num = *left;
		*left -= s->value.num;
	}
}

struct budget budget_new(void)
{
	return (struct budget){.wait_ms = COST_WAIT_MS, .bytes = BYTES};
}

bool budget_allows(struct budget *left, struct program *p, unsigned int call)
{
	uint64_t bytes = bytes_of(p, call);

	cut_wait(p, call, &left->wait_ms);
	if (bytes > left->bytes || reads_much(p, call))
		return false;
	left->bytes -= bytes;
	return true;
}
