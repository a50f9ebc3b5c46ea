/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The history of a walk that is longer than a program: slots are used again,
 * and the program of the last call makes the objects that the call needs,
 * however long ago the walk made them.
 */
#include <stdlib.h>
#include "fuzz/walk/live_objects.h"
#include "tests/unit/program/program_check.h"

#define ROUNDS 500

static struct history history;
static struct program now;
static struct live_objects live;
static struct prog_results results;

/* Makes the call that was added last. */
static void make_call(uint8_t on, bool destroys, bool idle)
{
	uint8_t result = now.call[now.ncalls - 1].result;

	live_commit_call(&live);
	if (idle)
		history_mark_idle(&history);
	if (result != NO_OBJ)
		results.alive[result] = true;
	if (destroys)
		results.alive[on] = false;
	live_update(&live, &results);
}

static uint8_t make(enum verb verb, uint8_t on)
{
	uint8_t slot = prog_new(&now, verb_info(verb)->makes);

	prog_call(&now, verb, slot, on);
	if (verb == V_create_qp) {
		struct chance chance = {1};
		uint8_t cq = live_pick(&live, &chance, OBJ_CQ, NO_OBJ);

		prog_obj(&now, F_send_cq, cq);
		prog_obj(&now, F_recv_cq, cq);
	}
	make_call(NO_OBJ, false, false);
	return slot;
}

static void call(enum verb verb, uint8_t on, bool destroys, bool idle)
{
	prog_call(&now, verb, NO_OBJ, on);
	make_call(on, destroys, idle);
}

static void modify(uint8_t qp, int state)
{
	prog_call(&now, V_modify_qp, NO_OBJ, qp);
	prog_num(&now, F_mask, A_STATE);
	prog_num(&now, F_qp_state, (uint64_t)state);
	make_call(qp, false, false);
}

static unsigned int count(const struct program *p, enum verb verb)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->ncalls; i++)
		n += p->call[i].verb == verb;
	return n;
}

static bool parses_to_itself(const struct program *p)
{
	static struct program again;
	char err[512] = "", *first = print_text(p), *second = NULL;
	bool good = !prog_parse(&again, "history", first, strlen(first), err,
				sizeof(err));

	if (good)
		second = print_text(&again);
	good = good && !strcmp(first, second);
	if (!good)
		printf("# %s\n%s", err, first);
	free(first);
	free(second);
	return good;
}

/* Walks with a queue pair that stays, and completion queues that are destroyed
 * soon. */
static uint8_t walk(void)
{
	uint8_t pd, cq, qp;

	live_begin(&live, &now, &history);
	pd = make(V_alloc_pd, NO_OBJ);
	make(V_create_cq, NO_OBJ);
	qp = make(V_create_qp, pd);
	modify(qp, IBV_QPS_INIT);
	modify(qp, IBV_QPS_RESET);
	modify(qp, IBV_QPS_INIT);
	for (int i = 0; i < ROUNDS; i++) {
		cq = make(V_create_cq, NO_OBJ);
		call(V_poll_cq, cq, false, false);
		call(V_destroy_cq, cq, true, false);
		call(V_query_qp, qp, false, i % 2);
	}
	return qp;
}

static void test_end(unsigned int far, bool idle, unsigned int queries)
{
	static struct program p;
	char name[80];

	snprintf(name, sizeof(name), "distance %u, %s idle calls", far,
		 idle ? "with" : "without");
	if (!ok(history_program(&history, far, idle, &p), name))
		return;
	ok(prog_ok(&p) && parses_to_itself(&p), "the calls are a program");
	ok(p.call[p.ncalls - 1].verb == V_query_qp,
	   "the program ends with the last call");
	ok(count(&p, V_create_qp) == 1 && count(&p, V_create_cq) == 1 &&
		   count(&p, V_alloc_pd) == 1,
	   "it makes the objects that this call needs and no others");
	ok(count(&p, V_modify_qp) >= 2,
	   "it has the changes of state since the last RESET");
	snprintf(name, sizeof(name), "it has at least %u queries: %u", queries,
		 count(&p, V_query_qp));
	ok(count(&p, V_query_qp) >= queries, name);
}

int main(void)
{
	uint8_t qp = walk();

	ok(history.n > 4 * ROUNDS && history.nobjects > ROUNDS,
	   "a walk has more calls and objects than a program");
	ok(now.nobjects == 4, "slots of destroyed objects are used again");
	ok(now.ncalls == 3 && prog_ok(&now),
	   "one call is kept for each object");
	call(V_query_qp, qp, false, false);
	test_end(0, false, ROUNDS / 4);
	test_end(0, true, ROUNDS / 4);
	test_end(HISTORY_FAR, false, 1);
	return tap_end();
}
