// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls that make and drop the plain objects of a libibverbs device:
 * protection domains, memory, XRC domains and address handles.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <string.h>
#include "program/repro/parts/allocator.h"
#include "program/repro/parts/memory.h"
#include "program/repro/parts/xrcd_file.h"
#include "target/verbs/verbs_target.h"

void real_alloc_pd(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_pd *pd;

	RECORD_PTR(o, pd, ibv_alloc_pd(context));
	slot_fill(t, b, pd);
}

/* Sets what parent_domain() sets, which is no change by the library; the
 * context is the allocator. */
static void expect_allocator(struct ibv_parent_domain_init_attr *attr,
			     const struct ibv_parent_domain_init_attr *after)
{
	attr->alloc = buffer_alloc;
	attr->free = buffer_free;
	attr->pd_context = after->pd_context;
}

void real_alloc_parent_domain(struct verbs_target *t, const struct bound *b,
			      struct outcome *o)
{
	const struct parent_args *in = &b->in.parent;
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_parent_domain_init_attr attr, before;
	struct ibv_pd *pd;

	memset(&attr, 0, sizeof(attr));
	attr.pd = slot_ptr(t, in->pd);
	attr.td = slot_ptr(t, in->td);
	attr.comp_mask = in->comp_mask;
	memcpy(&before, &attr, sizeof(attr));
	RECORD_PTR(o, pd,
		   in->allocator ? parent_domain(context, &attr, in->allocator)
				 : ibv_alloc_parent_domain(context, &attr));
	if (in->allocator)
		expect_allocator(&before, &attr);
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	if (slot_fill(t, b, pd))
		t->object[b->result].origin = in->pd;
}

void real_count_buffers(struct verbs_target *t, const struct bound *b,
			struct outcome *o)
{
	RECORD_INT(o, count_buffers(slot_ptr(t, b->on), &o->out.buffers));
}

/* The domain is gone: unmaps what the library did not free. */
static void end_allocator(struct allocator *a)
{
	pthread_mutex_lock(&allocator_lock);
	allocator_remove(a);
	while (a->first)
		buffer_drop(a, &a->first);
	pthread_mutex_unlock(&allocator_lock);
	free(a);
}

/* Another domain may get the address as soon as this one is gone. */
int verbs_dealloc_pd(struct ibv_pd *pd)
{
	struct allocator *a;
	int ret;

	pthread_mutex_lock(&allocator_lock);
	a = allocator_of(pd);
	pthread_mutex_unlock(&allocator_lock);
	ret = ibv_dealloc_pd(pd);
	if (!ret && a)
		end_allocator(a);
	return ret;
}

void real_alloc_td(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_td_init_attr attr = b->in.td;
	struct ibv_td *td;

	RECORD_PTR(o, td, ibv_alloc_td(context, &attr));
	o->in_changed = memcmp(&attr, &b->in.td, sizeof(attr)) != 0;
	slot_fill(t, b, td);
}

void real_dealloc_td(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	RECORD_INT(o, ibv_dealloc_td(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_dealloc_pd(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	if (slot_import_holds(t, b->on)) {
		o->ret = EBUSY;
		return;
	}
	RECORD_INT(o, verbs_dealloc_pd(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

/* Keeps the pages of a region, from the first one on. */
static void keep_pages(struct verbs_object *object, const struct mr_args *in,
		       char *memory)
{
	size_t before = in->page_offset & MOST_PAGE_OFFSET;

	object->memory = memory - before;
	object->length = before + mapped_length(in->length);
}

static void unmap_pages(const struct mr_args *in, char *memory)
{
	struct verbs_object object;

	keep_pages(&object, in, memory);
	munmap(object.memory, object.length);
}

static void reg_mr(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	const struct mr_args *in = &b->in.mr;
	struct ibv_pd *pd = slot_ptr(t, b->on);
	size_t length = (size_t)in->length;
	uint32_t access = in->access;
	char *memory = map_within_page(in->length, in->page_offset);
	struct verbs_object *object;
	struct ibv_mr *mr;

	if (!memory) {
		verbs_cannot_make(b, o, errno);
		return;
	}
	if (b->verb == V_reg_mr)
		RECORD_PTR(o, mr, ibv_reg_mr(pd, memory, length, access));
	else
		RECORD_PTR(o, mr,
			   ibv_reg_mr_iova(pd, memory, length, in->iova,
					   access));
	object = slot_fill(t, b, mr);
	if (!object) {
		unmap_pages(in, memory);
		return;
	}
	if (b->verb == V_reg_mr_iova)
		object->shift = in->iova - (uintptr_t)memory;
	else if (access & IBV_ACCESS_ZERO_BASED)
		object->shift = 0 - (uintptr_t)memory;
	keep_pages(object, in, memory);
	o->out.keys.lkey = mr->lkey;
	o->out.keys.rkey = mr->rkey;
	o->out.keys.top = 0 - (object->shift + (uintptr_t)memory);
}

void real_reg_mr(struct verbs_target *t, const struct bound *b,
		 struct outcome *o)
{
	reg_mr(t, b, o);
}

void real_reg_mr_iova(struct verbs_target *t, const struct bound *b,
		      struct outcome *o)
{
	reg_mr(t, b, o);
}

/* A region of a vendor is no region of verbs, so it cannot be changed. */
void real_rereg_mr(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	const struct rereg_args *in = &b->in.rereg;
	struct verbs_object *region = &t->object[b->on];
	size_t length = mapped_length(in->length);
	void *memory = NULL;
	int after;

	o->err = ERRNO_POISON;
	o->ret = EINVAL;
	if (region->destroy)
		return;
	RECORD_INT(o, rereg_region(region->ptr, in->flags, slot_ptr(t, in->pd),
				   in->length, in->access, &memory,
				   &o->out.new_keys));
	if (!memory && in->flags & IBV_REREG_MR_CHANGE_TRANSLATION &&
	    o->ret == ENOMEM)
		verbs_cannot_make(b, o, o->ret);
	if (!memory)
		return;
	after = o->err;
	slot_keep_memory(t, b->on, o->ret ? memory : region->memory,
			 o->ret ? length : region->length);
	o->err = after;
	if (o->ret)
		return;
	region->memory = memory;
	region->length = length;
	region->shift = 0;
}

void real_advise_mr(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	const struct advice_args *in = &b->in.advice;
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct ibv_sge usual =
		advised(slot_ptr(t, in->mr), verbs_shift_of(t, in->mr),
			in->lkey, in->offset, in->length);
	struct ibv_sge odd =
		advised(slot_ptr(t, in->part_mr),
			verbs_shift_of(t, in->part_mr), in->part_lkey,
			in->part_offset, in->part_length);

	RECORD_INT(o, advise(pd, in->advice, in->flags, in->num_sge, usual,
			     in->part, odd));
}

void real_dereg_mr(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	if (slot_import_holds(t, b->on)) {
		o->ret = EBUSY;
		return;
	}
	RECORD_INT(o, ibv_dereg_mr(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_alloc_mw(struct verbs_target *t, const struct bound *b,
		   struct outcome *o)
{
	enum ibv_mw_type type = (enum ibv_mw_type)b->in.mw.type;
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct ibv_mw *mw;

	RECORD_PTR(o, mw, ibv_alloc_mw(pd, type));
	if (slot_fill(t, b, mw))
		o->out.keys.rkey = mw->rkey;
}

void real_dealloc_mw(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	RECORD_INT(o, ibv_dealloc_mw(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

/* False: there is no descriptor for it. */
static bool xrcd_file(struct verbs_target *t, uint32_t which, int *fd)
{
	switch (which) {
	case XRCD_FILE0:
		*fd = shared_file(&t->file[0]);
		break;
	case XRCD_FILE1:
		*fd = shared_file(&t->file[1]);
		break;
	case XRCD_FILE0_AGAIN:
		*fd = reopened_file(&t->file[0]);
		break;
	case XRCD_CLOSED:
		*fd = closed_file();
		break;
	default:
		*fd = -1;
		return true;
	}
	return *fd >= 0;
}

void real_open_xrcd(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_context *context = slot_context(t, b->on);
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = b->in.xrcd.comp_mask,
		.oflags = b->in.xrcd.oflags,
	};
	struct ibv_xrcd_init_attr before;
	struct ibv_xrcd *xrcd;

	if (!xrcd_file(t, b->in.xrcd.fd, &attr.fd)) {
		verbs_cannot_make(b, o, errno);
		return;
	}
	before = attr;
	RECORD_PTR(o, xrcd, ibv_open_xrcd(context, &attr));
	o->in_changed = memcmp(&attr, &before, sizeof(attr)) != 0;
	if (b->in.xrcd.fd == XRCD_FILE0_AGAIN)
		close(before.fd);
	slot_fill(t, b, xrcd);
}

void real_close_xrcd(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	RECORD_INT(o, ibv_close_xrcd(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}

void real_create_ah(struct verbs_target *t, const struct bound *b,
		    struct outcome *o)
{
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct ibv_ah_attr attr;
	struct ibv_ah *ah;

	memcpy(&attr, &b->in.ah, sizeof(attr));
	RECORD_PTR(o, ah, ibv_create_ah(pd, &attr));
	o->in_changed = memcmp(&attr, &b->in.ah, sizeof(attr)) != 0;
	slot_fill(t, b, ah);
}

/* Where the header of a message was received; memory of zeros: it has none. */
static struct ibv_grh *header_at(const struct verbs_target *t,
				 const struct ah_from_args *in,
				 struct ibv_grh *none)
{
	const struct ibv_mr *mr = slot_ptr(t, in->mr);

	memset(none, 0, sizeof(*none));
	if (!mr || mr->length > MR_MAPPED_MAX || mr->length < sizeof(*none) ||
	    in->offset > mr->length - sizeof(*none))
		return none;
	return (struct ibv_grh *)((char *)mr->addr + in->offset);
}

void real_init_ah_from_wc(struct verbs_target *t, const struct bound *b,
			  struct outcome *o)
{
	const struct ah_from_args *in = &b->in.ah_from;
	struct ibv_wc *wc = slot_ptr(t, in->completion);
	struct ibv_grh none;

	RECORD_INT(o, ibv_init_ah_from_wc(slot_context(t, b->on),
					  (uint8_t)in->port_num, &wc[in->wc],
					  header_at(t, in, &none), &o->out.ah));
}

void real_create_ah_from_wc(struct verbs_target *t, const struct bound *b,
			    struct outcome *o)
{
	const struct ah_from_args *in = &b->in.ah_from;
	struct ibv_wc *wc = slot_ptr(t, in->completion);
	struct ibv_pd *pd = slot_ptr(t, b->on);
	struct ibv_grh none;
	struct ibv_ah *ah;

	RECORD_PTR(o, ah,
		   ibv_create_ah_from_wc(pd, &wc[in->wc],
					 header_at(t, in, &none),
					 (uint8_t)in->port_num));
	slot_fill(t, b, ah);
}

void real_destroy_ah(struct verbs_target *t, const struct bound *b,
		     struct outcome *o)
{
	RECORD_INT(o, ibv_destroy_ah(slot_ptr(t, b->on)));
	if (!o->ret)
		slot_drop(t, b->on);
}
