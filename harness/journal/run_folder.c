/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes and locks the folder of a run. A folder under runs/ gets a new name;
 * runs/ is in the current folder or, if that cannot be written, with the user's
 * state, as the XDG folders have it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "journal/journal.h"
#include "journal/run_folder.h"

static int fail(const char *path, int error, char *err, size_t errlen)
{
	snprintf(err, errlen, "%s: cannot make this folder: %s", path,
		 strerror(error));
	return -error;
}

static int make_one(const char *path)
{
	struct stat st;

	if (!mkdir(path, 0755))
		return 0;
	if (errno == EEXIST && !stat(path, &st))
		return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
	return -errno;
}

static int make_path(const char *out, char *dir, size_t dirlen, char *err,
		     size_t errlen)
{
	int ret = 0;

	if (!*out || snprintf(dir, dirlen, "%s", out) >= (int)dirlen)
		return fail(out, *out ? ENAMETOOLONG : ENOENT, err, errlen);
	for (char *slash = strchr(dir + 1, '/'); slash && !ret;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		ret = make_one(dir);
		if (ret)
			return fail(dir, -ret, err, errlen);
		*slash = '/';
	}
	ret = make_one(dir);
	return ret ? fail(dir, -ret, err, errlen) : 0;
}

/* Makes the folder of the user's runs. Returns 0 or a negative error. */
static int make_state_runs(char *runs, size_t len)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char err[RUN_PATH_LEN], path[RUN_PATH_LEN];
	int n;

	if (state && *state == '/')
		n = snprintf(path, sizeof(path), "%s/ibvet/runs", state);
	else if (home && *home == '/')
		n = snprintf(path, sizeof(path), "%s/.local/state/ibvet/runs",
			     home);
	else
		return -ENOENT;
	if (n >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return make_path(path, runs, len, err, sizeof(err));
}

/* Makes the folder in which runs get names: runs/ in the current folder, or, if
 * that cannot be written, in the user's. */
static int make_runs(char *runs, size_t len, char *err, size_t errlen)
{
	int ret = make_one("runs");

	snprintf(runs, len, "runs");
	if (!ret && !access("runs", W_OK))
		return 0;
	if (!ret)
		ret = -errno;
	if ((ret == -EACCES || ret == -EROFS) && !make_state_runs(runs, len))
		return 0;
	return fail("runs", -ret, err, errlen);
}

static int make_new(char *dir, size_t dirlen, char *err, size_t errlen)
{
	char stamp[32] = "run", runs[RUN_PATH_LEN];
	time_t now = time(NULL);
	struct tm tm;
	int ret = make_runs(runs, sizeof(runs), err, errlen);

	if (ret)
		return ret;
	if (localtime_r(&now, &tm))
		strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	snprintf(dir, dirlen, "%s/%s", runs, stamp);
	for (int i = 2; mkdir(dir, 0755); i++) {
		if (errno != EEXIST)
			return fail(dir, errno, err, errlen);
		snprintf(dir, dirlen, "%s/%s-%d", runs, stamp, i);
	}
	return 0;
}

int run_folder_make(const char *out, char *dir, size_t dirlen, char *err,
		    size_t errlen)
{
	return out ? make_path(out, dir, dirlen, err, errlen)
		   : make_new(dir, dirlen, err, errlen);
}

#define LOCK_TRIES 20 /* a worker may outlive its killed ibvet a little */
#define LOCK_MS	   50

int run_folder_lock(const char *dir, char *err, size_t errlen)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;

	if (fd < 0) {
		ret = -errno;
		snprintf(err, errlen, "%s: %s", dir, strerror(errno));
		return ret;
	}
	for (int i = 0; i < LOCK_TRIES; i++) {
		ret = flock(fd, LOCK_EX | LOCK_NB) ? errno : 0;
		if (ret != EWOULDBLOCK)
			return fd; /* some network disks have no locks */
		poll(NULL, 0, LOCK_MS);
	}
	close(fd);
	snprintf(err, errlen, "%s: another ibvet is at work on this run", dir);
	return -EBUSY;
}
