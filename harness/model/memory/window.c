// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory windows: binding, invalidation, and what their rkeys give access to.
 */
#include "contract/opcodes.h"
#include "model/internal.h"

static bool is_mw(const struct model *m, uint16_t slot)
{
	return slot < m->top && m->object[slot].kind == OBJ_MW;
}

static bool is_live(const struct model *m, uint16_t slot)
{
	return is_mw(m, slot) && m->object[slot].alive;
}

/* Returns the window in a slot. Returns NULL if there is none, as for a request
 * in a ring whose key names no window. */
static struct model_mw *window_at(struct model *m, uint16_t slot)
{
	return is_mw(m, slot) ? &m->object[slot].mw : NULL;
}

/* Returns true if the window is on the device of `user`. */
static bool is_beside(const struct model *m, uint16_t slot, uint16_t user)
{
	return m->object[slot].device == m->object[user].device;
}

/* Returns the live window with this rkey on the device of `user`, or NO_OBJ. */
static uint16_t find(const struct model *m, uint32_t rkey, uint16_t user)
{
	uint16_t i = rkey ? index_first(m, BY_WINDOW, rkey) : NO_OBJ;

	while (i != NO_OBJ && !(is_live(m, i) && m->object[i].mw.rkey == rkey &&
				is_beside(m, i, user)))
		i = index_next(m, BY_WINDOW, i);
	return i;
}

/* Returns true if the rkey is or was the window's. */
static bool had(const struct model_mw *mw, uint32_t rkey)
{
	return mw->last_bound.rkey == rkey || mw->rkey == rkey;
}

/* Returns the window that has the rkey, or that had it if no region has it now.
 */
static uint16_t find_past(const struct model *m, uint32_t rkey, uint16_t user)
{
	uint16_t i = rkey ? index_first(m, BY_WINDOW, rkey) : NO_OBJ;
	uint16_t past = NO_OBJ;

	for (; i != NO_OBJ; i = index_next(m, BY_WINDOW, i)) {
		const struct object *o = &m->object[i];

		if (!is_beside(m, i, user))
			continue;
		if (o->alive && o->mw.rkey == rkey)
			return i;
		if (past == NO_OBJ && had(&o->mw, rkey))
			past = i;
	}
	if (past != NO_OBJ && region_of_key(m, rkey, true, user) != NO_OBJ)
		return NO_OBJ;
	return past;
}

bool window_named(const struct model *m, const struct model_wr *w,
		  uint16_t user)
{
	return !region_has_key(m, w, user) &&
	       find_past(m, w->rkey, user) != NO_OBJ;
}

/* Returns the binding that the rkey stands for or stood for, or NULL. */
static const struct binding *binding_of(const struct model *m, uint32_t rkey,
					uint16_t user)
{
	uint16_t slot = find_past(m, rkey, user);

	if (slot == NO_OBJ)
		return NULL;
	if (m->object[slot].mw.bound_to.rkey == rkey)
		return &m->object[slot].mw.bound_to;
	return &m->object[slot].mw.last_bound;
}

uint16_t window_mr(const struct model *m, uint32_t rkey, uint16_t user,
		   bool *from_zero)
{
	const struct binding *b = binding_of(m, rkey, user);

	*from_zero = b && b->access & IBV_ACCESS_ZERO_BASED;
	return b && b->length ? b->mr : NO_OBJ;
}

/* The request's offset counts from the region's or, for a zero-based window,
 * from the window's first byte. */
struct place window_remote_place(const struct model *m,
				 const struct model_wr *w, uint16_t peer)
{
	struct place at = {w->remote_offset, w->remote};
	const struct binding *b;

	if (region_has_key(m, w, peer))
		return at;
	b = binding_of(m, w->rkey, peer);
	if (!b || !b->length || !(b->access & IBV_ACCESS_ZERO_BASED))
		return at;
	at.mr = b->mr;
	at.offset = b->offset + w->remote_offset;
	return at;
}

/* Seeded fault: returns by how much a zero-based window begins too early: at
 * the beginning of its page. */
static uint64_t too_early(const struct model *m, const struct binding *b)
{
	uint64_t bytes;

	if (!mutant_has_quirk(m->mutant, QUIRK_ZERO_PAGE) || !b->length ||
	    !(b->access & IBV_ACCESS_ZERO_BASED))
		return 0;
	bytes = (m->object[b->mr].mr.page_offset + b->offset) & 4095;
	return bytes < b->offset ? bytes : b->offset;
}

/* Seeded faults count from the region's first byte. */
struct place window_landing(const struct model *m, const struct model_wr *w,
			    uint16_t peer)
{
	struct place at = window_remote_place(m, w, peer);
	const struct binding *b;
	uint16_t slot;

	if (!m->mutant)
		return at;
	slot = find_past(m, w->rkey, peer);
	b = binding_of(m, w->rkey, peer);
	if (slot != NO_OBJ && b && b->access & IBV_ACCESS_ZERO_BASED &&
	    !region_has_key(m, w, peer) && b->length &&
	    (mutant_has_quirk(m->mutant, QUIRK_ZERO_REGION) ||
	     mutant_has_quirk(m->mutant,
			      m->object[slot].mw.type == IBV_MW_TYPE_1
				      ? QUIRK_ZERO_BOUND
				      : QUIRK_ZERO_POSTED)))
		at.offset -= b->offset;
	if (slot != NO_OBJ && b && !region_has_key(m, w, peer))
		at.offset -= too_early(m, b);
	return at;
}

/* Returns true unless a seeded fault ignores the row. */
static bool breaks(struct step *s, enum row r)
{
	record_row(s, r);
	return !mutant_skips(s->m->mutant, r);
}

/* Seeded fault: the window ends too early as well. */
static bool ends_early(const struct model *m, const struct binding *b,
		       struct place at, uint64_t length)
{
	uint64_t bytes = too_early(m, b);

	return bytes && bytes < b->length &&
	       at.offset - b->offset + length > b->length - bytes;
}

static bool within(const struct binding *b, struct place at, uint64_t length)
{
	return at.mr == b->mr && at.offset >= b->offset &&
	       at.offset - b->offset <= b->length &&
	       length <= b->length - (at.offset - b->offset);
}

/* Returns true if the window is bound and its region lives. */
static bool has_region(const struct model *m, const struct model_mw *mw)
{
	return mw->bound && m->object[mw->bound_to.mr].alive;
}

static enum row other_queue_pair(struct step *s, uint16_t peer)
{
	if (device_2b_alone(home_of(s->m, peer)))
		return breaks(s, ROW_MW_OTHER_QP_2B) ? ROW_MW_OTHER_QP_2B
						     : ROW_NONE;
	return choose_hidden(s, ROW_MW_OTHER_QP) == OUT_OK ? ROW_NONE
							   : ROW_MW_OTHER_QP;
}

/* Returns the row that access through queue pair `peer` violates. The
 * protection domain is checked before the queue pair that bound the window. */
static enum row user_row(struct step *s, uint16_t slot, uint16_t peer,
			 uint16_t user)
{
	const struct model_mw *mw = &s->m->object[slot].mw;

	if (pd_of(s->m, slot) != pd_of(s->m, user))
		return breaks(s, ROW_MW_PD) ? ROW_MW_PD : ROW_NONE;
	if (mw->type != IBV_MW_TYPE_2 || mw->bound_to.qp == peer)
		return ROW_NONE;
	return other_queue_pair(s, peer);
}

static enum row right_row(const struct step *s, const struct model_mw *mw,
			  uint32_t right)
{
	if ((mw->bound_to.access & right) == right)
		return ROW_NONE;
	return s->m->object[mw->bound_to.mr].mr.access & right ? ROW_MW_RIGHT_MR
							       : ROW_MW_RIGHT;
}

enum row window_access(struct step *s, const struct model_wr *w, uint32_t right,
		       uint16_t peer, uint16_t user)
{
	uint16_t slot = find(s->m, w->rkey, peer);
	const struct model_mw *mw;
	enum row row;

	if (!w->length)
		return ROW_NONE;
	if (slot == NO_OBJ || !has_region(s->m, &s->m->object[slot].mw))
		return breaks(s, ROW_MW_GONE) ? ROW_MW_GONE : ROW_NONE;
	mw = &s->m->object[slot].mw;
	row = user_row(s, slot, peer, user);
	if (row != ROW_NONE)
		return row;
	if (!within(&mw->bound_to, window_remote_place(s->m, w, peer),
		    w->length) &&
	    breaks(s, ROW_MW_RANGE))
		return ROW_MW_RANGE;
	row = right_row(s, mw, right);
	if (row == ROW_NONE &&
	    ends_early(s->m, &mw->bound_to, window_remote_place(s->m, w, peer),
		       w->length))
		return ROW_MW_RANGE;
	return row != ROW_NONE && breaks(s, row) ? row : ROW_NONE;
}

static bool exceeds(const struct step *s, const struct model_mr *mr,
		    const struct wr_args *in)
{
	const struct place at = {in->bind_offset, in->bind_mr};

	if (mutant_has_quirk(s->m->mutant, QUIRK_WRAP_BIND) &&
	    region_wraps(s->m, at, in->bind_length))
		return false;
	return in->bind_offset > mr->length ||
	       in->bind_length > mr->length - in->bind_offset;
}

static enum row region_fault(const struct step *s, const struct wr_args *in)
{
	const struct model_mr *mr = &s->m->object[in->bind_mr].mr;
	uint32_t writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	if (pd_of(s->m, in->bind_mr) != pd_of(s->m, in->mw))
		return ROW_MW_PD_MR;
	if (!(mr->access & IBV_ACCESS_MW_BIND))
		return ROW_MW_MR_BIND;
	if (in->bind_access & writes && !(mr->access & IBV_ACCESS_LOCAL_WRITE))
		return ROW_MW_MR_WRITE;
	return exceeds(s, mr, in) ? ROW_MW_MR_RANGE : ROW_NONE;
}

/* Each request of a list has the same fault. */
enum row window_posted_fault(const struct step *s, const struct wr_args *in)
{
	const struct model_mw *mw = window_at(s->m, in->mw);

	if (!mw)
		return ROW_NONE;
	if (pd_of(s->m, in->mw) != pd_of(s->m, obj(s->m, s->b->on)->real))
		return ROW_MW_PD_QP;
	if (mw->type == IBV_MW_TYPE_2 &&
	    (!in->bind_length || in->bind_mr == NO_OBJ))
		return ROW_MW_EMPTY_2;
	if (!in->bind_length)
		return ROW_NONE;
	/* In a ring the key may name no region. */
	return in->bind_mr == NO_OBJ ? ROW_MW_MR_BIND : region_fault(s, in);
}

void window_fill_wr(struct model *m, struct model_wr *w,
		    const struct wr_args *in)
{
	const struct model_mw *mw = window_at(m, in->mw);

	w->invalidates = in->invalidate_rkey;
	w->mw = in->mw;
	if (!mw)
		return;
	w->mw_rkey = mw->caller_rkey;
	w->binding.mr = in->bind_mr;
	w->binding.qp = w->owner;
	w->binding.offset = in->bind_offset;
	w->binding.length = in->bind_length;
	w->binding.access = in->bind_access;
	w->binding.rkey = in->bind_rkey;
}

/* The caller chooses the key's last byte, the rest is the window's. */
static void bind(struct model_mw *mw, const struct binding *to)
{
	uint32_t rkey = (mw->rkey & ~0xffu) | (to->rkey & 0xff);

	if (!mw->bound)
		mw->counted = 0;
	else if (!mw->counted)
		mw->counted = (uint16_t)(mw->bound_to.mr + 1);
	if (!mw->first && to->length)
		mw->first = (uint16_t)(to->mr + 1);
	if (mw->bound && to->length && mw->bound_to.mr != to->mr)
		for (unsigned int i = 0; i < COUNT(mw->left); i++)
			if (!mw->left[i]) {
				mw->left[i] = (uint16_t)(mw->bound_to.mr + 1);
				break;
			}
	mw->uncounted = mw->inv && mw->first != to->mr + 1;
	mw->inv = false;
	mw->last_bound = mw->bound_to;
	mw->last_bound.rkey = mw->rkey;
	mw->bound_to = *to;
	mw->bound_to.rkey = mw->rkey = rkey;
	mw->bound = to->length != 0;
	mw->seen = false;
}

/* Seeded fault: the tag cannot go from 0xff to 0. */
static bool tag_stuck(const struct model *m, const struct model_mw *mw,
		      const struct model_wr *w)
{
	return mutant_has_quirk(m->mutant, QUIRK_TAG_WRAP) &&
	       (mw->rkey & 0xff) == 0xff && !(w->binding.rkey & 0xff);
}

static enum row bind_fault(struct step *s, const struct model_wr *w)
{
	struct model_mw *mw = window_at(s->m, w->mw);

	if (!mw)
		return ROW_MW_STALE;
	if (mw->kept) {
		mw->kept = false;
		return ROW_NONE;
	}
	if ((!is_live(s->m, w->mw) || mw->rkey != w->mw_rkey) &&
	    breaks(s, ROW_MW_STALE))
		return ROW_MW_STALE;
	if (tag_stuck(s->m, mw, w))
		return ROW_MW_STALE;
	if (mw->type == IBV_MW_TYPE_2 && mw->bound &&
	    breaks(s, ROW_MW_NOT_FREE))
		return ROW_MW_NOT_FREE;
	return ROW_NONE;
}

/* The window keeps its rkey, which gives no access until the next bind. */
static void unbind(struct model_mw *mw)
{
	mw->last_bound = mw->bound_to;
	mw->bound_to.rkey = 0;
	mw->bound = false;
}

bool window_invalidate(struct step *s, uint32_t rkey, uint16_t qp)
{
	uint16_t slot = find(s->m, rkey, qp);
	struct model_mw *mw;

	if (slot == NO_OBJ || s->m->object[slot].mw.type != IBV_MW_TYPE_2)
		return false;
	mw = &s->m->object[slot].mw;
	if (!mw->bound)
		return choose_hidden(s, ROW_INV_FREE) == OUT_OK;
	if (mw->bound_to.qp != qp &&
	    choose_hidden(s, ROW_MW_OTHER_QP) != OUT_OK)
		return false;
	unbind(mw);
	return true;
}

bool window_is_bound(const struct model *m, uint32_t rkey, uint16_t qp)
{
	uint16_t slot = find(m, rkey, qp);

	return slot != NO_OBJ && m->object[slot].mw.type == IBV_MW_TYPE_2 &&
	       m->object[slot].mw.bound;
}

/* A seeded fault: the bind takes effect once a later request was seen to end.
 */
static bool is_delayed(struct step *s, const struct model_wr *w)
{
	record_row(s, ROW_MW_ORDER);
	return !w->signaled && mutant_skips(s->m->mutant, ROW_MW_ORDER);
}

void window_bind_late(struct model *m, const struct model_wr *w)
{
	struct model_mw *mw = window_at(m, w->mw);

	if (w->opcode == IBV_WR_BIND_MW && mw &&
	    mutant_skips(m->mutant, ROW_MW_ORDER))
		bind(mw, &w->binding);
}

/* A seeded fault: a bind of no bytes leaves a window of type 1 as it is. */
static bool is_ignored(struct step *s, const struct model_wr *w)
{
	struct model_mw *mw = &s->m->object[w->mw].mw;

	if (w->binding.length || mw->type != IBV_MW_TYPE_1 || !mw->bound ||
	    !mutant_has_quirk(s->m->mutant, QUIRK_BIND_NOTHING))
		return false;
	mw->kept = true;
	return true;
}

/* For a seeded fault: LOCAL_INV takes the window's region. */
static void note_local(struct step *s, const struct model_wr *w)
{
	uint16_t slot = find(s->m, w->invalidates, w->owner);

	if (slot != NO_OBJ)
		s->m->object[slot].mw.inv = s->m->object[slot].mw.bound;
}

static enum row carry_out(struct step *s, const struct model_wr *w)
{
	enum row row;

	if (w->opcode == IBV_WR_LOCAL_INV) {
		note_local(s, w);
		if (window_invalidate(s, w->invalidates, w->owner) ||
		    indirect_invalidate(s, w->invalidates, w->owner, false))
			return ROW_NONE;
		return breaks(s, ROW_INV_LOCAL) ? ROW_INV_LOCAL : ROW_NONE;
	}
	row = bind_fault(s, w);
	if (row == ROW_NONE && is_ignored(s, w))
		return row;
	if (row == ROW_NONE && !is_delayed(s, w))
		bind(&s->m->object[w->mw].mw, &w->binding);
	return row;
}

void window_carry_out(struct step *s, struct model_wr *w)
{
	enum row row =
		w->post_outcome ? (enum row)w->status_row : carry_out(s, w);

	w->status_row = (uint16_t)row;
	if (row == ROW_NONE)
		transfer_succeed(s, w);
	else
		transfer_fail(s, w);
}

bool window_is_optional(const struct model *m, const struct model_wr *w)
{
	const struct opcode *op = opcode_of(w->opcode);

	return m->object[w->owner].qp.kind == QK_UC && op &&
	       (op->invalidates || op->value == IBV_WR_LOCAL_INV);
}

bool window_op_supported(struct step *s, struct model_wr *w)
{
	if (!window_is_optional(s->m, w) ||
	    choose_hidden(s, ROW_INV_UC) == OUT_OK)
		return true;
	w->status_row = ROW_INV_UC;
	return false;
}

/* Returns the window that the call binds, or NULL. */
static struct model_mw *window_of(struct step *s)
{
	const struct wr_args *in = &s->b->in.wr;
	bool binds = s->b->verb == V_bind_mw || in->opcode == IBV_WR_BIND_MW;

	return binds && is_live(s->m, in->mw) ? &s->m->object[in->mw].mw : NULL;
}

void window_set_key(struct step *s)
{
	struct model_mw *mw = window_of(s);

	if (mw && s->b->in.wr.mw_rkey)
		mw->caller_rkey = s->b->in.wr.mw_rkey;
}

void window_take_key(struct step *s)
{
	struct model_mw *mw = window_of(s);

	if (mw)
		mw->caller_rkey = s->b->in.wr.bind_rkey;
}

void window_unbind_all(struct model *m, uint16_t mr)
{
	for (uint16_t i = first_of(m, OBJ_MW); i != NO_OBJ;
	     i = next_of(m, OBJ_MW, i))
		if (m->object[i].mw.bound && m->object[i].mw.bound_to.mr == mr)
			unbind(&m->object[i].mw);
}

void window_forget_qp(struct model *m, uint16_t qp)
{
	for (uint16_t i = first_of(m, OBJ_MW); i != NO_OBJ;
	     i = next_of(m, OBJ_MW, i)) {
		if (m->object[i].mw.bound_to.qp != qp)
			continue;
		m->object[i].mw.bound_to.qp = NO_OBJ;
		/* Seeded fault: the window keeps its region after its end. */
		m->object[i].orphan =
			is_live(m, i) &&
			mutant_has_quirk(m->mutant, QUIRK_ORPHAN_KEEPS);
	}
}
