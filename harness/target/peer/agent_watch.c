/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ends the agent if its session is over and it takes no further line for some
 * seconds, since a call does not return. An agent that reads its standard input
 * finds the end itself, and destroys what the session made.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>
#include "target/peer/agent.h"
#include "virtual/virtual.h"

#define LAST_MS 10000 /* for the call under way, and to destroy the objects */

static _Atomic unsigned int lines;

void agent_goes_on(void)
{
	lines++;
}

/* poll() always tells of a hang-up, also behind lines that nobody reads. */
static void *watch(void *session)
{
	struct pollfd in = {.fd = (int)(intptr_t)session};
	unsigned int known;

	while (poll(&in, 1, -1) < 0 && errno == EINTR)
		;
	do {
		known = lines;
		poll(NULL, 0, LAST_MS);
	} while (known != lines);
	virtual_remove_folders();
	_exit(128 + SIGHUP);
}

/* Signals are the business of the thread that makes calls. */
int agent_watch(int in)
{
	pthread_t thread;
	sigset_t all, was;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &was);
	err = pthread_create(&thread, NULL, watch, (void *)(intptr_t)in);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	if (!err)
		pthread_detach(thread);
	return err;
}
