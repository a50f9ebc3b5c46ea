// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Decides how a queue pair is brought back, cheapest way first: nothing, if a
 * query shows what it showed when the queue pair was new; RESET and up again,
 * if a query shows that afterwards; else a new queue pair. If RESET once left
 * something behind, it is not tried again before the next segment of the cell.
 * A queue pair that is still in its state then keeps the attributes that the
 * call has set, if no others have changed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cases/post/post.h"
#include "program/repro/parts/time.h"
#include "sweep/destination.h"
#include "sweep/domain.h"
#include "sweep/restore.h"

/* Adds the call under test. It sets all attributes, so that each field has a
 * value; in a CELL_VALUES cell it sets the mask of the cell. */
static void add_tried(struct gen *g, const struct sweep_cell *c)
{
	const struct qp_field *number;
	struct gen_values v = {0};

	if (c->sort != CELL_VALUES) {
		gen_modify(g, g->qp, A_DEFINED, c->from, c->to, NULL);
		prog_num(g->p, F_cur_qp_state, c->claimed);
		return;
	}
	/* A field of the GRH needs an address with a GRH. */
	number = domain_number(cell_field(c));
	gen_value(&v, cell_field(c), number ? number->good.symbol : NULL,
		  number ? number->good.plus : 0);
	gen_modify(g, g->qp, cell_mask(c), c->from, c->to, &v);
}

/* Brings the queue pair to SQE, by a send whose lkey belongs to no region. */
static void build_stopped(struct restorer *s, struct gen *g, enum qp_kind kind)
{
	struct post p = post_parents(g, kind);

	p.a = p.b = g->qp = gen_qp_of(g, kind);
	s->create = (uint16_t)(s->program.ncalls - 1);
	s->bring = s->program.ncalls;
	gen_bring(g, g->qp, IBV_QPS_RTS);
	post_send(&p, IBV_WR_SEND, 1, IBV_SEND_SIGNALED);
	prog_out(&s->program, F_send_lkey, p.mr, F_keys_lkey, 1);
	post_poll(&p, 1);
}

static void build_queue_pair(struct restorer *s, struct gen *g,
			     enum qp_kind kind)
{
	gen_qp(g, kind);
	s->create = (uint16_t)(s->program.ncalls - 1);
	s->bring = s->program.ncalls;
	gen_bring(g, g->qp, s->state);
}

static void build(struct restorer *s, const struct device_info *d,
		  const struct sweep_cell *c)
{
	static const struct selection all = {.shards = 1};
	enum qp_kind kind = (enum qp_kind)c->kind;
	struct gen g;

	gen_init(&g, d, &all, &s->program);
	s->by_error = c->from == IBV_QPS_SQE && !d->can_inject;
	if (s->by_error)
		build_stopped(s, &g, kind);
	else
		build_queue_pair(s, &g, kind);
	s->query = s->program.ncalls;
	gen_query(&g, g.qp);
	s->call = s->program.ncalls;
	add_tried(&g, c);
	s->reset = s->program.ncalls;
	gen_modify(&g, g.qp, A_STATE, c->from, IBV_QPS_RESET, NULL);
	s->destroy = s->program.ncalls;
	gen_call(&g, V_destroy_qp, g.qp);
}

static int fail(struct restorer *s, uint16_t call, const char *how)
{
	char text[120] = "";

	call_print(&s->program, &s->program.call[call], text, sizeof(text));
	snprintf(s->why, sizeof(s->why), "%.110s: %.70s", text, how);
	return -EIO;
}

static int make_call(struct restorer *s, uint16_t call, struct outcome *o)
{
	struct bound b;
	char err[160];
	int ret =
		prog_bind(&s->program, &s->program.call[call], &s->target->info,
			  &s->results, &b, err, sizeof(err));

	if (ret)
		return fail(s, call, err);
	outcome_poison_all(o);
	s->target->ops->call(s->target, &b, o);
	ret = outcome_error(b.verb, o);
	results_remember(&s->results, &b, o);
	if (!ret)
		return 0;
	return fail(s, call,
		    ret < 0 ? "a return value of no convention"
			    : errno_name(ret));
}

static int make_calls(struct restorer *s, uint16_t first, uint16_t end)
{
	struct outcome o;

	for (uint16_t i = first; i < end; i++)
		if (make_call(s, i, &o))
			return -EIO;
	return 0;
}

static int query_once(struct restorer *s, struct qp_attr_args *seen)
{
	struct outcome o;

	if (make_call(s, s->query, &o))
		return -EIO;
	*seen = o.out.qp_attr;
	return 0;
}

#define DRAINS_MS 1000

/* In SQD waits until the send queue has drained: a device may do that later
 * than in the call that asks for it, and refuse other calls meanwhile. */
static int query(struct restorer *s, struct qp_attr_args *seen)
{
	int64_t deadline = deadline_after(DRAINS_MS);

	while (!query_once(s, seen)) {
		if (seen->attr.qp_state != IBV_QPS_SQD ||
		    !seen->attr.sq_draining || s->drains_on)
			return 0;
		nap_us(20);
		s->drains_on = is_past(deadline);
	}
	return -EIO;
}

static int fail_elsewhere(struct restorer *s)
{
	s->no_way = s->by_error;
	if (s->no_way)
		snprintf(s->why, sizeof(s->why),
			 "%s: a send of no memory "
			 "leads to %s",
			 claim_text(CLAIM_SQE),
			 state_name((int)s->fresh.attr.qp_state));
	else
		snprintf(s->why, sizeof(s->why), "brought to %s it reports %s",
			 state_name(s->state),
			 state_name((int)s->fresh.attr.qp_state));
	return -EIO;
}

void restorer_aim(struct restorer *s, bool at_group)
{
	if (s->target->ops->modify_begin)
		s->target->ops->modify_begin(s->target, s->tried.on,
					     at_group ? &s->to_group
						      : &s->tried.in.qp_attr);
}

/* Some types cannot be queried in every state. On iWARP a state may be reported
 * by another name. */
static int prepare(struct restorer *s)
{
	char err[160];

	s->keeps = false;
	s->can_query = !query(s, &s->fresh);
	if (s->can_query && (int)s->fresh.attr.qp_state != s->state &&
	    !device_iwarp(&s->target->info))
		return fail_elsewhere(s);
	if (prog_bind(&s->program, &s->program.call[s->call], &s->target->info,
		      &s->results, &s->tried, err, sizeof(err)))
		return fail(s, s->call, err);
	s->to_group = s->tried.in.qp_attr;
	destination_set_group(&s->to_group);
	restorer_aim(s, false);
	return 0;
}

int restorer_open(struct restorer *s, struct target *t,
		  const struct sweep_cell *c)
{
	memset(s, 0, sizeof(*s));
	s->target = t;
	s->state = c->from;
	build(s, &t->info, c);
	if (!prog_ok(&s->program)) {
		snprintf(s->why, sizeof(s->why), "no program for it");
		return -EIO;
	}
	if (make_calls(s, 0, s->query))
		return -EIO;
	return prepare(s);
}

static bool same(const struct qp_attr_args *a, const struct qp_attr_args *b)
{
	return !memcmp(&a->attr, &b->attr, sizeof(a->attr));
}

bool restorer_is_fresh(struct restorer *s)
{
	struct qp_attr_args seen;

	return !s->can_query || (!query(s, &seen) && same(&seen, &s->fresh));
}

void restorer_describe_change(const struct restorer *s, char *buf, size_t len)
{
	const struct qp_attr_args *now =
		&s->results.of[s->program.call[s->query].result].out.qp_attr;
	char is[60], was[60];

	snprintf(buf, len, "something");
	for (unsigned int i = 0; i < family_count(FAM_QP_ATTR); i++) {
		enum field f = (enum field)(family_first(FAM_QP_ATTR) + i);

		if (field_attr(f) < 0)
			continue;
		field_print(f, now, NULL, is, sizeof(is));
		field_print(f, &s->fresh, NULL, was, sizeof(was));
		if (!strcmp(is, was))
			continue;
		snprintf(buf, len, "%s %s, was %s", field_info(f)->text, is,
			 was);
		return;
	}
}

static bool by_reset(struct restorer *s)
{
	struct qp_attr_args seen;

	if (make_calls(s, s->reset, s->reset + 1) ||
	    make_calls(s, s->bring, s->query) || query(s, &seen))
		return false;
	return same(&seen, &s->fresh);
}

int restorer_replace_qp(struct restorer *s)
{
	s->way = WAY_REPLACED;
	if (make_calls(s, s->destroy, s->destroy + 1) ||
	    make_calls(s, s->create, s->query))
		return -EIO;
	return prepare(s);
}

/* From then on a query has to show these attributes. */
static void keep(struct restorer *s, const struct qp_attr_args *seen)
{
	s->fresh = *seen;
	s->keeps = true;
	s->way = WAY_KEPT;
}

/* Returns true if the attributes differ only in fields of a mask, of which the
 * states are none. */
static bool differ_within(const struct qp_attr_args *a,
			  const struct qp_attr_args *b, uint32_t mask)
{
	mask &= ~(uint32_t)(A_STATE | A_CUR_STATE);
	for (unsigned int i = 0; i < family_count(FAM_QP_ATTR); i++) {
		enum field f = (enum field)(family_first(FAM_QP_ATTR) + i);
		const struct field_info *info = field_info(f);
		int attr = field_attr(f);

		if (attr >= 0 && !(mask & UINT32_C(1) << attr) &&
		    memcmp((const char *)a + info->offset,
			   (const char *)b + info->offset, info->size))
			return false;
	}
	return true;
}

int restorer_restore(struct restorer *s, uint32_t mask)
{
	struct qp_attr_args seen;

	if (!s->can_query || query(s, &seen))
		return restorer_replace_qp(s);
	if (same(&seen, &s->fresh)) {
		s->way = WAY_UNMOVED;
		return 0;
	}
	if (!s->reset_fails && by_reset(s)) {
		s->way = WAY_RESET;
		return 0;
	}
	if (s->reset_fails && s->may_keep &&
	    differ_within(&seen, &s->fresh, mask)) {
		keep(s, &seen);
		return 0;
	}
	s->reset_fails = true;
	return restorer_replace_qp(s);
}

void restorer_close(struct restorer *s)
{
	s->target->ops->sweep(s->target);
}
