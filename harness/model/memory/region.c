// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Registers memory regions at their address or at an IOVA, and changes them by
 * ibv_rereg_mr. Access flags, lengths and addresses are checked here.
 */
#include <errno.h>
#include "model/internal.h"
#include "model/memory/window.h"

#define PAGE_OFFSET    4095u
#define MOST_LOG_ALIGN 6 /* of device memory, for certain */
#define REMOTE_ACCESS                                                          \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |                    \
	 IBV_ACCESS_REMOTE_ATOMIC)
#define REREG_KNOWN                                                            \
	((uint32_t)(IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | \
		    IBV_REREG_MR_CHANGE_ACCESS))

/* The device chooses the keys: an oracle adopts those that it saw. */
static void choose_keys(struct step *s, struct model_mr *mr, uint32_t key,
			enum field lkey, enum field rkey)
{
	uint32_t remote = mr->access & REMOTE_ACCESS ? key | 0x80000000 : 0;

	mr->lkey = (uint32_t)answer_seen(s, lkey, key);
	mr->rkey = (uint32_t)answer_seen(s, rkey, remote);
}

/* Gives a new region its keys. */
static void name_region(struct step *s, struct model_mr *mr)
{
	mr->last_row = ROW_DATA_BYTES;
	choose_keys(s, mr, ++s->m->next_key << 8, F_keys_lkey, F_keys_rkey);
	index_name(s->m, s->b->result);
	answer_define(s, F_keys_lkey, mr->lkey, ROW_OBJ_ACCEPT);
	answer_define(s, F_keys_rkey, mr->rkey, ROW_OBJ_ACCEPT);
	s->a->outcome.out.keys.top = 0 - region_address(s->b->result);
	bytes_forget(s->m, s->b->result);
}

static void fill_mr(struct step *s, struct model_mr *mr)
{
	mr->length = s->b->in.mr.length;
	mr->access = s->b->in.mr.access;
	mr->page_offset = s->b->in.mr.page_offset & PAGE_OFFSET;
	name_region(s, mr);
}

static void check_flush(struct step *s, struct faults *f, uint32_t access)
{
	uint32_t rights = ACCESS_FLUSH_GLOBAL | ACCESS_FLUSH_PERSISTENT;

	if (access & rights & ~device_rights(s->d))
		add_fault(s, f, ROW_MR_FLUSH);
	else if (access & ACCESS_FLUSH_PERSISTENT)
		add_fault(s, f, ROW_MR_PERSISTENT);
}

static void check_rights(struct step *s, struct faults *f, uint32_t access)
{
	uint32_t remote = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	if (s->b->verb == V_reg_mr &&
	    mutant_has_quirk(s->mutant, QUIRK_ATOMIC_ALONE))
		remote = IBV_ACCESS_REMOTE_WRITE;
	if ((access & remote) && !(access & IBV_ACCESS_LOCAL_WRITE))
		add_fault(s, f, ROW_MR_ACCESS);
	if (access & ACCESS_UNDEFINED)
		add_fault(s, f, ROW_MR_ACCESS_UNKNOWN);
	if (access & IBV_ACCESS_ON_DEMAND &&
	    !(s->d->limit[LIM_odp_general_caps] & IBV_ODP_SUPPORT))
		add_fault(s, f, ROW_MR_ON_DEMAND);
	if (access & IBV_ACCESS_HUGETLB)
		add_fault(s, f, ROW_MR_HUGETLB);
	check_flush(s, f, access);
}

static void check_length(struct step *s, struct faults *f, uint64_t length)
{
	if (!length)
		add_fault(s, f, ROW_MR_EMPTY);
	else if (length > MR_MAPPED_MAX)
		add_fault(s, f, ROW_MR_UNMAPPED);
}

void do_reg_mr(struct step *s)
{
	const struct mr_args *in = &s->b->in.mr;
	struct faults f = {0};
	struct object *o;

	check_length(s, &f, in->length);
	check_rights(s, &f, in->access);
	if (mutant_has_quirk(s->mutant, QUIRK_HINT_REFUSED) &&
	    in->access & IBV_ACCESS_OPTIONAL_RANGE &
		    ~(uint32_t)IBV_ACCESS_RELAXED_ORDERING)
		add_fault(s, &f, ROW_MR_ACCESS_UNKNOWN);
	o = object_make_child(
		s, &f, OBJ_MR, s->b->on,
		in->access & IBV_ACCESS_ZERO_BASED	 ? ROW_MR_ZERO_BASED
		: in->access & IBV_ACCESS_OPTIONAL_RANGE ? ROW_MR_OPTIONAL
							 : ROW_OBJ_ACCEPT);
	if (!o)
		return;
	fill_mr(s, &o->mr);
	if (!(in->access & IBV_ACCESS_ZERO_BASED))
		return;
	o->mr.at_iova = o->mr.from_zero = true;
	s->a->outcome.out.keys.top = 0;
	record_row(s, ROW_DATA_ZERO_BASED);
}

/* Address and IOVA begin at the same place of a page. */
static void check_iova(struct step *s, struct faults *f,
		       const struct mr_args *in)
{
	if ((in->iova ^ in->page_offset) & PAGE_OFFSET)
		add_fault(s, f, ROW_MR_IOVA_OFFSET);
	else if (in->iova > UINT64_MAX - in->length)
		add_fault(s, f, ROW_MR_IOVA_WRAP);
}

void do_reg_mr_iova(struct step *s)
{
	const struct mr_args *in = &s->b->in.mr;
	struct faults f = {0};
	struct object *o;

	check_length(s, &f, in->length);
	check_rights(s, &f, in->access);
	check_iova(s, &f, in);
	o = object_make_child(s, &f, OBJ_MR, s->b->on,
			      in->access & IBV_ACCESS_ZERO_BASED
				      ? ROW_MR_ZERO_BASED
				      : ROW_MR_IOVA);
	if (!o)
		return;
	fill_mr(s, &o->mr);
	o->mr.at_iova = true;
	o->mr.at_address = !in->iova && !(in->access & IBV_ACCESS_ZERO_BASED) &&
			   mutant_has_quirk(s->mutant, QUIRK_IOVA_ZERO);
	s->a->outcome.out.keys.top = 0 - in->iova;
	record_row(s, ROW_DATA_IOVA);
}

#define DMABUF_ACCESS                                                          \
	(IBV_ACCESS_LOCAL_WRITE | REMOTE_ACCESS |                              \
	 (uint32_t)IBV_ACCESS_RELAXED_ORDERING)

/* Returns the bytes of the dma-buf that the step makes: whole pages. */
static uint64_t dmabuf_bytes(const struct dmabuf_args *in)
{
	uint64_t size = in->size && in->size <= MR_MAPPED_MAX ? in->size : 1;

	return (size + PAGE_OFFSET) & ~(uint64_t)PAGE_OFFSET;
}

static void check_dmabuf(struct step *s, struct faults *f)
{
	const struct dmabuf_args *in = &s->b->in.dmabuf;
	uint64_t all = dmabuf_bytes(in);

	if ((in->iova ^ in->offset) & PAGE_OFFSET)
		add_fault(s, f, ROW_DMABUF_OFFSET);
	if (in->access & ~DMABUF_ACCESS)
		add_fault(s, f, ROW_DMABUF_ACCESS);
	check_rights(s, f, in->access & DMABUF_ACCESS);
	if (in->fd == DMABUF_FD_FILE)
		add_fault(s, f, ROW_DMABUF_NO_BUF);
	else if (in->fd != DMABUF_FD_MADE)
		add_fault(s, f, ROW_DMABUF_FD);
	if (!in->length)
		add_fault(s, f, ROW_MR_EMPTY);
	if (in->offset > all || in->length > all - in->offset)
		add_fault(s, f, ROW_DMABUF_RANGE);
	if (in->iova > UINT64_MAX - in->length)
		add_fault(s, f, ROW_MR_IOVA_WRAP);
}

void do_reg_dmabuf_mr(struct step *s)
{
	const struct dmabuf_args *in = &s->b->in.dmabuf;
	struct faults f = {0};
	struct object *o;

	if (s->d->can_dmabuf)
		check_dmabuf(s, &f);
	else
		add_fault(s, &f, ROW_OBJ_UNSUPPORTED);
	o = object_make_child(s, &f, OBJ_MR, s->b->on, ROW_DMABUF_ACCEPT);
	if (!o)
		return;
	o->mr.length = in->length;
	o->mr.access = in->access;
	name_region(s, &o->mr);
	o->mr.of_dmabuf = o->mr.at_iova = true;
	o->mr.page_offset = in->iova & PAGE_OFFSET;
	o->mr.at_start = !in->iova && in->offset &&
			 mutant_has_quirk(s->mutant, QUIRK_DMABUF_START);
	if (mutant_has_quirk(s->mutant, QUIRK_DMABUF_PAGE))
		o->mr.pages_before = in->offset & ~(uint64_t)PAGE_OFFSET;
	if (mutant_has_quirk(s->mutant, QUIRK_DMABUF_SEGMENT) &&
	    in->offset > PAGE_OFFSET)
		o->mr.pages_before = in->offset - (PAGE_OFFSET + 1);
	s->a->outcome.out.keys.top = 0 - in->iova;
	record_row(s, ROW_DATA_DMABUF);
}

void do_alloc_null_mr(struct step *s)
{
	struct faults f = {0};
	struct object *o;

	if (!s->d->can_null_mr)
		add_fault(s, &f, ROW_OBJ_UNSUPPORTED);
	o = object_make_child(s, &f, OBJ_MR, s->b->on, ROW_OBJ_ACCEPT);
	if (!o)
		return;
	record_row(s, ROW_DATA_NULL_READ);
	record_row(s, ROW_DATA_NULL_WRITE);
	o->mr.null = true;
	o->mr.length = UINT64_MAX;
	o->mr.access = IBV_ACCESS_LOCAL_WRITE;
	if (mutant_has_quirk(s->m->mutant, QUIRK_NULL_EXPOSED))
		o->mr.access |= REMOTE_ACCESS;
	name_region(s, &o->mr);
}

static void check_dm_rights(struct step *s, struct faults *f, uint32_t access)
{
	uint32_t known = IBV_ACCESS_LOCAL_WRITE | REMOTE_ACCESS |
			 IBV_ACCESS_ZERO_BASED | ACCESS_UNDEFINED |
			 (uint32_t)IBV_ACCESS_OPTIONAL_RANGE;

	if (!(access & IBV_ACCESS_ZERO_BASED))
		add_fault(s, f, ROW_DM_BASED);
	if (access & ~known)
		add_fault(s, f, ROW_DM_ACCESS);
	check_rights(s, f, access & known);
}

void do_alloc_dm(struct step *s)
{
	const struct ibv_alloc_dm_attr *in = &s->b->in.dm;
	struct faults f = {0};
	struct object *o;

	if (in->comp_mask)
		add_fault(s, &f, ROW_DM_MASK);
	if (in->length > s->d->limit[LIM_max_dm_size])
		add_fault(s, &f, ROW_DM_SIZE);
	if (!in->length)
		add_fault(s, &f, ROW_DM_EMPTY);
	if (in->log_align_req > MOST_LOG_ALIGN)
		add_fault(s, &f, ROW_DM_ALIGN);
	o = object_make_child(s, &f, OBJ_DM, NO_OBJ, ROW_DM_ACCEPT);
	if (!o)
		return;
	o->dm.length = in->length;
	bytes_forget(s->m, s->b->result);
	if (is_oracle(s))
		bytes_set_unknown(s->m, (struct place){0, s->b->result},
				  in->length);
}

void do_reg_dm_mr(struct step *s)
{
	const struct dm_mr_args *in = &s->b->in.dm_mr;
	struct faults f = {0};
	struct object *o;
	uint64_t all;

	if (in->dm == NO_OBJ ||
	    s->m->object[in->dm].ctx != obj(s->m, s->b->on)->ctx) {
		answer_refuse(s, ROW_DM_RANGE, EINVAL);
		return;
	}
	all = s->m->object[in->dm].dm.length;
	check_dm_rights(s, &f, in->access);
	if (in->offset > all || in->length > all - in->offset)
		add_fault(s, &f, ROW_DM_RANGE);
	if (!in->length)
		add_fault(s, &f, ROW_MR_EMPTY);
	o = object_make_child(s, &f, OBJ_MR, s->b->on, ROW_OBJ_ACCEPT);
	if (!o)
		return;
	object_add_parent(s->m, o, s->m->object[in->dm].real);
	record_row(s, ROW_DATA_DM_BASE);
	o->mr.in_dm = true;
	o->mr.dm = s->m->object[in->dm].real;
	o->mr.dm_offset =
		mutant_has_quirk(s->mutant, QUIRK_DM_FIRST) ? 0 : in->offset;
	o->mr.length = in->length;
	o->mr.access = in->access;
	name_region(s, &o->mr);
}

/* Returns true for arguments that libibverbs refuses, or the step itself: a
 * missing protection domain, or a domain of another context. */
static bool has_bad_input(const struct step *s)
{
	const struct rereg_args *in = &s->b->in.rereg;

	if (in->flags & ~REREG_KNOWN ||
	    (in->access && !(in->flags & IBV_REREG_MR_CHANGE_ACCESS)))
		return true;
	if (in->flags & IBV_REREG_MR_CHANGE_TRANSLATION && !in->length)
		return true;
	return in->flags & IBV_REREG_MR_CHANGE_PD &&
	       (in->pd == NO_OBJ ||
		s->m->object[in->pd].ctx != obj(s->m, s->b->on)->ctx);
}

/* Checks a change of access flags, and of regions of on-demand paging. */
static void check_new_rights(struct step *s, struct faults *f, uint32_t is,
			     uint32_t will)
{
	check_rights(s, f, will);
	if ((is | will) & IBV_ACCESS_ON_DEMAND)
		add_fault(s, f, ROW_REREG_ON_DEMAND);
}

static void check_change(struct step *s, struct faults *f)
{
	const struct rereg_args *in = &s->b->in.rereg;
	const struct model_mr *mr = &obj(s->m, s->b->on)->mr;

	if (!s->d->can_rereg)
		add_fault(s, f, ROW_OBJ_UNSUPPORTED);
	if (!in->flags)
		add_fault(s, f, ROW_REREG_NOTHING);
	if (region_in_dm(s->m, s->b->on))
		add_fault(s, f, ROW_REREG_DM);
	if (in->flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		check_length(s, f, in->length);
	check_new_rights(s, f, mr->access,
			 in->flags & IBV_REREG_MR_CHANGE_ACCESS ? in->access
								: mr->access);
	if (stale_refs_any(s->m, s->b->on))
		add_fault(s, f, ROW_REREG_BUSY);
	add_fault(s, f, ROW_REREG_ACCEPT);
}

static void refuse_change(struct step *s, enum row row, int err)
{
	struct object *o = obj(s->m, s->b->on);
	bool input = row == ROW_REREG_INPUT;
	bool mixed = mutant_skips(s->mutant, ROW_REREG_CODE);
	int code =
		input != mixed ? IBV_REREG_MR_ERR_INPUT : IBV_REREG_MR_ERR_CMD;

	answer_refuse(s, row, err);
	record_row(s, ROW_REREG_CODE);
	answer_define(s, F_new_code, (uint64_t)code, ROW_REREG_CODE);
	o->broken |= mutant_breaks_object(s->mutant, row);
	if (!input) {
		o->mr.invalid |= choose_hidden(s, ROW_REREG_FAILED) != OUT_OK;
		return;
	}
	record_row(s, ROW_REREG_KEPT);
	o->mr.invalid |= mutant_skips(s->mutant, ROW_REREG_KEPT);
	if (mutant_has_quirk(s->mutant, QUIRK_REREG_UNBINDS))
		window_unbind_all(s->m, s->b->on);
	answer_define(s, F_new_lkey, o->mr.lkey, ROW_REREG_KEPT);
	answer_define(s, F_new_rkey, o->mr.rkey, ROW_REREG_KEPT);
}

/* Returns true if a flag is set and no seeded fault ignores it. */
static bool changes(struct step *s, uint32_t flag, enum row row)
{
	if (!(s->b->in.rereg.flags & flag))
		return false;
	record_row(s, row);
	return !mutant_skips(s->mutant, row);
}

static void change_domain(struct model *m, struct object *o, uint16_t pd)
{
	for (int i = 0; i < o->nparents; i++)
		if (m->object[o->parent[i]].kind == OBJ_PD)
			o->parent[i] = pd;
	o->pd = base_pd(m, pd);
}

/* A device may keep the keys; this one has new ones for other memory. */
static void change_keys(struct step *s, struct model_mr *mr)
{
	bool moves = s->b->in.rereg.flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	struct model_mr before = *mr;

	record_row(s, ROW_REREG_KEYS);
	index_unname(s->m, s->b->on);
	choose_keys(s, mr, moves ? ++s->m->next_key << 8 : mr->lkey, F_new_lkey,
		    F_new_rkey);
	answer_define(s, F_new_lkey, mr->lkey, ROW_REREG_KEYS);
	answer_define(s, F_new_rkey, mr->rkey, ROW_REREG_KEYS);
	if (mutant_skips(s->mutant, ROW_REREG_KEYS)) {
		mr->lkey = before.lkey;
		mr->rkey = before.rkey;
	}
	index_name(s->m, s->b->on);
}

/* Requests and windows from before the change have the old addresses and keys.
 */
static void change(struct step *s)
{
	const struct rereg_args *in = &s->b->in.rereg;
	bool in_use = s->m->observes && stale_refs_any(s->m, s->b->on);
	struct object *o = obj(s->m, s->b->on);
	uint32_t key = o->mr.lkey;
	uint16_t before = o->pd;

	if (changes(s, IBV_REREG_MR_CHANGE_PD, ROW_REREG_PD))
		change_domain(s->m, o, in->pd);
	if (in->flags & IBV_REREG_MR_CHANGE_TRANSLATION &&
	    mutant_has_quirk(s->mutant, QUIRK_REREG_PD_KEPT))
		o->pd = before;
	if (changes(s, IBV_REREG_MR_CHANGE_ACCESS, ROW_REREG_RIGHTS) &&
	    !(in->flags & IBV_REREG_MR_CHANGE_PD &&
	      mutant_has_quirk(s->mutant, QUIRK_REREG_BOTH)))
		o->mr.access = in->access;
	if (in->flags & IBV_REREG_MR_CHANGE_TRANSLATION &&
	    !(in->flags & IBV_REREG_MR_CHANGE_ACCESS) &&
	    mutant_has_quirk(s->mutant, QUIRK_REREG_RIGHTS))
		o->mr.access = in->access;
	if (in->flags == IBV_REREG_MR_CHANGE_TRANSLATION && !in->access &&
	    mutant_has_quirk(s->mutant, QUIRK_REREG_ACCESS))
		o->mr.access = 0;
	if (changes(s, IBV_REREG_MR_CHANGE_TRANSLATION, ROW_REREG_MEMORY)) {
		if (in->flags != IBV_REREG_MR_CHANGE_TRANSLATION ||
		    in->length >= o->mr.length ||
		    !mutant_has_quirk(s->mutant, QUIRK_REREG_END))
			o->mr.length = in->length;
		o->mr.at_iova = o->mr.from_zero = false;
		o->mr.at_address = false;
		o->mr.page_offset = 0;
		o->mr.touched = o->mr.read_only = 0;
		if (mutant_has_quirk(s->mutant, QUIRK_REREG_FIRST)) {
			struct place first = {OFFSET_BEFORE, s->b->on};
			struct place here = {0, s->b->on};

			if (!o->mr.moved)
				bytes_copy(s->m, first, here, o->mr.length);
			o->mr.moved = true;
			o->mr.strayed = false;
			bytes_fill(s->m, here, first.offset, PATTERN_ZEROS);
		} else {
			bytes_forget(s->m, s->b->on);
		}
	}
	if (in->flags == IBV_REREG_MR_CHANGE_ACCESS && o->mr.moved)
		o->mr.strayed = true;
	change_keys(s, &o->mr);
	s->m->lost_track |=
		in_use && (o->mr.lkey != key ||
			   in->flags & IBV_REREG_MR_CHANGE_TRANSLATION);
}

void do_rereg_mr(struct step *s)
{
	struct object *o = obj(s->m, s->b->on);
	struct faults f = {0};
	enum out effect;
	int err;

	if (o->mr.indirect) {
		answer_refuse(s, ROW_REREG_INPUT, EINVAL);
		return;
	}
	if (o->mr.null || o->mr.of_dmabuf || has_bad_input(s))
		add_fault(s, &f, ROW_REREG_INPUT);
	else
		check_change(s, &f);
	answer_accept(s, ROW_REREG_ACCEPT);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		refuse_change(s, s->a->row, err);
		return;
	}
	answer_define(s, F_new_code, 0, ROW_REREG_CODE);
	if (mutant_does_nothing(s->mutant, s->b->verb)) {
		answer_define(s, F_new_lkey, o->mr.lkey, ROW_REREG_KEYS);
		answer_define(s, F_new_rkey, o->mr.rkey, ROW_REREG_KEYS);
		return;
	}
	change(s);
}
