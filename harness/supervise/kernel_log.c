// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides which lines of the kernel log are kept for a case: all lines of a
 * report (a warning, an oops, a stall) as far as there is room, and other
 * kernel lines of level warning or worse. Lines that processes wrote into the
 * log are ignored.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "contract/count.h"
#include "supervise/kernel_log.h"

#define KMSG	    "/dev/kmsg"
#define DUMPS	    "/sys/fs/pstore/dmesg-*"
#define LEVEL_BITS  7 /* of the priority; its other bits are the facility */
#define LEVEL_WARN  4
#define QUIET_MS    50 /* without a new line: the report is complete */
#define PATIENCE_MS 1000

#define PEER "peer: " /* begins lines of the other host's kernel */

#define LEFT_MAX 64

/* Processes stuck in the kernel, for which no later case is to blame. Workers
 * read this, too. */
static struct left_behind {
	unsigned int n;
	pid_t pid[LEFT_MAX];
} * left;

enum where { START, ANYWHERE };

struct pattern {
	enum kernel_class class;
	enum where where;
	const char *words;
};

static const struct pattern patterns[] = {
#define REPORT(class, where, words) {KERNEL_##class, where, words},
#include "supervise/kernel_log.def"
#undef REPORT
};

enum kernel_class kernel_classify(const char *line)
{
	for (size_t i = 0; i < COUNT(patterns); i++) {
		const struct pattern *p = &patterns[i];
		const char *at = strstr(line, p->words);

		if (at && (at == line || p->where == ANYWHERE))
			return p->class;
	}
	return KERNEL_QUIET;
}

static void share_left_behind(void)
{
	if (!left)
		left = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (left == MAP_FAILED)
		left = NULL;
}

bool kernel_log_open(struct kernel_log *log, char *why, size_t len)
{
	const char *path = getenv("IBVET_KMSG");

	if (!path || !*path)
		path = KMSG;
	share_left_behind();
	memset(log, 0, sizeof(*log));
	log->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log->fd < 0) {
		snprintf(why, len, "%s: %s", path, strerror(errno));
		return false;
	}
	/* A pipe cannot seek: all that is in it is new. */
	if (lseek(log->fd, 0, SEEK_END) < 0 && errno != ESPIPE) {
		snprintf(why, len, "%s: %s", path, strerror(errno));
		kernel_log_close(log);
		return false;
	}
	return true;
}

void kernel_log_close(struct kernel_log *log)
{
	if (log->fd >= 0)
		close(log->fd);
	log->fd = -1;
}

static void keep(struct kernel_log *log, const char *line)
{
	if (log->n < KERNEL_LINES)
		snprintf(log->line[log->n++], KERNEL_LINE, "%s", line);
	else
		log->left_out++;
}

/* "[ cut here ]" begins a report; the next line says what it is about. */
static bool is_mark(const char *line)
{
	return strstr(line, "[ cut here ]") != NULL;
}

static void begin_report(struct kernel_log *log, enum kernel_class class,
			 const char *line)
{
	log->found = class;
	if (!is_mark(line))
		snprintf(log->what, sizeof(log->what), "%s", line);
}

void kernel_log_leave(pid_t pid)
{
	if (left && left->n < LEFT_MAX)
		left->pid[left->n++] = pid;
}

/* "INFO: task NAME:PID blocked for more than 120 seconds." */
static bool is_about_left_behind(const char *line)
{
	const char *blocked = strstr(line, " blocked for more than ");
	const char *at = blocked;

	while (at && at > line && at[-1] != ':')
		at--;
	for (unsigned int i = 0; blocked && left && i < left->n; i++)
		if (strtol(at, NULL, 10) == left->pid[i])
			return true;
	return false;
}

static enum kernel_class class_of(const char *line)
{
	return is_about_left_behind(line) ? KERNEL_QUIET
					  : kernel_classify(line);
}

/* "Out of memory: Killed process PID (NAME) …", also of a memory cgroup */
static void note_starved(struct kernel_log *log, const char *line)
{
	static const char words[] = "ut of memory: Killed process ";
	const char *at = strstr(line, words);

	if (at)
		log->starved = (pid_t)atoi(at + sizeof(words) - 1);
}

static void take_line(struct kernel_log *log, int level, const char *line)
{
	if (!*line)
		return;
	note_starved(log, line);
	if (!log->found) {
		enum kernel_class class = class_of(line);

		if (class)
			begin_report(log, class, line);
		else if (level > LEVEL_WARN)
			return;
		else if (log->others++ >= KERNEL_OTHERS) {
			log->left_out++;
			return;
		}
	} else if (!log->what[0]) {
		snprintf(log->what, sizeof(log->what), "%s", line);
	}
	keep(log, line);
	log->ended = strstr(line, "---[ end trace") != NULL;
}

static void note_lost(struct kernel_log *log, uint64_t number)
{
	char text[80];

	if (log->counted && number > log->next) {
		snprintf(text, sizeof(text),
			 "(%llu lines of the kernel log were lost here)",
			 (unsigned long long)(number - log->next));
		keep(log, text);
	}
	log->counted = true;
	log->next = number + 1;
}

static bool is_skipped(struct kernel_log *log, uint64_t number)
{
	if (number >= log->from)
		return false;
	log->counted = true;
	if (number >= log->next)
		log->next = number + 1;
	return true;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The kernel writes unprintable characters, also line ends, as \xNN. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] == 'x' && hex(text[2]) >= 0 &&
		    hex(text[3]) >= 0) {
			*to++ = (char)(hex(text[2]) << 4 | hex(text[3]));
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* A record is "PRIORITY,NUMBER,MICROSECONDS,FLAGS[,…];TEXT". Lines that begin
 * with a blank belong to the record before them and are ignored. */
static void take_record(struct kernel_log *log, char *record)
{
	char *text = strchr(record, ';'), *end, *line;
	unsigned long priority = strtoul(record, &end, 10);
	uint64_t number;

	if (!text || end == record || *end != ',')
		return;
	number = strtoull(end + 1, NULL, 10);
	if (is_skipped(log, number))
		return;
	note_lost(log, number);
	if (priority > LEVEL_BITS)
		return;
	unescape(++text);
	while ((line = strsep(&text, "\n")))
		take_line(log, (int)priority, line);
}

/* Returns false if there was nothing to read. */
static bool read_some(struct kernel_log *log)
{
	ssize_t got;
	char *line, *end;

	if (log->pending >= sizeof(log->buf) - 1)
		log->pending = 0;
	got = read(log->fd, log->buf + log->pending,
		   sizeof(log->buf) - 1 - log->pending);
	if (got < 0)
		return errno == EPIPE || errno == EINTR;
	if (!got)
		return false;
	log->pending += (size_t)got;
	log->buf[log->pending] = '\0';
	line = log->buf;
	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		take_record(log, line);
		line = end + 1;
	}
	log->pending = strlen(line);
	memmove(log->buf, line, log->pending + 1);
	return true;
}

static bool read_new(struct kernel_log *log)
{
	bool any = false;

	while (read_some(log))
		any = true;
	return any;
}

/* To learn the number of the next record, all records are read. */
bool kernel_log_open_from(struct kernel_log *log, uint64_t from, char *why,
			  size_t len)
{
	if (!kernel_log_open(log, why, len))
		return false;
	lseek(log->fd, 0, SEEK_SET);
	log->from = from;
	if (from == KERNEL_FROM_NOW) {
		read_new(log);
		log->from = log->next;
		return true;
	}
	log->counted = true;
	log->next = from;
	return true;
}

/* Waits for the rest of a report that another processor may be printing. */
static void await_report(struct kernel_log *log)
{
	for (int waited = 0; waited < PATIENCE_MS && !log->ended;
	     waited += QUIET_MS) {
		poll(NULL, 0, QUIET_MS);
		if (!read_new(log))
			return;
	}
}

void kernel_log_read(struct kernel_log *log)
{
	enum kernel_class before = log->found;

	if (log->fd < 0)
		return;
	if (read_new(log) && log->found && !before)
		await_report(log);
}

bool kernel_log_is_report(const char *line)
{
	size_t prefix = strlen(PEER);

	return kernel_classify(strncmp(line, PEER, prefix) ? line
							   : line + prefix);
}

void kernel_log_hear_peer(struct kernel_log *log, const char *line, bool early)
{
	enum kernel_class class = kernel_classify(line);
	char text[KERNEL_LINE];

	snprintf(text, sizeof(text), PEER "%.*s",
		 (int)(sizeof(text) - sizeof(PEER)), line);
	if (!log->found && class) {
		begin_report(log, class, text);
		log->early = early;
	} else if (log->found && !log->what[0]) {
		snprintf(log->what, sizeof(log->what), "%s", text);
	}
	keep(log, text);
}

void kernel_log_forget(struct kernel_log *log)
{
	log->found = KERNEL_QUIET;
	log->early = false;
	log->ended = false;
	log->starved = 0;
	log->what[0] = '\0';
	log->n = 0;
	log->others = 0;
	log->left_out = 0;
}

void kernel_log_recall(struct kernel_log *log, const struct kernel_log *kept)
{
	log->found = kept->found;
	log->ended = kept->ended;
	log->n = kept->n;
	log->others = kept->others;
	log->left_out = kept->left_out;
	memcpy(log->what, kept->what, sizeof(log->what));
	memcpy(log->line, kept->line, sizeof(log->line));
}

void kernel_log_begin(struct kernel_log *log)
{
	kernel_log_read(log);
	log->early = log->found != KERNEL_QUIET;
}

void kernel_log_says(const struct kernel_log *log, char *buf, size_t len)
{
	const size_t peer = strlen(PEER);
	const bool of_peer = !strncmp(log->what, PEER, peer);

	buf[0] = '\0';
	if (log->found)
		snprintf(buf, len, "the %skernel log says%s: %s",
			 of_peer ? "peer's " : "",
			 log->early ? " (since before this case began)" : "",
			 log->what[0] ? log->what + (of_peer ? peer : 0)
				      : "a report without text");
}

bool kernel_log_dump(char *path, size_t len)
{
	bool there = false;
	glob_t found;

	if (!glob(DUMPS, 0, NULL, &found)) {
		there = found.gl_pathc > 0;
		if (there)
			snprintf(path, len, "%s", found.gl_pathv[0]);
		globfree(&found);
	}
	return there;
}
