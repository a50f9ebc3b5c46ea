/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides how long a call waits in which nothing has to come. A program gives
 * such waits in milliseconds for a device of which nothing is known
 * (program/waits.h): WAITS_QUIET to see that nothing comes, up to WAITS_MAYBE
 * for something that may come. Here they follow from the round trips of the
 * device under test. WAITS_MUST is for what must come, and becomes WAITS_MAYBE
 * if the device has refused what would bring it. Longer waits are for timers.
 * They stay as they are, and so do waits of 0, which are one look.
 */
#ifndef IBVET_PATIENCE_H
#define IBVET_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include "program/waits.h"

/* WAITS_QUIET becomes so many round trips. A completion that must not come
 * is caused by the same messages as those that must, so a device takes about
 * one round trip for it, and a busy one a few. */
#define PATIENCE_MARGIN 5
/* The least and the most that WAITS_QUIET becomes. The least is more than a
 * timer tick of the kernel and a pause of the poller. The most keeps a wait of
 * WAITS_MAYBE within WAITS_MUST. */
#define PATIENCE_LEAST 2
#define PATIENCE_MOST  100
/* So many round trips are kept, and so many shorten a wait. A single one is
 * enough to lengthen it. */
#define PATIENCE_SAMPLES 32
#define PATIENCE_ENOUGH	 16

/* The latest round trips of a device, in microseconds. All zeros: none. */
struct patience {
	bool lengthens; /* never shortens a wait */
	uint32_t n;	/* round trips in all */
	uint32_t us[PATIENCE_SAMPLES];
};

/* Adds a round trip: the time from a post to the completions of a wait. */
void patience_add(struct patience *p, uint64_t us);
/* Adds the round trips that `from` has and that it had not when it had n. */
void patience_add_since(struct patience *p, const struct patience *from,
			uint32_t n);
/* Returns the median of the latest round trips in us, or 0 without any. */
uint32_t patience_round_trip(const struct patience *p);
/* Returns how many ms nothing is waited for. */
uint32_t patience_quiet(const struct patience *p);
/* Returns how long a call waits that asks for so many ms: no less than the
 * quiet wait of a slow device; on a fast one in proportion to it, if the call
 * `may` wait shorter than it asks for. */
uint32_t patience_wait(const struct patience *p, uint32_t asked, bool may);

#endif
