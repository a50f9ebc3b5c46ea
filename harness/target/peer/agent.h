/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The agent: makes the calls of another host's program on a device of this one.
 */
#ifndef IBVET_PEER_AGENT_H
#define IBVET_PEER_AGENT_H

#include "target/peer/stream.h"
#include "target/target.h"

/* Serves one session, from the greeting until the caller closes its end. `host`
 * says in one line what this host runs. `own_process`: the process serves
 * nobody else, so that a program may stop and kill it. Returns 0, or -EPROTO
 * after a line that makes no sense, which the caller was told. */
int agent_serve(int in, int out, const char *host, bool own_process);

/* Stops this process until a line can be read from `in`, or `in` is closed.
 * Meanwhile puts `answer` on `out`. Returns 0, or an errno value. */
int agent_stop_process(int in, int out, const char *answer);

/* From now on ends this process if the caller has closed `in` and
 * agent_goes_on() was not called for some seconds. Returns 0, or an errno
 * value. */
int agent_watch(int in);
void agent_goes_on(void);

/* A model has no wire to another host: the calling side has the model of both
 * devices, and each call on this target asks that model (agent_model.c). */
int agent_model_open(struct stream *stream, struct target **t, char *err,
		     size_t errlen);
/* Sets the program that has the names of the objects. */
void agent_model_begin(struct target *t, struct program *names);

#endif
