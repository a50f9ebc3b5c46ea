/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a run must know to be repeated elsewhere: kernel, libraries, device.
 */
#ifndef IBVET_ENVIRONMENT_H
#define IBVET_ENVIRONMENT_H

#include <jansson.h>
#include "contract/device.h"

/* kernel, taint (its mask of reasons), machine, rdma_core, libibverbs (path),
 * ibvet */
json_t *environment_of_host(void);
/* device, driver, firmware, link_layer, port, gid, gid_index, mtu, … */
json_t *environment_of_device(const struct device_info *info);

/* "6.1.0-56-amd64", or the version that it stands for where the kernel tells;
 * "44.0", or "unknown" */
void kernel_version(char *buf, size_t len);
void rdma_core_version(char *buf, size_t len);
const char *device_link_layer(const struct device_info *info);

/* What is not the same in two environments, of host, device or both: [{"what":
 * key, "was": value or null, "is": value or null}, ...]. */
json_t *environment_differences(const json_t *was, const json_t *is);

/* Any bytes as a JSON string: what is not UTF-8 becomes '?'. */
json_t *json_text(const char *text);

#endif
