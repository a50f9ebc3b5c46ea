/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The GID of a second device: of the type and family of the first one's, and of
 * its network if there is one.
 */
#include <arpa/inet.h>
#include <string.h>
#include "target/target.h"
#include "tests/unit/tap.h"

static void add_gid(struct device_info *d, enum gid_type type, const char *text)
{
	struct port_info *port = &d->port[0];
	struct gid_entry *gid = &port->gid[port->ngids];

	gid->index = (uint32_t)port->ngids++;
	gid->type = type;
	inet_pton(AF_INET6, text, gid->gid.raw);
}

static struct device_info port_with_gids(void)
{
	struct device_info d = {.nports = 1, .port_num = 1};

	d.port[0].attr.link_layer = IBV_LINK_LAYER_ETHERNET;
	d.port[0].attr.state = IBV_PORT_ACTIVE;
	d.port[0].attr.active_mtu = IBV_MTU_1024;
	return d;
}

static const struct {
	enum gid_type type;
	const char *own, *chosen;
} choice[] = {
	{GID_ROCE_V2, "::ffff:10.77.0.1", "::ffff:10.77.0.2"},
	{GID_ROCE_V2, "::ffff:10.79.0.1", "::ffff:10.79.0.2"},
	{GID_ROCE_V2, "::ffff:192.0.2.1", "::ffff:10.77.0.2"},
	{GID_ROCE_V2, "fd77::1", "fd77::2"},
	{GID_ROCE_V2, "fd99::1", "fd99::2"},
	{GID_ROCE_V2, "fe80::1", "fe80::2"},
	{GID_IB_ROCE_V1, "::ffff:10.79.0.1", "::ffff:10.77.0.2"},
};

/* Chooses among the GIDs of end 2 in the lab, with one of another VLAN. */
static void nearest(size_t i)
{
	struct device_info own = port_with_gids(), second = port_with_gids();
	const struct target_options none = {.gid_index = -1,
					    .peer_gid_index = -1};
	char text[INET6_ADDRSTRLEN] = "", err[200], name[100];
	const struct gid_entry *gid = NULL;

	add_gid(&own, choice[i].type, choice[i].own);
	add_gid(&second, GID_IB_ROCE_V1, "::ffff:10.77.0.2");
	add_gid(&second, GID_ROCE_V2, "fe80::2");
	add_gid(&second, GID_ROCE_V2, "::ffff:10.77.0.2");
	add_gid(&second, GID_ROCE_V2, "::ffff:10.77.0.12");
	add_gid(&second, GID_ROCE_V2, "fd99::2");
	add_gid(&second, GID_ROCE_V2, "fd77::12");
	add_gid(&second, GID_ROCE_V2, "fd77::2");
	add_gid(&second, GID_ROCE_V2, "::ffff:10.79.0.2");
	if (!target_choose_peer(&own, &none, &second, err, sizeof(err)))
		gid = device_gid(&second);
	if (gid)
		inet_ntop(AF_INET6, gid->gid.raw, text, sizeof(text));
	snprintf(name, sizeof(name), "%s has %s as peer", choice[i].own,
		 choice[i].chosen);
	ok(gid && gid->type == choice[i].type &&
		   !strcmp(text, choice[i].chosen),
	   name);
}

int main(void)
{
	for (size_t i = 0; i < COUNT(choice); i++)
		nearest(i);
	return tap_end();
}
