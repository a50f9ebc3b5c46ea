/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Serves a session line by line. A call is parsed and bound as those of a
 * program are, so that it is checked before it reaches a library: its objects
 * exist and are of the right kind, and no list is too long.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "target/peer/agent_session.h"
#include "target/peer/far_nic.h"
#include "target/peer/protocol.h"

int agent_refuse(struct agent *a, const char *format, ...)
{
	char what[512];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	stream_put(&a->stream, WORD_ERROR " %s", what);
	return -EPROTO;
}

static void greet(struct agent *a)
{
	stream_put(&a->stream, "%s %d %016" PRIx64 " %s", AGENT_GREETING,
		   AGENT_PROTOCOL, wire_language(), IBVET_VERSION);
}

static int check_greeting(struct agent *a, char *line)
{
	char *rest = stream_after(line, AGENT_GREETING);
	unsigned int protocol = 0;
	uint64_t language = 0;

	if (!rest)
		return agent_refuse(
			a,
			"an agent of ibvet %s expects a greeting: it "
			"is started by ibvet run --peer",
			IBVET_VERSION);
	if (sscanf(rest, "%u %" SCNx64, &protocol, &language) == 2 &&
	    protocol == AGENT_PROTOCOL && language == wire_language())
		return 0;
	return agent_refuse(
		a,
		"this agent is of ibvet %s, the caller is of another: "
		"install the same build of ibvet on both hosts",
		IBVET_VERSION);
}

void agent_begin_program(struct agent *a)
{
	a->begun = false;
	prog_init(&a->program);
	results_begin(&a->results);
	agent_model_begin(a->target, &a->program);
}

/* --- The kernel log --------------------------------------------------------
 */

static void tell_position(struct agent *a)
{
	if (a->kernel.next == a->kernel_told)
		return;
	a->kernel_told = a->kernel.next;
	stream_put(&a->stream, WORD_KERNEL " %" PRIu64, a->kernel_told);
}

void agent_tell_kernel(struct agent *a)
{
	struct kernel_log *log = &a->kernel;

	if (log->fd < 0)
		return;
	kernel_log_read(log);
	tell_position(a);
	for (unsigned int i = 0; i < log->n; i++)
		stream_put(&a->stream, WORD_KERNEL " %" PRIu64 " %s",
			   a->kernel_told, log->line[i]);
	kernel_log_forget(log);
}

/* The caller knows what an earlier agent of its session has told. */
static int hear_from(struct agent *a, const char *number)
{
	char *end;

	errno = 0;
	a->kernel_from = strtoull(number, &end, 10);
	if (end == number || *end || errno || a->target)
		return agent_refuse(a,
				    "\"kernel NUMBER\" comes before \"open\"");
	return 0;
}

/* Takes the caller's command that changes the link of this host. */
static int take_link(struct agent *a, const char *command)
{
	if (a->target || a->link.command || !*command || !a->own_process)
		return agent_refuse(a, "\"link COMMAND\" comes once, before "
				       "\"open\"");
	a->link.command = strdup(command);
	return a->link.command ? 0 : agent_refuse(a, "no memory");
}

void agent_tell_changes(struct agent *a)
{
	if (a->apart.other)
		far_nic_send_changes(&a->stream);
}

/* Tells keys and address of a memory region that the call has made or changed:
 * the other side's requests may name it. */
static void tell_region(struct agent *a, const struct bound *b)
{
	const bool changed = b->verb == V_rereg_mr;
	const uint16_t slot = changed ? b->on : b->result;
	struct key_args keys;

	if (!a->target->ops->region || slot >= PROG_MAX_OBJECTS ||
	    (!changed && verb_info(b->verb)->makes != OBJ_MR) ||
	    !a->target->ops->region(a->target, slot, &keys))
		return;
	stream_put(&a->stream, WORD_REGION " " REGION_FORMAT,
		   a->program.object[slot].name, keys.lkey, keys.rkey,
		   (unsigned long long)keys.top);
}

/* A process that is killed says nothing. To its kernel and its device _exit()
 * is the same, and a shell prints no word about it. */
static int stop_or_kill(struct agent *a, const struct bound *b)
{
	static const char done[] = WORD_DONE " 0 0\n";
	int err;

	stream_flush(&a->stream);
	if (b->verb == V_kill_process) {
		virtual_remove_folders();
		_exit(128 + SIGKILL);
	}
	err = agent_stop_process(a->stream.in, a->stream.out, done);
	if (err)
		stream_put(&a->stream, WORD_DONE " %d 0", err);
	return 0;
}

static void change_link(struct agent *a, const struct bound *b)
{
	a->outcome.err = ERRNO_POISON;
	a->outcome.ret = target_link_step(&a->link, &b->in.link);
}

static int make_call(struct agent *a, const struct bound *b)
{
	if (b->verb == V_stop_process || b->verb == V_kill_process)
		return stop_or_kill(a, b);
	if (!a->begun) /* what follows belongs to the program */
		agent_tell_kernel(a);
	a->begun = true;
	outcome_poison_all(&a->outcome);
	if (b->verb == V_link)
		change_link(a, b);
	else
		a->target->ops->call(a->target, b, &a->outcome);
	if (a->target->lost[0])
		return agent_refuse(a, "%s", a->target->lost);
	results_remember(&a->results, b, &a->outcome);
	if (wire_print(&a->program, b->verb, &a->outcome, a->text,
		       sizeof(a->text)))
		return agent_refuse(a,
				    "the outcome of %s is too long for a line",
				    verb_info(b->verb)->name);
	a->refused |= a->outcome.ret != 0;
	if (!a->outcome.ret || b->verb == V_rereg_mr)
		tell_region(a, b);
	agent_tell_changes(a);
	stream_put(&a->stream, WORD_DONE " %s", a->text);
	return 0;
}

static int call(struct agent *a, const char *text)
{
	char err[256];
	struct bound b;
	uint8_t missing;

	if (call_parse(&a->program, text, strlen(text), err, sizeof(err)))
		return agent_refuse(a, "%s", err);
	missing =
		results_missing(&a->results, &a->program, &a->program.call[0]);
	if (missing != NO_OBJ)
		return agent_refuse(a, "%s: %s is not alive", text,
				    a->program.object[missing].name);
	if (results_idle(&a->results, &a->program.call[0]))
		return agent_refuse(a, "%s: no batch has begun", text);
	if (prog_bind(&a->program, &a->program.call[0], &a->target->info,
		      &a->results, &b, err, sizeof(err)))
		return agent_refuse(a, "%s", err);
	if (b.far)
		return agent_refuse(a, "%s: the region is of the other host",
				    text);
	if (b.result != NO_OBJ && a->results.alive[b.result])
		return agent_refuse(a, "%s: %s exists already", text,
				    a->program.object[b.result].name);
	return make_call(a, &b);
}

/* A call that was sent before the outcome of those before it was known. */
static int also(struct agent *a, const char *text)
{
	if (!a->refused)
		return call(a, text);
	stream_put(&a->stream, WORD_LEFT);
	return 0;
}

/* Returns a slot for a region of the other host, which lives until the end of
 * the program; -1 without room. */
static int region_slot(struct agent *a, const char *name)
{
	int slot = prog_slot(&a->program, name);
	struct prog_object *o;

	if (slot >= 0 && !a->results.alive[slot])
		a->program.object[slot].kind = OBJ_MR;
	if (slot >= 0)
		return a->program.object[slot].kind == OBJ_MR ? slot : -1;
	if (a->program.nobjects >= PROG_MAX_OBJECTS)
		return -1;
	slot = a->program.nobjects++;
	o = &a->program.object[slot];
	o->kind = OBJ_MR;
	snprintf(o->name, sizeof(o->name), "%s", name);
	return slot;
}

static int region(struct agent *a, const char *text)
{
	struct key_args keys;
	char name[OBJ_NAME_LEN];
	unsigned long long top;
	int slot;

	if (sscanf(text, "%15[a-z0-9] lkey=%x rkey=%x top=%llx", name,
		   &keys.lkey, &keys.rkey, &top) != 4)
		return agent_refuse(a,
				    "a region is \"NAME lkey=N rkey=N top=N\"");
	keys.top = top;
	slot = region_slot(a, name);
	if (slot < 0 || (a->results.alive[slot] && !a->results.far[slot]))
		return agent_refuse(a, "%s: the name is taken", name);
	a->results.alive[slot] = a->results.made[slot] = true;
	a->results.far[slot] = true;
	a->results.verb[slot] = V_reg_mr;
	if (a->target->ops->meet)
		a->target->ops->meet(a->target, (uint16_t)slot, &keys);
	return 0;
}

/* --- Connections between the hosts -----------------------------------------
 */

/* Returns the slot of a queue pair that a connection may have, or -1. */
static int queue_pair(struct agent *a, const char *name)
{
	const int slot = prog_slot(&a->program, name);

	if (!a->target->ops->listen || slot < 0 || !a->results.alive[slot] ||
	    a->program.object[slot].kind != OBJ_QP)
		return -1;
	return slot;
}

static int end_connection(struct agent *a, int err)
{
	const struct outcome o = {.ret = err, .err = ERRNO_POISON};

	a->refused |= err != 0;
	if (wire_print(&a->program, V_connect, &o, a->text, sizeof(a->text)))
		return agent_refuse(a,
				    "the outcome of a connection is too long");
	stream_put(&a->stream, WORD_DONE " %s", a->text);
	return 0;
}

static int listen_for_peer(struct agent *a, const char *text)
{
	char name[OBJ_NAME_LEN];
	unsigned int timeout_ms;
	struct cm_listener at;
	int slot, err, end = 0;

	if (sscanf(text, "%15[a-z0-9] timeout_ms=%9u%n", name, &timeout_ms,
		   &end) != 2 ||
	    text[end])
		return agent_refuse(a,
				    "a listener is \"listen QP timeout_ms=N\"");
	slot = queue_pair(a, name);
	if (slot < 0)
		return agent_refuse(
			a, "%s: no queue pair that rdma_cm connects", name);
	err = a->target->ops->listen(a->target, (uint16_t)slot, &at);
	if (!err) {
		stream_put(&a->stream, WORD_LISTENING " " LISTENING_FORMAT,
			   at.host, at.port);
		stream_flush(&a->stream);
		err = a->target->ops->await_peer(a->target, timeout_ms);
	}
	return end_connection(a, err);
}

static int reach_peer(struct agent *a, const char *text)
{
	char name[OBJ_NAME_LEN];
	unsigned int port, timeout_ms;
	struct cm_listener to;
	int slot, err, end = 0;

	if (sscanf(text,
		   "%15[a-z0-9] host=%45[0-9a-f.:] port=%5u timeout_ms=%9u%n",
		   name, to.host, &port, &timeout_ms, &end) != 4 ||
	    text[end] || port > UINT16_MAX)
		return agent_refuse(
			a, "a connection is \"reach QP host=ADDRESS port=N "
			   "timeout_ms=N\"");
	slot = queue_pair(a, name);
	if (slot < 0)
		return agent_refuse(
			a, "%s: no queue pair that rdma_cm connects", name);
	to.port = (uint16_t)port;
	err = a->target->ops->reach(a->target, (uint16_t)slot, &to);
	if (!err)
		err = a->target->ops->await_peer(a->target, timeout_ms);
	return end_connection(a, err);
}

static int sweep(struct agent *a)
{
	struct target *t = a->target;
	int left = t->ops->sweep(t);

	target_link_end(&a->link, t->broken, sizeof(t->broken));
	agent_tell_kernel(a);
	agent_tell_changes(a);
	if (t->broken[0])
		stream_put(&a->stream, WORD_SWEPT " %d broken %s", left,
			   t->broken);
	else if (t->leak[0])
		stream_put(&a->stream, WORD_SWEPT " %d leak %s", left, t->leak);
	else
		stream_put(&a->stream, WORD_SWEPT " %d", left);
	agent_begin_program(a);
	return 0;
}

static int obey(struct agent *a, char *line)
{
	char *rest = stream_after(line, WORD_OPEN);

	if (rest)
		return agent_open_device(a, rest);
	rest = stream_after(line, WORD_KERNEL);
	if (rest)
		return hear_from(a, rest);
	rest = stream_after(line, WORD_LINK);
	if (rest)
		return take_link(a, rest);
	rest = stream_after(line, WORD_FIRST);
	if (rest)
		return agent_take_first(a, rest);
	rest = stream_after(line, WORD_MODEL);
	if (rest && !a->target)
		return agent_take_model(a, rest);
	if (!a->target)
		return agent_refuse(a, "a session begins with \"open DEVICE\"");
	rest = stream_after(line, WORD_CALL);
	if (rest) {
		a->refused = false;
		return call(a, rest);
	}
	rest = stream_after(line, WORD_ALSO);
	if (rest)
		return also(a, rest);
	rest = stream_after(line, WORD_JOIN);
	if (rest)
		return agent_join(a, rest);
	rest = stream_after(line, WORD_REGION);
	if (rest)
		return region(a, rest);
	rest = stream_after(line, WORD_LISTEN);
	if (rest)
		return listen_for_peer(a, rest);
	rest = stream_after(line, WORD_REACH);
	if (rest)
		return reach_peer(a, rest);
	if (stream_after(line, WORD_SWEEP))
		return sweep(a);
	if (a->apart.other) {
		int ret = far_nic_take(&a->stream, line);

		if (ret <= 0)
			return ret ? agent_refuse(a, "the model of this agent "
						     "is another")
				   : 0;
	}
	return agent_refuse(a, "no line begins with \"%.20s\"", line);
}

static int serve(struct agent *a)
{
	char *line;
	int ret;

	greet(a);
	line = stream_line(&a->stream, -1);
	ret = line ? check_greeting(a, line) : 0;
	if (!ret && a->own_process && agent_watch(a->stream.in))
		ret = agent_refuse(a, "no memory for a thread");
	while (!ret && line) {
		line = stream_line(&a->stream, -1);
		agent_goes_on();
		if (line)
			ret = obey(a, line);
	}
	if (!ret && a->stream.end == STREAM_TOO_LONG)
		ret = agent_refuse(a, "a line has at most %d bytes",
				   STREAM_LINE - 1);
	if (!ret && a->stream.end == STREAM_BINARY)
		ret = agent_refuse(a, "a line has no byte of 0");
	stream_flush(&a->stream);
	return ret;
}

int agent_serve(int in, int out, const char *host, bool own_process)
{
	struct agent *a = calloc(1, sizeof(*a));
	int ret;

	if (!a)
		return -ENOMEM;
	stream_init(&a->stream, in, out, false);
	a->host = host;
	a->own_process = own_process;
	a->kernel.fd = -1;
	a->kernel_from = KERNEL_FROM_NOW;
	a->kernel_told = KERNEL_FROM_NOW;
	ret = serve(a);
	kernel_log_close(&a->kernel);
	if (a->target)
		a->target->ops->close(a->target);
	stream_free(&a->stream);
	if (a->first_file)
		fclose(a->first_file);
	free(a->first_text);
	free(a->apart.changes);
	free((char *)(uintptr_t)a->link.command);
	free(a);
	return ret;
}
