// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tries a fault below the libraries of a virtual device. Each attempt is a
 * process of its own: a library may crash on what it is told, and no state is
 * left to the next attempt. Some libraries deviate by themselves, so a fault
 * counts as found only if the healthy device does not show as much.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "supervise/attempt.h"
#include "mutants/kill_device.h"

#define TIMEOUT_MS 20000
#define UNKNOWN	   VERDICT_NR

struct kill_device {
	struct attempt_options options;
	struct attempts *attempts;
	struct attempt shown;
	enum verdict healthy; /* of the program being tried */
	char err[256];
};

static int look(struct kill_device *d, struct device_info *info, char *err,
		size_t errlen)
{
	struct target *t;
	int ret = target_open(d->options.device, &d->options.target, &t, err,
			      errlen);

	if (ret)
		return ret;
	*info = t->info;
	t->ops->close(t);
	return attempts_open(&d->options, &d->attempts, err, errlen);
}

int kill_device_open(const char *name, struct kill_device **opened,
		     struct device_info *info, char *err, size_t errlen)
{
	struct kill_device *d = calloc(1, sizeof(*d));
	int ret;

	*opened = NULL;
	if (!d) {
		snprintf(err, errlen, "no memory");
		return -ENOMEM;
	}
	d->options = (struct attempt_options){.device = name,
					      .target = {.gid_index = -1},
					      .timeout_ms = TIMEOUT_MS};
	ret = look(d, info, err, errlen);
	if (ret)
		free(d);
	else
		*opened = d;
	return ret;
}

void kill_device_close(struct kill_device *d)
{
	attempts_close(d->attempts);
	free(d);
}

void kill_device_next(struct kill_device *d)
{
	d->healthy = UNKNOWN;
}

/* Orders verdicts from passed to hung. */
static int rank(enum verdict v)
{
	static const enum verdict worse[] = {VERDICT_NON_STRICT,
					     VERDICT_DEVIATES, VERDICT_CRASHED,
					     VERDICT_HUNG};
	int n = 0;

	for (size_t i = 0; i < COUNT(worse); i++)
		if (v == worse[i])
			n = (int)i + 1;
	return n;
}

static enum verdict verdict_on(struct kill_device *d, const struct program *p,
			       const struct mutant *mutant)
{
	target_seed(d->options.device, mutant);
	if (attempts_try(d->attempts, p, &d->shown, d->err, sizeof(d->err)))
		return VERDICT_PASS;
	if (!attempts_stopped(d->attempts))
		return d->shown.judged.verdict;
	snprintf(d->err, sizeof(d->err), "stopped");
	return VERDICT_PASS;
}

enum verdict kill_device_try(struct kill_device *d, const struct program *p,
			     const struct mutant *mutant)
{
	enum verdict v = *d->err ? VERDICT_PASS : verdict_on(d, p, mutant);

	if (!rank(v))
		return VERDICT_PASS;
	if (d->healthy == UNKNOWN)
		d->healthy = verdict_on(d, p, NULL);
	return rank(v) > rank(d->healthy) ? v : VERDICT_PASS;
}

const char *kill_device_error(const struct kill_device *d)
{
	return d->err;
}
