// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A queue pair receives each message once: it reports no more receives than
 * messages that were posted to it, and of messages with immediate data no more
 * than were posted with these.
 */
#include "contract/opcodes.h"
#include "fire/checks.h"

/* Returns true if the sender may be, or have been, connected to a queue pair of
 * that number. */
static bool may_lead_to(const struct fire_view *v, uint16_t sender,
			uint32_t number)
{
	bool connected = false;

	for (unsigned int i = 0; i < v->log->n; i++) {
		const struct fire_record *r = &v->log->record[i];

		if (r->b.verb != V_modify_qp || r->b.on != sender ||
		    !(r->b.in.qp_attr.mask & IBV_QP_DEST_QPN))
			continue;
		if (r->b.in.qp_attr.attr.dest_qp_num == number)
			return true;
		connected = true;
	}
	return !connected; /* by rdma_cm */
}

static bool has_imm(const struct polled_wc *wc)
{
	return wc->wc_flags & IBV_WC_WITH_IMM;
}

/* Returns true if the request is a message that may take a receive of the queue
 * pair as `wc` tells. A send whose post was refused may be carried out:
 * fire/refused-post decides about that. */
static bool may_arrive(const struct fire_view *v, const struct fire_request *r,
		       uint16_t qp, const struct polled_wc *wc)
{
	const uint32_t number = v->results->of[qp].out.qp_init.qp_num;
	struct wr_args wr;
	const struct opcode *op;

	if (r->recv)
		return false;
	wr = request_at(&r->post->b.in.wr, r->index);
	op = opcode_of(wr.opcode);
	if (!op || !op->receive ||
	    (has_imm(wc) && (!op->imm || wr.imm_data != wc->imm_data)))
		return false;
	return fire_kind(v, r->queue) == QK_UD
		       ? wr.remote_qpn == number
		       : may_lead_to(v, r->queue, number);
}

static bool is_received(const struct fire_completion *c)
{
	return c->of && c->of->recv && c->wc->status == IBV_WC_SUCCESS &&
	       c->wc->qp != NO_OBJ;
}

/* Returns true if both are receives of one queue pair, and of messages with the
 * same immediate data if the second one has such. */
static bool is_like(const struct fire_completion *c,
		    const struct fire_completion *to)
{
	return is_received(c) && c->wc->qp == to->wc->qp &&
	       (!has_imm(to->wc) ||
		(has_imm(c->wc) && c->wc->imm_data == to->wc->imm_data));
}

/* Counts the receives like this one that polls brought until it came. */
static unsigned int count_received(const struct fire_view *v,
				   const struct fire_completion *like)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < v->ncompletions; i++)
		n += is_like(&v->completion[i], like) &&
		     v->completion[i].poll->end <= like->poll->end;
	return n;
}

/* Counts the messages that may have been received so, whose posts began before.
 */
static unsigned int count_sent(const struct fire_view *v,
			       const struct fire_completion *received)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < v->nrequests; i++)
		n += v->request[i].post->begin < received->poll->end &&
		     may_arrive(v, &v->request[i], received->wc->qp,
				received->wc);
	return n;
}

bool fire_check_messages(const struct fire_view *v, struct fire_said *said)
{
	for (unsigned int i = 0; i < v->ncompletions; i++) {
		const struct fire_completion *c = &v->completion[i];
		unsigned int received, sent;

		if (!is_received(c))
			continue;
		received = count_received(v, c);
		sent = count_sent(v, c);
		if (received > sent)
			return fire_say(said, ROW_FIRE_MESSAGES,
					"each message once",
					"%u receives succeed, and %u such "
					"messages were posted (wr_id %llu)",
					received, sent,
					(unsigned long long)c->wc->wr_id);
	}
	return false;
}
