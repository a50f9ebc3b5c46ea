/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Batches: ibv_wr_start begins one, and ibv_wr_complete posts all of it or
 * nothing. Until then a request stands in its queue as WR_BUILT, with a copy of
 * its inline data. The rows that the requests violate are kept in the queue
 * pair until ibv_wr_complete.
 */
#include "contract/opcodes.h"
#include "model/data/post.h"
#include "model/data/seeded.h"

static const struct post_rows rows = {
	.full = ROW_WR_FULL,
	.unpolled = ROW_WR_UNPOLLED,
	.sge = ROW_WR_SGE,
	.inline_data = ROW_WR_INLINE,
};

/* Returns true if the queue pair was created for ibv_wr_*. */
static bool takes_ops(const struct model_qp *qp)
{
	return qp->init.comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
}

/* Returns true if the creator of the queue pair asked for the operation. */
static bool asked_for(const struct model_qp *qp, uint32_t opcode)
{
	return takes_ops(qp) &&
	       qp->init.send_ops_flags & opcode_asked_for(opcode);
}

static void forget_batch(struct model_qp *qp)
{
	qp->built = 0;
	qp->batch_full = false;
	qp->nbatch = 0;
	qp->bad_built = false;
	qp->bad_inline = false;
	qp->good_built = 0;
}

/* Keeps the rows that a request violates, each one once. */
static void keep_rows(struct model_qp *qp, const struct faults *f)
{
	for (int i = 0; i < f->n; i++) {
		int k = 0;

		while (k < qp->nbatch && qp->batch[k] != f->row[i])
			k++;
		if (k == qp->nbatch && k < MODEL_BATCH_ROWS)
			qp->batch[qp->nbatch++] = f->row[i];
	}
}

void do_wr_start(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	enum out effect;
	int err = 0;

	forget_batch(qp);
	qp->ring_start = qp->ring_blocks;
	answer_accept(s, ROW_WR_ACCEPT);
	if (!takes_ops(qp))
		err = choose_for_row(s, ROW_WR_NO_OPS, &effect);
	if (err)
		answer_refuse(s, ROW_WR_NO_OPS, err);
}

/* Posts a request of the batch. */
static void take_built(struct step *s, struct model_wr *w)
{
	wr_set_stage(s->m, w, WR_POSTED);
	post_start_wr(s, w);
}

/* Notes whether there was no room for a request when it was built. */
static void look_for_room(struct step *s, struct model_qp *qp,
			  struct post_queue to)
{
	struct faults f = {0};

	to.ahead += qp->built;
	qp->batch_full |= !post_check_room(s, &f, &to);
}

/* Seeded fault: gives a request the destination of the first of its batch. */
static void send_to_first(const struct step *s, struct model_wr *w)
{
	struct wr_queue q = {w->owner, NO_OBJ, false};

	if (!mutant_has_quirk(s->mutant, QUIRK_BATCH_PLACE))
		return;
	each_wr(s->m, wr_list_of(s->m, &q), first)
	{
		if (first->stage != WR_BUILT)
			continue;
		w->remote_srqn = first->remote_srqn;
		w->remote_qpn = first->remote_qpn;
		return;
	}
}

/* Seeded fault: gives a request the flags of those before it in the batch. */
static void take_flags(const struct step *s, struct model_wr *w)
{
	struct wr_queue q = {w->owner, NO_OBJ, false};

	if (!mutant_has_quirk(s->mutant, QUIRK_BATCH_FLAGS))
		return;
	each_wr(s->m, wr_list_of(s->m, &q), before)
	{
		if (before->stage != WR_BUILT)
			continue;
		w->signaled |= before->signaled;
		w->solicited |= before->solicited;
		w->fenced |= before->fenced;
	}
}

/* Seeded fault: the request before this one was bad, and is left out. */
static void leave_out(struct step *s, struct model_qp *qp,
		      const struct post_queue *to)
{
	struct model_wr *last = NULL;

	if (!qp->bad_built)
		return;
	qp->bad_built = false;
	qp->nbatch = 0;
	qp->built--;
	each_wr(s->m, wr_list_of(s->m, &to->q), w)
	{
		if (w->stage == WR_BUILT)
			last = w;
	}
	if (last)
		wr_remove(s->m, last);
}

/* Judges one request and makes it. */
static void build_one(struct step *s, const struct post_queue *to, uint32_t at)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct faults f = {0};
	struct model_wr *w;
	struct step alone;
	struct bound one;

	leave_out(s, qp, to);
	post_one_of_list(s, at, &one, &alone);
	post_check_request(&alone, &f, to);
	qp->bad_built = f.n == 1 && f.row[0] == ROW_WR_INLINE && !qp->nbatch &&
			mutant_has_quirk(s->mutant, QUIRK_BATCH_LEFT_OUT);
	keep_rows(qp, &f);
	look_for_room(&alone, qp, *to);
	qp->built++;
	w = post_make_wr(s, to, at, OUT_NONE);
	if (!w)
		return;
	seeded_note_built(s, &f, w, &alone.b->in.wr);
	seeded_keep_size(s, w);
	send_to_first(s, w);
	take_flags(s, w);
	w->by_setter = s->b->in.wr.setter != SET_SGE && w->data.n;
	wr_set_stage(s->m, w, WR_BUILT);
	if (mutant_skips(s->mutant, ROW_WR_BEFORE))
		take_built(s, w);
}

/* Fills in the elements that the data setter of the call would set. */
static void apply_setter(const struct step *s, struct wr_args *wr)
{
	request_by_setter(wr);
	if (!mutant_skips(s->mutant, ROW_WR_SET))
		return;
	wr->num_sge = wr->num_sge ? 1 : 0;
	wr->odd_num_sge = wr->odd_num_sge ? 1 : 0;
}

void post_build_own(struct step *s, const struct faults *f)
{
	struct post_queue to = post_send_queue(s, &rows);
	struct model_qp *qp = qp_of(s->m, s->b->on);
	struct model_wr *w;

	record_row(s, ROW_WR_BEFORE);
	leave_out(s, qp, &to);
	keep_rows(qp, f);
	look_for_room(s, qp, to);
	qp->built++;
	w = post_make_wr(s, &to, 0, OUT_NONE);
	if (!w)
		return;
	wr_set_stage(s->m, w, WR_BUILT);
	if (mutant_skips(s->mutant, ROW_WR_BEFORE))
		take_built(s, w);
	transfer(s);
}

/* Builds the requests of a call. */
static void build(struct step *s)
{
	struct bound request = *s->b;
	struct step alone = *s;
	struct post_queue to;

	apply_setter(s, &request.in.wr);
	alone.b = &request;
	to = post_send_queue(&alone, &rows);
	record_row(s, ROW_WR_BEFORE);
	window_set_key(s);
	for (uint32_t at = 0; at <= request.in.wr.more; at++)
		build_one(&alone, &to, at);
	window_take_key(s);
	transfer(s);
}

void do_wr(struct step *s)
{
	enum out effect;
	int err = 0;

	answer_accept(s, ROW_WR_ACCEPT);
	if (!asked_for(qp_of(s->m, s->b->on), s->b->in.wr.opcode))
		err = choose_for_row(s, ROW_WR_NOT_ASKED, &effect);
	if (err)
		answer_refuse(s, ROW_WR_NOT_ASKED, err);
	else
		build(s);
}

typedef void (*built_fn)(struct step *s, struct model_wr *w, enum row row);

/* Ends the batch: calls `fn` for each request of it. */
static void end_batch(struct step *s, built_fn fn, enum row row)
{
	struct post_queue to = post_send_queue(s, &rows);
	struct model_wr *next;

	for (struct model_wr *w = wr_first(s->m, wr_list_of(s->m, &to.q)); w;
	     w = next) {
		next = wr_after(s->m, w);
		if (w->stage == WR_BUILT)
			fn(s, w, row);
	}
	forget_batch(qp_of(s->m, s->b->on));
	transfer(s);
}

static void post_built(struct step *s, struct model_wr *w, enum row row)
{
	(void)row;
	if (mutant_does_nothing(s->mutant, s->b->verb))
		wr_remove(s->m, w);
	else
		take_built(s, w);
}

/* Returns true if a seeded fault posts the request of a batch that is too long,
 * since there is room for the request alone. */
static bool fits_faultily(struct step *s, enum row row)
{
	const struct post_queue to = post_send_queue(s, &rows);

	return mutant_has_quirk(s->mutant, QUIRK_BATCH_FITS) &&
	       row == ROW_WR_WHOLE && s->a->row == ROW_WR_FULL &&
	       wr_list_of(s->m, &to.q)->occupied < to.max_wr;
}

/* Drops a request of a batch that was aborted or refused. An oracle keeps its
 * wr_id: the request must not complete. */
static void drop_built(struct step *s, struct model_wr *w, enum row row)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;

	record_row(s, row);
	if (seeded_stays(s, w, row))
		return;
	qp_of(s->m, s->b->on)->ring_blocks = qp_of(s->m, s->b->on)->ring_start;
	if (mutant_skips(s->mutant, row) || fits_faultily(s, row)) {
		take_built(s, w);
	} else if (is_oracle(s)) {
		wr_discard(s->m, w, row);
	} else {
		if (row == ROW_WR_WHOLE && qp->ids_written)
			qp->ids_written--;
		wr_remove(s->m, w);
	}
}

/* Judges the whole batch by the state and the room at its end. A request that
 * had no room when it was built may be refused although there is room now. */
static void check_batch(struct step *s, struct faults *f)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	struct post_queue to = post_send_queue(s, &rows);

	if (!qp->built) {
		add_fault(s, f, ROW_WR_EMPTY);
		return;
	}
	to.ahead += qp->built - 1u;
	post_check_send_state(s, f);
	if (post_check_room(s, f, &to) && qp->batch_full)
		add_fault(s, f, ROW_WR_UNPOLLED);
	if (seeded_ring_full(s->m, obj(s->m, s->b->on)->real))
		add_fault(s, f, ROW_WR_FULL);
	for (int i = 0; i < qp->nbatch; i++)
		add_fault(s, f, (enum row)qp->batch[i]);
}

void do_wr_complete(struct step *s)
{
	struct faults f = {0};
	enum out effect;
	int err;

	answer_accept(s, ROW_WR_ACCEPT);
	check_batch(s, &f);
	err = choose_outcome(s, &f, &effect);
	if (err)
		answer_refuse(s, s->a->row, err);
	else
		post_ring(s);
	s->m->seeded_calls += s->m->mutant != NULL;
	seeded_signal_last(s);
	end_batch(s, err ? drop_built : post_built, ROW_WR_WHOLE);
}

/* Seeded fault: all requests of the batch but the last one stay in the ring. */
static void keep_but_last(struct step *s, struct model_qp *qp)
{
	const struct post_queue to = post_send_queue(s, &rows);
	struct model_wr *last = NULL, *next;

	if (!mutant_has_quirk(s->mutant, QUIRK_ABORT_LAST) ||
	    qp->state > IBV_QPS_SQD)
		return;
	each_wr(s->m, wr_list_of(s->m, &to.q), w)
	{
		if (w->stage == WR_BUILT)
			last = w;
	}
	for (struct model_wr *w = wr_first(s->m, wr_list_of(s->m, &to.q)); w;
	     w = next) {
		next = wr_after(s->m, w);
		if (w->stage != WR_BUILT || w == last)
			continue;
		take_built(s, w);
		if (w->stage == WR_POSTED)
			w->unrung = qp->unrung = true;
	}
}

void do_wr_abort(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);

	answer_accept(s, ROW_WR_ACCEPT);
	keep_but_last(s, qp);
	if (mutant_has_quirk(s->mutant, QUIRK_ABORT_KEEPS))
		qp->aborted = (uint16_t)(qp->aborted + qp->built);
	seeded_ring_abort(s->m, obj(s->m, s->b->on)->real);
	end_batch(s, drop_built, ROW_WR_ABORT);
}
