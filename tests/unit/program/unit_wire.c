/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls and outcomes as text between two processes: a call of any case that is
 * printed, parsed and bound again is the same call, its outcome that is printed
 * and read is the same outcome, and text that is no such thing is refused.
 */
#include <stdlib.h>
#include <string.h>
#include "cases/generate/case.h"
#include "program/wire.h"
#include "target/target.h"
#include "tests/unit/tap.h"

#define TEXT_LEN 32768

/* One case is enough for each of so many */
#define EACH 5

struct side {
	struct program
		names; /* of the caller: by slot; of the callee: by name */
	struct prog_results results;
};

static struct {
	struct target *target;
	struct side caller, callee;
	uint64_t cases, calls;
	bool verb[VERB_NR];
	char first[TEXT_LEN]; /* what went wrong first, or "" */
} t;

static void wrong(const char *what, const char *text)
{
	if (!t.first[0])
		snprintf(t.first, sizeof(t.first), "%s: %.4000s", what, text);
}

/* The callee parses what the caller prints, and prints the same again. */
static bool call_arrives(const struct bound *b, struct bound *there)
{
	static char text[TEXT_LEN], again[TEXT_LEN];
	char err[256] = "another call";
	struct program *p = &t.callee.names;

	t.caller.names.object[b->result % PROG_MAX_OBJECTS].kind =
		b->result == NO_OBJ
			? t.caller.names.object[b->result % PROG_MAX_OBJECTS]
				  .kind
			: (uint8_t)verb_info(b->verb)->makes;
	if (bound_print(&t.caller.names, b, text, sizeof(text))) {
		wrong("does not fit", verb_info(b->verb)->name);
		return false;
	}
	if (call_parse(p, text, strlen(text), err, sizeof(err)) ||
	    prog_bind(p, &p->call[0], &t.target->info, &t.callee.results, there,
		      err, sizeof(err)) ||
	    bound_print(p, there, again, sizeof(again)) ||
	    strcmp(text, again) != 0) {
		wrong(err, text);
		return false;
	}
	return true;
}

static bool same_fields(enum family fam, const void *a, const void *b)
{
	for (unsigned int i = 0; i < family_count(fam); i++) {
		const struct field_info *info =
			field_info((enum field)(family_first(fam) + i));

		if (memcmp((const char *)a + info->offset,
			   (const char *)b + info->offset, info->size))
			return false;
	}
	return true;
}

/* Attributes that the mask does not name hold poison, which no text tells. */
static bool same_attributes(const struct bound *a, const struct bound *b)
{
	return a->verb != V_modify_qp ||
	       same_fields(FAM_QP_ATTR, &a->in.qp_attr, &b->in.qp_attr);
}

static bool outcome_returns(enum verb verb, const struct outcome *o)
{
	static char text[TEXT_LEN];
	static struct outcome back;
	const struct verb_info *info = verb_info(verb);
	char err[256] = "another outcome";

	outcome_poison_all(&back);
	if (!wire_print(&t.caller.names, verb, o, text, sizeof(text)) &&
	    !wire_read(&t.caller.names, verb, text, &back, err, sizeof(err)) &&
	    back.ret == o->ret && back.err == o->err &&
	    back.in_changed == o->in_changed &&
	    back.context_lost == o->context_lost &&
	    back.out_written == o->out_written &&
	    back.not_made == o->not_made &&
	    same_fields(info->out, &back.out, &o->out) &&
	    same_fields(info->out2, &back.out2, &o->out2))
		return true;
	wrong(err, text);
	return false;
}

static bool make(const struct program *p, const struct call *c)
{
	static struct outcome o;
	struct bound b, there;
	char err[256];

	if (results_missing(&t.caller.results, p, c) != NO_OBJ ||
	    results_idle(&t.caller.results, c))
		return true;
	if (prog_bind(p, c, &t.target->info, &t.caller.results, &b, err,
		      sizeof(err)))
		return false;
	if (!call_arrives(&b, &there))
		return false;
	if (!same_attributes(&b, &there))
		wrong("other poison", verb_info(b.verb)->name);
	outcome_poison_all(&o);
	t.target->ops->call(t.target, &b, &o);
	results_remember(&t.caller.results, &b, &o);
	results_remember(&t.callee.results, &there, &o);
	t.calls++;
	t.verb[b.verb] = true;
	return outcome_returns(b.verb, &o);
}

static bool run_case(const struct test_case *c, void *arg)
{
	uint64_t *number = arg;

	if (c->claim != CLAIM_NONE || (*number)++ % EACH)
		return true;
	wire_name_slots(&t.caller.names);
	prog_init(&t.callee.names);
	results_begin(&t.caller.results);
	results_begin(&t.callee.results);
	for (unsigned int i = 0; i < c->program->ncalls; i++)
		if (!make(c->program, &c->program->call[i]))
			break;
	t.target->ops->sweep(t.target);
	t.cases++;
	return !t.first[0];
}

static unsigned int verbs_seen(void)
{
	unsigned int n = 0;

	for (int v = 0; v < VERB_NR; v++)
		n += t.verb[v];
	return n;
}

static void test_cases(void)
{
	const struct target_options opt = {.gid_index = -1, .second = "model"};
	struct selection sel = {.shard = 1, .shards = 1, .seed = 1};
	uint64_t number = 0;
	char err[256];

	if (!ok(!target_open("model", &opt, &t.target, err, sizeof(err)),
		"a model opens"))
		return;
	cases_each(&t.target->info, &sel, run_case, &number);
	t.target->ops->close(t.target);
	if (!ok(!t.first[0], "calls and outcomes of cases cross unchanged"))
		printf("# %s\n", t.first);
	printf("# %llu calls of %llu cases, %u verbs\n",
	       (unsigned long long)t.calls, (unsigned long long)t.cases,
	       verbs_seen());
	ok(t.calls > 50000, "there are many calls");
	ok(verbs_seen() > 80, "they are of nearly all verbs");
}

static bool parses(const char *text)
{
	static struct program p;
	char err[256];

	prog_init(&p);
	return !call_parse(&p, text, strlen(text), err, sizeof(err));
}

static bool reads(enum verb verb, const char *text)
{
	static struct outcome o;
	char err[256];

	wire_name_slots(&t.caller.names);
	outcome_poison_all(&o);
	return !wire_read(&t.caller.names, verb, text, &o, err, sizeof(err));
}

static void test_refusals(void)
{
	ok(parses("object0 = alloc_pd") && !parses(""), "no call is refused");
	ok(!parses("alloc_pd ctx0"), "an unknown object is refused");
	ok(parses("object1 = create_cq cqe=1") &&
		   !parses("object1 = create_cq cqe=$max_cqe"),
	   "a symbol is refused");
	ok(!parses("object1 = create_cq cqe=object0.cqe"),
	   "an output of another call is refused");
	ok(reads(V_create_cq, "0 0 cqe=7") && reads(V_create_cq, "-1 EINVAL") &&
		   reads(V_modify_qp, "EBUSY 24301 in-changed not-made"),
	   "outcomes are read");
	ok(!reads(V_create_cq, "") && !reads(V_create_cq, "0") &&
		   !reads(V_create_cq, "x 0"),
	   "an outcome needs two errors");
	ok(!reads(V_create_cq, "0 0 qp_num=7") &&
		   !reads(V_create_cq, "0 0 cqe=") &&
		   !reads(V_create_cq, "0 0 cqe=object1") &&
		   !reads(V_create_cq, "0 0 cqe=99999999999"),
	   "other outputs and values are refused");
	ok(!reads(V_create_cq, "0 0 changed"), "an unknown note is refused");
	ok(!reads(V_create_cq, "0 0 init.cqe=7"),
	   "outputs of a missing family are refused");
}

int main(void)
{
	test_cases();
	test_refusals();
	return tap_end();
}
