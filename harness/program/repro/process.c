// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints the end of the second device's process. In a C file that process goes
 * on, so it destroys what it has made, as its kernel would do, queue pairs
 * first. A process that is stopped differs in no call.
 */
#include "program/repro/repro.h"

static const struct {
	enum object_kind kind;
	const char *drop;
} drops[] = {
	{OBJ_QP, "destroy_qp"},
	{OBJ_AH, "destroy_ah"},
	{OBJ_SRQ, "destroy_srq"},
	{OBJ_CQ, "destroy_cq"},
	{OBJ_CHANNEL, "destroy_comp_channel"},
	{OBJ_XRCD, "close_xrcd"},
	{OBJ_MW, "dealloc_mw"},
	{OBJ_MR, "dereg_mr"},
	{OBJ_DM, "free_dm"},
	{OBJ_PD, "dealloc_pd"},
	{OBJ_CTX, "close_device"},
};

/* Finds the objects that the second device has before a call. */
static void find_far(const struct program *p, const struct call *until,
		     bool far[NO_OBJ + 1])
{
	for (const struct call *c = p->call; c < until; c++) {
		bool there = far[c->on];

		if (c->verb == V_open_device)
			there = literal_of(p, c, F_open_which) == DEVICE_SECOND;
		if (verb_destroys((enum verb)c->verb))
			far[c->on] = false;
		if (c->result != NO_OBJ)
			far[c->result] = there;
	}
}

void export_process(struct exporter *x, const struct call *c)
{
	bool far[NO_OBJ + 1] = {false};

	put_line(x, 1, "/* %s */", verb_info((enum verb)c->verb)->name);
	if (c->verb == V_stop_process)
		return;
	find_far(x->p, c, far);
	for (size_t i = 0; i < COUNT(drops); i++)
		for (unsigned int slot = 0; slot < x->p->nobjects; slot++)
			if (far[slot] &&
			    x->p->object[slot].kind == drops[i].kind)
				put_line(x, 1, "ibv_%s(%s);", drops[i].drop,
					 c_object(x, slot));
}
