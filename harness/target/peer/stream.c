/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads and writes lines. Writing to a pipe without a reader is no error here:
 * the next read finds the other direction closed as well.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "target/peer/stream.h"

void stream_init(struct stream *s, int in, int out, bool is_socket)
{
	s->in = in;
	s->out = out;
	s->is_socket = is_socket;
	s->end = STREAM_GOOD;
	s->begin = s->have = s->filled = 0;
	s->naside = s->taken = 0;
}

/* A socket that nobody reads gives no SIGPIPE. */
static ssize_t write_some(const struct stream *s, const char *at, size_t len)
{
	return s->is_socket ? send(s->out, at, len, MSG_NOSIGNAL)
			    : write(s->out, at, len);
}

void stream_flush(struct stream *s)
{
	size_t done = 0;

	while (done < s->filled) {
		ssize_t n = write_some(s, s->output + done, s->filled - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	s->filled = 0;
}

void stream_put(struct stream *s, const char *format, ...)
{
	va_list args;
	int n;

	if (sizeof(s->output) - s->filled < STREAM_LINE)
		stream_flush(s);
	va_start(args, format);
	n = vsnprintf(s->output + s->filled, STREAM_LINE - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	s->filled += n < STREAM_LINE - 1 ? (size_t)n : STREAM_LINE - 2;
	s->output[s->filled++] = '\n';
}

static char *end_with(struct stream *s, enum stream_end end)
{
	s->end = end;
	return NULL;
}

/* Moves what was read to the beginning of the buffer, and reads more. Returns
 * false if there is no more. */
static bool read_more(struct stream *s, int timeout_ms)
{
	struct pollfd fd = {.fd = s->in, .events = POLLIN};
	ssize_t n;

	memmove(s->input, s->input + s->begin, s->have - s->begin);
	s->have -= s->begin;
	s->begin = 0;
	if (timeout_ms >= 0 && !poll(&fd, 1, timeout_ms))
		return end_with(s, STREAM_TIMEOUT);
	do
		n = read(s->in, s->input + s->have, sizeof(s->input) - s->have);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return end_with(s, STREAM_CLOSED);
	s->have += (size_t)n;
	return true;
}

static char *next_line(struct stream *s, int timeout_ms)
{
	char *line, *newline;

	stream_flush(s);
	while (s->end == STREAM_GOOD) {
		line = s->input + s->begin;
		newline = memchr(line, '\n', s->have - s->begin);
		if (newline) {
			s->begin = (size_t)(newline + 1 - s->input);
			if (memchr(line, '\0', (size_t)(newline - line)))
				return end_with(s, STREAM_BINARY);
			*newline = '\0';
			return line;
		}
		if (s->have - s->begin == sizeof(s->input))
			return end_with(s, STREAM_TOO_LONG);
		if (!read_more(s, timeout_ms))
			return NULL;
	}
	return NULL;
}

/* A line that was set aside is kept until the last one is taken. */
char *stream_line(struct stream *s, int timeout_ms)
{
	if (s->taken < s->naside)
		return s->aside[s->taken++];
	stream_free(s);
	return next_line(s, timeout_ms);
}

char *stream_past(struct stream *s, const char *word)
{
	char *line;

	while ((line = next_line(s, -1)) && stream_after(line, word)) {
		char *copy = s->naside < STREAM_ASIDE ? strdup(line) : NULL;

		if (!copy)
			return end_with(s, STREAM_TOO_LONG);
		s->aside[s->naside++] = copy;
	}
	return line;
}

void stream_free(struct stream *s)
{
	while (s->naside)
		free(s->aside[--s->naside]);
	s->taken = 0;
}

char *stream_after(char *line, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) != 0 || (line[n] && line[n] != ' '))
		return NULL;
	return line[n] ? line + n + 1 : line + n;
}
