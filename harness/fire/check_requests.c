// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Each request completes once, in order, and none is lost when its queue pair
 * enters ERR.
 */
#include "fire/checks.h"

static bool is_late(const struct fire_completion *c)
{
	return c->of && fire_before(c->poll, c->of->post);
}

static bool say_stray(const struct fire_view *v,
		      const struct fire_completion *c, const char *what,
		      struct fire_said *said)
{
	char name[FIRE_NAME_LEN], status[FIRE_STATUS_LEN];

	return fire_say(said, ROW_FIRE_ONCE,
			"each completion belongs to one posted request",
			"wr_id %llu, %s: %s (%s)",
			(unsigned long long)c->wc->wr_id,
			fire_status(c, status), what,
			fire_name(v, c->poll, name));
}

bool fire_check_once(const struct fire_view *v, struct fire_said *said)
{
	for (unsigned int i = 0; i < v->ncompletions && !v->overflow; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (!c->posted && !v->log->posts_elsewhere)
			return say_stray(v, c, "no request has this number",
					 said);
		if (!c->of)
			continue;
		if (is_late(c))
			return say_stray(v, c, "it was not posted yet", said);
		if (c->of->completions > 1)
			return say_stray(v, c, "it completed more than once",
					 said);
	}
	return false;
}

static bool say_disorder(const struct fire_view *v,
			 const struct fire_completion *first,
			 const struct fire_completion *second,
			 struct fire_said *said)
{
	char a[FIRE_NAME_LEN], b[FIRE_NAME_LEN];

	return fire_say(said, ROW_FIRE_ORDER,
			"requests of one queue complete in posting order",
			"wr_id %llu (%s) completed before wr_id %llu (%s)",
			(unsigned long long)first->wc->wr_id,
			fire_name(v, first->of->post, a),
			(unsigned long long)second->wc->wr_id,
			fire_name(v, second->of->post, b));
}

bool fire_check_refused_post(const struct fire_view *v, struct fire_said *said)
{
	for (unsigned int i = 0; i < v->ncompletions && !v->overflow; i++) {
		const struct fire_completion *c = &v->completion[i];
		char name[FIRE_NAME_LEN], status[FIRE_STATUS_LEN];

		if (!c->refused)
			continue;
		return fire_say(said, ROW_FIRE_REFUSED_POST, "no completion",
				"wr_id %llu completes with %s (%s)",
				(unsigned long long)c->wc->wr_id,
				fire_status(c, status),
				fire_name(v, c->refused->post, name));
	}
	return false;
}

bool fire_check_order(const struct fire_view *v, struct fire_said *said)
{
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *a = &v->completion[i];

		for (unsigned int n = 0; n < v->ncompletions && a->of; n++) {
			const struct fire_completion *b = &v->completion[n];

			if (b->of && fire_same_queue(a->of, b->of) &&
			    fire_posted_before(b->of, a->of) &&
			    fire_polled_before(a, b) &&
			    fire_is_active(v, b->of))
				return say_disorder(v, a, b, said);
		}
	}
	return false;
}

/* Returns true if the queue pair entered ERR, and the request was posted
 * before. */
static bool is_flushed(const struct fire_view *v, const struct fire_request *r)
{
	bool any = false;

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *at = &v->log->record[i];

		if (!fire_moves(at, r->queue, IBV_QPS_ERR))
			continue;
		if (!fire_before(r->post, at))
			return false;
		any = true;
	}
	return any;
}

/* Returns true if no request that failed was posted before or beside this one:
 * it may have brought the queue pair into ERR, where a request may never
 * complete (choice/flush-posted-late). */
static bool is_before_failures(const struct fire_view *v,
			       const struct fire_request *r)
{
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->wc->status != IBV_WC_SUCCESS &&
		    c->wc->status != IBV_WC_WR_FLUSH_ERR &&
		    (!c->of || !fire_posted_before(r, c->of)))
			return false;
	}
	return true;
}

/* An unsignaled send that succeeded before ERR has no completion. */
bool fire_must_complete(const struct fire_view *v, const struct fire_request *r)
{
	return !r->completions && r->accepted && !r->ambiguous && !r->shared &&
	       r->post->end && (r->recv || r->signaled) && !v->may_miss &&
	       is_flushed(v, r) && fire_is_active(v, r) &&
	       is_before_failures(v, r);
}

bool fire_check_flushed(const struct fire_view *v, struct fire_said *said)
{
	char name[FIRE_NAME_LEN];

	for (unsigned int i = 0; i < v->nrequests; i++) {
		const struct fire_request *r = &v->request[i];

		if (v->overflow || v->log->full || !fire_must_complete(v, r))
			continue;
		return fire_say(said, ROW_FIRE_FLUSHED,
				"each request completes once its queue pair "
				"is in ERR",
				"wr_id %llu has no completion (%s)",
				(unsigned long long)r->wr_id,
				fire_name(v, r->post, name));
	}
	return false;
}
