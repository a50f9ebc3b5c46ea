/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions that the text and the JSON of ibvet devices share.
 */
#ifndef IBVET_CLI_DEVICES_H
#define IBVET_CLI_DEVICES_H

#include <jansson.h>
#include <netinet/in.h>
#include "contract/contract.h"
#include "contract/device.h"

/* Returns "iWARP", "Ethernet" or "InfiniBand". */
const char *devices_link_layer(const struct device_info *d);
/* Writes the source GID as text. Returns false if the entry of the GID table at
 * gid_index is empty. */
bool devices_source_gid(const struct device_info *d,
			char text[INET6_ADDRSTRLEN]);
json_t *devices_json(const char *name, const struct device_info *d);

#endif
