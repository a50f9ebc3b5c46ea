// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides which messages of UC, UD and RAW_PACKET were lost; none has to
 * arrive. The next message takes the receive of a lost message, or ERR flushes
 * the receive. An oracle hands each message to a receive as if none were lost.
 * When the device under test shows that a message was lost, the oracle moves
 * the later messages up by one receive. It keeps a message that found no
 * receive behind them, since that message may move up too. If an event tells at
 * once whether a message came, the oracle takes the choice at once.
 */
#include "model/data/link.h"
#include "model/data/poll.h"
#include "model/events/events.h"
#include "model/raw/looped.h"
#include "model/raw/spread.h"

bool kind_may_lose_messages(enum qp_kind kind)
{
	return kind == QK_UC || kind == QK_UD || kind == QK_RAW_PACKET;
}

/* Returns the row that permits to lose a message to a type, or the row about
 * packets of the receiver's own context. */
static enum row loss_row(const struct model_wr *w, enum qp_kind kind)
{
	if (w->own_row)
		return (enum row)w->own_row;
	return kind == QK_RAW_PACKET ? ROW_FLOW_ARRIVES : ROW_POLL_LOST;
}

/* Returns true if the best outcome of a row is that the message is lost. */
static bool is_best_lost(enum row row)
{
	return rule(row)->out[0] == OUT_LOST;
}

/* Returns true if the device loses a packet. */
static bool loses_packet(const struct step *s, const struct model_wr *w)
{
	enum row row = loss_row(w, QK_RAW_PACKET);
	bool chosen = mutant_choice(s->m->mutant, row) ==
		      (is_best_lost(row) ? OUT_ARRIVES : OUT_LOST);

	return is_best_lost(row) != (chosen || mutant_skips(s->m->mutant, row));
}

static enum qp_kind kind_of(const struct step *s, uint16_t qp)
{
	return (enum qp_kind)s->m->object[qp].qp.kind;
}

/* Returns the row by which a message counts as certain to arrive, or ROW_NONE:
 * a packet that a vendor promises to loop back, or a datagram with the top bit
 * of its Q_Key set, whose loss would hide ROW_UD_QKEY_OWN. */
static enum row arrival_row(const struct model_wr *w, enum qp_kind kind)
{
	if (w->own_row)
		return rule_nouts((enum row)w->own_row) == 1
			       ? (enum row)w->own_row
			       : ROW_NONE;
	return kind == QK_UD && w->remote_qkey >> 31 ? ROW_UD_QKEY_OWN
						     : ROW_NONE;
}

/* Returns true if an event tells at once whether a message came to a
 * receive. */
static bool shows_at_once(const struct step *s, const struct model_wr *w,
			  const struct model_wr *r, uint16_t peer)
{
	return cq_event_on_receive(s, receiving_cq(s->m, r, peer),
				   w->solicited) ||
	       (r->srq != NO_OBJ && srq_runs_low(s, r->srq));
}

bool lost_message_decide(struct step *s, const struct model_wr *w,
			 struct model_wr *r, uint16_t peer, bool fails)
{
	enum qp_kind kind = kind_of(s, peer);

	if (!kind_may_lose_messages(kind))
		return false;
	record_row(s, loss_row(w, kind));
	if (arrival_row(w, kind) && (is_oracle(s) || kind != QK_RAW_PACKET))
		return false;
	if (kind != QK_RAW_PACKET)
		record_row(s, ROW_POLL_ARRIVES);
	if (is_oracle(s))
		return (fails || shows_at_once(s, w, r, peer)) &&
		       choose_hidden(s, loss_row(w, kind)) == OUT_LOST;
	if (kind == QK_RAW_PACKET)
		return loses_packet(s, w) ||
		       (w->comes_row &&
			mutant_skips(s->m->mutant, ROW_FLOW_AGAIN));
	if (mutant_skips(s->m->mutant, ROW_POLL_ARRIVES))
		return true;
	if (mutant_skips(s->m->mutant, ROW_POLL_LOST)) {
		wr_set_stage(s->m, r, WR_RETIRED);
		return true;
	}
	return mutant_choice(s->m->mutant, ROW_POLL_LOST) == OUT_LOST;
}

void lost_message_note(const struct step *s, const struct model_wr *w,
		       struct model_wr *r, uint16_t peer)
{
	enum qp_kind kind = kind_of(s, peer);

	r->status_row = (uint16_t)arrival_row(w, kind);
	if (!is_oracle(s) || !kind_may_lose_messages(kind) || r->status_row ||
	    shows_at_once(s, w, r, peer))
		return;
	r->maybe_lost = MAYBE_LOST_POSTED;
	if (kind != QK_RAW_PACKET && !link_may_lose(s->m, w, peer) &&
	    !mcast_needs_join(s, w))
		s->m->object[peer].qp.unheard++;
}

struct model_wr *lost_message_note_stray(const struct step *s, uint16_t peer)
{
	const struct wr_queue q = {peer, NO_OBJ, true};
	bool any = false;
	struct model_wr *stray;

	if (!is_oracle(s) || !kind_may_lose_messages(kind_of(s, peer)))
		return NULL;
	each_wr(s->m, wr_list_of(s->m, &q), r) any |= r->maybe_lost != NOT_LOST;
	stray = any ? wr_add(s->m, &q) : NULL;
	if (!stray)
		return NULL;
	wr_set_stage(s->m, stray, WR_STRAY);
	stray->maybe_lost = MAYBE_LOST_POSTED;
	return stray;
}

bool lost_message_permits_status(const struct model_wr *r, uint32_t status)
{
	return r->maybe_lost == MAYBE_LOST_FLUSHED &&
	       status == IBV_WC_WR_FLUSH_ERR;
}

/* Returns the row that permits that the message of a receive did not come. */
static enum row lost_row(const struct step *s, const struct model_wr *r)
{
	enum qp_kind kind = kind_of(s, r->owner);

	return kind_may_lose_messages(kind) ? loss_row(r, kind)
					    : ROW_POLL_IN_FLIGHT;
}

/* The memory of all receives of a queue is unknown from now on. Later packets
 * are steered by bytes elsewhere, which stay known. */
static void forget_receives(struct model *m, uint16_t owner)
{
	each_wr(m, wr_list_at(m, owner, true), r)
	{
		copy_blur(m, &r->data, elements_bytes(&r->data));
	}
}

/* Takes the choice that a message was lost or did not come, unless that is the
 * first outcome of its row. */
static void take_lost(struct step *s, const struct model_wr *r)
{
	enum row row = lost_row(s, r);

	/* the other queues of a table may have the packet */
	if (!r->rss_packet && !is_best_lost(row))
		choose_second(s, row);
	/* which receive holds which message is not followed */
	if (kind_of(s, r->owner) == QK_RAW_PACKET)
		forget_receives(s->m, r->owner);
	else
		s->m->bytes_lost = true;
}

/* Moves a message to another receive: copies what its completion says. */
static void move_message(struct model_wr *to, const struct model_wr *from)
{
	to->length = from->length;
	to->segment = from->segment;
	to->wc_opcode = from->wc_opcode;
	to->imm = from->imm;
	to->imm_data = from->imm_data;
	to->invalidated = from->invalidated;
	to->invalidates = from->invalidates;
	to->src_qp = from->src_qp;
	to->sender = from->sender;
	to->from = from->from;
	to->message = from->message;
	to->grh = from->grh;
	to->slid = from->slid;
	to->sl = from->sl;
	to->path_bits = from->path_bits;
	to->rss_packet = from->rss_packet;
	to->rss_sum = from->rss_sum;
	to->rss_qp = from->rss_qp;
	to->counters = from->counters;
	to->counted = from->counted;
	to->checksum = from->checksum;
	to->checksum_row = from->checksum_row;
	to->own_row = from->own_row;
	to->flow_tagged = from->flow_tagged;
	to->flow_tag = from->flow_tag;
	to->passing = from->passing;
	to->rule = from->rule;
	to->headers = from->headers;
	to->comes_row = from->comes_row;
}

/* Returns the receive of the next message that may be lost, or NULL. */
static struct model_wr *next_maybe_lost(struct model *m,
					const struct model_wr *r)
{
	struct model_wr *next = wr_after(m, r);

	while (next && !next->maybe_lost)
		next = wr_after(m, next);
	return next;
}

/* Takes back the completion of a receive that no message is left for: the
 * receive was flushed or is outstanding. */
static void give_back(struct model *m, struct model_wr *r)
{
	bool flushed = r->maybe_lost == MAYBE_LOST_FLUSHED;

	r->maybe_lost = NOT_LOST;
	if (flushed) {
		r->status = IBV_WC_WR_FLUSH_ERR;
		return;
	}
	r->length = r->posted_length;
	wr_set_stage(m, r, WR_POSTED);
	if (r->srq != NO_OBJ)
		wr_return_to_srq(m, r);
}

/* Loses the message of `r`: the messages behind it move up by one receive. If
 * one of them had found no receive, it gets the last. */
static void lose_message(struct model *m, struct model_wr *r)
{
	struct model_wr *next;

	while ((next = next_maybe_lost(m, r)) != NULL) {
		move_message(r, next);
		if (next->stage == WR_STRAY) {
			wr_remove(m, next);
			return;
		}
		r = next;
	}
	give_back(m, r);
}

/* Returns how many messages were lost before the message of a completion, or 0
 * if the completion fits no message that may be the next. */
static int lost_before(struct step *s, const struct model_wr *r,
		       const struct polled_wc *wc)
{
	int lost = 0;

	for (; r; r = next_maybe_lost(s->m, r), lost++) {
		if (wc_describes(s, r, wc))
			return lost;
		if (r->comes_row)
			return 0;
	}
	return 0;
}

/* The packet of a receive came to this queue pair: the other copies come too.
 */
static void expect_copies(struct model *m, const struct model_wr *r)
{
	for (uint16_t i = first_of(m, OBJ_QP); i != NO_OBJ;
	     i = next_of(m, OBJ_QP, i))
		each_wr(m, wr_list_at(m, i, true), w)
		{
			if (w != r && w->passing == r->passing)
				w->comes_row = ROW_FLOW_PASSES;
		}
}

/* The packet of a receive came to this work queue: the others do not get it. */
static void lose_copies(struct model *m, const struct model_wr *r)
{
	for (uint16_t i = first_of(m, OBJ_WQ); i != NO_OBJ;
	     i = next_of(m, OBJ_WQ, i)) {
		struct model_wr *w = wr_first(m, wr_list_at(m, i, true));

		while (w && !(w->rss_packet == r->rss_packet && w->maybe_lost))
			w = wr_after(m, w);
		if (i != r->owner && w)
			lose_message(m, w);
	}
}

void lost_message_take_completion(struct step *s, struct model_wr *r,
				  const struct polled_wc *wc)
{
	bool all = lost_message_permits_status(r, wc->status);
	bool behind =
		r->maybe_lost && kind_may_lose_messages(kind_of(s, r->owner));
	int lost = behind ? lost_before(s, r, wc) : 0;

	if (r->recv && wc->status == IBV_WC_SUCCESS)
		s->m->object[r->owner].qp.unheard =
			s->m->object[r->owner].qp.waited = 0;
	if (all || lost)
		take_lost(s, r);
	while (r->maybe_lost && (all || lost-- > 0))
		lose_message(s->m, r);
	if (r->recv && r->own_row && wc->status == IBV_WC_SUCCESS &&
	    is_best_lost((enum row)r->own_row))
		choose_second(s, (enum row)r->own_row);
	if (r->recv && r->counters && wc->status == IBV_WC_SUCCESS)
		flow_counters_seen(s, r);
	if (r->recv && wc->status == IBV_WC_SUCCESS)
		looped_seen(s->m, r);
	if (r->recv && r->passing && wc->status == IBV_WC_SUCCESS)
		expect_copies(s->m, r);
	if (r->recv && r->rss_packet && wc->status == IBV_WC_SUCCESS) {
		spread_seen(s, r);
		lose_copies(s->m, r);
	}
}

/* So many messages in a row are not lost by chance (ROW_POLL_ARRIVES), nor is
 * one of which a copy or an equal packet has come, if the poll has waited long
 * enough for any device. */
#define ALL_LOST    16
#define ARRIVING_MS 1000

static bool must_have_come(const struct step *s, const struct model_wr *r)
{
	return (r->comes_row ||
		s->m->object[r->owner].qp.unheard >= ALL_LOST) &&
	       s->b->in.poll.timeout_ms >= ARRIVING_MS;
}

bool lost_message_was_missing(struct step *s, const struct model_wr *r)
{
	if (r->maybe_lost != MAYBE_LOST_POSTED || must_have_come(s, r))
		return false;
	if (s->b->in.poll.timeout_ms >= ARRIVING_MS) {
		struct model_qp *qp = &s->m->object[r->owner].qp;

		looped_missed(s->m, r);
		qp->waited = qp->unheard;
	}
	take_lost(s, r);
	return true;
}

/* Returns the first receive of a list that may still be outstanding and is not
 * of an SRQ; or NULL. */
static struct model_wr *first_maybe_posted(struct model *m,
					   struct wr_list *list)
{
	each_wr(m, list, w)
	{
		if (w->stage == WR_DONE && w->maybe_lost == MAYBE_LOST_POSTED &&
		    w->srq == NO_OBJ)
			return w;
	}
	return NULL;
}

/* If the flush of a receive would raise an event, decides now whether its
 * message was lost, so that a receive is left to flush. */
static void decide_left_receives(struct step *s, struct wr_list *list)
{
	struct model_wr *w;

	while (!wr_next_posted(s->m, list) &&
	       (w = first_maybe_posted(s->m, list)) != NULL &&
	       cq_event_on_receive(s, w->cq, true)) {
		enum row row = lost_row(s, w);

		if (choose_hidden(s, row) ==
		    rule(row)->out[is_best_lost(row)]) {
			w->maybe_lost = NOT_LOST;
			continue;
		}
		s->m->bytes_lost = true;
		lose_message(s->m, w);
	}
}

void lost_message_flush(struct step *s, struct wr_list *list)
{
	if (!is_oracle(s))
		return;
	decide_left_receives(s, list);
	each_wr(s->m, list, w)
	{
		if (w->maybe_lost && w->srq == NO_OBJ)
			w->maybe_lost = MAYBE_LOST_FLUSHED;
	}
}
