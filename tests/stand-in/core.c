// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The core of the stand-in device: fake_call() makes a verbs call on the model,
 * fake_create() and fake_destroy() keep each object under its slot of the
 * model. Carries out the faults that environment variables ask for
 * (stand_in.h), except FAKE_WHIM.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include "tests/stand-in/stand_in.h"

struct fake *fake_of(const void *object)
{
	const union fake_object *o = object;

	return fake_context(o->context)->fake;
}

pthread_mutex_t fake_objects_lock = PTHREAD_MUTEX_INITIALIZER;
struct ibv_context *fake_main_context;
_Thread_local const struct ibv_sge *fake_inlined;
_Thread_local unsigned int fake_first_reply;

uint16_t fake_slot(const struct fake *f, const void *object)
{
	uint16_t found = NO_OBJ;

	pthread_mutex_lock(&fake_objects_lock);
	for (uint16_t slot = 0; object && slot < PROG_MAX_OBJECTS; slot++)
		if (f->object[slot] == object)
			found = slot;
	pthread_mutex_unlock(&fake_objects_lock);
	return found;
}

/* Returns a slot that no object has. */
static uint16_t find_slot(struct fake *f)
{
	if (f->next_slot < PROG_MAX_OBJECTS)
		return f->next_slot++;
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		if (!f->object[slot])
			return slot;
	return NO_OBJ;
}

uint16_t fake_take_slot(struct fake *f, void *object)
{
	uint16_t slot;

	pthread_mutex_lock(&fake_objects_lock);
	if (!f->nobjects) {
		model_sweep(f->model);
		f->next_slot = 0;
	}
	slot = find_slot(f);
	if (slot != NO_OBJ) {
		f->object[slot] = object;
		f->nobjects++;
	}
	pthread_mutex_unlock(&fake_objects_lock);
	return slot;
}

void fake_leave_slot(struct fake *f, uint16_t slot)
{
	pthread_mutex_lock(&fake_objects_lock);
	f->object[slot] = NULL;
	f->nobjects--;
	pthread_mutex_unlock(&fake_objects_lock);
}

/* Makes a call on a copy of the model, to see what the call would return. */
static void try_call(struct fake *f, enum verb verb, uint16_t on,
		     struct answer *a)
{
	struct bound b = {.verb = verb, .result = NO_OBJ, .on = on};

	model_copy(f->scratch, f->model);
	model_call(f->scratch, &b, NULL, NULL, a);
}

/* Makes an eventfd readable or not. Only this function writes to it; *told: it
 * has, and nobody is known to have read. */
static void set_readable(int fd, bool waits, bool *told)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	eventfd_t count;
	bool readable;

	if (!waits && !*told)
		return;
	*told = waits;
	readable = poll(&pfd, 1, 0) == 1;

	if (waits && !readable)
		eventfd_write(fd, 1);
	else if (!waits && readable)
		eventfd_read(fd, &count);
}

/* The same for the async_fd of a context. */
static void signal_context(struct fake *f, uint16_t slot, int fd, bool *told)
{
	struct answer a;

	try_call(f, V_get_async_event, slot, &a);
	set_readable(fd, a.outcome.out.event.event_type != NO_EVENT, told);
}

/* Makes the descriptors of contexts and channels readable if an event waits. */
static void signal_events(struct fake *f)
{
	struct answer a;

	signal_context(f, NO_OBJ, f->event_fd, &f->event_told);
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		if (f->async_fd[slot])
			signal_context(f, slot, f->async_fd[slot],
				       &f->async_told[slot]);
		if (!f->channel_fd[slot])
			continue;
		try_call(f, V_get_cq_event, slot, &a);
		set_readable(f->channel_fd[slot],
			     a.outcome.out.cq_event.count == 1,
			     &f->channel_told[slot]);
	}
}

static void move_report(FILE *from, FILE *to)
{
	int c;

	while (from && to && (c = fgetc(from)) != EOF)
		fputc(c, to);
	if (from)
		fclose(from);
	if (to)
		fclose(to);
}

/* What each call looks at of the environment, read once */
static struct {
	const char *report, *log, *report_at, *oops;
	const char *link;
	const char *once, *faults, *dies, *hangs;
	int slow_ms;
} said;

__attribute__((constructor)) static void read_environment(void)
{
	const char *slow = getenv("FAKE_SLOW");

	said.report = getenv("FAKE_REPORT");
	said.log = getenv("IBVET_KMSG");
	said.report_at = getenv("FAKE_REPORT_AT");
	said.oops = getenv("FAKE_OOPS");
	said.link = getenv("FAKE_LINK");
	said.once = getenv("FAKE_ONCE");
	said.faults = getenv("FAKE_FAULTS");
	said.dies = getenv("FAKE_DIES");
	said.hangs = getenv("FAKE_HANGS");
	said.slow_ms = slow ? atoi(slow) : 0;
}

void fake_report(const char *at)
{
	if (!said.report || !said.log ||
	    strcmp(at, said.report_at ? said.report_at : "modify_qp") != 0 ||
	    access(said.report, R_OK))
		return;
	move_report(fopen(said.report, "re"), fopen(said.log, "ae"));
	unlink(said.report);
	if (said.oops)
		raise(SIGKILL);
}

int64_t fake_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool fake_is_slow(const struct fake *f)
{
	return fake_now_ms() < f->slow_until_ms;
}

/* Returns true if completions may follow from the call. */
static bool may_complete(enum verb verb)
{
	return verb == V_post_send || verb == V_wr || verb == V_post_recv ||
	       verb == V_post_srq_recv || verb == V_bind_mw ||
	       verb == V_modify_qp || verb == V_modify_wq;
}

/* Returns the state of the link that the file names; LINK_HEAL by default. */
static uint32_t link_wanted(const char *path)
{
	static const char *const words[] = {
		[LINK_HEAL] = "heal",
		[LINK_CUT] = "cut",
		[LINK_LOSS] = "loss",
		[LINK_DELAY] = "delay",
	};
	FILE *file = fopen(path, "re");
	char word[8] = "";
	uint32_t action = LINK_HEAL;

	if (!file)
		return LINK_HEAL;
	if (fscanf(file, "%7s", word) != 1)
		word[0] = '\0';
	fclose(file);
	for (uint32_t i = 0; i < COUNT(words); i++)
		if (!strcmp(word, words[i]))
			action = i;
	return action;
}

/* Tells the model if FAKE_LINK names another state than before. */
static void obey_link(struct fake *f)
{
	struct bound b = {.verb = V_link, .result = NO_OBJ, .on = NO_OBJ};
	struct answer a;

	if (!said.link)
		return;
	b.in.link.action = link_wanted(said.link);
	if (b.in.link.action == f->link)
		return;
	f->link = b.in.link.action;
	model_call(f->model, &b, NULL, NULL, &a);
}

static bool is_named(const char *name, enum verb verb)
{
	return name && !strcmp(name, verb_info(verb)->name);
}

/* Returns true if the failure that FAKE_ONCE permits has happened. A sweep
 * makes millions of calls, so that the file is not looked for again. */
static bool failed_once(void)
{
	static atomic_bool gone;

	if (said.once && !gone && unlink(said.once))
		gone = true;
	return gone;
}

void fake_crash_or_hang(const struct fake *f, enum verb verb)
{
	bool faults = is_named(said.faults, verb);
	bool dies = faults || is_named(said.dies, verb);

	if (!f->modified || (!dies && !is_named(said.hangs, verb)) ||
	    failed_once())
		return;
	if (faults)
		__builtin_trap();
	if (dies)
		raise(SIGKILL);
	pause();
}

/* Copies the reply of each polled completion. The model keeps a reply only
 * until the next poll. */
static void keep_replies(struct fake *f, const struct answer *a)
{
	fake_first_reply = f->nreplies;
	for (unsigned int n = 0; n < a->outcome.out.polled.count; n++)
		f->reply[f->nreplies++ % FAKE_REPLIES] =
			*model_reply(f->model, n);
}

int fake_call(struct fake *f, const struct bound *b, struct answer *a)
{
	int saved = errno;

	fake_crash_or_hang(f, b->verb);

	if (b->verb != V_poll_cq)
		f->last_call_ms = fake_now_ms();
	if (may_complete(b->verb))
		f->slow_until_ms = fake_now_ms() + said.slow_ms;
	if (b->verb == V_modify_qp) {
		f->modified = true;
		fake_report("modify_qp");
	}
	pthread_mutex_lock(&f->lock);
	obey_link(f);
	model_call(f->model, b, NULL, NULL, a);
	signal_events(f);
	if (b->verb == V_poll_cq && !a->outcome.ret)
		keep_replies(f, a);
	pthread_mutex_unlock(&f->lock);
	errno = a->outcome.err == ERRNO_POISON ? saved : a->outcome.err;
	return a->outcome.ret;
}

void fake_spoil_input(const struct answer *a, void *input)
{
	if (a->outcome.in_changed)
		*(unsigned char *)input ^= 1;
}

void fake_take_fields(enum family fam, struct bits defined, void *dst,
		      const void *src)
{
	for (unsigned int i = 0; i < family_count(fam); i++) {
		enum field field = (enum field)(family_first(fam) + i);
		const struct field_info *info = field_info(field);

		if (bits_has(&defined, i))
			memcpy((char *)dst + info->offset,
			       (const char *)src + info->offset, info->size);
	}
}

struct bound fake_bound(enum verb verb, uint16_t on)
{
	struct bound b;

	memset(&b, 0, sizeof(b));
	b.verb = verb;
	b.result = NO_OBJ;
	b.on = on;
	return b;
}

struct bound fake_bound_on_context(enum verb verb, struct ibv_context *context)
{
	return fake_bound(verb, fake_context(context)->slot);
}

struct bound fake_bound_on_object(enum verb verb, const void *object)
{
	return fake_bound(verb, fake_slot(fake_of(object), object));
}

void *fake_create(struct ibv_context *context, struct bound *b,
		  struct answer *a)
{
	struct fake *f = fake_context(context)->fake;
	union fake_object *object = calloc(1, sizeof(*object));
	int err;

	if (!object)
		return NULL;
	object->context = context;
	b->result = fake_take_slot(f, object);
	if (b->result == NO_OBJ) {
		free(object);
		errno = ENOMEM;
		return NULL;
	}
	if (fake_call(f, b, a)) {
		err = errno;
		fake_leave_slot(f, b->result);
		free(object);
		errno = err;
		return NULL;
	}
	f->kind[b->result] = (uint8_t)verb_info(b->verb)->makes;
	return object;
}

/* Waits until all events of the object are acknowledged. With the seeded fault
 * of not waiting, acknowledges the events instead. */
static void wait_for_acks(struct fake *f, const void *object)
{
	struct bound b = fake_bound_on_object(V_ack_cq_events, object);
	struct answer a;

	pthread_mutex_lock(&f->lock);
	while ((f->unacked[b.on] || f->reading) &&
	       !mutant_skips(&f->mutant, ROW_ACK_WAITS))
		pthread_cond_wait(&f->acked, &f->lock);
	b.in.ack.count = f->unacked[b.on];
	pthread_mutex_unlock(&f->lock);
	if (b.in.ack.count)
		fake_call(f, &b, &a);
}

int fake_destroy(enum verb verb, void *object)
{
	struct fake *f = fake_of(object);
	struct bound b = fake_bound_on_object(verb, object);
	struct answer a;
	int ret;

	if (verb == V_destroy_cq || verb == V_destroy_srq ||
	    verb == V_destroy_qp)
		wait_for_acks(f, object);
	ret = fake_call(f, &b, &a);
	if (ret)
		return ret;
	f->unacked[b.on] = 0;
	fake_leave_slot(f, b.on);
	free(object);
	return 0;
}
