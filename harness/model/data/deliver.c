// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A message that comes to its receive: what the completion says of it.
 */
#include "model/data/deliver.h"

struct model_work *next_receive(struct step *s, const struct model_work *w,
				uint16_t peer)
{
	uint16_t srq = receive_queue(s, w->remote_srqn, peer);
	const struct queue q = {srq == NO_OBJ ? peer : NO_OBJ, srq, true};

	return work_next(s->m, work_list(s->m, &q));
}

void deliver_to(struct model *m, struct model_work *r, uint16_t peer)
{
	work_take(m, r, peer);
	r->late = ROW_NONE;
	r->cq = receive_cq(m, r, peer);
}

/* On Ethernet every datagram has one, there or in its place. */
static bool carries_grh(const struct step *s, const struct model_work *w)
{
	const struct ibv_ah_attr *ah = &s->m->object[w->ah].ah;

	return ah->is_global || is_ethernet(home_of(s->m, w->ah), ah->port_num);
}

/* On InfiniBand, what a datagram's header tells of its way. */
static void note_path(const struct model *m, const struct model_work *w,
		      struct model_work *r, uint16_t peer)
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

/* What a completion says of the message. */
static void write_message(struct step *s, const struct model_work *w,
			  const struct opcode *op, struct model_work *r,
			  uint16_t peer)
{
	struct model *m = s->m;
	bool datagram = m->object[peer].qp.kind == QK_UD;

	r->completed = op->access ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	r->length = w->length + (datagram ? GRH_LEN : 0);
	r->segment = w->segment;
	r->imm = op->imm;
	r->imm_data = w->imm_data;
	r->datagram = datagram;
	r->src_qp = m->object[w->owner].qp.init.qp_num;
	r->sender = w->ah;
	r->grh = datagram && carries_grh(s, w);
	if (datagram)
		note_path(m, w, r, peer);
	r->invalidated = op->invalidates;
	r->invalidates = w->invalidates;
}

void deliver(struct step *s, const struct model_work *w,
	     const struct opcode *op, struct model_work *r, uint16_t peer)
{
	bool datagram = s->m->object[peer].qp.kind == QK_UD;

	deliver_to(s->m, r, peer);
	r->room = r->length;
	r->from = w->owner;
	r->message = w->message;
	note_lossy(s, w, r, peer);
	note_taken(s, r);
	work_stage(s->m, r, WORK_DONE);
	r->status = IBV_WC_SUCCESS;
	write_message(s, w, op, r, peer);
	r->solicited = w->solicited;
	r->held = w->held;
	r->set = w->set;
	notify(s, r);
	if (op->segmented) /* nobody vouches for the bytes */
		carry_blur(s->m, &r->data, r->room);
	else if (!op->access)
		carry_message(s->m, w, r, datagram ? GRH_LEN : 0);
	settle_overtaking(s, r);
}

void deliver_not(struct step *s, const struct model_work *w,
		 const struct opcode *op, uint16_t peer)
{
	struct model_work *stray = note_stray(s, peer);

	if (stray)
		write_message(s, w, op, stray, peer);
}
