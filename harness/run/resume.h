/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What a journal says about how far its run has come.
 */
#ifndef IBVET_RESUME_H
#define IBVET_RESUME_H

#include "run/worker.h"

struct past {
	json_t *run; /* the run event; run options borrow its strings */
	struct standing standing[RUN_MAX_TARGETS];
};

/* Returns 0, or -errno with one line in err. */
int past_read(struct past *past, const char *dir, char *err, size_t errlen);

#endif
