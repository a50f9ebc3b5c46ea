// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Plays the kernel's KCOV for tests, by a file that IBVET_KCOV names. Preload
 * this library behind the stand-in device, whose code is compiled with coverage
 * as the kernel is, and plays the driver. Points are addresses as `nm` prints
 * them. FAKE_KCOV=none plays a kernel that has the file but no KCOV.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/kcov.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The area of points, shared with the thread that mapped it */
static unsigned long *area;
static size_t words;
static _Thread_local int enabled;
static uintptr_t base; /* address of the driver */

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	unsigned long n;
	Dl_info driver;

	if (!enabled || area[0] + 1 >= words)
		return;
	if (!base && dladdr(__builtin_return_address(0), &driver))
		base = (uintptr_t)driver.dli_fbase;
	n = ++area[0];
	area[n] = (uintptr_t)__builtin_return_address(0) - base;
}

static int init_trace(int fd, size_t size)
{
	const char *how = getenv("FAKE_KCOV");
	void *mapped;

	if (how && !strcmp(how, "none")) {
		errno = ENOTTY;
		return -1;
	}
	words = size;
	if (ftruncate(fd, (off_t)(size * sizeof(*area))))
		return -1;
	mapped = mmap(NULL, size * sizeof(*area), PROT_READ | PROT_WRITE,
		      MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return -1;
	area = mapped;
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	static typeof(ioctl) *real;
	va_list rest;
	void *arg;

	va_start(rest, request);
	arg = va_arg(rest, void *);
	va_end(rest);
	if (request == KCOV_INIT_TRACE)
		return init_trace(fd, (size_t)arg);
	if (request == KCOV_ENABLE) {
		enabled = 1;
		return 0;
	}
	if (!real)
		real = (typeof(ioctl) *)dlsym(RTLD_NEXT, "ioctl");
	return real(fd, request, arg);
}
