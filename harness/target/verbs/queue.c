// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls about queues of a libibverbs device: completion channels and queues,
 * shared receive queues, work queues and their indirection tables.
 */
#include <stdlib.h>
#include <string.h>
#include "program/repro/parts/memory.h"
#include "target/verbs/verbs_target.h"

void real_create_comp_channel(struct verbs_target *t, const struct bound *b,
			      struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_comp_channel *channel;

	RECORD_PTR(o, channel, ibv_create_comp_channel(context));
	slot_fill(t, b, channel);
}

void real_destroy_comp_channel(struct verbs_target *t, const struct bound *b,
			       struct outcome *o)
{
	RECORD_INT(o, ibv_destroy_comp_channel(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_create_cq(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_comp_channel *channel = slot_ptr(t, b->in.cq.channel);
	struct ibv_cq *cq;

	RECORD_PTR(o, cq,
		   ibv_create_cq(context, b->in.cq.cqe, slot_mark(t, b),
				 channel, b->in.cq.comp_vector));
	slot_fill(t, b, cq);
	if (cq)
		o->out.cq.cqe = cq->cqe;
}

void verbs_fill_cq_attr(struct verbs_target *t, const struct bound *b,
			struct ibv_cq_init_attr_ex *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->cqe = (uint32_t)b->in.cq.cqe;
	attr->cq_context = slot_mark(t, b);
	attr->channel = slot_ptr(t, b->in.cq.channel);
	attr->comp_vector = (uint32_t)b->in.cq.comp_vector;
	attr->wc_flags = b->in.cq.wc_flags;
	attr->comp_mask = b->in.cq.comp_mask;
	attr->flags = b->in.cq.flags;
	attr->parent_domain = slot_ptr(t, b->in.cq.parent_domain);
}

void verbs_report_cq(struct verbs_target *t, const struct bound *b,
		     struct ibv_cq_ex *cq, struct outcome *o)
{
	struct verbs_object *object = slot_fill(t, b, cq);

	if (object) {
		object->extended = true;
		object->wc_flags = b->in.cq.wc_flags;
	}
	if (cq)
		o->out.cq.cqe = cq->cqe;
}

void real_create_cq_ex(struct verbs_target *t, const struct bound *b,
		       struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_cq_init_attr_ex attr, before;
	struct ibv_cq_ex *cq;

	verbs_fill_cq_attr(t, b, &attr);
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, cq, ibv_create_cq_ex(context, &attr));
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	verbs_report_cq(t, b, cq, o);
}

void real_destroy_cq(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	if (verbs_waits_for_ack(t, b->on, o))
		return;
	RECORD_INT(o, ibv_destroy_cq(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_modify_cq(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct ibv_modify_cq_attr *in = &b->in.cq_attr;
	struct ibv_cq *cq = slot_ptr(t, b->on);
	struct ibv_modify_cq_attr attr;
	int cqe = cq->cqe;

	memcpy(&attr, in, sizeof(attr));
	RECORD_INT(o, ibv_modify_cq(cq, &attr));
	o->in_changed = cq->cqe != cqe || memcmp(&attr, in, sizeof(attr)) != 0;
}

/* The device may write max_wr and max_sge, but not the limit. */
static bool srq_attr_changed(const struct ibv_srq_attr *after,
			     const struct ibv_srq_attr *before)
{
	return after->srq_limit != before->srq_limit;
}

static bool sizes_changed(const struct ibv_srq_attr *after,
			  const struct ibv_srq_attr *before)
{
	return after->max_wr != before->max_wr ||
	       after->max_sge != before->max_sge;
}

void real_create_srq(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	struct ibv_pd *pd = slot_ptr(t, b->on);
	void *mark = slot_mark(t, b);
	struct ibv_srq_init_attr attr = {mark, b->in.srq.attr};
	struct ibv_srq *srq;

	RECORD_PTR(o, srq, ibv_create_srq(pd, &attr));
	o->in_changed = attr.srq_context != mark ||
			srq_attr_changed(&attr.attr, &b->in.srq.attr);
	o->out_written = !srq && sizes_changed(&attr.attr, &b->in.srq.attr);
	slot_fill(t, b, srq);
	if (srq)
		o->out.srq.attr = attr.attr;
}

void real_create_srq_ex(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	const struct srq_args *in = &b->in.srq;
	struct ibv_srq_init_attr_ex attr, before;
	struct verbs_object *object;
	struct ibv_srq *srq;

	memset(&attr, 0, sizeof(attr));
	attr.srq_context = slot_mark(t, b);
	attr.attr = in->attr;
	attr.comp_mask = in->comp_mask;
	attr.srq_type = (enum ibv_srq_type)in->srq_type;
	attr.pd = slot_ptr(t, in->pd);
	attr.xrcd = slot_ptr(t, in->xrcd);
	attr.cq = slot_ptr(t, in->cq);
	attr.tm_cap = in->tm_cap;
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, srq, ibv_create_srq_ex(context, &attr));
	if (srq)
		o->out.srq.attr = attr.attr;
	if (srq && attr.srq_type == IBV_SRQT_XRC)
		ibv_get_srq_num(srq, &o->out.srq.srq_num);
	o->out_written = !srq && sizes_changed(&attr.attr, &before.attr);
	before.attr.max_wr = attr.attr.max_wr;
	before.attr.max_sge = attr.attr.max_sge;
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	object = slot_fill(t, b, srq);
	if (object && attr.srq_type == IBV_SRQT_TM)
		object->max_num_tags = in->tm_cap.max_num_tags;
}

void real_modify_srq(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	const struct srq_attr_args *in = &b->in.srq_attr;
	struct ibv_srq *srq = slot_ptr(t, b->on);
	struct ibv_srq_attr attr = in->attr;

	RECORD_INT(o, ibv_modify_srq(srq, &attr, (int)in->mask));
	o->in_changed = memcmp(&attr, &in->attr, sizeof(attr)) != 0;
}

void real_query_srq(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_srq *srq = slot_ptr(t, b->on);

	RECORD_INT(o, ibv_query_srq(srq, &o->out.srq_attr.attr));
	o->context_lost = !o->ret && srq->srq_context != &t->object[b->on];
}

void real_destroy_srq(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	if (verbs_waits_for_ack(t, b->on, o))
		return;
	RECORD_INT(o, ibv_destroy_srq(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_create_wq(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	const struct wq_args *in = &b->in.wq;
	struct ibv_wq_init_attr attr, before;
	struct ibv_wq *wq;

	memset(&attr, 0, sizeof(attr));
	attr.wq_type = (enum ibv_wq_type)in->wq_type;
	attr.max_wr = in->max_wr;
	attr.max_sge = in->max_sge;
	attr.pd = slot_ptr(t, in->pd);
	attr.cq = slot_ptr(t, in->cq);
	attr.comp_mask = in->comp_mask;
	attr.create_flags = in->create_flags;
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, wq, ibv_create_wq(context, &attr));
	if (wq) {
		o->out.wq.max_wr = attr.max_wr;
		o->out.wq.max_sge = attr.max_sge;
	}
	o->out_written = !wq && (attr.max_wr != before.max_wr ||
				 attr.max_sge != before.max_sge);
	before.max_wr = attr.max_wr;
	before.max_sge = attr.max_sge;
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	slot_fill(t, b, wq);
}

void real_modify_wq(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct ibv_wq_attr *in = &b->in.wq_attr;
	struct ibv_wq_attr attr;

	memcpy(&attr, in, sizeof(attr));
	RECORD_INT(o, ibv_modify_wq(slot_ptr(t, b->on), &attr));
	o->in_changed = memcmp(&attr, in, sizeof(attr)) != 0;
}

void real_destroy_wq(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	RECORD_INT(o, ibv_destroy_wq(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_create_rwq_ind_table(struct verbs_target *t, const struct bound *b,
			       struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	const struct ind_args *in = &b->in.ind;
	struct ibv_rwq_ind_table_init_attr attr, before;
	struct ibv_wq *wq[IND_QUEUES];
	struct ibv_rwq_ind_table *ind;

	memset(&attr, 0, sizeof(attr));
	attr.log_ind_tbl_size = in->log_size;
	attr.comp_mask = in->comp_mask;
	for (int i = 0; i < IND_QUEUES; i++)
		wq[i] = slot_ptr(t, in->wq[i]);
	attr.ind_tbl = table_of(wq, in->log_size);
	if (!attr.ind_tbl) {
		verbs_cannot_make(b, o, ENOMEM);
		return;
	}
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, ind, ibv_create_rwq_ind_table(context, &attr));
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	spoil_table(&before);
	slot_fill(t, b, ind);
}

void real_destroy_rwq_ind_table(struct verbs_target *t, const struct bound *b,
				struct outcome *o)
{
	RECORD_INT(o, ibv_destroy_rwq_ind_table(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}
