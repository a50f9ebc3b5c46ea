/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The calling side's end of the pipe to an agent: starts the user's command,
 * exchanges greetings, and says in one line how the agent failed.
 */
#ifndef IBVET_PEER_SESSION_H
#define IBVET_PEER_SESSION_H

#include <sys/types.h>
#include "target/peer/stream.h"

#define SESSION_WHY 400

struct session {
	const char *command; /* of --peer */
	bool started;
	pid_t pid;	       /* of the shell that runs it, 0: none */
	char why[SESSION_WHY]; /* the session is over, or "" */
	char version[32];      /* of ibvet on the other host */
	struct stream stream;
};

/* Starts an agent. Returns 0, or -errno with one line in err. A session that
 * ended can be started again, and then has the same descriptors. */
int session_start(struct session *s, char *err, size_t errlen);
/* Returns the agent's next line, or NULL: then s->why says how it ended. */
char *session_line(struct session *s, int timeout_ms);
/* Ends the session because of a line that makes no sense. Returns -EPROTO. */
int session_malformed(struct session *s, const char *line, const char *why);
/* Closes the pipe, upon which the agent cleans up and ends. */
void session_end(struct session *s);

#endif
