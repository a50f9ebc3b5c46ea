// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * DMA handles and ibv_reg_mr_ex. The header of the build may lack them.
 */
#include "tests/stand-in/stand_in.h"

struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context,
				struct dmah_attr *attr);
int ibv_dealloc_dmah(struct ibv_dmah *dmah);
struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct mr_attr *attr);

struct ibv_dmah *ibv_alloc_dmah(struct ibv_context *context,
				struct dmah_attr *attr)
{
	struct bound b = fake_bound_on_context(V_alloc_dmah, context);
	struct ibv_dmah *dmah;
	struct answer a;

	b.in.dmah = *attr;
	dmah = fake_create(context, &b, &a);
	fake_spoil_input(&a, attr);
	return dmah;
}

int ibv_dealloc_dmah(struct ibv_dmah *dmah)
{
	return fake_destroy(V_dealloc_dmah, dmah);
}

struct ibv_mr *ibv_reg_mr_ex(struct ibv_pd *pd, struct mr_attr *attr)
{
	struct bound b = fake_bound_on_object(V_reg_mr_ex, pd);
	bool moves = attr->comp_mask & MR_ATTR_IOVA;
	struct ibv_mr *mr;
	struct answer a;

	b.in.mr_ex.length = attr->length;
	b.in.mr_ex.access = (uint32_t)attr->access;
	b.in.mr_ex.iova = attr->iova;
	b.in.mr_ex.comp_mask = attr->comp_mask;
	b.in.mr_ex.dmah = fake_slot(fake_of(pd), attr->dmah);
	mr = fake_create(pd->context, &b, &a);
	if (!mr)
		return NULL;
	mr->pd = pd;
	mr->addr = attr->addr;
	mr->length = attr->length;
	mr->lkey = a.outcome.out.keys.lkey;
	mr->rkey = a.outcome.out.keys.rkey;
	((struct fake_region *)mr)->iova =
		moves ? attr->iova : (uintptr_t)attr->addr;
	if (!moves && attr->access & IBV_ACCESS_ZERO_BASED)
		((struct fake_region *)mr)->iova = 0;
	return mr;
}
