/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of the preloaded library share.
 */
#ifndef IBVET_VIRTUAL_INTERPOSE_H
#define IBVET_VIRTUAL_INTERPOSE_H

#include <dlfcn.h>
#include "virtual/nic/nic.h"

#define MAX_FILES 1024 /* open at a time */

#define SHOWN __attribute__((visibility("default")))

/* The function of libc behind one that is shown. */
#define REAL(name)                                                             \
	static typeof(name) *real;                                             \
	if (!real)                                                             \
	real = (typeof(name) *)dlsym(RTLD_NEXT, #name)

/* Around all that is done with the device. */
void take_lock(void);
void give_lock(void);
/* The device's file of a descriptor, NULL. */
struct virtual_file *interposed_file(int fd);
/* A descriptor was copied to another one, which is returned. */
int keep_copy(int fd, int copy);
/* It is about to be closed. */
void forget_descriptor(int fd);
/* A sanitizer brings a weak mmap() along, which the linker takes where nobody
 * asks for something that stands beside ours. */
extern const bool maps_are_ours;
/* Is it read for events? Is any descriptor? */
bool tells_events(int fd);
bool has_events(void);
/* Takes the lock, and has the NIC do what there is to do. */
void run_nic(void);
/* After a command, with the lock: the functions of a context and of a queue
 * that it made run the NIC (preload/verbs.c). */
void hook_queue(struct virtual_file *f, int fd,
		const struct ib_uverbs_ioctl_hdr *hdr);

#endif
