// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * iWARP: two queue pairs at the ends of a stream. A SEND or a WRITE is done
 * when the stream has it; what the other end cannot take ends the stream, and
 * with it both queue pairs, each of which learns of it in its own time.
 */
#include "contract/opcodes.h"
#include "model/internal.h"

#define LEARNS_MS 1000 /* in which an end has learnt of it, as polls wait */

void stream_join(struct model *m, uint16_t a, uint16_t b)
{
	m->object[a].qp.partner = b;
	if (b != NO_OBJ)
		m->object[b].qp.partner = a;
}

static uint16_t part(struct model *m, uint16_t slot)
{
	uint16_t partner = m->object[slot].qp.partner;

	m->object[slot].qp.partner = NO_OBJ;
	if (partner != NO_OBJ)
		m->object[partner].qp.partner = NO_OBJ;
	return partner;
}

/* Messages that nobody has seen arrive may be under way when it ends. */
static void doubt_receives(struct step *s, uint16_t slot)
{
	if (!is_oracle(s))
		return;
	each_work(s->m, work_queue(s->m, slot, 1), w)
	{
		if (w->stage == WORK_DONE && w->status == IBV_WC_SUCCESS)
			w->in_flight = true;
	}
}

static void may_tell(struct step *s, uint16_t slot)
{
	static const uint8_t types[] = {IBV_EVENT_QP_FATAL,
					IBV_EVENT_QP_REQ_ERR,
					IBV_EVENT_QP_ACCESS_ERR};

	meet(s, ROW_IWARP_EVENT);
	for (size_t i = 0; i < sizeof(types); i++)
		add_event(s->m, types[i], slot, true, ROW_IWARP_EVENT);
}

/* What it had to do is over, in whichever state it will be found. */
static void ends_at(struct step *s, uint16_t slot)
{
	may_tell(s, slot);
	enters_err(s, slot);
	stop_in_flight(s, slot);
	work_flush(s, slot, false);
}

/* Before it learns of it a stream may have taken what is behind, too. */
static void doubt_sends(struct step *s, uint16_t slot)
{
	if (!is_oracle(s))
		return;
	each_work(s->m, work_queue(s->m, slot, 0), w)
	{
		if (w->stage == WORK_POSTED)
			stream_late(s, w);
	}
}

static void learns(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;

	meet(s, ROW_IWARP_OVER);
	if (mutant_skips(s->m->mutant, ROW_IWARP_OVER))
		return;
	qp->state = IBV_QPS_ERR;
	qp->ending = ENDS_UNSEEN;
	doubt_sends(s, slot);
	ends_at(s, slot);
}

void stream_left(struct step *s, uint16_t slot)
{
	uint16_t partner = part(s->m, slot);

	if (partner == NO_OBJ)
		return;
	doubt_receives(s, partner);
	learns(s, partner);
}

void stream_moved(struct step *s, uint16_t slot)
{
	const struct model_qp *qp = &s->m->object[slot].qp;

	if (qp->state == IBV_QPS_RTS)
		return;
	doubt_receives(s, slot);
	stream_left(s, slot);
	if (qp->ending)
		ends_at(s, slot);
}

/* Everything before the message that is refused has come to the peer. */
static void breaks(struct step *s, uint16_t slot)
{
	uint16_t partner = part(s->m, slot);

	doubt_receives(s, slot);
	learns(s, slot);
	if (partner != NO_OBJ)
		learns(s, partner);
}

/* The stream has it: that it is refused comes too late to be sure. */
static void handed_over(struct step *s, struct model_work *w)
{
	int out = mutant_choice(s->m->mutant, ROW_IWARP_SENT);

	meet(s, ROW_IWARP_SENT);
	transfer_succeeds(s, w);
	w->some_error = false;
	w->ends = ROW_IWARP_SENT;
	if (is_oracle(s) || out < 0 || out == OUT_OK)
		return;
	w->status = (uint8_t)fault_outcome((enum out)out);
	work_stage(s->m, w, WORK_DONE);
}

static void refused(struct step *s, struct model_work *w,
		    const struct opcode *op)
{
	if (op->access != IBV_ACCESS_REMOTE_READ) {
		handed_over(s, w);
		return;
	}
	meet(s, ROW_IWARP_READ);
	w->ends = ROW_IWARP_READ;
	transfer_refused(s, w);
}

/* A device that breaks the rule lets it wait for a receive. */
static bool waits(struct step *s, const struct opcode *op, enum fate fate)
{
	if (fate != WAITS || op->access)
		return false;
	meet(s, ROW_IWARP_NO_RECEIVE);
	return mutant_skips(s->m->mutant, ROW_IWARP_NO_RECEIVE);
}

/* What is wrong with memory at home has no status that iWARP would name. */
static void name_status(struct step *s, struct model_work *w)
{
	if (w->ends < ROW_LOCAL_KEY || w->ends > ROW_LOCAL_RIGHT)
		return;
	meet(s, ROW_IWARP_LOCAL);
	w->ends = ROW_IWARP_LOCAL;
}

/* What a READ brings is put into memory when the answer comes: of one that the
 * other end refuses that may be found first. */
static bool refused_first(struct step *s, const struct model_work *w,
			  const struct opcode *op)
{
	uint16_t partner = s->m->object[w->owner].qp.partner;

	return opcode_fetches(op) &&
	       (partner == NO_OBJ ||
		fault_remote(s, w, op, partner) != ROW_NONE) &&
	       settle_hidden(s, ROW_FAULT_FIRST) != OUT_LOC_PROT_ERR;
}

bool stream_carry(struct step *s, struct model_work *w, const struct opcode *op)
{
	uint16_t owner = w->owner, partner = s->m->object[owner].qp.partner;
	enum fate fate = FAULTY;

	if (w->illegal || !op ||
	    (fails_at_home(s, w, op) && !refused_first(s, w, op))) {
		name_status(s, w);
		transfer_refused(s, w);
		breaks(s, owner);
		return true;
	}
	if (partner != NO_OBJ)
		fate = transfer_request(s, w, op, partner);
	if (waits(s, op, fate))
		return false;
	if (fate == ARRIVES) {
		transfer_succeeds(s, w);
		return true;
	}
	refused(s, w, op);
	breaks(s, owner);
	return true;
}

void stream_late(struct step *s, struct model_work *w)
{
	if (s->m->object[w->owner].qp.ending == ENDS_UNSEEN && !w->recv)
		w->ends = w->opcode == IBV_WR_RDMA_READ ? ROW_IWARP_READ
							: ROW_IWARP_SENT;
}

bool stream_status(const struct model_work *w, uint32_t status)
{
	if (w->some_error)
		return false;
	if (w->ends == ROW_IWARP_SENT && status == IBV_WC_SUCCESS)
		return true;
	return (w->ends == ROW_IWARP_SENT || w->ends == ROW_IWARP_READ) &&
	       fault_permits(w, status);
}

void stream_over(struct model *m, uint16_t slot)
{
	if (m->object[slot].qp.ending == ENDS_UNSEEN)
		m->object[slot].qp.ending = ENDS_SEEN;
}

void settle_stream(struct step *s, struct model_work *w,
		   const struct polled_wc *wc)
{
	if (wc->status == IBV_WC_WR_FLUSH_ERR)
		stream_over(s->m, w->owner);
	if (w->status == wc->status || !stream_status(w, wc->status))
		return;
	w->status = (uint8_t)fault_status(s, w, wc->status);
	w->in_flight = false;
}

bool stream_tarries(const struct step *s, const struct model_work *w)
{
	const struct object *o = &s->m->object[w->owner];

	return o->alive && o->qp.ending && w->status == IBV_WC_WR_FLUSH_ERR &&
	       s->b->in.poll.timeout_ms < LEARNS_MS;
}
