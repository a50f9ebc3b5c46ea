/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lines over a pair of descriptors. Lines that are put wait in a buffer until
 * the next line is read, or until stream_flush().
 */
#ifndef IBVET_PEER_STREAM_H
#define IBVET_PEER_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#define STREAM_LINE 32768 /* bytes of the longest line, with its end */

#define STREAM_ASIDE 32 /* lines that wait behind an answer, at most */

enum stream_end {
	STREAM_GOOD,
	STREAM_CLOSED, /* the other side has closed it, or reading failed */
	STREAM_TOO_LONG,
	STREAM_BINARY, /* a line has a byte of 0 */
	STREAM_TIMEOUT,
};

struct stream {
	int in, out;
	bool is_socket; /* `out` is one */
	enum stream_end end;
	size_t begin, have; /* of what was read */
	size_t filled;	    /* of what waits to be written */
	char input[STREAM_LINE], output[2 * STREAM_LINE];
	unsigned int naside, taken; /* lines that were set aside, and taken */
	char *aside[STREAM_ASIDE];
};

void stream_init(struct stream *s, int in, int out, bool is_socket);
/* Returns the next line without its end, which is valid until the next call; or
 * NULL, and s->end tells why. Waits for timeout_ms, without end if negative. */
char *stream_line(struct stream *s, int timeout_ms);
/* Returns the next line that does not begin with `word`. Lines that do are set
 * aside for stream_line(). */
char *stream_past(struct stream *s, const char *word);
void stream_free(struct stream *s); /* the lines that were set aside */
/* Puts a line. A stream that is closed takes all lines. */
void stream_put(struct stream *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void stream_flush(struct stream *s);
/* Returns what follows the first word of a line if that is `word`, else NULL.
 */
char *stream_after(char *line, const char *word);

#endif
