/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A virtual RDMA device: the kernel's side of a uverbs device, in the process
 * of the program that uses the device. The code in this folder is common to all
 * vendors; struct virtual_driver (uverbs/command.h) is the vendor's kernel
 * driver.
 */
#ifndef IBVET_VIRTUAL_H
#define IBVET_VIRTUAL_H

#include <stdio.h>
#include "contract/device.h"

/* The device's name in sysfs and /dev, and that of a second device. The numbers
 * are so high that no real device of the machine has them. */
#define VIRTUAL_CHARDEV	       "uverbs9999"
#define VIRTUAL_SECOND_CHARDEV "uverbs9998"
#define VIRTUAL_CDEV_FOLDER    "/dev/infiniband/"
/* Opening the device gives a descriptor of this file, which has these device
 * numbers. */
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

struct link_args;
struct virtual_core;
struct virtual_rows;
struct virtual_nic;
struct virtual_object;
struct event_file;

/* The command that fails on purpose (failing_command.c): the nth command of the
 * device, counted over all its open files. */
struct virtual_fault {
	uint64_t nth; /* 0: none */
	int error;
};

struct virtual_device {
	struct device_info info;
	const struct virtual_driver *driver;
	unsigned int number; /* of the device: mlx5_0 has 0 */
	struct virtual_fault fault;
	struct mutant *mutant;	   /* seeded fault, or NULL */
	FILE *trace;		   /* trace of commands, or NULL */
	struct virtual_rows *rows; /* counts of reached rules, or NULL */
	struct virtual_core *core; /* the model (uverbs/core.c) */
	struct virtual_nic *nic;
	void *own; /* data of the driver */
	/* The other one of two devices that reach each other, or NULL. They
	 * have one model and one NIC. */
	struct virtual_device *other;
	bool is_second;
	uint16_t context; /* its slot in the model, NO_OBJ: the first device */
	/* For two devices on two hosts: the device is on the other one; how
	 * that is asked, NULL: both are in this process. */
	bool far;
	const struct virtual_wire *wire;
};

/* Returns the name of the device's file in /dev. */
static inline const char *virtual_chardev(const struct virtual_device *d)
{
	return d->is_second && !d->wire ? VIRTUAL_SECOND_CHARDEV
					: VIRTUAL_CHARDEV;
}

/* Asks the NIC of the other host (nic/far.c), a line for a line. Returns the
 * answer, which is valid until the next call; NULL: the other host is lost. */
struct virtual_wire {
	char *(*ask)(void *arg, const char *question);
	void *arg;
};

/* One of two devices on two hosts. The model of both travels: who makes a call
 * has the latest one (apart.c). */
struct virtual_apart {
	const struct device_info *other; /* the device of the other host */
	bool is_second;			 /* the device here is the second one */
	struct virtual_wire wire;
	char *changes; /* of the model, that the other host has made before this
			  one attaches its device; NULL: none */
};

/* A program's mmap() of the device, with its length in whole pages. */
struct mapping {
	uint64_t offset;
	size_t length;
	int prot, flags;
};

/* An open character device. It has a context after get_context. */
struct virtual_file {
	const struct virtual_device *device;
	bool has_context;
	uint32_t driver_word; /* for the driver to keep with a context */
	struct virtual_object *object; /* by handle */
	uint32_t nobjects;
	uint32_t lowest; /* all handles below this one are taken */
	uint64_t made;	 /* number of objects that were ever made */
	struct event_file *events;
	uint32_t nevents;
	int default_async; /* descriptor of asynchronous events, or -1 */
	int opened; /* descriptor for events that the last command made, or -1
		     */
};

/* Returns the name of the device that is used if none is named, or "" if no
 * vendor has a virtual device. */
const char *virtual_default(void);
/* Finds the device file of a name in the vendors' folders. A name with a slash
 * or with the end ".dev" is the path itself. */
void virtual_find(const char *name, char *path, size_t size);
/* virtual_fault_read() reads "N:ERRNO"; virtual_fault_split() cuts
 * ",fail=N:ERRNO" off the end of a name and reads it. Both return 0, or -errno
 * with a line in err. */
int virtual_fault_read(const char *text, struct virtual_fault *fault, char *err,
		       size_t errlen);
int virtual_fault_split(char *name, struct virtual_fault *fault, char *err,
			size_t errlen);
/* Cuts ",mutant=FAULT" off the end of a name (seeded_fault.c). *mutant is NULL
 * if there is none. Returns 0, or -errno with a line in err. */
int virtual_seed_split(char *name, struct mutant **mutant, char *err,
		       size_t errlen);
/* Loads a device by name or path, with ",fail=" and ",mutant=". Returns 0, or
 * -errno with a line in err. */
int virtual_load(const char *name, struct virtual_device *d, char *err,
		 size_t errlen);

/* Devices of this process (attach.c). virtual_prepare() loads a device, makes
 * its folder and starts its model; a child of fork() has the device too. The
 * device comes with a `second` one that it reaches, unless that is NULL. From
 * virtual_attach() to virtual_detach() libibverbs sees this device, the second
 * one and no other. Return 0, or -errno with a line in err. */
int virtual_prepare(const char *name, const char *second, char *err,
		    size_t errlen);
int virtual_attach(const char *name, const char *second, char *err,
		   size_t errlen);
void virtual_detach(void);
/* Attaches a device whose other one is on another host. `how` must outlive it.
 */
int virtual_attach_apart(const char *name, const struct virtual_apart *how,
			 char *err, size_t errlen);
/* Reads the device file of a name. */
int virtual_describe(const char *name, struct device_info *info, char *err,
		     size_t errlen);
/* For the device that is attached so. virtual_changes() prints what changed in
 * the model since the other host has seen it last, at most `size` bytes; false:
 * nothing is left. virtual_take() takes such a text over; virtual_answer()
 * answers a question of the other host's NIC. Return false if the text makes
 * no sense. virtual_renew() forgets the other host's device, whose process is
 * gone; another process begins anew. */
bool virtual_changes(size_t *at, char *text, size_t size);
bool virtual_take(const char *text);
bool virtual_answer(const char *question, char *answer, size_t size);
void virtual_renew(void);
size_t virtual_model_bytes(void);
/* Removes the folders that this process has made. */
void virtual_remove_folders(void);
/* Stores the names by which libibverbs lists the device that is attached, and
 * the second one. */
void virtual_names(char *first, char *second, size_t size);
/* Tells the devices that are attached which ports the link joins. */
void virtual_join(const struct device_info *first);
/* Changes the link between two devices that are attached. */
void virtual_link(const struct link_args *how);
/* Seeds a fault into the model of a prepared device; NULL removes the fault. */
void virtual_seed(const char *name, const struct mutant *mutant);
/* Lets a send of a queue pair fail in the NIC, which no verb can do. The queue
 * pair is given by the descriptor of its context and its handle. Returns 0, or
 * an errno value (preload/verbs.c). */
int virtual_fail_send(int cmd_fd, uint32_t handle);
/* Makes the interposed libc calls answer for a device; NULL: for no device
 * (preload/preload.c). */
void virtual_show(struct virtual_device *d);

/* Starts the model, driver and NIC of a device, before the device is opened.
 * Returns 0, or -errno and leaves nothing started. */
int virtual_start(struct virtual_device *d);
void virtual_stop(struct virtual_device *d);
/* Starts a second device, which the first one reaches: with its model and NIC.
 */
int virtual_start_second(struct virtual_device *d,
			 struct virtual_device *second);

void virtual_file_open(struct virtual_file *f, const struct virtual_device *d);
void virtual_file_close(struct virtual_file *f);
/* Notes that the program closes a descriptor for events. */
void virtual_event_closed(struct virtual_file *f, int fd);
/* Runs one command as the kernel would. Returns 0 or -errno. */
int virtual_ioctl(struct virtual_file *f, struct ib_uverbs_ioctl_hdr *hdr);
/* Carries out a command that a program writes to the device. */
int virtual_write(struct virtual_file *f, const void *bytes, size_t count);
/* Finds the pages of a mapping: *pages stays NULL if the program gets new
 * pages. Returns 0 or -errno. */
int virtual_map(const struct virtual_file *f, const struct mapping *m,
		void **pages);

/* Makes a folder that libibverbs reads as sysfs (sysfs_folder.c), with the
 * device's files in it, and which the caller removes (remove_folder()). Returns
 * 0, or -errno with a line in err. */
int virtual_folder_make(const struct virtual_device *d, char *path, size_t size,
			char *err, size_t errlen);
/* For real devices beside the virtual one (sysfs_real.c): returns the lowest
 * number that no real device of this driver has; links the real devices into
 * the folder. */
unsigned int virtual_free_number(const struct virtual_driver *driver);
int virtual_show_real(const char *folder, char *err, size_t errlen);
/* Writes the device's files below the folder (sysfs.c). */
int virtual_sysfs_write(const struct virtual_device *d, const char *folder,
			char *err, size_t errlen);

/*
 * Lets a function send the next command of a uverbs device, of any kind, that
 * this thread makes; it is called instead of ioctl(). NULL: no command.
 */
typedef int command_diverter(void *arg, int fd,
			     struct ib_uverbs_ioctl_hdr *hdr);
void virtual_divert(command_diverter *divert, void *arg);
bool virtual_diverts(void); /* the next command */
/* Makes an ioctl as if no command were diverted. */
int virtual_send(int fd, unsigned long request, void *arg);

#endif
