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

/* A number that the kernel gives none, as others may be beside it. */
#define VIRTUAL_CHARDEV	  "uverbs9999"
#define VIRTUAL_CDEV_PATH "/dev/infiniband/" VIRTUAL_CHARDEV
/* Its numbers are those of the real device that stands in for it. */
#define VIRTUAL_CDEV_REAL    "/dev/zero"
#define VIRTUAL_CDEV_NUMBERS "1:5"

/* How a preloaded library is told what to be. */
#define VIRTUAL_ENV_DEVICE "IBVET_VIRTUAL_DEVICE" /* a device file */
#define VIRTUAL_ENV_FAIL   "IBVET_VIRTUAL_FAIL"	  /* N:ERRNO */
#define VIRTUAL_ENV_TRACE  "IBVET_VIRTUAL_TRACE"  /* a file, "-": stderr */
#define VIRTUAL_ENV_ROWS   "IBVET_VIRTUAL_ROWS"	  /* a file of counts */

struct ib_uverbs_ioctl_hdr;
struct mutant;
struct virtual_driver;

struct virtual_core;
struct virtual_rows;
struct virtual_nic;
struct virtual_object;
struct event_file;

/* The command that fails on purpose (fault.c), counted over all files. */
struct virtual_fault {
	uint64_t nth; /* 0: none */
	int error;
};

struct virtual_device {
	struct device_info info;
	const struct virtual_driver *driver;
	unsigned int number; /* that its name ends with */
	struct virtual_fault fault;
	struct mutant *mutant;	   /* seeded below the libraries, NULL */
	FILE *trace;		   /* each command in words, NULL */
	struct virtual_rows *rows; /* that a program reaches, NULL */
	struct virtual_core *core; /* what all files share */
	struct virtual_nic *nic;
	void *own; /* the driver's */
};

/* What a program wants to map of the device's file, in whole pages. */
struct mapping {
	uint64_t offset;
	size_t length;
	int prot, flags;
};

/* An open character device: a context, once there is one. */
struct virtual_file {
	const struct virtual_device *device;
	bool has_context;
	uint32_t driver_word; /* what the driver remembers of the context */
	struct virtual_object *object; /* by handle */
	uint32_t nobjects;
	uint32_t lowest; /* no handle below it is free */
	uint64_t made;	 /* objects so far */
	struct event_file *events;
	uint32_t nevents;
	int default_async; /* where asynchronous events go, -1 */
	int opened;	   /* a descriptor that the last command gave, -1 */
};

/* The name of a device that is there, NULL: no vendor has one. */
const char *virtual_default(void);
/* A name leads to a device file of ours, a path to itself. */
void virtual_find(const char *name, char *path, size_t size);
/* "N:ERRNO"; and what a name may end with, which is cut off it. 0, or -errno
 * with a line in err. */
int virtual_fault_read(const char *text, struct virtual_fault *fault, char *err,
		       size_t errlen);
int virtual_fault_split(char *name, struct virtual_fault *fault, char *err,
			size_t errlen);
/* The same of ",mutant=FAULT", the last thing that a name ends with
 * (virtual/seeded_fault.c).
 */
int virtual_seed_split(char *name, struct mutant **mutant, char *err,
		       size_t errlen);
/* By name or path, with what fails behind it. 0, or -errno with a line in err.
 */
int virtual_load(const char *name, struct virtual_device *d, char *err,
		 size_t errlen);

/* In this process (attach.c): makes all that it takes, once; children have it
 * too. From attaching to detaching the device is there, and no other. 0, or
 * -errno with a line in err. */
int virtual_prepare(const char *name, char *err, size_t errlen);
int virtual_attach(const char *name, char *err, size_t errlen);
void virtual_detach(void);
/* One that was prepared has that fault from now on, NULL: none. */
void virtual_seed(const char *name, const struct mutant *mutant);
/* The device that this process sees, NULL: those of the machine
 * (preload/preload.c). */
void virtual_show(struct virtual_device *d);

/* Before the first file: objects have a model behind them. 0 or -errno. */
int virtual_start(struct virtual_device *d);
void virtual_stop(struct virtual_device *d);

void virtual_file_open(struct virtual_file *f, const struct virtual_device *d);
void virtual_file_close(struct virtual_file *f);
/* The program has closed a descriptor that a command of the file gave. */
void virtual_event_closed(struct virtual_file *f, int fd);
/* One command, as the kernel takes it: 0 or -errno. */
int virtual_ioctl(struct virtual_file *f, struct ib_uverbs_ioctl_hdr *hdr);
/* 0 and the pages that are to be shown, NULL: new ones; or -errno. */
int virtual_map(const struct virtual_file *f, const struct mapping *m,
		void **pages);

/* A folder that is there while the device is (folder.c), and what sysfs says of
 * the device, below it. 0, or -errno with a line in err. */
int virtual_folder_make(const struct virtual_device *d, char *path, size_t size,
			char *err, size_t errlen);
void virtual_folder_remove(const char *path);
/* The devices of the machine as well (sysfs_real.c): what number is free, and
 * then links in the folder. 0, or -errno with a line in err. */
unsigned int virtual_free_number(const struct virtual_driver *driver);
int virtual_show_real(const char *folder, char *err, size_t errlen);
int virtual_sysfs_write(const struct virtual_device *d, const char *folder,
			char *err, size_t errlen);

#endif
