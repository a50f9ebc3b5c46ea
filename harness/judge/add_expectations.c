/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Writes the required outcome of each call into a program, so that a reproducer
 * needs no oracle: errno values, and of completions and of memory each value
 * that the contract requires. A value is required if the oracle refuses all
 * others that are tried. After a call that may go in several ways nothing is
 * required of completions and memory any more.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "judge/judge.h"
#include "program/text.h"

static void expect_field(struct program *p, enum field f,
			 const union outputs *want)
{
	const struct field_info *info = field_info(f);
	union ibv_gid gid;

	if (info->kind == FK_GID) {
		memcpy(&gid, (const char *)want + info->offset, sizeof(gid));
		prog_gid(p, f, &gid);
		return;
	}
	if (info->kind == FK_OBJ)
		prog_obj(p, f, (uint8_t)field_get(f, want));
	else
		prog_num(p, f, field_get(f, want));
}

void program_cut_to_deviation(struct program *p, const struct judgement *j)
{
	struct call *c;

	if (j->call < 0 || j->call >= p->ncalls ||
	    j->verdict != VERDICT_DEVIATES)
		return;
	c = &p->call[j->call];
	if (c->expects)
		return;
	p->ncalls = (uint16_t)(j->call + 1);
	p->nsettings = (uint16_t)(c->first + c->nset);
	prog_expect(p, j->expect_err);
	if (j->expect_field != FIELD_NR)
		expect_field(p, j->expect_field, &j->expect_out);
}

/* Returns true if the row permits only one errno or only acceptance. */
static bool permits_one_errno(enum row row)
{
	if (row == ROW_NONE)
		return false;
	for (int i = 1; i < rule_nouts(row); i++)
		if (out_errno(rule(row)->out[i]) !=
		    out_errno(rule(row)->out[0]))
			return false;
	return true;
}

/* Finds what the contract requires of the calls of a program, in order. */
struct requirer {
	struct program *p;
	const struct device_info *info;
	struct prog_results results;
	struct model *model;
	struct judge *judge, *trial; /* `trial` is a copy that is given up */
	bool certain; /* every call so far could go one way only */
	bool changed; /* the command of the next call is changed: the kernel may
			 refuse it */
	struct outcome other;
};

/* Returns true if the oracle refuses the outcome with another value. */
static bool refuses(struct requirer *q, int index, const struct bound *b,
		    const struct outcome *seen, enum field f, uint64_t value)
{
	struct judgement said;

	q->other = *seen;
	field_set(f, &q->other.out, value);
	return judge_copy(q->trial, q->judge) &&
	       !judge_step(q->trial, q->p, index, b, &q->other, &said) &&
	       said.verdict == VERDICT_DEVIATES;
}

#define SMALL 24 /* numbers of statuses and of completions, and more */

/* Returns true if no other value of an output is permitted. */
static bool is_required(struct requirer *q, int index, const struct bound *b,
			const struct outcome *seen, enum field f)
{
	const uint64_t value = field_get(f, &seen->out);

	for (uint64_t other = 0; other < SMALL; other++)
		if (other != value && other <= field_max(f) &&
		    !refuses(q, index, b, seen, f, other))
			return false;
	return refuses(q, index, b, seen, f, (value + 1) & field_max(f)) &&
	       refuses(q, index, b, seen, f, (value ^ 0x80) & field_max(f));
}

static bool is_defined(const struct answer *a, enum verb verb, enum field f)
{
	enum field first = family_first(verb_info(verb)->out);

	return bits_has(&a->defined, (unsigned int)f - (unsigned int)first);
}

static enum field of_wc(enum field first, unsigned int n)
{
	return (enum field)((unsigned int)first +
			    n * ((unsigned int)F_wc1_status - F_wc0_status));
}

static void require(struct requirer *q, int index, const struct bound *b,
		    const struct answer *a, enum field f)
{
	if (is_defined(a, b->verb, f) && q->p->nsettings < PROG_MAX_SETTINGS &&
	    is_required(q, index, b, &a->outcome, f))
		expect_field(q->p, f, &a->outcome.out);
}

/* Returns true if a poll cannot bring more completions, or fewer. The calls of
 * an extended queue bring one. */
static bool count_is_required(struct requirer *q, int index,
			      const struct bound *b, const struct outcome *seen)
{
	const uint32_t count = seen->out.polled.count;

	return (b->verb != V_poll_cq || count >= poll_most(&b->in.poll) ||
		count >= judge_most(q->judge, b)) &&
	       is_required(q, index, b, seen, F_wc_count);
}

/* Requires what completions say. Flags and addresses are left out: they depend
 * on the link layer, and numbers of queue pairs on the device. */
static void require_completions(struct requirer *q, int index,
				const struct bound *b, const struct answer *a)
{
	static const enum field fields[] = {F_wc0_wr_id, F_wc0_qp, F_wc0_opcode,
					    F_wc0_byte_len, F_wc0_imm_data};
	const struct outcome *seen = &a->outcome;

	q->certain = count_is_required(q, index, b, seen);
	for (unsigned int n = 0;
	     q->certain && n < seen->out.polled.count && n < POLL_MAX; n++)
		q->certain =
			is_required(q, index, b, seen, of_wc(F_wc0_status, n));
	if (!q->certain)
		return;
	prog_expect(q->p, 0);
	if (verb_writes(b->verb, F_wc_count))
		expect_field(q->p, F_wc_count, &seen->out);
	for (unsigned int n = 0; n < seen->out.polled.count && n < POLL_MAX;
	     n++) {
		require(q, index, b, a, of_wc(F_wc0_status, n));
		for (size_t i = 0; i < COUNT(fields); i++)
			require(q, index, b, a, of_wc(fields[i], n));
	}
}

/* Nothing is required of bytes that are known in part: then the oracle permits
 * several checksums. */
static void require_memory(struct requirer *q, int index, const struct bound *b,
			   const struct answer *a)
{
	enum family fam = verb_info(b->verb)->out;

	prog_expect(q->p, 0);
	if (!is_required(q, index, b, &a->outcome, F_view_checksum))
		return;
	for (unsigned int i = 0; i < family_count(fam); i++)
		require(q, index, b, a,
			(enum field)((unsigned int)family_first(fam) + i));
}

/* A queue pair may be found in several states after a failure. */
static void note_state(struct requirer *q, int index, const struct bound *b,
		       const struct answer *a)
{
	if (is_defined(a, b->verb, F_qp_state) &&
	    !is_required(q, index, b, &a->outcome, F_qp_state))
		q->certain = false;
}

static void expect_outputs(struct requirer *q, int index, const struct bound *b,
			   const struct answer *a)
{
	switch (verb_info(b->verb)->out) {
	case FAM_WC:
		require_completions(q, index, b, a);
		break;
	case FAM_VIEW:
		require_memory(q, index, b, a);
		break;
	case FAM_QP_ATTR:
		note_state(q, index, b, a);
		break;
	default:
		break;
	}
}

/* Writes what the last call of the program so far has to give. A creation that
 * may be refused ends the C file if it is. */
static bool expect_call(struct requirer *q, int index, struct call *c)
{
	struct judgement said;
	struct answer a;
	struct bound b;
	char err[256];
	bool one;

	if (results_idle(&q->results, c))
		return true;
	if (prog_bind(q->p, c, q->info, &q->results, &b, err, sizeof(err)))
		return false;
	model_call(q->model, &b, NULL, NULL, &a);
	results_remember(&q->results, &b, &a.outcome);
	one = permits_one_errno(a.row) && !q->changed;
	q->changed = b.verb == V_change_command &&
		     !change_is_harmless(b.in.change.how);
	if (!c->expects && q->certain && !a.outcome.ret)
		expect_outputs(q, index, &b, &a);
	if (!c->expects && one)
		prog_expect(q->p, outcome_error(b.verb, &a.outcome));
	if (!one && verb_info(b.verb)->conv != CONV_PTR &&
	    verb_info(b.verb)->out != FAM_WC)
		q->certain = false;
	if (!judge_step(q->judge, q->p, index, &b, &a.outcome, &said))
		q->certain = false;
	return true;
}

static void expect_calls(struct requirer *q)
{
	const unsigned int all = q->p->ncalls;
	bool going = true;

	for (unsigned int i = 0; i < all && going; i++) {
		q->p->ncalls = (uint16_t)(i + 1);
		going = expect_call(q, (int)i, &q->p->call[i]);
	}
	q->p->ncalls = (uint16_t)all;
}

static bool is_length(const struct value *v)
{
	return v->kind == VAL_SYM &&
	       (v->ref == SYM_mtu_bytes || v->ref == SYM_link_mtu_bytes ||
		v->ref == SYM_active_mtu_bytes);
}

/* What is expected holds for the lengths that the messages have here. */
static void fix_lengths(struct program *p, const struct device_info *info)
{
	for (unsigned int i = 0; i < p->nsettings; i++) {
		struct value *v = &p->setting[i].value;

		if (!is_length(v))
			continue;
		v->num += symbol_value(v->ref, info);
		v->kind = VAL_NUM;
		v->ref = 0;
	}
}

int program_add_expectations(struct program *p, const struct device_info *info)
{
	struct requirer *q = calloc(1, sizeof(*q));
	bool ready;

	if (!q)
		return -ENOMEM;
	q->p = p;
	q->info = info;
	q->certain = true;
	q->model = calloc(1, model_size(PROG_MAX_OBJECTS));
	q->judge = judge_new(info);
	q->trial = judge_new(info);
	ready = q->model && q->judge && q->trial;
	if (ready) {
		model_init(q->model, PROG_MAX_OBJECTS, info, NULL);
		judge_reset(q->judge);
		fix_lengths(p, info);
		expect_calls(q);
	}
	judge_free(q->trial);
	judge_free(q->judge);
	free(q->model);
	free(q);
	return ready ? 0 : -ENOMEM;
}
