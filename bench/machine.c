// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Describes the machine that the figures were measured on.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "bench/figures.h"

struct machine {
	char cpu[128], kernel[160];
	int cores;
};

/* Reads the processor's name. /proc/cpuinfo has none on some architectures. */
static void read_cpu(char *buf, size_t len, const char *otherwise)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(buf, len, "%s", otherwise);
	while (file && fgets(line, sizeof(line), file)) {
		const char *value = strstr(line, ": ");

		if (strncmp(line, "model name", 10) || !value)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(buf, len, "%s", value + 2);
		break;
	}
	if (file)
		fclose(file);
}

static struct machine machine(void)
{
	struct machine m = {.cores = (int)sysconf(_SC_NPROCESSORS_ONLN)};
	struct utsname u;

	if (uname(&u))
		memset(&u, 0, sizeof(u));
	snprintf(m.kernel, sizeof(m.kernel), "%s %s", u.sysname, u.release);
	read_cpu(m.cpu, sizeof(m.cpu), u.machine);
	return m;
}

json_t *machine_json(void)
{
	struct machine m = machine();

	return json_pack("{s:s, s:i, s:s, s:s}", "cpu", m.cpu, "cores", m.cores,
			 "kernel", m.kernel, "compiler", BENCH_COMPILER);
}

void machine_print(void)
{
	struct machine m = machine();

	printf("%s, %d cores; %s; %s\n", m.cpu, m.cores, m.kernel,
	       BENCH_COMPILER);
	fflush(stdout);
}
