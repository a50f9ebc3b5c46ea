/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Runs a program on a target; each call is judged before the next one is made.
 * A call is left out if its objects do not exist because their creation was
 * refused, which was permitted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "fire/fire.h"
#include "judge/ahead.h"
#include "judge/compare.h"
#include "judge/either_end.h"
#include "judge/judge.h"
#include "judge/patience.h"
#include "program/which_device.h"

/* Counts a call that is left out, and the row that refused its object. */
static void leave_out(struct judge_run *r, const struct call *c,
		      uint8_t missing)
{
	if (r->left_out++ == 0)
		r->left_row = r->refused[missing];
	if (c->result != NO_OBJ)
		r->refused[c->result] = r->refused[missing];
}

/*
 * Returns true if a refusal leaves the case without an object that it needs:
 * there was no memory, or the row refuses outright. At limits and contested
 * points the refusal is what the case asked for.
 */
static bool denies_object(enum row row)
{
	if (row == ROW_CRE_ACCEPT || row == ROW_OBJ_ACCEPT ||
	    row == ROW_FLOW_ACCEPT)
		return true;
	return row != ROW_NONE && rule(row)->strength != MAY &&
	       out_errno(rule(row)->out[0]);
}

static void judge_left_out(const struct judge_run *r, struct judgement *out)
{
	if (!r->left_out || !denies_object(r->left_row) ||
	    out->verdict > VERDICT_NON_STRICT)
		return;
	if (r->left_row == ROW_CRE_TYPE) {
		out->verdict = VERDICT_UNSUPPORTED;
		out->claim = r->lacked;
		return;
	}
	out->verdict = VERDICT_INCONCLUSIVE;
	out->row = r->left_row;
	snprintf(out->expected, sizeof(out->expected),
		 "the objects that the case needs");
	snprintf(out->observed, sizeof(out->observed),
		 "%s refused: calls that could not be made: %d",
		 rule(r->left_row)->verb, r->left_out);
}

/* Returns true for errnos of rdma_cm that show nothing about the device. */
static bool is_of_connections(int err)
{
	return err == ETIMEDOUT || err == ENOMEM || err == EADDRNOTAVAIL;
}

/*
 * Some failures show nothing about the device: the command that cuts the link,
 * addresses, memory and time that rdma_cm needs, and the file descriptors of
 * the process.
 */
static void judge_machine(enum verb verb, const struct outcome *o,
			  struct judgement *out)
{
	int err = outcome_error(verb, o);

	if (out->verdict != VERDICT_DEVIATES)
		return;
	if (verb == V_link || err == EMFILE || err == ENFILE ||
	    ((verb == V_connect || verb == V_join_mcast) &&
	     is_of_connections(err)))
		out->verdict = VERDICT_INCONCLUSIVE;
}

static void report_not_made(const struct outcome *o, int index,
			    struct judgement *out)
{
	out->verdict = VERDICT_INCONCLUSIVE;
	out->call = index;
	strcpy(out->expected, "the memory and files that the call takes");
	snprintf(out->observed, sizeof(out->observed), "the machine: %s",
		 strerror(o->err));
}

/* The process on the other host that made the call is gone. */
static void report_lost(const struct judge_run *r, const struct bound *b,
			int index, struct judgement *out)
{
	char call[200];

	bound_print(r->program, b, call, sizeof(call));
	out->verdict = VERDICT_CRASHED;
	out->call = index;
	out->peer_lost = true;
	strcpy(out->expected, "every call returns");
	snprintf(out->observed, sizeof(out->observed), "%s in: %s",
		 r->target->lost, call);
}

/* Returns true if the outcome is what the program itself expects. */
static bool meets_expectation(const struct judge_run *r, const struct call *c,
			      const struct bound *b, const struct outcome *o,
			      struct judgement *out)
{
	const struct verb_info *v = verb_info(b->verb);

	if (!c->expects)
		return true;
	if (outcome_error(b->verb, o) != c->expect_err) {
		snprintf(out->expected, sizeof(out->expected),
			 "%s, as the program says",
			 c->expect_err ? errno_name(c->expect_err) : "0");
		outcome_print(r->program, b->verb, o, NULL, NULL, out->observed,
			      sizeof(out->observed));
		return false;
	}
	for (int i = 0; i < c->nexp; i++) {
		const struct setting *s = &r->program->setting[c->efirst + i];
		enum field f = (enum field)s->field;
		bool first = field_info(f)->family == v->out;
		union outputs want;

		if (prog_bind_setting(r->program, c, s, &r->target->info,
				      &r->results, &want, out->observed,
				      sizeof(out->observed)))
			return false;
		if (!compare_field(r->program, f, &want,
				   first ? (const void *)&o->out
					 : (const void *)&o->out2,
				   out))
			return false;
	}
	return true;
}

/* Reports a call that cannot be made, for instance because the list is longer
 * than the device granted, or the run has no second device or no command to cut
 * the link. */
static void give_up(int err, int index, struct judgement *out)
{
	out->call = index;
	out->claim = CLAIM_NONE;
	if (err == -E2BIG)
		out->claim = CLAIM_POST_LIST;
	if (err == -ENODEV)
		out->claim = CLAIM_SECOND;
	if (err == -EOPNOTSUPP)
		out->claim = CLAIM_LINK;
	if (err == -ECHILD)
		out->claim = CLAIM_PROCESS;
	if (err == -EXDEV)
		out->claim = CLAIM_ONE_HOST;
	if (err == -ENOMSG)
		out->claim = CLAIM_COMMAND_SENT;
	if (err == -ENOLINK)
		out->claim = CLAIM_LIBRARY_AGREES;
	out->verdict = out->claim == CLAIM_NONE ? VERDICT_INCONCLUSIVE
						: VERDICT_UNSUPPORTED;
}

static int64_t clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static bool posts(enum verb verb)
{
	return verb == V_post_send || verb == V_bind_mw ||
	       verb == V_wr_complete;
}

static bool polls(enum verb verb)
{
	return verb == V_poll_cq || verb == V_start_poll;
}

static bool waits(enum verb verb)
{
	return polls(verb) || verb == V_get_cq_event ||
	       verb == V_get_async_event;
}

/* Fills the outcome of a poll if nothing comes. */
static void set_nothing(const struct judge_run *r, const struct bound *b,
			struct outcome *o)
{
	outcome_poison_all(o);
	o->err = ERRNO_POISON;
	o->ret = b->verb == V_start_poll ? ENOENT : 0;
	o->out.polled.count = 0;
	o->out.polled.spilled = 0;
	if (r->posted_us)
		o->since_ms = (uint32_t)((clock_us() - r->posted_us) / 1000) +
			      b->in.poll.timeout_ms;
}

/* Returns what a call needs to bring. A measured round trip says nothing about
 * events, so they may always need time. */
static enum need find_need(const struct judge_run *r, const struct bound *b)
{
	struct outcome nothing;

	if (!polls(b->verb))
		return NEED_MAYBE;
	set_nothing(r, b, &nothing);
	return judge_need(r->judge, b, &nothing);
}

static bool polls_for_one(const struct bound *b)
{
	return b->verb == V_start_poll ||
	       (b->verb == V_poll_cq && poll_most(&b->in.poll) == 1 &&
		!poll_is_single(&b->in.poll));
}

/* Returns how many ms a call waits. A poll ends when it has the one completion
 * that must come, so that it may be patient. */
static uint32_t wait_ms(const struct judge_run *r, const struct bound *b,
			enum need need, uint32_t asked)
{
	if (asked && asked < WAITS_MUST && need == NEED_SOMETHING &&
	    polls_for_one(b))
		return WAITS_MUST;
	return patience_wait(r->target->patience, asked, need == NEED_NOTHING);
}

/* Several queues are watched for nothing at the same time: what polls have
 * waited since the last other call, the next one need not wait. */
static uint32_t rest_of_wait(struct judge_run *r, uint32_t ms, uint32_t asked)
{
	const int64_t now = clock_us();
	int64_t waited;

	if (!r->quiet_us)
		r->quiet_us = now;
	waited = (now - r->quiet_us) / 1000;
	if (ms >= asked)
		return ms;
	return waited < ms ? ms - (uint32_t)waited : 0;
}

/* Returns true if a poll brought all that it asked for. */
static bool is_filled(const struct bound *b, const struct outcome *o)
{
	return !o->ret && (b->verb == V_start_poll ||
			   o->out.polled.count == poll_most(&b->in.poll));
}

/* The first call of a group is as it will be made, with its wait. */
static void call_target(struct judge_run *r, int index, const struct bound *b,
			struct outcome *seen)
{
	judge_announce(r, index, b);
	r->target->ops->call(r->target, b, seen);
}

/* Makes a call that waits, for as long as the device needs. The completions of
 * the request that was just posted show a round trip. */
static void call_and_wait(struct judge_run *r, int index, const struct bound *b,
			  struct outcome *seen)
{
	const enum need need = find_need(r, b);
	struct bound real = *b;
	uint32_t *wait = polls(b->verb) ? &real.in.poll.timeout_ms
					: &real.in.event.timeout_ms;
	const uint32_t asked = *wait;

	*wait = wait_ms(r, b, need, asked);
	if (need == NEED_NOTHING)
		*wait = rest_of_wait(r, *wait, asked);
	else
		r->quiet_us = 0;
	call_target(r, index, &real, seen);
	if (r->just_posted && need == NEED_SOMETHING && is_filled(b, seen) &&
	    b->in.poll.timeout_ms <= WAITS_MUST)
		patience_add(r->target->patience,
			     (uint64_t)(clock_us() - r->posted_us));
}

/* A busy machine may make the call long after the request was posted, so the
 * time since then is measured. */
static void make_call(struct judge_run *r, int index, const struct bound *b,
		      struct outcome *seen)
{
	outcome_poison_all(seen);
	if (posts(b->verb))
		r->posted_us = clock_us();
	if (waits(b->verb) && r->target->patience)
		call_and_wait(r, index, b, seen);
	else
		call_target(r, index, b, seen);
	if (!polls(b->verb))
		r->quiet_us = 0;
	r->just_posted = posts(b->verb);
	if (!posts(b->verb) && r->posted_us)
		seen->since_ms = (uint32_t)((clock_us() - r->posted_us) / 1000);
}

static void note_refusal(struct judge_run *r, const struct bound *b)
{
	enum row row = judge_row(r->judge);

	r->refused[b->result] = row;
	if (row == ROW_CRE_TYPE && r->lacked == CLAIM_NONE)
		r->lacked = claim_of_kind(qp_init_kind(&b->in.qp_init));
}

/* From the first step about threads on, calls are not judged one by one: what
 * must hold whatever the schedule is, is checked at the end. */
static void run_threads(struct judge_run *r, int index, struct judgement *out)
{
	const struct judge_trace *trace = r->trace;
	const struct fire_hooks hooks = {
		.before = trace ? trace->before : NULL,
		.after = trace ? trace->after : NULL,
		.arg = trace ? trace->arg : NULL,
	};
	struct fire_said said;

	if (fire_run(r->target, r->program, index, r->granted, &r->results,
		     &hooks, &said)) {
		out->verdict = VERDICT_INCONCLUSIVE;
		strcpy(out->expected, "the threads run");
	} else if (said.row != ROW_NONE) {
		out->verdict = VERDICT_DEVIATES;
		out->row = said.row;
		memcpy(out->expected, said.expected, sizeof(out->expected));
	} else {
		return;
	}
	memcpy(out->observed, said.observed, sizeof(out->observed));
}

bool judge_run_call(struct judge_run *r, int index, struct judgement *out)
{
	const struct call *c = &r->program->call[index];
	const struct judge_trace *trace = r->trace;
	struct outcome seen;
	struct bound b;
	uint8_t missing;
	int err;

	if (verb_is_of_threads((enum verb)c->verb)) {
		run_threads(r, index, out);
		return false;
	}
	missing = results_missing(&r->results, r->program, c);
	if (missing != NO_OBJ) {
		leave_out(r, c, missing);
		return true;
	}
	if (results_idle(&r->results, c))
		return true;
	err = prog_bind(r->program, c, &r->target->info, &r->results, &b,
			out->observed, sizeof(out->observed));
	if (err) {
		give_up(err, index, out);
		return false;
	}
	if (r->two_devices && r->target->patience)
		either_end_limit(r->judge, &b);
	if (trace && trace->before)
		trace->before(trace->arg, index, &b);
	make_call(r, index, &b, &seen);
	if (trace && trace->after)
		trace->after(trace->arg, index, &b, &seen);
	if (r->target->lost[0]) {
		report_lost(r, &b, index, out);
		return false;
	}
	if (seen.not_made && (seen.err == ENOMSG || seen.err == ENOLINK)) {
		give_up(-seen.err, index, out);
		return false;
	}
	if (seen.not_made) {
		report_not_made(&seen, index, out);
		return false;
	}
	r->granted[index] = !outcome_error(b.verb, &seen);
	results_remember(&r->results, &b, &seen);
	if (!judge_step(r->judge, r->program, index, &b, &seen, out)) {
		judge_machine(b.verb, &seen, out);
		return false;
	}
	if (b.result != NO_OBJ && seen.ret != 0)
		note_refusal(r, &b);
	if (r->left_out || meets_expectation(r, c, &b, &seen, out))
		return true;
	out->verdict = VERDICT_DEVIATES;
	out->row = ROW_NONE;
	out->call = index;
	return false;
}

void judge_leftovers(const struct target *t, int left, struct judgement *out)
{
	out->verdict = VERDICT_DEVIATES;
	out->row = ROW_LIFE_ACCEPT;
	strcpy(out->expected, "every object can be destroyed");
	if (left)
		snprintf(out->observed, sizeof(out->observed),
			 "%d objects could not be destroyed", left);
	else
		snprintf(out->observed, sizeof(out->observed),
			 "all were destroyed, and %s", t->leak);
}

void judge_run_begin(struct judge_run *r, struct target *t, struct judge *j,
		     const struct program *p, const struct judge_trace *trace,
		     struct judgement *out)
{
	results_begin(&r->results);
	memset(r->refused, 0, sizeof(r->refused));
	memset(r->granted, 0, sizeof(r->granted));
	r->left_out = 0;
	r->posted_us = 0;
	r->just_posted = false;
	r->two_devices = program_has_two_devices(p);
	r->announced = 0;
	r->left_row = ROW_NONE;
	r->lacked = CLAIM_NONE;
	r->target = t;
	t->lost[0] = '\0';
	r->judge = j;
	r->program = p;
	r->trace = trace;
	out->verdict = VERDICT_PASS;
	out->row = ROW_NONE;
	out->taken = OUT_NONE;
	out->call = -1;
	out->claim = CLAIM_NONE;
	out->whose = WHOSE_UNKNOWN;
	out->peer_lost = false;
	out->where[0] = 0;
	out->expected[0] = 0;
	out->observed[0] = 0;
	out->expect_err = 0;
	out->expect_field = FIELD_NR;
	judge_reset(j);
}

/* The process on the other host is gone that was to destroy the objects. */
static void report_lost_at_end(const struct target *t, struct judgement *out)
{
	out->verdict = VERDICT_CRASHED;
	out->peer_lost = true;
	strcpy(out->expected, "every object can be destroyed");
	snprintf(out->observed, sizeof(out->observed),
		 "%s when its objects were destroyed", t->lost);
}

/* After the agent died, no other one starts. */
static void report_peer_lost(const struct target *t, struct judgement *out)
{
	char lost[200];

	snprintf(lost, sizeof(lost), "%.199s", out->observed);
	out->verdict = VERDICT_HOST_LOST;
	strcpy(out->expected, "the other host stays up");
	snprintf(out->observed, sizeof(out->observed), "%s; %.120s", lost,
		 t->broken);
}

int judge_run_end(struct judge_run *r, struct judgement *out)
{
	struct target *t = r->target;
	int left = t->ops->sweep(t);

	judge_left_out(r, out);
	if (t->lost[0] && out->verdict <= VERDICT_NON_STRICT)
		report_lost_at_end(t, out);
	if (t->broken[0] && out->peer_lost) {
		report_peer_lost(t, out);
	} else if (t->broken[0]) {
		out->verdict = VERDICT_INCONCLUSIVE;
		snprintf(out->observed, sizeof(out->observed), "%s", t->broken);
	} else if (!prog_ok(r->program) && out->verdict <= VERDICT_NON_STRICT) {
		out->verdict = VERDICT_INCONCLUSIVE;
		strcpy(out->observed, "the program is not whole");
	} else if ((left || t->leak[0]) && out->verdict <= VERDICT_NON_STRICT) {
		judge_leftovers(t, left, out);
	}
	return left;
}

void judge_program(struct target *t, struct judge *j, const struct program *p,
		   const struct judge_trace *trace, struct judgement *out)
{
	struct judge_run r;

	judge_run_begin(&r, t, j, p, trace, out);
	for (int i = 0; i < p->ncalls; i++)
		if (!judge_run_call(&r, i, out))
			break;
	judge_run_end(&r, out);
}
