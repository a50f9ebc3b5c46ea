// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Raw packets of a virtual device. The device itself finds out who gets a
 * packet, since that depends on the bytes; the model gives the packet to a
 * receive of that RAW_PACKET queue pair.
 */
#include "model/data/deliver.h"
#include "model/data/ring.h"
#include "model/events/events.h"
#include "model/memory/access_fault.h"
#include "model/raw/raw_packet.h"
#include "model/unseen/failed_qp.h"

bool virtual_packet_send(const struct step *s, const struct model_wr *w)
{
	const struct model_memory *memory = s->m->memory;

	if (!memory || !memory->transmit)
		return false;
	memory->transmit(memory->arg, w->wr_id);
	return true;
}

/* Returns true if the queue pair has a receive queue that works. mlx5_ib makes
 * the receive queue of a RAW_PACKET queue pair ready in INIT. */
static bool takes_packets(const struct model_qp *qp)
{
	return qp->kind == QK_RAW_PACKET && !qp->rss &&
	       qp->state >= IBV_QPS_INIT && qp->state <= IBV_QPS_SQE;
}

static void refuse(struct step *s, struct model_wr *r, uint16_t qp,
		   enum row row)
{
	deliver_use_receive(s->m, r, qp);
	r->status_row = (uint16_t)row;
	transfer_end_in_error(s, r);
	failed_qp_stop(s, qp, IBV_QPS_ERR, true);
}

static void receive(struct step *s, struct model_wr *r, uint16_t qp,
		    uint32_t length)
{
	deliver_use_receive(s->m, r, qp);
	wr_set_stage(s->m, r, WR_DONE);
	r->posted_length = r->length;
	r->status = IBV_WC_SUCCESS;
	r->wc_opcode = IBV_WC_RECV;
	r->length = length;
	completion_added(s, r);
}

bool model_receive_packet(struct model *m, uint16_t slot, uint32_t length,
			  uint64_t *wr_id)
{
	uint16_t qp = m->object[slot].real;
	const struct model_wr w = {.owner = qp, .ah = NO_OBJ};
	struct bound b = {.verb = V_poll_cq, .result = NO_OBJ, .on = NO_OBJ};
	struct answer a;
	struct step s = {.m = m, .b = &b, .a = &a, .d = home_of(m, qp)};
	struct model_wr *r;
	enum row row;

	if (!takes_packets(&m->object[qp].qp))
		return false;
	r = deliver_next_receive(&s, &w, qp);
	if (!r)
		return false;
	row = fault_short(&s, r, qp, length) ? ROW_RECV_SHORT
					     : fault_receive(&s, r, qp, length);
	*wr_id = r->wr_id;
	if (row == ROW_NONE)
		receive(&s, r, qp, length);
	else
		refuse(&s, r, qp, row);
	failed_qp_end_call(&s);
	return row == ROW_NONE;
}
