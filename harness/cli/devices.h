/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Functions that the text and the JSON of ibvet devices share */
#ifndef IBVET_CLI_DEVICES_H
#define IBVET_CLI_DEVICES_H

#include <jansson.h>
#include <netinet/in.h>
#include "contract/contract.h"
#include "contract/device.h"

const char *devices_link_layer(const struct device_info *d);
/* Writes the GID at gid_index as text; returns false if that entry is empty. */
bool devices_source_gid(const struct device_info *d,
			char text[INET6_ADDRSTRLEN]);
json_t *devices_json(const char *name, const struct device_info *d);

#endif
