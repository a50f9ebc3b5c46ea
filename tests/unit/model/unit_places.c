// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A model with more slots than a program has: objects in high slots do not mix,
 * keep each other alive, and are copied.
 */
#include <stdlib.h>
#include "model/model.h"
#include "tests/unit/model/model_places.h"
#include "tests/unit/tap.h"

#define PLACES 3000
#define LAST   (PLACES - 1)

static struct model *copy;

static bool make_qp(uint16_t slot)
{
	return make_ud(slot, 1, 2);
}

static bool modify(uint16_t slot, enum ibv_qp_state to, int mask)
{
	struct bound b = {.verb = V_modify_qp, .on = slot, .result = NO_OBJ};

	b.in.qp_attr.attr.qp_state = to;
	b.in.qp_attr.attr.port_num = 1;
	b.in.qp_attr.mask = (uint32_t)(IBV_QP_STATE | mask);
	return call(&b);
}

static bool post(uint16_t slot, uint64_t wr_id)
{
	struct bound b = {.verb = V_post_recv, .on = slot, .result = NO_OBJ};

	b.in.wr = (struct wr_args){.wr_id = wr_id,
				   .mr = NO_OBJ,
				   .remote = NO_OBJ,
				   .ah = NO_OBJ,
				   .mw = NO_OBJ,
				   .bind_mr = NO_OBJ};
	return call(&b);
}

static void make_all(void)
{
	struct bound pd = {.verb = V_alloc_pd, .on = NO_OBJ, .result = PD};
	struct bound cq = {.verb = V_create_cq, .on = NO_OBJ, .result = CQ};
	unsigned int made = 0;

	cq.in.cq = (struct cq_args){.cqe = 64, .channel = NO_OBJ};
	ok(call(&pd) && call(&cq), "a domain and a queue");
	for (uint16_t slot = FIRST; slot <= LAST; slot++)
		made += slot != NO_OBJ && make_qp(slot);
	ok(made == PLACES - FIRST - 1, "thousands of queue pairs");
}

/* Slots that share a bit, and the last slot */
static void test_work(void)
{
	static const uint16_t slot[] = {70, 70 + 64, 70 + 10 * 64, LAST};
	struct bound poll = {.verb = V_poll_cq, .on = CQ, .result = NO_OBJ};
	const struct polled_args *got = &answer.outcome.out.polled;
	int up = IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY;
	bool done = true;

	for (uint64_t i = 0; i < 4; i++)
		done = done && modify(slot[i], IBV_QPS_INIT, up) &&
		       post(slot[i], i) && modify(slot[i], IBV_QPS_ERR, 0);
	ok(done, "receives at high places");
	poll.in.poll.max = 8;
	poll.in.poll.entries = 1;
	ok(call(&poll) && got->count == 4, "all of them are flushed");
	for (unsigned int i = 0; i < 4; i++)
		done = done && got->wc[i].wr_id < 4 &&
		       got->wc[i].qp == slot[got->wc[i].wr_id];
	ok(done, "each with its own queue pair");
}

static void test_copy(void)
{
	post(LAST, 7);
	model_init(copy, PLACES, NULL, NULL);
	model_copy(copy, model);
	ok(model_equal(copy, model), "a copy is equal");
	post(LAST, 8);
	ok(!model_equal(copy, model), "until a high place differs");
}

static void test_hold(void)
{
	struct bound pd = {.verb = V_dealloc_pd, .on = PD, .result = NO_OBJ};
	struct bound qp = {.verb = V_destroy_qp, .result = NO_OBJ};

	for (uint16_t slot = FIRST; slot < LAST; slot++) {
		qp.on = slot;
		if (slot != NO_OBJ && !call(&qp))
			ok(false, "a queue pair goes");
	}
	ok(!call(&pd), "the last one holds its domain");
	qp.on = LAST;
	ok(call(&qp) && call(&pd), "and nothing does when it is gone");
}

int main(void)
{
	static struct device_info info;

	model_default_device(&info);
	info.limit[LIM_max_qp] = PLACES;
	model = malloc(model_size(PLACES));
	copy = malloc(model_size(PLACES));
	if (!model || !copy) {
		printf("Bail out! no memory\n");
		return 1;
	}
	model_init(model, PLACES, &info, NULL);
	make_all();
	test_work();
	test_copy();
	test_hold();
	free(model);
	free(copy);
	return tap_end();
}
