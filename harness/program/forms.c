/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The table of forms.
 */
#include <string.h>
#include "program/forms.h"

const struct form forms[] = {
	{"c", NULL, prog_export_c},
	{"kselftest", in_tree_can, prog_export_kselftest},
	{"ltp", in_tree_can, prog_export_ltp},
	{"pyverbs", pyverbs_can, prog_export_pyverbs},
	{"text", NULL, prog_export_text},
	{NULL, NULL, NULL},
};

const struct form *form_by_name(const char *name)
{
	for (const struct form *f = forms; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

bool form_refuses(const struct program *p, const struct call *c,
		  const char *why, const char *use, char *err, size_t errlen)
{
	char call[200];

	call_print(p, c, call, sizeof(call));
	snprintf(err, errlen, "call %u, \"%s\": %s; use --as %s",
		 (unsigned int)(c - p->call) + 1, call, why, use);
	return false;
}
