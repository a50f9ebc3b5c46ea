// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Makes the folder that libibverbs reads in the place of sysfs. The folder is
 * locked as long as the process or one of its children lives. A folder without
 * a lock belonged to a process that was killed, and the next process removes
 * the folder.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "contract/remove_folder.h"
#include "virtual/virtual.h"

#define PREFIX	    "ibvet-sysfs-"
#define LOCKED_BY_S 60 /* a new folder is locked by then */

/* Returns the descriptor that holds the lock, or -1 with errno if another
 * process has the lock or there can be none. */
static int lock_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int err;

	if (fd < 0 || !flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

static void remove_if_abandoned(const char *path)
{
	struct stat is;
	int fd;

	if (lstat(path, &is) || !S_ISDIR(is.st_mode) ||
	    is.st_uid != geteuid() || time(NULL) - is.st_mtime < LOCKED_BY_S)
		return;
	fd = lock_folder(path);
	if (fd < 0)
		return;
	remove_folder(path);
	close(fd);
}

static void remove_abandoned(const char *place)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir = opendir(place);

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", place, entry->d_name);
		remove_if_abandoned(path);
	}
	closedir(dir);
}

/* The lock is kept until the process ends. */
static int keep_lock(const char *path, char *err, size_t errlen)
{
	int ret;

	if (lock_folder(path) >= 0)
		return 0;
	ret = -errno;
	snprintf(err, errlen, "%s: it cannot be locked: %s", path,
		 strerror(errno));
	return ret;
}

static int make_in(const char *place, const struct virtual_device *d,
		   char *path, size_t size, char *err, size_t errlen)
{
	int ret;

	remove_abandoned(place);
	snprintf(path, size, "%s/" PREFIX "XXXXXX", place);
	if (!mkdtemp(path)) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return ret;
	}
	ret = keep_lock(path, err, errlen);
	if (!ret)
		ret = virtual_sysfs_write(d, path, err, errlen);
	if (ret)
		remove_folder(path);
	return ret;
}

/* Hundreds of files for each process: in memory they cost a fifth. */
int virtual_folder_make(const struct virtual_device *d, char *path, size_t size,
			char *err, size_t errlen)
{
	const char *tmp = getenv("TMPDIR");

	if (tmp)
		return make_in(tmp, d, path, size, err, errlen);
	if (!make_in("/dev/shm", d, path, size, err, errlen))
		return 0;
	return make_in("/tmp", d, path, size, err, errlen);
}
