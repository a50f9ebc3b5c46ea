// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The model's index finds the same objects as a search of all objects, while
 * thousands are created and destroyed at random slots, with requests in some
 * queues.
 */
#include <stdlib.h>
#include "model/internal.h"
#include "tests/unit/model/model_places.h"
#include "tests/unit/tap.h"

#define PLACES 5000
#define ROUNDS 20000
#define ASKED  500 /* rounds between two comparisons */

static uint32_t chance = 1;

static uint32_t pick(uint32_t n)
{
	chance = chance * 1664525 + 1013904223;
	return (chance >> 8) % n;
}

static bool make_qp(uint16_t slot)
{
	return make_ud(slot, 4, 4);
}

static bool make_mr(uint16_t slot)
{
	struct bound b = {.verb = V_reg_mr, .on = PD, .result = slot};

	b.in.mr.length = 4096;
	b.in.mr.access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	return call(&b);
}

static bool make_mw(uint16_t slot)
{
	struct bound b = {.verb = V_alloc_mw, .on = PD, .result = slot};

	b.in.mw.type = IBV_MW_TYPE_2;
	return call(&b);
}

/* Posts a receive, and then flushes it; the queue has work in both cases. */
static bool post(uint16_t slot)
{
	struct bound b = {.verb = V_modify_qp, .on = slot, .result = NO_OBJ};
	bool init;

	b.in.qp_attr.attr.qp_state = IBV_QPS_INIT;
	b.in.qp_attr.attr.port_num = 1;
	b.in.qp_attr.mask =
		IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY;
	init = call(&b);
	b.verb = V_post_recv;
	b.in.wr = (struct wr_args){.mr = NO_OBJ,
				   .remote = NO_OBJ,
				   .ah = NO_OBJ,
				   .mw = NO_OBJ,
				   .bind_mr = NO_OBJ};
	return init && call(&b);
}

static bool end(uint16_t slot)
{
	static const enum verb ends[OBJ_KIND_NR] = {
		[OBJ_QP] = V_destroy_qp,
		[OBJ_MR] = V_dereg_mr,
		[OBJ_MW] = V_dealloc_mw,
	};
	struct bound b = {.on = slot, .result = NO_OBJ};

	b.verb = ends[model->object[slot].kind];
	return call(&b);
}

static bool change(uint16_t slot)
{
	if (slot < model->top && model->object[slot].alive)
		return model->object[slot].kind == OBJ_QP && pick(2)
			       ? post(slot) || end(slot)
			       : end(slot);
	switch (pick(3)) {
	case 0:
		return make_qp(slot);
	case 1:
		return make_mr(slot);
	default:
		return make_mw(slot);
	}
}

/* Returns true if a set has exactly the slots that `member` is true for. */
static bool set_is(unsigned int set, bool (*member)(uint16_t, unsigned int))
{
	uint16_t next = first_of(model, set);

	for (uint16_t slot = 0; slot < model->top; slot++) {
		if (!member(slot, set))
			continue;
		if (slot != next)
			return false;
		next = next_of(model, set, slot);
	}
	return next == NO_OBJ;
}

static bool of_kind(uint16_t slot, unsigned int kind)
{
	return slot != NO_OBJ && model->object[slot].kind == kind;
}

static bool sends(uint16_t slot, unsigned int set)
{
	(void)set;
	return wr_list_at(model, slot, false)->next;
}

static bool has_work(uint16_t slot, unsigned int set)
{
	(void)set;
	return wr_list_at(model, slot, false)->first ||
	       wr_list_at(model, slot, true)->first;
}

static bool count_is(enum object_kind kind)
{
	unsigned int n = 0;

	for (uint16_t slot = 0; slot < model->top; slot++)
		n += model->object[slot].alive &&
		     model->object[slot].kind == kind;
	return n == model->alive[0][kind];
}

static bool finds(enum index_by by, uint32_t number, uint16_t slot)
{
	uint16_t at = index_first(model, by, number);

	while (at != NO_OBJ && at != slot) {
		uint16_t next = index_next(model, by, at);

		if (next != NO_OBJ && next < at)
			return false;
		at = next;
	}
	return at == slot;
}

static bool is_found(uint16_t slot)
{
	const struct object *o = &model->object[slot];

	if (of_kind(slot, OBJ_QP))
		return finds(BY_NUMBER, o->qp.init.qp_num, slot);
	if (of_kind(slot, OBJ_MR))
		return finds(BY_LKEY, o->mr.lkey, slot) &&
		       finds(BY_RKEY, o->mr.rkey, slot);
	return !of_kind(slot, OBJ_MW) || finds(BY_WINDOW, o->mw.rkey, slot);
}

static bool all_found(void)
{
	for (uint16_t slot = 0; slot < model->top; slot++)
		if (!is_found(slot))
			return false;
	return true;
}

static bool is_right(void)
{
	return set_is(OBJ_QP, of_kind) && set_is(OBJ_MR, of_kind) &&
	       set_is(OBJ_MW, of_kind) && set_is(OBJ_CQ, of_kind) &&
	       set_is(SET_SENDING, sends) && set_is(SET_WORK, has_work) &&
	       count_is(OBJ_QP) && count_is(OBJ_MR) && count_is(OBJ_MW) &&
	       all_found();
}

static void make_parents(void)
{
	struct bound pd = {.verb = V_alloc_pd, .on = NO_OBJ, .result = PD};
	struct bound cq = {.verb = V_create_cq, .on = NO_OBJ, .result = CQ};

	cq.in.cq = (struct cq_args){.cqe = 64, .channel = NO_OBJ};
	ok(call(&pd) && call(&cq), "a domain and a queue");
}

static void test_change(void)
{
	unsigned int made = 0;
	bool right = true;

	for (unsigned int round = 1; round <= ROUNDS; round++) {
		uint16_t slot = (uint16_t)(FIRST + pick(PLACES - FIRST));

		made += slot != NO_OBJ && change(slot);
		if (round % ASKED == 0)
			right = right && is_right();
	}
	ok(made > ROUNDS * 9 / 10, "objects come and go");
	ok(right, "the index finds those that there are");
	ok(first_of(model, SET_WORK) != NO_OBJ, "some have work");
}

static void test_sweep(void)
{
	model_sweep(model);
	ok(first_of(model, OBJ_QP) == NO_OBJ &&
		   first_of(model, SET_WORK) == NO_OBJ && is_right(),
	   "nothing is found where nothing is left");
	make_parents();
	ok(make_qp(FIRST) && is_right(), "a place is found again");
}

int main(void)
{
	static struct device_info info;

	model_default_device(&info);
	info.limit[LIM_max_qp] = PLACES;
	info.limit[LIM_max_mr] = PLACES;
	info.limit[LIM_max_mw] = PLACES;
	model = malloc(model_size(PLACES));
	if (!model) {
		printf("Bail out! no memory\n");
		return 1;
	}
	model_init(model, PLACES, &info, NULL);
	make_parents();
	test_change();
	test_sweep();
	free(model);
	return tap_end();
}
