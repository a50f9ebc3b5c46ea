// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keeps an address handle of the model for each of the last addresses that
 * stood in requests.
 */
#include <stdlib.h>
#include <string.h>
#include "virtual/nic/state.h"

static uint16_t make_object(const struct virtual_device *d, struct bound *b)
{
	struct answer a;

	b->result = core_take_slot(d, &d->nic->file, 0);
	if (b->result == NO_OBJ)
		return NO_OBJ;
	if (!core_call_uncounted(d, b, &a))
		return b->result;
	core_free_slot(d, b->result);
	return NO_OBJ;
}

static uint16_t own_pd(const struct virtual_device *d)
{
	struct bound b = {.verb = V_alloc_pd, .on = d->context};

	if (!d->nic->has_pd[d->is_second])
		d->nic->pd[d->is_second] = make_object(d, &b);
	d->nic->has_pd[d->is_second] = true;
	return d->nic->pd[d->is_second];
}

static void drop_address(const struct virtual_device *d, struct nic_address *is)
{
	struct bound b = {
		.verb = V_destroy_ah, .on = is->slot, .result = NO_OBJ};
	struct answer a;

	if (is->slot == NO_OBJ)
		return;
	core_call_uncounted(d, &b, &a);
	core_free_slot(d, is->slot);
}

uint16_t nic_address(const struct virtual_device *d,
		     const struct ibv_ah_attr *ah)
{
	struct virtual_nic *nic = d->nic;
	struct bound b = {.verb = V_create_ah, .on = own_pd(d)};
	struct nic_address *is;

	for (unsigned int i = 0; i < nic->naddresses; i++)
		if (nic->address[i].second == d->is_second &&
		    !memcmp(&nic->address[i].ah, ah, sizeof(*ah)))
			return nic->address[i].slot;
	if (nic->naddresses < NIC_ADDRESSES) {
		is = &nic->address[nic->naddresses++];
	} else {
		is = &nic->address[nic->oldest++ % NIC_ADDRESSES];
		drop_address(d, is);
	}
	is->ah = *ah;
	is->second = d->is_second;
	b.in.ah = *ah;
	is->slot = make_object(d, &b);
	return is->slot;
}
