/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs one case at a time. The call under way is in the recorder, which
 * outlives the worker.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "run/worker.h"
#include "supervise/child.h"

static int gave_up(struct recorder *r, int ret)
{
	r->exit = run_exit_of_open_error(ret);
	return CHILD_GAVE_UP;
}

static void hear_peer(void *arg, const char *line, bool early)
{
	struct recorder *r = arg;

	if (early && r->has_others) /* they have heard it */
		return;
	kernel_log_hear_peer(&r->kernel, line, early);
}

int worker_open(struct worker *w, struct recorder *r, const char *target,
		const struct target_options *o)
{
	int ret =
		target_open(target, o, &w->target, r->error, sizeof(r->error));

	w->recorder = r;
	w->judge = NULL;
	memset(w->tried, 0, sizeof(w->tried));
	if (ret)
		return gave_up(r, ret);
	if (!target_is_model(target)) /* a model never waits */
		w->target->patience = &r->patience;
	w->target->hear = hear_peer;
	w->target->hear_arg = r;
	w->judge = judge_new(&w->target->info);
	if (w->judge)
		return CHILD_DONE;
	snprintf(r->error, sizeof(r->error), "no memory for a judge");
	w->target->ops->close(w->target);
	return gave_up(r, -ENOMEM);
}

void worker_close(struct worker *w)
{
	judge_free(w->judge);
	w->target->ops->close(w->target);
}

void worker_run_case(struct worker *w)
{
	struct recorder *r = w->recorder;
	const struct judge_trace trace = recorder_trace(r);
	const uint64_t before = processor_us();

	r->judged =
		(struct judgement){.verdict = VERDICT_UNSUPPORTED, .call = -1};
	kernel_log_begin(&r->kernel);
	if (r->has_others) /* they ran while this worker had nothing to do */
		kernel_log_forget(&r->kernel);
	judge_program(w->target, w->judge, &r->program, &trace, &r->judged);
	if (r->judged.claim != CLAIM_NONE)
		r->current.claim = r->judged.claim;
	worker_find_whose(w);
	child_hear_kernel(r, &r->judged);
	snprintf(r->broken, sizeof(r->broken), "%s", w->target->broken);
	r->processor_us = processor_us() - before;
}
