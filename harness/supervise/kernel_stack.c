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
static char state_of(const char *tasks, const char *thread)
{
	FILE *file = open_file(tasks, thread, "stat");
	char line[512] = "";
	const char *end;

	if (!file)
		return '\0';
	end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return end && end[1] ? end[2] : '\0';
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

/* Returns how much more a thread in this state tells of what keeps its process
 * than others: most if it is uninterruptible, then if it runs. */
static int rank_of(char state)
{
	return state == 'D' ? 2 : state == 'R';
}

/* Chooses the first thread of the highest rank; the first of all threads is the
 * process itself. Returns its state, '\0' if there is no thread. */
static char choose_thread(const char *tasks, char thread[32])
{
	const struct dirent *entry;
	DIR *dir = opendir(tasks);
	char chosen = '\0';

	thread[0] = '\0';
	while (dir && (entry = readdir(dir))) {
		char state;

		if (entry->d_name[0] == '.')
			continue;
		state = state_of(tasks, entry->d_name);
		if (thread[0] && rank_of(state) <= rank_of(chosen))
			continue;
		snprintf(thread, 32, "%.31s", entry->d_name);
		chosen = state;
	}
	if (dir)
		closedir(dir);
	return chosen;
}

bool kernel_stack_read(const char *tasks, char *buf, size_t len)
{
	char thread[32];
	char state = choose_thread(tasks, thread);

	buf[0] = '\0';
	if (thread[0] && state != 'R')
		add_frames(tasks, thread, buf, len);
	return state == 'D';
}
