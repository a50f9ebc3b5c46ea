// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests that were taken in a state in which their queue does not work. Once
 * it does, the device carries them out, or leaves them alone; one that left
 * them alone may still come to them with the next call.
 */
#include "model/internal.h"

/* iWARP has one state before the connection, in which receives wait for it. */
bool too_early(const struct step *s, const struct model_qp *qp, bool recv)
{
	if (recv)
		return qp->state == IBV_QPS_RESET && !device_iwarp(s->d);
	return qp->state < IBV_QPS_RTS;
}

static bool works_now(const struct model_qp *qp, bool recv)
{
	if (recv)
		return qp->state >= IBV_QPS_RTR && qp->state <= IBV_QPS_SQE;
	return qp->state == IBV_QPS_RTS;
}

/* Is it one that may now be carried out? */
static bool has_early(struct model *m, const struct work_list *list)
{
	const struct model_work *first = work_first(m, list);

	while (first && first->stage != WORK_EARLY)
		first = work_after(m, first);
	return first && works_now(&m->object[first->owner].qp, first->recv);
}

static void carry_on(struct model *m, const struct work_list *list)
{
	each_work(m, list, w)
	{
		if (w->stage == WORK_EARLY)
			work_stage(m, w, WORK_POSTED);
	}
}

/* All of a queue, or none. */
void settle_early(struct step *s)
{
	for (uint16_t qp = 0; qp < s->m->top; qp++)
		for (int recv = 0; recv < 2; recv++) {
			struct work_list *list = work_queue(s->m, qp, recv);

			if (has_early(s->m, list) &&
			    settle_hidden(s, ROW_POST_EARLY_FATE) == OUT_HELD)
				carry_on(s->m, list);
		}
}
