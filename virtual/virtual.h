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
/* Device numbers of the real device that stands in for it. */
#define VIRTUAL_CDEV_REAL    "/dev/zero"
#define VIRTUAL_CDEV_NUMBERS "1:5"

/* Environment of the preloaded library. */
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

/* The command that fails on purpose (failing_command.c), counted over all
 * files. */
struct virtual_fault {
	uint64_t nth; /* 0: none */
	int error;
};

struct virtual_device {
	struct device_info info;
	const struct virtual_driver *driver;
	unsigned int number; /* at the end of its name */
	struct virtual_fault fault;
	struct mutant *mutant;	   /* seeded fault, or NULL */
	FILE *trace;		   /* trace of commands, or NULL */
	struct virtual_rows *rows; /* counts of reached rules, or NULL */
	struct virtual_core *core; /* what all files share */
	struct virtual_nic *nic;
	void *own; /* of the driver */
};

/* A mapping of the device's file that a program asks for, in whole pages. */
struct mapping {
	uint64_t offset;
	size_t length;
	int prot, flags;
};

/* An open character device: a context, once there is one. */
struct virtual_file {
	const struct virtual_device *device;
	bool has_context;
	uint32_t driver_word;	       /* the driver's word about the context */
	struct virtual_object *object; /* by handle */
	uint32_t nobjects;
	uint32_t lowest; /* no handle below it is free */
	uint64_t made;	 /* objects so far */
	struct event_file *events;
	uint32_t nevents;
	int default_async; /* descriptor of asynchronous events, or -1 */
	int opened;	   /* descriptor that the last command made, or -1 */
};

/* Returns the name of the default device, "" if no vendor has one. */
const char *virtual_default(void);
/* Gives the path of a device file: that of a known name, or the path itself. */
void virtual_find(const char *name, char *path, size_t size);
/* Read "N:ERRNO", and cut ",fail=N:ERRNO" off a name. Return 0, or -errno with
 * a line in err. */
int virtual_fault_read(const char *text, struct virtual_fault *fault, char *err,
		       size_t errlen);
int virtual_fault_split(char *name, struct virtual_fault *fault, char *err,
			size_t errlen);
/* Cuts ",mutant=FAULT" off the end of a name (seeded_fault.c). */
int virtual_seed_split(char *name, struct mutant **mutant, char *err,
		       size_t errlen);
/* Loads a device by name or path, with ",fail=" and ",mutant=". Returns 0, or
 * -errno with a line in err. */
int virtual_load(const char *name, struct virtual_device *d, char *err,
		 size_t errlen);

/* A device in this process (attach.c). virtual_prepare() makes its folder,
 * which children use too. From attach to detach the verbs libraries see this
 * device and no other. Return 0, or -errno with a line in err. */
int virtual_prepare(const char *name, char *err, size_t errlen);
int virtual_attach(const char *name, char *err, size_t errlen);
void virtual_detach(void);
/* Seeds a fault into a prepared device; NULL: none. */
void virtual_seed(const char *name, const struct mutant *mutant);
/* Shows a device to this process; NULL: those of the machine
 * (preload/preload.c). */
void virtual_show(struct virtual_device *d);

/* Starts the model behind a device, before its first file. 0 or -errno. */
int virtual_start(struct virtual_device *d);
void virtual_stop(struct virtual_device *d);

void virtual_file_open(struct virtual_file *f, const struct virtual_device *d);
void virtual_file_close(struct virtual_file *f);
/* Notes that the program closed a descriptor that a command made. */
void virtual_event_closed(struct virtual_file *f, int fd);
/* Runs one command as the kernel would. Returns 0 or -errno. */
int virtual_ioctl(struct virtual_file *f, struct ib_uverbs_ioctl_hdr *hdr);
/* Returns 0 with the pages to map (NULL: new pages), or -errno. */
int virtual_map(const struct virtual_file *f, const struct mapping *m,
		void **pages);

/* Makes the folder that stands for sysfs (sysfs_folder.c), with the device's
 * files in it. Returns 0, or -errno with a line in err. */
int virtual_folder_make(const struct virtual_device *d, char *path, size_t size,
			char *err, size_t errlen);
void virtual_folder_remove(const char *path);
/* Real devices beside the virtual one (sysfs_real.c): the first number that is
 * free, and links in the folder. Returns 0, or -errno with a line in err. */
unsigned int virtual_free_number(const struct virtual_driver *driver);
int virtual_show_real(const char *folder, char *err, size_t errlen);
int virtual_sysfs_write(const struct virtual_device *d, const char *folder,
			char *err, size_t errlen);

#endif
