/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Objects in general: slots, parents, and the destroy verbs. An object with
 * live children cannot be destroyed; the destroy verbs differ only in the row
 * that says so.
 */
#include <errno.h>
#include "model/data/seeded.h"
#include "model/cntr/cntr.h"
#include "model/data/tag.h"
#include "model/events/events.h"
#include "model/memory/window.h"
#include "model/raw/looped.h"

void object_use_slots(struct model *m, uint16_t slot)
{
	for (; m->top <= slot; m->top++) {
		memset(obj(m, m->top), 0, sizeof(struct object));
		obj(m, m->top)->pd = NO_OBJ;
		memset(wr_slot(m, m->top), 0, sizeof(struct wr_slot));
	}
}

void object_mark_dead(struct model *m, struct object *o)
{
	if (o->alive) {
		m->alive[o->device][o->kind]--;
		allocator_ended(m, o);
	}
	o->alive = false;
}

void object_clear(struct model *m, uint16_t slot)
{
	struct object *o = obj(m, slot);

	object_use_slots(m, slot);
	wr_clear_slot(m, slot);
	stale_refs_keep(m, slot);
	looped_forget(m, slot);
	object_mark_dead(m, o);
	index_leave(m, slot);
	memset(o, 0, sizeof(*o));
	o->pd = NO_OBJ;
}

/* Returns the context of the object that makes a new object. */
static uint16_t context_of_new(const struct step *s)
{
	uint16_t on = s->b->on;

	if (on == NO_OBJ || s->m->object[on].kind == OBJ_CTX)
		return on;
	return s->m->object[on].ctx;
}

struct object *object_add(struct step *s, enum object_kind kind)
{
	uint16_t slot = s->b->result, ctx = context_of_new(s);
	struct object *o = obj(s->m, slot);

	object_clear(s->m, slot);
	o->ctx = ctx;
	o->kind = (uint8_t)kind;
	o->alive = true;
	o->real = slot;
	o->device = s->device;
	s->m->alive[o->device][kind]++;
	index_enter(s->m, slot);
	return o;
}

uint16_t base_pd(const struct model *m, uint16_t pd)
{
	return m->object[pd].pd == NO_OBJ ? pd : m->object[pd].pd;
}

void object_add_parent(struct model *m, struct object *o, uint16_t parent)
{
	if (parent == NO_OBJ || o->nparents == MODEL_MAX_PARENTS)
		return;
	o->parent[o->nparents++] = parent;
	allocator_made(m, o, parent);
	if (o->pd == NO_OBJ && m->object[parent].kind == OBJ_PD)
		o->pd = base_pd(m, parent);
}

bool object_is_child(const struct object *o, uint16_t parent)
{
	if (!o->alive)
		return false;
	for (int i = 0; i < o->nparents; i++)
		if (o->parent[i] == parent)
			return true;
	return false;
}

bool object_is_used(const struct model *m, uint16_t slot)
{
	for (int i = 0; i < m->top; i++)
		if (object_is_child(&m->object[i], slot))
			return true;
	return false;
}

/* Seeded fault: returns true for a queue pair with an SRQ whose sends complete
 * to another queue than `cq`. */
static bool only_receives(const struct step *s, const struct object *o,
			  uint16_t cq)
{
	return mutant_has_quirk(s->mutant, QUIRK_CQ_OF_SRQ) &&
	       s->m->object[cq].kind == OBJ_CQ && o->kind == OBJ_QP &&
	       o->qp.init.srq != NO_OBJ && o->qp.init.send_cq != cq;
}

/* Seeded fault: returns true for a queue pair whose receives complete to
 * another queue than `cq`. */
static bool only_sends(const struct step *s, const struct object *o,
		       uint16_t cq)
{
	return mutant_has_quirk(s->mutant, QUIRK_CQ_SENDS) &&
	       s->m->object[cq].kind == OBJ_CQ && o->kind == OBJ_QP &&
	       o->qp.init.send_cq == cq && o->qp.init.recv_cq != cq &&
	       o->qp.init.recv_cq != NO_OBJ;
}

/* Seeded fault: returns true for a queue pair of a completion queue of which
 * another queue pair was destroyed. Each queue pair counts once when it is
 * created and twice, for sends and receives, when it is destroyed. */
static bool is_miscounted(const struct step *s, const struct object *o,
			  uint16_t cq)
{
	const struct model *m = s->m;
	int users = 0;

	if (!mutant_has_quirk(s->mutant, QUIRK_CQ_COUNT) ||
	    m->object[cq].kind != OBJ_CQ || o->kind != OBJ_QP)
		return false;
	for (int i = 0; i < m->top; i++)
		if (m->object[i].kind == OBJ_QP &&
		    m->object[i].qp.init.send_cq == cq &&
		    m->object[i].qp.init.recv_cq == cq)
			users += m->object[i].alive ? 1 : -1;
	return users <= 0;
}

/* Seeded fault: returns true for a queue pair of an SRQ that went back to
 * RESET. */
static bool has_left(const struct step *s, const struct object *o, uint16_t srq)
{
	return mutant_has_quirk(s->mutant, QUIRK_SRQ_OF_RESET) &&
	       s->m->object[srq].kind == OBJ_SRQ && o->kind == OBJ_QP &&
	       o->qp.left_srq;
}

/* Seeded fault: returns true for a queue pair in ERR. */
static bool is_in_err(const struct step *s, const struct object *o,
		      enum object_kind parent)
{
	return mutant_has_quirk(s->mutant, QUIRK_PD_OF_ERR) &&
	       parent == OBJ_PD && o->kind == OBJ_QP &&
	       o->qp.state == IBV_QPS_ERR;
}

/* Returns true if a live child keeps the object; a seeded fault may ignore it.
 */
static bool is_held(const struct step *s, uint16_t slot)
{
	const struct model *m = s->m;
	enum object_kind kind = (enum object_kind)m->object[slot].kind;

	if (kind == OBJ_MR)
		return window_is_bound_to(m, slot);
	if (kind == OBJ_COMP_CNTR)
		return cntr_is_attached(s, slot) &&
		       !mutant_ignores_child(s->mutant, kind, OBJ_QP);
	if (kind == OBJ_DM)
		slot = m->object[slot].real;
	for (int i = 0; i < m->top; i++)
		if (object_is_child(&m->object[i], slot) &&
		    !only_receives(s, &m->object[i], slot) &&
		    !only_sends(s, &m->object[i], slot) &&
		    !is_miscounted(s, &m->object[i], slot) &&
		    !is_in_err(s, &m->object[i], kind) &&
		    !has_left(s, &m->object[i], slot) &&
		    !mutant_ignores_child(s->mutant, kind,
					  (enum object_kind)m->object[i].kind))
			return true;
	return false;
}

/* Returns the advertised number of objects of a kind, or 0. */
static uint64_t advertised(const struct device_info *d, enum object_kind kind)
{
	static const struct {
		enum object_kind kind;
		enum limit limit;
	} limits[] = {
		{OBJ_PD, LIM_max_pd}, {OBJ_CQ, LIM_max_cq},
		{OBJ_QP, LIM_max_qp}, {OBJ_SRQ, LIM_max_srq},
		{OBJ_MR, LIM_max_mr}, {OBJ_MW, LIM_max_mw},
		{OBJ_AH, LIM_max_ah},
	};

	for (size_t i = 0; i < COUNT(limits); i++)
		if (limits[i].kind == kind)
			return d->limit[limits[i].limit];
	return 0;
}

void check_number(struct step *s, struct faults *f, enum object_kind kind,
		  enum row accept)
{
	uint64_t limit = advertised(s->d, kind),
		 n = s->m->alive[s->device][kind];

	allocator_check(s, f, kind);
	/* The row of the last object counts only if that object can be reached.
	 */
	if (limit && n >= mutant_max_objects(s->mutant, kind, limit))
		add_fault(s, f, ROW_OBJ_OVER_MAX);
	else if (limit && n + 1 == limit)
		add_fault(s, f, ROW_OBJ_MAX);
	else
		add_fault(s, f, accept);
}

/* Seeded faults: a queue whose destruction is refused is not armed any more. */
static void disarm(const struct step *s, struct object *o)
{
	if (o->kind == OBJ_CQ && mutant_has_quirk(s->mutant, QUIRK_CQ_TRIED))
		o->cq.armed = DISARMED;
	if (o->kind == OBJ_SRQ && mutant_has_quirk(s->mutant, QUIRK_SRQ_TRIED))
		o->srq.attr.srq_limit = 0;
}

/* Refuses to destroy an object that a live child keeps. Returns false if there
 * is none. */
static bool refuse_if_held(struct step *s, enum row busy)
{
	enum out effect;
	int err;

	if (busy == ROW_NONE || !is_held(s, s->b->on))
		return false;
	if (busy == ROW_MR_BOUND)
		busy = window_busy_row(s->m, s->b->on);
	err = choose_for_row(s, busy, &effect);
	if (!err)
		return false;
	if (mutant_breaks_object(s->mutant, busy))
		obj(s->m, s->b->on)->broken = true;
	disarm(s, obj(s->m, s->b->on));
	if (obj(s->m, s->b->on)->kind == OBJ_MR)
		window_note_busy(s->m, s->b->on);
	answer_refuse(s, busy, err);
	return true;
}

/* Seeded fault: the other handles of an XRC domain lose their file. */
static void end_domain(struct step *s, const struct object *o)
{
	uint8_t file = o->xrcd.file;

	if (o->kind != OBJ_XRCD || !mutant_has_quirk(s->mutant, QUIRK_XRCD_ONE))
		return;
	for (uint16_t i = first_of(s->m, OBJ_XRCD); i != NO_OBJ;
	     i = next_of(s->m, OBJ_XRCD, i))
		if (s->m->object[i].xrcd.file == file)
			s->m->object[i].xrcd.file = XRCD_PRIVATE;
}

/* Seeded fault: handles with the same address lose their effect. */
static void end_twins(struct step *s, const struct object *o)
{
	if (o->kind != OBJ_AH ||
	    !mutant_has_quirk(s->mutant, QUIRK_HANDLE_TWIN))
		return;
	for (uint16_t i = first_of(s->m, OBJ_AH); i != NO_OBJ;
	     i = next_of(s->m, OBJ_AH, i))
		if (!memcmp(&s->m->object[i].ah, &o->ah, sizeof(o->ah)))
			s->m->object[i].orphan = true;
}

/* Seeded fault: the other windows of the region are unbound. */
static void unbind_twins(const struct step *s, const struct object *o)
{
	if (o->kind == OBJ_MW && o->mw.bound &&
	    mutant_has_quirk(s->mutant, QUIRK_WINDOW_TWIN))
		window_unbind_all(s->m, o->mw.bound_to.mr);
}

static void destroy(struct step *s, enum row busy)
{
	struct object *o = obj(s->m, s->b->on);

	if (import_holds(s->m, s->b->on)) {
		answer_refuse(s, ROW_IMPORT_ACCEPT, EBUSY);
		return;
	}
	if (async_has_unacked(o) &&
	    !(o->kind == OBJ_SRQ &&
	      mutant_has_quirk(s->mutant, QUIRK_SRQ_NO_WAIT))) {
		answer_refuse(s, ROW_ACK_WAITS, EDEADLK);
		return;
	}
	if (refuse_if_held(s, busy))
		return;
	if (o->broken) {
		answer_refuse(s, ROW_LIFE_AGAIN, EINVAL);
		return;
	}
	end_domain(s, o);
	end_twins(s, o);
	unbind_twins(s, o);
	if (!mutant_does_nothing(s->mutant, s->b->verb))
		object_mark_dead(s->m, o);
	if (o->kind == OBJ_CQ || o->kind == OBJ_SRQ)
		object_end_queue(s, s->b->on);
	if (o->kind == OBJ_MR)
		bytes_forget(s->m, s->b->on);
	answer_accept(s, ROW_LIFE_ACCEPT);
}

#define DESTROY(verb, busy)                                                    \
	void do_##verb(struct step *s)                                         \
	{                                                                      \
		destroy(s, busy);                                              \
	}

DESTROY(dealloc_pd, ROW_LIFE_PD)
DESTROY(dealloc_td, ROW_LIFE_TD)
DESTROY(dereg_mr, ROW_MR_BOUND)
DESTROY(dealloc_mw, ROW_NONE)
DESTROY(free_dm, ROW_DM_BUSY)
DESTROY(dealloc_dmah, ROW_DMAH_USED)
DESTROY(destroy_comp_channel, ROW_LIFE_CHANNEL)
DESTROY(destroy_cq, ROW_LIFE_CQ)
DESTROY(destroy_srq, ROW_LIFE_SRQ)
DESTROY(close_xrcd, ROW_LIFE_XRCD)
DESTROY(destroy_ah, ROW_NONE)
DESTROY(destroy_counters, ROW_LIFE_COUNTERS)
DESTROY(destroy_comp_cntr, ROW_LIFE_COMP_CNTR)
DESTROY(close_device, ROW_NONE)

void do_destroy_flow(struct step *s)
{
	destroy(s, ROW_NONE);
	if (!s->a->outcome.ret && s->mutant)
		flow_seeded_gone(s);
}

/* A seeded fault stops the work queues of the table. */
void do_destroy_rwq_ind_table(struct step *s)
{
	const struct model_ind *ind = &obj(s->m, s->b->on)->ind;

	destroy(s, ROW_LIFE_IND);
	if (s->a->outcome.ret ||
	    !mutant_has_quirk(s->mutant, QUIRK_TABLE_RESETS))
		return;
	for (int i = 0; i < IND_QUEUES; i++)
		if (ind->wq[i] != NO_OBJ)
			s->m->object[ind->wq[i]].qp.stopped = true;
}

void object_end_qp(struct step *s, uint16_t slot)
{
	seeded_lose_moved(s, slot, s->m->object[slot].qp.init.send_cq);
	if (s->m->object[slot].qp.init.recv_cq !=
	    s->m->object[slot].qp.init.send_cq)
		seeded_lose_moved(s, slot, s->m->object[slot].qp.init.recv_cq);
	event_maybe_raised(s, slot);
	async_forget(s->m, slot);
	window_forget_qp(s->m, slot);
	wr_drop_qp(s, slot);
	cntr_forget_qp(s->m, slot);
	iwarp_qp_left(s, slot);
	transfer(s);
}

void object_end_queue(struct step *s, uint16_t slot)
{
	wr_remove_of_queue(s->m, slot);
	tm_srq_gone(s, slot);
	async_forget(s->m, slot);
}

void do_destroy_wq(struct step *s)
{
	destroy(s, ROW_LIFE_WQ);
	if (!s->a->outcome.ret)
		wr_drop_qp(s, s->b->on);
}

void do_destroy_qp(struct step *s)
{
	struct model_qp *qp = qp_of(s->m, s->b->on);
	uint16_t real = obj(s->m, s->b->on)->real;
	enum out effect;
	int err = 0;

	if (async_has_unacked(obj(s->m, real))) {
		answer_refuse(s, ROW_ACK_WAITS, EDEADLK);
		return;
	}
	/* Destroying a shared queue pair only drops a handle, but for the last
	 * handle. */
	if (qp->handles <= 1 && qp->ngroups > qp->missed &&
	    !(qp->left_group && mutant_has_quirk(s->mutant, QUIRK_GROUP_FLAG)))
		err = choose_for_row(s, ROW_LIFE_QP_MCAST, &effect);
	if (err) {
		if (mutant_breaks_object(s->mutant, ROW_LIFE_QP_MCAST))
			obj(s->m, s->b->on)->broken = true;
		if (mutant_has_quirk(s->mutant, QUIRK_GROUPS_TRIED))
			qp->ngroups = 1;
		answer_refuse(s, ROW_LIFE_QP_MCAST, err);
		return;
	}
	if (qp->handles <= 1 && first_of(s->m, OBJ_FLOW) != NO_OBJ &&
	    refuse_if_held(s, ROW_LIFE_QP_FLOW))
		return;
	destroy(s, ROW_NONE);
	if (qp->handles)
		qp->handles--;
	if (real == s->b->on && !s->a->outcome.ret &&
	    mutant_has_quirk(s->mutant, QUIRK_OPEN_UNCOUNTED))
		qp->handles = 0;
	if (real != s->b->on && !s->a->outcome.ret &&
	    mutant_has_quirk(s->mutant, QUIRK_OPEN_CLOSES))
		qp->handles = 0;
	if (qp->handles)
		return;
	object_end_qp(s, real);
}

bool seeded_target_ended(const struct step *s, const struct model_qp *qp)
{
	if (mutant_has_quirk(s->mutant, QUIRK_OPEN_CLOSES) &&
	    qp->kind == QK_XRC_RECV && !qp->handles)
		return true;
	return mutant_has_quirk(s->mutant, QUIRK_OPEN_UNCOUNTED) &&
	       !s->m->object[s->m->object[s->b->on].real].alive && !qp->handles;
}
