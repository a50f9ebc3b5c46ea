/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The pairs of a matrix, and which of them have a result: plan.json.
 */
#ifndef IBVET_INTEROP_PAIRS_H
#define IBVET_INTEROP_PAIRS_H

#include "interop/interop.h"

#define PLAN_NAME "plan.json"

struct pairs_one {
	int first, second; /* devices */
	char folder[3 * INTEROP_NAME];
	int status; /* of the run; -1: not run */
	char error[INTEROP_ERROR];
};

struct pairs {
	json_t *arguments; /* of each run */
	struct pairs_one *pair;
	int npairs;
};

/* Returns 0 or -ENOMEM. */
int pairs_make(struct pairs *p, const struct interop *io, json_t *arguments);
void pairs_free(struct pairs *p);
/* Returns true unless the pair has to run, or to go on. */
bool pairs_has_result(const struct pairs_one *pair);
/* Both return 0, or -errno with one line in err. */
int pairs_save(const struct pairs *p, const struct interop *io, const char *dir,
	       char *err, size_t errlen);
int pairs_load(struct pairs *p, struct interop *io, const char *dir, char *err,
	       size_t errlen);

#endif
