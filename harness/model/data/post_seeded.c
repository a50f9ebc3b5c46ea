/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Seeded faults in the requests that a call posts.
 */
#include "contract/opcodes.h"
#include "model/data/poll.h"
#include "model/data/post.h"
#include "model/data/seeded.h"

/* Returns the list that a faulty device takes in place of the list it is given.
 * A device that leaves a field of an older request in its queue shows that once
 * the queue has wrapped around. */
static struct wr_args list_given(struct step *s)
{
	struct wr_args in = s->b->in.wr;
	bool stale = s->mutant->op == MUT_STALE &&
		     obj(s->m, s->b->on)->kind == OBJ_QP;
	struct model_qp *qp = stale ? qp_of(s->m, s->b->on) : NULL;

	if (stale && !qp->rounds++ &&
	    field_info(s->mutant->field)->family == FAM_SEND)
		qp->old = field_get(s->mutant->field, &in);
	mutant_alter_request(s->mutant, s->b->verb, &in,
			     stale && qp->rounds > qp->init.cap.max_send_wr
				     ? &qp->old
				     : NULL);
	return in;
}

/* A seeded fault keeps the sum of the elements' lengths in 32 bits. */
static void wrap_length(const struct mutant *m, struct wr_args *in)
{
	uint64_t bytes = request_bytes(in);

	if (bytes <= UINT32_MAX || !mutant_has_quirk(m, QUIRK_LENGTH_WRAPS))
		return;
	in->num_sge = 1;
	in->part = 0;
	in->length = (uint32_t)bytes;
}

/* Seeded fault: a list that ibv_wr_set_sge_list sets ends at an element of no
 * bytes. */
static void end_list(const struct step *s, struct wr_args *in)
{
	struct elements e;

	bool ends = (in->setter == SET_SGE_LIST &&
		     mutant_has_quirk(s->mutant, QUIRK_LIST_EMPTY)) ||
		    (in->setter == SET_INLINE_LIST &&
		     mutant_has_quirk(s->mutant, QUIRK_INLINE_LIST_EMPTY));

	if (!ends || s->b->verb != V_wr)
		return;
	elements_of(in, &e);
	for (uint32_t i = 0; i + 1 < e.n; i++)
		if (!element_at(&e, i).length) {
			in->num_sge = i;
			return;
		}
}

static bool names_null(const struct model *m, uint16_t mr)
{
	const struct model_mr *is = region_at(m, mr);

	return is && is->null;
}

/* Seeded fault: a null element between two others has no bytes. */
static void skip_null(const struct step *s, struct wr_args *in)
{
	const struct opcode *op = opcode_of(in->opcode);

	if (!mutant_has_quirk(s->mutant, QUIRK_NULL_SKIPPED) || !op ||
	    !op->receive || op->access)
		return;
	if (in->part > 1 && in->part < in->num_sge && in->length &&
	    names_null(s->m, in->part_mr) && !names_null(s->m, in->mr))
		in->part_length = 0;
}

/* Seeded fault: the null elements of a receive with other elements have no
 * bytes. */
static void starve_null(const struct step *s, struct wr_args *in)
{
	bool mixed = in->part && in->part <= in->num_sge && in->num_sge > 1 &&
		     names_null(s->m, in->part_mr) != names_null(s->m, in->mr);

	if (!mixed || !mutant_has_quirk(s->mutant, QUIRK_NULL_UNEATEN))
		return;
	if (names_null(s->m, in->mr))
		in->length = 0;
	else
		in->part_length = 0;
}

struct wr_args seeded_request(struct step *s, uint32_t at)
{
	struct wr_args list = list_given(s);
	struct wr_args in = request_at(&list, at);

	wrap_length(s->mutant, &in);
	if (s->b->verb == V_wr || s->b->verb == V_post_send) {
		end_list(s, &in);
		skip_null(s, &in);
	} else {
		starve_null(s, &in);
	}
	return in;
}

/* Seeded fault: returns the place of the next receive of an SRQ: one that none
 * had before, or that of the oldest receive, one for each receive that was
 * polled, whichever that was. */
static uint8_t next_place(struct model_srq *srq)
{
	bool fresh = srq->fresh < srq->attr.max_wr && srq->fresh < SEEDED_IDS;
	uint8_t place = fresh ? (uint8_t)srq->fresh++
			      : srq->place_of[srq->reused++ % SEEDED_IDS];

	srq->place_of[srq->posted++ % SEEDED_IDS] = place;
	return place;
}

static void take_place(const struct step *s, struct model_wr *w)
{
	struct model_srq *srq;

	if (s->b->verb != V_post_srq_recv ||
	    !mutant_has_quirk(s->mutant, QUIRK_SRQ_SLOT))
		return;
	srq = &obj(s->m, s->b->on)->srq;
	w->srq_place = (uint8_t)(next_place(srq) + 1);
	srq->id_at[w->srq_place - 1] = w->wr_id;
}

void seeded_note_polled(const struct step *s, const struct model_wr *w)
{
	struct object *o = obj(s->m, w->owner);

	if (o->kind == OBJ_QP && !w->recv && w->signaled)
		o->qp.send_polled = true;
}

void seeded_srq_polled(const struct step *s, struct model_wr *w)
{
	if (w->srq_place && w->srq != NO_OBJ && s->m->object[w->srq].alive &&
	    s->m->object[w->srq].srq.attr.max_wr <= SEEDED_IDS &&
	    mutant_has_quirk(s->m->mutant, QUIRK_SRQ_SLOT))
		w->wr_id = s->m->object[w->srq].srq.id_at[w->srq_place - 1];
}

void seeded_cut_wr_id(const struct step *s, struct model_wr *w, bool recv,
		      uint32_t at)
{
	take_place(s, w);
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_WR_ID) && recv && at)
		w->wr_id = (uint32_t)w->wr_id;
}

bool seeded_wrong_key(const struct step *s, const struct model_wr *w)
{
	bool wrong = false;

	if (!mutant_has_quirk(s->mutant, QUIRK_INLINE_KEYS))
		return false;
	for (uint32_t i = 1; i < w->data.n; i++) {
		const struct elements one = element_at(&w->data, i);

		wrong |=
			access_local(s->m, w->owner, &one, false) == ACCESS_KEY;
	}
	return wrong;
}

/* Faults in the flags of a send */
static void change_flags(const struct step *s, struct model_wr *w,
			 const struct wr_args *in)
{
	if ((s->b->verb == V_bind_mw &&
	     mutant_has_quirk(s->mutant, QUIRK_BIND_SIGNALED)) ||
	    (s->b->verb == V_wr &&
	     mutant_has_quirk(s->mutant, QUIRK_BATCH_ALL)))
		w->signaled = in->send_flags & IBV_SEND_SIGNALED;
	if (s->b->verb == V_wr && in->opcode == IBV_WR_RDMA_WRITE_WITH_IMM &&
	    mutant_has_quirk(s->mutant, QUIRK_SOLICITED_IMM))
		w->solicited = false;
	if (mutant_has_quirk(s->mutant, QUIRK_SOLICITED_LATE) &&
	    wr_list_at(s->m, w->owner, false)->posted > 1)
		w->solicited = false;
}

/* A WRITE with immediate goes to the SRQ of the request before it, or only if
 * that one is a SEND on XRC. */
static void take_srq_before(const struct step *s, struct model_wr *w,
			    uint32_t at)
{
	const struct wr_args before = request_at(&s->b->in.wr, at - 1);
	bool sends = before.opcode == IBV_WR_SEND ||
		     before.opcode == IBV_WR_SEND_WITH_IMM;

	if (mutant_has_quirk(s->mutant, QUIRK_IMM_SRQN_ANY) ||
	    (mutant_has_quirk(s->mutant, QUIRK_IMM_SRQN) && sends &&
	     s->m->object[w->owner].qp.kind == QK_XRC_SEND))
		w->remote_srqn = before.remote_srqn;
}

/* Seeded fault: returns true for a request before the last one of a list in
 * which none is signaled. */
static bool only_last_shows(const struct step *s, uint32_t at)
{
	if (!mutant_has_quirk(s->mutant, QUIRK_LIST_SIG_ALL) ||
	    s->b->verb != V_post_send || at >= s->b->in.wr.more)
		return false;
	for (uint32_t i = 0; i <= s->b->in.wr.more; i++)
		if (request_at(&s->b->in.wr, i).send_flags & IBV_SEND_SIGNALED)
			return false;
	return true;
}

void seeded_change_send(const struct step *s, struct model_wr *w,
			const struct wr_args *in, uint32_t at)
{
	const struct wr_args first = request_at(&s->b->in.wr, 0);

	change_flags(s, w, in);
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_IMM))
		w->imm_data = first.imm_data;
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_PLACE)) {
		w->remote_qpn = first.remote_qpn;
		w->remote_srqn = first.remote_srqn;
	}
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_SRQN) &&
	    s->b->verb == V_post_send)
		w->remote_srqn = first.remote_srqn;
	if (at && s->b->verb == V_post_send &&
	    in->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		take_srq_before(s, w, at);
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_SIGNALED) &&
	    s->b->verb == V_post_send && at < s->b->in.wr.more)
		w->signaled = s->m->object[w->owner].qp.init.sq_sig_all;
	if (only_last_shows(s, at))
		w->signaled = false;
	if (mutant_has_quirk(s->mutant, QUIRK_LIST_FENCE) && at &&
	    s->b->verb == V_post_send)
		w->fenced = false;
}

static uint64_t *id_at(struct model_qp *qp, uint32_t number)
{
	uint32_t n = qp->init.cap.max_send_wr;

	return &qp->id_table[number % (n && n < SEEDED_IDS ? n : SEEDED_IDS)];
}

void seeded_write_id(const struct step *s, const struct model_wr *w)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;

	if (mutant_has_quirk(s->m->mutant, QUIRK_ABORT_WR_ID))
		*id_at(qp, qp->ids_written++) = w->wr_id;
}

void seeded_read_id(const struct step *s, struct model_wr *w)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;

	if (!w->recv && mutant_has_quirk(s->m->mutant, QUIRK_ABORT_WR_ID))
		w->wr_id = *id_at(qp, qp->ids_posted++);
}

/* Seeded fault: only signaled sends store their wr_id. */
void seeded_store_id(const struct step *s, struct model_wr *w)
{
	struct model_qp *qp = &s->m->object[w->owner].qp;
	uint64_t *at, bit;

	if (w->recv || !mutant_has_quirk(s->m->mutant, QUIRK_FLUSH_STALE))
		return;
	at = id_at(qp, qp->ids_posted++);
	bit = 1ull << (at - qp->id_table);
	if (w->signaled) {
		*at = w->wr_id;
		qp->ids_stored |= bit;
	} else if (qp->ids_stored & bit) {
		w->is_stale = true;
		w->stale_id = *at;
	}
}

uint64_t seeded_flushed_id(const struct model_wr *w)
{
	return w->is_stale && w->status == IBV_WC_WR_FLUSH_ERR ? w->stale_id
							       : w->wr_id;
}

void post_leave_unrung(struct step *s, uint32_t n)
{
	const struct wr_list *list =
		wr_list_at(s->m, obj(s->m, s->b->on)->real, 0);
	uint32_t all = 0, i = 0;

	each_wr(s->m, list, w)
	{
		all++;
	}
	each_wr(s->m, list, w)
	{
		if (i++ + n >= all && w->stage == WR_POSTED)
			w->unrung = true;
	}
	qp_of(s->m, s->b->on)->unrung = true;
}

void post_ring(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);

	if (!qp->unrung || seeded_sleeps_on(s))
		return;
	qp->unrung = false;
	each_wr(s->m, wr_list_at(s->m, obj(s->m, s->b->on)->real, 0), w)
		w->unrung = false;
}
