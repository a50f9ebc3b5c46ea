// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Chooses port, source GID and path MTU for the connections of a device under
 * test: those that the user names, or the best that there are.
 */
#include <errno.h>
#include "target/target.h"

int target_rank_gid(const struct gid_entry *entry)
{
	int rank = entry->type == GID_ROCE_V2 ? 4 : 0;

	if (gid_is_ipv4(&entry->gid))
		return rank + 3;
	return gid_is_link_local(&entry->gid) ? rank + 1 : rank + 2;
}

static int choose_port(struct device_info *info, uint8_t wanted, char *err,
		       size_t errlen)
{
	if (info->nports < 1) {
		snprintf(err, errlen, "%s: the device reports no port",
			 info->name);
		return -ENODEV;
	}
	if (wanted > info->nports) {
		snprintf(err, errlen,
			 "%s: no port %u: name one from 1 to %d with -i",
			 info->name, wanted, info->nports);
		return -EINVAL;
	}
	info->port_num = wanted ? wanted : 1;
	for (int i = 0; !wanted && i < info->nports; i++) {
		if (info->port[i].attr.state != IBV_PORT_ACTIVE)
			continue;
		info->port_num = (uint8_t)(i + 1);
		break;
	}
	return 0;
}

/* InfiniBand routes by LID, and iWARP by IP address: the first GID will do. */
static uint32_t best_gid(const struct device_info *info)
{
	const struct port_info *port = device_port(info);
	const struct gid_entry *best = NULL;

	if (port->attr.link_layer != IBV_LINK_LAYER_ETHERNET ||
	    device_iwarp(info))
		return 0;
	for (int i = 0; i < port->ngids; i++)
		if (!best ||
		    target_rank_gid(&port->gid[i]) > target_rank_gid(best))
			best = &port->gid[i];
	return best ? best->index : 0;
}

static int choose_gid(struct device_info *info, int wanted, char *err,
		      size_t errlen)
{
	if (wanted < 0) {
		info->gid_index = best_gid(info);
		return 0;
	}
	if (port_gid(device_port(info), (unsigned int)wanted)) {
		info->gid_index = (uint32_t)wanted;
		return 0;
	}
	snprintf(err, errlen,
		 "%s: port %u has no GID at index %d: name a used one with -x",
		 info->name, info->port_num, wanted);
	return -EINVAL;
}

static enum ibv_mtu link_mtu(const struct ibv_port_attr *attr)
{
	if (attr->active_mtu >= IBV_MTU_256 && attr->active_mtu <= IBV_MTU_4096)
		return attr->active_mtu;
	return IBV_MTU_256;
}

static int choose_mtu(struct device_info *info, int wanted, char *err,
		      size_t errlen)
{
	enum ibv_mtu active = link_mtu(&device_port(info)->attr);

	if (!wanted) {
		info->mtu = active;
		return 0;
	}
	for (enum ibv_mtu mtu = IBV_MTU_256; mtu <= active; mtu++) {
		if (wanted != 128 << mtu)
			continue;
		info->mtu = mtu;
		return 0;
	}
	snprintf(err, errlen,
		 "%s: no path MTU of %d on port %u: name a power of two from "
		 "256 to %d with -m",
		 info->name, wanted, info->port_num, 128 << active);
	return -EINVAL;
}

static int choose_joined(struct device_info *info, uint8_t wanted, char *err,
			 size_t errlen)
{
	if (wanted)
		info->joined_port = wanted;
	if (info->joined_port == info->port_num && !wanted)
		info->joined_port = 0;
	if (info->joined_port <= info->nports &&
	    info->joined_port != info->port_num)
		return 0;
	snprintf(err, errlen,
		 "%s: port %u has no port %u to be joined with: name another "
		 "one from 1 to %d with --joined-port",
		 info->name, info->port_num, wanted, info->nports);
	return -EINVAL;
}

int target_choose_port(struct device_info *info,
		       const struct target_options *opt, char *err,
		       size_t errlen)
{
	int ret;

	ret = choose_port(info, opt->port, err, errlen);
	if (ret)
		return ret;
	ret = choose_joined(info, opt->joined, err, errlen);
	if (ret)
		return ret;
	ret = choose_gid(info, opt->gid_index, err, errlen);
	if (ret)
		return ret;
	return choose_mtu(info, opt->mtu, err, errlen);
}

static uint8_t second_port(const struct device_info *info,
			   const struct device_info *second)
{
	uint8_t layer = device_port(info)->attr.link_layer;

	for (int n = 1; n <= second->nports; n++) {
		const struct ibv_port_attr *attr = &second->port[n - 1].attr;

		if (attr->link_layer == layer && attr->state == IBV_PORT_ACTIVE)
			return (uint8_t)n;
	}
	return second->port_num;
}

/* Chooses the GID of the second device's port: of those of the type and family
 * of the first device's GID the one with the most leading bits in common, which
 * is in the same network if any is. */
static void choose_shared_gid(const struct device_info *info,
			      struct device_info *second)
{
	const struct gid_entry *own = device_gid(info);
	const struct port_info *port = device_port(second);
	int most = -1, bits;

	second->mtu = link_mtu(&port->attr);
	second->gid_index = best_gid(second);
	if (port->attr.link_layer != IBV_LINK_LAYER_ETHERNET || !own)
		return;
	for (int i = 0; i < port->ngids; i++) {
		if (!gids_share_network(&port->gid[i], own))
			continue;
		bits = gids_common_bits(&port->gid[i].gid, &own->gid);
		if (bits <= most)
			continue;
		most = bits;
		second->gid_index = port->gid[i].index;
	}
}

void target_choose_second(const struct device_info *info,
			  struct device_info *second)
{
	second->port_num = second_port(info, second);
	choose_shared_gid(info, second);
}

int target_choose_peer(const struct device_info *info,
		       const struct target_options *opt,
		       struct device_info *second, char *err, size_t errlen)
{
	if (opt->peer_port > second->nports) {
		snprintf(err, errlen,
			 "--peer-port: %s has no port %u: name one from 1 to "
			 "%d",
			 second->name, opt->peer_port, second->nports);
		return -EINVAL;
	}
	second->port_num =
		opt->peer_port ? opt->peer_port : second_port(info, second);
	choose_shared_gid(info, second);
	if (opt->peer_gid_index < 0)
		return 0;
	if (!port_gid(device_port(second), (unsigned int)opt->peer_gid_index)) {
		snprintf(err, errlen,
			 "--peer-gid-index: port %u of %s has no GID at index "
			 "%d: name a used one",
			 second->port_num, second->name, opt->peer_gid_index);
		return -EINVAL;
	}
	second->gid_index = (uint32_t)opt->peer_gid_index;
	return 0;
}
