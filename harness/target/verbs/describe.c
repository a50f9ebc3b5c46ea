// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Asks a libibverbs device for its limits, ports, GIDs, P_Keys, driver and
 * firmware. Nothing is inferred from its name or vendor, except the name of the
 * driver if the kernel does not give it.
 */
#include <endian.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "target/verbs/verbs_target.h"
#include "vendor/vendor.h"

/*
 * The driver is that of the bus device. A software device has no bus device;
 * by custom its name begins with the driver: rxe0, siw_eth0.
 */
static void describe_driver(const struct ibv_device *device,
			    struct device_info *info)
{
	char path[PATH_MAX], link[PATH_MAX];
	const char *base;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/device/driver", device->ibdev_path);
	len = readlink(path, link, sizeof(link) - 1);
	if (len < 0) {
		len = (ssize_t)strcspn(info->name, "0123456789_");
		snprintf(info->driver, sizeof(info->driver), "%.*s", (int)len,
			 info->name);
		return;
	}
	link[len] = '\0';
	base = strrchr(link, '/');
	snprintf(info->driver, sizeof(info->driver), "%.31s",
		 base ? base + 1 : link);
}

static int describe_limits(struct verbs_target *t, char *err, size_t errlen)
{
	struct device_info *info = &t->base.info;
	struct ibv_device_attr_ex attr;
	int ret;

	memset(&attr, 0, sizeof(attr));
	ret = ibv_query_device_ex(t->context, NULL, &attr);
	if (ret) {
		memset(&attr, 0, sizeof(attr));
		ret = ibv_query_device(t->context, &attr.orig_attr);
	}
	if (ret) {
		snprintf(err, errlen, "%s: ibv_query_device failed: %s",
			 info->name, strerror(ret));
		return ret > 0 ? -ret : -EIO;
	}
	verbs_limits(&attr, sizeof(attr), info->limit);
	info->limit[LIM_num_comp_vectors] =
		(uint64_t)t->context->num_comp_vectors;
	snprintf(info->fw, sizeof(info->fw), "%.63s", attr.orig_attr.fw_ver);
	info->node_guid = be64toh(attr.orig_attr.node_guid);
	info->nports = attr.orig_attr.phys_port_cnt;
	if (info->nports > DEVICE_MAX_PORTS)
		info->nports = DEVICE_MAX_PORTS;
	return 0;
}

/* Keeps the P_Keys up to the last that is not zero. */
static void describe_pkeys(struct ibv_context *context, uint8_t port_num,
			   struct port_info *port)
{
	for (int i = 0; i < DEVICE_MAX_PKEYS && i < port->attr.pkey_tbl_len;
	     i++) {
		__be16 pkey;

		if (ibv_query_pkey(context, port_num, i, &pkey))
			return;
		port->pkey[i] = be16toh(pkey);
		if (pkey)
			port->npkeys = i + 1;
	}
}

static int describe_ports(struct verbs_target *t, char *err, size_t errlen)
{
	struct device_info *info = &t->base.info;

	for (uint8_t n = 1; n <= info->nports; n++) {
		struct port_info *port = &info->port[n - 1];
		int ret = ibv_query_port(t->context, n, &port->attr);

		/* A case about that port shows it. */
		if (ret && n > 1) {
			memset(port, 0, sizeof(*port));
			continue;
		}
		if (ret) {
			snprintf(err, errlen,
				 "%s: ibv_query_port of port %u failed: %s",
				 info->name, n, strerror(ret));
			return ret > 0 ? -ret : -EIO;
		}
		describe_pkeys(t->context, n, port);
	}
	return 0;
}

/*
 * Drops the later entries of a table that is longer than ours, except the entry
 * that the user named and the best source of connections.
 */
static void keep_gid(struct port_info *port, const struct gid_entry *entry,
		     int wanted)
{
	struct gid_entry *last = &port->gid[DEVICE_MAX_GIDS - 1];

	if (port->ngids < DEVICE_MAX_GIDS) {
		port->gid[port->ngids++] = *entry;
		return;
	}
	if (wanted >= 0 && last->index == (uint32_t)wanted)
		return;
	if (wanted >= 0 && entry->index == (uint32_t)wanted) {
		*last = *entry;
		return;
	}
	for (int i = 0; i < port->ngids; i++)
		if (target_rank_gid(&port->gid[i]) >= target_rank_gid(entry))
			return;
	*last = *entry;
}

static void take_gid(struct device_info *info, const struct ibv_gid_entry *e,
		     int wanted)
{
	static const union ibv_gid empty;
	struct gid_entry entry = {
		.index = e->gid_index,
		.type = e->gid_type == IBV_GID_TYPE_ROCE_V2 ? GID_ROCE_V2
							    : GID_IB_ROCE_V1,
		.gid = e->gid,
	};

	if (e->port_num < 1 || e->port_num > (uint32_t)info->nports)
		return;
	if (memcmp(&e->gid, &empty, sizeof(empty)))
		keep_gid(&info->port[e->port_num - 1], &entry, wanted);
}

/* Queries each entry, if library or kernel cannot query the table. */
static void describe_gids_singly(struct verbs_target *t, int wanted)
{
	struct device_info *info = &t->base.info;

	for (uint8_t n = 1; n <= info->nports; n++) {
		for (int i = 0; i < info->port[n - 1].attr.gid_tbl_len; i++) {
			struct ibv_gid_entry e;

			memset(&e, 0, sizeof(e));
			if (ibv_query_gid_ex(t->context, n, (uint32_t)i, &e,
					     0) &&
			    ibv_query_gid(t->context, n, i, &e.gid))
				continue;
			e.gid_index = (uint32_t)i;
			e.port_num = n;
			take_gid(info, &e, wanted);
		}
	}
}

static void describe_gids(struct verbs_target *t, int wanted)
{
	struct device_info *info = &t->base.info;
	struct ibv_gid_entry *entries;
	size_t room = 1; /* the kernel wants more room than entries */
	ssize_t n = -1;

	for (int i = 0; i < info->nports; i++)
		if (info->port[i].attr.gid_tbl_len > 0)
			room += (size_t)info->port[i].attr.gid_tbl_len;
	entries = calloc(room, sizeof(*entries));
	if (entries)
		n = ibv_query_gid_table(t->context, entries, room, 0);
	for (ssize_t i = 0; i < n; i++)
		take_gid(info, &entries[i], wanted);
	free(entries);
	if (n < 0)
		describe_gids_singly(t, wanted);
}

#define CAP_NET_RAW_BIT 13

/* Returns the effective capabilities of this process, 0 if unknown. */
static unsigned long long effective_capabilities(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (file)
		fclose(file);
	return caps;
}

/* Returns true in the first user namespace: the kernel asks for the
 * capabilities that a process has there. */
static bool in_first_namespace(void)
{
	FILE *file = fopen("/proc/self/uid_map", "re");
	unsigned long long first, to, n;
	bool whole = file &&
		     fscanf(file, "%llu %llu %llu", &first, &to, &n) == 3 &&
		     first == 0 && to == 0 && n == 4294967295;

	if (file)
		fclose(file);
	return whole;
}

static bool may_use_raw_packets(void)
{
	return effective_capabilities() >> CAP_NET_RAW_BIT & 1 &&
	       in_first_namespace();
}

int verbs_describe(struct verbs_target *t, const struct target_options *opt,
		   char *err, size_t errlen)
{
	struct device_info *info = &t->base.info;
	int ret;

	snprintf(info->name, sizeof(info->name), "%s",
		 ibv_get_device_name(t->device));
	info->transport = t->device->transport_type;
	info->can_connect = verbs_can_connect(t->device);
	describe_driver(t->device, info);
	ret = describe_limits(t, err, errlen);
	if (ret)
		return ret;
	ret = describe_ports(t, err, errlen);
	if (ret)
		return ret;
	describe_gids(t, opt->gid_index);
	info->can_raw = may_use_raw_packets();
	info->can_cq_ex = verbs_probe_cq_ex(t->context);
	info->can_null_mr = verbs_probe_null_mr(t->context);
	info->can_dmabuf = verbs_probe_dmabuf(t->context);
	info->can_reg_ex = verbs_probe_reg_ex(t->context);
	info->can_import = verbs_probe_import(t->context);
	info->can_count = verbs_probe_counters(t->context);
	verbs_probe_comp_cntr(t->context, info);
	info->can_rereg = verbs_probe_rereg(t->context);
	info->can_advise = verbs_probe_advise(t->context);
	info->limit[LIM_qp_types] = verbs_probe_types(t->context);
	info->can_wr =
		verbs_probe_send_ops(t->context, info->limit[LIM_qp_types]);
	info->old_calls = verbs_old_calls();
	info->new_calls = verbs_new_calls();
	info->can_flush = verbs_probe_flush(t->context, info);
	each_vendor(v)
	{
		if (v->describe)
			v->describe(t);
	}
	return target_choose_port(info, opt, err, errlen);
}
