/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files of the preloaded library.
 */
#ifndef IBVET_VIRTUAL_INTERPOSE_H
#define IBVET_VIRTUAL_INTERPOSE_H

#include <dlfcn.h>
#include "virtual/nic/nic.h"

#define MAX_FILES 1024 /* open at a time */

#define SHOWN __attribute__((visibility("default")))

/* Declares `real`, the function of libc behind an interposed one. */
#define REAL(name)                                                             \
	static typeof(name) *real;                                             \
	if (!real)                                                             \
	real = (typeof(name) *)dlsym(RTLD_NEXT, #name)

/* The lock around every use of the device. */
void take_lock(void);
void give_lock(void);
/* Returns the virtual file behind a descriptor, NULL if there is none. */
struct virtual_file *interposed_file(int fd);
/* Notes that a descriptor was copied. Returns the copy. */
int keep_copy(int fd, int copy);
/* Notes that a descriptor is about to be closed. */
void forget_descriptor(int fd);
/* Refers to mmap.c: without that the linker would take the weak mmap() of a
 * sanitizer instead of ours. */
extern const bool maps_are_ours;
/* Returns true if events are read from the descriptor; from any descriptor. */
bool tells_events(int fd);
bool has_events(void);
/* Takes the lock and runs the NIC. */
void run_nic(void);
/* Runs the NIC after a poll that found nothing. If another thread has the lock,
 * that thread runs the NIC, and this one lets it. */
void poll_nic(void);
/* After a command that made a queue, with the lock: replaces the functions of
 * the context and of the queue by ones that run the NIC (preload/verbs.c). */
void hook_queue(struct virtual_file *f, int fd,
		const struct ib_uverbs_ioctl_hdr *hdr);

#endif
