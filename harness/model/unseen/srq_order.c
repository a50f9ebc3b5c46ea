// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides which message took which receive of an SRQ if several senders send to
 * it. If neither of two messages was known to have arrived when the other was
 * sent, either may have taken the first receive. The model lets them arrive in
 * the order of posting; an oracle exchanges them when the device under test
 * shows another order.
 */
#include "model/internal.h"

/* Returns true for a receive of the SRQ that a message has taken and nobody has
 * polled. */
static bool is_taken_from(const struct model_wr *r, uint16_t srq)
{
	return r->stage == WR_DONE && r->srq == srq &&
	       r->status == IBV_WC_SUCCESS && r->optional_row == ROW_NONE &&
	       !r->any_error && r->maybe_lost != MAYBE_LOST_FLUSHED;
}

typedef bool sought_fn(const struct model_wr *r, const void *arg);

/* Returns the first receive that was taken behind `behind` and that `sought`
 * accepts, or NULL. */
static struct model_wr *first_taken(struct model *m, uint16_t srq,
				    uint32_t behind, sought_fn *sought,
				    const void *arg)
{
	struct model_wr *first = NULL;

	for (uint16_t qp = 0; qp < m->top; qp++)
		each_wr(m, wr_list_at(m, qp, 1), r)
		{
			if (is_taken_from(r, srq) && r->done_order > behind &&
			    (!first || r->done_order < first->done_order) &&
			    sought(r, arg))
				first = r;
		}
	return first;
}

static bool is_any(const struct model_wr *r, const void *arg)
{
	(void)r, (void)arg;
	return true;
}

/* Returns true for a device with the seeded choice that a message overtakes
 * another. */
static bool lets_overtake(const struct step *s)
{
	return mutant_choice(s->m->mutant, ROW_SRQ_ORDER) == OUT_ANY_VALUE;
}

void srq_order_note(struct step *s, struct model_wr *r)
{
	r->arrived_before = 0;
	if (r->srq == NO_OBJ || !(is_oracle(s) || lets_overtake(s)))
		return;
	for (uint16_t qp = 0; qp < s->m->top; qp++)
		each_wr(s->m, wr_list_at(s->m, qp, 1), one)
		{
			if (is_taken_from(one, r->srq) &&
			    one->done_order > r->arrived_before &&
			    one->message <= s->m->object[one->from].qp.answered)
				r->arrived_before = one->done_order;
		}
}

/* Exchanges the receives of two messages: wr_id, elements and length as they
 * were posted. */
static void swap_receives(struct model_wr *a, struct model_wr *b)
{
	const struct elements data = a->data;
	const uint64_t wr_id = a->wr_id;
	const uint32_t room = a->posted_length;

	a->data = b->data;
	a->wr_id = b->wr_id;
	a->posted_length = b->posted_length;
	b->data = data;
	b->wr_id = wr_id;
	b->posted_length = room;
}

/* Returns true if the message of `r` may have overtaken the message of `ahead`
 * and all between them: each message fits into its new receive, came to another
 * queue pair than `r`, and was not known to have arrived. */
static bool may_overtake(struct model *m, const struct model_wr *ahead,
			 const struct model_wr *r)
{
	const struct model_wr *one = ahead, *next;

	for (; one != r; one = next) {
		next = first_taken(m, r->srq, one->done_order, is_any, NULL);
		if (one->owner == r->owner || one->length > next->posted_length)
			return false;
	}
	return ahead->done_order > r->arrived_before &&
	       r->length <= ahead->posted_length;
}

static bool has_wr_id(const struct model_wr *r, const void *arg)
{
	return r->wr_id == ((const struct polled_wc *)arg)->wr_id;
}

static bool is_of(const struct model_wr *r, const void *arg)
{
	return r->owner == *(const uint16_t *)arg;
}

static bool is_of_another(const struct model_wr *r, const void *arg)
{
	return r->owner != *(const uint16_t *)arg;
}

void srq_order_overtake(struct step *s, struct model_wr *r)
{
	struct model_wr *ahead;
	uint32_t done;

	if (r->srq == NO_OBJ)
		return;
	record_row(s, ROW_SRQ_ORDER);
	if (!lets_overtake(s))
		return;
	ahead = first_taken(s->m, r->srq, r->arrived_before, is_of_another,
			    &r->owner);
	if (!ahead || !may_overtake(s->m, ahead, r) ||
	    first_taken(s->m, r->srq, ahead->done_order, is_any, NULL) != r)
		return;
	swap_receives(ahead, r);
	done = ahead->done_order;
	ahead->done_order = r->done_order;
	r->done_order = done;
}

bool srq_order_try_other(struct step *s, const struct polled_wc *wc)
{
	const uint16_t owner = wc->qp;
	struct model_wr *ahead, *r, *next;
	uint16_t srq;

	if (owner >= s->m->top || s->m->object[owner].kind != OBJ_QP ||
	    wc->status != IBV_WC_SUCCESS)
		return false;
	srq = s->m->object[owner].qp.init.srq;
	if (srq == NO_OBJ)
		return false;
	ahead = first_taken(s->m, srq, 0, has_wr_id, wc);
	if (!ahead || ahead->owner == owner)
		return false;
	r = first_taken(s->m, srq, ahead->done_order, is_of, &owner);
	if (!r || !may_overtake(s->m, ahead, r))
		return false;
	choose_second(s, ROW_SRQ_ORDER);
	s->m->bytes_lost = true;
	for (; ahead != r; ahead = next) {
		next = first_taken(s->m, srq, ahead->done_order, is_any, NULL);
		swap_receives(ahead, next);
	}
	return true;
}
