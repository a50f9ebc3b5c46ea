// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Classifies GIDs, and chooses an entry of a GID table by family or network.
 */
#include <string.h>
#include "contract/device.h"

const struct gid_entry *port_gid(const struct port_info *port,
				 unsigned int index)
{
	for (int i = 0; i < port->ngids; i++)
		if (port->gid[i].index == index)
			return &port->gid[i];
	return NULL;
}

bool gid_is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

bool gid_is_link_local(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

bool gids_are_alike(const union ibv_gid *a, const union ibv_gid *b)
{
	return gid_is_ipv4(a) == gid_is_ipv4(b) &&
	       gid_is_link_local(a) == gid_is_link_local(b);
}

bool gids_share_network(const struct gid_entry *a, const struct gid_entry *b)
{
	return a->type == b->type && gids_are_alike(&a->gid, &b->gid);
}

int gids_common_bits(const union ibv_gid *a, const union ibv_gid *b)
{
	int bits = 0;

	for (size_t i = 0; i < sizeof(a->raw); i++) {
		unsigned int differs = a->raw[i] ^ b->raw[i];

		if (differs)
			return bits + __builtin_clz(differs) - 24;
		bits += 8;
	}
	return bits;
}

bool gid_is_group(const union ibv_gid *gid)
{
	return gid->raw[0] == 0xff ||
	       (gid_is_ipv4(gid) && (gid->raw[12] & 0xf0) == 0xe0);
}

/* Returns true for fe80::/64, the only link-local GIDs of which the kernel
 * takes the hardware address. */
static bool holds_hardware_address(const union ibv_gid *gid)
{
	static const uint8_t prefix[8] = {0xfe, 0x80};

	return !memcmp(gid->raw, prefix, sizeof(prefix));
}

/* RoCE v1 takes the hardware address from a link-local GID, and the hardware
 * address of a group follows from its GID; neither needs address resolution. */
bool gids_differ_in_family(const struct gid_entry *from,
			   const union ibv_gid *to)
{
	return gid_is_ipv4(&from->gid) != gid_is_ipv4(to) &&
	       !gid_is_group(to) &&
	       !(from->type == GID_IB_ROCE_V1 && holds_hardware_address(to));
}

const struct gid_entry *device_gid(const struct device_info *d)
{
	return port_gid(device_port(d), d->gid_index);
}

const struct gid_entry *device_joined_gid(const struct device_info *d)
{
	const struct port_info *port = device_port_at(d, d->joined_port);
	const struct gid_entry *own = device_gid(d);

	if (!port || !port->ngids)
		return NULL;
	for (int i = 0; own && i < port->ngids; i++)
		if (gids_share_network(own, &port->gid[i]))
			return &port->gid[i];
	return &port->gid[0];
}

int device_gid6(const struct device_info *d)
{
	const struct port_info *port = device_port(d);
	int found = -1;

	for (int i = 0; i < port->ngids; i++) {
		if (gid_is_ipv4(&port->gid[i].gid))
			continue;
		if (port->gid[i].index == d->gid_index)
			return (int)port->gid[i].index;
		if (found < 0 || port->gid[i].type == GID_ROCE_V2)
			found = (int)port->gid[i].index;
	}
	return found;
}

int device_gid4_v2(const struct device_info *d)
{
	const struct port_info *port = device_port(d);

	for (int i = 0; i < port->ngids; i++)
		if (port->gid[i].type == GID_ROCE_V2 &&
		    gid_is_ipv4(&port->gid[i].gid))
			return (int)port->gid[i].index;
	return -1;
}

bool device_gid4(const struct device_info *d)
{
	const struct port_info *port = device_port(d);

	for (int i = 0; i < port->ngids; i++)
		if (gid_is_ipv4(&port->gid[i].gid))
			return true;
	return false;
}
