/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the flight recorder so that it is consistent at every instant: each
 * entry is written before the counter that includes it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "run/run.h"
#include "supervise/recorder.h"

struct recorder *recorder_new(void)
{
	void *page = mmap(NULL, sizeof(struct recorder), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct recorder *r = page;

	if (page == MAP_FAILED)
		return NULL;
	r->kernel.fd = -1;
	r->lock = -1;
	return r;
}

void recorder_free(struct recorder *r)
{
	if (r)
		munmap(r, sizeof(*r));
}

void recorder_reset(struct recorder *r)
{
	r->begun = 0;
	r->returned = 0;
	r->exit = RUN_AS_EXPECTED;
	r->error[0] = '\0';
	r->cases = 0;
}

int recorder_broken(struct recorder *r, const char *fmt, ...)
{
	va_list ap;

	if (!r->error[0]) {
		va_start(ap, fmt);
		vsnprintf(r->error, sizeof(r->error), fmt, ap);
		va_end(ap);
	}
	r->exit = r->exit ? r->exit : RUN_BROKEN;
	return r->exit;
}

void recorder_begin(struct recorder *r, uint64_t number,
		    const struct test_case *c)
{
	r->number = number;
	r->current = *c;
	r->current.program = &r->program;
	if (c->program)
		prog_copy(&r->program, c->program);
	else
		prog_init(&r->program);
	r->begun = 0;
	r->returned = 0;
	kernel_log_forget(&r->kernel);
	r->began_us = now_us();
	recorder_tick(r);
}

void recorder_before(struct recorder *r, int index, const struct bound *b)
{
	if (index < 0 || index >= PROG_MAX_CALLS)
		return;
	for (int left_out = r->begun; left_out < index; left_out++)
		r->call[left_out].bound.verb = VERB_NR;
	r->call[index].bound = *b;
	r->begun = index + 1;
}

void recorder_after(struct recorder *r, int index, const struct outcome *o)
{
	if (index < 0 || index >= PROG_MAX_CALLS)
		return;
	r->call[index].outcome = *o;
	r->returned = index + 1;
}

static void before_call(void *arg, int index, const struct bound *b)
{
	recorder_before(arg, index, b);
}

static void after_call(void *arg, int index, const struct bound *b,
		       const struct outcome *o)
{
	(void)b;
	recorder_after(arg, index, o);
}

struct judge_trace recorder_trace(struct recorder *r)
{
	return (struct judge_trace){before_call, after_call, r};
}

void recorder_tick(struct recorder *r)
{
	atomic_fetch_add_explicit(&r->progress, 1, memory_order_relaxed);
}
