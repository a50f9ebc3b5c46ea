// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of flow rules: what is attached to them, and which values a read may
 * give.
 */
#include "model/raw/raw_packet.h"
#include "model/internal.h"

#define FCS_LEN	   4
#define HEADER_LEN 14 /* that a seeded fault does not count */
#define CACHED	   1u /* IBV_READ_COUNTERS_ATTR_PREFER_CACHED */

static struct model_counters *counters_of(struct model *m, uint16_t slot)
{
	return &m->object[slot].counters;
}

/* Seeded fault: takes over the values of the counters that were destroyed last
 * and that no others have taken over. */
static void take_over(const struct step *s, struct object *o)
{
	struct model_counters *from = NULL;

	if (!mutant_has_quirk(s->mutant, QUIRK_COUNTERS_KEPT))
		return;
	for (uint16_t i = first_of(s->m, OBJ_COUNTERS); i != NO_OBJ;
	     i = next_of(s->m, OBJ_COUNTERS, i)) {
		struct object *old = &s->m->object[i];

		if (old != o && !old->alive && old->device == o->device &&
		    old->counters.most[IBV_COUNTER_PACKETS] &&
		    (!from || old->counters.number > from->number))
			from = &old->counters;
	}
	if (!from)
		return;
	memcpy(o->counters.least, from->least, sizeof(from->least));
	memcpy(o->counters.most, from->most, sizeof(from->most));
	memset(from->most, 0, sizeof(from->most));
}

void do_create_counters(struct step *s)
{
	struct faults f = {0};
	struct object *o;

	if (!s->d->can_count)
		add_fault(s, &f, ROW_COUNTERS_UNSUPPORTED);
	if (s->b->in.counters.comp_mask)
		add_fault(s, &f, ROW_COUNTERS_MASK);
	o = object_make_child(s, &f, OBJ_COUNTERS, NO_OBJ, ROW_COUNTERS_ACCEPT);
	if (!o)
		return;
	o->counters.number = ++s->m->counters;
	take_over(s, o);
}

/* Returns how many rules use the counters. */
static unsigned int users_of(const struct model *m, uint16_t counters)
{
	unsigned int n = 0;

	for (uint16_t i = first_of(m, OBJ_FLOW); i != NO_OBJ;
	     i = next_of(m, OBJ_FLOW, i))
		n += m->object[i].alive &&
		     m->object[i].flow.counters == counters;
	return n;
}

void flow_counters_use(struct model *m, uint16_t rule)
{
	uint16_t slot = m->object[rule].flow.counters;

	counters_of(m, slot)->unknown |= m->object[rule].flow.vague;
	counters_of(m, slot)->shared |= users_of(m, slot) > 1;
	if (!mutant_has_quirk(m->mutant, QUIRK_COUNTERS_NEWEST))
		return;
	memset(counters_of(m, slot)->least, 0,
	       sizeof(counters_of(m, slot)->least));
	memset(counters_of(m, slot)->most, 0,
	       sizeof(counters_of(m, slot)->most));
}

static void attach(struct step *s)
{
	const struct attach_args *in = &s->b->in.attach;
	struct model_counters *c = counters_of(s->m, s->b->on);

	if (in->flow != NO_OBJ || in->comp_mask ||
	    in->counter_desc > IBV_COUNTER_BYTES ||
	    c->npoints == COUNTER_POINTS) {
		c->unknown = true;
		return;
	}
	c->index[c->npoints] = in->index;
	c->desc[c->npoints++] = (uint8_t)in->counter_desc;
}

void do_attach_counters_point_flow(struct step *s)
{
	const struct attach_args *in = &s->b->in.attach;
	struct faults f = {0};
	enum out effect;
	int err;

	if (in->flow != NO_OBJ)
		add_fault(s, &f, ROW_ATTACH_FLOW);
	if (in->comp_mask)
		add_fault(s, &f, ROW_ATTACH_MASK);
	if (in->counter_desc > IBV_COUNTER_BYTES)
		add_fault(s, &f, ROW_ATTACH_DESC);
	if (in->flow == NO_OBJ && users_of(s->m, s->b->on))
		add_fault(s, &f, ROW_ATTACH_BOUND);
	if (!f.n)
		add_fault(s, &f, ROW_ATTACH_ACCEPT);
	answer_accept(s, ROW_ATTACH_ACCEPT);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		if (mutant_breaks_object(s->mutant, s->a->row))
			obj(s->m, s->b->on)->broken = true;
	} else if (!mutant_does_nothing(s->mutant, s->b->verb)) {
		attach(s);
	}
}

static void add(uint64_t to[2], uint64_t bytes)
{
	to[IBV_COUNTER_PACKETS]++;
	to[IBV_COUNTER_BYTES] += bytes;
}

/* Returns true if a seeded fault counts the packets of another rule alone. */
static bool is_overlooked(struct step *s, uint16_t rule)
{
	uint16_t counters = s->m->object[rule].flow.counters;
	uint16_t first = first_of(s->m, OBJ_FLOW);

	if (mutant_has_quirk(s->m->mutant, QUIRK_COUNTERS_NEWEST)) {
		for (; first != NO_OBJ; first = next_of(s->m, OBJ_FLOW, first))
			if (first > rule &&
			    s->m->object[first].flow.counters == counters)
				return true;
		return false;
	}
	while (!s->m->object[first].alive ||
	       s->m->object[first].flow.counters != counters)
		first = next_of(s->m, OBJ_FLOW, first);
	return first != rule && mutant_skips(s->m->mutant, ROW_COUNTERS_SHARED);
}

void flow_counters_count(struct step *s, struct model_wr *w, uint16_t rule)
{
	uint16_t slot = s->m->object[rule].flow.counters;
	struct model_counters *c;

	if (slot == NO_OBJ || is_overlooked(s, rule))
		return;
	c = counters_of(s->m, slot);
	add(c->most, w->length);
	add(s->m->object[rule].flow.counted, w->length);
	if (!s->m->observes) {
		add(c->least, w->length);
		return;
	}
	w->counters = c->number;
	w->counted = w->length;
}

/* Seeded fault: takes what a destroyed rule has counted out of its counters,
 * unless no other rule has them. */
static void leave_counters(struct step *s, const struct model_flow *rule)
{
	struct model_counters *c;

	if (rule->counters == NO_OBJ || !users_of(s->m, rule->counters) ||
	    !mutant_has_quirk(s->mutant, QUIRK_COUNTERS_LEAVE))
		return;
	c = counters_of(s->m, rule->counters);
	for (unsigned int i = 0; i < COUNT(rule->counted); i++) {
		c->least[i] -= rule->counted[i];
		c->most[i] -= rule->counted[i];
	}
}

/* Seeded fault: the rules of a priority that has none left come last from now
 * on, if there are others. */
static void note_emptied(struct step *s, const struct flow_rule *rule)
{
	struct model *m = s->m;
	bool others = false;

	for (uint16_t i = first_of(m, OBJ_FLOW); i != NO_OBJ;
	     i = next_of(m, OBJ_FLOW, i)) {
		const struct object *o = &m->object[i];

		if (!o->alive || o->flow.rule.port != rule->port)
			continue;
		if (o->flow.rule.priority == rule->priority)
			return;
		others = true;
	}
	if (others && rule->priority < SEEDED_PRIORITIES)
		m->emptied[rule->priority] = ++m->nemptied;
}

void flow_seeded_gone(struct step *s)
{
	const struct model_flow *flow = &s->m->object[s->b->on].flow;

	raw_packet_bury(s, s->b->on);
	leave_counters(s, flow);
	note_emptied(s, &flow->rule);
}

void flow_counters_seen(struct step *s, const struct model_wr *r)
{
	for (uint16_t i = first_of(s->m, OBJ_COUNTERS); i != NO_OBJ;
	     i = next_of(s->m, OBJ_COUNTERS, i))
		if (counters_of(s->m, i)->number == r->counters)
			add(counters_of(s->m, i)->least, r->counted);
}

/* The values that one index may have */
struct range {
	unsigned int points, of_bytes; /* attachments, and those of BYTES */
	uint64_t least, most;
	uint64_t fcs_least, fcs_most; /* to add with frame check sequences */
};

static struct range range_of(const struct step *s,
			     const struct model_counters *c, uint32_t index)
{
	bool last = mutant_skips(s->mutant, ROW_COUNTERS_SUM);
	struct range r = {0};
	uint8_t desc = 0;

	for (unsigned int i = 0; i < c->npoints; i++) {
		if (c->index[i] != index)
			continue;
		/* seeded fault: another description replaces those before */
		if (r.points && c->desc[i] != desc &&
		    mutant_has_quirk(s->mutant, QUIRK_DESC_REPLACES))
			r = (struct range){0};
		desc = c->desc[i];
		if (last)
			r = (struct range){0};
		r.points++;
		r.least += c->least[c->desc[i]];
		r.most += c->most[c->desc[i]];
		r.of_bytes += c->desc[i] == IBV_COUNTER_BYTES;
	}
	r.fcs_least = FCS_LEN * r.of_bytes * c->least[IBV_COUNTER_PACKETS];
	r.fcs_most = FCS_LEN * r.of_bytes * c->most[IBV_COUNTER_PACKETS];
	return r;
}

static bool is_within(uint64_t value, const struct range *r)
{
	return (value >= r->least && value <= r->most) ||
	       (value >= r->least + r->fcs_least &&
		value <= r->most + r->fcs_most);
}

/* Returns the row that promises a value. */
static enum row row_of(const struct step *s, const struct model_counters *c,
		       const struct range *r, uint64_t value, uint64_t last)
{
	if (value < last)
		return ROW_COUNTERS_RISE;
	if (s->b->in.read.flags & CACHED)
		return ROW_COUNTERS_CACHED;
	if (!r->most)
		return ROW_COUNTERS_CLEARED;
	if (r->points > 1)
		return ROW_COUNTERS_SUM;
	if (c->shared)
		return ROW_COUNTERS_SHARED;
	return r->of_bytes ? ROW_COUNTERS_BYTES : ROW_COUNTERS_PACKETS;
}

/* Returns the value that the model as a device gives, with a seeded fault. */
static uint64_t own_value(const struct step *s, const struct model_counters *c,
			  const struct range *r)
{
	const struct mutant *mutant = s->mutant;
	uint64_t packets = c->most[IBV_COUNTER_PACKETS];
	uint64_t value = r->most;

	if (!r->of_bytes && mutant_skips(mutant, ROW_COUNTERS_PACKETS))
		value *= 2;
	if (r->of_bytes && mutant_skips(mutant, ROW_COUNTERS_BYTES))
		value -= HEADER_LEN * packets;
	if (!value && mutant_skips(mutant, ROW_COUNTERS_CLEARED))
		value = 1;
	if (s->b->in.read.flags & CACHED &&
	    mutant_skips(mutant, ROW_COUNTERS_CACHED))
		value++;
	return value;
}

static void define_value(struct step *s, struct model_counters *c,
			 uint32_t index)
{
	enum field f = (enum field)(F_counted0 + index);
	struct range r = range_of(s, c, index);
	uint64_t value, *last = &c->last[index];

	if (!r.points || c->unknown)
		return;
	if (s->b->in.read.flags & CACHED)
		r.least = *last;
	value = answer_seen(s, f, own_value(s, c, &r));
	record_row(s, ROW_COUNTERS_RISE);
	if (!is_oracle(s) || (is_within(value, &r) && value >= *last))
		answer_define(s, f, value, row_of(s, c, &r, value, *last));
	else
		answer_define(s, f, r.most, row_of(s, c, &r, value, *last));
	record_row(s, row_of(s, c, &r, value, *last));
	*last = value;
}

static void check_read(struct step *s, struct faults *f)
{
	const struct model_counters *c = counters_of(s->m, s->b->on);
	const struct read_args *in = &s->b->in.read;
	bool is_short = false;

	if (in->flags & ~CACHED)
		add_fault(s, f, ROW_COUNTERS_FLAGS);
	if (!users_of(s->m, s->b->on))
		add_fault(s, f, ROW_COUNTERS_UNBOUND);
	for (unsigned int i = 0; i < c->npoints; i++)
		is_short |= c->index[i] >= in->ncounters;
	if (is_short || !in->ncounters || in->ncounters > COUNTERS_MOST)
		add_fault(s, f, ROW_COUNTERS_SHORT);
}

void do_read_counters(struct step *s)
{
	struct model_counters *c = counters_of(s->m, s->b->on);
	const struct read_args *in = &s->b->in.read;
	struct faults f = {0};
	enum out effect;
	int err;

	check_read(s, &f);
	answer_accept(s, ROW_COUNTERS_PACKETS);
	err = choose_outcome(s, &f, &effect);
	if (err) {
		answer_refuse(s, s->a->row, err);
		return;
	}
	record_row(s, ROW_COUNTERS_GUARD);
	answer_define(s, F_counted_spilled,
		      mutant_skips(s->mutant, ROW_COUNTERS_GUARD),
		      ROW_COUNTERS_GUARD);
	for (uint32_t i = 0; i < COUNTED_VALUES && i < in->ncounters; i++)
		define_value(s, c, i);
	if (!mutant_skips(s->mutant, ROW_COUNTERS_RISE))
		return;
	memset(c->least, 0, sizeof(c->least));
	memset(c->most, 0, sizeof(c->most));
}
