// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests that were taken in a state in which their queue does not work. Once
 * it does, the device carries them out, or leaves them alone; one that left
 * them alone may still come to them with the next call.
 */
#include "model/internal.h"

/* iWARP has one state before the connection, in which receives wait for it. */
bool early_is_posted(const struct step *s, const struct model_qp *qp, bool recv)
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
static bool has_early(struct model *m, const struct wr_list *list)
{
	const struct model_wr *first = wr_first(m, list);

	while (first && first->stage != WR_EARLY)
		first = wr_after(m, first);
	return first && works_now(&m->object[first->owner].qp, first->recv);
}

static void carry_on(struct model *m, const struct wr_list *list)
{
	each_wr(m, list, w)
	{
		if (w->stage == WR_EARLY)
			wr_set_stage(m, w, WR_POSTED);
	}
}

/* All of a queue, or none. */
void early_resume(struct step *s)
{
	for (uint16_t qp = 0; qp < s->m->top; qp++)
		for (int recv = 0; recv < 2; recv++) {
			struct wr_list *list = wr_list_at(s->m, qp, recv);

			if (has_early(s->m, list) &&
			    settle_hidden(s, ROW_POST_EARLY_FATE) == OUT_HELD)
				carry_on(s->m, list);
		}
}
