/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads from a journal how far its run has come.
 */
#ifndef IBVET_RESUME_H
#define IBVET_RESUME_H

#include "expect/expect.h"
#include "journal/progress_so_far.h"

struct past {
	json_t *run; /* the run event; run options point to its strings */
	struct progress_so_far so_far[RUN_MAX_TARGETS];
};

void past_init(struct past *past);
/* Both return 0, or -errno with one line in err. */
int past_read(struct past *past, const char *dir, char *err, size_t errlen);
/* Counts anew which cases each line of target t's profile has met. */
int past_recall(const char *dir, int t, const struct expect_list *list,
		char *err, size_t errlen);

#endif
