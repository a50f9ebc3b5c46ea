/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel's log as a run goes: what the kernel says while a case runs
 * belongs to that case. Worker and supervisor share one open /dev/kmsg, and
 * with it the place in the log, so that what a worker died of is read by the
 * supervisor. IBVET_KMSG names another file in the form of /dev/kmsg, which
 * may grow while it is read: tests stand in for a kernel by it.
 */
#ifndef IBVET_KERNEL_LOG_H
#define IBVET_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KERNEL_LINE    240
#define KERNEL_LINES   80
#define KERNEL_OTHERS  20 /* of them, before a report */
#define KERNEL_PENDING 16384
#define KERNEL_LEFT    16

/* What a line of the log, or a case's part of it, means. */
enum kernel_class { KERNEL_QUIET, KERNEL_HANG, KERNEL_CRASH };

enum kernel_class kernel_classify(const char *line);

/* Lies in memory that worker and supervisor share. */
struct kernel_log {
	int fd;		/* -1: not read */
	bool counted;	/* `next` is known */
	uint64_t next;	/* the record that comes, if none was lost */
	size_t pending; /* bytes of an unfinished line */
	char buf[KERNEL_PENDING];
	unsigned int nleft; /* processes left behind, stuck: of no later case */
	pid_t left[KERNEL_LEFT];
	struct kernel_log *beside; /* it is told of them as well; NULL: none */

	/* Of the case under way */
	enum kernel_class found;
	bool early;		/* the report was there before the case began */
	bool ended;		/* the report says that it is whole */
	char what[KERNEL_LINE]; /* the line that names the report's matter */
	unsigned int n, others, left_out;
	char line[KERNEL_LINES][KERNEL_LINE];
};

/* Opens the log behind its last record; false: `why` says why not. */
bool kernel_log_open(struct kernel_log *log, char *why, size_t len);
void kernel_log_close(struct kernel_log *log);

/* Of a case that ended nothing is kept. */
void kernel_log_forget(struct kernel_log *log);
/* The case under way has a report that came earlier: as kept of the log. */
void kernel_log_recall(struct kernel_log *log, const struct kernel_log *kept);
/* Reads what came before the calls of a case. */
void kernel_log_begin(struct kernel_log *log);
/* Reads what is new; a report that is being printed is awaited. */
void kernel_log_read(struct kernel_log *log);

/* Two readers of the log of one kernel: what one left behind both know. */
void kernel_log_join(struct kernel_log *a, struct kernel_log *b);
/* A process of an earlier case hangs on: that it does is known. */
void kernel_log_leave(struct kernel_log *log, pid_t pid);

/* "the kernel log says: …"; "" when it says nothing. */
void kernel_log_says(const struct kernel_log *log, char *buf, size_t len);

/* A file in which the machine kept what the kernel said before it went down;
 * false: there is none. */
bool kernel_log_dump(char *path, size_t len);

#endif
