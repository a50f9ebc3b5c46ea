// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Interposes mmap() of the device: maps pages that the driver shares with the
 * program, or new pages if the driver shares none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include "virtual/preload/preload.h"

#define PAGE 4096u

const bool preload_has_mmap = true;

/* Makes the kernel's checks, then asks the driver. *pages stays NULL if the
 * program gets new pages. Returns 0 or -errno. */
static int find_pages(struct virtual_file *f, struct mapping *m, void **pages)
{
	int err;

	if (!m->length || m->offset % PAGE)
		return -EINVAL;
	m->length = (m->length + PAGE - 1) & ~(size_t)(PAGE - 1);
	preload_lock();
	err = virtual_map(f, m, pages);
	preload_unlock();
	return err;
}

#define MAPS(name, offset_t)                                                   \
	SHOWN void *name(void *at, size_t length, int prot, int flags, int fd, \
			 offset_t offset)                                      \
	{                                                                      \
		REAL(name);                                                    \
		struct mapping m = {(uint64_t)offset, length, prot, flags};    \
		struct virtual_file *f =                                       \
			flags & MAP_ANONYMOUS ? NULL : preload_file(fd);       \
		void *pages = NULL;                                            \
		int err;                                                       \
                                                                               \
		if (!f)                                                        \
			return real(at, length, prot, flags, fd, offset);      \
		err = find_pages(f, &m, &pages);                               \
		if (err) {                                                     \
			errno = -err;                                          \
			return MAP_FAILED;                                     \
		}                                                              \
		return pages ? shared_show(pages, at, &m)                      \
			     : real(at, length, prot, flags, fd, 0);           \
	}

MAPS(mmap, off_t)
MAPS(mmap64, off64_t)
