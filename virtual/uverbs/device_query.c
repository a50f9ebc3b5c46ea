// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queries of the device's attributes, and of the handles of a file's objects.
 */
#include <errno.h>
#include <string.h>
#include "virtual/uverbs/object.h"

/* Packs a firmware version such as "16.35.1012" as mlx5 does. */
static uint64_t pack_firmware(const char *text)
{
	unsigned int major = 0, minor = 0, sub = 0;

	if (sscanf(text, "%u.%u.%u", &major, &minor, &sub) < 1)
		return 0;
	return (uint64_t)major << 32 | (uint64_t)(minor & 0xffff) << 16 |
	       (sub & 0xffff);
}

static void fill_base(struct ib_uverbs_query_device_resp *r,
		      const struct device_info *d)
{
#define SAME(name) r->name = (typeof(r->name))d->limit[LIM_##name]
	SAME(max_mr_size), SAME(page_size_cap), SAME(vendor_id);
	SAME(vendor_part_id), SAME(hw_ver), SAME(max_qp), SAME(max_qp_wr);
	SAME(device_cap_flags), SAME(max_sge), SAME(max_sge_rd), SAME(max_cq);
	SAME(max_cqe), SAME(max_mr), SAME(max_pd), SAME(max_qp_rd_atom);
	SAME(max_ee_rd_atom), SAME(max_res_rd_atom), SAME(max_qp_init_rd_atom);
	SAME(max_ee_init_rd_atom), SAME(atomic_cap), SAME(max_ee);
	SAME(max_rdd), SAME(max_mw), SAME(max_raw_ipv6_qp);
	SAME(max_raw_ethy_qp), SAME(max_mcast_grp), SAME(max_mcast_qp_attach);
	SAME(max_total_mcast_qp_attach), SAME(max_ah), SAME(max_fmr);
	SAME(max_map_per_fmr), SAME(max_srq), SAME(max_srq_wr);
	SAME(max_srq_sge), SAME(max_pkeys), SAME(local_ca_ack_delay);
#undef SAME
	r->fw_ver = pack_firmware(d->fw);
	r->node_guid = htobe64(d->node_guid);
	r->sys_image_guid = r->node_guid;
	r->phys_port_cnt = (uint8_t)d->nports;
}

int query_device(struct command *c)
{
	struct ib_uverbs_query_device_resp r = {0};

	fill_base(&r, &c->device->info);
	command_put(c, UVERBS_ATTR_CORE_OUT, &r, sizeof(r));
	return 0;
}

static void fill_extended(struct ib_uverbs_ex_query_device_resp *r,
			  const uint64_t *limit)
{
	r->odp_caps.general_caps = limit[LIM_odp_general_caps];
	r->odp_caps.per_transport_caps.rc_odp_caps =
		(uint32_t)limit[LIM_odp_rc_caps];
	r->odp_caps.per_transport_caps.uc_odp_caps =
		(uint32_t)limit[LIM_odp_uc_caps];
	r->odp_caps.per_transport_caps.ud_odp_caps =
		(uint32_t)limit[LIM_odp_ud_caps];
	r->xrc_odp_caps = (uint32_t)limit[LIM_odp_xrc_caps];
	r->tm_caps.max_rndv_hdr_size =
		(uint32_t)limit[LIM_tm_max_rndv_hdr_size];
	r->tm_caps.max_num_tags = (uint32_t)limit[LIM_tm_max_num_tags];
	r->tm_caps.flags = (uint32_t)limit[LIM_tm_flags];
	r->tm_caps.max_ops = (uint32_t)limit[LIM_tm_max_ops];
	r->tm_caps.max_sge = (uint32_t)limit[LIM_tm_max_sge];
	r->timestamp_mask = limit[LIM_completion_timestamp_mask];
	r->hca_core_clock = limit[LIM_hca_core_clock];
	r->max_dm_size = limit[LIM_max_dm_size];
	r->cq_moderation_caps.max_cq_moderation_count =
		(uint16_t)limit[LIM_max_cq_count];
	r->cq_moderation_caps.max_cq_moderation_period =
		(uint16_t)limit[LIM_max_cq_period];
}

int ex_query_device(struct command *c)
{
	const struct virtual_driver *driver = c->device->driver;
	const uint64_t *limit = c->device->info.limit;
	struct ib_uverbs_ex_query_device asked;
	struct ib_uverbs_ex_query_device_resp r = {0};
	int err = 0;

	legacy_get(c, &asked);
	if (asked.comp_mask || asked.reserved)
		err = core_refuses(c->device, ROW_COMMAND_FIELD, EINVAL);
	if (!err && driver->query_device)
		err = driver->query_device(c);
	if (err)
		return err;
	fill_base(&r.base, &c->device->info);
	r.device_cap_flags_ex = limit[LIM_device_cap_flags_ex];
	r.rss_caps.supported_qpts = (uint32_t)limit[LIM_rss_supported_qpts];
	r.rss_caps.max_rwq_indirection_tables =
		(uint32_t)limit[LIM_max_rwq_indirection_tables];
	r.rss_caps.max_rwq_indirection_table_size =
		(uint32_t)limit[LIM_max_rwq_indirection_table_size];
	r.max_wq_type_rq = (uint32_t)limit[LIM_max_wq_type_rq];
	r.raw_packet_caps = (uint32_t)limit[LIM_raw_packet_caps];
	fill_extended(&r, limit);
	r.response_length = command_length(c, UVERBS_ATTR_CORE_OUT, sizeof(r));
	return legacy_answer(c, &r, sizeof(r));
}

/* Lists the handles of a sort, newest first as in the kernel's list. Returns
 * their number. */
static uint32_t list_handles(const struct virtual_file *f, uint16_t sort,
			     uint32_t *handles, uint32_t room)
{
	uint64_t made = UINT64_MAX;
	uint32_t n = 0;

	for (const struct virtual_object *o; n < room; n++) {
		o = object_before(f, sort, made);
		if (!o)
			break;
		made = o->made;
		handles[n] = (uint32_t)(o - f->object);
	}
	return n;
}

/* Returns true if the device has objects of this sort: those of verbs, and
 * those that the driver's methods are for. */
static bool has_objects(const struct virtual_device *d, uint16_t sort)
{
	if (sort <= UVERBS_OBJECT_ASYNC_EVENT)
		return true;
	for (unsigned int i = 0; i < d->driver->nmethods; i++)
		if (d->driver->methods[i].object == sort)
			return true;
	return false;
}

int info_handles(struct command *c)
{
	const struct ib_uverbs_attr *list =
		command_attr(c, UVERBS_ATTR_INFO_HANDLES_LIST);
	uint64_t sort = command_number(c, UVERBS_ATTR_INFO_OBJECT_ID);
	uint32_t total, room;

	if (!list || !list->len || list->len % sizeof(uint32_t) ||
	    sort > UINT16_MAX)
		return -EINVAL;
	if (!has_objects(c->device, (uint16_t)sort))
		return -ENOENT;
	room = list->len / (uint32_t)sizeof(uint32_t);
	total = list_handles(c->file, (uint16_t)sort,
			     (uint32_t *)(uintptr_t)list->data, room);
	command_attr(c, UVERBS_ATTR_INFO_HANDLES_LIST)->flags |=
		UVERBS_ATTR_F_VALID_OUTPUT;
	command_put(c, UVERBS_ATTR_INFO_TOTAL_HANDLES, &total, sizeof(total));
	return 0;
}
