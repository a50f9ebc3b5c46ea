/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Ends a run: appends the finish event with the sums to its journal, writes the
 * report files, and prints a form on standard output.
 */
#include <errno.h>
#include <stdio.h>
#include "reports/reports.h"

static int add_finish(const struct report *r, char *err, size_t errlen)
{
	struct journal j = {.fd = -1};
	int ret = journal_append(&j, r->dir, err, errlen);

	if (!ret && journal_add(&j, report_finish_event(r))) {
		snprintf(err, errlen, "%s: no memory", r->dir);
		ret = -ENOMEM;
	}
	if (!ret)
		ret = journal_flush(&j, true, err, errlen);
	journal_close(&j);
	return ret;
}

int report_finish(const char *dir, bool finished, const struct report_form *f,
		  int *status, char *err, size_t errlen)
{
	struct report r;
	int ret = report_open(&r, dir, err, errlen);

	if (ret)
		return ret;
	*status = report_status(&r);
	if (finished)
		ret = add_finish(&r, err, errlen);
	if (!ret)
		ret = report_files(&r, err, errlen);
	r.written = !ret;
	if (report_show(&r, f->form, f->verbose, err, errlen))
		ret = -EIO;
	report_close(&r);
	return ret;
}
