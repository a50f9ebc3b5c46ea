/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a case ends: judged by the worker that ran it, or by the supervisor
 * that found the worker dead. Both tell the same.
 */
#ifndef IBVET_CASE_END_H
#define IBVET_CASE_END_H

#include "coverage/coverage.h"
#include "journal/event.h"
#include "journal/journal.h"

#define REPRO_MAX 200 /* programs kept for one target */

/* All that does not change from case to case of a target. */
struct case_writer {
	struct journal *journal;
	struct recorder *recorder;
	const char *dir; /* the run's folder */
	const char *target;
	bool only_target; /* of the run */
	int t;
	bool strict;
	struct expect_list expect;
	struct coverage coverage; /* of this process */
};

/* What the call that decided came back with: 0, an errno, -1: it did not. */
int deciding_error(const struct recorder *r, const struct judgement *j);
/* Appends the end of the recorder's case, with what led to it. */
int case_end_write(struct case_writer *e, struct judgement *judged, char *err,
		   size_t errlen);

/*
 * Writes DIR/repro/ID.ibv and .c, the slashes of the ID as dots, and before it
 * the target's name unless that is NULL. `path` receives the first, relative
 * to DIR. The recorder's program becomes the one that shows the deviation.
 */
int repro_write(const char *dir, const char *target, struct recorder *r,
		const struct judgement *judged, char *path, size_t pathlen,
		char *err, size_t errlen);

#endif
