// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table of flow rules, in the order in which the NIC looks at them.
 */
#include <errno.h>
#include <string.h>
#include "model/data/ring.h"
#include "virtual/nic/state.h"

/* Returns true if two equal rules cannot both be carried out. */
static bool contradicts(const struct nic_flow *is, const struct nic_flow *new)
{
	if (is->drops != new->drops)
		return true;
	return new->tags &&new->tag != is->tag;
}

/* Returns true if the NIC looks at one rule before another: at that of the
 * lower rank. */
static bool comes_before(const struct virtual_device *d,
			 const struct nic_flow *a, const struct nic_flow *b)
{
	if (model_breaks(core_model(d), ROW_FLOW_ORDER))
		return a->rank > b->rank;
	return a->rank < b->rank;
}

int flow_add(const struct virtual_device *d, struct nic_flow *flow)
{
	struct nic_raw *raw = &d->nic->raw;
	unsigned int at = raw->nflows;

	for (unsigned int i = 0; i < raw->nflows; i++)
		if (flow_equals(raw->flow[i], flow) &&
		    contradicts(raw->flow[i], flow))
			return -EEXIST;
	if (!nic_grow((void **)&raw->flow, raw->nflows, &raw->flow_room,
		      sizeof(struct nic_flow *)))
		return -ENOMEM;
	while (at && comes_before(d, flow, raw->flow[at - 1]))
		at--;
	flow->device = d;
	memmove(&raw->flow[at + 1], &raw->flow[at],
		(raw->nflows - at) * sizeof(struct nic_flow *));
	raw->flow[at] = flow;
	raw->nflows++;
	return 0;
}

void flow_drop(const struct virtual_device *d, const struct nic_flow *flow)
{
	struct nic_raw *raw = &d->nic->raw;
	unsigned int at = 0;

	while (at < raw->nflows && raw->flow[at] != flow)
		at++;
	if (at == raw->nflows)
		return;
	raw->nflows--;
	memmove(&raw->flow[at], &raw->flow[at + 1],
		(raw->nflows - at) * sizeof(struct nic_flow *));
}
