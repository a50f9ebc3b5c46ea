/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files of this folder: the lock, the descriptors of the device,
 * and running the NIC.
 */
#ifndef IBVET_VIRTUAL_INTERPOSE_H
#define IBVET_VIRTUAL_INTERPOSE_H

#include <dlfcn.h>
#include "virtual/nic/nic.h"

#define MAX_FILES 1024 /* descriptors of the device are below it */

/* Exported by the library, which hides all other functions. */
#define SHOWN __attribute__((visibility("default")))

/* Declares `real`, the libc function that we interpose. */
#define REAL(name)                                                             \
	static typeof(name) *real;                                             \
	if (!real)                                                             \
	real = (typeof(name) *)dlsym(RTLD_NEXT, #name)

/* Take and release the lock that guards every use of the device. */
void preload_lock(void);
void preload_unlock(void);
/* Returns the virtual file of a descriptor, NULL if it is not the device's. */
struct virtual_file *preload_file(int fd);
/* Notes that a descriptor was copied. Returns the copy, or -1 with errno. */
int preload_keep_copy(int fd, int copy);
/* Notes that a descriptor is about to be closed. */
void preload_forget_fd(int fd);
/* Always true. preload.c reads this variable so that the linker takes mmap.c
 * with its mmap(), and not the weak mmap() of a sanitizer. */
extern const bool preload_has_mmap;
/* preload_is_event_fd() returns true if the program reads the device's events
 * from the descriptor; preload_has_event_fd() if there is any such descriptor.
 */
bool preload_is_event_fd(int fd);
bool preload_has_event_fd(void);
/* Takes the lock and runs the NIC. */
void preload_run_nic(void);
/* Runs the NIC after a poll that found nothing. If another thread has the lock,
 * or waits for it, this thread only yields the processor: the other thread runs
 * the NIC. */
void preload_poll_nic(void);
/* If a command has made a completion queue or queue pair: replaces functions of
 * its context and of the queue by functions that run the NIC (verbs.c). The
 * caller holds the lock. */
void preload_hook_queue(struct virtual_file *f, int fd,
			const struct ib_uverbs_ioctl_hdr *hdr);

/* A device for dma-bufs (udmabuf.c). */
bool udmabuf_is(const char *path);
/* Return a descriptor or -errno. */
int udmabuf_open(void);
int udmabuf_create(const void *arg);
/* Returns true if an ioctl makes a dma-buf. */
bool udmabuf_creates(unsigned long request);

#endif
