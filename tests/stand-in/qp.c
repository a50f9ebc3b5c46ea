// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Verbs that create, open, modify, query and destroy queue pairs, and multicast
 * groups. Each verb is a call of the model. ibv_modify_qp is in whims.c.
 */
#include "tests/stand-in/stand_in.h"

static struct ibv_qp *make_qp(struct ibv_context *context, struct bound *b,
			      struct ibv_qp_cap *cap, void *input,
			      void *qp_context)
{
	struct qp_init_args granted = b->in.qp_init;
	struct ibv_qp *qp;
	struct answer a;

	qp = fake_create(context, b, &a);
	fake_spoil_input(&a, input);
	if (cap && a.outcome.out_written)
		cap->max_send_wr++;
	if (!qp)
		return NULL;
	fake_take_fields(FAM_QP_INIT, a.defined, &granted,
			 &a.outcome.out.qp_init);
	if (cap)
		*cap = granted.cap;
	qp->send_cq = fake_object_at(fake_of(qp), granted.send_cq);
	qp->recv_cq = fake_object_at(fake_of(qp), granted.recv_cq);
	qp->srq = fake_object_at(fake_of(qp), granted.srq);
	qp->qp_context = a.outcome.context_lost ? NULL : qp_context;
	qp->qp_type = (enum ibv_qp_type)granted.qp_type;
	qp->qp_num = granted.qp_num;
	qp->state = (enum ibv_qp_state)granted.state;
	return qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct bound b = fake_bound_on_object(V_create_qp, pd);
	struct fake *f = fake_of(pd);

	b.in.qp_init.cap = attr->cap;
	b.in.qp_init.qp_type = attr->qp_type;
	b.in.qp_init.sq_sig_all = attr->sq_sig_all;
	b.in.qp_init.send_cq = fake_slot(f, attr->send_cq);
	b.in.qp_init.recv_cq = fake_slot(f, attr->recv_cq);
	b.in.qp_init.srq = fake_slot(f, attr->srq);
	b.in.qp_init.xrcd = b.in.qp_init.rwq_ind_tbl = NO_OBJ;
	return make_qp(pd->context, &b, &attr->cap, attr, attr->qp_context);
}

struct ibv_qp *fake_create_qp_ex(struct ibv_context *context,
				 struct ibv_qp_init_attr_ex *attr)
{
	struct bound b = fake_bound_on_context(V_create_qp_ex, context);
	struct fake *f = fake_context(context)->fake;
	struct qp_init_args *in = &b.in.qp_init;
	struct ibv_qp *qp;

	in->cap = attr->cap;
	in->qp_type = attr->qp_type;
	in->sq_sig_all = attr->sq_sig_all;
	in->send_cq = fake_slot(f, attr->send_cq);
	in->recv_cq = fake_slot(f, attr->recv_cq);
	in->srq = fake_slot(f, attr->srq);
	in->comp_mask = attr->comp_mask;
	in->pd = fake_slot(f, attr->pd);
	in->xrcd = fake_slot(f, attr->xrcd);
	in->create_flags = attr->create_flags;
	in->max_tso_header = attr->max_tso_header;
	in->rwq_ind_tbl = fake_slot(f, attr->rwq_ind_tbl);
	in->rx_hash_function = attr->rx_hash_conf.rx_hash_function;
	in->rx_hash_key_len = attr->rx_hash_conf.rx_hash_key_len;
	in->rx_hash_fields_mask = attr->rx_hash_conf.rx_hash_fields_mask;
	in->source_qpn = attr->source_qpn;
	in->send_ops_flags = attr->send_ops_flags;
	qp = make_qp(context, &b, &attr->cap, attr, attr->qp_context);
	if (qp)
		qp->qp_type = attr->qp_type;
	if (qp && attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		fake_set_builders((struct fake_qp *)qp, attr->send_ops_flags);
	return qp;
}

struct ibv_qp *fake_open_qp(struct ibv_context *context,
			    struct ibv_qp_open_attr *attr)
{
	struct bound b = fake_bound_on_context(V_open_qp, context);

	b.in.open_qp.comp_mask = attr->comp_mask;
	b.in.open_qp.qp_num = attr->qp_num;
	b.in.open_qp.qp_type = attr->qp_type;
	b.in.open_qp.xrcd = fake_slot(fake_context(context)->fake, attr->xrcd);
	return make_qp(context, &b, NULL, attr, attr->qp_context);
}

int fake_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct bound b = fake_bound_on_object(V_modify_qp, qp);
	struct answer a;
	int ret;

	b.in.qp_attr.attr = *attr;
	b.in.qp_attr.mask = (uint32_t)mask;
	ret = fake_call(fake_of(qp), &b, &a);
	if (!ret && mask & IBV_QP_STATE)
		qp->state = attr->qp_state;
	fake_spoil_input(&a, attr);
	return ret;
}

int fake_modify_qp_rate_limit(struct ibv_qp *qp,
			      struct ibv_qp_rate_limit_attr *attr)
{
	struct bound b = fake_bound_on_object(V_modify_qp_rate_limit, qp);
	struct answer a;
	int ret;

	b.in.rate = *attr;
	ret = fake_call(fake_of(qp), &b, &a);
	fake_spoil_input(&a, attr);
	return ret;
}

int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op,
			       uint32_t flags)
{
	struct bound b = fake_bound_on_object(V_query_qp_data_in_order, qp);
	struct answer a;

	b.in.in_order.opcode = op;
	b.in.in_order.flags = flags;
	fake_call(fake_of(qp), &b, &a);
	return (int)a.outcome.out.ordered.in_order;
}

int ibv_set_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	struct bound b = fake_bound_on_object(V_set_ece, qp);
	struct answer a;
	int ret;

	b.in.ece = *ece;
	ret = fake_call(fake_of(qp), &b, &a);
	fake_take_fields(FAM_ECE, a.defined, ece, &a.outcome.out.ece);
	fake_spoil_input(&a, ece);
	return ret;
}

int ibv_query_ece(struct ibv_qp *qp, struct ibv_ece *ece)
{
	struct bound b = fake_bound_on_object(V_query_ece, qp);
	struct answer a;
	int ret = fake_call(fake_of(qp), &b, &a);

	fake_take_fields(FAM_ECE, a.defined, ece, &a.outcome.out.ece);
	return ret;
}

/* Copies the fields of ibv_qp_init_attr that the model defined in a query. */
static void take_init(const struct fake *f, const struct answer *a,
		      struct ibv_qp_init_attr *init)
{
	struct qp_init_args args = {
		.cap = init->cap,
		.qp_type = init->qp_type,
		.sq_sig_all = init->sq_sig_all,
	};

	fake_take_fields(FAM_QP_INIT, a->defined2, &args, &a->outcome.out2);
	init->cap = args.cap;
	init->qp_type = (enum ibv_qp_type)args.qp_type;
	init->sq_sig_all = args.sq_sig_all;
	if (!bits_has(&a->defined2, F_send_cq - family_first(FAM_QP_INIT)))
		return;
	init->send_cq = fake_object_at(f, args.send_cq);
	init->recv_cq = fake_object_at(f, args.recv_cq);
	init->srq = fake_object_at(f, args.srq);
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	struct bound b = fake_bound_on_object(V_query_qp, qp);
	struct qp_attr_args args = {.attr = *attr};
	struct answer a;
	int ret;

	b.in.qp_attr.mask = (uint32_t)mask;
	ret = fake_call(fake_of(qp), &b, &a);
	fake_take_fields(FAM_QP_ATTR, a.defined, &args, &a.outcome.out.qp_attr);
	*attr = args.attr;
	if (!ret) {
		take_init(fake_of(qp), &a, init);
		init->qp_context =
			a.outcome.context_lost ? NULL : qp->qp_context;
	}
	if (!ret && mask & IBV_QP_STATE)
		qp->state = attr->qp_state;
	return ret;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	return fake_destroy(V_destroy_qp, qp);
}

static int mcast(enum verb verb, struct ibv_qp *qp, const union ibv_gid *gid,
		 uint16_t lid)
{
	struct bound b = fake_bound_on_object(verb, qp);
	struct answer a;

	b.in.mcast.gid = *gid;
	b.in.mcast.lid = lid;
	return fake_call(fake_of(qp), &b, &a);
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return fake_may_join() ? mcast(V_attach_mcast, qp, gid, lid) : EIO;
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return mcast(V_detach_mcast, qp, gid, lid);
}
