/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the lines of an agent: answers, and what it says meanwhile.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "target/peer/far_nic.h"
#include "target/peer/peer.h"
#include "target/peer/protocol.h"

/* Takes over a region of the far device: requests of the near one name it. */
static int take_region(struct peer_target *p, char *line, const char *rest)
{
	char name[OBJ_NAME_LEN];
	struct key_args keys;
	unsigned long long top;
	int slot;

	if (sscanf(rest, "%15[a-z0-9] lkey=%x rkey=%x top=%llx", name,
		   &keys.lkey, &keys.rkey, &top) != 4)
		return session_malformed(&p->session, line, NULL);
	slot = prog_slot(&p->names, name);
	if (slot < 0)
		return session_malformed(&p->session, line, "an unknown name");
	keys.top = top;
	if (p->near->ops->meet)
		p->near->ops->meet(p->near, (uint16_t)slot, &keys);
	return 0;
}

/* Takes a line of the other host's kernel log, or only where the log ends. */
static int take_kernel(struct peer_target *p, char *line, const char *rest)
{
	unsigned long long next;
	int at = 0;

	if (sscanf(rest, "%llu%n", &next, &at) != 1 ||
	    (rest[at] && rest[at] != ' '))
		return session_malformed(&p->session, line, NULL);
	p->hears = true;
	p->kernel_next = next;
	if (rest[at] && p->base.hear)
		p->base.hear(p->base.hear_arg, rest + at + 1, p->early);
	return 0;
}

/* Makes the call on the model of both devices. The agent has to ask for the
 * call that it was told to make. */
static int answer_ask(struct peer_target *p, char *line, const char *rest)
{
	struct outcome *o = calloc(1, sizeof(*o));
	int ret;

	if (!o || !p->is_model || strcmp(rest, p->text) != 0) {
		free(o);
		return session_malformed(&p->session, line,
					 "this is not the call");
	}
	outcome_poison_all(o);
	p->near->ops->call(p->near, p->asked, o);
	ret = wire_print(&p->names, p->asked->verb, o, p->answer,
			 sizeof(p->answer));
	free(o);
	if (ret)
		return session_malformed(&p->session, line, "too long");
	stream_put(&p->session.stream, WORD_DONE " %s", p->answer);
	return 0;
}

/* Until the near device is open, its model is not there to be changed. */
static int take_nic(struct peer_target *p, char *line)
{
	const char *changes = stream_after(line, WORD_MODEL);

	if (p->near)
		return far_nic_take(&p->session.stream, line);
	return changes ? far_nic_keep(&p->apart, changes) : 1;
}

int peer_says_error(struct peer_target *p, const char *what)
{
	p->refused = true;
	snprintf(p->session.why, sizeof(p->session.why), "it says: %.300s",
		 what);
	return -EPROTO;
}

char *peer_await_either(struct peer_target *p, const char *word,
			const char *other, bool *is_other, int timeout_ms)
{
	char *line, *rest;
	int ret = 0;

	while (!ret) {
		line = session_line(&p->session, timeout_ms);
		if (!line)
			return NULL;
		rest = stream_after(line, word);
		*is_other = !rest;
		if (rest || (rest = stream_after(line, other)))
			return rest;
		if (p->is_virtual)
			ret = take_nic(p, line);
		if (p->is_virtual && ret <= 0) {
			ret = ret ? session_malformed(&p->session, line, NULL)
				  : 0;
			continue;
		}
		ret = 0;
		if ((rest = stream_after(line, WORD_REGION)))
			ret = take_region(p, line, rest);
		else if ((rest = stream_after(line, WORD_KERNEL)))
			ret = take_kernel(p, line, rest);
		else if (p->asked && (rest = stream_after(line, WORD_ASK)))
			ret = answer_ask(p, line, rest);
		else if ((rest = stream_after(line, WORD_ERROR)))
			ret = peer_says_error(p, rest);
		else
			ret = session_malformed(&p->session, line, NULL);
	}
	return NULL;
}

char *peer_await(struct peer_target *p, const char *word, int timeout_ms)
{
	bool same;

	return peer_await_either(p, word, word, &same, timeout_ms);
}
