// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands of protection domains, XRC domains and address handles.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "virtual/uverbs/object.h"

#define IS_A_HANDLE(type)                                                      \
	_Static_assert(sizeof(struct type) == sizeof(uint32_t), "and no more")
IS_A_HANDLE(ib_uverbs_alloc_pd_resp);
IS_A_HANDLE(ib_uverbs_open_xrcd_resp);
IS_A_HANDLE(ib_uverbs_create_ah_resp);

/* Makes an object, and answers with its handle alone. */
static int make_plain(struct command *c, struct making *w)
{
	int err = object_make(c, w);

	return err ? err : legacy_answer(c, &w->handle, sizeof(w->handle));
}

int alloc_pd(struct command *c)
{
	struct making w;

	making_init(&w, UVERBS_OBJECT_PD, V_alloc_pd, NO_OBJ);
	return make_plain(c, &w);
}

int open_xrcd(struct command *c)
{
	struct ib_uverbs_open_xrcd asked;
	struct virtual_domain *kept;
	struct making w;
	uint32_t file;
	int err;

	legacy_get(c, &asked);
	err = core_xrcd_file(c->device, (int)asked.fd, &file);
	if (err)
		return err;
	kept = malloc(sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	kept->file = file;
	making_init(&w, UVERBS_OBJECT_XRCD, V_open_xrcd, NO_OBJ);
	w.b.in.xrcd.comp_mask =
		IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	w.b.in.xrcd.fd = file;
	w.b.in.xrcd.oflags = (int32_t)asked.oflags;
	w.kept = kept;
	return make_plain(c, &w);
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
	struct ib_uverbs_create_ah asked;
	struct making w;
	uint16_t pd;
	int err;

	legacy_get(c, &asked);
	err = object_slot(c->file, UVERBS_OBJECT_PD, asked.pd_handle, &pd);
	if (err)
		return err;
	making_init(&w, UVERBS_OBJECT_AH, V_create_ah, pd);
	w.b.in.ah = address(&asked.attr);
	return make_plain(c, &w);
}
