/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints the result of each call of a reproducer, and ends the program if it is
 * not the expected one.
 */
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contract/contract.h"

/* part: ANY */
#define ANY -1 /* nothing is expected of the call */

/* part: errno_name */

/* part: gave */
/* The first surprise ends the program. */
static void gave(const char *call, int err, int want)
{
	if (want == ANY || err == want)
		return;
	printf("  WRONG: %s was expected of %s\n",
	       want ? errno_name(want) : "success", call);
	exit(1);
}

/* part: gave_int */
/* Calls that return 0 or an errno value. */
static void gave_int(int ret, int want, const char *call)
{
	int after = errno;

	printf("%s\n  -> %d %s, errno %s\n", call, ret, errno_name(ret),
	       errno_name(after));
	gave(call, ret >= 0 ? ret : -2, want);
}

/* part: gave_ptr */
/* Calls that return an object, or NULL and set errno. */
static void gave_ptr(const void *ptr, int want, const char *call)
{
	int after = errno;

	printf("%s\n  -> %s, errno %s\n", call, ptr ? "an object" : "NULL",
	       errno_name(after));
	gave(call, ptr ? 0 : after > 0 ? after : -2, want);
}

/* part: gave_minus1 */
/* Calls that return 0, or -1 and set errno. */
static void gave_minus1(int ret, int want, const char *call)
{
	int after = errno;

	printf("%s\n  -> %d, errno %s\n", call, ret, errno_name(after));
	if (ret)
		ret = ret == -1 && after > 0 ? after : -2;
	gave(call, ret, want);
}

/* part: field */
static void field(const char *name, unsigned long long got,
		  unsigned long long want)
{
	printf("  %s = %llu (0x%llx)\n", name, got, got);
	if (got == want)
		return;
	printf("  WRONG: %llu (0x%llx) was expected\n", want, want);
	exit(1);
}

/* part: field_gid */
static void field_gid(const char *name, union ibv_gid got, union ibv_gid want)
{
	char text[INET6_ADDRSTRLEN];

	printf("  %s = %s\n", name,
	       inet_ntop(AF_INET6, got.raw, text, sizeof(text)));
	if (!memcmp(got.raw, want.raw, sizeof(got.raw)))
		return;
	printf("  WRONG: %s was expected\n",
	       inet_ntop(AF_INET6, want.raw, text, sizeof(text)));
	exit(1);
}

/* part: field_object */
static void field_object(const char *name, const void *got, const void *want)
{
	if (got == want)
		return;
	printf("  WRONG: %s is another object than expected\n", name);
	exit(1);
}

/* part: same_gid */
static bool same_gid(union ibv_gid got, union ibv_gid want)
{
	return !memcmp(got.raw, want.raw, sizeof(got.raw));
}

/* part: stuck */
static int stuck(const char *name)
{
	printf("cannot go on without %s\n", name);
	return 2;
}
