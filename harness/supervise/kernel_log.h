/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the kernel log during a run. A report that appears while a case runs
 * belongs to that case. Worker and supervisor share one open /dev/kmsg and so
 * its file position: the supervisor reads what a dead worker had not read yet.
 * For tests, IBVET_KMSG names another file in the form of /dev/kmsg, which may
 * grow while it is read.
 */
#ifndef IBVET_KERNEL_LOG_H
#define IBVET_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define KERNEL_LINE    240
#define KERNEL_LINES   80
#define KERNEL_OTHERS  20 /* lines kept of those before a report */
#define KERNEL_PENDING 16384

/* The meaning of one line, or of all lines of a case. */
enum kernel_class { KERNEL_QUIET, KERNEL_HANG, KERNEL_CRASH };

enum kernel_class kernel_classify(const char *line);
/* Returns true for a kept line, also of the peer's kernel, that begins a
 * report.
 */
bool kernel_log_is_report(const char *line);

/* Lies in memory that worker and supervisor share. */
struct kernel_log {
	int fd;		/* -1: not read */
	bool counted;	/* `next` is known */
	uint64_t next;	/* number of the next record, if none was lost */
	uint64_t from;	/* records with lower numbers are skipped */
	size_t pending; /* bytes of an unfinished line */
	char buf[KERNEL_PENDING];

	/* The lines of the case under way */
	pid_t starved; /* the process killed since memory ran out, or 0 */
	enum kernel_class found;
	bool early;		/* the report was there before the case began */
	bool ended;		/* the report says that it is whole */
	char what[KERNEL_LINE]; /* the line that says what the report is about
				 */
	unsigned int n, others, left_out;
	char line[KERNEL_LINES][KERNEL_LINE];
};

/* Opens the log behind its last record. Returns false, with the reason in
 * `why`, if that fails. */
bool kernel_log_open(struct kernel_log *log, char *why, size_t len);
/* Opens the log of another host's agent at the record with this number, or
 * behind the last one. log->next is then known if there is any record. */
bool kernel_log_open_from(struct kernel_log *log, uint64_t from, char *why,
			  size_t len);
#define KERNEL_FROM_NOW UINT64_MAX
void kernel_log_close(struct kernel_log *log);

/* Forgets the lines of the case that ended. */
void kernel_log_forget(struct kernel_log *log);
/* Gives the case under way the lines of `kept`, a log that was read earlier. */
void kernel_log_recall(struct kernel_log *log, const struct kernel_log *kept);
/* Reads the lines that came before the first call of a case. */
void kernel_log_begin(struct kernel_log *log);
/* Reads new lines. Waits until a report that is being printed is complete. */
void kernel_log_read(struct kernel_log *log);

/* Adds a line that the kernel of the peer has written; `early`: before the case
 * began. */
void kernel_log_hear_peer(struct kernel_log *log, const char *line, bool early);

/* Notes a process that stays stuck in the kernel: no reader of this process and
 * of its children takes notice of later reports that it is blocked. For the
 * process that supervises the others, which has opened a log. */
void kernel_log_leave(pid_t pid);

/* Prints "the kernel log says: …", or "" if there is no report. */
void kernel_log_says(const struct kernel_log *log, char *buf, size_t len);

/* Finds a file in which the machine kept the kernel log of a crash. Returns
 * false if there is none. */
bool kernel_log_dump(char *path, size_t len);

#endif
