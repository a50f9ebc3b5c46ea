/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Starts the command of --peer with `agent` behind it, and ends it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program/repro/parts/time.h"
#include "program/wire.h"
#include "target/peer/protocol.h"
#include "target/peer/session.h"

#define GREETING_MS 60000 /* a login may take long, and so may many at once */
#define END_MS	    2000  /* for an agent to end whose pipe is closed */

/* Both ends of the pipes in both directions */
struct ends {
	int to[2], from[2]; /* the agent's end, the caller's end */
};

/* In the child, which shares its memory with the parent until it runs the
 * shell: the signals that ibvet blocks, and ^C, are the parent's business. */
static void run_shell(const struct ends *ends, char *const argv[], pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(ends->to[0], STDIN_FILENO) < 0 ||
	    dup2(ends->from[0], STDOUT_FILENO) < 0)
		_exit(127);
	signal(SIGINT, SIG_IGN);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv("/bin/sh", argv);
	_exit(127);
}

/* vfork() copies no page: pages that a device writes to must stay the
 * parent's. */
static pid_t spawn(const struct ends *ends, char *line)
{
	char shell[] = "sh", flag[] = "-c";
	char *const argv[] = {shell, flag, line, NULL};
	pid_t parent = getpid(), pid = vfork();

	if (!pid)
		run_shell(ends, argv, parent);
	return pid;
}

static int make_ends(struct ends *e)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, e->to))
		return -errno;
	if (pipe2(pair, O_CLOEXEC)) {
		int err = errno;

		close(e->to[0]);
		close(e->to[1]);
		return -err;
	}
	e->from[0] = pair[1];
	e->from[1] = pair[0];
	return 0;
}

/* An agent that does not end in time is stuck in a call. */
static void reap(pid_t pid)
{
	int64_t deadline = deadline_after(END_MS);

	while (pid > 0 && waitpid(pid, NULL, WNOHANG) == 0) {
		if (is_past(deadline)) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return;
		}
		nap_us(1000);
	}
}

/* Puts a new descriptor where the last session had it, which closes that one:
 * to a program nothing is left behind. */
static int keep_number(int fd, int wanted)
{
	if (dup3(fd, wanted, O_CLOEXEC) < 0)
		return fd;
	close(fd);
	return wanted;
}

static void take_ends(struct session *s, const struct ends *e)
{
	const int in = s->stream.in, out = s->stream.out;
	const pid_t last = s->pid;

	if (s->started)
		stream_init(&s->stream, keep_number(e->from[1], in),
			    keep_number(e->to[1], out), true);
	else
		stream_init(&s->stream, e->from[1], e->to[1], true);
	s->started = true;
	s->why[0] = '\0';
	reap(last);
}

static int start(struct session *s)
{
	struct ends e;
	char *line;
	pid_t pid;
	int ret = make_ends(&e);

	if (ret)
		return ret;
	if (asprintf(&line, "%s agent", s->command) < 0)
		line = NULL;
	pid = line ? spawn(&e, line) : -1;
	ret = pid < 0 ? -errno : 0;
	free(line);
	close(e.to[0]);
	close(e.from[0]);
	take_ends(s, &e);
	s->pid = pid;
	return ret;
}

/* Copies a line for a message: what cannot be printed becomes '?'. */
static const char *quote(const char *line, char *buf, size_t len)
{
	size_t n = 0;

	for (; line[n] && n + 4 < len; n++)
		buf[n] = isprint((unsigned char)line[n]) ? line[n] : '?';
	strcpy(buf + n, line[n] ? "..." : "");
	return buf;
}

/* Returns how the command ended, after it closed its end of the pipe. */
static void describe_end(struct session *s, char *buf, size_t len)
{
	int64_t deadline = deadline_after(END_MS);
	int status = 0;
	pid_t pid = 0;

	while (!pid && !is_past(deadline)) {
		pid = waitpid(s->pid, &status, WNOHANG);
		if (!pid)
			nap_us(1000);
	}
	if (!pid)
		snprintf(buf, len, "it closed its standard output");
	else if (WIFSIGNALED(status))
		snprintf(buf, len, "it was killed by SIG%s",
			 sigabbrev_np(WTERMSIG(status)));
	else
		snprintf(buf, len, "it ended with status %d",
			 WEXITSTATUS(status));
	if (pid)
		s->pid = 0;
}

char *session_line(struct session *s, int timeout_ms)
{
	char *line = s->why[0] ? NULL : stream_line(&s->stream, timeout_ms);
	char how[80];

	if (line || s->why[0])
		return line;
	switch (s->stream.end) {
	case STREAM_TIMEOUT:
		snprintf(s->why, sizeof(s->why), "it says nothing for %d s",
			 timeout_ms / 1000);
		break;
	case STREAM_TOO_LONG:
	case STREAM_BINARY:
		snprintf(s->why, sizeof(s->why), "it sent a line that %s",
			 s->stream.end == STREAM_BINARY ? "is no text"
							: "is too long");
		break;
	default:
		describe_end(s, how, sizeof(how));
		snprintf(s->why, sizeof(s->why), "%s", how);
	}
	return NULL;
}

int session_malformed(struct session *s, const char *line, const char *why)
{
	char text[120];

	snprintf(s->why, sizeof(s->why), "it sent \"%s\"%s%s",
		 quote(line, text, sizeof(text)), why ? ": " : "",
		 why ? why : "");
	return -EPROTO;
}

/* The first word of a line that is no greeting may be a message of a login. */
static int check_greeting(struct session *s, char *line, char *err,
			  size_t errlen)
{
	char *rest = stream_after(line, AGENT_GREETING), text[120];
	unsigned int protocol = 0;
	uint64_t language = 0;

	if (!rest) {
		snprintf(err, errlen,
			 "--peer: \"%s agent\" says \"%s\" and not that it is "
			 "an agent: name a command that starts ibvet on the "
			 "other host and prints nothing itself",
			 s->command, quote(line, text, sizeof(text)));
		return -EPROTO;
	}
	snprintf(s->version, sizeof(s->version), "unknown");
	if (sscanf(rest, "%u %" SCNx64 " %31[ -~]", &protocol, &language,
		   s->version) >= 2 &&
	    protocol == AGENT_PROTOCOL && language == wire_language())
		return 0;
	snprintf(err, errlen,
		 "--peer: \"%s\" starts ibvet %s (protocol %u, language "
		 "%016" PRIx64 "), this is ibvet %s (protocol %d, language "
		 "%016" PRIx64 "): install the same build of ibvet on both "
		 "hosts",
		 s->command, s->version, protocol, language, IBVET_VERSION,
		 AGENT_PROTOCOL, wire_language());
	return -EPROTO;
}

static int greet(struct session *s, char *err, size_t errlen)
{
	char *line;

	stream_put(&s->stream, "%s %d %016" PRIx64 " %s", AGENT_GREETING,
		   AGENT_PROTOCOL, wire_language(), IBVET_VERSION);
	line = session_line(s, GREETING_MS);
	if (line)
		return check_greeting(s, line, err, errlen);
	snprintf(err, errlen,
		 "--peer: cannot start \"%s agent\": %s; is ibvet %s installed "
		 "on the other host, and does the command reach it?",
		 s->command, s->why, IBVET_VERSION);
	return -ECONNREFUSED;
}

int session_start(struct session *s, char *err, size_t errlen)
{
	int ret = start(s);

	if (ret) {
		snprintf(err, errlen, "--peer: cannot start \"%s agent\": %s",
			 s->command, strerror(-ret));
		return ret;
	}
	return greet(s, err, errlen);
}

void session_end(struct session *s)
{
	if (!s->started)
		return;
	stream_flush(&s->stream);
	close(s->stream.out);
	close(s->stream.in);
	reap(s->pid);
	s->pid = 0;
	s->started = false;
}
