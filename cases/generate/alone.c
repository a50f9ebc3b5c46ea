/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides which cases need a device for themselves. Other cases change what
 * they see, or see what they change, although each process has its own context:
 * such things belong to the device or to its port.
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

const char *case_needs_alone(const struct program *p)
{
	for (int i = 0; i < p->ncalls; i++)
		for (size_t k = 0; k < COUNT(needs); k++)
			if (p->call[i].verb == needs[k].verb)
				return needs[k].what;
	return NULL;
}
