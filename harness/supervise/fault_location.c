/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how a fault is named: after the file whose code faulted, without the
 * parts of its name that differ between builds and releases. Function names are
 * no use, since libraries may be stripped.
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
#include "contract/count.h"
#include "supervise/fault_location.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static char *fault_name;

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

/* "/usr/lib/libibverbs/libsiw-rdmav34.so" gives "libsiw". */
static void keep_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t len = strcspn(name, "-.");

	len = len < FAULT_LOCATION_LEN ? len : FAULT_LOCATION_LEN - 1;
	memcpy(fault_name, name, len);
	fault_name[len] = '\0';
}

/* SA_RESETHAND has removed the handler: raise() ends the process. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	const void *code = code_at(context);
	Dl_info file;

	(void)info;
	if (code && dladdr(code, &file) && file.dli_fname)
		keep_name(file.dli_fname);
	raise(number);
}

void fault_location_note(char where[FAULT_LOCATION_LEN])
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
	static char room[1 << 16]; /* the stack may have overflowed */
	const stack_t own = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction fault = {.sa_sigaction = on_fault};

	fault_name = where;
#ifdef SANITIZED
	(void)own;
	(void)fault;
	(void)faults;
#else
	fault.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND;
	sigemptyset(&fault.sa_mask);
	sigaltstack(&own, NULL);
	for (size_t i = 0; i < COUNT(faults); i++)
		sigaction(faults[i], &fault, NULL);
#endif
}
