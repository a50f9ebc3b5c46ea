/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The weights of walks: how often each call is made, how many objects there are
 * at once, how long a walk is. walk.def has the defaults, which lines of a file
 * change:
 *
 *	# more queue pairs, and no batches of requests
 *	steps 500
 *	alive qp 16
 *	state ERR 8
 *	call wr_start 0
 */
#ifndef IBVET_FUZZ_WEIGHTS_H
#define IBVET_FUZZ_WEIGHTS_H

#include "program/program.h"

struct weights {
	uint32_t steps, odd;
	uint32_t alive[OBJ_KIND_NR], call[VERB_NR], state[STATE_NR];
};

void weights_init(struct weights *w);
/* Reads a file. Returns 0, or -errno with "FILE:LINE: error" in err. */
int weights_read(struct weights *w, const char *path, char *err, size_t errlen);

#endif
