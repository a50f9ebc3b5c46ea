// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Generates the cases in which one thread destroys an object, while another one
 * sends a command about it, or destroys it, too.
 */
#include <string.h>
#include "cases/commands/commands.h"

struct meanwhile {
	const char *subject; /* whose command is sent */
	enum verb destroy;
};

static void put_case(struct gen *g, const struct subject *s, enum verb destroy)
{
	enum claim claim = gen_needs(g, CLAIM_COMMANDS, s->claim);
	uint8_t on;

	if (!gen_id(g, "%s/destroyed-meanwhile", s->name) ||
	    !gen_says_rule(g, ROW_COMMAND_GONE, claim, "The command of ibv_%s",
			   verb_info(s->verb)->name))
		return;
	on = s->prepare(g);
	command_change(g, CHANGE_KEEP);
	s->call(g, s, on);
	gen_call(g, V_changed_command, NO_OBJ);
	command_change(g, CHANGE_MEANWHILE);
	gen_call(g, destroy, on);
	gen_call(g, V_changed_command, NO_OBJ);
	gen_done(g);
}

static void put_twice(struct gen *g, const struct subject *s)
{
	enum claim claim = gen_needs(g, CLAIM_COMMANDS, s->claim);
	uint8_t on;

	if (!gen_id(g, "%s/destroyed-twice", s->name) ||
	    !gen_says_rule(g, ROW_COMMAND_TWICE, claim,
			   "Two commands of ibv_%s at once",
			   verb_info(s->verb)->name))
		return;
	on = s->prepare(g);
	command_change(g, CHANGE_TWICE);
	s->call(g, s, on);
	gen_call(g, V_changed_command, NO_OBJ);
	gen_done(g);
}

void gen_meanwhile(struct gen *g)
{
	static const struct meanwhile all[] = {
		{"query_qp", V_destroy_qp},   {"modify_qp", V_destroy_qp},
		{"query_srq", V_destroy_srq}, {"modify_srq", V_destroy_srq},
		{"modify_cq", V_destroy_cq},  {"modify_wq", V_destroy_wq},
	};
	size_t n;
	const struct subject *subjects = command_subjects(&n);

	for (size_t i = 0; i < COUNT(all); i++)
		for (size_t k = 0; k < n; k++)
			if (!strcmp(subjects[k].name, all[i].subject))
				put_case(g, &subjects[k], all[i].destroy);
	for (size_t k = 0; k < n; k++)
		if (verb_destroys(subjects[k].verb))
			put_twice(g, &subjects[k]);
}
