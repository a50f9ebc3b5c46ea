// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The rkey of a window that was invalidated gives no access to requests that
 * are posted once the program has polled that.
 */
#include "contract/opcodes.h"
#include "fire/checks.h"

static bool is_opcode(const struct fire_request *r, uint32_t opcode)
{
	return !r->recv &&
	       request_at(&r->post->b.in.wr, r->index).opcode == opcode;
}

static bool invalidates(const struct fire_request *r, uint32_t rkey)
{
	return !r->recv && r->post->b.in.wr.invalidate_rkey == rkey &&
	       (is_opcode(r, IBV_WR_LOCAL_INV) ||
		is_opcode(r, IBV_WR_SEND_WITH_INV));
}

static bool binds(const struct fire_request *r, uint32_t rkey)
{
	return is_opcode(r, IBV_WR_BIND_MW) &&
	       r->post->b.in.wr.bind_rkey == rkey;
}

/* Returns true if no bind of the rkey can be carried out after the rkey was
 * invalidated: each was before each invalidation. */
static bool is_bound_before(const struct fire_view *v, uint32_t rkey)
{
	for (unsigned int i = 0; i < v->nrequests; i++) {
		const struct fire_request *bind = &v->request[i];

		for (unsigned int n = 0; n < v->nrequests && binds(bind, rkey);
		     n++) {
			const struct fire_request *r = &v->request[n];

			if (invalidates(r, rkey) &&
			    !(fire_same_queue(bind, r) &&
			      fire_posted_before(bind, r)) &&
			    !fire_succeeded(v, bind, r->post))
				return false;
		}
	}
	return true;
}

static bool tells_invalidated(const struct fire_completion *c, uint32_t rkey)
{
	if (c->wc->status != IBV_WC_SUCCESS || !c->of)
		return false;
	if (c->of->recv)
		return c->wc->wc_flags & IBV_WC_WITH_INV &&
		       c->wc->invalidated_rkey == rkey;
	return is_opcode(c->of, IBV_WR_LOCAL_INV) && invalidates(c->of, rkey);
}

bool fire_is_barred(const struct fire_view *v, const struct fire_request *r)
{
	uint32_t rkey = r->recv ? 0 : r->post->b.in.wr.rkey;

	for (unsigned int i = 0; i < v->ncompletions && rkey; i++)
		if (fire_before(v->completion[i].poll, r->post) &&
		    tells_invalidated(&v->completion[i], rkey))
			return is_bound_before(v, rkey);
	return false;
}

/* A request of an unreliable queue pair succeeds though its bytes were dropped.
 * So may one of a queue pair that was reset: its PSN is behind the expected
 * one, and the responder answers a duplicate without carrying it out
 * (choice/psn-behind). check_memory.c looks at the bytes in any case. */
bool fire_check_window(const struct fire_view *v, struct fire_said *said)
{
	char name[FIRE_NAME_LEN];

	for (unsigned int i = 0; i < v->ncompletions && !v->may_miss; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (!c->of || c->wc->status != IBV_WC_SUCCESS ||
		    !kind_is_reliable(fire_kind(v, c->of->queue)) ||
		    !c->of->post->b.in.wr.length || !fire_is_barred(v, c->of))
			continue;
		return fire_say(said, ROW_FIRE_WINDOW, "REM_ACCESS_ERR",
				"wr_id %llu succeeds by an rkey that was "
				"invalidated before (%s)",
				(unsigned long long)c->wc->wr_id,
				fire_name(v, c->of->post, name));
	}
	return false;
}
