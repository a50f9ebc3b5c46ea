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

/* Returns what is known of such a packet, or NULL. */
static struct looped *find(struct model *m, uint32_t headers, uint16_t from,
			   uint16_t rule, uint16_t to)
{
	for (unsigned int i = 0; i < m->nlooped && i < MODEL_LOOPED; i++) {
		struct looped *l = &m->looped[i];

		if (l->headers == headers && l->from == from &&
		    l->rule == rule && l->to == to)
			return l;
	}
	return NULL;
}

void looped_note(struct step *s, struct model_wr *w, uint16_t to,
		 const struct packets *p)
{
	const struct looped *before;

	w->headers = 0;
	w->comes_row = ROW_NONE;
	if (w->own_row || w->segment || s->m->object[to].qp.state < IBV_QPS_RTR)
		return;
	w->headers = sum_of(p, w->length);
	before = find(s->m, w->headers, w->owner, w->rule, to);
	if (!before || (is_oracle(s) && !before->missed))
		return;
	w->comes_row = ROW_FLOW_AGAIN;
	record_row(s, ROW_FLOW_AGAIN);
}

void looped_seen(struct model *m, const struct model_wr *r)
{
	struct looped *l = find(m, r->headers, r->from, r->rule, r->owner);

	if (l)
		l->missed = false;
	else if (r->headers)
		m->looped[m->nlooped++ % MODEL_LOOPED] = (struct looped){
			r->headers, r->from, r->rule, r->owner, false};
}

void looped_missed(struct model *m, const struct model_wr *r)
{
	struct looped *l = find(m, r->headers, r->from, r->rule, r->owner);

	if (l)
		l->missed = true;
}

void looped_forget(struct model *m, uint16_t slot)
{
	for (unsigned int i = 0; i < m->nlooped && i < MODEL_LOOPED; i++) {
		struct looped *l = &m->looped[i];

		if (l->from == slot || l->rule == slot || l->to == slot)
			l->headers = 0;
	}
}
