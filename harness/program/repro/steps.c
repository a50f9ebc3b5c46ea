// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints calls that are functions of parts/: the calls of repro/steps.def, and
 * a few calls of another form.
 */
#include "program/repro/repro.h"

static const struct step {
	const char *name, *type, *outputs;
	unsigned int nfields;
	enum field field[4];
} steps[VERB_NR] = {
#define STEP(verb, name, type, outputs, n, ...)                                \
	[V_##verb] = {name, type, outputs, n, {__VA_ARGS__}},
#include "program/repro/steps.def"
};

/* Returns the C text of a setting that a call does not have. */
static const char *unset_text(enum field f)
{
	if (field_info(f)->kind == FK_OBJ)
		return "NULL";
	return field_default(f) ? "1" : "0";
}

/* Adds each setting behind a comma. */
static void add_settings(struct exporter *x, struct text *t,
			 const struct call *c, unsigned int n,
			 const enum field *fields)
{
	for (unsigned int i = 0; i < n; i++) {
		text_add(t, ", ");
		c_setting(x, t, c, fields[i], unset_text(fields[i]));
	}
}

bool export_step(struct exporter *x, const struct call *c)
{
	const struct step *step = &steps[c->verb];
	char call[C_TEXT_LEN], declare[64] = "";
	struct text t;

	if (!step->name)
		return false;
	text_init(&t, call, sizeof(call));
	text_add(&t, "%s(%s", step->name, c_on(x, c));
	add_settings(x, &t, c, step->nfields, step->field);
	if (step->type) {
		text_add(&t, ", &%s", step->outputs);
		snprintf(declare, sizeof(declare), "%s %s;", step->type,
			 step->outputs);
	}
	text_add(&t, ")");
	export_block(x, c, declare, call, RET_INT,
		     step->outputs ? step->outputs : c_object(x, c->on));
	return true;
}

void export_destroy_waits(struct exporter *x, const struct call *c)
{
	const char *on = c_object(x, c->on);
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	text_add(&t, "destroy_waits(%s, %s, %s, ",
		 c->verb == V_destroy_cq_waits ? on : "NULL",
		 c->verb == V_destroy_srq_waits ? on : "NULL",
		 c->verb == V_destroy_qp_waits ? on : "NULL");
	c_setting(x, &t, c, F_wait_ack_after, "0");
	text_add(&t, ")");
	export_block(x, c, "", call, RET_INT, "waits");
}

void export_post_and_poll(struct exporter *x, const struct call *c)
{
	fputs("\t{\n\t\tstruct race race = {\n", x->out);
	put_line(x, 3, ".qp = %s,", c_object(x, c->on));
	export_settings(x, c, 3);
	fputs("\t\t};\n\t\tstruct raced_args raced;\n\t\tint ret;\n\n", x->out);
	put_line(x, 2, "memset(&raced, 0xa5, sizeof(raced));");
	put_line(x, 2, "errno = ERRNO_POISON;");
	put_line(x, 2, "ret = post_and_poll(&race, &raced);");
	export_result(x, c, 2, RET_INT, "ret", "raced");
	fputs("\t}\n", x->out);
}

void export_join(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN], declare[C_TEXT_LEN];
	struct text t;

	text_init(&t, declare, sizeof(declare));
	text_add(&t, "struct ibv_ah_attr joined; union ibv_gid group = ");
	c_setting(x, &t, c, F_join_gid, "{ .raw = { 0 } }");
	text_add(&t, ";");
	text_init(&t, call, sizeof(call));
	text_add(&t, "join_mcast(%s, &group, ", c_on(x, c));
	c_setting(x, &t, c, F_join_send_only, "0");
	text_add(&t, ", ");
	c_setting(x, &t, c, F_join_timeout, "0");
	text_add(&t, ", &joined)");
	export_block(x, c, declare, call, RET_INT, "joined");
}

void export_compute(struct exporter *x, const struct call *c)
{
	static const enum field more[] = {F_compute_value, F_compute_caps,
					  F_compute_count};
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	text_add(&t, "compute_all(");
	c_setting(x, &t, c, F_compute_function, "COMPUTE_EVENT_TYPE_STR");
	add_settings(x, &t, c, COUNT(more), more);
	text_add(&t, ", &computed)");
	export_block(x, c, "struct computed_args computed;", call, RET_INT,
		     "computed");
}

/* Returns the setting that names an object whose handle is the value, or NULL.
 */
static const struct setting *object_of(const struct exporter *x,
				       const struct call *c)
{
	for (int i = 0; i < c->nset; i++) {
		const struct setting *s = &x->p->setting[c->first + i];

		if (s->field == F_change_pd || s->field == F_change_cq ||
		    s->field == F_change_srq)
			return s;
	}
	return NULL;
}

void export_change(struct exporter *x, const struct call *c)
{
	static const enum field places[] = {F_change_attr, F_change_offset};
	const struct setting *object = object_of(x, c);
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	text_add(&t, "change_command(");
	c_setting(x, &t, c, F_change_how, "CHANGE_REQUEST");
	add_settings(x, &t, c, COUNT(places), places);
	text_add(&t, ", ");
	if (object)
		text_add(&t, "%s->handle", c_object(x, object->value.ref));
	else
		c_setting(x, &t, c, F_change_value, "0");
	text_add(&t, ")");
	export_block(x, c, "", call, RET_INT, "");
}

void export_changed(struct exporter *x, const struct call *c)
{
	export_block(x, c, "struct changed_args changed;",
		     "changed_command(&changed)", RET_INT, "changed");
}

void export_link(struct exporter *x, const struct call *c)
{
	const struct link_args in = {
		.action = (uint32_t)literal_of(x->p, c, F_link_action),
		.amount = (uint32_t)literal_of(x->p, c, F_link_amount),
	};
	char words[32], call[80];

	link_words(&in, words, sizeof(words));
	snprintf(call, sizeof(call), "link_run(link_command, \"%s\")", words);
	export_block(x, c, "", call, RET_INT, "");
}
