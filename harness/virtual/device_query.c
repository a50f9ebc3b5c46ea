// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What the device says of itself as a whole.
 */
#include <errno.h>
#include <string.h>
#include "virtual/object.h"

/* "16.35.1012", as a device packs it */
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

int ex_query_device(struct command *c)
{
	const uint64_t *limit = c->device->info.limit;
	struct ib_uverbs_ex_query_device asked;
	struct ib_uverbs_ex_query_device_resp r = {0};
	int err;

	legacy_get(c, &asked);
	if (asked.comp_mask || asked.reserved)
		return -EINVAL;
	err = c->device->driver->query_device(c);
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
	r.response_length = command_length(c, UVERBS_ATTR_CORE_OUT, sizeof(r));
	return legacy_answer(c, &r, sizeof(r));
}
