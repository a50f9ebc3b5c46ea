/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Opens the far device: starts its agent, tells it of the near device, and
 * reads what the far one is. A lost agent gets a successor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "target/peer/far_nic.h"
#include "target/peer/peer.h"
#include "target/peer/protocol.h"

#define OPEN_MS 60000 /* a driver may be slow to open */

/* Gathers the lines that describe the far device. Returns the text, which the
 * caller frees, or NULL. */
static char *gather_device(struct peer_target *p)
{
	char *text = NULL, *rest = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	bool is_last = false;

	while (file && !is_last &&
	       (rest = peer_await_either(p, WORD_DEVICE, WORD_HOST, &is_last,
					 OPEN_MS)))
		if (!is_last)
			fprintf(file, "%s\n", rest);
	if (file && fclose(file))
		return NULL;
	if (file && rest) {
		snprintf(p->second.host, sizeof(p->second.host), "%s", rest);
		return text;
	}
	free(text);
	return NULL;
}

static int session_failed(const struct peer_target *p, char *err, size_t errlen)
{
	snprintf(err, errlen, "--peer: \"%s agent\" does not open a device: %s",
		 p->session.command, p->session.why);
	return p->refused ? -ENODEV : -EPROTO;
}

static int describe(struct peer_target *p, char *err, size_t errlen)
{
	char *text = gather_device(p);
	FILE *file = text ? fmemopen(text, strlen(text), "r") : NULL;
	int ret;

	if (!file) {
		free(text);
		return session_failed(p, err, errlen);
	}
	ret = device_read_from(file, "--peer: the device of the other host",
			       &p->second, err, errlen);
	fclose(file);
	free(text);
	return ret ? -EPROTO : 0;
}

/* Sends the device file of the near virtual device. */
static void send_first(struct peer_target *p)
{
	char *text = NULL, *line, *rest;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	if (file)
		device_print(&p->first, file);
	if (file && !fclose(file))
		for (line = strtok_r(text, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest))
			stream_put(&p->session.stream, WORD_FIRST " %s", line);
	free(text);
}

void peer_join(struct peer_target *p)
{
	const struct device_info *first = &p->base.info;

	virtual_join(first);
	stream_put(&p->session.stream, WORD_JOIN " " JOIN_FORMAT,
		   first->port_num, first->gid_index, p->second.port_num,
		   p->second.gid_index, virtual_model_bytes());
}

int peer_open_far(struct peer_target *p, bool *live, char *err, size_t errlen)
{
	char *words, kind[16];
	int ret, is_live = 0;

	/* What killed the last agent may be in the log. */
	if (p->hears)
		stream_put(&p->session.stream, WORD_KERNEL " %llu",
			   (unsigned long long)p->kernel_next);
	if (p->far_link)
		stream_put(&p->session.stream, WORD_LINK " %s", p->far_link);
	if (p->is_virtual)
		send_first(p);
	if (p->is_virtual && p->near)
		far_nic_send_changes(&p->session.stream);
	stream_put(&p->session.stream, "%s %s", WORD_OPEN,
		   p->device ? p->device : "");
	ret = describe(p, err, errlen);
	if (ret)
		return ret;
	words = peer_await(p, WORD_OPENED, OPEN_MS);
	if (!words)
		return session_failed(p, err, errlen);
	if (sscanf(words, "%15s %d", kind, &is_live) != 2) {
		session_malformed(&p->session, words, NULL);
		return session_failed(p, err, errlen);
	}
	*live = is_live;
	return 0;
}

void peer_start_again(struct peer_target *p)
{
	struct device_info was = p->second;
	char err[SESSION_WHY];
	bool live;

	p->early = false;
	if (p->is_virtual)
		virtual_renew();
	if (session_start(&p->session, err, sizeof(err)) ||
	    peer_open_far(p, &live, err, sizeof(err)))
		snprintf(p->base.broken, sizeof(p->base.broken),
			 "--peer: no other agent starts: %.120s",
			 p->session.why[0] ? p->session.why : err);
	p->second = was;
	if (p->is_virtual)
		peer_join(p);
	p->ahead = 0;
}
