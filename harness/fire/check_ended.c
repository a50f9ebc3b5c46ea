// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What was dropped stays dropped: once a poll after RESET, or after the end of
 * the queue pair, found the completion queue empty, no request from before
 * completes.
 */
#include "fire/checks.h"

typedef bool (*ends_fn)(const struct fire_record *r, uint16_t qp);

static bool resets(const struct fire_record *r, uint16_t qp)
{
	return fire_moves(r, qp, IBV_QPS_RESET);
}

/* Returns true if the completion is of a request from before the call `end`. A
 * receive of an SRQ belongs to the queue pair that took it, which was before
 * unless the queue pair has come up again. */
static bool is_from_before(const struct fire_view *v,
			   const struct fire_completion *c,
			   const struct fire_record *end)
{
	if (c->of->shared)
		return !fire_leaves(v, c->wc->qp, IBV_QPS_RESET, end, c->poll);
	return fire_before(c->of->post, end);
}

static bool comes_back(const struct fire_view *v,
		       const struct fire_completion *c, ends_fn ends,
		       enum row row, struct fire_said *said)
{
	uint16_t qp = c->of->shared ? c->wc->qp : c->of->queue;
	char name[FIRE_NAME_LEN];

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (!r->end || !ends(r, qp) || !is_from_before(v, c, r) ||
		    !fire_saw_empty(v, c->poll->b.on, r, c->poll))
			continue;
		return fire_say(said, row, "no completion",
				"wr_id %llu completes after %s, and after a "
				"poll of the empty queue",
				(unsigned long long)c->wc->wr_id,
				fire_name(v, r, name));
	}
	return false;
}

static bool check(const struct fire_view *v, ends_fn ends, enum row row,
		  struct fire_said *said)
{
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->of && comes_back(v, c, ends, row, said))
			return true;
	}
	return false;
}

bool fire_check_reset(const struct fire_view *v, struct fire_said *said)
{
	return check(v, resets, ROW_FIRE_RESET, said);
}

bool fire_check_destroy(const struct fire_view *v, struct fire_said *said)
{
	return check(v, fire_destroys, ROW_FIRE_DESTROY, said);
}
