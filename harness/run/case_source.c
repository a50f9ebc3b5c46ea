/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The cases of a run: generated ones, or program files, each of which is one
 * case.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run/run.h"

/* "replay/NAME" of "path/NAME.ibv" */
static void name_case(struct test_case *c, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	size_t len = dot && dot > name ? (size_t)(dot - name) : strlen(name);

	if (len > sizeof(c->id) - sizeof("replay/"))
		len = sizeof(c->id) - sizeof("replay/");
	snprintf(c->id, sizeof(c->id), "replay/%.*s", (int)len, name);
}

static int each_program(const struct run_options *o,
			bool (*fn)(const struct test_case *c, void *arg),
			void *arg, char *err, size_t errlen)
{
	struct test_case c = {.row = ROW_NONE, .claim = CLAIM_NONE};
	bool go_on = true;
	int ret = 0;

	c.program = calloc(1, sizeof(*c.program));
	if (!c.program) {
		snprintf(err, errlen, "no memory for a program");
		return -ENOMEM;
	}
	for (int i = 0; i < o->nprograms && go_on && !ret; i++) {
		ret = prog_load(c.program, o->programs[i], err, errlen);
		if (ret)
			break;
		name_case(&c, o->programs[i]);
		snprintf(c.sentence, sizeof(c.sentence), "%s",
			 c.program->about);
		go_on = fn(&c, arg);
	}
	free(c.program);
	return ret;
}

int run_cases(const struct run_options *o, const struct device_info *info,
	      bool ids_only, bool (*fn)(const struct test_case *c, void *arg),
	      void *arg, char *err, size_t errlen)
{
	struct selection selection = o->selection;
	int ret;

	if (o->nprograms)
		return each_program(o, fn, arg, err, errlen);
	selection.ids_only = ids_only;
	selection.fair = !ids_only; /* counting needs no order */
	ret = cases_each(info, &selection, fn, arg);
	if (ret && !err[0])
		snprintf(err, errlen, "cannot generate the cases: %s",
			 strerror(-ret));
	return ret;
}
