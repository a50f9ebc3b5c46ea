/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Stops the agent by SIGSTOP until its caller sends the next line. A stopped
 * process reads nothing, so a second process watches the session for it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "target/peer/agent.h"

#define STACK 16384

struct watch {
	pid_t agent;
	int in, out;
	const char *answer;
};

/* The caller sends nothing before it has the answer. A SIGCONT that comes
 * before the SIGSTOP has taken effect cancels it. */
static int stop_and_watch(void *arg)
{
	const struct watch *w = arg;
	struct pollfd session = {.fd = w->in, .events = POLLIN};
	int failed;

	signal(SIGPIPE, SIG_IGN);
	failed = kill(w->agent, SIGSTOP);
	failed |= write(w->out, w->answer, strlen(w->answer)) < 0;
	while (!failed && poll(&session, 1, -1) < 0 && errno == EINTR)
		;
	kill(w->agent, SIGCONT);
	return 0;
}

/* The watching process shares the memory: a copy would take pages from a
 * device that writes to them. */
int agent_stop_process(int in, int out, const char *answer)
{
	struct watch w = {getpid(), in, out, answer};
	char *stack = malloc(STACK);
	pid_t child = -1;
	int err = ENOMEM;

	if (stack) {
		child = clone(stop_and_watch, stack + STACK, CLONE_VM | SIGCHLD,
			      &w);
		err = child < 0 ? errno : 0;
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	free(stack);
	return err;
}
