/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what a fault is told by: the name of the file whose code it happened
 * in, without what differs between builds and releases of it. Functions of
 * libraries have no names where their symbols are stripped.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include "supervise/fault_location.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static char *told;

static const void *code_at(const ucontext_t *c)
{
#if defined(__x86_64__)
	return (const void *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (const void *)(uintptr_t)c->uc_mcontext.pc;
#else
	(void)c;
	return NULL;
#endif
}

/* "/usr/lib/libibverbs/libsiw-rdmav34.so" is libsiw. */
static void tell(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strcspn(name, "-.");

	len = len < FAULT_LOCATION_LEN ? len : FAULT_LOCATION_LEN - 1;
	memcpy(told, name, len);
	told[len] = '\0';
}

/* It comes a second time, to nobody. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	const void *code = code_at(context);
	Dl_info file;

	(void)info;
	if (code && dladdr(code, &file) && file.dli_fname)
		tell(file.dli_fname);
	raise(number);
}

void fault_location_note(char where[FAULT_LOCATION_LEN])
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
	static char room[1 << 16]; /* the stack may be what is used up */
	const stack_t own = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction fault = {.sa_sigaction = on_fault};

	told = where;
#ifdef SANITIZED
	(void)own;
	(void)fault;
	(void)faults;
#else
	fault.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND;
	sigemptyset(&fault.sa_mask);
	sigaltstack(&own, NULL);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaction(faults[i], &fault, NULL);
#endif
}
