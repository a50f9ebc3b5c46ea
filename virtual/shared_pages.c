// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Pages that the device shares with a program, such as doorbell pages. All
 * mappings of them show the same bytes, also after a fork. They need no file
 * descriptor, which the program might see or close.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include "virtual/uverbs/object.h"

void *shared_new(size_t size)
{
	void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return pages == MAP_FAILED ? NULL : pages;
}

void shared_free(void *pages, size_t size)
{
	if (pages)
		munmap(pages, size);
}

/* mremap() with an old size of 0 makes a second mapping and keeps the first. */
void *shared_show(void *pages, void *at, const struct mapping *m)
{
	int how = m->flags & MAP_FIXED ? MREMAP_FIXED : 0;
	void *shown = mremap(pages, 0, m->length, MREMAP_MAYMOVE | how, at);

	if (shown == MAP_FAILED || !mprotect(shown, m->length, m->prot))
		return shown;
	munmap(shown, m->length);
	return MAP_FAILED;
}
