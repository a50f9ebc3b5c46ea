// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Checks that a program's memory exists and may be read or written, as the
 * kernel does when it pins the pages of a memory region.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "virtual/uverbs/object.h"

#define PAGE	4096u
#define FEW	8 /* pages */
#define SIGNALS 8 /* size of the kernel's sigset_t */

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

/* Returns true if the kernel has MADV_POPULATE_*. A kernel without them fails
 * with EINVAL, which also means memory that cannot be populated. */
static bool can_populate(void)
{
	static _Alignas(PAGE) char page[PAGE];

	return !madvise(page, PAGE, MADV_POPULATE_WRITE);
}

/* Without MADV_POPULATE_*, checks only that the memory is mapped. Returns 0 or
 * -EFAULT. */
static int is_mapped(uint64_t start, uint64_t length)
{
	unsigned char there;

	for (uint64_t at = 0; at < length; at += PAGE)
		if (mincore((void *)(uintptr_t)(start + at), PAGE, &there))
			return -EFAULT;
	return 0;
}

/* Returns true if a page can be read. The kernel reads the signal set before it
 * checks `how`, so the invalid -1 fails with EINVAL for a readable page, and
 * with EFAULT for others. This takes a tenth of the time of madvise(). */
static bool is_readable(uint64_t page)
{
	return syscall(SYS_rt_sigprocmask, -1, page, NULL, SIGNALS) &&
	       errno == EINVAL;
}

static bool are_readable(uint64_t first, uint64_t pages)
{
	uint64_t n = 0;

	while (n < pages && is_readable(first + n * PAGE))
		n++;
	return n == pages;
}

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef SANITIZED
void __asan_get_shadow_mapping(size_t *scale, size_t *offset);
#endif

/* Returns true for AddressSanitizer's shadow memory. It is mapped, but
 * instrumented code must not touch it. */
static bool is_sanitizers(uint64_t start, uint64_t end)
{
#ifdef SANITIZED
	const uint64_t top = UINT64_C(0x7fffffffffff);
	size_t scale, offset;

	__asan_get_shadow_mapping(&scale, &offset);
	return end > offset && start <= (top >> scale) + offset;
#else
	(void)start;
	(void)end;
	return false;
#endif
}

int pages_check(uint64_t start, uint64_t length, bool writes)
{
	uint64_t first = start & ~(uint64_t)(PAGE - 1), end = start + length;
	uint64_t pages;

	if (end < start || end > UINT64_MAX - PAGE + 1)
		return -EINVAL;
	pages = (end - first + PAGE - 1) / PAGE;
	if (!length || pages > UINT_MAX)
		return -EINVAL;
	if (is_sanitizers(first, end))
		return -EFAULT;
	if (!writes && pages <= FEW && are_readable(first, pages))
		return 0;
	if (!madvise((void *)(uintptr_t)first, pages * PAGE,
		     writes ? MADV_POPULATE_WRITE : MADV_POPULATE_READ))
		return 0;
	if (errno != EINVAL || can_populate())
		return -EFAULT;
	return is_mapped(first, pages * PAGE);
}
