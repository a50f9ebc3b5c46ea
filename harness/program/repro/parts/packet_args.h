/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * An Ethernet packet as a program writes it. args.h includes this.
 */
#pragma once
#include <stdint.h>
#include "program/repro/parts/flow_rule.h"

/* part: packet_args */
/* A packet of `length` bytes, without its FCS, at an offset of a region. `l3`
 * and `l4` are the IBV_FLOW_SPEC_ values of the headers behind the Ethernet
 * header, 0 for none. A vlan_tag that is not 0 stands in a tag of its own. The
 * bytes behind the headers are those of fill_mr. With `tunnel`, which is 0 or
 * IBV_FLOW_SPEC_VXLAN_TUNNEL, they are left as they are: the inner packet. A
 * bit of `spoiled` makes a checksum wrong: 1 that of IPv4, 2 that of TCP or
 * UDP; 4 leaves the options out of that of IPv4. An IPv4 header has `options`
 * words of options, up to 10. */
struct packet_args {
	uint64_t offset;
	uint32_t length, pattern, l3, l4, tunnel, spoiled, options;
	struct flow_filter is;
};
