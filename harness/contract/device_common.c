/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Computes what two linked devices have in common, for programs that make the
 * same calls on both.
 */
#include "contract/device.h"

static uint64_t common_limit(enum limit lim, uint64_t a, uint64_t b)
{
	if (lim == LIM_vendor_id || lim == LIM_vendor_part_id)
		return a;
	if (limit_is_set(lim))
		return a & b;
	return a < b ? a : b;
}

static void share_calls(struct device_info *c, const struct device_info *d)
{
	c->can_inject &= d->can_inject;
	c->can_connect &= d->can_connect;
	c->can_null_mr &= d->can_null_mr;
	c->can_rereg &= d->can_rereg;
	c->can_advise &= d->can_advise;
	c->can_import &= d->can_import;
	c->can_dmabuf &= d->can_dmabuf;
	c->can_reg_ex &= d->can_reg_ex;
	c->can_count &= d->can_count;
	c->can_wr &= d->can_wr;
	c->can_flush &= d->can_flush;
	c->can_raw &= d->can_raw;
	c->can_cq_ex &= d->can_cq_ex;
	c->old_calls &= d->old_calls;
	c->new_calls &= d->new_calls;
}

void device_common(const struct device_info *first,
		   const struct device_info *second, struct device_info *common)
{
	*common = *first;
	for (unsigned int i = 0; i < LIM_NR; i++)
		common->limit[i] = common_limit((enum limit)i, first->limit[i],
						second->limit[i]);
	share_calls(common, second);
	common->mtu = (enum ibv_mtu)device_link_mtu(first);
	common->common_of[0] = first;
	common->common_of[1] = second;
}
