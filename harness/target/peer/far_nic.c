/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * While one side makes a call, the other one reads lines and answers questions.
 * Thus one side at a time works with the model.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "target/peer/far_nic.h"
#include "target/peer/protocol.h"
#include "virtual/virtual.h"

void far_nic_send_changes(struct stream *s)
{
	char text[STREAM_LINE - 16];
	size_t at = 0;

	while (virtual_changes(&at, text, sizeof(text)))
		stream_put(s, WORD_MODEL " %s", text);
}

#define KEPT_MOST (4u << 20) /* bytes; more than a whole model */

int far_nic_keep(struct virtual_apart *apart, const char *changes)
{
	char *was = apart->changes, *all;

	if (was && strlen(was) + strlen(changes) > KEPT_MOST)
		return -EPROTO;
	if (asprintf(&all, "%s%s%s", was ? was : "", was ? " " : "", changes) <
	    0)
		return -EPROTO;
	free(was);
	apart->changes = all;
	return 0;
}

int far_nic_take(struct stream *s, char *line)
{
	char answer[STREAM_LINE - 16], *rest = stream_after(line, WORD_MODEL);

	if (rest)
		return virtual_take(rest) ? 0 : -EPROTO;
	rest = stream_after(line, WORD_NIC);
	if (!rest)
		return 1;
	if (!virtual_answer(rest, answer, sizeof(answer)))
		return -EPROTO;
	stream_put(s, WORD_ANSWER " %s", answer);
	return 0;
}

char *far_nic_ask(void *stream, const char *question)
{
	struct stream *s = stream;
	char *line, *rest;

	far_nic_send_changes(s);
	stream_put(s, WORD_NIC " %s", question);
	line = stream_past(s, WORD_ALSO);
	rest = line ? stream_after(line, WORD_ANSWER) : NULL;
	if (line && !rest)
		s->end = STREAM_CLOSED;
	return rest;
}
