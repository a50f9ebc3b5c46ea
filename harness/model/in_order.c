/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_query_qp_data_in_order. A device may guarantee the order of data or not;
 * what it said once holds while the queue pair stays in its state.
 */
#include <errno.h>
#include "model/internal.h"

#define WHOLE  1u /* IBV_QUERY_QP_DATA_IN_ORDER_WHOLE_MSG */
#define BLOCKS 2u /* IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES */

#define RETURN_CAPS 1u
#define DEVICE_ONLY 2u

#define OPS 16 /* operations that struct model_order has bits for */

/* Returns true if the man page gives the operation a meaning. */
static bool has_order(uint32_t opcode)
{
	switch (opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_RDMA_READ:
	case IBV_WR_SEND_WITH_INV:
		return true;
	default:
		return false;
	}
}

/* Returns the answer of the model as a device: it writes the data of a
 * connected queue pair in order. */
static uint32_t own_answer(const struct step *s, bool caps)
{
	const struct model_qp *qp = qp_of(s->m, s->b->on);
	uint32_t blocks = caps ? BLOCKS : 0;

	if (!has_order(s->b->in.in_order.opcode) || qp->state != IBV_QPS_RTS)
		return 0;
	if (qp->kind == QK_RC)
		return WHOLE | blocks;
	return qp->kind == QK_UC ? blocks : 0;
}

/* Returns true if the library may be too old for the flags, and then
 * answers 0. The symbols tell releases that are no older than the flags. */
static bool may_be_unknown(const struct step *s, uint32_t flags)
{
	uint32_t symbols = s->d->new_calls;

	return (flags & RETURN_CAPS && !(symbols >> NEW_WR_OPCODE_STR & 1)) ||
	       (flags & DEVICE_ONLY && !(symbols >> NEW_QUERY_PORT_SPEED & 1));
}

/* Returns true if the answer says something else than the device said before.
 */
static bool contradicts(uint16_t known, uint16_t was, uint16_t op, bool is)
{
	return known & op && is != ((was & op) != 0);
}

/* Returns the row that an answer to a meaningful query violates, or ROW_NONE.
 */
static enum row answer_row(const struct model_order *o, uint16_t op,
			   uint32_t flags, uint32_t answer)
{
	bool caps = flags & RETURN_CAPS, device = flags & DEVICE_ONLY;
	bool whole = answer & WHOLE, blocks = answer & BLOCKS;

	if (!caps && answer > 1)
		return ROW_ORDER_ANSWER;
	if (caps && (answer & ~(WHOLE | BLOCKS) || (whole && !blocks)))
		return ROW_ORDER_CAPS;
	if (contradicts(o->whole_known[device], o->whole[device], op, whole))
		return caps ? ROW_ORDER_SAME : ROW_ORDER_PLAIN;
	if (caps &&
	    contradicts(o->blocks_known[device], o->blocks[device], op, blocks))
		return ROW_ORDER_SAME;
	if (device ? (o->whole[0] & op && !whole) ||
			     (caps && o->blocks[0] & op && !blocks)
		   : (o->whole_known[1] & op && !(o->whole[1] & op) && whole) ||
			     (caps && o->blocks_known[1] & op &&
			      !(o->blocks[1] & op) && blocks))
		return ROW_ORDER_DEVICE;
	return ROW_NONE;
}

/* Returns the answer that agrees with what the device said before: `mine` if
 * possible. */
static uint32_t agreeing(const struct model_order *o, uint16_t op,
			 uint32_t flags, uint32_t mine)
{
	static const uint32_t answers[] = {0, WHOLE, BLOCKS, WHOLE | BLOCKS};

	if (answer_row(o, op, flags, mine) == ROW_NONE)
		return mine;
	for (size_t i = 0; i < COUNT(answers); i++)
		if (answer_row(o, op, flags, answers[i]) == ROW_NONE)
			return answers[i];
	return mine;
}

static void learn_bit(uint16_t *known, uint16_t *is, uint16_t op, bool set)
{
	*known |= op;
	*is = (uint16_t)(set ? *is | op : *is & ~op);
}

static void learn(struct model_order *o, uint16_t op, uint32_t flags,
		  uint32_t answer)
{
	bool device = flags & DEVICE_ONLY;

	learn_bit(&o->whole_known[device], &o->whole[device], op,
		  answer & WHOLE);
	if (flags & RETURN_CAPS)
		learn_bit(&o->blocks_known[device], &o->blocks[device], op,
			  answer & BLOCKS);
}

/* Forgets answers that were given in another state of the queue pair. */
static void forget_other_state(struct model_qp *qp)
{
	if (qp->order.in_state == qp->state && qp->unseen == UNSEEN_NOT)
		return;
	qp->order = (struct model_order){.in_state = qp->state};
}

/* A seeded fault of one of the rows, or the answer itself. */
static uint32_t spoil(struct step *s, uint32_t flags, uint32_t answer)
{
	if (mutant_skips(s->mutant, ROW_ORDER_ANSWER) && !flags)
		return answer << 1;
	if (mutant_skips(s->mutant, ROW_ORDER_CAPS) && flags == RETURN_CAPS)
		return answer & WHOLE;
	if (mutant_skips(s->mutant, ROW_ORDER_PLAIN) && !flags)
		return !answer;
	if (mutant_skips(s->mutant, ROW_ORDER_SAME))
		return s->m->timed_calls % 2 ? answer : 0;
	if (mutant_skips(s->mutant, ROW_ORDER_DEVICE) && flags & DEVICE_ONLY)
		return 0;
	return answer;
}

static uint32_t judge(struct step *s, struct model_qp *qp, uint32_t mine,
		      enum row *row)
{
	const struct in_order_args *in = &s->b->in.in_order;
	uint32_t seen = (uint32_t)answer_seen(s, F_ordered, mine);
	uint16_t op = (uint16_t)(1u << in->opcode);
	enum row violated;

	*row = in->flags & RETURN_CAPS ? ROW_ORDER_CAPS : ROW_ORDER_ANSWER;
	record_row(s, ROW_ORDER_SAME);
	record_row(s, ROW_ORDER_PLAIN);
	record_row(s, ROW_ORDER_DEVICE);
	if (may_be_unknown(s, in->flags) && !seen)
		return seen;
	if (!is_oracle(s))
		return spoil(s, in->flags, mine);
	violated = answer_row(&qp->order, op, in->flags, seen);
	if (violated != ROW_NONE) {
		*row = violated;
		return agreeing(&qp->order, op, in->flags, mine);
	}
	learn(&qp->order, op, in->flags, seen);
	return seen;
}

void do_query_qp_data_in_order(struct step *s)
{
	const struct in_order_args *in = &s->b->in.in_order;
	struct model_qp *qp = qp_of(s->m, s->b->on);
	uint32_t mine = own_answer(s, in->flags & RETURN_CAPS);
	enum row row = ROW_ORDER_UNKNOWN;

	if (!(s->d->new_calls >> NEW_QP_DATA_IN_ORDER & 1)) {
		answer_refuse(s, ROW_OBJ_UNSUPPORTED, EOPNOTSUPP);
		return;
	}
	forget_other_state(qp);
	if (in->flags & ~(RETURN_CAPS | DEVICE_ONLY))
		mine = mutant_skips(s->mutant, ROW_ORDER_UNKNOWN) ? mine : 0;
	else if (in->opcode < OPS && has_order(in->opcode))
		mine = judge(s, qp, mine, &row);
	else
		mine = (uint32_t)answer_seen(s, F_ordered, 0);
	record_row(s, row);
	answer_accept(s, row);
	answer_define(s, F_ordered, mine, row);
}
