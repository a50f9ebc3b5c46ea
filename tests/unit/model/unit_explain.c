/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * explain and the model agree: for every ibv_modify_qp of every generated case,
 * the row that decides in the model is the row that explain gives for the mask.
 */
#include <stdlib.h>
#include <string.h>
#include "contract/explain/explain.h"
#include "model/model.h"
#include "cases/generate/case.h"
#include "tests/unit/tap.h"

struct check {
	struct model *model;
	struct device_info info;
	struct prog_results results;
	unsigned long compared, refused, wrong;
	char first[512]; /* the first disagreement */
};

static int query_state(struct check *k, uint16_t qp)
{
	struct bound query = {.verb = V_query_qp, .result = NO_OBJ, .on = qp};
	struct answer a;

	memset(&a, 0, sizeof(a));
	query.in.qp_attr.mask = A_STATE;
	model_call(k->model, &query, NULL, NULL, &a);
	return (int)a.outcome.out.qp_attr.attr.qp_state;
}

/* Compares only calls with real states and a true cur_qp_state. */
static bool comparable(const struct qp_attr_args *in, int from)
{
	if ((in->mask & A_STATE) && (unsigned int)in->attr.qp_state >= STATE_NR)
		return false;
	if ((in->mask & A_CUR_STATE) && (int)in->attr.cur_qp_state != from)
		return false;
	return (unsigned int)from < STATE_NR;
}

/* A mask alone does not tell whether the device paces packets, or whether a
 * queue pair in RESET was in INIT before. */
static bool left_open(enum row a, enum row b)
{
	return (a == ROW_MASK_RATE_ELSEWHERE && b == ROW_MASK_RATE) ||
	       (a == ROW_AV_PORT_RTR && b == ROW_PAIR_INVALID);
}

/* A layer before the table can refuse a value. */
static bool agree(const struct mask_case *c, const struct answer *a)
{
	bool refused = outcome_error(V_modify_qp, &a->outcome) != 0;

	if (out_errno(rule(c->row)->out[0]))
		return refused &&
		       (a->row == c->row || left_open(c->row, a->row) ||
			rule(a->row)->layer < LAYER_TABLE);
	return !refused || rule(a->row)->layer != LAYER_TABLE;
}

static void compare(struct check *k, const struct test_case *tc,
		    const struct bound *b, int from, enum qp_kind kind,
		    const struct answer *a)
{
	const struct qp_attr_args *in = &b->in.qp_attr;
	struct mask_case c;

	if (!comparable(in, from))
		return;
	mask_judge(&c, kind, from,
		   in->mask & A_STATE ? (int)in->attr.qp_state : from,
		   in->mask);
	k->compared++;
	k->refused += out_errno(rule(c.row)->out[0]) != 0;
	if (agree(&c, a) || k->wrong++)
		return;
	snprintf(k->first, sizeof(k->first),
		 "%s: %s %s to %s mask %#x: explain %s, model %s", tc->id,
		 qp_kind_name(kind), state_name(from), state_name(c.next),
		 in->mask, rule(c.row)->id, rule(a->row)->id);
}

static bool run_case(const struct test_case *tc, void *arg)
{
	struct check *k = arg;
	const struct program *p = tc->program;
	int types[256] = {0};

	if (tc->claim != CLAIM_NONE)
		return true;
	model_init(k->model, PROG_MAX_OBJECTS, &k->info, NULL);
	memset(&k->results, 0, sizeof(k->results));
	for (int i = 0; i < p->ncalls; i++) {
		const struct call *call = &p->call[i];
		struct answer a;
		struct bound b;
		char err[256];
		int from = -1;

		memset(&a, 0, sizeof(a));
		if (prog_bind(p, call, &k->info, &k->results, &b, err,
			      sizeof(err)))
			return true;
		if (b.verb == V_modify_qp)
			from = query_state(k, b.on);
		model_call(k->model, &b, NULL, NULL, &a);
		if (b.verb == V_modify_qp && types[b.on])
			compare(k, tc, &b, from, qp_kind_of(types[b.on]), &a);
		if (b.result == NO_OBJ)
			continue;
		k->results.of[b.result] = a.outcome;
		k->results.verb[b.result] = (uint8_t)b.verb;
		k->results.alive[b.result] = !outcome_error(b.verb, &a.outcome);
		if (b.verb == V_create_qp || b.verb == V_create_qp_ex)
			types[b.result] = (int)b.in.qp_init.qp_type;
	}
	return true;
}

int main(void)
{
	static const char *const pattern = "modify";
	struct selection s = {
		.patterns = &pattern, .npatterns = 1, .shard = 1, .shards = 1};
	struct check *k = calloc(1, sizeof(*k));
	char enough[96];

	k->model = malloc(model_size(PROG_MAX_OBJECTS));
	model_default_device(&k->info);
	ok(!cases_each(&k->info, &s, run_case, k),
	   "the cases of modify are made");
	snprintf(enough, sizeof(enough),
		 "there is enough to compare: %lu calls, %lu refused",
		 k->compared, k->refused);
	ok(k->compared > 10000 && k->refused > 1000, enough);
	ok(!k->wrong, "explain and the model agree on all of them");
	if (k->wrong)
		printf("# %lu differ; the first: %s\n", k->wrong, k->first);
	free(k->model);
	free(k);
	return tap_end();
}
