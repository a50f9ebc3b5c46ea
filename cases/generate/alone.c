/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which cases need a device for themselves. Other cases change what
 * they see, or see what they change, although each process has its own context:
 * such things belong to the device or to its port, or are the memory of the
 * machine.
 */
#include <stddef.h>
#include "cases/generate/case.h"
#include "contract/count.h"

static const struct {
	enum verb verb;
	const char *what;
} needs[] = {
	{V_link, "the link of the port"},
	{V_attach_mcast, "all members of a multicast group"},
	{V_create_flow, "the packets that the port receives"},
	{V_alloc_dm, "the memory of the device"},
};

/* The largest sizes of which 64 objects at once leave memory to the machine.
 * rxe 6.1 grants 1,048,576 sends, which take 256 MB of the kernel. */
static const struct {
	enum field size;
	int64_t most;
} sizes[] = {
	{F_max_send_wr, 1 << 14}, {F_max_recv_wr, 1 << 14},
	{F_srq_max_wr, 1 << 14},  {F_srq_attr_max_wr, 1 << 14},
	{F_wq_max_wr, 1 << 14},	  {F_cqe, 1 << 16},
	{F_mr_length, 1 << 24},
};

static bool is_large(const struct setting *s, const struct device_info *d)
{
	int64_t number = s->value.num;

	if (s->value.kind == VAL_LIMIT)
		number += (int64_t)d->limit[s->value.ref];
	else if (s->value.kind != VAL_NUM)
		return false;
	for (size_t i = 0; i < COUNT(sizes); i++)
		if (s->field == sizes[i].size && number > sizes[i].most)
			return true;
	return false;
}

static const char *need_of(enum verb verb)
{
	for (size_t i = 0; i < COUNT(needs); i++)
		if (needs[i].verb == verb)
			return needs[i].what;
	return NULL;
}

bool verb_needs_alone(enum verb verb)
{
	return need_of(verb) != NULL;
}

static bool has_large(const struct program *p, const struct call *call,
		      const struct device_info *d)
{
	for (int i = 0; i < call->nset; i++)
		if (is_large(&p->setting[call->first + i], d))
			return true;
	return false;
}

const char *case_needs_alone(const struct program *p,
			     const struct device_info *d)
{
	const char *what = NULL;

	for (int i = 0; i < p->ncalls && !what; i++)
		what = need_of(p->call[i].verb);
	for (int i = 0; i < p->ncalls && !what; i++)
		if (has_large(p, &p->call[i], d))
			what = "memory of the machine";
	return what;
}
