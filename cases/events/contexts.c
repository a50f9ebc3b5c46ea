/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asynchronous events of a device that a process has opened twice: an event
 * comes to the context of its object, and to no other one.
 */
#include "cases/events/completion.h"

enum cause { LIMIT, LAST_WQE, DRAINED, CAUSES };

static const struct {
	const char *name;
	enum row row;
	const char *what;
	uint32_t ms; /* to wait for the event */
} causes[CAUSES] = {
	[LIMIT] = {"srq-limit", ROW_SRQ_LIMIT_EVENT,
		   "Receives drop below the SRQ limit", POST_WAIT},
	[LAST_WQE] = {"last-wqe", ROW_LAST_WQE,
		      "A queue pair with an SRQ enters ERR", POST_MAYBE},
	[DRAINED] = {"sq-drained", ROW_SQD_EVENT_ASKED,
		     "A send queue is drained", POST_WAIT},
};

/* The contexts whose objects raise an event. The second one is opened later. */
static const struct owners {
	const char *name;
	bool has[2];
	const char *what;
} owners[] = {
	{"of-first", {true, false}, "of the first of two contexts"},
	{"of-second", {false, true}, "of the second of two contexts"},
	{"of-each", {true, true}, "of each of two contexts"},
};

static void raise_event(struct gen *g, enum qp_kind kind, enum cause cause)
{
	struct post p;

	if (cause == DRAINED) {
		event_draining(g, kind);
		return;
	}
	p = event_srq_pair(g, kind, 3);
	if (cause == LIMIT)
		gen_srq_limit(g, p.srq, 3);
	event_take(&p, 1);
	if (cause == LAST_WQE)
		post_to_err(&p, p.b, IBV_QPS_RTS);
}

static bool says(struct gen *g, enum qp_kind kind, enum cause cause,
		 const struct owners *of)
{
	enum claim claim = cause == DRAINED
				   ? post_claim(g, kind, IBV_QPS_SQD, NULL)
				   : post_claim_behind(g, CLAIM_SRQ, kind);

	return gen_id(g, "contexts/%s/%s", causes[cause].name, of->name) &&
	       gen_says_rule(g, causes[cause].row, claim, "%s, %s %s",
			     causes[cause].what, qp_kind_name(kind), of->what);
}

static void of_contexts(struct gen *g, enum qp_kind kind, enum cause cause,
			const struct owners *of)
{
	uint8_t ctx[2] = {NO_OBJ, NO_OBJ};

	if (!says(g, kind, cause, of))
		return;
	ctx[1] = gen_make(g, V_open_device, NO_OBJ);
	for (int i = 0; i < 2; i++) {
		g->ctx = ctx[i];
		if (of->has[i])
			raise_event(g, kind, cause);
	}
	g->ctx = NO_OBJ;
	for (int i = 0; i < 2; i++)
		if (!of->has[i])
			gen_async_event(g, ctx[i], POST_QUIET);
	for (int i = 2; i-- > 0;)
		if (of->has[i])
			gen_async_event(g, ctx[i], causes[cause].ms);
	for (int i = 0; i < 2; i++)
		gen_async_event(g, ctx[i], POST_QUIET);
	gen_done(g);
}

void gen_events_contexts(struct gen *g, enum qp_kind kind)
{
	for (enum cause cause = LIMIT; cause < CAUSES; cause++) {
		if (cause == DRAINED ? kind_is_vendors(kind) : kind == QK_UC)
			continue;
		if (cause == LAST_WQE && kind_receiver(kind) != kind)
			continue;
		for (size_t i = 0; i < COUNT(owners); i++)
			of_contexts(g, kind, cause, &owners[i]);
	}
}
