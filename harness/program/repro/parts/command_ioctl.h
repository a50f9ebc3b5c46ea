/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Stands between libibverbs and the kernel in a reproducer: its ioctl() is
 * called instead of libc's. It is weak, since ibvet has an ioctl() of its own.
 */
#pragma once
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "program/repro/parts/command.h"

/* part: change_command changed_command */
static struct command_change next_change;
static bool changes_next;

static int kernel_ioctl(int fd, unsigned long request, void *arg)
{
	int (*next)(int, unsigned long, ...);

	*(void **)&next = dlsym(RTLD_NEXT, "ioctl");
	return next(fd, request, arg);
}

__attribute__((weak)) int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request != RDMA_VERBS_IOCTL || !changes_next)
		return kernel_ioctl(fd, request, arg);
	changes_next = false;
	return send_changed(&next_change, fd, arg, kernel_ioctl, write);
}

/* Lets the next command be changed. */
static int change_command(uint32_t how, uint32_t attr, uint32_t offset,
			  uint64_t value)
{
	next_change = (struct command_change){
		.value = value,
		.how = how,
		.attr = attr,
		.offset = offset,
		.noted = next_change.noted,
	};
	changes_next = true;
	return 0;
}

/* Tells what became of it. */
static int changed_command(struct changed_args *changed)
{
	changes_next = false;
	*changed = next_change.seen;
	return changed->made ? 0 : EOPNOTSUPP;
}
