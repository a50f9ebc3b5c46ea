/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the monotonic clock, which all processes of a run share until the
 * machine starts again.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "contract/clock.h"

static uint64_t microseconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t now_us(void)
{
	return microseconds(CLOCK_MONOTONIC);
}

uint64_t processor_us(void)
{
	return microseconds(CLOCK_PROCESS_CPUTIME_ID);
}

void clock_boot(char *buf, size_t len)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	snprintf(buf, len, "unknown");
	if (f && fgets(buf, (int)len, f))
		buf[strcspn(buf, "\n")] = '\0';
	if (f)
		fclose(f);
}
