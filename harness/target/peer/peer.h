/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A target of two devices on two hosts, as its files share it.
 */
#ifndef IBVET_TARGET_PEER_PEER_H
#define IBVET_TARGET_PEER_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include "program/wire.h"
#include "target/peer/session.h"
#include "target/target.h"
#include "virtual/virtual.h"

struct peer_target {
	struct target base;
	struct target_ops ops; /* of the kind of `near` */
	struct target *near;
	bool is_model;		  /* `near` is the model of both devices */
	bool is_virtual;	  /* the model of both devices travels */
	struct device_info first; /* of a virtual device: its device file */
	struct virtual_apart apart;
	const char
		*device; /* that the agent opens, NULL: the first one there */
	const char *far_link; /* command that changes the link, or NULL */
	struct session session;
	struct target_link link;
	struct device_info second;
	struct program names;	    /* of slots */
	bool far[PROG_MAX_OBJECTS]; /* the object of the slot is on the far
				       device */
	bool refused;		    /* the agent itself has ended the session */
	bool hears;		    /* the agent tells its kernel log */
	bool early; /* no call of the program has ended on the far device */
	uint64_t kernel_next; /* the first record that it has not told */
	bool used;	    /* by the program: the far device has to be swept */
	unsigned int ahead; /* calls that were sent, but their outcomes not
			       read: the last ones of the queue */
	unsigned int queued;
	struct bound queue[TARGET_AHEAD];
	const struct bound *asked; /* the call that a model is asked for */
	char text[STREAM_LINE], answer[STREAM_LINE];
};

/* --- Lines of the agent (peer_lines.c) --------------------------------------
 */

/* Returns what follows `word`, or `other`, in the next line that begins with
 * it, and sets *is_other; NULL if the session is over. Meanwhile takes regions
 * and lines of the kernel log, and answers questions. */
char *peer_await_either(struct peer_target *p, const char *word,
			const char *other, bool *is_other, int timeout_ms);
char *peer_await(struct peer_target *p, const char *word, int timeout_ms);

/* Ends the session by an error that the agent tells. */
int peer_says_error(struct peer_target *p, const char *what);

/* --- Calls of the far device (far_call.c) -----------------------------------
 */

void peer_note_lost(struct peer_target *p);

/* The outcome of a call that the agent does not make any more */
void peer_lose(struct peer_target *p, struct outcome *o);

/* Sends a call. Without a word only prints it. Returns false if it is too long
 * for a line. */
bool peer_send_call(struct peer_target *p, const struct bound *b,
		    const char *word);

/* Notes on which host the object is that a call makes. */
void peer_take_result(struct peer_target *p, const struct bound *b);

/* Sends the calls at once. The agent skips those behind one that is refused. */
void peer_ahead(struct target *t, const struct bound *b, unsigned int n);

/* Reads what the agent says of calls that were sent and that the program does
 * not make any more. Returns false if the session is over. */
bool peer_drain(struct peer_target *p);
void peer_far_call(struct peer_target *p, const struct bound *b,
		   struct outcome *o);

/* --- Opening the far device (far_open.c) ------------------------------------
 */

/* Opens the far device. *live says whether a crash may take its host down. */
int peer_open_far(struct peer_target *p, bool *live, char *err, size_t errlen);

/* After an agent was lost, starts another one for the next program. */
void peer_start_again(struct peer_target *p);

/* Joins the ports of two virtual devices, on both hosts. */
void peer_join(struct peer_target *p);

/* --- Connections between the hosts (connect_hosts.c) ------------------------
 */

/* Returns true if the call connects queue pairs of both hosts. */
bool peer_connects_hosts(const struct peer_target *p, const struct bound *b);
void peer_connect_hosts(struct peer_target *p, const struct bound *b,
			struct outcome *o);

#endif
