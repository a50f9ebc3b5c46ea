// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests that were posted in a state in which their queue does not work. Once
 * the queue works, a device carries them out or leaves them alone
 * (ROW_POST_EARLY_FATE). The choice is taken again with each call, since a
 * device may come to the requests later.
 */
#include "model/internal.h"

/* Returns true if a request is posted too early for its queue. iWARP has only
 * one state before the connection, so that receives may be posted in it. */
bool early_is_posted(const struct step *s, const struct model_qp *qp, bool recv)
{
	if (recv)
		return qp->state == IBV_QPS_RESET && !device_iwarp(s->d);
	return qp->state < IBV_QPS_RTS;
}

/* Returns true if the queue works in the state of its queue pair. */
static bool queue_works(const struct model_qp *qp, bool recv)
{
	if (recv)
		return qp->state >= IBV_QPS_RTR && qp->state <= IBV_QPS_SQE;
	return qp->state == IBV_QPS_RTS;
}

/* Returns true if a list holds early requests and its queue works now. */
static bool has_early(struct model *m, const struct wr_list *list)
{
	const struct model_wr *first = wr_first(m, list);

	while (first && first->stage != WR_EARLY)
		first = wr_after(m, first);
	return first && queue_works(&m->object[first->owner].qp, first->recv);
}

/* Makes the early requests of a list outstanding. */
static void carry_on(struct model *m, const struct wr_list *list)
{
	each_wr(m, list, w)
	{
		if (w->stage == WR_EARLY)
			wr_set_stage(m, w, WR_POSTED);
	}
}

/* Takes the choice for each queue that works now: all of its early requests are
 * carried out, or none. */
void early_resume(struct step *s)
{
	for (uint16_t qp = 0; qp < s->m->top; qp++)
		for (int recv = 0; recv < 2; recv++) {
			struct wr_list *list = wr_list_at(s->m, qp, recv);

			if (has_early(s->m, list) &&
			    choose_hidden(s, ROW_POST_EARLY_FATE) == OUT_HELD)
				carry_on(s->m, list);
		}
}
