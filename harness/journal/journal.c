/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the journal, whole events only. After a failed write the file has its
 * old size, so that a run on a full disk can continue once there is room.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "journal/journal.h"

static int fail(const struct journal *j, int error, char *err, size_t errlen)
{
	snprintf(err, errlen, "%s: %s", j->path, strerror(error));
	return -error;
}

static int open_file(struct journal *j, const char *dir, int flags, char *err,
		     size_t errlen)
{
	memset(j, 0, sizeof(*j));
	j->fd = -1;
	if (snprintf(j->path, sizeof(j->path), "%s/" JOURNAL_NAME, dir) >=
	    (int)sizeof(j->path))
		return fail(j, ENAMETOOLONG, err, errlen);
	j->fd = open(j->path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0644);
	if (j->fd < 0)
		return fail(j, errno, err, errlen);
	j->size = lseek(j->fd, 0, SEEK_END);
	return 0;
}

/* Returns true if the first line of the journal is not whole: that run had not
 * begun, and its folder can be used again. */
static bool is_unborn(const char *dir)
{
	char path[RUN_PATH_LEN], *line = NULL;
	size_t room = 0;
	bool unborn = false;
	ssize_t len;
	FILE *file;

	if (snprintf(path, sizeof(path), "%s/" JOURNAL_NAME, dir) >=
	    (int)sizeof(path))
		return false;
	file = fopen(path, "re");
	if (!file)
		return false;
	len = getline(&line, &room, file);
	unborn = !ferror(file) && (len <= 0 || line[len - 1] != '\n');
	free(line);
	fclose(file);
	return unborn;
}

/* Syncs a folder, so that the name of a new file in it is on disk. */
static void sync_folder(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int journal_create(struct journal *j, const char *dir, char *err, size_t errlen)
{
	char above[RUN_PATH_LEN + 4];
	int ret = open_file(j, dir, O_CREAT | O_EXCL, err, errlen);

	if (ret == -EEXIST && is_unborn(dir)) {
		ret = open_file(j, dir, O_TRUNC, err, errlen);
	}
	if (ret)
		return ret;
	snprintf(above, sizeof(above), "%s/..", dir);
	sync_folder(dir);
	sync_folder(above);
	return 0;
}

int journal_append(struct journal *j, const char *dir, char *err, size_t errlen)
{
	int ret = open_file(j, dir, 0, err, errlen);
	char last = '\n';

	if (ret)
		return ret;
	if (j->size > 0 && pread(j->fd, &last, 1, j->size - 1) != 1)
		ret = fail(j, errno ? errno : EIO, err, errlen);
	else if (last != '\n' && write(j->fd, "\n", 1) != 1)
		ret = fail(j, errno, err, errlen);
	if (ret) {
		journal_close(j);
		return ret;
	}
	j->size += last != '\n';
	return 0;
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	free(j->text);
	j->text = NULL;
	j->len = 0;
	j->room = 0;
	j->fd = -1;
}

static bool grow(struct journal *j, size_t len)
{
	size_t room = j->room ? j->room : 4096;
	char *grown;

	while (room < len)
		room *= 2;
	grown = realloc(j->text, room);
	if (!grown)
		return false;
	j->text = grown;
	j->room = room;
	return true;
}

char *journal_room(struct journal *j, size_t len)
{
	if (j->len + len > j->room && !grow(j, j->len + len))
		return NULL;
	return j->text + j->len;
}

int journal_put(struct journal *j, const char *text, size_t len)
{
	char *to = journal_room(j, len);

	if (!to)
		return -1;
	memcpy(to, text, len);
	j->len += len;
	return 0;
}

static int gather(const char *text, size_t len, void *journal)
{
	return journal_put(journal, text, len);
}

int journal_add(struct journal *j, json_t *event)
{
	size_t before = j->len;

	if (!event)
		return -ENOMEM;
	if (json_dump_callback(event, gather, j, JSON_COMPACT) ||
	    journal_put(j, "\n", 1)) {
		j->len = before;
		json_decref(event);
		return -ENOMEM;
	}
	json_decref(event);
	return 0;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* A file that cannot be synced (a pipe, some network disks) is no error. */
static int sync_file(int fd)
{
	if (!fdatasync(fd) || errno == EINVAL || errno == EROFS)
		return 0;
	return -errno;
}

int journal_flush(struct journal *j, bool sync, char *err, size_t errlen)
{
	int ret = write_all(j->fd, j->text, j->len);

	if (ret) {
		if (ftruncate(j->fd, j->size))
			return fail(j, -ret, err, errlen);
		j->len = 0;
		return fail(j, -ret, err, errlen);
	}
	j->size += (off_t)j->len;
	j->len = 0;
	ret = sync ? sync_file(j->fd) : 0;
	return ret ? fail(j, -ret, err, errlen) : 0;
}

/* Opens the file once more, since a file that is open to append is written at
 * its end only. */
static void overwrite(const struct journal *j, off_t from, off_t to)
{
	int fd = open(j->path, O_WRONLY | O_CLOEXEC);
	char blanks[512];
	ssize_t done = 1;

	if (fd < 0)
		return;
	memset(blanks, ' ', sizeof(blanks));
	for (; from < to && done > 0; from += done) {
		size_t left = (size_t)(to - from);

		done = pwrite(fd, blanks,
			      left < sizeof(blanks) ? left : sizeof(blanks),
			      from);
	}
	close(fd);
}

void journal_blank(struct journal *j, off_t from, off_t to)
{
	if (from >= to || from >= j->size)
		return;
	if (to < j->size)
		overwrite(j, from, to - 1);
	else if (!ftruncate(j->fd, from))
		j->size = from;
}
