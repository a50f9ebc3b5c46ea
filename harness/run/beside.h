/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Things that no single case is to blame for, because several ran at the time:
 * a report of the kernel, or the loss of the machine.
 */
#ifndef IBVET_BESIDE_H
#define IBVET_BESIDE_H

#include "journal/event.h"
#include "run/later.h"

#define BESIDE_REPORTS 16
#define BESIDE_NAMES   4 /* cases that a text names */

struct beside_report {
	char what[KERNEL_LINE]; /* the kernel's words, "": the machine was lost
				 */
	char name[BESIDE_NAMES][CASE_ID_LEN];
	unsigned int cases;
	bool pinned; /* it is told with a case */
	bool shown;  /* a case that ran alone has brought it about */
	bool in_journal, pinned_there;
	struct kernel_log heard;
};

struct beside {
	unsigned int n;
	struct beside_report report[BESIDE_REPORTS];
};

/* A case that ran at the time has run again, alone. `shows` says that it
 * crashed or hung again. */
void beside_note(struct beside *b, const struct later_case *late, bool shows);
/* The kernel has reported something. Forgets the lines of the log. */
void beside_hear(struct beside *b, struct kernel_log *log);
/* A case is to blame for the reports in its log. */
void beside_pin(struct beside *b, const struct kernel_log *log);
/* Returns true if cases that ran alone have brought each report of the log
 * about. */
bool beside_has_shown(const struct beside *b, const struct kernel_log *log);
/* Takes up what an earlier process of this run has heard, and not told. */
void beside_recall(struct beside *b, const struct progress_so_far *so_far);
/* Writes what is new since the last time, for beside_recall(). Returns 0, or
 * -ENOMEM. */
int beside_write(struct beside *b, struct journal *j, int t);
/* The loss of the machine is left for another run to tell. */
void beside_leave_loss(struct beside *b);
/* Takes a report that is pinned on no case: makes a case of it in the recorder,
 * and its judgement. Returns false if there is none. */
bool beside_take(struct beside *b, struct recorder *r,
		 struct judgement *judged);

#endif
