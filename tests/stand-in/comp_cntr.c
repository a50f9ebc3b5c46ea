// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion counters. A header may declare the functions with structures of
 * its own, so each has another name here and the symbol of libibverbs.
 */
#include <stdlib.h>
#include "program/repro/parts/comp_cntr.h"
#include "tests/stand-in/stand_in.h"

#define EXPORT(symbol) __asm__(symbol) __attribute__((visibility("default")))

int fake_cntr_caps(struct ibv_context *context, struct cntr_caps *caps,
		   size_t size) EXPORT("_ibv_query_comp_cntr_caps");
struct ibv_comp_cntr *fake_create_cntr(struct ibv_context *context,
				       struct cntr_attr *attr)
	EXPORT("ibv_create_comp_cntr");
int fake_destroy_cntr(struct ibv_comp_cntr *cntr)
	EXPORT("ibv_destroy_comp_cntr");
int fake_set_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
	EXPORT("ibv_set_comp_cntr");
int fake_set_err_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
	EXPORT("ibv_set_err_comp_cntr");
int fake_inc_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
	EXPORT("ibv_inc_comp_cntr");
int fake_inc_err_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
	EXPORT("ibv_inc_err_comp_cntr");
int fake_read_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
	EXPORT("ibv_read_comp_cntr");
int fake_read_err_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
	EXPORT("ibv_read_err_comp_cntr");
int fake_attach_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
		     struct cntr_attach *attr)
	EXPORT("ibv_qp_attach_comp_cntr");

int fake_cntr_caps(struct ibv_context *context, struct cntr_caps *caps,
		   size_t size)
{
	struct bound b = fake_bound_on_context(V_query_comp_cntr_caps, context);
	struct answer a;
	int ret;

	if (size < sizeof(*caps))
		return EINVAL;
	ret = fake_call(fake_context(context)->fake, &b, &a);
	if (!ret)
		*caps = a.outcome.out.cntr_caps;
	return ret;
}

struct ibv_comp_cntr *fake_create_cntr(struct ibv_context *context,
				       struct cntr_attr *attr)
{
	struct bound b = fake_bound_on_context(V_create_comp_cntr, context);
	struct ibv_comp_cntr *cntr;
	struct answer a;

	b.in.cntr = *attr;
	cntr = fake_create(context, &b, &a);
	fake_spoil_input(&a, attr);
	return cntr;
}

static int change(enum verb verb, struct ibv_comp_cntr *cntr, uint64_t value)
{
	struct bound b = fake_bound_on_object(verb, cntr);
	struct answer a;

	b.in.cntr_value.value = value;
	return fake_call(fake_of(cntr), &b, &a);
}

int fake_set_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return change(V_set_comp_cntr, cntr, value);
}

int fake_set_err_cntr(struct ibv_comp_cntr *cntr, uint64_t value)
{
	return change(V_set_err_comp_cntr, cntr, value);
}

int fake_inc_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return change(V_inc_comp_cntr, cntr, amount);
}

int fake_inc_err_cntr(struct ibv_comp_cntr *cntr, uint64_t amount)
{
	return change(V_inc_err_comp_cntr, cntr, amount);
}

/* The value that reads of a count have shown */
struct shown {
	const struct ibv_comp_cntr *cntr;
	enum verb verb;
	uint64_t value;
	unsigned int stale; /* reads that still show `value` */
};

#define SHOWN 16

static struct shown *shown_of(enum verb verb, const struct ibv_comp_cntr *cntr)
{
	static struct shown all[SHOWN];
	static unsigned int next;

	for (unsigned int i = 0; i < SHOWN; i++)
		if (all[i].cntr == cntr && all[i].verb == verb)
			return &all[i];
	next = (next + 1) % SHOWN;
	all[next] = (struct shown){.cntr = cntr, .verb = verb};
	return &all[next];
}

int fake_destroy_cntr(struct ibv_comp_cntr *cntr)
{
	shown_of(V_read_comp_cntr, cntr)->cntr = NULL;
	shown_of(V_read_err_comp_cntr, cntr)->cntr = NULL;
	return fake_destroy(V_destroy_comp_cntr, cntr);
}

/* With FAKE_LATE_CNTR=N, N reads show the value from before an update. */
static uint64_t late(enum verb verb, const struct ibv_comp_cntr *cntr,
		     uint64_t value)
{
	const char *reads = getenv("FAKE_LATE_CNTR");
	struct shown *shown = shown_of(verb, cntr);

	if (!reads || value == shown->value)
		return value;
	if (shown->stale++ < strtoul(reads, NULL, 10))
		return shown->value;
	shown->stale = 0;
	shown->value = value;
	return value;
}

static int read_value(enum verb verb, struct ibv_comp_cntr *cntr,
		      uint64_t *value)
{
	struct bound b = fake_bound_on_object(verb, cntr);
	struct answer a;
	int ret = fake_call(fake_of(cntr), &b, &a);

	if (!ret)
		*value = late(verb, cntr, a.outcome.out.cntr_seen.value);
	return ret;
}

int fake_read_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	return read_value(V_read_comp_cntr, cntr, value);
}

int fake_read_err_cntr(struct ibv_comp_cntr *cntr, uint64_t *value)
{
	return read_value(V_read_err_comp_cntr, cntr, value);
}

int fake_attach_cntr(struct ibv_qp *qp, struct ibv_comp_cntr *cntr,
		     struct cntr_attach *attr)
{
	struct bound b = fake_bound_on_object(V_qp_attach_comp_cntr, qp);
	struct answer a;
	int ret;

	b.in.qp_cntr.op_mask = attr->op_mask;
	b.in.qp_cntr.comp_mask = attr->comp_mask;
	b.in.qp_cntr.comp_cntr = fake_slot(fake_of(qp), cntr);
	ret = fake_call(fake_of(qp), &b, &a);
	fake_spoil_input(&a, attr);
	return ret;
}
