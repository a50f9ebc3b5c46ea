/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_post_send, ibv_post_recv and ibv_post_srq_recv: decides which requests of
 * a list are taken and which error a refusal has, and puts the taken requests
 * into their queue. Faults that the device finds only later are kept in the
 * request.
 */
#include <errno.h>
#include "contract/opcodes.h"
#include "model/data/post.h"
#include "model/memory/access_fault.h"
#include "model/memory/seeded_copy.h"
#include "model/data/seeded.h"
#include "model/data/tag.h"
#include "model/events/events.h"
#include "model/unseen/failed_qp.h"
#include "model/vendor.h"

const struct post_rows post_rows_alone = {
	.full = ROW_POST_FULL,
	.unpolled = ROW_POST_UNPOLLED,
	.sge = ROW_POST_SGE,
	.inline_data = ROW_POST_INLINE,
};

/* Fills in what a send has beside its wr_id and elements. */
static void fill_send(const struct step *s, struct model_wr *w,
		      const struct model_qp *qp, const struct wr_args *in)
{
	struct model *m = s->m;
	/* A vendor's operation is built by the vendor's call, or in a ring. */
	bool verbs_alone = s->b->verb == V_post_send && !m->memory;
	const struct opcode *op = verbs_alone && in->opcode >= OPCODE_OWN
					  ? NULL
					  : opcode_of(in->opcode);

	w->opcode = (uint8_t)in->opcode;
	w->wc_opcode = op ? (uint8_t)op->completion : 0;
	if (in->completion)
		w->wc_opcode = in->completion;
	w->opcode_row = in->completion_row;
	if (op && op->by_value)
		w->length = sizeof(in->swap);
	if (op && op->places)
		w->length = in->length;
	w->flush_type = in->flush_type;
	w->flush_level = in->flush_level;
	w->signaled = (qp->init.sq_sig_all && !in->flags_alone) ||
		      in->send_flags & IBV_SEND_SIGNALED;
	w->solicited = in->send_flags & IBV_SEND_SOLICITED;
	w->ip_csum = in->send_flags & IBV_SEND_IP_CSUM;
	w->fenced = in->send_flags & IBV_SEND_FENCE;
	w->imm_data = in->imm_data;
	w->ah = in->ah;
	w->remote_qpn = in->remote_qpn;
	w->remote_qkey = in->remote_qkey;
	w->remote_srqn = in->remote_srqn;
	if (!op || !opcode_has(op, (enum qp_kind)qp->kind)) {
		w->illegal = true;
		w->status_row = ROW_POLL_OPCODE;
	}
	w->illegal |= kind_addresses((enum qp_kind)qp->kind) &&
		      in->ah == NO_OBJ && !(op && op->own);
	w->vendor = in->vendor;
	w->remote = in->remote;
	w->remote_offset = in->remote_offset;
	w->rkey = in->rkey;
	w->compare_add = in->compare_add;
	w->swap = in->swap;
	window_fill_wr(m, w, in);
	if (in->send_flags & IBV_SEND_INLINE && !post_fetches_inline(in)) {
		w->illegal |= seeded_wrong_key(s, w);
		copy_inline(m, w);
		if (m->mutant)
			seeded_read_late(s, w);
		if (s->b->verb == V_post_send)
			seeded_wrap_inline(m, w, in);
	}
}

/* Returns true if the queue is in a state in which requests are flushed. */
static bool too_late(const struct model_qp *qp, bool recv)
{
	return qp->iwarp_ending || qp->state == IBV_QPS_ERR ||
	       (!recv && qp->state == IBV_QPS_SQE);
}

void post_one_of_list(const struct step *s, uint32_t at, struct bound *one,
		      struct step *alone)
{
	const struct wr_args *list = &s->b->in.wr;

	*alone = *s;
	if (request_in(list, at, &one->in.wr) == list)
		return;
	one->verb = s->b->verb;
	one->result = s->b->result;
	one->on = s->b->on;
	alone->b = one;
}

struct model_wr *post_make_wr(struct step *s, const struct post_queue *to,
			      uint32_t at, enum out effect)
{
	struct wr_args copy, other;
	const struct wr_args *asked = request_in(&s->b->in.wr, at, &copy);
	const struct wr_args *in = asked;
	struct model_wr *w = wr_add(s->m, &to->q);
	const struct model_qp *qp;
	enum row row;

	if (s->mutant) {
		other = seeded_request(s, at);
		in = &other;
	}
	if (!w)
		return NULL;
	w->wr_id = in->wr_id;
	seeded_cut_wr_id(s, w, to->q.recv, at);
	w->length = request_length(in);
	elements_of(in, &w->data);
	if (to->q.srq != NO_OBJ)
		return w;
	qp = &s->m->object[to->q.owner].qp;
	w->cq = to->q.recv ? qp->init.recv_cq : qp->init.send_cq;
	w->after_shut = w->cq != NO_OBJ && s->m->object[w->cq].cq.shut;
	if (!to->q.recv) {
		fill_send(s, w, qp, in);
		if (s->mutant) {
			seeded_change_send(s, w, in, at);
			seeded_ring_count(s->m, w);
		}
		w->fence_lost =
			asked->send_flags & IBV_SEND_FENCE && !w->fenced;
		tso_fill(s, w, in);
		seeded_write_id(s, w);
	}
	if (!to->q.recv && post_fetches_inline(asked) &&
	    effect == OUT_ERROR_WC) {
		w->illegal = true;
		w->status_row = ROW_POST_INLINE_UNFIT;
	}
	row = to->q.recv ? ROW_NONE : fault_of_post(s, qp, asked, w->length);
	if (row == ROW_NONE && effect == OUT_MW_BIND_ERR)
		row = s->a->row;
	if (row != ROW_NONE)
		fault_apply_outcome(s, w, row, effect);
	return w;
}

void post_start_wr(struct step *s, struct model_wr *w)
{
	const struct model_qp *qp;

	if (w->owner == NO_OBJ)
		return;
	if (s->mutant)
		vendor_posted(s, w);
	seeded_read_id(s, w);
	seeded_store_id(s, w);
	seeded_note_post(s, w);
	qp = &s->m->object[w->owner].qp;
	w->held_in_sqd = !w->recv && qp->state == IBV_QPS_SQD;
	if (early_is_posted(s, qp, w->recv))
		wr_set_stage(s->m, w, WR_EARLY);
	if (!too_late(qp, w->recv) || failed_qp_sends_request(s, w))
		return;
	wr_set_stage(s->m, w, WR_DONE);
	w->status = IBV_WC_WR_FLUSH_ERR;
	w->optional_row = ROW_POLL_FLUSH_LATE;
	iwarp_doubt_status(s, w);
	completion_added(s, w);
}

void post_enqueue(struct step *s, const struct post_queue *to, uint32_t at,
		  enum out effect)
{
	struct model_wr *w = post_make_wr(s, to, at, effect);

	if (w)
		post_start_wr(s, w);
}

/* Returns true if the row finds fault with the queue or its state, and not with
 * a request of the list. A device may leave bad_wr NULL then. */
static bool finds_fault_with_queue(enum row row)
{
	return row == ROW_POST_SEND_EARLY || row == ROW_POST_SEND_ERR ||
	       row == ROW_POST_RECV_RESET || row == ROW_POST_SRQ_RECV ||
	       row == ROW_POST_NO_QUEUE || row == ROW_POST_OPCODE ||
	       row == ROW_TSO_CLAIM || row == ROW_WQ_POST_RESET;
}

void post_define_bad_wr(struct step *s, uint32_t at)
{
	uint64_t values[2] = {at, (uint64_t)(int64_t)BAD_WR_NULL};
	uint64_t seen = answer_seen(s, F_posted_bad_wr, at);
	enum row row = ROW_POST_BAD_WR;
	uint64_t value = at;

	record_row(s, row);
	if (finds_fault_with_queue(s->a->row)) {
		row = ROW_POST_BAD_WR_NULL;
		value = choose_value(s, row, values, 2, seen);
	}
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_BAD_WR) &&
	    s->b->verb == V_post_srq_recv)
		value = 0;
	if (mutant_has_quirk(s->mutant, QUIRK_FULL_NEXT) &&
	    s->b->verb == V_post_srq_recv && at && at < s->b->in.wr.more &&
	    s->a->row == ROW_POST_FULL)
		value = at + 1;
	answer_define(s, F_posted_bad_wr, value, row);
}

void post_note_refused(struct step *s, const struct post_queue *to, uint32_t at)
{
	struct model_wr *w = is_oracle(s) ? wr_add(s->m, &to->q) : NULL;

	record_row(s, ROW_POST_REFUSED);
	if (!w)
		return;
	w->wr_id = s->b->in.wr.wr_id + at;
	wr_discard(s->m, w, ROW_POST_REFUSED);
}

void post_set_seen_error(struct step *s, uint32_t at)
{
	int bad = is_oracle(s) ? s->seen->out.posted.bad_wr : -1;

	if (!is_oracle(s))
		return;
	s->seen_error = outcome_error(s->b->verb, s->seen);
	if (s->seen_error && bad > (int)at && bad <= (int)s->b->in.wr.more)
		s->seen_error = 0;
}

/* Returns true if a seeded fault loses request `at` of a list. */
static bool is_past_window(const struct step *s, const struct post_queue *to,
			   uint32_t at)
{
	enum field more = to->q.recv ? F_recv_more : F_send_more;

	return mutant_window(s->mutant, more, at + UINT64_C(1)) <= at;
}

typedef void (*check_fn)(struct step *s, struct faults *f,
			 const struct post_queue *to);

/* Seeded fault: returns true if a request of the list is refused, but not the
 * first one. */
static bool is_undone(struct step *s, const struct post_queue *queue,
		      check_fn judge)
{
	struct post_queue here = *queue;

	if (!mutant_has_quirk(s->mutant, QUIRK_LIST_UNDONE) ||
	    s->b->verb != V_post_send)
		return false;
	for (uint32_t at = 0; at <= s->b->in.wr.more; at++) {
		struct faults f = {0};
		struct step alone;
		struct bound one;

		here.at = at;
		here.ahead = queue->ahead + at;
		post_one_of_list(s, at, &one, &alone);
		judge(&alone, &f, &here);
		if (faults_errno(&f))
			return at;
	}
	return false;
}

/* Judges the requests of a list in turn and takes them, up to the first one
 * that is refused; then carries out whatever can be. */
static void post(struct step *s, const struct post_queue *queue, check_fn judge)
{
	struct post_queue here = *queue;
	const struct post_queue *to = &here;
	bool undone = is_undone(s, queue, judge);
	uint32_t at;

	s->m->seeded_calls += s->m->mutant != NULL;
	answer_accept(s, ROW_POST_ACCEPT);
	for (at = 0; at <= s->b->in.wr.more; at++) {
		struct faults f = {0};
		struct step alone;
		struct bound one;
		enum out effect;
		int err;

		here.at = at;
		here.ahead = queue->ahead + (undone ? at : 0);
		post_set_seen_error(s, at);
		post_one_of_list(s, at, &one, &alone);
		judge(&alone, &f, to);
		err = choose_outcome(s, &f, &effect);
		if (err) {
			answer_refuse(s, s->a->row, err);
			post_define_bad_wr(s, at);
			post_note_refused(s, to, at);
			if (mutant_skips(s->mutant, ROW_POST_REFUSED))
				post_enqueue(s, to, at, OUT_NONE);
			if (mutant_has_quirk(s->mutant, QUIRK_LIST_UNRUNG) &&
			    at && s->b->verb == V_post_send)
				post_leave_unrung(s, at);
			if (mutant_has_quirk(s->mutant,
					     QUIRK_LIST_UNRUNG_SGE) &&
			    at && at < s->b->in.wr.more &&
			    s->b->verb == V_post_send &&
			    s->a->row == ROW_POST_SGE)
				post_leave_unrung(s, at);
			if (mutant_has_quirk(s->mutant, QUIRK_LIST_GOES_ON) &&
			    at && at < s->b->in.wr.more)
				post_enqueue(s, to, at + 1, OUT_NONE);
			break;
		}
		if (!mutant_does_nothing(s->mutant, s->b->verb) && !undone &&
		    !is_past_window(s, to, at))
			post_enqueue(s, to, at, effect);
	}
	if (s->b->verb == V_post_send &&
	    (at > s->b->in.wr.more ||
	     (at && mutant_has_quirk(s->mutant, QUIRK_ABORT_LAST))))
		post_ring(s);
	if (at && !to->q.recv)
		window_take_key(s);
	transfer(s);
}

struct post_queue post_send_queue(struct step *s,
				  const struct post_rows *limits)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);

	return (struct post_queue){
		.q = {obj(s->m, s->b->on)->real, NO_OBJ, false},
		.max_wr = qp->init.cap.max_send_wr,
		.max_sge = qp->init.cap.max_send_sge,
		.ahead = qp->aborted,
		.sge = F_send_num_sge,
		.rows = limits,
	};
}

static struct post_queue post_recv_queue(struct step *s)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);

	return (struct post_queue){
		.q = {obj(s->m, s->b->on)->real, NO_OBJ, true},
		.max_wr = qp->init.cap.max_recv_wr,
		.max_sge = qp->init.cap.max_recv_sge,
		.sge = F_recv_num_sge,
		.rows = &post_rows_alone,
	};
}

static struct post_queue post_srq_queue(struct step *s)
{
	const struct model_srq *srq = &obj(s->m, s->b->on)->srq;

	return (struct post_queue){
		.q = {NO_OBJ, s->b->on, true},
		.max_wr = srq->attr.max_wr,
		.max_sge = srq->attr.max_sge,
		.lost = srq->lost,
		.sge = F_recv_num_sge,
		.rows = &post_rows_alone,
	};
}

static void enqueue_taken(struct step *s, bool send)
{
	const struct post_queue to = send ? post_send_queue(s, &post_rows_alone)
				     : s->b->verb == V_post_srq_recv
					     ? post_srq_queue(s)
					     : post_recv_queue(s);

	if (send)
		window_set_key(s);
	post_enqueue(s, &to, 0, OUT_NONE);
	if (send)
		window_take_key(s);
}

void post_without_judging(struct step *s)
{
	if (s->b->verb == V_post_srq_ops)
		tm_post_taken(s);
	else
		enqueue_taken(s, s->b->verb == V_post_send);
}

void do_post_send(struct step *s)
{
	const struct post_queue to = post_send_queue(s, &post_rows_alone);

	window_set_key(s);
	post(s, &to, post_check_send);
}

void do_post_recv(struct step *s)
{
	const struct post_queue to = post_recv_queue(s);

	post(s, &to, post_check_recv);
}

void do_post_wq_recv(struct step *s)
{
	const struct post_queue to = post_recv_queue(s);

	post(s, &to, post_check_wq_recv);
}

void do_post_srq_recv(struct step *s)
{
	const struct post_queue to = post_srq_queue(s);

	post(s, &to, post_check_srq_recv);
}
