/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Connects queue pairs of both hosts by the connection manager: one end
 * listens, and the other end reaches it.
 */
#include <limits.h>
#include <stdio.h>
#include "target/peer/peer.h"
#include "target/peer/protocol.h"

bool peer_connects_hosts(const struct peer_target *p, const struct bound *b)
{
	uint16_t peer = b->in.connect.peer;

	return b->verb == V_connect && peer < PROG_MAX_OBJECTS &&
	       p->far[peer] != p->far[b->on];
}

/* Lets the agent listen for the far queue pair. Returns false if it does not,
 * or is lost; then *o is the outcome of the call. */
static bool listen_far(struct peer_target *p, const struct bound *b,
		       struct cm_listener *at, struct outcome *o)
{
	const struct connect_args *in = &b->in.connect;
	unsigned int port = UINT_MAX;
	char err[160], *words;
	bool refused;

	stream_put(&p->session.stream, WORD_LISTEN " " LISTEN_FORMAT,
		   p->names.object[in->peer].name, in->timeout_ms);
	words = peer_await_either(p, WORD_LISTENING, WORD_DONE, &refused, -1);
	if (!words) {
		peer_lose(p, o);
		return false;
	}
	if (refused &&
	    !wire_read(&p->names, b->verb, words, o, err, sizeof(err)))
		return false;
	if (!refused &&
	    sscanf(words, "%45[0-9a-f.:] %5u", at->host, &port) == 2 &&
	    port <= UINT16_MAX) {
		at->port = (uint16_t)port;
		return true;
	}
	session_malformed(&p->session, words, NULL);
	peer_lose(p, o);
	return false;
}

/* Connects the near queue pair with the listener of the far one. */
static int reach_far(struct peer_target *p, const struct bound *b,
		     struct outcome *o)
{
	struct cm_listener at;
	int err;

	if (!listen_far(p, b, &at, o))
		return -1;
	err = p->near->ops->reach(p->near, b->on, &at);
	if (err)
		return err;
	return p->near->ops->await_peer(p->near, b->in.connect.timeout_ms);
}

/* Lets the agent connect the far queue pair with a listener of the near one. */
static int be_reached(struct peer_target *p, const struct bound *b,
		      struct outcome *o)
{
	const struct connect_args *in = &b->in.connect;
	struct cm_listener at;
	int err = p->near->ops->listen(p->near, in->peer, &at);

	o->err = ERRNO_POISON;
	o->ret = err;
	if (err)
		return -1;
	stream_put(&p->session.stream, WORD_REACH " " REACH_FORMAT,
		   p->names.object[b->on].name, at.host, at.port,
		   in->timeout_ms);
	stream_flush(&p->session.stream);
	return p->near->ops->await_peer(p->near, in->timeout_ms);
}

/* Both ends wait at the same time. If both fail, the end that has waited in
 * vain does not know why. The model of both devices needs no listener. */
void peer_connect_hosts(struct peer_target *p, const struct bound *b,
			struct outcome *o)
{
	char *words, err[160];
	int near;

	if (p->is_model) {
		p->near->ops->call(p->near, b, o);
		return;
	}
	near = b->far ? be_reached(p, b, o) : reach_far(p, b, o);
	if (near < 0)
		return;
	words = peer_await(p, WORD_DONE, -1);
	if (!words ||
	    wire_read(&p->names, b->verb, words, o, err, sizeof(err))) {
		if (words)
			session_malformed(&p->session, words, err);
		peer_lose(p, o);
	} else if (near && (!o->ret || o->ret == ETIMEDOUT)) {
		o->ret = near;
	}
}
