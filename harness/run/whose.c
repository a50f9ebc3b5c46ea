// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Says which of two devices a deviation is of. The calls of the program are
 * made again with both ends on the first device, and with both on the second
 * one. The device that deviates with itself, while the other one does not, is
 * to blame.
 */
#include <stdlib.h>
#include "program/one_device.h"
#include "program/which_device.h"
#include "run/worker.h"

#define MOST_OF_A_RULE 16 /* deviations by one rule that are tried again */

enum found { UNTRIED, HOLDS, FAILS };

/* Each call is progress, so that a long program does not count as hung. */
static void tick_before(void *arg, int index, const struct bound *b)
{
	(void)index, (void)b;
	recorder_tick(arg);
}

/* Says what one device did alone. A deviation by another rule tells nothing if
 * the call was made on the other device; in a later call it tells that the
 * device does as it should up to there. */
static enum found judge_alone(const struct worker *w, bool second,
			      const struct program *p,
			      const struct judgement *judged,
			      const struct judgement *seen)
{
	const struct program *both = &w->recorder->program;
	int more = p->ncalls - both->ncalls; /* calls in front */

	if (judged->verdict != VERDICT_DEVIATES)
		return judged->verdict <= VERDICT_NON_STRICT ? HOLDS : UNTRIED;
	if (judged->row == seen->row)
		return FAILS;
	if (judged->call - more > seen->call)
		return HOLDS;
	return call_is_on_second(both, &both->call[seen->call]) == second
		       ? FAILS
		       : UNTRIED;
}

static enum found try_on_one(struct worker *w, bool second,
			     const struct judgement *seen)
{
	struct program *p = calloc(1, sizeof(*p));
	struct judgement judged = {.verdict = VERDICT_INCONCLUSIVE};
	enum found found = UNTRIED;
	const struct judge_trace trace = {.before = tick_before,
					  .arg = w->recorder};

	if (p && program_to_one_device(&w->recorder->program, second, p)) {
		judge_program(w->target, w->judge, p, &trace, &judged);
		found = judge_alone(w, second, p, &judged, seen);
	}
	free(p);
	return found;
}

/* Returns true if nothing that the other device does shows in the call: it
 * creates an object, or asks the device. Nor does it after the other process
 * was killed. */
static bool is_of_one(const struct program *p, int index)
{
	const struct verb_info *verb =
		verb_info((enum verb)p->call[index].verb);

	for (int i = 0; i < index; i++)
		if (p->call[i].verb == V_kill_process)
			return true;
	return verb->conv == CONV_PTR ||
	       (verb->on == OBJ_CTX &&
		p->call[index].verb != V_get_async_event);
}

static enum whose whose_call(const struct program *p, int index)
{
	return call_is_on_second(p, &p->call[index]) ? WHOSE_SECOND
						     : WHOSE_FIRST;
}

static enum whose find_whose(struct worker *w, const struct judgement *seen)
{
	enum found first, second;

	first = try_on_one(w, false, seen);
	second = try_on_one(w, true, seen);
	if (first == FAILS && second == FAILS)
		return WHOSE_EACH;
	if (first == FAILS && second == HOLDS)
		return WHOSE_FIRST;
	if (first == HOLDS && second == FAILS)
		return WHOSE_SECOND;
	return WHOSE_EITHER;
}

void worker_find_whose(struct worker *w)
{
	struct judgement *judged = &w->recorder->judged;
	const struct program *p = &w->recorder->program;

	if (judged->verdict != VERDICT_DEVIATES || judged->call < 0 ||
	    judged->call >= p->ncalls || !w->target->info.second ||
	    !program_has_two_devices(p))
		return;
	if (is_of_one(p, judged->call)) {
		judged->whose = whose_call(p, judged->call);
	} else if (w->tried[judged->row] < MOST_OF_A_RULE) {
		w->tried[judged->row]++;
		judged->whose = find_whose(w, judged);
	}
}
