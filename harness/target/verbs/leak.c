// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds descriptors that a program left open: they were closed before it, and
 * are open after its objects are destroyed.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "target/verbs/verbs_target.h"

static bool is_known(const struct verbs_target *t, unsigned int fd)
{
	return fd >= DESCRIPTORS || (t->known[fd / 64] >> fd % 64 & 1);
}

static void name_descriptor(unsigned int fd, char *what, size_t len)
{
	char path[32], name[96];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%u", fd);
	n = readlink(path, name, sizeof(name) - 1);
	name[n > 0 ? n : 0] = '\0';
	snprintf(what, len, "descriptor %u (%s) is left open", fd,
		 n > 0 ? name : "?");
}

void verbs_note_descriptors(struct verbs_target *t, char *what, size_t len)
{
	const struct dirent *entry;
	uint64_t open[DESCRIPTORS / 64] = {0};
	DIR *dir = opendir("/proc/self/fd");

	while (dir && (entry = readdir(dir))) {
		unsigned int fd =
			(unsigned int)strtoul(entry->d_name, NULL, 10);

		if (entry->d_name[0] == '.' || fd == (unsigned int)dirfd(dir))
			continue;
		if (what && !*what && !is_known(t, fd))
			name_descriptor(fd, what, len);
		if (fd < DESCRIPTORS)
			open[fd / 64] |= UINT64_C(1) << fd % 64;
	}
	if (!dir)
		return;
	memcpy(t->known, open, sizeof(open));
	closedir(dir);
}
