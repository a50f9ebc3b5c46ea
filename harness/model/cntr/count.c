// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions, and how completion counters count them. A device counts a
 * request when it is done. An oracle counts a request when its completion was
 * polled; until then the request is one that may have been counted.
 */
#include "contract/opcodes.h"
#include "model/cntr/cntr.h"

#define GRH_LEN 40

/* The operations that a request counts as: for certain; and those that no man
 * page tells. */
struct counted_as {
	uint32_t certain, possible;
};

#define LOCAL_OPS  (CNTR_OP_SEND | CNTR_OP_RDMA_READ | CNTR_OP_RDMA_WRITE)
#define REMOTE_OPS (CNTR_OP_REMOTE_RDMA_READ | CNTR_OP_REMOTE_RDMA_WRITE)

/* Returns what a request counts as where it was posted. */
static struct counted_as local_ops(const struct model_wr *w)
{
	if (w->recv && w->wc_opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		return (struct counted_as){0, CNTR_OP_RECV};
	if (w->recv)
		return (struct counted_as){CNTR_OP_RECV, 0};
	switch (w->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_TSO:
		return (struct counted_as){CNTR_OP_SEND, 0};
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return (struct counted_as){CNTR_OP_RDMA_WRITE, 0};
	case IBV_WR_RDMA_READ:
		return (struct counted_as){CNTR_OP_RDMA_READ, 0};
	default: /* atomics, windows and others: no operation is named for */
		return (struct counted_as){0, LOCAL_OPS};
	}
}

/* Returns what a send counts as where it arrives. */
static struct counted_as remote_ops(const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);

	if (w->recv || !op || op->local)
		return (struct counted_as){0, 0};
	switch (w->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_TSO:
		return (struct counted_as){0, 0};
	case IBV_WR_RDMA_WRITE:
		return (struct counted_as){CNTR_OP_REMOTE_RDMA_WRITE, 0};
	case IBV_WR_RDMA_READ:
		return (struct counted_as){CNTR_OP_REMOTE_RDMA_READ, 0};
	default:
		return (struct counted_as){0, REMOTE_OPS};
	}
}

static uint32_t ops_of(const struct model_qp *qp, uint16_t slot)
{
	uint32_t ops = 0;

	for (unsigned int i = 0; i < CNTR_OPS; i++)
		if (qp->counter[i] == slot + 1)
			ops |= 1u << i;
	return ops;
}

/* Returns true if a queue pair's requests go to another queue pair. */
static bool goes_to(const struct model *m, const struct model_wr *w,
		    const struct model_qp *peer)
{
	const struct model_qp *qp = &m->object[w->owner].qp;

	return peer->init.qp_num == (kind_addresses((enum qp_kind)qp->kind)
					     ? w->remote_qpn
					     : qp->attr.dest_qp_num);
}

/* Where a request is counted: by the queue pair that it was posted to, or by
 * the queue pair that it goes to. */
enum side { HERE, THERE };

/* Returns the operations of a request that the counter counts by a queue pair.
 */
static struct counted_as counted_by(const struct model *m, uint16_t qp,
				    uint16_t slot, const struct model_wr *w,
				    enum side side)
{
	uint32_t ops = ops_of(&m->object[qp].qp, slot);
	struct counted_as as = {0, 0};

	if (side == HERE && (w->owner == qp || w->owner == NO_OBJ))
		as = local_ops(w);
	if (side == THERE && ops & REMOTE_OPS && w->owner != NO_OBJ &&
	    goes_to(m, w, &m->object[qp].qp))
		as = remote_ops(w);
	return (struct counted_as){as.certain & ops, as.possible & ops};
}

/* Returns what a request adds at most. */
static uint64_t most_of(const struct model_comp_cntr *c,
			const struct model_wr *w)
{
	bool done = w->recv && w->posted_length > w->length;

	if (!c->bytes)
		return 1;
	return done ? w->posted_length : w->length;
}

#define each_qp(m, qp)                                                         \
	for (uint16_t qp = first_of(m, OBJ_QP); qp != NO_OBJ;                  \
	     qp = next_of(m, OBJ_QP, qp))

bool cntr_is_attached(const struct step *s, uint16_t slot)
{
	each_qp(s->m, qp)
	{
		if (s->m->object[qp].real == qp &&
		    ops_of(&s->m->object[qp].qp, slot))
			return true;
	}
	return false;
}

void cntr_forget_qp(struct model *m, uint16_t qp)
{
	memset(m->object[qp].qp.counter, 0, sizeof(m->object[qp].qp.counter));
}

void cntr_add(struct model *m, uint16_t slot, enum cntr_entry entry,
	      uint64_t amount)
{
	struct model_comp_cntr *cntr = &m->object[slot].comp_cntr;
	struct model_count *c = &cntr->count[entry];

	if (amount <= cntr->most - c->least) {
		c->least += amount;
		return;
	}
	c->wrapped = true;
	if (mutant_skips(m->mutant, ROW_CNTR_WRAP))
		c->least = cntr->most;
	else
		c->least = amount - (cntr->most - c->least) - 1;
}

static bool is_outstanding(const struct model_wr *w)
{
	return w->stage != WR_DISCARDED && w->stage != WR_BUILT &&
	       w->stage != WR_STRAY;
}

static uint64_t pending_in(struct model *m, uint16_t qp, uint16_t slot,
			   const struct wr_list *list, enum side side)
{
	uint64_t sum = 0;

	each_wr(m, list, w)
	{
		struct counted_as as = counted_by(m, qp, slot, w, side);

		if (is_outstanding(w) && (as.certain | as.possible))
			sum += most_of(&m->object[slot].comp_cntr, w);
	}
	return sum;
}

/* Returns what requests on the way to the queue pair may add. */
static uint64_t pending_from_peers(struct model *m, uint16_t qp, uint16_t slot)
{
	uint64_t sum = 0;

	each_qp(m, from)
	{
		sum += pending_in(m, qp, slot, wr_list_at(m, from, false),
				  THERE);
	}
	return sum;
}

uint64_t cntr_pending(struct model *m, uint16_t slot)
{
	uint64_t sum = 0;

	each_qp(m, qp)
	{
		const struct model_qp *at = &m->object[qp].qp;
		uint32_t ops = ops_of(at, slot);
		uint16_t srq = at->init.srq;

		if (m->object[qp].real != qp || !ops)
			continue;
		for (int recv = 0; recv < 2; recv++)
			sum += pending_in(m, qp, slot, wr_list_at(m, qp, recv),
					  HERE);
		if (srq != NO_OBJ)
			sum += pending_in(m, qp, slot, wr_list_at(m, srq, true),
					  HERE);
		if (ops & REMOTE_OPS)
			sum += pending_from_peers(m, qp, slot);
	}
	return sum;
}

/* Notes for a read what has changed a count. */
static void changed(struct step *s, uint16_t slot, enum cntr_entry entry,
		    enum row why)
{
	struct model_comp_cntr *cntr = &s->m->object[slot].comp_cntr;

	cntr->count[entry].moved = true;
	cntr->count[entry].why =
		(uint16_t)(cntr->shared && entry == CNTR_COMP ? ROW_CNTR_SHARED
							      : why);
}

/* Returns the bytes of a success, without a global route header. */
static uint64_t bytes_of(const struct model_wr *w)
{
	return w->recv && w->datagram && w->length > GRH_LEN
		       ? w->length - GRH_LEN
		       : w->length;
}

/* Counts a success or a failure for certain. */
static void count(struct step *s, uint16_t slot, const struct model_wr *w,
		  bool failed, enum side side)
{
	struct model_comp_cntr *cntr = &s->m->object[slot].comp_cntr;
	bool bytes = cntr->bytes && !failed;
	enum cntr_entry entry = failed ? CNTR_ERR : CNTR_COMP;
	enum row why = side == THERE ? ROW_CNTR_REMOTE : ROW_CNTR_COUNTS;
	uint64_t amount = bytes ? bytes_of(w) : 1;

	if (bytes && mutant_skips(s->m->mutant, ROW_CNTR_BYTES))
		amount = 1;
	if (failed)
		why = ROW_CNTR_ERRORS;
	else if (bytes)
		why = ROW_CNTR_BYTES;
	if (amount > cntr->most - cntr->count[entry].least)
		why = ROW_CNTR_WRAP;
	record_row(s, why);
	cntr_note_bounds(s->m, slot, entry);
	cntr_add(s->m, slot, entry, amount);
	if (bytes)
		cntr->count[entry].extra += w->length - bytes_of(w);
	changed(s, slot, entry, why);
	cntr_note_bounds(s->m, slot, entry);
}

/* Notes that a request may have been counted, in either count. */
static void maybe_count(struct model *m, uint16_t slot,
			const struct model_wr *w)
{
	struct model_comp_cntr *cntr = &m->object[slot].comp_cntr;

	for (int e = 0; e < 2; e++) {
		cntr_note_bounds(m, slot, (enum cntr_entry)e);
		cntr->count[e].extra += most_of(cntr, w);
		cntr->count[e].moved = true;
		cntr_note_bounds(m, slot, (enum cntr_entry)e);
	}
}

/* Returns true if a success is one of the queue pair that the request goes to
 * as well. UC tells nothing of that queue pair, and two devices may have queue
 * pairs of one number. */
static bool is_known_there(const struct model *m, const struct model_wr *w)
{
	unsigned int n = 0;

	each_qp(m, qp)
	{
		n += m->object[qp].real == qp && m->object[qp].qp.handles &&
		     goes_to(m, w, &m->object[qp].qp);
	}
	return n == 1 && m->object[w->owner].qp.kind == QK_RC;
}

/* A completion, and who is told of it */
struct told {
	struct step *s;
	const struct model_wr *w;
	uint32_t status;
	uint16_t qp, slot;
	enum side side;
};

/* For an oracle */
static void note_completion(const struct told *t, const struct counted_as *as)
{
	bool success = t->status == IBV_WC_SUCCESS;
	bool sure = t->side == HERE ? t->status != IBV_WC_WR_FLUSH_ERR
				    : success && is_known_there(t->s->m, t->w);

	if (!as->certain && !as->possible)
		return;
	if (as->certain && sure)
		count(t->s, t->slot, t->w, !success, t->side);
	else
		maybe_count(t->s->m, t->slot, t->w);
}

/* For a device, perhaps with a seeded fault */
static void count_completion(const struct told *t, const struct counted_as *as)
{
	const struct mutant *mutant = t->s->m->mutant;
	bool failed = t->status != IBV_WC_SUCCESS;
	bool counts = as->certain || as->possible & CNTR_OP_RECV;

	if (t->s->m->object[t->qp].qp.counter_late &&
	    mutant_skips(mutant, ROW_CNTR_SHARED))
		return;
	if (t->side == HERE && mutant_skips(mutant, ROW_CNTR_OTHER))
		counts = true;
	if (t->side == THERE &&
	    (failed || mutant_skips(mutant, ROW_CNTR_REMOTE)))
		return;
	if (!failed && t->side == HERE && mutant_skips(mutant, ROW_CNTR_COUNTS))
		return;
	if (counts)
		count(t->s, t->slot, t->w,
		      failed && !mutant_skips(mutant, ROW_CNTR_ERRORS),
		      t->side);
}

/* Returns true if the counter of operation `at` counts an operation before it
 * as well. */
static bool is_repeated(const struct model_qp *qp, unsigned int at)
{
	for (unsigned int i = 0; i < at; i++)
		if (qp->counter[i] == qp->counter[at])
			return true;
	return false;
}

typedef void tell_fn(const struct told *t, const struct counted_as *as);

/* Tells each counter of a queue pair of a request. */
static void tell(struct told *t, tell_fn *fn)
{
	const struct model_qp *qp = &t->s->m->object[t->qp].qp;

	for (unsigned int i = 0; i < CNTR_OPS; i++) {
		struct counted_as as;

		if (!qp->counter[i] || is_repeated(qp, i))
			continue;
		t->slot = (uint16_t)(qp->counter[i] - 1);
		as = counted_by(t->s->m, t->qp, t->slot, t->w, t->side);
		if (t->side == HERE && !as.certain && !as.possible)
			t->s->m->object[t->slot].comp_cntr.others = true;
		fn(t, &as);
	}
}

static void tell_all(struct step *s, const struct model_wr *w, uint32_t status,
		     tell_fn *fn)
{
	if (!s->m->comp_cntrs || w->owner == NO_OBJ || w->tm == TM_OP)
		return;
	for (int side = HERE; side <= THERE; side++) {
		each_qp(s->m, qp)
		{
			struct told t = {s, w, status, qp, 0, (enum side)side};

			if (s->m->object[qp].real == qp &&
			    (side == THERE || w->owner == qp))
				tell(&t, fn);
		}
	}
}

void cntr_request_done(struct step *s, const struct model_wr *w)
{
	if (!is_oracle(s))
		tell_all(s, w, w->status, count_completion);
}

void cntr_completion_seen(struct step *s, const struct model_wr *w,
			  uint32_t status)
{
	if (is_oracle(s))
		tell_all(s, w, status, note_completion);
}

static void note_unseen(const struct told *t, const struct counted_as *as)
{
	if (as->certain || as->possible)
		maybe_count(t->s->m, t->slot, t->w);
}

void cntr_request_unseen(struct step *s, const struct model_wr *w)
{
	if (is_oracle(s) && is_outstanding(w))
		tell_all(s, w, w->status, note_unseen);
}

void cntr_requests_dropped(struct step *s, uint16_t qp)
{
	if (!s->m->comp_cntrs)
		return;
	for (int recv = 0; recv < 2; recv++)
		each_wr(s->m, wr_list_at(s->m, qp, recv), w)
		{
			cntr_request_unseen(s, w);
		}
}
