/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Describes kernel, libraries and device of a run, so that the run can be
 * repeated elsewhere.
 */
#ifndef IBVET_ENVIRONMENT_H
#define IBVET_ENVIRONMENT_H

#include <jansson.h>
#include "contract/device.h"

/* An object with kernel, taint (the mask of reasons), machine, rdma_core,
 * libibverbs (path), ibvet */
json_t *environment_of_host(void);
/* An object with device, driver, firmware, link_layer, port, gid, gid_index,
 * mtu, … */
json_t *environment_of_device(const struct device_info *info);

/* Prints the kernel's release, or on Debian the version that the release stands
 * for. */
void environment_kernel_version(char *buf, size_t len);
/* Prints a version such as "44.0", or "unknown". */
void environment_rdma_core_version(char *buf, size_t len);
const char *environment_link_layer(const struct device_info *info);

/* Prints "NAME, kernel VERSION, rdma-core VERSION, ibvet VERSION" of this host,
 * which an agent sends. */
void environment_host_text(char *buf, size_t len);
/* Prints the version behind a word of such a text, or "unknown". */
void environment_host_version(const char *text, const char *word, char *buf,
			      size_t len);

/* Lists the members in which two environments differ:
 * [{"what": key, "was": value or null, "is": value or null}, ...]. */
json_t *environment_differences(const json_t *was, const json_t *is);

#endif
