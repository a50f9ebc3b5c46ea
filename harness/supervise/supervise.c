/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Starts the next worker while there is work, unless child_may_follow() gives
 * up.
 */
#include "supervise/supervise.h"

/* The kernel reports later that this process is blocked. That report belongs
 * to no later case. */
static void leave_behind(struct supervisor *s)
{
	kernel_log_read(&s->watch->recorder->kernel);
	kernel_log_leave(s->watch->pid);
	s->losses.stuck++;
}

static int run_worker(struct supervisor *s)
{
	uint64_t before = s->ops->progress ? s->ops->progress(s->arg) : 0;
	enum watch_end end = child_run(s->watch, s->ops->work, s->arg);
	char how[CHILD_END_LEN];
	int ret;

	/* ended() may run other processes under the same watch. */
	child_describe(s->watch, end, how, sizeof(how));
	if (end == WATCH_STUCK)
		leave_behind(s);
	ret = s->ops->ended(s->arg, end);
	if (ret || end == WATCH_DONE || s->watch->at_once)
		return ret;
	if (end == WATCH_GAVE_UP)
		return recorder_broken(s->watch->recorder,
				       "the worker gave up");
	return child_may_follow(s->watch->recorder, &s->losses, how,
				!s->ops->progress ||
					s->ops->progress(s->arg) != before);
}

int supervise(struct supervisor *s)
{
	int ret = 0;

	while (!ret && !s->watch->interrupted && s->ops->has_work(s->arg))
		ret = run_worker(s);
	return ret;
}
