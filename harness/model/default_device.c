/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The default device of the model: an InfiniBand port and an Ethernet port,
 * with everything that the contract has rows for. Also the second device for
 * programs that use two.
 */
#include <string.h>
#include "model/model.h"

static const uint64_t limits[LIM_NR] = {
	[LIM_max_mr_size] = 1ull << 40,
	[LIM_page_size_cap] = 0xfffff000,
	[LIM_vendor_id] = 0x1b7e7,
	[LIM_vendor_part_id] = 1,
	[LIM_hw_ver] = 1,
	[LIM_max_qp] = 32,
	[LIM_max_qp_wr] = 16384,
	[LIM_device_cap_flags] =
		IBV_DEVICE_AUTO_PATH_MIG | IBV_DEVICE_CHANGE_PHY_PORT |
		IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_PORT_ACTIVE_EVENT |
		IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN |
		IBV_DEVICE_SRQ_RESIZE | IBV_DEVICE_XRC | IBV_DEVICE_MEM_WINDOW |
		IBV_DEVICE_MEM_WINDOW_TYPE_2B | IBV_DEVICE_MEM_MGT_EXTENSIONS |
		IBV_DEVICE_MANAGED_FLOW_STEERING,
	[LIM_max_sge] = 30,
	[LIM_max_sge_rd] = 16,
	[LIM_max_cq] = 32,
	[LIM_max_cqe] = 65535,
	[LIM_max_mr] = 32,
	[LIM_max_pd] = 16,
	[LIM_max_qp_rd_atom] = 16,
	[LIM_max_res_rd_atom] = 16 * 32,
	[LIM_max_qp_init_rd_atom] = 16,
	[LIM_atomic_cap] = IBV_ATOMIC_HCA,
	[LIM_max_mw] = 32,
	[LIM_max_raw_ethy_qp] = 32,
	[LIM_max_mcast_grp] = 64,
	[LIM_max_mcast_qp_attach] = 8,
	[LIM_max_total_mcast_qp_attach] = 512,
	[LIM_max_ah] = 32,
	[LIM_max_srq] = 16,
	[LIM_max_srq_wr] = 16384,
	[LIM_max_srq_sge] = 30,
	[LIM_max_pkeys] = 8,
	[LIM_local_ca_ack_delay] = 15,
	[LIM_phys_port_cnt] = 2,
	[LIM_device_cap_flags_ex] =
		IBV_DEVICE_RAW_SCATTER_FCS | IBV_DEVICE_PCI_WRITE_END_PADDING |
		DEVICE_FLUSH_GLOBAL | DEVICE_FLUSH_PERSISTENT |
		DEVICE_ATOMIC_WRITE,
	[LIM_max_tso] = 65536,
	[LIM_tso_supported_qpts] = 1u << IBV_QPT_RAW_PACKET,
	[LIM_rss_supported_qpts] = 1u << IBV_QPT_RAW_PACKET,
	[LIM_max_rwq_indirection_tables] = 16,
	[LIM_max_rwq_indirection_table_size] = 2048,
	[LIM_rx_hash_fields_mask] = 0x1ff | IBV_RX_HASH_INNER,
	[LIM_rx_hash_function] = IBV_RX_HASH_FUNC_TOEPLITZ,
	[LIM_max_wq_type_rq] = 32,
	[LIM_rate_limit_min] = 1,
	[LIM_rate_limit_max] = 100000000,
	[LIM_rate_limit_qpts] =
		1u << IBV_QPT_RAW_PACKET | 1u << IBV_QPT_UC | 1u << IBV_QPT_UD,
	[LIM_raw_packet_caps] = IBV_RAW_PACKET_CAP_CVLAN_STRIPPING |
				IBV_RAW_PACKET_CAP_SCATTER_FCS |
				IBV_RAW_PACKET_CAP_IP_CSUM,
	[LIM_max_cq_count] = 1000,
	[LIM_max_dm_size] = 128 << 10,
	[LIM_max_cq_period] = 4000,
	[LIM_tm_max_rndv_hdr_size] = 64,
	[LIM_tm_max_num_tags] = 127,
	[LIM_tm_flags] = IBV_TM_CAP_RC,
	[LIM_tm_max_ops] = 32768,
	[LIM_tm_max_sge] = 1,
	[LIM_num_comp_vectors] = 4,
	[LIM_max_inline_data] = 512,
	[LIM_qp_types] = 1u << IBV_QPT_RC | 1u << IBV_QPT_UC |
			 1u << IBV_QPT_UD | 1u << IBV_QPT_RAW_PACKET |
			 1u << IBV_QPT_XRC_SEND | 1u << IBV_QPT_XRC_RECV,
};

static const struct ibv_port_attr infiniband = {
	.state = IBV_PORT_ACTIVE,
	.max_mtu = IBV_MTU_4096,
	.active_mtu = IBV_MTU_2048,
	.gid_tbl_len = 8,
	.port_cap_flags = 0x2651e848,
	.max_msg_sz = 1u << 23,
	.pkey_tbl_len = 8,
	.lid = 1,
	.sm_lid = 1,
	.max_vl_num = 4,
	.subnet_timeout = 18,
	.active_width = 2,
	.active_speed = 32,
	.phys_state = 5,
	.link_layer = IBV_LINK_LAYER_INFINIBAND,
};

static const struct ibv_port_attr ethernet = {
	.state = IBV_PORT_ACTIVE,
	.max_mtu = IBV_MTU_4096,
	.active_mtu = IBV_MTU_1024,
	.gid_tbl_len = 16,
	.port_cap_flags = 0x04010000,
	.max_msg_sz = 1u << 23,
	.pkey_tbl_len = 1,
	.max_vl_num = 1,
	.active_width = 2,
	.active_speed = 32,
	.phys_state = 5,
	.link_layer = IBV_LINK_LAYER_ETHERNET,
};

static void add_gid(struct port_info *p, uint32_t index, enum gid_type type,
		    const uint8_t raw[16])
{
	struct gid_entry *e = &p->gid[p->ngids++];

	e->index = index;
	e->type = type;
	memcpy(e->gid.raw, raw, 16);
}

static void infiniband_port(struct port_info *p)
{
	static const uint8_t gid[16] = {0xfe, 0x80, [8] = 0x02, [15] = 0x01};

	p->attr = infiniband;
	p->npkeys = 2;
	p->pkey[0] = 0xffff;
	p->pkey[1] = 0x8001;
	add_gid(p, 0, GID_IB_ROCE_V1, gid);
}

static void ethernet_port(struct port_info *p)
{
	static const uint8_t local[16] = {0xfe, 0x80, [8] = 0x02, [15] = 0x02};
	static const uint8_t ipv4[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1};
	static const uint8_t ipv6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};

	p->attr = ethernet;
	p->npkeys = 1;
	p->pkey[0] = 0xffff;
	add_gid(p, 0, GID_IB_ROCE_V1, local);
	add_gid(p, 1, GID_ROCE_V2, local);
	add_gid(p, 2, GID_IB_ROCE_V1, ipv4);
	add_gid(p, 3, GID_ROCE_V2, ipv4);
	add_gid(p, 4, GID_ROCE_V2, ipv6);
}

void model_default_device(struct device_info *info)
{
	memset(info, 0, sizeof(*info));
	strcpy(info->name, "model");
	strcpy(info->driver, "model");
	strcpy(info->fw, "1");
	info->node_guid = 0x0200000000000001ull;
	info->transport = IBV_TRANSPORT_IB;
	memcpy(info->limit, limits, sizeof(limits));
	info->nports = 2;
	infiniband_port(&info->port[0]);
	ethernet_port(&info->port[1]);
	info->port_num = 1;
	info->mtu = IBV_MTU_2048;
	info->can_inject = true;
	info->can_connect = true;
	info->can_cq_ex = true;
	info->can_null_mr = true;
	info->can_rereg = true;
	info->can_advise = true;
	info->can_count = true;
	info->can_reg_ex = true;
	info->max_comp_cntr = 8;
	info->comp_cntr_value = UINT64_C(0xffffffffffff);
	info->comp_cntr_ops = 0x3f;
	info->can_dmabuf = true;
	info->can_import = true;
	info->can_wr = true;
	info->can_raw = true;
	info->can_flush = true;
	info->old_calls = OLD_ALL;
	info->new_calls = NEW_ALL;
}

void model_second_device(const struct device_info *first,
			 struct device_info *info)
{
	*info = *first;
	snprintf(info->name, sizeof(info->name), "second");
	info->node_guid++;
	for (int n = 0; n < info->nports; n++) {
		struct port_info *port = &info->port[n];

		if (port->attr.lid)
			port->attr.lid = (uint16_t)(port->attr.lid + 0x100);
		for (int i = 0; i < port->ngids; i++)
			port->gid[i].gid.raw[15] ^= 0x80;
	}
}
