/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creation of contexts, protection domains, windows, completion queues, XRC
 * domains, address handles, work queues and indirection tables.
 */
#include <errno.h>
#include <fcntl.h>
#include "contract/opcodes.h"
#include "model/create.h"

bool check_size(struct step *s, struct faults *f, enum field field,
		uint64_t value, uint64_t limit, const struct size_rows *rows)
{
	uint64_t high = mutant_limit(s->mutant, field, value, limit);

	if (value == 0) {
		if (mutant_refuses_zero(s->mutant, field))
			add_fault(s, f, rows->over);
		else if (rows->zero != ROW_NONE)
			add_fault(s, f, rows->zero);
		return false;
	}
	if (value > high)
		add_fault(s, f, rows->over);
	return value == limit && value <= high;
}

/* Decides the creation; returns the new object, or NULL if the call is refused.
 */
static struct object *decide_creation(struct step *s, const struct faults *f,
				      enum object_kind kind, enum row accept)
{
	enum out effect;
	int err;

	answer_accept(s, accept);
	err = choose_outcome(s, f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return NULL;
	}
	return object_add(s, kind);
}

struct object *object_make_child(struct step *s, struct faults *f,
				 enum object_kind kind, uint16_t parent,
				 enum row accept)
{
	struct object *o;

	check_number(s, f, kind, accept);
	o = decide_creation(s, f, kind, accept);
	if (o)
		object_add_parent(s->m, o, parent);
	return o;
}

static struct object *add_child(struct step *s, struct faults *f,
				enum object_kind kind, uint16_t parent)
{
	return object_make_child(s, f, kind, parent, ROW_OBJ_ACCEPT);
}

static void add_plain(struct step *s, enum object_kind kind, uint16_t parent)
{
	struct faults f = {0};

	add_child(s, &f, kind, parent);
}

void do_open_device(struct step *s)
{
	add_plain(s, OBJ_CTX, NO_OBJ);
}

void do_alloc_pd(struct step *s)
{
	add_plain(s, OBJ_PD, NO_OBJ);
}

/* Bits of enum ibv_parent_domain_init_attr_mask: two that every header has, and
 * ALLOW_CC_UNPROTECTED_ALLOC, which rdma-core 65 added. */
#define PARENT_MASK_KNOWN  3u
#define PARENT_MASK_SHARED 4u

void do_alloc_parent_domain(struct step *s)
{
	const struct parent_args *in = &s->b->in.parent;
	struct faults f = {0};
	struct object *o;

	if (in->comp_mask & ~(PARENT_MASK_KNOWN | PARENT_MASK_SHARED))
		add_fault(s, &f, ROW_PARENT_FLAGS);
	else if (in->comp_mask & PARENT_MASK_SHARED)
		add_fault(s, &f, ROW_PARENT_SHARED);
	else
		add_fault(s, &f, ROW_PARENT_OFFERED);
	o = add_child(s, &f, OBJ_PD, in->pd);
	if (!o)
		return;
	object_add_parent(s->m, o, in->td);
	allocator_set(s, o);
}

void do_alloc_td(struct step *s)
{
	struct faults f = {0};

	if (s->b->in.td.comp_mask)
		add_fault(s, &f, ROW_TD_FLAGS);
	else
		add_fault(s, &f, ROW_TD_OFFERED);
	add_child(s, &f, OBJ_TD, NO_OBJ);
}

void do_create_comp_channel(struct step *s)
{
	add_plain(s, OBJ_CHANNEL, NO_OBJ);
}

static bool claims_mw(const struct device_info *d, uint32_t type)
{
	if (type == IBV_MW_TYPE_1)
		return device_flag(d, IBV_DEVICE_MEM_WINDOW);
	return device_flag(d, IBV_DEVICE_MEM_WINDOW_TYPE_2A |
				      IBV_DEVICE_MEM_WINDOW_TYPE_2B);
}

void do_alloc_mw(struct step *s)
{
	uint32_t type = s->b->in.mw.type, rkey;
	struct faults f = {0};
	struct object *o;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		add_fault(s, &f, ROW_MW_TYPE);
	else if (!claims_mw(s->d, type))
		add_fault(s, &f, ROW_MW_TYPE_CLAIM);
	o = add_child(s, &f, OBJ_MW, s->b->on);
	if (!o)
		return;
	rkey = ++s->m->next_key << 8 | 0x80000000;
	o->mw.type = type;
	o->mw.rkey = (uint32_t)answer_seen(s, F_window_rkey, rkey);
	o->mw.caller_rkey = o->mw.rkey;
	o->mw.bound_to.mr = o->mw.bound_to.qp = o->mw.last_bound.mr =
		o->mw.last_bound.qp = NO_OBJ;
	index_name(s->m, s->b->result);
	answer_define(s, F_window_rkey, o->mw.rkey, ROW_OBJ_ACCEPT);
}

static bool ignores_overrun(const struct cq_args *in, bool extended)
{
	return extended && in->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	       in->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
}

static bool is_in_domain(const struct cq_args *in, bool extended)
{
	return extended && in->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD;
}

/* Returns true for a seeded fault: a domain is kept that is not named. */
static bool keeps_unnamed(const struct step *s, bool extended)
{
	return extended && mutant_has_quirk(s->mutant, QUIRK_CQ_UNMASKED);
}

static bool is_parent_domain(const struct model *m, uint16_t pd)
{
	return pd != NO_OBJ && m->object[pd].pd != NO_OBJ &&
	       m->object[pd].real == pd;
}

static void check_cq(struct step *s, struct faults *f, bool extended)
{
	static const struct size_rows rows = {ROW_CQ_SIZE_LOW, ROW_CQ_SIZE_OVER,
					      ROW_CQ_SIZE_LIMIT};
	const struct cq_args *in = &s->b->in.cq;
	const uint64_t *limit = s->d->limit;

	if (extended && !s->d->can_cq_ex)
		add_fault(s, f, ROW_OBJ_UNSUPPORTED);
	if (extended && (in->comp_mask & ~3u || in->wc_flags & ~0xfffull))
		add_fault(s, f, ROW_CQ_EX_FLAGS);
	else if (extended && in->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS)
		add_fault(s, f, ROW_CQ_EX_OWN);
	if (extended && in->comp_mask & 1 && in->flags & ~3u)
		add_fault(s, f, ROW_CQ_EX_FLAG_UNKNOWN);
	if (ignores_overrun(in, extended))
		add_fault(s, f, ROW_CQ_IGNORE);
	if (is_in_domain(in, extended))
		add_fault(s, f,
			  is_parent_domain(s->m, in->parent_domain)
				  ? ROW_CQ_EX_PARENT
				  : ROW_CQ_EX_PARENT_PLAIN);
	if (in->comp_vector < 0 ||
	    (uint64_t)in->comp_vector >= limit[LIM_num_comp_vectors])
		add_fault(s, f, ROW_CQ_VECTOR);
	if (in->cqe < 0)
		add_fault(s, f, ROW_CQ_SIZE_LOW);
	else if (check_size(s, f, F_cqe, (uint64_t)in->cqe, limit[LIM_max_cqe],
			    &rows))
		add_fault(s, f, ROW_CQ_SIZE_LIMIT);
}

static struct object *make_cq(struct step *s, const struct faults *f,
			      bool extended, enum row accept)
{
	const struct cq_args *in = &s->b->in.cq;
	struct object *o = decide_creation(s, f, OBJ_CQ, accept);

	if (!o)
		return NULL;
	object_add_parent(s->m, o, in->channel);
	if ((is_in_domain(in, extended) || keeps_unnamed(s, extended)) &&
	    is_parent_domain(s->m, in->parent_domain))
		object_add_parent(s->m, o, in->parent_domain);
	o->cq.extended = extended;
	o->cq.wc_flags = extended ? in->wc_flags : 0;
	o->cq.channel = in->channel;
	o->cq.cqe = (int32_t)answer_define_at_least(
		s, F_cqe, (uint64_t)in->cqe,
		mutant_grant(s->mutant, F_cqe, (uint64_t)in->cqe),
		ROW_CQ_AT_LEAST);
	return o;
}

void create_check_cq(struct step *s, struct faults *f, enum row accept)
{
	check_cq(s, f, true);
	check_number(s, f, OBJ_CQ, accept);
}

struct object *create_make_cq(struct step *s, const struct faults *f,
			      enum row accept)
{
	return make_cq(s, f, true, accept);
}

void do_create_cq(struct step *s)
{
	struct faults f = {0};

	check_cq(s, &f, false);
	check_number(s, &f, OBJ_CQ, ROW_OBJ_ACCEPT);
	make_cq(s, &f, false, ROW_OBJ_ACCEPT);
}

void do_create_cq_ex(struct step *s)
{
	struct faults f = {0};

	create_check_cq(s, &f, ROW_OBJ_ACCEPT);
	create_make_cq(s, &f, ROW_OBJ_ACCEPT);
}

/* Returns the file whose inode names the domain. A seeded fault takes the
 * descriptor. */
static uint8_t named_file(const struct step *s)
{
	uint32_t fd = s->b->in.xrcd.fd;

	if (fd == XRCD_FILE0_AGAIN &&
	    !mutant_has_quirk(s->mutant, QUIRK_XRCD_DESCRIPTOR))
		return XRCD_FILE0;
	return (uint8_t)fd;
}

/* A seeded fault keeps domains that were opened twice. */
static bool xrcd_exists(const struct step *s, uint8_t file)
{
	const struct object *o = s->m->object;

	for (uint16_t i = first_of(s->m, OBJ_XRCD); i != NO_OBJ;
	     i = next_of(s->m, OBJ_XRCD, i))
		if ((o[i].alive ||
		     (o[i].xrcd.twice &&
		      mutant_has_quirk(s->mutant, QUIRK_XRCD_TWICE))) &&
		    o[i].device == s->device && o[i].xrcd.file == file)
			return true;
	return false;
}

/* Seeded fault: returns true if the domain of the file was made with O_EXCL
 * before. */
static bool was_exclusive(const struct step *s, uint8_t file)
{
	const struct object *o = s->m->object;

	if (!mutant_has_quirk(s->mutant, QUIRK_XRCD_EXCL))
		return false;
	for (uint16_t i = first_of(s->m, OBJ_XRCD); i != NO_OBJ;
	     i = next_of(s->m, OBJ_XRCD, i))
		if (o[i].xrcd.file == file && o[i].xrcd.exclusive)
			return true;
	return false;
}

/* Seeded fault: returns true unless a domain was made by the same descriptor.
 */
static bool is_other_descriptor(const struct step *s)
{
	const struct object *o = s->m->object;

	if (!mutant_has_quirk(s->mutant, QUIRK_EXCL_DESCRIPTOR))
		return false;
	for (uint16_t i = first_of(s->m, OBJ_XRCD); i != NO_OBJ;
	     i = next_of(s->m, OBJ_XRCD, i))
		if (o[i].alive && o[i].device == s->device &&
		    o[i].xrcd.fd == s->b->in.xrcd.fd)
			return false;
	return true;
}

/* Seeded fault: returns true unless another context has a domain of the file.
 */
static bool is_own_context(const struct step *s)
{
	const struct object *o = s->m->object;

	if (!mutant_has_quirk(s->mutant, QUIRK_EXCL_CONTEXT))
		return false;
	for (uint16_t i = first_of(s->m, OBJ_XRCD); i != NO_OBJ;
	     i = next_of(s->m, OBJ_XRCD, i))
		if (o[i].alive && o[i].device == s->device &&
		    o[i].ctx != s->b->on && o[i].xrcd.file == named_file(s))
			return false;
	return true;
}

static void check_xrcd_file(struct step *s, struct faults *f)
{
	const struct xrcd_args *in = &s->b->in.xrcd;
	bool exists = xrcd_exists(s, named_file(s)) ||
		      was_exclusive(s, named_file(s));

	if (in->fd == XRCD_PRIVATE)
		return;
	if (in->fd == XRCD_CLOSED)
		add_fault(s, f, ROW_XRCD_FD);
	else if (exists && in->oflags & O_EXCL && !is_other_descriptor(s) &&
		 !is_own_context(s))
		add_fault(s, f, ROW_XRCD_EXCL);
	else if (!exists && !(in->oflags & O_CREAT))
		add_fault(s, f, ROW_XRCD_MISSING);
}

void do_open_xrcd(struct step *s)
{
	const struct xrcd_args *in = &s->b->in.xrcd;
	uint32_t both = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS;
	struct faults f = {0};
	struct object *o;
	bool twice = s->mutant && in->fd != XRCD_PRIVATE &&
		     xrcd_exists(s, named_file(s));

	if (!device_flag(s->d, IBV_DEVICE_XRC))
		add_fault(s, &f, ROW_OBJ_UNSUPPORTED);
	else if (in->comp_mask != both)
		add_fault(s, &f, ROW_XRCD_MASK);
	else
		check_xrcd_file(s, &f);
	o = add_child(s, &f, OBJ_XRCD, NO_OBJ);
	if (!o)
		return;
	o->xrcd.file = named_file(s);
	o->xrcd.twice = twice;
	o->xrcd.exclusive = in->oflags & O_EXCL;
	o->xrcd.fd = (uint8_t)in->fd;
}

/* Maps the row of an address vector to the row of an address handle. */
static enum row handle_row(enum row row)
{
	switch (row) {
	case ROW_AV_PORT:
		return ROW_AH_PORT;
	case ROW_AV_GRH:
		return ROW_AH_GRH;
	case ROW_AV_SGID:
	case ROW_AV_SGID_EMPTY:
		return ROW_AH_SGID;
	case ROW_AV_FAMILY:
		return ROW_AH_FAMILY;
	case ROW_AV_UNREACHABLE:
		return ROW_AH_UNREACHABLE;
	default:
		return ROW_NONE;
	}
}

/* Seeded fault: returns true if a handle with a GRH was destroyed in the
 * domain. */
static bool had_global(const struct step *s, uint16_t pd)
{
	const struct object *o = s->m->object;

	if (!mutant_has_quirk(s->mutant, QUIRK_HANDLE_GLOBAL))
		return false;
	for (uint16_t i = first_of(s->m, OBJ_AH); i != NO_OBJ;
	     i = next_of(s->m, OBJ_AH, i))
		if (!o[i].alive && o[i].ah.is_global && o[i].pd == pd)
			return true;
	return false;
}

/* Returns an older address handle with the same port and GID, or NULL. */
static const struct object *older_handle(const struct step *s,
					 const struct object *ah)
{
	for (uint16_t i = first_of(s->m, OBJ_AH); i != NO_OBJ;
	     i = next_of(s->m, OBJ_AH, i)) {
		const struct object *o = &s->m->object[i];

		if (o != ah && o->alive && o->pd == ah->pd && o->ah.is_global &&
		    ah->ah.is_global && o->ah.port_num == ah->ah.port_num &&
		    !memcmp(&o->ah.grh.dgid, &ah->ah.grh.dgid,
			    sizeof(o->ah.grh.dgid)))
			return o;
	}
	return NULL;
}

/* Seeded fault: an address handle has the traffic class of an older one that
 * leaves by the same port and GID to the same GID. */
static void share_class(const struct step *s, struct object *ah)
{
	if (!mutant_has_quirk(s->mutant, QUIRK_HANDLE_CLASS))
		return;
	for (uint16_t i = first_of(s->m, OBJ_AH); i != NO_OBJ;
	     i = next_of(s->m, OBJ_AH, i)) {
		const struct object *o = &s->m->object[i];

		if (o == ah || !o->alive || o->pd != ah->pd ||
		    !o->ah.is_global || !ah->ah.is_global ||
		    o->ah.port_num != ah->ah.port_num ||
		    o->ah.grh.sgid_index != ah->ah.grh.sgid_index ||
		    memcmp(&o->ah.grh.dgid, &ah->ah.grh.dgid,
			   sizeof(o->ah.grh.dgid)))
			continue;
		ah->ah.grh.traffic_class = o->ah.grh.traffic_class;
		return;
	}
}

void do_create_ah(struct step *s)
{
	enum row row = handle_row(address_row(s, &s->b->in.ah));
	const struct object *older = NULL;
	struct faults f = {0};
	struct object *o;

	if (device_iwarp(s->d)) /* iWARP has no datagrams */
		row = ROW_OBJ_UNSUPPORTED;
	if (row != ROW_NONE)
		add_fault(s, &f, row);
	o = add_child(s, &f, OBJ_AH, s->b->on);
	if (!o)
		return;
	o->ah = s->b->in.ah;
	o->ah.is_global |= had_global(s, o->pd);
	if (mutant_has_quirk(s->mutant, QUIRK_HANDLE_SHARED))
		older = older_handle(s, o);
	if (older)
		o->ah = older->ah;
	share_class(s, o);
	if (mutant_has_quirk(s->mutant, QUIRK_HANDLE_FLOW))
		o->ah.grh.flow_label &= 0xffff;
}

static uint32_t granted(struct step *s, enum field f, uint32_t asked)
{
	return (uint32_t)answer_define_at_least(
		s, f, asked, mutant_grant(s->mutant, f, asked), ROW_OBJ_ACCEPT);
}

void do_create_wq(struct step *s)
{
	static const struct size_rows rows = {ROW_WQ_RANGE, ROW_WQ_RANGE,
					      ROW_OBJ_ACCEPT};
	const struct wq_args *in = &s->b->in.wq;
	const uint64_t *limit = s->d->limit;
	struct faults f = {0};
	struct object *o;

	if (!limit[LIM_max_wq_type_rq])
		add_fault(s, &f, ROW_OBJ_UNSUPPORTED);
	if (in->wq_type != 0 || in->comp_mask & ~1u)
		add_fault(s, &f, ROW_WQ_RANGE);
	check_size(s, &f, F_wq_max_wr, in->max_wr, limit[LIM_max_qp_wr], &rows);
	check_size(s, &f, F_wq_max_sge, in->max_sge, limit[LIM_max_sge], &rows);
	o = add_child(s, &f, OBJ_WQ, in->pd);
	if (!o)
		return;
	object_add_parent(s->m, o, in->cq);
	wq_init(o, in,
		in->comp_mask & IBV_WQ_INIT_ATTR_FLAGS ||
			mutant_has_quirk(s->mutant, QUIRK_WQ_UNMASKED),
		granted(s, F_wq_max_wr, in->max_wr),
		granted(s, F_wq_max_sge, in->max_sge));
}

static uint64_t log2_of(uint64_t power)
{
	return power ? 63u - (uint64_t)__builtin_clzll(power) : 0;
}

/* Seeded fault: the caller's array, which is used for each creation, is read
 * again when the first queue pair of a table is created. */
static void take_late(struct step *s)
{
	for (uint16_t i = first_of(s->m, OBJ_IND); i != NO_OBJ;
	     i = next_of(s->m, OBJ_IND, i))
		if (mutant_has_quirk(s->mutant, QUIRK_TABLE_LATE) &&
		    s->m->object[i].alive && !object_is_used(s->m, i))
			memcpy(s->m->object[i].ind.wq, s->b->in.ind.wq,
			       sizeof(s->b->in.ind.wq));
}

void do_create_rwq_ind_table(struct step *s)
{
	const struct ind_args *in = &s->b->in.ind;
	uint64_t most = s->d->limit[LIM_max_rwq_indirection_table_size];
	struct faults f = {0};
	struct object *o;

	if (!most)
		add_fault(s, &f, ROW_OBJ_UNSUPPORTED);
	else if (in->comp_mask || in->log_size > 31 ||
		 in->log_size > mutant_limit(s->mutant, F_ind_log_size,
					     in->log_size, log2_of(most)))
		add_fault(s, &f, ROW_IND_RANGE);
	o = add_child(s, &f, OBJ_IND, in->wq[0]);
	if (!o)
		return;
	for (int i = 1; i < IND_QUEUES; i++)
		object_add_parent(s->m, o, in->wq[i]);
	take_late(s);
	memcpy(o->ind.wq, in->wq, sizeof(o->ind.wq));
	o->ind.log_size = in->log_size;
}
