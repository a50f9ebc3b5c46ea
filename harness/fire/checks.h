/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What must hold whatever the schedule is. Each check looks at the log of a
 * program that is over. Returns true, and fills *said, if the device broke a
 * rule.
 */
#ifndef IBVET_FIRE_CHECKS_H
#define IBVET_FIRE_CHECKS_H

#include "fire/fire.h"
#include "fire/log.h"

/* check_requests.c */
bool fire_check_once(const struct fire_view *v, struct fire_said *said);
bool fire_check_refused_post(const struct fire_view *v, struct fire_said *said);
bool fire_check_order(const struct fire_view *v, struct fire_said *said);
bool fire_check_flushed(const struct fire_view *v, struct fire_said *said);
/* check_status.c */
bool fire_check_status(const struct fire_view *v, struct fire_said *said);
bool fire_check_cause(const struct fire_view *v, struct fire_said *said);
/* check_ended.c */
bool fire_check_reset(const struct fire_view *v, struct fire_said *said);
bool fire_check_destroy(const struct fire_view *v, struct fire_said *said);
/* check_srq.c */
bool fire_check_srq(const struct fire_view *v, struct fire_said *said);
bool fire_check_last_wqe(const struct fire_view *v, struct fire_said *said);
/* check_room.c */
bool fire_check_room(const struct fire_view *v, struct fire_said *said);
/* check_messages.c */
bool fire_check_messages(const struct fire_view *v, struct fire_said *said);
/* check_window.c */
bool fire_check_window(const struct fire_view *v, struct fire_said *said);
/* check_attributes.c */
bool fire_check_attributes(const struct fire_view *v, struct fire_said *said);
/* check_drained.c */
bool fire_check_drained(const struct fire_view *v, struct fire_said *said);
/* check_memory.c: makes calls to read the memory. */
bool fire_check_memory(struct target *t, const struct fire_view *v,
		       struct fire_said *said);

/* Returns true if a completion of the request must come, and has not. The
 * runner waits for these when it drains the queues. */
bool fire_must_complete(const struct fire_view *v,
			const struct fire_request *r);
/* The same for receives of an SRQ. */
bool fire_srq_must_complete(const struct fire_view *v,
			    const struct fire_request *r);
/* Returns true if the request names the rkey of a window that the program knew
 * to be invalidated when it posted the request. */
bool fire_is_barred(const struct fire_view *v, const struct fire_request *r);

/* say.c: fill *said, and return true. A name of a call is its thread and its
 * text. */
__attribute__((format(printf, 4, 5))) bool fire_say(struct fire_said *said,
						    enum row row,
						    const char *expected,
						    const char *fmt, ...);
/* Prints the status of a completion as programs write it. Returns buf. */
#define FIRE_STATUS_LEN 40
const char *fire_status(const struct fire_completion *c,
			char buf[FIRE_STATUS_LEN]);
#define FIRE_NAME_LEN 160
const char *fire_name(const struct fire_view *v, const struct fire_record *r,
		      char buf[FIRE_NAME_LEN]);

#endif
