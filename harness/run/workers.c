/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides what surrounds the cases of a target: the kernel log is read on live
 * targets only, the link is healed, and a failure while the device closes gets
 * a case.
 */
#include "run/workers.h"
#include "supervise/child.h"

/* A crash, a hang and a report of the kernel while the device closes belong to
 * no case of the generators. They get the case CLOSE_ID. */
static int end_closing(struct work *work, struct recorder *r)
{
	struct judgement judged = work->closing;
	const struct test_case closing = {
		.id = CLOSE_ID,
		.sentence = "When the device is closed after the last case, "
			    "the call returns, and the kernel has nothing to "
			    "report.",
	};

	recorder_begin(r, NO_NUMBER, &closing);
	child_hear_kernel(r, &judged);
	if (judged.verdict == VERDICT_PASS)
		return 0;
	work->writer->recorder = r;
	work->writer->beside = NULL;
	if (case_end_write(work->writer, &judged, r->error, sizeof(r->error)) ||
	    journal_flush(work->writer->journal, false, r->error,
			  sizeof(r->error)))
		return recorder_broken(r, "%s", "");
	return 0;
}

int workers_run(struct watch *w, struct work *work)
{
	struct recorder *r = w->recorder;
	const int log = r->kernel.fd;
	int ret;

	if (!r->live)
		r->kernel.fd = -1; /* the model has no kernel */
	ret = schedule_run(w, work);
	/* A worker that died may have left the link cut. */
	if (r->live && target_heal_link(work->options->target.link))
		ret = recorder_broken(r, "--link: the link cannot be healed");
	if (!ret && work->so_far.done)
		ret = end_closing(work, r);
	r->kernel.fd = log;
	return ret;
}
