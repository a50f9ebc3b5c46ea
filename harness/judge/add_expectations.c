/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the required outcome of each call into a program, so that a reproducer
 * needs no oracle.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "judge/judge.h"

static void expect_field(struct program *p, enum field f,
			 const union outputs *want)
{
	const struct field_info *info = field_info(f);
	union ibv_gid gid;

	if (info->kind == FK_GID) {
		memcpy(&gid, (const char *)want + info->offset, sizeof(gid));
		prog_gid(p, f, &gid);
		return;
	}
	if (info->kind == FK_OBJ)
		prog_obj(p, f, (uint8_t)field_get(f, want));
	else
		prog_num(p, f, field_get(f, want));
}

void program_cut_to_deviation(struct program *p, const struct judgement *j)
{
	struct call *c;

	if (j->call < 0 || j->call >= p->ncalls ||
	    j->verdict != VERDICT_DEVIATES)
		return;
	c = &p->call[j->call];
	if (c->expects)
		return;
	p->ncalls = (uint16_t)(j->call + 1);
	p->nsettings = (uint16_t)(c->first + c->nset);
	prog_expect(p, j->expect_err);
	if (j->expect_field != FIELD_NR)
		expect_field(p, j->expect_field, &j->expect_out);
}

/* Returns true if the row permits only one errno or only acceptance. */
static bool permits_one_errno(enum row row)
{
	if (row == ROW_NONE)
		return false;
	for (int i = 1; i < rule_nouts(row); i++)
		if (out_errno(rule(row)->out[i]) !=
		    out_errno(rule(row)->out[0]))
			return false;
	return true;
}

static bool expect_call(struct model *m, const struct program *p,
			struct call *c, const struct device_info *info,
			struct prog_results *r)
{
	struct answer a;
	struct bound b;
	char err[256];

	if (results_idle(r, c))
		return true;
	if (prog_bind(p, c, info, r, &b, err, sizeof(err)))
		return false;
	model_call(m, &b, NULL, NULL, &a);
	results_remember(r, &b, &a.outcome);
	if (c->expects || !permits_one_errno(a.row))
		return true;
	c->expects = true;
	c->expect_err = (int16_t)outcome_error(b.verb, &a.outcome);
	return true;
}

int program_add_expectations(struct program *p, const struct device_info *info)
{
	struct prog_results *r = calloc(1, sizeof(*r));
	struct model *m = calloc(1, model_size(PROG_MAX_OBJECTS));

	if (r && m) {
		model_init(m, PROG_MAX_OBJECTS, info, NULL);
		for (int i = 0; i < p->ncalls; i++)
			if (!expect_call(m, p, &p->call[i], info, r))
				break;
	}
	free(m);
	free(r);
	return r && m ? 0 : -ENOMEM;
}
