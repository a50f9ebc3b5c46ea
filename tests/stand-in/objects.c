// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Verbs that create, change, query and destroy objects other than queue pairs,
 * completion channels and contexts. Each verb is a call of the model.
 */
#include <errno.h>
#include <sys/stat.h>
#include "tests/stand-in/stand_in.h"

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	struct bound b = fake_bound_on_context(V_alloc_pd, context);
	struct answer a;

	return fake_create(context, &b, &a);
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	return fake_destroy(V_dealloc_pd, pd);
}

struct ibv_pd *
fake_alloc_parent_domain(struct ibv_context *context,
			 struct ibv_parent_domain_init_attr *attr)
{
	struct bound b = fake_bound_on_context(V_alloc_parent_domain, context);
	struct ibv_pd *pd;
	struct answer a;

	b.in.parent.pd = fake_slot(fake_context(context)->fake, attr->pd);
	b.in.parent.td = fake_slot(fake_context(context)->fake, attr->td);
	b.in.parent.comp_mask = attr->comp_mask;
	pd = fake_create(context, &b, &a);
	fake_spoil_input(&a, attr);
	return pd;
}

struct ibv_td *fake_alloc_td(struct ibv_context *context,
			     struct ibv_td_init_attr *attr)
{
	struct bound b = fake_bound_on_context(V_alloc_td, context);
	struct ibv_td *td;
	struct answer a;

	b.in.td = *attr;
	td = fake_create(context, &b, &a);
	fake_spoil_input(&a, attr);
	return td;
}

int fake_dealloc_td(struct ibv_td *td)
{
	return fake_destroy(V_dealloc_td, td);
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	bool moved = iova != (uintptr_t)addr;
	struct bound b =
		fake_bound_on_object(moved ? V_reg_mr_iova : V_reg_mr, pd);
	struct ibv_mr *mr;
	struct answer a;

	b.in.mr.length = length;
	b.in.mr.iova = iova;
	b.in.mr.access = access;
	b.in.mr.page_offset = (uint32_t)(uintptr_t)addr;
	mr = fake_create(pd->context, &b, &a);
	if (!mr)
		return NULL;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	mr->lkey = a.outcome.out.keys.lkey;
	mr->rkey = a.outcome.out.keys.rkey;
	((struct fake_region *)mr)->iova =
		!moved && access & IBV_ACCESS_ZERO_BASED ? 0 : iova;
	return mr;
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length,
			       uint64_t iova, int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned int)access);
}

int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access)
{
	struct bound b = fake_bound_on_object(V_rereg_mr, mr);
	struct answer a;
	int ret;

	b.in.rereg.flags = (uint32_t)flags;
	b.in.rereg.length = length;
	b.in.rereg.access = (uint32_t)access;
	b.in.rereg.pd = pd ? fake_slot(fake_of(mr), pd) : NO_OBJ;
	ret = fake_call(fake_of(mr), &b, &a);
	if (ret) {
		errno = ret;
		return a.outcome.out.new_keys.code;
	}
	mr->lkey = a.outcome.out.new_keys.lkey;
	mr->rkey = a.outcome.out.new_keys.rkey;
	if (flags & IBV_REREG_MR_CHANGE_PD)
		mr->pd = pd;
	if (!(flags & IBV_REREG_MR_CHANGE_TRANSLATION))
		return 0;
	mr->addr = addr;
	mr->length = length;
	((struct fake_region *)mr)->iova = (uintptr_t)addr;
	return 0;
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			  int access)
{
	return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr,
				(unsigned int)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	return fake_destroy(V_dereg_mr, mr);
}

struct ibv_mw *fake_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct bound b = fake_bound_on_object(V_alloc_mw, pd);
	struct ibv_mw *mw;
	struct answer a;

	b.in.mw.type = type;
	mw = fake_create(pd->context, &b, &a);
	if (!mw)
		return NULL;
	mw->type = type;
	mw->pd = pd;
	mw->rkey = a.outcome.out.keys.rkey;
	return mw;
}

int fake_dealloc_mw(struct ibv_mw *mw)
{
	return fake_destroy(V_dealloc_mw, mw);
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe,
			     void *cq_context, struct ibv_comp_channel *channel,
			     int comp_vector)
{
	struct bound b = fake_bound_on_context(V_create_cq, context);
	struct ibv_cq *cq;
	struct answer a;

	b.in.cq.cqe = cqe;
	b.in.cq.comp_vector = comp_vector;
	b.in.cq.channel = fake_slot(fake_context(context)->fake, channel);
	cq = fake_create(context, &b, &a);
	if (!cq)
		return NULL;
	cq->channel = channel;
	cq->cq_context = cq_context;
	cq->cqe = a.outcome.out.cq.cqe;
	return cq;
}

struct ibv_cq_ex *fake_create_cq_ex(struct ibv_context *context,
				    struct ibv_cq_init_attr_ex *attr)
{
	struct bound b = fake_bound_on_context(V_create_cq_ex, context);
	struct ibv_cq_ex *cq;
	struct answer a;

	b.in.cq.cqe = (int)attr->cqe;
	b.in.cq.comp_vector = (int)attr->comp_vector;
	b.in.cq.channel = fake_slot(fake_context(context)->fake, attr->channel);
	b.in.cq.wc_flags = attr->wc_flags;
	b.in.cq.comp_mask = attr->comp_mask;
	b.in.cq.flags = attr->flags;
	b.in.cq.parent_domain =
		fake_slot(fake_context(context)->fake, attr->parent_domain);
	cq = fake_create(context, &b, &a);
	fake_spoil_input(&a, attr);
	if (!cq)
		return NULL;
	cq->channel = attr->channel;
	cq->cq_context = attr->cq_context;
	cq->cqe = a.outcome.out.cq.cqe;
	fake_set_readers((struct fake_cq *)cq, attr->wc_flags);
	return cq;
}

int ibv_resize_cq(struct ibv_cq *cq, int cqe)
{
	struct bound b = fake_bound_on_object(V_resize_cq, cq);
	struct answer a;
	int ret;

	b.in.cq.cqe = cqe;
	ret = fake_call(fake_of(cq), &b, &a);
	if (!ret)
		cq->cqe = a.outcome.out.cq.cqe;
	return ret;
}

int fake_modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	struct bound b = fake_bound_on_object(V_modify_cq, cq);
	struct answer a;
	int ret;

	b.in.cq_attr = *attr;
	ret = fake_call(fake_of(cq), &b, &a);
	fake_spoil_input(&a, attr);
	return ret;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
	return fake_destroy(V_destroy_cq, cq);
}

static struct ibv_srq *make_srq(struct ibv_context *context, struct bound *b,
				struct ibv_srq_attr *attr, void *input,
				void *srq_context)
{
	struct srq_args granted;
	struct ibv_srq *srq;
	struct answer a;

	b->in.srq.attr = *attr;
	granted = b->in.srq;
	srq = fake_create(context, b, &a);
	fake_spoil_input(&a, input);
	if (a.outcome.out_written)
		attr->max_wr++;
	if (!srq)
		return NULL;
	fake_take_fields(FAM_SRQ, a.defined, &granted, &a.outcome.out.srq);
	attr->max_wr = granted.attr.max_wr;
	attr->max_sge = granted.attr.max_sge;
	fake_of(srq)->srq_num[b->result] = granted.srq_num;
	srq->srq_context = srq_context;
	return srq;
}

int fake_get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	struct fake *f = fake_of(srq);

	*number = f->srq_num[fake_slot(f, srq)];
	return 0;
}

struct ibv_srq *ibv_create_srq(struct ibv_pd *pd,
			       struct ibv_srq_init_attr *attr)
{
	struct bound b = fake_bound_on_object(V_create_srq, pd);

	return make_srq(pd->context, &b, &attr->attr, attr, attr->srq_context);
}

struct ibv_srq *fake_create_srq_ex(struct ibv_context *context,
				   struct ibv_srq_init_attr_ex *attr)
{
	struct bound b = fake_bound_on_context(V_create_srq_ex, context);
	struct fake *f = fake_context(context)->fake;

	b.in.srq.srq_type = attr->srq_type;
	b.in.srq.comp_mask = attr->comp_mask;
	b.in.srq.pd = fake_slot(f, attr->pd);
	b.in.srq.xrcd = fake_slot(f, attr->xrcd);
	b.in.srq.cq = fake_slot(f, attr->cq);
	if (attr->comp_mask & IBV_SRQ_INIT_ATTR_TM)
		b.in.srq.tm_cap = attr->tm_cap;
	return make_srq(context, &b, &attr->attr, attr, attr->srq_context);
}

int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	struct bound b = fake_bound_on_object(V_modify_srq, srq);
	struct answer a;
	int ret;

	b.in.srq_attr.attr = *attr;
	b.in.srq_attr.mask = (uint32_t)mask;
	ret = fake_call(fake_of(srq), &b, &a);
	fake_spoil_input(&a, attr);
	return ret;
}

int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct bound b = fake_bound_on_object(V_query_srq, srq);
	struct srq_attr_args args = {.attr = *attr};
	struct answer a;
	int ret = fake_call(fake_of(srq), &b, &a);

	fake_take_fields(FAM_SRQ_ATTR, a.defined, &args,
			 &a.outcome.out.srq_attr);
	*attr = args.attr;
	if (!ret && a.outcome.context_lost)
		srq->srq_context = NULL;
	return ret;
}

int ibv_destroy_srq(struct ibv_srq *srq)
{
	return fake_destroy(V_destroy_srq, srq);
}

/* Returns true if an open XRC domain has the file of this index. */
static bool has_domain(const struct fake *f, int file)
{
	for (int slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		if (f->object[slot] && f->kind[slot] == OBJ_XRCD &&
		    f->xrcd_file[slot] == file)
			return true;
	return false;
}

/* Returns the model's number for the open file that names an XRC domain. Reuses
 * the numbers of files without a domain. */
static uint32_t file_number(struct fake *f, int fd)
{
	struct stat st;
	int at = -1;

	if (fd == -1)
		return XRCD_PRIVATE;
	if (fstat(fd, &st))
		return XRCD_CLOSED;
	for (int i = 0; i < XRCD_FILES; i++)
		if (has_domain(f, i) && f->file[i].dev == st.st_dev &&
		    f->file[i].ino == st.st_ino)
			at = i;
	for (int i = 0; at < 0 && i < XRCD_FILES; i++)
		if (!has_domain(f, i))
			at = i;
	if (at < 0)
		return XRCD_CLOSED;
	f->file[at].dev = st.st_dev;
	f->file[at].ino = st.st_ino;
	return XRCD_FILE0 + (uint32_t)at;
}

struct ibv_xrcd *fake_open_xrcd(struct ibv_context *context,
				struct ibv_xrcd_init_attr *attr)
{
	struct bound b = fake_bound_on_context(V_open_xrcd, context);
	struct fake *f = fake_context(context)->fake;
	struct ibv_xrcd *xrcd;
	struct answer a;

	b.in.xrcd.comp_mask = attr->comp_mask;
	b.in.xrcd.fd = file_number(f, attr->fd);
	b.in.xrcd.oflags = attr->oflags;
	xrcd = fake_create(context, &b, &a);
	fake_spoil_input(&a, attr);
	if (!xrcd)
		return NULL;
	f->xrcd_file[b.result] = (int)b.in.xrcd.fd - XRCD_FILE0;
	return xrcd;
}

int fake_close_xrcd(struct ibv_xrcd *xrcd)
{
	return fake_destroy(V_close_xrcd, xrcd);
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct bound b = fake_bound_on_object(V_create_ah, pd);
	struct ibv_ah *ah;
	struct answer a;

	b.in.ah = *attr;
	ah = fake_create(pd->context, &b, &a);
	fake_spoil_input(&a, attr);
	if (ah)
		ah->pd = pd;
	return ah;
}

int ibv_destroy_ah(struct ibv_ah *ah)
{
	return fake_destroy(V_destroy_ah, ah);
}

struct ibv_wq *fake_create_wq(struct ibv_context *context,
			      struct ibv_wq_init_attr *attr)
{
	struct bound b = fake_bound_on_context(V_create_wq, context);
	struct fake *f = fake_context(context)->fake;
	struct ibv_wq *wq;
	struct answer a;

	b.in.wq.wq_type = attr->wq_type;
	b.in.wq.max_wr = attr->max_wr;
	b.in.wq.max_sge = attr->max_sge;
	b.in.wq.comp_mask = attr->comp_mask;
	b.in.wq.create_flags = attr->create_flags;
	b.in.wq.pd = fake_slot(f, attr->pd);
	b.in.wq.cq = fake_slot(f, attr->cq);
	wq = fake_create(context, &b, &a);
	fake_spoil_input(&a, attr);
	if (!wq)
		return NULL;
	attr->max_wr = a.outcome.out.wq.max_wr;
	attr->max_sge = a.outcome.out.wq.max_sge;
	wq->post_recv = fake_post_wq_recv;
	return wq;
}

int fake_modify_wq(struct ibv_wq *wq, struct ibv_wq_attr *attr)
{
	struct bound b = fake_bound_on_object(V_modify_wq, wq);
	struct answer a;
	int ret;

	memcpy(&b.in.wq_attr, attr, sizeof(*attr));
	ret = fake_call(fake_of(wq), &b, &a);
	fake_spoil_input(&a, attr);
	return ret;
}

int fake_destroy_wq(struct ibv_wq *wq)
{
	return fake_destroy(V_destroy_wq, wq);
}

/* The model names the queues of a table before they repeat. */
static void put_queues(struct ind_args *in, struct fake *f,
		       const struct ibv_rwq_ind_table_init_attr *attr)
{
	bool over = false;

	for (uint32_t i = 0; i < IND_QUEUES; i++) {
		over |= i >> attr->log_ind_tbl_size ||
			(i && attr->ind_tbl[i] == attr->ind_tbl[0]);
		in->wq[i] = over ? NO_OBJ : fake_slot(f, attr->ind_tbl[i]);
	}
}

struct ibv_rwq_ind_table *
fake_create_ind_table(struct ibv_context *context,
		      struct ibv_rwq_ind_table_init_attr *attr)
{
	struct bound b = fake_bound_on_context(V_create_rwq_ind_table, context);
	struct fake *f = fake_context(context)->fake;
	struct ibv_rwq_ind_table *ind;
	struct answer a;

	b.in.ind.log_size = attr->log_ind_tbl_size;
	b.in.ind.comp_mask = attr->comp_mask;
	put_queues(&b.in.ind, f, attr);
	ind = fake_create(context, &b, &a);
	fake_spoil_input(&a, attr);
	return ind;
}

int fake_destroy_ind_table(struct ibv_rwq_ind_table *ind)
{
	return fake_destroy(V_destroy_rwq_ind_table, ind);
}
