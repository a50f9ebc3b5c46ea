/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A target of two devices on two hosts: makes the calls of the near device
 * here, and sends those of the far device to an agent. If the agent dies, the
 * call is lost, and the next program gets a new agent.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "program/wire.h"
#include "target/peer/far_nic.h"
#include "target/peer/protocol.h"
#include "target/peer/session.h"
#include "target/target.h"
#include "virtual/virtual.h"

#define OPEN_MS	  60000 /* a driver may be slow to open */
#define KILLED_MS 60000 /* and slow to destroy what a dead process had */

struct peer_target {
	struct target base;
	struct target_ops ops; /* of the kind of `near` */
	struct target *near;
	bool is_model;		  /* `near` is the model of both devices */
	bool is_virtual;	  /* the model of both devices travels */
	struct device_info first; /* of a virtual device: its device file */
	struct virtual_apart apart;
	const char
		*device; /* that the agent opens, NULL: the first one there */
	const char *far_link; /* command that changes the link, or NULL */
	struct session session;
	struct target_link link;
	struct device_info second;
	struct program names;	    /* of slots */
	bool far[PROG_MAX_OBJECTS]; /* the object of the slot is on the far
				       device */
	bool refused;		    /* the agent itself has ended the session */
	bool hears;		    /* the agent tells its kernel log */
	uint64_t kernel_next;	    /* the first record that it has not told */
	bool used;	    /* by the program: the far device has to be swept */
	unsigned int ahead; /* calls that were sent, but their outcomes not
			       read: the last ones of the queue */
	unsigned int queued;
	struct bound queue[TARGET_AHEAD];
	const struct bound *asked; /* the call that a model is asked for */
	char text[STREAM_LINE], answer[STREAM_LINE];
};

/* --- Lines of the agent ----------------------------------------------------
 */

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
		p->base.hear(p->base.hear_arg, rest + at + 1);
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

static int says_error(struct peer_target *p, const char *what)
{
	p->refused = true;
	snprintf(p->session.why, sizeof(p->session.why), "it says: %.300s",
		 what);
	return -EPROTO;
}

/* Returns what follows `word`, or `other`, in the next line that begins with
 * it, and sets *is_other; NULL if the session is over. Meanwhile takes regions
 * and lines of the kernel log, and answers questions. */
static char *await_either(struct peer_target *p, const char *word,
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
			ret = far_nic_take(&p->session.stream, line);
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
			ret = says_error(p, rest);
		else
			ret = session_malformed(&p->session, line, NULL);
	}
	return NULL;
}

static char *await(struct peer_target *p, const char *word, int timeout_ms)
{
	bool same;

	return await_either(p, word, word, &same, timeout_ms);
}

/* --- Calls ------------------------------------------------------------------
 */

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

static void note_lost(struct peer_target *p)
{
	if (!p->base.lost[0])
		snprintf(p->base.lost, sizeof(p->base.lost),
			 "the peer's agent is lost: %.120s", p->session.why);
}

static void lose(struct peer_target *p, struct outcome *o)
{
	note_lost(p);
	o->ret = o->err = EPIPE;
	o->not_made = true;
}

/* Sends a call. Returns false if it is too long for a line. */
static bool send_call(struct peer_target *p, const struct bound *b,
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

static void take_result(struct peer_target *p, const struct bound *b)
{
	if (b->result >= PROG_MAX_OBJECTS)
		return;
	p->names.object[b->result].kind = (uint8_t)verb_info(b->verb)->makes;
	p->far[b->result] = b->far;
}

/* Sends the calls at once. The agent skips those behind one that is refused. */
static void ahead(struct target *t, const struct bound *b, unsigned int n)
{
	struct peer_target *p = (struct peer_target *)t;

	for (unsigned int i = 0; i < n && !p->base.lost[0]; i++) {
		take_result(p, &b[i]);
		if (!send_call(p, &b[i], i ? WORD_ALSO : WORD_CALL))
			break;
		p->queue[i] = b[i];
		p->ahead = p->queued = i + 1;
	}
}

/* Reads what the agent says of calls that were sent and that the program does
 * not make any more. Returns false if the session is over. */
static bool drain(struct peer_target *p)
{
	for (; p->ahead; p->ahead--) {
		const struct bound *b = &p->queue[p->queued - p->ahead];
		bool left;
		char *rest;

		send_call(p, b, NULL);
		p->asked = b;
		rest = await_either(p, WORD_DONE, WORD_LEFT, &left, -1);
		p->asked = NULL;
		if (!rest)
			return false;
	}
	return true;
}

static void far_call(struct peer_target *p, const struct bound *b,
		     struct outcome *o)
{
	char *words, err[160];

	if (!send_call(p, b, p->ahead ? NULL : WORD_CALL)) {
		o->ret = o->err = E2BIG;
		o->not_made = true;
		return;
	}
	p->asked = b;
	words = await(p, WORD_DONE, -1);
	p->asked = NULL;
	if (words && wire_read(&p->names, b->verb, words, o, err, sizeof(err)))
		words = session_malformed(&p->session, words, err) ? NULL
								   : words;
	p->ahead -= p->ahead > 0;
	if (!words || (o->ret && !drain(p)))
		lose(p, o);
}

/* --- Opening -----------------------------------------------------------------
 */

/* Gathers the lines that describe the far device. Returns the text, which the
 * caller frees, or NULL. */
static char *gather_device(struct peer_target *p)
{
	char *text = NULL, *line, *rest;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	while (file && (line = session_line(&p->session, OPEN_MS)) &&
	       (rest = stream_after(line, WORD_DEVICE)))
		fprintf(file, "%s\n", rest);
	if (file && fclose(file))
		return NULL;
	if (file && line && (rest = stream_after(line, WORD_HOST))) {
		snprintf(p->second.host, sizeof(p->second.host), "%s", rest);
		return text;
	}
	if (file && line && (rest = stream_after(line, WORD_ERROR)))
		says_error(p, rest);
	else if (file && line)
		session_malformed(&p->session, line, NULL);
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

/* Joins the ports of two virtual devices, on both hosts. */
static void join(struct peer_target *p)
{
	const struct device_info *first = &p->base.info;

	virtual_join(first);
	stream_put(&p->session.stream, WORD_JOIN " " JOIN_FORMAT,
		   first->port_num, first->gid_index, p->second.port_num,
		   p->second.gid_index, virtual_model_bytes());
}

/* Opens the far device. *live says whether a crash may take its host down. */
static int open_far(struct peer_target *p, bool *live, char *err, size_t errlen)
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
	stream_put(&p->session.stream, "%s %s", WORD_OPEN,
		   p->device ? p->device : "");
	ret = describe(p, err, errlen);
	if (ret)
		return ret;
	words = await(p, WORD_OPENED, OPEN_MS);
	if (!words)
		return session_failed(p, err, errlen);
	if (sscanf(words, "%15s %d", kind, &is_live) != 2) {
		session_malformed(&p->session, words, NULL);
		return session_failed(p, err, errlen);
	}
	*live = is_live;
	return 0;
}

/* After an agent was lost, starts another one for the next program. */
static void start_again(struct peer_target *p)
{
	struct device_info was = p->second;
	char err[SESSION_WHY];
	bool live;

	if (p->is_virtual)
		virtual_renew();
	if (session_start(&p->session, err, sizeof(err)) ||
	    open_far(p, &live, err, sizeof(err)))
		snprintf(p->base.broken, sizeof(p->base.broken),
			 "--peer: no other agent starts: %.120s",
			 p->session.why[0] ? p->session.why : err);
	p->second = was;
	if (p->is_virtual)
		join(p);
	p->ahead = 0;
}

/* --- The process of the far device -----------------------------------------
 */

/* The model of both devices is here, but the agent is stopped in truth. */
static void stop_process(struct peer_target *p, const struct bound *b,
			 struct outcome *o)
{
	far_call(p, b, o);
	if (p->is_model && !p->base.lost[0] && !o->ret)
		p->near->ops->call(p->near, b, o);
}

/* Waits for the end of the agent, and starts another one. The command ends
 * after its kernel has destroyed the objects of the agent. */
static void kill_process(struct peer_target *p, const struct bound *b,
			 struct outcome *o)
{
	char *line;

	if (!send_call(p, b, WORD_CALL)) {
		o->ret = o->err = E2BIG;
		o->not_made = true;
		return;
	}
	line = session_line(&p->session, KILLED_MS);
	if (line)
		session_malformed(&p->session, line, "this is not its end");
	if (line || p->session.stream.end != STREAM_CLOSED) {
		lose(p, o);
		return;
	}
	start_again(p);
	p->used = false;
	o->err = ERRNO_POISON;
	o->ret = 0;
	if (p->is_model)
		p->near->ops->call(p->near, b, o);
}

/* --- Connections between the hosts -----------------------------------------
 */

/* Returns true if the call connects queue pairs of both hosts. */
static bool connects_hosts(const struct peer_target *p, const struct bound *b)
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
	words = await_either(p, WORD_LISTENING, WORD_DONE, &refused, -1);
	if (!words) {
		lose(p, o);
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
	lose(p, o);
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
static void connect_hosts(struct peer_target *p, const struct bound *b,
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
	words = await(p, WORD_DONE, -1);
	if (!words ||
	    wire_read(&p->names, b->verb, words, o, err, sizeof(err))) {
		if (words)
			session_malformed(&p->session, words, err);
		lose(p, o);
	} else if (near && (!o->ret || o->ret == ETIMEDOUT)) {
		o->ret = near;
	}
}

/* The NIC of a virtual device asks the agent, which may be gone. */
static void note_lost_amid(struct peer_target *p)
{
	if (p->is_virtual && p->session.stream.end != STREAM_GOOD &&
	    !session_line(&p->session, -1))
		note_lost(p);
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
		far_call(p, b, o);
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

	take_result(p, b);
	if (connects_hosts(p, b))
		connect_hosts(p, b, o);
	else if (b->verb == V_stop_process)
		stop_process(p, b, o);
	else if (b->verb == V_kill_process)
		kill_process(p, b, o);
	else if (b->far)
		far_call(p, b, o);
	else
		near_call(p, b, o);
}

/* --- Sweeping ---------------------------------------------------------------
 */

/* Takes over what the agent says that a program left behind. */
static int read_swept(struct peer_target *p)
{
	char *words = await(p, WORD_SWEPT, -1);
	int left = 0, at = 0;

	if (words && sscanf(words, "%d %n", &left, &at) != 1)
		words = session_malformed(&p->session, words, NULL) ? NULL
								    : words;
	if (!words) {
		note_lost(p);
		start_again(p);
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

	if (far && !drain(p))
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
		note_lost(p);
		start_again(p);
	}
	p->used = false;
	target_link_end(&p->link, t->broken, sizeof(t->broken));
	return left;
}

static void close_peer(struct target *t)
{
	struct peer_target *p = (struct peer_target *)t;

	if (p->near && p->is_virtual)
		p->near->ops->close(p->near);
	session_end(&p->session);
	if (p->near && !p->is_virtual)
		p->near->ops->close(p->near);
	free(p);
}

static const struct target_ops ops = {
	.call = call,
	.ahead = ahead,
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
		ret = open_far(p, &live, err, errlen);
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
		join(p);
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
