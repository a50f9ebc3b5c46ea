/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A target of two devices on two hosts: makes the calls of the near device
 * here, and sends those of the far device to an agent. If the agent dies, the
 * call is lost, and the next program gets a new agent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "target/peer/far_nic.h"
#include "target/peer/peer.h"
#include "target/peer/protocol.h"

/* A driver may be slow to destroy what a dead process had. */
#define KILLED_MS 60000

/* --- The process of the far device -----------------------------------------
 */

/* The model of both devices is here, but the agent is stopped in truth. */
static void stop_process(struct peer_target *p, const struct bound *b,
			 struct outcome *o)
{
	peer_far_call(p, b, o);
	if (p->is_model && !p->base.lost[0] && !o->ret)
		p->near->ops->call(p->near, b, o);
}

/* Waits for the end of the agent, and starts another one. The command ends
 * after its kernel has destroyed the objects of the agent. */
static void kill_process(struct peer_target *p, const struct bound *b,
			 struct outcome *o)
{
	char *line;

	if (!peer_send_call(p, b, WORD_CALL)) {
		o->ret = o->err = E2BIG;
		o->not_made = true;
		return;
	}
	line = session_line(&p->session, KILLED_MS);
	if (line)
		session_malformed(&p->session, line, "this is not its end");
	if (line || p->session.stream.end != STREAM_CLOSED) {
		peer_lose(p, o);
		return;
	}
	peer_start_again(p);
	p->used = false;
	o->err = ERRNO_POISON;
	o->ret = 0;
	if (p->is_model)
		p->near->ops->call(p->near, b, o);
}

/* --- Calls ------------------------------------------------------------------
 */

/* The NIC of a virtual device asks the agent, which may be gone. */
static void note_lost_amid(struct peer_target *p)
{
	if (p->is_virtual && p->session.stream.end != STREAM_GOOD &&
	    !session_line(&p->session, -1))
		peer_note_lost(p);
}

static void near_call(struct peer_target *p, const struct bound *b,
		      struct outcome *o)
{
	if (b->verb != V_link || p->is_model || p->is_virtual) {
		p->near->ops->call(p->near, b, o);
		note_lost_amid(p);
		return;
	}
	if (p->far_link) {
		peer_far_call(p, b, o);
		return;
	}
	o->err = ERRNO_POISON;
	o->ret = target_link_step(&p->link, &b->in.link);
}

/* The object that a call makes gets its kind before the outcome is read: the
 * outcome may name the object. */
static void call(struct target *t, const struct bound *b, struct outcome *o)
{
	struct peer_target *p = (struct peer_target *)t;

	peer_take_result(p, b);
	if (peer_connects_hosts(p, b))
		peer_connect_hosts(p, b, o);
	else if (b->verb == V_stop_process)
		stop_process(p, b, o);
	else if (b->verb == V_kill_process)
		kill_process(p, b, o);
	else if (b->far)
		peer_far_call(p, b, o);
	else
		near_call(p, b, o);
}

/* --- Sweeping ---------------------------------------------------------------
 */

/* Takes over what the agent says that a program left behind. */
static int read_swept(struct peer_target *p)
{
	char *words = peer_await(p, WORD_SWEPT, -1);
	int left = 0, at = 0;

	if (words && sscanf(words, "%d %n", &left, &at) != 1)
		words = session_malformed(&p->session, words, NULL) ? NULL
								    : words;
	if (!words) {
		peer_note_lost(p);
		peer_start_again(p);
		return 0;
	}
	if (stream_after(words + at, "broken"))
		snprintf(p->base.broken, sizeof(p->base.broken), "the peer: %s",
			 words + at + strlen("broken "));
	if (stream_after(words + at, "leak"))
		snprintf(p->base.leak, sizeof(p->base.leak), "on the peer %s",
			 words + at + strlen("leak "));
	return left;
}

static void send_sweep(struct peer_target *p)
{
	if (p->is_virtual)
		far_nic_send_changes(&p->session.stream);
	stream_put(&p->session.stream, WORD_SWEEP);
	stream_flush(&p->session.stream);
}

/* Both sides destroy their objects at the same time, unless they share a model.
 */
static int sweep(struct target *t)
{
	struct peer_target *p = (struct peer_target *)t;
	bool far = p->used && !p->base.lost[0];
	int left;

	if (far && !peer_drain(p))
		far = false;
	if (far && !p->is_virtual)
		send_sweep(p);
	left = p->near->ops->sweep(p->near);
	note_lost_amid(p);
	far = far && !p->base.lost[0];
	if (far && p->is_virtual)
		send_sweep(p);
	snprintf(t->broken, sizeof(t->broken), "%s", p->near->broken);
	snprintf(t->leak, sizeof(t->leak), "%s", p->near->leak);
	if (far) {
		left += read_swept(p);
	} else if (p->base.lost[0] || p->session.why[0]) {
		peer_note_lost(p);
		peer_start_again(p);
	}
	p->used = false;
	p->early = true;
	target_link_end(&p->link, t->broken, sizeof(t->broken));
	return left;
}

static void close_peer(struct target *t)
{
	struct peer_target *p = (struct peer_target *)t;

	if (p->near && p->is_virtual)
		p->near->ops->close(p->near);
	session_end(&p->session);
	free(p->apart.changes);
	if (p->near && !p->is_virtual)
		p->near->ops->close(p->near);
	free(p);
}

static const struct target_ops ops = {
	.call = call,
	.ahead = peer_ahead,
	.sweep = sweep,
	.close = close_peer,
};

/* The agent needs to know the near device before it opens the far one. */
static int prepare_virtual(struct peer_target *p, const char *name, char *err,
			   size_t errlen)
{
	p->apart = (struct virtual_apart){
		.other = &p->second,
		.wire = {.ask = far_nic_ask, .arg = &p->session.stream},
	};
	p->base.in_turn = true; /* one side at a time has the model */
	return virtual_describe(strchr(name, ':') + 1, &p->first, err, errlen);
}

/* A model has no wire to another host: the agent's device has to be a model as
 * well, and the model of both is here. */
static int check_kinds(struct peer_target *p, const char *name,
		       const struct target_options *opt, char *err,
		       size_t errlen)
{
	p->is_model = target_is_model(name);
	p->device = opt->peer_device;
	/* A fault of the peer's model is seeded here, where the model is. */
	if (p->is_model && (!p->device || target_is_model(p->device)))
		p->device = "model";
	p->is_virtual = target_is_virtual(name);
	if (p->is_virtual && !p->device)
		p->device = name;
	if (!p->device || (p->is_model == target_is_model(p->device) &&
			   p->is_virtual == target_is_virtual(p->device)))
		return p->is_virtual ? prepare_virtual(p, name, err, errlen)
				     : 0;
	snprintf(err, errlen,
		 "--peer-device: %s and %s reach each other by nothing: name "
		 "two RDMA devices, two models, or two virtual devices",
		 name, p->device);
	return -EINVAL;
}

/* Opens the near device, after the far one, whose descriptors are then no leak
 * of a program. */
static int open_near(struct peer_target *p, const char *name,
		     const struct target_options *opt, char *err, size_t errlen)
{
	struct target_options own = *opt;
	int ret;

	own.peer = own.second = own.link = NULL;
	if (p->is_model) {
		own.second = opt->peer_device ? opt->peer_device : "model";
		own.second_info = &p->second;
	}
	if (p->is_virtual)
		own.apart = &p->apart;
	ret = target_open(name, &own, &p->near, err, errlen);
	if (ret)
		return ret;
	if (p->near->info.node_guid && !p->is_model &&
	    p->near->info.node_guid == p->second.node_guid) {
		snprintf(err, errlen,
			 "--peer-device: %s is the device under test itself",
			 p->second.name);
		return -EINVAL;
	}
	return 0;
}

static int open_both(struct peer_target *p, const char *name,
		     const struct target_options *opt, char *err, size_t errlen)
{
	bool live = false;
	int ret = session_start(&p->session, err, errlen);

	if (!ret)
		ret = peer_open_far(p, &live, err, errlen);
	if (!ret)
		ret = open_near(p, name, opt, err, errlen);
	if (ret)
		return ret;
	p->ops.kind = p->near->ops->kind;
	p->base.info = p->near->info;
	p->base.live = p->near->live || live;
	ret = target_choose_peer(&p->base.info, opt, &p->second, err, errlen);
	if (!ret && !p->is_model)
		ret = target_link_open(&p->link, opt->link, err, errlen);
	p->base.info.second = &p->second;
	if (!ret && p->is_virtual)
		peer_join(p);
	p->base.info.apart = true;
	p->base.info.can_link =
		p->is_model || p->is_virtual || opt->link || opt->peer_link;
	p->base.info.can_stop = true;
	return ret;
}

int peer_target_open(const char *name, const struct target_options *opt,
		     struct target **t, char *err, size_t errlen)
{
	struct peer_target *p = calloc(1, sizeof(*p));
	int ret;

	*t = NULL;
	if (!p) {
		snprintf(err, errlen, "%s: out of memory", name);
		return -ENOMEM;
	}
	p->ops = ops;
	p->base.ops = &p->ops;
	p->session.command = opt->peer;
	p->far_link = opt->peer_link;
	wire_name_slots(&p->names);
	ret = check_kinds(p, name, opt, err, errlen);
	if (!ret)
		ret = open_both(p, name, opt, err, errlen);
	if (ret) {
		close_peer(&p->base);
		return ret;
	}
	*t = &p->base;
	return 0;
}
