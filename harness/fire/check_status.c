// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which requests are flushed: those posted after ERR, those behind one that
 * failed, and no others.
 */
#include "contract/opcodes.h"
#include "fire/checks.h"

/* Returns true if RESET may have been between the two: it had not returned when
 * `from` began, and had begun when `to` returned. */
static bool reset_between(const struct fire_view *v, uint16_t qp,
			  const struct fire_record *from,
			  const struct fire_record *to)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->end && fire_moves(r, qp, IBV_QPS_RESET) &&
		    !fire_before(r, from) && !fire_before(to, r))
			return true;
	}
	return false;
}

/* Returns the granted ERR that was before the post, or NULL. */
static const struct fire_record *err_before(const struct fire_view *v,
					    const struct fire_request *of)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (fire_moves(r, of->queue, IBV_QPS_ERR) &&
		    fire_before(r, of->post))
			return r;
	}
	return NULL;
}

static bool after_err(const struct fire_view *v,
		      const struct fire_completion *c, struct fire_said *said)
{
	const struct fire_record *err = err_before(v, c->of);
	char post[FIRE_NAME_LEN], name[FIRE_NAME_LEN];
	char status[FIRE_STATUS_LEN];

	if (!err || reset_between(v, c->of->queue, err, c->poll))
		return false;
	return fire_say(said, ROW_FIRE_STATUS, "WR_FLUSH_ERR",
			"%s for wr_id %llu (%s), posted after ERR (%s)",
			fire_status(c, status),
			(unsigned long long)c->wc->wr_id,
			fire_name(v, c->of->post, post),
			fire_name(v, err, name));
}

/* Returns true if the request shows that its queue pair was in ERR. A send
 * without a completion of its own may be flushed though it was carried out, and
 * those behind it completed (choice/flush-in-flight). */
static bool shows_err(const struct fire_completion *c)
{
	return c->wc->status != IBV_WC_SUCCESS &&
	       (c->wc->status != IBV_WC_WR_FLUSH_ERR || c->of->recv ||
		c->of->signaled);
}

/* Looks for a request that was posted before, and failed. */
static bool behind_failed(const struct fire_view *v,
			  const struct fire_completion *c,
			  struct fire_said *said)
{
	char status[FIRE_STATUS_LEN], first[FIRE_STATUS_LEN];

	if (!kind_is_reliable(fire_kind(v, c->of->queue)) || v->iwarp)
		return false;
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *a = &v->completion[i];

		if (!a->of || !shows_err(a) || !fire_same_queue(a->of, c->of) ||
		    !fire_posted_before(a->of, c->of) ||
		    !fire_is_active(v, a->of) ||
		    reset_between(v, c->of->queue, a->of->post, c->poll))
			continue;
		return fire_say(said, ROW_FIRE_STATUS, "WR_FLUSH_ERR",
				"%s for wr_id %llu, behind wr_id %llu with %s",
				fire_status(c, status),
				(unsigned long long)c->wc->wr_id,
				(unsigned long long)a->wc->wr_id,
				fire_status(a, first));
	}
	return false;
}

bool fire_check_status(const struct fire_view *v, struct fire_said *said)
{
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (!c->of || c->of->shared ||
		    c->wc->status == IBV_WC_WR_FLUSH_ERR)
			continue;
		if (after_err(v, c, said) || behind_failed(v, c, said))
			return true;
	}
	return false;
}

/* A message that finds no receive waits (RNR), but not on iWARP. */
static bool waits_for_receive(const struct fire_view *v,
			      const struct fire_record *post)
{
	const struct opcode *op = opcode_of(post->b.in.wr.opcode);

	return !v->iwarp || !op || !op->receive;
}

/* Returns true if the call does not bring a queue pair into ERR, or a request
 * to fail, by itself. */
static bool is_harmless(const struct fire_view *v, const struct fire_record *r)
{
	const struct qp_attr_args *in = &r->b.in.qp_attr;

	switch (r->b.verb) {
	case V_post_send:
		return waits_for_receive(v, r);
	case V_post_recv:
	case V_post_srq_recv:
	case V_poll_cq:
	case V_query_qp:
	case V_get_async_event:
	case V_req_notify_cq:
	case V_resize_cq:
	case V_read_mr:
		return true;
	case V_modify_qp:
		return !(in->mask & IBV_QP_STATE) ||
		       in->attr.qp_state == IBV_QPS_RTS ||
		       (in->attr.qp_state == IBV_QPS_SQD && !v->iwarp) ||
		       !fire_granted(r);
	default:
		return false;
	}
}

/* Returns true if nothing that returned, or began, before the poll's end can
 * have caused an error. */
static bool is_quiet(const struct fire_view *v, const struct fire_record *poll)
{
	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->end && !fire_before(poll, r) && !is_harmless(v, r))
			return false;
	}
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->wc->status != IBV_WC_SUCCESS &&
		    c->wc->status != IBV_WC_WR_FLUSH_ERR &&
		    !(c->of && fire_before(poll, c->of->post)))
			return false;
	}
	return true;
}

bool fire_check_cause(const struct fire_view *v, struct fire_said *said)
{
	if (v->may_miss)
		return false;
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];

		if (c->wc->status != IBV_WC_WR_FLUSH_ERR || !c->of ||
		    !is_quiet(v, c->poll))
			continue;
		return fire_say(said, ROW_FIRE_CAUSE, "no flush",
				"wr_id %llu is flushed, and no queue pair "
				"went to ERR",
				(unsigned long long)c->wc->wr_id);
	}
	return false;
}
