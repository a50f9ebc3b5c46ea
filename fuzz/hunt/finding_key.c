/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Decides the key and the case id of a finding.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "fuzz/mutate/complete.h"
#include "fuzz/hunt/finding_key.h"
#include "coverage/coverage.h"

#define OUTCOME_LEN 60

/* Returns the errno, or the field that had the wrong value. */
static const char *outcome_word(const struct judgement *j, int error)
{
	if (j->expect_field != FIELD_NR)
		return field_info(j->expect_field)->text;
	if (j->verdict == VERDICT_NON_STRICT)
		return out_name(j->taken);
	return error > 0 ? errno_name(error) : "OK";
}

/* Finds the name of the value that the wrong field had, such as a status of a
 * completion. Returns the length of the name, or 0 if values of the field have
 * no names. */
static int value_word(const struct judgement *j, const char **word)
{
	const struct field_info *f;
	size_t len;

	if (j->expect_field == FIELD_NR)
		return 0;
	f = field_info(j->expect_field);
	len = strlen(f->text);
	if (f->kind != FK_ENUM || strncmp(j->observed, f->text, len) != 0 ||
	    j->observed[len] != '=' ||
	    !isupper((unsigned char)j->observed[len + 1]))
		return 0;
	*word = &j->observed[len + 1];
	return (int)strspn(*word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

static void print_outcome(const struct judgement *j, int error,
			  char outcome[OUTCOME_LEN])
{
	const char *value = "";
	int len = value_word(j, &value);

	snprintf(outcome, OUTCOME_LEN, "%s%s%.*s", outcome_word(j, error),
		 len ? "-" : "", len, value);
}

/* Returns true if the verdict is about a rule, so that the key names the rule.
 */
static bool is_by_rule(const struct judgement *j)
{
	return j->verdict == VERDICT_DEVIATES ||
	       j->verdict == VERDICT_NON_STRICT;
}

/* Replaces characters that an id may not have; ids are used in journals,
 * profiles and file names. The file of a library may have any name. */
static void make_word(char *text)
{
	for (; *text; text++)
		if (*text == '/')
			*text = '.';
		else if (*text <= ' ' || *text > '~')
			*text = '-';
}

void finding_key(const struct judgement *j, unsigned int verb, int error,
		 char key[FINDING_KEY_LEN])
{
	const char *name =
		verb < VERB_NR ? verb_info((enum verb)verb)->name : "";
	char of[64], outcome[OUTCOME_LEN], where[sizeof(j->where)];

	snprintf(of, sizeof(of), "%s", verdict_name(j->verdict));
	if (is_by_rule(j) && j->row != ROW_NONE)
		snprintf(of, sizeof(of), "%s", rule(j->row)->id);
	make_word(of);
	print_outcome(j, error, outcome);
	make_word(outcome);
	snprintf(where, sizeof(where), "%s", j->where);
	make_word(where);
	if (is_by_rule(j) && verb < VERB_NR)
		snprintf(key, FINDING_KEY_LEN, "%s/%s-%s", of, name, outcome);
	else if (j->verdict == VERDICT_DEVIATES)
		snprintf(key, FINDING_KEY_LEN, "%s/remains", of);
	else
		snprintf(key, FINDING_KEY_LEN, "%.32s/%s%s%s", of,
			 verb < VERB_NR ? name : "no-call",
			 where[0] ? "-in-" : "", where);
}

static bool is_undefined(const struct program *p, const struct judgement *j)
{
	unsigned int first = first_incomplete(p);

	return first < p->ncalls && (j->call < 0 || j->call >= (int)first);
}

bool finding_is_undefined_answer(const struct program *p,
				 const struct judgement *j)
{
	return is_by_rule(j) && is_undefined(p, j);
}

void finding_key_add_class(const struct program *p, const struct judgement *j,
			   char key[FINDING_KEY_LEN])
{
	char plain[FINDING_KEY_LEN];

	if (!is_undefined(p, j))
		return;
	memcpy(plain, key, sizeof(plain));
	snprintf(key, FINDING_KEY_LEN, "undefined/%.110s", plain);
}

/* Returns who wrote a line of the kernel's log. */
static const char *reporter(const char *what)
{
	static const struct {
		const char *words, *name;
	} reporters[] = {
		{"KASAN", "kasan"},
		{"KCSAN", "kcsan"},
		{"KFENCE", "kfence"},
		{"UBSAN", "ubsan"},
		{"possible circular locking", "lockdep"},
		{"possible recursive locking", "lockdep"},
		{"possible irq lock inversion", "lockdep"},
		{"inconsistent lock state", "lockdep"},
		{"suspicious RCU usage", "lockdep"},
		{"bad unlock balance", "lockdep"},
		{"held lock freed", "lockdep"},
		{"register non-static key", "lockdep"},
		{"blocked for more than", "hung-task"},
	};

	for (size_t i = 0; i < COUNT(reporters); i++)
		if (strstr(what, reporters[i].words))
			return reporters[i].name;
	return "kernel";
}

/* Finds the function that a line names, as in "... in
 * siw_destroy_qp+0x127/0x190 [siw]", and returns the length of its name, or 0.
 */
static int function_in(const char *line, const char **name)
{
	const char *end = strstr(line, "+0x"), *at = end;

	while (at && at > line && !strchr(" :", at[-1]))
		at--;
	*name = at;
	return at ? (int)(end - at) : 0;
}

/* Finds the functions that race, as in "data-race in a / b". KCSAN names the
 * second one unless it did not see it. Returns false for other lines. */
static bool race_in(const char *line, char *names, size_t len)
{
	const char *at = strstr(line, "data-race in ");
	char one[48], other[48];
	int n = at ? sscanf(at, "data-race in %47s / %47s", one, other) : 0;

	if (n > 0)
		snprintf(names, len, "%s%s%s", one, n > 1 ? "-" : "",
			 n > 1 ? other : "");
	return n > 0;
}

/* Hashes a line without addresses and process ids, which differ each time. */
static unsigned int hash_of(const char *line)
{
	char what[KERNEL_LINE];
	size_t n = 0;

	for (const char *c = line; *c && n + 1 < sizeof(what); c++)
		if (!strchr("0123456789abcdefx", *c))
			what[n++] = *c;
	what[n] = '\0';
	return (unsigned int)text_hash(what);
}

/* Finds the function that made a bad access. The line that reports the access
 * does not name it, but the line with the instruction pointer does. */
static int function_at_fault(const struct kernel_log *log, const char **name)
{
	const char *at;

	if (!strstr(log->what, "BUG:") && !strstr(log->what, "fault"))
		return 0;
	for (unsigned int i = 0; i < log->n; i++) {
		at = strstr(log->line[i], "RIP: ");
		if (at)
			return function_in(at, name);
	}
	return 0;
}

static void key_of_kernel(const struct kernel_log *log,
			  const struct judgement *j, char key[FINDING_KEY_LEN])
{
	const char *line = log->what, *verdict = verdict_name(j->verdict),
		   *name;
	int len = function_in(line, &name);
	char race[100];

	if (!len)
		len = function_at_fault(log, &name);
	if (race_in(line, race, sizeof(race)))
		snprintf(key, FINDING_KEY_LEN, "%s/%s-%s", verdict,
			 reporter(line), race);
	else if (len)
		snprintf(key, FINDING_KEY_LEN, "%s/%s-%.*s", verdict,
			 reporter(line), len, name);
	else
		snprintf(key, FINDING_KEY_LEN, "%s/%s-%08x", verdict,
			 reporter(line), hash_of(line));
}

void finding_key_recorded(const struct recorder *r, const struct judgement *j,
			  char key[FINDING_KEY_LEN])
{
	int at = j->call;

	if (r->kernel.found != KERNEL_QUIET)
		key_of_kernel(&r->kernel, j, key);
	else if (at < 0 || at >= r->begun)
		finding_key(j, VERB_NR, 0, key);
	else
		finding_key(j, r->call[at].bound.verb,
			    at < r->returned
				    ? outcome_error(r->call[at].bound.verb,
						    &r->call[at].outcome)
				    : 0,
			    key);
	finding_key_add_class(&r->program, j, key);
}

/* The last change of a queue pair's state that was asked for, or the state in
 * which the last call posted a request. */
struct change {
	unsigned int kind, from, to; /* kind QK_NR: none */
};

static bool posts(unsigned int verb)
{
	return verb == V_post_send || verb == V_post_recv;
}

static struct change last_change(const struct recorder *r, int end)
{
	struct change last = {QK_NR, 0, 0};
	struct coverage unused;
	struct qp_states states;

	coverage_init(&unused, false);
	qp_states_init(&states);
	for (int i = 0; i <= end && i < r->begun; i++) {
		const struct bound *b = &r->call[i].bound;
		const struct qp_attr_args *in = &b->in.qp_attr;

		if (b->verb == VERB_NR)
			continue;
		if ((b->verb == V_modify_qp || (posts(b->verb) && i == end)) &&
		    b->on < PROG_MAX_OBJECTS) {
			last.kind = states.kind[b->on];
			last.from = last.to = states.state[b->on];
			if (b->verb == V_modify_qp && in->mask & A_STATE)
				last.to = (unsigned int)in->attr.qp_state;
		}
		coverage_call(&unused, &states, &r->program, i, b,
			      i < r->returned ? &r->call[i].outcome : NULL);
	}
	coverage_free(&unused);
	return last;
}

/* Returns true if the queue pair was created with IBV_QP_CREATE_SOURCE_QPN: it
 * sends with another queue pair's number. Drivers modify such a queue pair by
 * other code, so its findings have ids of their own. */
static bool has_source_qpn(const struct recorder *r, int at)
{
	for (int i = 0; i < at; i++) {
		const struct bound *b = &r->call[i].bound;

		if (b->verb == V_create_qp_ex &&
		    b->result == r->call[at].bound.on)
			return b->in.qp_init.create_flags &
			       IBV_QP_CREATE_SOURCE_QPN;
	}
	return false;
}

void finding_case_id(const struct recorder *r, const struct judgement *j,
		     const char *key, char id[CASE_ID_LEN])
{
	int at = j->call < r->begun ? j->call : -1;
	unsigned int verb = at < 0 ? VERB_NR : r->call[at].bound.verb;
	struct change c = {QK_NR, 0, 0};

	if (verb == V_modify_qp || verb == V_query_qp || posts(verb))
		c = last_change(r, at);
	if (c.kind < QK_NR && posts(verb))
		snprintf(id, CASE_ID_LEN, "post/%s/%s/fuzz/%.100s",
			 qp_kind_slug((enum qp_kind)c.kind),
			 state_slug((int)c.from), key);
	else if (c.kind < QK_NR && c.to >= STATE_NR)
		snprintf(id, CASE_ID_LEN, "modify/%s/%s/fuzz/%.100s",
			 qp_kind_slug((enum qp_kind)c.kind),
			 state_slug((int)c.from), key);
	else if (c.kind < QK_NR)
		snprintf(id, CASE_ID_LEN, "modify/%s/%s-%s/fuzz/%.100s%s",
			 qp_kind_slug((enum qp_kind)c.kind),
			 state_slug((int)c.from), state_slug((int)c.to), key,
			 has_source_qpn(r, at) ? "-of-source-qpn" : "");
	else
		snprintf(id, CASE_ID_LEN, "fuzz/%.120s", key);
}
