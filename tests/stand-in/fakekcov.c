// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Plays the kernel's KCOV for tests. Any regular file that IBVET_KCOV names
 * takes the place of /sys/kernel/debug/kcov: this library answers the ioctls of
 * KCOV. libfakeverbs takes the place of the driver: it is compiled with
 * -fsanitize-coverage=trace-pc, and calls __sanitizer_cov_trace_pc() here.
 * Points are addresses as `nm` prints them. With FAKE_KCOV=none the ioctls
 * fail, as on a kernel without KCOV.
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

/* The number of points, then the points: a mapping of the file, which ibvet
 * maps too. */
static unsigned long *area;
static size_t words; /* size of `area` */
/* It is read at each point, so it must be cheap to reach. */
static _Thread_local int enabled __attribute__((tls_model("initial-exec")));
static uintptr_t base; /* load address of libfakeverbs */

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
