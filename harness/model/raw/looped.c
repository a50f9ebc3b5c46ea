// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Keeps which packets came by which rule from which sender to which queue.
 */
#include "model/raw/looped.h"

/* Returns a number for the headers and the length of a packet; never 0. */
static uint32_t sum_of(const struct packets *p, uint32_t length)
{
	const unsigned char *byte = (const unsigned char *)p;
	uint32_t sum = 0x811c9dc5 ^ length;

	for (size_t i = 0; i < sizeof(*p); i++)
		sum = (sum ^ byte[i]) * 0x01000193;
	return sum | 1;
}

static bool came(const struct model *m, const struct looped *is)
{
	for (unsigned int i = 0; i < m->nlooped && i < MODEL_LOOPED; i++) {
		const struct looped *l = &m->looped[i];

		if (l->headers == is->headers && l->from == is->from &&
		    l->rule == is->rule && l->to == is->to)
			return true;
	}
	return false;
}

void looped_note(struct step *s, struct model_wr *w, uint16_t to,
		 const struct packets *p)
{
	w->headers = 0;
	w->comes_row = ROW_NONE;
	if (w->own_row || w->segment || s->m->object[to].qp.state < IBV_QPS_RTR)
		return;
	w->headers = sum_of(p, w->length);
	if (!came(s->m, &(struct looped){w->headers, w->owner, w->rule, to}))
		return;
	w->comes_row = ROW_FLOW_AGAIN;
	record_row(s, ROW_FLOW_AGAIN);
}

void looped_seen(struct model *m, const struct model_wr *r)
{
	const struct looped l = {r->headers, r->from, r->rule, r->owner};

	if (r->headers && !came(m, &l))
		m->looped[m->nlooped++ % MODEL_LOOPED] = l;
}

void looped_forget(struct model *m, uint16_t slot)
{
	for (unsigned int i = 0; i < m->nlooped && i < MODEL_LOOPED; i++) {
		struct looped *l = &m->looped[i];

		if (l->from == slot || l->rule == slot || l->to == slot)
			l->headers = 0;
	}
}
