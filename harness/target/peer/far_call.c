/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sends calls of the far device to its agent, and takes their outcomes.
 */
#include <errno.h>
#include <stdio.h>
#include "target/peer/far_nic.h"
#include "target/peer/peer.h"
#include "target/peer/protocol.h"

/* Tells the agent of a region of the near device that the call names. */
static void introduce(struct peer_target *p, const struct bound *b)
{
	uint16_t slot = bound_remote(b);
	struct key_args keys = {0};

	if (slot >= PROG_MAX_OBJECTS || p->far[slot])
		return;
	if (p->near->ops->region && !p->near->ops->region(p->near, slot, &keys))
		return;
	stream_put(&p->session.stream, WORD_REGION " " REGION_FORMAT,
		   p->names.object[slot].name, keys.lkey, keys.rkey,
		   (unsigned long long)keys.top);
}

void peer_note_lost(struct peer_target *p)
{
	if (!p->base.lost[0])
		snprintf(p->base.lost, sizeof(p->base.lost),
			 "the peer's agent is lost: %.120s", p->session.why);
}

void peer_lose(struct peer_target *p, struct outcome *o)
{
	peer_note_lost(p);
	o->ret = o->err = EPIPE;
	o->not_made = true;
}

bool peer_send_call(struct peer_target *p, const struct bound *b,
		    const char *word)
{
	struct bound there = *b;

	if (b->verb == V_open_device)
		there.in.open.device = DEVICE_FIRST;
	p->used = true;
	if (bound_print(&p->names, &there, p->text, sizeof(p->text)))
		return false;
	if (!word)
		return true;
	introduce(p, b);
	if (p->is_virtual)
		far_nic_send_changes(&p->session.stream);
	stream_put(&p->session.stream, "%s %s", word, p->text);
	return true;
}

void peer_take_result(struct peer_target *p, const struct bound *b)
{
	if (b->result >= PROG_MAX_OBJECTS)
		return;
	p->names.object[b->result].kind = (uint8_t)verb_info(b->verb)->makes;
	p->far[b->result] = b->far;
}

void peer_ahead(struct target *t, const struct bound *b, unsigned int n)
{
	struct peer_target *p = (struct peer_target *)t;

	for (unsigned int i = 0; i < n && !p->base.lost[0]; i++) {
		peer_take_result(p, &b[i]);
		if (!peer_send_call(p, &b[i], i ? WORD_ALSO : WORD_CALL))
			break;
		p->queue[i] = b[i];
		p->ahead = p->queued = i + 1;
	}
}

bool peer_drain(struct peer_target *p)
{
	for (; p->ahead; p->ahead--) {
		const struct bound *b = &p->queue[p->queued - p->ahead];
		bool left;
		char *rest;

		peer_send_call(p, b, NULL);
		p->asked = b;
		rest = peer_await_either(p, WORD_DONE, WORD_LEFT, &left, -1);
		p->asked = NULL;
		p->early = false;
		if (!rest)
			return false;
	}
	return true;
}

void peer_far_call(struct peer_target *p, const struct bound *b,
		   struct outcome *o)
{
	char *words, err[160];

	if (!peer_send_call(p, b, p->ahead ? NULL : WORD_CALL)) {
		o->ret = o->err = E2BIG;
		o->not_made = true;
		return;
	}
	p->asked = b;
	words = peer_await(p, WORD_DONE, -1);
	p->asked = NULL;
	p->early = false;
	if (words && wire_read(&p->names, b->verb, words, o, err, sizeof(err)))
		words = session_malformed(&p->session, words, err) ? NULL
								   : words;
	p->ahead -= p->ahead > 0;
	if (!words || (o->ret && !peer_drain(p)))
		peer_lose(p, o);
}
