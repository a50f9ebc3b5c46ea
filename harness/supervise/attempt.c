/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs attempts: on the model in this process, unless they may not come back;
 * on a device in a child, which writes the judgement into shared memory.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "supervise/attempt.h"
#include "supervise/child.h"

struct shared {
	struct judgement judged;
	struct device_info info, second;
	bool has_second;
};

/* A target that is open in this process, with its judge; NULL for a device */
struct opened {
	struct target *target;
	struct judge *judge;
};

struct attempts {
	const struct attempt_options *options;
	struct opened tried, healthy;
	bool apart;
	struct shared *shared;
	struct watch watch;
	int stuck; /* children left behind in the kernel */
};

static int no_memory(char *err, size_t errlen)
{
	snprintf(err, errlen, "no memory");
	return -ENOMEM;
}

static int add_judge(struct opened *s, char *err, size_t errlen)
{
	s->judge = judge_new(&s->target->info);
	return s->judge ? 0 : no_memory(err, errlen);
}

static int open_model(struct attempts *a, char *err, size_t errlen)
{
	int ret = target_open(a->options->device, &a->options->target,
			      &a->tried.target, err, errlen);

	return ret ? ret : add_judge(&a->tried, err, errlen);
}

static void close_opened(struct opened *s)
{
	if (s->target)
		s->target->ops->close(s->target);
	judge_free(s->judge);
}

static int cannot_watch(int error, char *err, size_t errlen)
{
	snprintf(err, errlen, "cannot watch a process: %s", strerror(-error));
	return error;
}

static int open_watch(struct attempts *a, char *err, size_t errlen)
{
	void *page = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	a->watch.timeout_ms = a->options->timeout_ms;
	if (page == MAP_FAILED)
		return cannot_watch(-errno, err, errlen);
	a->shared = page;
	a->watch.recorder = recorder_new();
	if (!a->watch.recorder)
		return cannot_watch(-errno, err, errlen);
	a->watch.signals = watch_signals();
	return a->watch.signals >= 0
		       ? 0
		       : cannot_watch(a->watch.signals, err, errlen);
}

/* Opens the model, or for a device the kernel log. */
static int open_model_or_log(struct attempts *a, char *err, size_t errlen)
{
	struct recorder *r = a->watch.recorder;

	if (target_is_model(a->options->device))
		return open_model(a, err, errlen);
	kernel_log_open(&r->kernel, r->kernel_unread, sizeof(r->kernel_unread));
	return 0;
}

int attempts_open(const struct attempt_options *o, struct attempts **opened,
		  char *err, size_t errlen)
{
	struct attempts *a = calloc(1, sizeof(*a));
	int ret;

	*opened = NULL;
	if (!a)
		return no_memory(err, errlen);
	a->options = o;
	a->watch.signals = -1;
	ret = target_prepare(o->device, NULL, err, errlen);
	if (!ret)
		ret = open_watch(a, err, errlen);
	if (!ret)
		ret = open_model_or_log(a, err, errlen);
	if (ret)
		attempts_close(a);
	else
		*opened = a;
	return ret;
}

void attempts_close(struct attempts *a)
{
	close_opened(&a->tried);
	close_opened(&a->healthy);
	if (a->watch.signals >= 0)
		close(a->watch.signals);
	if (a->watch.recorder)
		kernel_log_close(&a->watch.recorder->kernel);
	recorder_free(a->watch.recorder);
	if (a->shared)
		munmap(a->shared, sizeof(*a->shared));
	free(a);
}

void attempts_apart(struct attempts *a, bool apart)
{
	a->apart = apart;
}

bool attempts_live(const struct attempts *a)
{
	return !attempts_on_model(a) || a->apart;
}

bool attempts_on_model(const struct attempts *a)
{
	return a->tried.target != NULL;
}

bool attempts_stopped(const struct attempts *a)
{
	return a->watch.interrupted;
}

const struct device_info *attempts_info(const struct attempts *a)
{
	return a->tried.target ? &a->tried.target->info : &a->shared->info;
}

static void keep_info(struct shared *s, const struct device_info *info)
{
	s->info = *info;
	s->has_second = info->second != NULL;
	if (s->has_second)
		s->second = *info->second;
}

static int open_device(struct attempts *a, struct opened *s, char *err,
		       size_t errlen)
{
	int ret = target_open(a->options->device, &a->options->target,
			      &s->target, err, errlen);

	if (ret)
		return ret;
	keep_info(a->shared, &s->target->info);
	return add_judge(s, err, errlen);
}

/* One try in a child. The child has its own copy. */
struct one_try {
	struct attempts *a;
	struct opened opened;
};

static int run_child(void *arg)
{
	struct one_try *t = arg;
	struct recorder *r = t->a->watch.recorder;
	const struct judge_trace trace = recorder_trace(r);
	struct opened *s = &t->opened;

	if (!s->target) {
		r->exit = open_device(t->a, s, r->error, sizeof(r->error));
		if (r->exit)
			return CHILD_GAVE_UP;
	}
	kernel_log_begin(&r->kernel);
	judge_program(s->target, s->judge, &r->program, &trace,
		      &t->a->shared->judged);
	close_opened(s);
	return CHILD_DONE;
}

/* A child that SIGKILL does not end keeps its objects. */
static int leave_behind(struct attempts *a, char *err, size_t errlen)
{
	kernel_log_leave(a->watch.pid);
	if (++a->stuck < CHILD_STUCK_MAX)
		return 0;
	snprintf(err, errlen, "%d attempts are stuck in the kernel", a->stuck);
	return -EIO;
}

static int after_child(struct attempts *a, enum watch_end end,
		       struct judgement *judged, char *err, size_t errlen)
{
	struct recorder *r = a->watch.recorder;

	if (end == WATCH_GAVE_UP) {
		snprintf(err, errlen, "%s", r->error);
		return r->exit ? r->exit : -EIO;
	}
	*judged = a->shared->judged;
	if (end != WATCH_DONE)
		child_judge(&a->watch, end, judged);
	return end == WATCH_STUCK ? leave_behind(a, err, errlen) : 0;
}

static int try_in_child(struct attempts *a, const struct opened *s,
			const struct program *p, struct judgement *judged,
			char *err, size_t errlen)
{
	const struct test_case c = {.program = (struct program *)p};
	struct recorder *r = a->watch.recorder;
	struct one_try one = {a, *s};
	enum watch_end end;

	r->exit = 0;
	recorder_begin(r, NO_NUMBER, &c);
	end = child_run(&a->watch, run_child, &one);
	return after_child(a, end, judged, err, errlen);
}

static int try_on_model(struct attempts *a, const struct opened *s,
			const struct program *p, struct judgement *judged,
			char *err, size_t errlen)
{
	if (a->apart)
		return try_in_child(a, s, p, judged, err, errlen);
	watch_read_signals(&a->watch);
	judge_program(s->target, s->judge, p, NULL, judged);
	return 0;
}

static int try_on_device(struct attempts *a, const struct program *p,
			 struct judgement *judged, char *err, size_t errlen)
{
	struct shared *s = a->shared;
	int ret = try_in_child(a, &a->tried, p, judged, err, errlen);

	s->info.second = s->has_second ? &s->second : NULL;
	if (verdict_is_death(judged->verdict))
		target_heal_link(a->options->target.link);
	child_hear_kernel(a->watch.recorder, judged);
	return ret;
}

/* Removes digits: addresses, keys and process ids differ each time. */
static void without_digits(const char *text, char *buf, size_t len)
{
	size_t n = 0;

	for (; *text && n + 1 < len; text++)
		if (!isxdigit((unsigned char)*text))
			buf[n++] = *text;
	buf[n] = '\0';
}

static const char *verb_of(const struct program *p, const struct judgement *j)
{
	if (j->call < 0 || j->call >= p->ncalls)
		return "no call";
	return verb_info((enum verb)p->call[j->call].verb)->name;
}

static void tell_how(const struct attempts *a, const struct program *p,
		     struct attempt *shown)
{
	const struct judgement *j = &shown->judged;
	char text[KERNEL_LINE + 1] = "", matter[KERNEL_LINE];
	int status = 0;

	if (j->verdict == VERDICT_DEVIATES && j->row == ROW_NONE)
		snprintf(text, sizeof(text), "%.110s, %.110s", j->expected,
			 j->observed);
	if (verdict_is_death(j->verdict))
		snprintf(text, sizeof(text), "%s",
			 a->watch.recorder->kernel.what);
	if (j->verdict == VERDICT_CRASHED)
		status = a->watch.status;
	without_digits(text, matter, sizeof(matter));
	snprintf(shown->how, sizeof(shown->how), "%s, %d, %s",
		 j->row == ROW_NONE ? verb_of(p, j) : "", status, matter);
}

int attempts_try(struct attempts *a, const struct program *p,
		 struct attempt *shown, char *err, size_t errlen)
{
	int ret = a->tried.target
			  ? try_on_model(a, &a->tried, p, &shown->judged, err,
					 errlen)
			  : try_on_device(a, p, &shown->judged, err, errlen);

	if (!ret)
		tell_how(a, p, shown);
	return ret;
}

static int open_healthy(struct attempts *a, char *err, size_t errlen)
{
	if (a->healthy.judge)
		return 0;
	if (model_target_like(attempts_info(a), &a->healthy.target))
		return no_memory(err, errlen);
	return add_judge(&a->healthy, err, errlen);
}

int attempts_rehearse(struct attempts *a, const struct program *p,
		      struct judgement *judged, char *err, size_t errlen)
{
	int ret = open_healthy(a, err, errlen);

	return ret ? ret : try_on_model(a, &a->healthy, p, judged, err, errlen);
}

bool attempt_same(const struct attempt *a, const struct attempt *b)
{
	return a->judged.verdict == b->judged.verdict &&
	       a->judged.row == b->judged.row && !strcmp(a->how, b->how);
}
