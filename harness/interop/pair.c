/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The caller's side of the run of a pair: sends the request, keeps the journal
 * as it grows, and makes the reports from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "interop/interop.h"
#include "reports/reports.h"

struct pair {
	const char *dir;
	FILE *from;
	int journal;
	int status; /* of the run; -1: it has not ended */
	char *err;
	size_t errlen;
};

static int complain(const struct pair *p, const char *what)
{
	snprintf(p->err, p->errlen, "%s: %s", p->dir, what);
	return -EIO;
}

/* Copies `len` bytes of the answer to a file. */
static int copy_to(const struct pair *p, int fd, uint64_t at, uint64_t len)
{
	char part[65536];

	while (len) {
		size_t want = len < sizeof(part) ? (size_t)len : sizeof(part);
		size_t n = fread(part, 1, want, p->from);

		if (!n)
			return complain(p, "the host's answer ends too early");
		if (pwrite(fd, part, n, (off_t)at) != (ssize_t)n)
			return complain(p, strerror(errno ? errno : ENOSPC));
		at += n;
		len -= n;
	}
	return ftruncate(fd, (off_t)at) ? complain(p, strerror(errno)) : 0;
}

static int take_file(const struct pair *p, const char *name, uint64_t len)
{
	char path[RUN_PATH_LEN];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/repro", p->dir);
	mkdir(path, 0777);
	if (strchr(name, '/') || name[0] == '.' ||
	    snprintf(path, sizeof(path), "%s/repro/%s", p->dir, name) >=
		    (int)sizeof(path))
		return complain(p, "the host sends a file with another name");
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return complain(p, strerror(errno));
	ret = copy_to(p, fd, 0, len);
	close(fd);
	return ret;
}

/* Takes a line of the host, and the bytes behind it. */
static int take(struct pair *p, char *line)
{
	char name[256];
	uint64_t from, len;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "journal %" SCNu64 " %" SCNu64, &from, &len) == 2)
		return copy_to(p, p->journal, from, len);
	if (sscanf(line, "file %255s %" SCNu64, name, &len) == 2)
		return take_file(p, name, len);
	if (sscanf(line, "end %d %n", &p->status, &at) == 1 && at) {
		if (p->status == RUN_BROKEN || p->status == RUN_USAGE)
			snprintf(p->err, p->errlen, "%s", line + at);
		return 0;
	}
	snprintf(p->err, p->errlen,
		 "the host says \"%.60s\": its command has to start ibvet %s "
		 "and print nothing itself",
		 line, IBVET_VERSION);
	return -EPROTO;
}

static int read_answer(struct pair *p)
{
	char *line = NULL;
	size_t room = 0;
	int ret = 0;

	while (!ret && p->status < 0 && getline(&line, &room, p->from) > 0)
		ret = take(p, line);
	free(line);
	return ret;
}

static bool write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno != EINTR)
			return false;
		text += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Returns the length of the journal if it can be resumed, else 0. */
static off_t resumable(const struct pair *p)
{
	struct stat st;
	char byte[4096];
	ssize_t n = pread(p->journal, byte, sizeof(byte), 0);

	if (n > 0 && memchr(byte, '\n', (size_t)n) && !fstat(p->journal, &st))
		return st.st_size;
	return 0;
}

/* Sends the request, and the journal if there is one. A host that does not
 * read it shows so by its answer. */
static int ask(const struct pair *p, int fd, const struct pair_request *q)
{
	const off_t had = resumable(p);
	json_t *request = json_pack("{s:s,s:s*,s:O,s:O*,s:I,s:b}", "ibvet",
				    IBVET_VERSION, "peer", q->peer, "arguments",
				    q->arguments, "moved", q->moved, "journal",
				    (json_int_t)had, "retry", q->retry);
	char *line = request ? json_dumps(request, JSON_COMPACT) : NULL;
	char part[65536];
	bool sent;

	json_decref(request);
	if (!line)
		return complain(p, "no memory");
	sent = write_all(fd, line, strlen(line)) && write_all(fd, "\n", 1);
	free(line);
	for (off_t at = 0; sent && at < had;) {
		ssize_t n = pread(p->journal, part, sizeof(part), at);

		if (n <= 0)
			return complain(p, "the journal cannot be read");
		sent = write_all(fd, part, (size_t)n);
		at += n;
	}
	return 0;
}

static int converse(struct pair *p, const struct pair_request *q)
{
	struct far_command c;
	int status, ret = far_start(&c, q->command, "interop --serve");

	if (ret) {
		snprintf(p->err, p->errlen, "cannot start \"%s\": %s",
			 q->command, strerror(-ret));
		return ret;
	}
	ret = ask(p, c.to, q);
	p->from = fdopen(dup(c.from), "re");
	if (!ret && p->from)
		ret = read_answer(p);
	if (p->from)
		fclose(p->from);
	status = far_end(&c);
	if (ret || p->status >= 0)
		return ret;
	snprintf(p->err, p->errlen,
		 "the host is lost: \"%s\" ended with status %d", q->command,
		 status);
	return -EPIPE;
}

/* Writes the report files from the journal. */
static int write_reports(const char *dir, char *err, size_t errlen)
{
	struct report r;
	int ret = report_open(&r, dir, err, errlen);

	if (ret)
		return ret;
	ret = report_files(&r, err, errlen);
	report_close(&r);
	return ret;
}

int pair_run(const struct pair_request *q, const char *dir, char *err,
	     size_t errlen)
{
	struct pair p = {dir, NULL, -1, -1, err, errlen};
	char path[RUN_PATH_LEN];
	int ret;

	snprintf(path, sizeof(path), "%s/" JOURNAL_NAME, dir);
	p.journal = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (p.journal < 0) {
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		return RUN_BROKEN;
	}
	ret = converse(&p, q);
	if (!ret && resumable(&p)) {
		char why[RUN_ERROR_LEN] = "";

		if (write_reports(dir, why, sizeof(why)) && !*err)
			snprintf(err, errlen, "%.*s", (int)errlen - 1, why);
	}
	close(p.journal);
	return ret ? RUN_BROKEN : p.status;
}
