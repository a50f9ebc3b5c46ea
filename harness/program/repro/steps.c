// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A call of repro/steps.def in an exported C file.
 */
#include "program/repro/repro.h"

#define PART_NONE PART_NR

static const struct step {
	const char *name, *outputs;
	enum part part;
	unsigned int nfields;
	enum field field[3];
} steps[VERB_NR] = {
#define STEP(verb, name, outputs, part, n, ...)                                \
	[V_##verb] = {name, outputs, PART_##part, n, {__VA_ARGS__}},
#include "program/repro/steps.def"
};

bool export_step(struct exporter *x, const struct call *c)
{
	const struct step *step = &steps[c->verb];
	char call[C_TEXT_LEN];
	struct text t;

	if (!step->name)
		return false;
	if (step->part != PART_NONE)
		need(x, step->part);
	text_init(&t, call, sizeof(call));
	text_add(&t, "%s(%s", step->name, c_on(x, c));
	for (unsigned int i = 0; i < step->nfields; i++) {
		enum field f = step->field[i];

		text_add(&t, ", ");
		c_setting(x, &t, c, f,
			  field_info(f)->kind == FK_OBJ ? "NULL" : "0");
	}
	text_add(&t, ")");
	export_block(x, c, "", call, "gave_int",
		     step->outputs ? step->outputs : c_object(x, c->on));
	return true;
}
