/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by retry_time.c and retry.c: how a send that waits ends.
 */
#ifndef IBVET_MODEL_RETRY_TIME_H
#define IBVET_MODEL_RETRY_TIME_H

#include "model/internal.h"
#include "model/unseen/retry.h"

/* The end of a send that waits. */
struct retry_end {
	uint8_t status;
	enum row row;
	bool certain;	 /* it ends for certain; else it may wait for ever */
	bool any;	 /* its status may be any error */
	bool migrates;	 /* its queue pair migrates first */
	uint64_t ms;	 /* when the timers are over */
	uint64_t latest; /* when they are over on the slowest device */
};

/* Returns the queue pair that sends the request. */
const struct model_qp *retry_sender(const struct model *m,
				    const struct model_wr *w);
/* Returns the row that says why the send waits. */
enum row retry_row(const struct model *m, const struct model_wr *w);
/* Finds how a send that waits is given up. Returns false if it waits for ever.
 * In ARMED a device tries the alternate path, too. */
bool retry_find_timeout(const struct model *m, const struct model_wr *w,
			struct retry_end *e);
/* The same for all reasons to wait, for memory that is gone as well. */
bool retry_find_end(const struct model *m, const struct model_wr *w,
		    struct retry_end *e);

#endif
