// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Generates the cases in which one thread destroys an object, while another one
 * sends a command about it, makes something of it, or destroys it, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cases/commands/commands.h"

struct meanwhile {
	const char *subject; /* whose command is sent */
	enum verb destroy;
};

/* An object of which the subject's command makes another one */
struct parent {
	const char *subject, *name;
	enum verb destroy;
	uint16_t attr;		/* with its handle, or 0 */
	enum verb destroy_made; /* unless there is such an attribute */
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

/* Keeps the command of the call, not one that the library sends before it. */
static void keep(struct gen *g, const struct subject *s)
{
	command_change(g, CHANGE_KEEP);
	if (s->legacy)
		prog_num(g->p, F_change_value,
			 legacy_spec_named(s->legacy)->id);
}

static void put_case(struct gen *g, const struct subject *s, enum verb destroy)
{
	uint8_t on;

	if (!begin(g, s, "destroyed-meanwhile", ROW_COMMAND_GONE,
		   "The command"))
		return;
	on = s->prepare(g);
	keep(g, s);
	s->call(g, s, on);
	gen_call(g, V_changed_command, NO_OBJ);
	command_change(g, CHANGE_MEANWHILE);
	gen_call(g, destroy, on);
	gen_call(g, V_changed_command, NO_OBJ);
	gen_done(g);
}

/* Makes an object that only the kept command is about. */
static uint8_t make_other(struct gen *g, enum verb destroy)
{
	switch (destroy) {
	case V_dealloc_pd:
		return gen_pd(g);
	case V_destroy_cq:
		return gen_cq(g);
	default:
		return gen_srq(g, g->pd);
	}
}

static void name_other(struct gen *g, enum verb destroy, uint8_t other)
{
	enum field f = F_change_srq;

	if (destroy == V_dealloc_pd)
		f = F_change_pd;
	else if (destroy == V_destroy_cq)
		f = F_change_cq;
	prog_obj(g->p, f, other);
}

/* Keeps the command with the handle of another object. The library's own object
 * stays, with the memory that it has given to the driver. */
static uint8_t keep_with_other(struct gen *g, const struct subject *s,
			       const struct parent *parent)
{
	uint8_t on = s->prepare(g);
	uint8_t other = make_other(g, parent->destroy);

	command_change(g, CHANGE_KEEP_HANDLE);
	prog_num(g->p, F_change_attr, parent->attr);
	name_other(g, parent->destroy, other);
	s->call(g, s, on);
	gen_call(g, V_changed_command, NO_OBJ);
	return other;
}

/* Keeps the command as it is. The library's own object goes first, since it
 * keeps its parent; it has given no memory to the driver. */
static uint8_t keep_as_it_is(struct gen *g, const struct subject *s,
			     const struct parent *parent)
{
	uint8_t on = s->prepare(g), made;

	keep(g, s);
	s->call(g, s, on);
	made = g->p->call[g->p->ncalls - 1].result;
	gen_call(g, V_changed_command, NO_OBJ);
	gen_call(g, parent->destroy_made, made);
	return on;
}

static void put_parent(struct gen *g, const struct subject *s,
		       const struct parent *parent)
{
	char name[64];
	uint8_t on;

	snprintf(name, sizeof(name), "%s-destroyed-meanwhile", parent->name);
	if (!begin(g, s, name, ROW_COMMAND_GONE, "The command"))
		return;
	on = parent->attr ? keep_with_other(g, s, parent)
			  : keep_as_it_is(g, s, parent);
	command_change(g, CHANGE_MEANWHILE);
	gen_call(g, parent->destroy, on);
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

static const struct subject *subject_named(const char *name)
{
	size_t n;
	const struct subject *subjects = command_subjects(&n);

	while (n--)
		if (!strcmp(subjects[n].name, name))
			return &subjects[n];
	abort();
}

void gen_meanwhile(struct gen *g)
{
	static const struct meanwhile all[] = {
		{"query_qp", V_destroy_qp},   {"modify_qp", V_destroy_qp},
		{"query_srq", V_destroy_srq}, {"modify_srq", V_destroy_srq},
		{"modify_cq", V_destroy_cq},  {"modify_wq", V_destroy_wq},
	};
	static const struct parent parents[] = {
		{"reg_mr", "pd", V_dealloc_pd, 0, V_dereg_mr},
		{"alloc_mw", "pd", V_dealloc_pd, 0, V_dealloc_mw},
		{"create_ah", "pd", V_dealloc_pd, 0, V_destroy_ah},
		{"create_rwq_ind_table", "wq", V_destroy_wq, 0,
		 V_destroy_rwq_ind_table},
		{"create_flow", "qp", V_destroy_qp, 0, V_destroy_flow},
		{"create_srq", "pd", V_dealloc_pd,
		 UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, VERB_NR},
		{"create_wq", "pd", V_dealloc_pd,
		 UVERBS_ATTR_CREATE_WQ_PD_HANDLE, VERB_NR},
		{"create_wq", "cq", V_destroy_cq,
		 UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, VERB_NR},
		{"create_qp", "pd", V_dealloc_pd,
		 UVERBS_ATTR_CREATE_QP_PD_HANDLE, VERB_NR},
		{"create_qp", "send-cq", V_destroy_cq,
		 UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, VERB_NR},
		{"create_qp", "recv-cq", V_destroy_cq,
		 UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, VERB_NR},
		{"create_qp-ud", "pd", V_dealloc_pd,
		 UVERBS_ATTR_CREATE_QP_PD_HANDLE, VERB_NR},
		{"create_qp-ud", "send-cq", V_destroy_cq,
		 UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, VERB_NR},
		{"create_qp-srq", "srq", V_destroy_srq,
		 UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, VERB_NR},
	};
	size_t n;
	const struct subject *subjects = command_subjects(&n);

	for (size_t i = 0; i < COUNT(all); i++)
		put_case(g, subject_named(all[i].subject), all[i].destroy);
	for (size_t i = 0; i < COUNT(parents); i++)
		put_parent(g, subject_named(parents[i].subject), &parents[i]);
	for (size_t k = 0; k < n; k++)
		if (verb_destroys(subjects[k].verb))
			put_twice(g, &subjects[k]);
}
