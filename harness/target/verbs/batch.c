// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Building and posting batches on a libibverbs device, as ibv_wr_post(3) has
 * them. A call whose function the provider lacks is EOPNOTSUPP.
 */
#include "contract/opcodes.h"
#include "program/repro/parts/build.h"
#include "target/verbs/verbs_target.h"
#include "vendor/vendor.h"

static struct ibv_qp_ex *extended(const struct verbs_target *t, uint16_t slot)
{
	struct ibv_qp_ex *qp = slot_qp_ex(t, slot);

	return qp && qp->wr_start && qp->wr_complete && qp->wr_abort ? qp
								     : NULL;
}

void real_wr_start(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	struct ibv_qp_ex *qp = extended(t, b->on);

	o->err = ERRNO_POISON;
	o->ret = qp ? 0 : EOPNOTSUPP;
	if (!qp)
		return;
	ibv_wr_start(qp);
	t->object[b->on].open = true;
}

/* Sets the receiver, for types of queue pairs whose requests name it. */
static void set_receiver(struct verbs_target *t, struct ibv_qp_ex *qp,
			 const struct wr_args *in)
{
	const struct vendor_ops *vendor = vendor_of_device(&t->base.info);
	struct ibv_ah *ah = slot_ptr(t, in->ah);

	if (!has_receiver(in->opcode))
		return;
	if (ah && vendor && vendor->address &&
	    qp->qp_base.qp_type == IBV_QPT_DRIVER)
		vendor->address(qp, ah, in);
	else if (ah && qp->qp_base.qp_type == IBV_QPT_UD)
		ibv_wr_set_ud_addr(qp, ah, in->remote_qpn, in->remote_qkey);
	if (qp->qp_base.qp_type == IBV_QPT_XRC_SEND)
		ibv_wr_set_xrc_srqn(qp, in->remote_srqn);
}

/* Where ibv_wr_flush lies is known only of a device that has it. */
static bool can_build(const struct verbs_target *t, const struct ibv_qp_ex *qp,
		      const struct request *r)
{
	return qp && (r->opcode != WR_FLUSH || t->base.info.can_flush);
}

void real_wr(struct verbs_target *t, const struct bound *b, struct outcome *o)
{
	struct ibv_qp_ex *qp = extended(t, b->on);
	struct wr_args in = b->in.wr;
	struct request_list list;
	struct request r;

	request_by_setter(&in);
	/* In the list the address would overwrite members of the operation. */
	if (qp && qp->qp_base.qp_type == IBV_QPT_DRIVER)
		in.ah = NO_OBJ;
	verbs_resolve_request(t, &in, &r);
	if (send_list_make(&r, &list)) {
		verbs_cannot_make(b, o, ENOMEM);
		return;
	}
	o->err = ERRNO_POISON;
	o->ret = 0;
	for (uint32_t at = 0; !o->ret && at <= in.more; at++) {
		const struct wr_args asked = request_at(&b->in.wr, at);
		const struct request one = request_nth(&r, at);
		struct ibv_send_wr *wr = &list.wr[at];

		o->ret = can_build(t, qp, &one) ? build_request(qp, wr, &one)
						: EOPNOTSUPP;
		if (o->ret)
			break;
		set_receiver(t, qp, &asked);
		if (opcode_sets_data(in.opcode))
			set_data(qp, wr, in.setter);
		spoil_value(wr);
	}
	if (!o->ret)
		window_was_bound(&r);
	send_list_free(&list);
}

void real_wr_complete(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	t->object[b->on].open = false;
	RECORD_INT(o, ibv_wr_complete(extended(t, b->on)));
}

void real_wr_abort(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	t->object[b->on].open = false;
	ibv_wr_abort(extended(t, b->on));
	o->ret = 0;
	o->err = ERRNO_POISON;
}
