// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands of protection domains, XRC domains and address handles.
 */
#include <string.h>
#include "virtual/object.h"

int alloc_pd(struct command *c)
{
	struct ib_uverbs_alloc_pd_resp r = {0};
	struct making w;
	int err;

	making_init(&w, UVERBS_OBJECT_PD, V_alloc_pd, NO_OBJ);
	err = object_make(c, &w);
	if (err)
		return err;
	r.pd_handle = w.handle;
	command_put_struct(c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
	return 0;
}

/* Commands that say nothing but a handle. */
static int destroy(struct command *c, uint16_t sort)
{
	uint32_t handle, told;

	command_get(c, UVERBS_ATTR_CORE_IN, &handle, sizeof(handle));
	return object_destroy(c->file, sort, handle, &told);
}

int dealloc_pd(struct command *c)
{
	return destroy(c, UVERBS_OBJECT_PD);
}

int dereg_mr(struct command *c)
{
	return destroy(c, UVERBS_OBJECT_MR);
}

int dealloc_mw(struct command *c)
{
	return destroy(c, UVERBS_OBJECT_MW);
}

int destroy_ah(struct command *c)
{
	return destroy(c, UVERBS_OBJECT_AH);
}

int close_xrcd(struct command *c)
{
	return destroy(c, UVERBS_OBJECT_XRCD);
}

int open_xrcd(struct command *c)
{
	struct ib_uverbs_open_xrcd_resp r = {0};
	struct ib_uverbs_open_xrcd asked;
	struct making w;
	int err;

	command_get(c, UVERBS_ATTR_CORE_IN, &asked, sizeof(asked));
	making_init(&w, UVERBS_OBJECT_XRCD, V_open_xrcd, NO_OBJ);
	w.b.in.xrcd.comp_mask =
		IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	w.b.in.xrcd.fd = core_xrcd_file(c->device, (int)asked.fd);
	w.b.in.xrcd.oflags = (int32_t)asked.oflags;
	err = object_make(c, &w);
	if (err)
		return err;
	r.xrcd_handle = w.handle;
	command_put_struct(c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
	return 0;
}

static struct ibv_ah_attr address(const struct ib_uverbs_ah_attr *a)
{
	struct ibv_ah_attr ah = {
		.grh = {.flow_label = a->grh.flow_label,
			.sgid_index = a->grh.sgid_index,
			.hop_limit = a->grh.hop_limit,
			.traffic_class = a->grh.traffic_class},
		.dlid = a->dlid,
		.sl = a->sl,
		.src_path_bits = a->src_path_bits,
		.static_rate = a->static_rate,
		.is_global = a->is_global,
		.port_num = a->port_num,
	};

	memcpy(&ah.grh.dgid, a->grh.dgid, sizeof(ah.grh.dgid));
	return ah;
}

int create_ah(struct command *c)
{
	struct ib_uverbs_create_ah_resp r = {0};
	struct ib_uverbs_create_ah asked;
	struct making w;
	uint16_t pd;
	int err;

	command_get(c, UVERBS_ATTR_CORE_IN, &asked, sizeof(asked));
	err = object_slot(c->file, UVERBS_OBJECT_PD, asked.pd_handle, &pd);
	if (err)
		return err;
	making_init(&w, UVERBS_OBJECT_AH, V_create_ah, pd);
	w.b.in.ah = address(&asked.attr);
	err = object_make(c, &w);
	if (err)
		return err;
	r.ah_handle = w.handle;
	command_put_struct(c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
	return 0;
}
