// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Gives a message to its receive, and notes what the completion of the receive
 * will say of the message.
 */
#include "model/data/deliver.h"
#include "model/data/packet.h"
#include "model/events/events.h"
#include "model/raw/looped.h"
#include "model/raw/raw_packet.h"

struct model_wr *deliver_next_receive(struct step *s, const struct model_wr *w,
				      uint16_t peer)
{
	uint16_t srq = receiving_srq(s, w->remote_srqn, peer);
	const struct wr_queue q = {srq == NO_OBJ ? peer : NO_OBJ, srq, true};
	const struct wr_list *list = wr_list_of(s->m, &q);
	const struct model_memory *memory = s->m->memory;

	if (!wr_next_posted(s->m, list) && memory && memory->next_receive)
		memory->next_receive(memory->arg, srq == NO_OBJ ? peer : srq);
	return wr_next_posted(s->m, list);
}

void deliver_use_receive(struct model *m, struct model_wr *r, uint16_t peer)
{
	wr_move_to_qp(m, r, peer);
	r->optional_row = ROW_NONE;
	r->cq = receiving_cq(m, r, peer);
}

/* Returns true if a datagram is received with a GRH. On Ethernet each datagram
 * is: the 40 bytes in front hold a GRH or an IP header. */
static bool carries_grh(const struct step *s, const struct model_wr *w)
{
	const struct ibv_ah_attr *ah = &s->m->object[w->ah].ah;

	return ah->is_global || is_ethernet(home_of(s->m, w->ah), ah->port_num);
}

/* Notes what the completion of a datagram says of its path on InfiniBand. */
static void note_path(const struct model *m, const struct model_wr *w,
		      struct model_wr *r, uint16_t peer)
{
	const struct ibv_ah_attr *ah = &m->object[w->ah].ah;
	const struct ibv_port_attr *from =
		&home_of(m, w->ah)->port[ah->port_num - 1].attr;
	const struct model_qp *to = &m->object[peer].qp;
	const struct ibv_port_attr *port =
		&home_of(m, peer)->port[to->port - 1].attr;

	r->sl = ah->sl;
	r->slid = from->lid | (ah->src_path_bits & ((1u << from->lmc) - 1));
	r->path_bits = (uint8_t)(ah->dlid & ((1u << port->lmc) - 1));
}

/* Returns the number that datagrams of a queue pair name as their sender. */
static uint32_t source_number(struct step *s, const struct model_qp *qp)
{
	if (!qp_has_source(qp))
		return qp->init.qp_num;
	record_row(s, ROW_SOURCE_QPN_SENT);
	return mutant_skips(s->m->mutant, ROW_SOURCE_QPN_SENT)
		       ? qp->init.qp_num
		       : qp->init.source_qpn & 0xffffff;
}

/* Writes into receive `r` what its completion says of the message. */
static void write_message(struct step *s, const struct model_wr *w,
			  const struct opcode *op, struct model_wr *r,
			  uint16_t peer)
{
	struct model *m = s->m;
	bool datagram = m->object[peer].qp.kind == QK_UD;

	r->wc_opcode = op->access ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	r->length = w->length + (datagram ? GRH_LEN : 0);
	r->segment = w->segment;
	r->rss_packet = w->rss_packet;
	r->rss_sum = w->rss_sum;
	r->rss_qp = w->rss_qp;
	r->counters = w->counters;
	r->counted = w->counted;
	r->checksum = w->checksum;
	r->checksum_row = w->checksum_row;
	r->own_row = w->own_row;
	r->flow_tagged = w->flow_tagged;
	r->flow_tag = w->flow_tag;
	r->passing = w->passing;
	r->rule = w->rule;
	r->headers = w->headers;
	r->comes_row = w->comes_row;
	r->imm = op->imm;
	r->imm_data = w->imm_data;
	r->datagram = datagram;
	r->src_qp = source_number(s, &m->object[w->owner].qp);
	r->sender = w->ah;
	r->grh = datagram && carries_grh(s, w) &&
		 !(op->imm && mutant_has_quirk(m->mutant, QUIRK_GRH_IMM));
	if (datagram)
		note_path(m, w, r, peer);
	r->invalidated = op->invalidates;
	r->invalidates = w->invalidates;
}

#define LINE 128 /* of the longest cache line */

/* The bytes behind a packet, up to the end of a cache line, are unknown. */
static void copy_padding(struct step *s, const struct model_wr *w,
			 const struct model_wr *r)
{
	uint64_t end = w->length + r->data.offset + LINE - 1;
	struct place at;
	uint64_t step;

	end = end / LINE * LINE - r->data.offset;
	record_row(s, ROW_FLOW_PADDING);
	if (end > r->posted_length ||
	    mutant_skips(s->m->mutant, ROW_FLOW_PADDING))
		end = r->posted_length;
	for (uint64_t done = w->length; done < end; done += step) {
		step = elements_locate(&r->data, done, &at);
		step = step < end - done ? step : end - done;
		if (!step)
			return;
		if (is_oracle(s))
			bytes_set_unknown(s->m, at, step);
		else
			bytes_fill(s->m, at, step, 7);
	}
}

/* Returns how many bytes of its receive a message leaves free for the GRH. A
 * seeded fault takes the first element, if that is shorter. */
static uint32_t header_bytes(const struct model *m, const struct model_wr *r)
{
	uint32_t first = element_at(&r->data, 0).length;

	return (mutant_has_quirk(m->mutant, QUIRK_HEADER_ELEMENT) ||
		(r->srq != NO_OBJ &&
		 mutant_has_quirk(m->mutant, QUIRK_HEADER_SRQ))) &&
			       r->data.n > 1 && first < GRH_LEN
		       ? first
		       : GRH_LEN;
}

/* Seeded fault: a WRITE with immediate completes where the message before it
 * did. */
static void use_queue_before(struct step *s, const struct opcode *op,
			     struct model_wr *r, uint16_t peer)
{
	struct model_qp *qp = &s->m->object[peer].qp;
	uint16_t before = qp->srq_before;
	const struct object *o;

	if (!mutant_has_quirk(s->m->mutant, QUIRK_XRC_IMM_QUEUE) ||
	    qp->kind != QK_XRC_RECV)
		return;
	qp->srq_before = (uint16_t)(r->srq + 1);
	if (!op->access || !before)
		return;
	o = &s->m->object[before - 1];
	if (o->alive && o->kind == OBJ_SRQ)
		r->cq = o->srq.cq;
}

/* Seeded fault: the receives of a target complete where the first one did. */
static void use_first_queue(struct step *s, struct model_wr *r, uint16_t peer)
{
	struct model_qp *qp = &s->m->object[peer].qp;
	const struct object *o;

	if (!mutant_has_quirk(s->m->mutant, QUIRK_XRC_FIRST_CQ) ||
	    qp->kind != QK_XRC_RECV)
		return;
	if (!qp->srq_before)
		qp->srq_before = (uint16_t)(r->srq + 1);
	o = &s->m->object[qp->srq_before - 1];
	if (o->alive && o->kind == OBJ_SRQ)
		r->cq = o->srq.cq;
}

void deliver_message(struct step *s, const struct model_wr *w,
		     const struct opcode *op, struct model_wr *r, uint16_t peer)
{
	bool datagram = s->m->object[peer].qp.kind == QK_UD;

	deliver_use_receive(s->m, r, peer);
	use_queue_before(s, op, r, peer);
	use_first_queue(s, r, peer);
	r->posted_length = r->length;
	r->from = w->owner;
	r->message = w->message;
	lost_message_note(s, w, r, peer);
	srq_order_note(s, r);
	wr_set_stage(s->m, r, WR_DONE);
	r->status = IBV_WC_SUCCESS;
	write_message(s, w, op, r, peer);
	if (!is_oracle(s))
		looped_seen(s->m, r);
	r->solicited = w->solicited;
	if (mutant_has_quirk(s->m->mutant, QUIRK_SOLICITED_LONG) &&
	    (w->opcode == IBV_WR_SEND || w->opcode == IBV_WR_SEND_WITH_IMM) &&
	    !datagram && packet_count(s->m, w) > 1)
		r->solicited = false;
	r->held_in_sqd = w->held_in_sqd;
	r->by_setter = w->by_setter;
	completion_added(s, r);
	/* the bytes of packets that are longer or shorter than they were sent
	 * are not followed, nor the headers of datagrams with TSO */
	if (w->altered & (PACKET_STRIPPED | PACKET_WITH_FCS | PACKET_REWRITTEN))
		copy_blur(s->m, &r->data, r->posted_length);
	else if (op->segmented && datagram)
		copy_segment(s->m, w, r, GRH_LEN + w->header);
	else if (op->segmented)
		tso_write_frame(s, w, r);
	else if (!op->access || mutant_has_quirk(s->m->mutant, QUIRK_IMM_COPY))
		copy_message(s->m, w, r, datagram ? header_bytes(s->m, r) : 0);
	if (w->altered & PACKET_PADDED)
		copy_padding(s, w, r);
	srq_order_overtake(s, r);
}

void deliver_without_receive(struct step *s, const struct model_wr *w,
			     const struct opcode *op, uint16_t peer)
{
	struct model_wr *stray = lost_message_note_stray(s, peer);

	if (stray)
		write_message(s, w, op, stray, peer);
}
