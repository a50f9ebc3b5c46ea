/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A virtual RDMA device: what the kernel shows of one to user space, answered
 * in user space. This half is common to all drivers; what a provider asks of
 * its own kernel driver is in a struct virtual_driver.
 */
#ifndef IBVET_VIRTUAL_H
#define IBVET_VIRTUAL_H

#include <stdio.h>
#include "contract/device.h"

#define VIRTUAL_CHARDEV	  "uverbs0"
#define VIRTUAL_CDEV_PATH "/dev/infiniband/" VIRTUAL_CHARDEV
/* Its numbers are those of the real device that stands in for it. */
#define VIRTUAL_CDEV_REAL    "/dev/zero"
#define VIRTUAL_CDEV_NUMBERS "1:5"

/* How a preloaded library is told what to be. */
#define VIRTUAL_ENV_DEVICE "IBVET_VIRTUAL_DEVICE" /* a device file */
#define VIRTUAL_ENV_TRACE  "IBVET_VIRTUAL_TRACE"  /* a file, "-": stderr */

struct ib_uverbs_ioctl_hdr;
struct virtual_driver;

struct virtual_device {
	struct device_info info;
	const struct virtual_driver *driver;
	FILE *trace; /* each command in words, NULL */
};

/* An open character device: a context, once there is one. */
struct virtual_file {
	const struct virtual_device *device;
	bool has_context;
	int async_end;	  /* where its events are written to, -1 */
	uint16_t *object; /* by handle: of which sort, 0: none */
	uint32_t nobjects;
};

/* The name of a device file that is there. */
const char *virtual_default(void);
/* From a device file. 0, or -errno with a line in err. */
int virtual_load(const char *path, struct virtual_device *d, char *err,
		 size_t errlen);

void virtual_file_open(struct virtual_file *f, const struct virtual_device *d);
void virtual_file_close(struct virtual_file *f);
/* One command, as the kernel takes it: 0 or -errno. */
int virtual_ioctl(struct virtual_file *f, struct ib_uverbs_ioctl_hdr *hdr);

/* Writes what sysfs says of the device below a folder that is there. 0, or
 * -errno with a line in err. */
int virtual_sysfs_write(const struct virtual_device *d, const char *folder,
			char *err, size_t errlen);

#endif
