// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls about queue pairs of a libibverbs device: creation, modify, query,
 * multicast groups.
 */
#include <stddef.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <string.h>
#include "program/repro/parts/in_order.h"
#include "target/verbs/verbs_target.h"
#include "virtual/virtual.h"

/* Both structures begin with the same members. */
#define FILL_INIT(attr, t, b, args)                                            \
	do {                                                                   \
		(attr).qp_context = slot_mark(t, b);                           \
		(attr).send_cq = slot_ptr(t, (args)->send_cq);                 \
		(attr).recv_cq = slot_ptr(t, (args)->recv_cq);                 \
		(attr).srq = slot_ptr(t, (args)->srq);                         \
		(attr).cap = (args)->cap;                                      \
		(attr).qp_type = (enum ibv_qp_type)(args)->qp_type;            \
		(attr).sq_sig_all = (args)->sq_sig_all;                        \
	} while (0)

void verbs_report_qp(const struct ibv_qp *qp, const void *context,
		     struct outcome *o)
{
	if (!qp)
		return;
	o->context_lost = qp->qp_context != context;
	o->out.qp_init.qp_num = qp->qp_num;
	o->out.qp_init.state = qp->state;
}

/* Without the padding behind the last member. */
#define INIT_LEN                                                               \
	(offsetof(struct ibv_qp_init_attr, sq_sig_all) +                       \
	 sizeof(((struct ibv_qp_init_attr *)0)->sq_sig_all))

/* The device may change `cap` and nothing else. */
void real_create_qp(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct ibv_qp_init_attr attr, before;
	struct ibv_qp *qp;

	memset(&attr, 0, sizeof(attr));
	FILL_INIT(attr, t, b, &b->in.qp_init);
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, qp, ibv_create_qp(pd, &attr));
	if (qp)
		o->out.qp_init.cap = attr.cap;
	o->out_written =
		!qp && memcmp(&attr.cap, &before.cap, sizeof(before.cap)) != 0;
	before.cap = attr.cap;
	o->in_changed = memcmp(&attr, &before, INIT_LEN) != 0;
	slot_fill(t, b, qp);
	verbs_report_qp(qp, slot_mark(t, b), o);
}

void verbs_fill_qp_attr(struct verbs_target *t, const struct bound *b,
			struct ibv_qp_init_attr_ex *attr)
{
	const struct qp_init_args *in = &b->in.qp_init;

	memset(attr, 0, sizeof(*attr));
	FILL_INIT(*attr, t, b, in);
	attr->comp_mask = in->comp_mask;
	attr->pd = slot_ptr(t, in->pd);
	attr->xrcd = slot_ptr(t, in->xrcd);
	attr->create_flags = in->create_flags;
	attr->max_tso_header = in->max_tso_header;
	attr->rwq_ind_tbl = slot_ptr(t, in->rwq_ind_tbl);
	attr->rx_hash_conf.rx_hash_function = in->rx_hash_function;
	attr->rx_hash_conf.rx_hash_key_len = in->rx_hash_key_len;
	attr->rx_hash_conf.rx_hash_fields_mask = in->rx_hash_fields_mask;
	attr->source_qpn = in->source_qpn;
	attr->send_ops_flags = in->send_ops_flags;
}

void real_create_qp_ex(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_qp_init_attr_ex attr, before;
	uint8_t hash_key[UINT8_MAX] = {HASH_KEY};
	struct ibv_qp *qp;

	verbs_fill_qp_attr(t, b, &attr);
	attr.rx_hash_conf.rx_hash_key = hash_key;
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, qp, ibv_create_qp_ex(context, &attr));
	if (qp)
		o->out.qp_init.cap = attr.cap;
	o->out_written =
		!qp && memcmp(&attr.cap, &before.cap, sizeof(before.cap)) != 0;
	before.cap = attr.cap;
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	slot_fill(t, b, qp);
	verbs_report_qp(qp, slot_mark(t, b), o);
}

void real_open_qp(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	const struct open_qp_args *in = &b->in.open_qp;
	struct ibv_qp_open_attr attr, before;
	struct ibv_qp *qp;

	memset(&attr, 0, sizeof(attr));
	attr.comp_mask = in->comp_mask;
	attr.qp_num = in->qp_num;
	attr.xrcd = slot_ptr(t, in->xrcd);
	attr.qp_type = (enum ibv_qp_type)in->qp_type;
	attr.qp_context = slot_mark(t, b);
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, qp, ibv_open_qp(context, &attr));
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	slot_fill(t, b, qp);
	verbs_report_qp(qp, attr.qp_context, o);
	if (!(in->comp_mask & IBV_QP_OPEN_ATTR_CONTEXT))
		o->context_lost = false;
}

static int note_command(void *arg, int fd, struct ib_uverbs_ioctl_hdr *hdr)
{
	if (raw_modifies_qp(hdr))
		*(bool *)arg = true;
	else
		virtual_divert(note_command, arg);
	return virtual_send(fd, RDMA_VERBS_IOCTL, hdr);
}

/* The kernel is asked, too, if the library refuses without asking it. The
 * library does not know of what the kernel then accepts. */
static int modify_below(struct verbs_target *t, uint16_t slot,
			struct ibv_qp_attr *attr, uint32_t mask)
{
	struct ibv_qp *qp = slot_ptr(t, slot);
	const struct ibv_qp_attr in = *attr;
	bool sent = false;
	int ret;

	virtual_divert(note_command, &sent);
	ret = ibv_modify_qp(qp, attr, (int)mask);
	virtual_divert(NULL, NULL);
	if (!ret && mask & IBV_QP_STATE && in.qp_state == IBV_QPS_RESET)
		t->object[slot].below = false;
	if (!ret || sent)
		return ret;
	raw_modify_begin(&t->raw, qp, &in);
	ret = raw_modify(&t->raw, mask);
	if (ret)
		return ret;
	t->object[slot].below = true;
	if (mask & IBV_QP_STATE)
		qp->state = in.qp_state;
	return 0;
}

void real_modify_qp(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct qp_attr_args *in = &b->in.qp_attr;
	struct ibv_qp *qp = slot_ptr(t, b->on);
	struct ibv_qp_attr attr;

	memcpy(&attr, &in->attr, sizeof(attr));
	if (t->base.info.can_change && !virtual_diverts())
		RECORD_INT(o, modify_below(t, b->on, &attr, in->mask));
	else
		RECORD_INT(o, ibv_modify_qp(qp, &attr, (int)in->mask));
	o->in_changed = memcmp(&attr, &in->attr, sizeof(attr)) != 0;
}

void real_modify_qp_rate_limit(struct verbs_target *t, const struct bound *b,
			       struct outcome *o)
{
	const struct ibv_qp_rate_limit_attr *in = &b->in.rate;
	struct ibv_qp *qp = slot_ptr(t, b->on);
	struct ibv_qp_rate_limit_attr attr;

	memcpy(&attr, in, sizeof(attr));
	RECORD_INT(o, ibv_modify_qp_rate_limit(qp, &attr));
	o->in_changed = memcmp(&attr, in, sizeof(attr)) != 0;
}

void real_query_qp_data_in_order(struct verbs_target *t, const struct bound *b,
				 struct outcome *o)
{
	const struct in_order_args *in = &b->in.in_order;

	RECORD_INT(o, data_in_order(slot_ptr(t, b->on), in->opcode, in->flags,
				    &o->out.ordered));
}

void real_set_ece(struct verbs_target *t, const struct bound *b,
		  struct outcome *o)
{
	const struct ibv_ece *in = &b->in.ece;
	struct ibv_ece ece = *in;

	RECORD_INT(o, ibv_set_ece(slot_ptr(t, b->on), &ece));
	o->in_changed = ece.vendor_id != in->vendor_id ||
			ece.comp_mask != in->comp_mask ||
			(o->ret && ece.options != in->options);
	if (!o->ret)
		o->out.ece = ece;
}

void real_query_ece(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	RECORD_INT(o, ibv_query_ece(slot_ptr(t, b->on), &o->out.ece));
}

void verbs_modify_begin(struct target *target, uint16_t qp,
			const struct qp_attr_args *in)
{
	struct verbs_target *t = (struct verbs_target *)target;

	t->repeat_qp = slot_ptr(t, qp);
	t->repeat_attr = in->attr;
}

/* The provider is given a copy each time: it may write there. */
int verbs_modify(struct target *target, uint32_t mask)
{
	struct verbs_target *t = (struct verbs_target *)target;
	struct ibv_qp_attr attr = t->repeat_attr;
	int ret = ibv_modify_qp(t->repeat_qp, &attr, (int)mask);

	return ret < 0 ? -1 : ret;
}

/* The slot of a pointer that a query returned; poison stays poison. */
static uint16_t returned_slot(const struct verbs_target *t, const void *ptr)
{
	uintptr_t poison;

	memset(&poison, OUT_POISON, sizeof(poison));
	if ((uintptr_t)ptr == poison)
		return OUT_POISON;
	return slot_of(t, ptr);
}

void real_query_qp(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	struct ibv_qp *qp = slot_ptr(t, b->on);
	struct ibv_qp_init_attr init;

	memset(&init, OUT_POISON, sizeof(init));
	RECORD_INT(o, ibv_query_qp(qp, &o->out.qp_attr.attr,
				   (int)b->in.qp_attr.mask, &init));
	o->out2.cap = init.cap;
	o->out2.qp_type = init.qp_type;
	o->out2.sq_sig_all = init.sq_sig_all;
	o->out2.send_cq = returned_slot(t, init.send_cq);
	o->out2.recv_cq = returned_slot(t, init.recv_cq);
	o->out2.srq = returned_slot(t, init.srq);
	o->out2.qp_num = qp->qp_num;
	o->context_lost = !o->ret && init.qp_context != qp->qp_context;
}

void real_destroy_qp(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	if (verbs_waits_for_ack(t, b->on, o))
		return;
	slot_hide(t, b->on, true);
	RECORD_INT(o, ibv_destroy_qp(slot_ptr(t, b->on)));
	if (o->ret)
		slot_hide(t, b->on, false);
	else
		slot_drop(t, b->on);
}

void real_attach_mcast(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	const struct mcast_args *in = &b->in.mcast;
	struct ibv_qp *qp = slot_ptr(t, b->on);
	union ibv_gid gid = in->gid;

	RECORD_INT(o, ibv_attach_mcast(qp, &gid, in->lid));
	o->in_changed = memcmp(&gid, &in->gid, sizeof(gid)) != 0;
	if (!o->ret)
		attach_record(t, b->on, &in->gid, in->lid);
}

void real_detach_mcast(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	const struct mcast_args *in = &b->in.mcast;
	struct ibv_qp *qp = slot_ptr(t, b->on);
	union ibv_gid gid = in->gid;

	RECORD_INT(o, ibv_detach_mcast(qp, &gid, in->lid));
	o->in_changed = memcmp(&gid, &in->gid, sizeof(gid)) != 0;
	if (!o->ret)
		attach_forget(t, b->on, &in->gid, in->lid);
}
