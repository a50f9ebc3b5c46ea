/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints the progress line to standard error, each time over the last one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "run/progress.h"

bool progress_has_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && (!term || strcmp(term, "dumb") != 0);
}

void progress_begin(struct progress *p, const struct work *work)
{
	p->before = work->so_far.ended;
	p->failed_before = work->so_far.failures;
	p->began_us = now_us();
	p->deadline_us = work->deadline_us;
	p->shown = false;
	p->terminal = progress_has_terminal() && isatty(STDOUT_FILENO);
}

void progress_show(struct progress *p)
{
	const struct case_writer *e = p->writer;
	uint64_t now = now_us(), done = e->done, gone = now - p->began_us;

	if (!p->terminal || gone < 300000)
		return;
	fprintf(stderr, "\r\033[K%.40s  %llu of %llu  %llu/s  %llu failed",
		p->name, (unsigned long long)(p->before + done),
		(unsigned long long)p->cases,
		(unsigned long long)(done * 1000000 / gone),
		(unsigned long long)(p->failed_before + e->failures));
	if (p->deadline_us > now)
		fprintf(stderr, "  %llu s left",
			(unsigned long long)((p->deadline_us - now) / 1000000));
	p->shown = true;
}

void progress_clear(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
}
