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

/* Begins the case of a rule about the subject's command. Returns false if it is
 * not wanted. */
static bool begin(struct gen *g, const struct subject *s, const char *name,
		  enum row row, const char *what)
{
	enum claim claim = gen_needs(g, CLAIM_COMMANDS, s->claim);

	return gen_id(g, "%s/%s", s->name, name) &&
	       gen_says_rule(g, row, claim, "%s of ibv_%s", what,
			     verb_info(s->verb)->name);
}

static void put_case(struct gen *g, const struct subject *s, enum verb destroy)
{
	uint8_t on;

	if (!begin(g, s, "destroyed-meanwhile", ROW_COMMAND_GONE,
		   "The command"))
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
	uint8_t on;

	if (!begin(g, s, "destroyed-twice", ROW_COMMAND_TWICE,
		   "Two simultaneous commands"))
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
