// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Cleans up after a program on a libibverbs device: acknowledges events and
 * destroys every object, children before parents.
 */
#include "program/repro/parts/comp_cntr.h"
#include "program/repro/parts/dmah.h"
#include <poll.h>
#include <unistd.h>
#include "target/verbs/verbs_target.h"

#define DRAIN_MAX 4096 /* a device that never stops sending is left alone */

static void drain_events(struct ibv_context *context)
{
	struct pollfd fd = {.fd = context->async_fd, .events = POLLIN};
	struct ibv_async_event event;

	for (int i = 0; i < DRAIN_MAX && poll(&fd, 1, 0) == 1; i++) {
		if (ibv_get_async_event(context, &event))
			return;
		ibv_ack_async_event(&event);
	}
}

static void drain_all(struct verbs_target *t)
{
	drain_events(t->context);
	for (int i = 0; i < PROG_MAX_OBJECTS; i++)
		if (t->object[i].kind == OBJ_CTX)
			drain_events(t->object[i].ptr);
}

static void detach_all(struct verbs_target *t)
{
	for (unsigned int i = 0; i < t->nattachments; i++) {
		const struct attachment *a = &t->attachment[i];
		struct ibv_qp *qp = slot_ptr(t, a->qp);

		if (qp)
			ibv_detach_mcast(qp, &a->gid, a->lid);
	}
	t->nattachments = 0;
}

/* An open batch may hold a lock that destroying another object needs. */
static void end_batches(struct verbs_target *t)
{
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		struct verbs_object *object = &t->object[slot];

		if (object->open && object->kind == OBJ_QP)
			ibv_wr_abort(ibv_qp_to_qp_ex(object->ptr));
		else if (object->open && object->kind == OBJ_CQ)
			ibv_end_poll(object->ptr);
		object->open = false;
	}
}

static int destroy(struct verbs_target *t, uint16_t slot)
{
	const struct verbs_object *object = &t->object[slot];

	if (object->destroy)
		return object->destroy(t, slot);
	switch (object->kind) {
	case OBJ_FLOW:
		return ibv_destroy_flow(object->ptr);
	case OBJ_COUNTERS:
		return ibv_destroy_counters(object->ptr);
	case OBJ_COMP_CNTR:
		return destroy_comp_cntr(object->ptr);
	case OBJ_QP:
		return ibv_destroy_qp(object->ptr);
	case OBJ_IND:
		return ibv_destroy_rwq_ind_table(object->ptr);
	case OBJ_WQ:
		return ibv_destroy_wq(object->ptr);
	case OBJ_SRQ:
		return ibv_destroy_srq(object->ptr);
	case OBJ_CQ:
		return ibv_destroy_cq(object->ptr);
	case OBJ_CHANNEL:
		return ibv_destroy_comp_channel(object->ptr);
	case OBJ_AH:
		return ibv_destroy_ah(object->ptr);
	case OBJ_MW:
		return ibv_dealloc_mw(object->ptr);
	case OBJ_MR:
		return ibv_dereg_mr(object->ptr);
	case OBJ_DM:
		return ibv_free_dm(object->ptr);
	case OBJ_DMAH:
		return dealloc_dmah(object->ptr);
	case OBJ_XRCD:
		return ibv_close_xrcd(object->ptr);
	case OBJ_PD:
		return verbs_dealloc_pd(object->ptr);
	case OBJ_TD:
		return ibv_dealloc_td(object->ptr);
	case OBJ_CTX:
		return ibv_close_device(object->ptr);
	default:
		return 0;
	}
}

/* Children before parents, and windows before the queue pairs that they are
 * bound on. */
static const enum object_kind order[] = {
	OBJ_MW,	  OBJ_FLOW, OBJ_COUNTERS, OBJ_QP, OBJ_COMP_CNTR,
	OBJ_IND,  OBJ_WQ,   OBJ_SRQ,	  OBJ_CQ, OBJ_CHANNEL,
	OBJ_AH,	  OBJ_IMR,  OBJ_MR,	  OBJ_DM, OBJ_DMAH,
	OBJ_XRCD, OBJ_PD,   OBJ_TD,	  OBJ_WC, OBJ_CTX,
};

/* All kinds but NONE, QUERY, ECE, KEY and TAG, which no verb destroys. */
_Static_assert(COUNT(order) == OBJ_VERBS_NR - 5,
	       "every kind of object is swept");

/* Returns how many objects were destroyed. */
static int destroy_once(struct verbs_target *t, enum object_kind kind)
{
	int gone = 0;

	for (uint16_t slot = PROG_MAX_OBJECTS; slot-- > 0;) {
		bool busy;

		if (t->object[slot].kind != kind)
			continue;
		if (slot_import_give_up(t, slot, &busy) ? busy
							: destroy(t, slot))
			continue;
		slot_drop(t, slot);
		gone++;
	}
	return gone;
}

/* Frees the slots of objects that could not be destroyed. */
static int give_up(struct verbs_target *t, enum object_kind kind)
{
	int left = 0;

	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++) {
		if (t->object[slot].kind != kind)
			continue;
		slot_drop(t, slot);
		left++;
	}
	return left;
}

/* A parent domain has to be destroyed before its protection domain, and the
 * order of slots says nothing about that, so all are tried again. */
static int destroy_kind(struct verbs_target *t, enum object_kind kind)
{
	while (destroy_once(t, kind) > 0)
		;
	return give_up(t, kind);
}

/* Destroys objects of kinds that only a vendor's calls make, after the queue
 * pairs and regions that may use them, before their domains. Elements of a tree
 * are destroyed from its leaves. */
static int destroy_vendors(struct verbs_target *t)
{
	int left = 0;

	for (int kind = OBJ_KIND_NR; kind-- > OBJ_VERBS_NR;)
		left += destroy_kind(t, (enum object_kind)kind);
	return left;
}

static void close_files(struct verbs_target *t)
{
	for (int i = 0; i < XRCD_FILES; i++) {
		if (t->file[i] >= 0)
			close(t->file[i]);
		t->file[i] = -1;
	}
}

/* rdma_cm keeps what it opens for its first connection, so after a program that
 * connects no leak is reported. */
static void note_remains(struct verbs_target *t, bool connected)
{
	struct target *target = &t->base;
	char *what = connected ? NULL : target->leak;

	target->leak[0] = '\0';
	for (int i = 0; i < 2; i++)
		tracked_note(&t->tracked[i], what, sizeof(target->leak));
	verbs_note_descriptors(t, what, sizeof(target->leak));
}

int verbs_sweep(struct target *target)
{
	struct verbs_target *t = (struct verbs_target *)target;
	const bool connected = t->links != NULL;
	int left = 0;

	verbs_forget_change();
	verbs_forget_foreign(t);
	end_batches(t);
	drain_all(t);
	detach_all(t);
	for (uint16_t slot = 0; slot < PROG_MAX_OBJECTS; slot++)
		verbs_ack_slot(t, slot);
	for (size_t i = 0; i < COUNT(order); i++) {
		if (order[i] == OBJ_XRCD)
			left += destroy_vendors(t);
		left += destroy_kind(t, order[i]);
	}
	slot_unmap_gone(t);
	verbs_drop_links(t);
	drain_events(t->context);
	close_files(t);
	target_link_end(&t->link, target->broken, sizeof(target->broken));
	note_remains(t, connected);
	return left;
}
