/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the kernel stack of a hung process, which names the driver's function
 * that does not return.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "supervise/kernel_stack.h"

#define FRAMES 4

static FILE *open_file(const char *tasks, const char *thread, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%.200s/%.20s/%s", tasks, thread, name);
	return fopen(path, "re");
}

/* In /proc/PID/stat the state follows the name in brackets, which may itself
 * hold spaces and brackets. */
static bool is_uninterruptible(const char *tasks, const char *thread)
{
	FILE *file = open_file(tasks, thread, "stat");
	char line[512] = "";
	const char *end;

	if (!file)
		return false;
	end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return end && !strncmp(end, ") D", 3);
}

/* "[<0>] siw_destroy_qp+0x127/0x190 [siw]" gives "siw_destroy_qp". */
static bool frame_name(const char *line, char name[64])
{
	return sscanf(line, "[<%*[^>]>] %63[^+ \n]", name) == 1;
}

static void add_frames(const char *tasks, const char *thread, char *buf,
		       size_t len)
{
	FILE *file = open_file(tasks, thread, "stack");
	char line[256], name[64];
	size_t used = 0;
	int n = 0;

	if (!file)
		return;
	while (n < FRAMES && used < len && fgets(line, sizeof(line), file)) {
		if (!frame_name(line, name))
			continue;
		used += (size_t)snprintf(buf + used, len - used, "%s%s",
					 n++ ? " < " : "", name);
	}
	fclose(file);
}

/* Chooses the first uninterruptible thread, else the first thread, which is the
 * process itself. Returns true if the thread is uninterruptible. */
static bool choose_thread(const char *tasks, char thread[32])
{
	const struct dirent *entry;
	DIR *dir = opendir(tasks);
	bool stuck = false;

	thread[0] = '\0';
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		stuck = is_uninterruptible(tasks, entry->d_name);
		if (!thread[0] || stuck)
			snprintf(thread, 32, "%.31s", entry->d_name);
		if (stuck)
			break;
	}
	if (dir)
		closedir(dir);
	return stuck;
}

bool kernel_stack_read(const char *tasks, char *buf, size_t len)
{
	char thread[32];
	bool stuck = choose_thread(tasks, thread);

	buf[0] = '\0';
	if (thread[0])
		add_frames(tasks, thread, buf, len);
	return stuck;
}
