/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides whether a device can be opened. A driver that crashes or hangs here
 * ends the probe, and ibvet says how.
 */
#include <stdio.h>
#include "supervise/child.h"
#include "supervise/probe.h"

struct probing {
	struct recorder *recorder;
	const struct probe *probe;
};

int probe_here(struct recorder *r, const struct probe *p)
{
	struct target *t;
	int ret = target_open(p->device, p->options, &t, r->error,
			      sizeof(r->error));

	if (ret) {
		r->exit = run_exit_of_open_error(ret);
		return CHILD_GAVE_UP;
	}
	r->live = t->live;
	r->kind = t->ops->kind;
	device_copy(&r->info, &r->second, &t->info);
	ret = p->look ? p->look(t, p->arg) : CHILD_DONE;
	t->ops->close(t);
	return ret;
}

static int probe(void *arg)
{
	const struct probing *p = arg;

	return probe_here(p->recorder, p->probe);
}

static int cannot_be_opened(struct watch *w, const char *device,
			    enum watch_end end)
{
	struct recorder *r = w->recorder;
	char how[CHILD_END_LEN], says[KERNEL_LINE + 64];

	child_describe(w, end, how, sizeof(how));
	kernel_log_read(&r->kernel);
	kernel_log_says(&r->kernel, says, sizeof(says));
	snprintf(r->error, sizeof(r->error), "%s: cannot be opened: %s%s%s",
		 device, how, says[0] ? "; " : "", says);
	r->exit = RUN_BROKEN;
	return RUN_BROKEN;
}

int probe_device(struct watch *w, const struct probe *p)
{
	struct watch patient = *w;
	struct recorder *r = w->recorder;
	struct probing probing = {r, p};
	enum watch_end end;

	kernel_log_forget(&r->kernel);
	if (patient.timeout_ms < WATCH_OPEN_MS)
		patient.timeout_ms = WATCH_OPEN_MS;
	patient.tick = NULL;
	end = child_run(&patient, probe, &probing);
	w->interrupted = patient.interrupted;
	switch (end) {
	case WATCH_DONE:
		return 0;
	case WATCH_GAVE_UP:
		return r->exit ? r->exit : RUN_BROKEN;
	default:
		return cannot_be_opened(&patient, p->device, end);
	}
}
