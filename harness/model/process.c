// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The process that has the second device stops or dies. A process that stops
 * makes no calls; its objects live on. The kernel destroys the objects of a
 * process that dies, queue pairs first.
 */
#include "model/internal.h"

void do_stop_process(struct step *s)
{
	answer_accept(s, ROW_LIFE_ACCEPT);
}

/* A queue pair of several handles ends once. */
static void end_qp(struct step *s, uint16_t slot)
{
	struct model_qp *qp = &s->m->object[slot].qp;

	if (!qp->handles)
		return;
	qp->handles = 0;
	qp->ngroups = 0;
	object_end_qp(s, slot);
}

static void end_object(struct step *s, uint16_t slot)
{
	switch ((enum object_kind)s->m->object[slot].kind) {
	case OBJ_QP:
		end_qp(s, s->m->object[slot].real);
		break;
	case OBJ_WQ:
		wr_drop_qp(s, slot);
		break;
	case OBJ_CQ:
	case OBJ_SRQ:
		object_end_queue(s, slot);
		break;
	case OBJ_MR:
		bytes_forget(s->m, slot);
		break;
	default:
		break;
	}
}

/* Ends the queue pairs of the device, or its other objects. */
static void end_objects(struct step *s, bool queue_pairs)
{
	for (uint16_t slot = 0; slot < s->m->top; slot++) {
		struct object *o = obj(s->m, slot);

		if (!o->alive || o->device != s->device ||
		    (o->kind == OBJ_QP) != queue_pairs)
			continue;
		object_mark_dead(s->m, o);
		end_object(s, slot);
	}
}

void do_kill_process(struct step *s)
{
	end_objects(s, true);
	end_objects(s, false);
	answer_accept(s, ROW_LIFE_ACCEPT);
}
