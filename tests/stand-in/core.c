// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A libibverbs without hardware, for tests: preloaded, it shows one device,
 * fake0, and makes every call on the reference model. FAKE_LIMITS names a
 * device file that it is to be, FAKE_MUTANT a fault that it is to have; where
 * FAKE_FIRST names a file, only as many processes see that as it has bytes.
 * With FAKE_SECOND there is fake1 as well, and the link between the two is as
 * the file says that FAKE_LINK names: heal, cut, loss or delay. At the first
 * modify_qp the file FAKE_REPORT, if there is one, moves to the end of the log
 * that IBVET_KMSG names, as a driver's report would; with FAKE_OOPS the process
 * dies of it; with FAKE_REPORT_AT=close it happens when a device that was in
 * use is closed, with FAKE_REPORT_AT=open when one is opened. Once a queue pair
 * was modified the process dies of the verb that FAKE_DIES names, by a fault of
 * its own of the one that FAKE_FAULTS names, and the one that FAKE_HANGS names
 * does not return; where FAKE_ONCE names a file, only as long as that is there,
 * which then goes away. FAKE_WHIM names what the device does now and then
 * (stand-in/whims.h).
 */
#include <errno.h>
#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "contract/opcodes.h"
#include "model/model.h"
#include "mutants/mutant.h"
#include "target/verbs/flush.h"

#undef ibv_query_port
#undef ibv_reg_mr

#define XRCD_FILES   2
#define FAKE_REPLIES 64 /* to as many completions as came last */

/* An extended completion queue, and the completion that is looked at. */
struct fake_cq {
	struct ibv_cq_ex ex;
	struct ibv_wc wc;
	struct polled_args more; /* what struct ibv_wc does not have */
	pthread_mutex_t batch;	 /* held from start to the end */
};

/* A queue pair, and the request of a batch that is being built. */
struct fake_qp {
	struct ibv_qp_ex ex;
	flush_builder *flush; /* where newer headers have it in `ex` */
	uint8_t flush_type, flush_level;
	uint32_t flush_length;
	struct ibv_send_wr wr;
	struct ibv_sge sge[POST_MAX_SGE];
	struct ibv_mw window; /* as it was when its bind was built */
	char *copy;	      /* of inline data */
	uint32_t setter;
	bool extended, building;
	pthread_mutex_t batch; /* held from start to the end */
};

/* Every object of verbs begins with its context, and is one of these. */
union fake_object {
	struct ibv_context *context;
	struct ibv_pd pd;
	struct ibv_mr mr;
	struct ibv_mw mw;
	struct ibv_comp_channel channel;
	struct ibv_cq_ex cq;
	struct ibv_srq srq;
	struct ibv_xrcd xrcd;
	struct ibv_ah ah;
	struct ibv_wq wq;
	struct ibv_rwq_ind_table ind;
	struct ibv_qp qp;
	struct fake_qp batch;
	struct fake_cq polled;
};

/* What an XRC domain is shared by. */
struct fake_file {
	dev_t dev;
	ino_t ino;
	unsigned int users;
};

/* The device; it lives as long as a list or a context holds it. */
/* Elements of the post that a thread has under way */
static _Thread_local const struct ibv_sge *inlined;

struct fake {
	struct ibv_device device, second_device;
	struct device_info info, second_info;
	struct mutant mutant;
	struct model *model, *scratch;
	void *object[PROG_MAX_OBJECTS]; /* by slot of the model */
	uint8_t kind[PROG_MAX_OBJECTS]; /* enum object_kind, even once gone */
	int xrcd_file[PROG_MAX_OBJECTS];
	uint32_t srq_num[PROG_MAX_OBJECTS];
	struct reply reply[FAKE_REPLIES];
	unsigned int nreplies;
	struct fake_file file[XRCD_FILES];
	unsigned int holders, nobjects;
	uint16_t next_slot;
	bool modified; /* a queue pair has been */
	bool opened;   /* the first context is no object of the model */
	/* Readable while an event waits, of each device */
	int event_fd, second_event_fd;
	uint16_t second_slot; /* a context of the second device, NO_OBJ */
	uint32_t link;	      /* enum link_action */
	int channel_fd[PROG_MAX_OBJECTS]; /* of a completion channel, or 0 */
	unsigned int unacked[PROG_MAX_OBJECTS]; /* events that were read */
	unsigned int
		reading; /* threads that have one and have not counted it */
	pthread_mutex_t lock; /* the model, and the counts before */
	pthread_cond_t acked;
	unsigned char copy[MODEL_INLINES][MODEL_INLINE_BYTES];
	struct model_hands hands;
	_Atomic int64_t since; /* ms: the last call that was no poll */
};

struct fake_context {
	struct fake *fake;
	bool second;
	uint16_t slot;
	struct verbs_context verbs;
};

static struct fake_context *fake_context(struct ibv_context *context)
{
	return (struct fake_context *)((char *)context -
				       offsetof(struct fake_context,
						verbs.context));
}

/* The first one open, which is no object of the model; or NULL. */
static struct ibv_context *main_context;

static struct fake *fake_of(const void *object)
{
	const union fake_object *o = object;

	return fake_context(o->context)->fake;
}

/* Guards which object stands in which slot. */
static pthread_mutex_t slots = PTHREAD_MUTEX_INITIALIZER;

static uint16_t slot_of(const struct fake *f, const void *object)
{
	uint16_t found = NO_OBJ;

	pthread_mutex_lock(&slots);
	for (uint16_t slot = 0; object && slot < PROG_MAX_OBJECTS; slot++)
		if (f->object[slot] == object)
			found = slot;
	pthread_mutex_unlock(&slots);
	return found;
}

/* Slots come anew until everything is gone: what is dead may still count. */
static uint16_t new_slot(struct fake *f)
{
	if (!f->nobjects) {
		model_sweep(f->model);
		f->next_slot = 0;
	}
	if (f->next_slot < PROG_MAX_OBJECTS)
		return f->next_slot++;
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		if (!f->object[slot])
			return slot;
	return NO_OBJ;
}

/* What would the model hand out now? A copy of it is asked. */
static void would_give(struct fake *f, enum verb verb, uint16_t on,
		       struct answer *a)
{
	struct bound b = {.verb = verb, .result = NO_OBJ, .on = on};

	model_copy(f->scratch, f->model);
	model_call(f->scratch, &b, NULL, NULL, a);
}

static void show_waiting(int fd, bool waits)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	bool readable = poll(&pfd, 1, 0) == 1;
	eventfd_t count;

	if (waits && !readable)
		eventfd_write(fd, 1);
	else if (!waits && readable)
		eventfd_read(fd, &count);
}

static void signal_events(struct fake *f)
{
	struct answer a;

	would_give(f, V_get_async_event, NO_OBJ, &a);
	show_waiting(f->event_fd, a.outcome.out.event.event_type != NO_EVENT);
	if (f->second_slot != NO_OBJ) {
		would_give(f, V_get_async_event, f->second_slot, &a);
		show_waiting(f->second_event_fd,
			     a.outcome.out.event.event_type != NO_EVENT);
	}
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		if (!f->channel_fd[slot])
			continue;
		would_give(f, V_get_cq_event, slot, &a);
		show_waiting(f->channel_fd[slot],
			     a.outcome.out.cq_event.count == 1);
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

static void report(const char *at)
{
	const char *path = getenv("FAKE_REPORT"), *log = getenv("IBVET_KMSG");
	const char *when = getenv("FAKE_REPORT_AT");

	if (!path || !log || strcmp(at, when ? when : "modify_qp") != 0 ||
	    access(path, R_OK))
		return;
	move_report(fopen(path, "re"), fopen(log, "ae"));
	unlink(path);
	if (getenv("FAKE_OOPS"))
		raise(SIGKILL);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

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
	for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i]))
			action = i;
	return action;
}

static void obey_link(struct fake *f)
{
	const char *path = getenv("FAKE_LINK");
	struct bound b = {.verb = V_link, .result = NO_OBJ, .on = NO_OBJ};
	struct answer a;

	if (!path)
		return;
	b.in.link.action = link_wanted(path);
	if (b.in.link.action == f->link)
		return;
	f->link = b.in.link.action;
	model_call(f->model, &b, NULL, NULL, &a);
}

static bool is_named(const char *variable, enum verb verb)
{
	const char *name = getenv(variable);

	return name && !strcmp(name, verb_info(verb)->name);
}

static void die_of(const struct fake *f, enum verb verb)
{
	const char *once = getenv("FAKE_ONCE");
	bool faults = is_named("FAKE_FAULTS", verb);
	bool dies = faults || is_named("FAKE_DIES", verb);

	if (!f->modified || (!dies && !is_named("FAKE_HANGS", verb)) ||
	    (once && unlink(once)))
		return;
	if (faults)
		__builtin_trap();
	if (dies)
		raise(SIGKILL);
	pause();
}

/* Where the replies to what a thread polled last begin */
static _Thread_local unsigned int first_reply;

/* The model has them until it is polled again, by whichever thread. */
static void keep_replies(struct fake *f, const struct answer *a)
{
	first_reply = f->nreplies;
	for (unsigned int n = 0; n < a->outcome.out.polled.count; n++)
		f->reply[f->nreplies++ % FAKE_REPLIES] =
			*model_reply(f->model, n);
}

static int call(struct fake *f, const struct bound *b, struct answer *a)
{
	int saved = errno;

	die_of(f, b->verb);

	if (b->verb != V_poll_cq)
		f->since = now_ms();
	if (b->verb == V_modify_qp) {
		f->modified = true;
		report("modify_qp");
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

/* A device that writes an input spoils its first byte. */
static void spoil(const struct answer *a, void *input)
{
	if (a->outcome.in_changed)
		*(unsigned char *)input ^= 1;
}

/* Copies the fields that the model answered for from `src` to `dst`. */
static void take(enum family fam, struct bits defined, void *dst,
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

static struct bound bound(enum verb verb, uint16_t on)
{
	struct bound b;

	memset(&b, 0, sizeof(b));
	b.verb = verb;
	b.result = NO_OBJ;
	b.on = on;
	return b;
}

static struct bound on_context(enum verb verb, struct ibv_context *context)
{
	return bound(verb, fake_context(context)->slot);
}

static struct bound on_object(enum verb verb, const void *object)
{
	return bound(verb, slot_of(fake_of(object), object));
}

/* Makes an object, which is NULL when the model refuses. */
static void *create(struct ibv_context *context, struct bound *b,
		    struct answer *a)
{
	struct fake *f = fake_context(context)->fake;
	union fake_object *object;

	b->result = new_slot(f);
	if (b->result == NO_OBJ) {
		errno = ENOMEM;
		return NULL;
	}
	if (call(f, b, a))
		return NULL;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->context = context;
	pthread_mutex_lock(&slots);
	f->object[b->result] = object;
	pthread_mutex_unlock(&slots);
	f->kind[b->result] = (uint8_t)verb_info(b->verb)->makes;
	f->nobjects++;
	return object;
}

/* One that does not wait for them has the acknowledgements all the same. */
static void wait_for_acks(struct fake *f, const void *object)
{
	struct bound b = on_object(V_ack_cq_events, object);
	struct answer a;

	pthread_mutex_lock(&f->lock);
	while ((f->unacked[b.on] || f->reading) &&
	       !mutant_skips(&f->mutant, ROW_ACK_WAITS))
		pthread_cond_wait(&f->acked, &f->lock);
	b.in.ack.count = f->unacked[b.on];
	pthread_mutex_unlock(&f->lock);
	if (b.in.ack.count)
		call(f, &b, &a);
}

static int destroy(enum verb verb, void *object)
{
	struct fake *f = fake_of(object);
	struct bound b = on_object(verb, object);
	struct answer a;
	int ret;

	if (verb == V_destroy_cq || verb == V_destroy_srq ||
	    verb == V_destroy_qp)
		wait_for_acks(f, object);
	ret = call(f, &b, &a);
	if (ret)
		return ret;
	pthread_mutex_lock(&slots);
	f->object[b.on] = NULL;
	pthread_mutex_unlock(&slots);
	f->unacked[b.on] = 0;
	f->nobjects--;
	free(object);
	return 0;
}

static void give_readers(struct fake_cq *cq, uint64_t flags);

#include "tests/stand-in/objects.c"
#include "tests/stand-in/bytes.c"
#include "tests/stand-in/post.c"
#include "tests/stand-in/batch.c"
#include "tests/stand-in/poll.c"
#include "tests/stand-in/qp.c"
#include "tests/stand-in/whims.c"
#include "tests/stand-in/xrc_rcv.c"
#include "tests/stand-in/event.c"
#include "tests/stand-in/cm.c"
#include "tests/stand-in/device.c"
