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

const char *case_needs_alone(const struct program *p,
			     const struct device_info *d)
{
	for (int i = 0; i < p->ncalls; i++)
		for (size_t k = 0; k < COUNT(needs); k++)
			if (p->call[i].verb == needs[k].verb)
				return needs[k].what;
	for (int i = 0; i < p->ncalls; i++)
		for (int k = 0; k < p->call[i].nset; k++)
			if (is_large(&p->setting[p->call[i].first + k], d))
				return "memory of the machine";
	return NULL;
}
