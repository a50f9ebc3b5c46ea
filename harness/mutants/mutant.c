/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The effect of a seeded fault at each point where the model asks. NULL is the
 * healthy device, for which every answer changes nothing.
 */
#include <errno.h>
#include <string.h>
#include "mutants/mutant.h"
#include "vendor/vendor.h"

static bool has_op(const struct mutant *m, enum mutant_op op)
{
	return m && m->op == op;
}

static bool fits(int wanted, int here)
{
	return wanted < 0 || wanted == here;
}

const struct mutant *mutant_if_applies(const struct mutant *m,
				       const struct mutant_where *call)
{
	bool here = m && fits(m->where.verb, call->verb) &&
		    fits(m->where.kind, call->kind) &&
		    fits(m->where.from, call->from) &&
		    fits(m->where.to, call->to);

	return here ? m : NULL;
}

const struct vendor_ops *mutant_vendor(const struct mutant *m)
{
	const struct vendor_ops *v = NULL;

	if (m->field != FIELD_NR)
		v = vendor_of_field(m->field);
	if (!v && m->row != ROW_NONE)
		v = vendor_of_row(m->row);
	if (!v && m->verb != VERB_NR)
		v = vendor_of_verb(m->verb);
	if (!v && m->where.verb >= 0)
		v = vendor_of_verb((enum verb)m->where.verb);
	if (!v)
		v = quirk_vendor(m->quirk);
	if (!v && m->kind > QK_NR)
		v = vendor_of_kind((enum qp_kind)m->kind);
	if (!v && m->where.kind > QK_NR)
		v = vendor_of_kind((enum qp_kind)m->where.kind);
	return v;
}

bool mutant_has_quirk(const struct mutant *m, enum quirk quirk)
{
	return m && m->quirk == quirk;
}

void mutant_alter_claims(const struct mutant *m, struct device_info *d)
{
	enum family fam;

	if (!has_op(m, MUT_CLAIMS))
		return;
	fam = field_info(m->field)->family;
	if (fam == FAM_DEVICE)
		d->limit[m->field - family_first(FAM_DEVICE)] +=
			(uint64_t)(int64_t)m->number;
	if (m->field == F_dev_phys_port_cnt)
		d->nports += m->number;
	for (int i = 0; fam == FAM_PORT && i < d->nports; i++)
		field_set(m->field, &d->port[i].attr,
			  field_get(m->field, &d->port[i].attr) +
				  (uint64_t)(int64_t)m->number);
}

bool mutant_skips(const struct mutant *m, enum row row)
{
	return has_op(m, MUT_SKIP) && m->row == row;
}

int mutant_errno(const struct mutant *m, enum row row, int err)
{
	return err && has_op(m, MUT_ERRNO) && m->row == row ? m->err : err;
}

int mutant_choice(const struct mutant *m, enum row row)
{
	return has_op(m, MUT_CHOOSE) && m->row == row ? (int)m->out : -1;
}

uint64_t mutant_limit(const struct mutant *m, enum field f, uint64_t value,
		      uint64_t limit)
{
	if (!m || m->field != f)
		return limit;
	switch (m->op) {
	case MUT_LESS:
		return limit - 1;
	case MUT_MORE:
		return limit + 1;
	case MUT_UNCHECKED:
		return UINT64_MAX;
	case MUT_WRAP:
		return value >= 1ull << 31 ? UINT64_MAX : limit;
	default:
		return limit;
	}
}

static bool has_window(const struct mutant *m, enum field f)
{
	return has_op(m, MUT_WINDOW) && m->field == f && m->number > 0;
}

uint64_t mutant_window(const struct mutant *m, enum field f, uint64_t n)
{
	if (!has_window(m, f) || n <= (uint64_t)m->number)
		return n;
	return (uint64_t)m->number;
}

uint64_t mutant_read_ahead(const struct mutant *m, enum field f, uint64_t n)
{
	return n && has_window(m, f) ? (n - 1) % (uint64_t)m->number + 1 : n;
}

bool mutant_checks_first_only(const struct mutant *m, enum field f)
{
	return has_op(m, MUT_FIRST) && m->field == f;
}

bool mutant_flips(const struct mutant *m, enum qp_kind kind, enum field f,
		  uint64_t bit)
{
	return has_op(m, MUT_FLIP) && m->kind == (int)kind && m->field == f &&
	       m->bit == bit;
}

bool mutant_accepts_low(const struct mutant *m, enum field f)
{
	return has_op(m, MUT_LOW) && m->field == f;
}

bool mutant_refuses_zero(const struct mutant *m, enum field f)
{
	return has_op(m, MUT_ZERO_REFUSED) && m->field == f;
}

uint64_t mutant_grant(const struct mutant *m, enum field f, uint64_t value)
{
	return value && has_op(m, MUT_GRANT_LESS) && m->field == f ? value - 1
								   : value;
}

uint32_t mutant_ignored(const struct mutant *m)
{
	return has_op(m, MUT_IGNORE) ? 1u << m->attr : 0;
}

uint32_t mutant_partial(const struct mutant *m)
{
	return has_op(m, MUT_PARTIAL) ? 1u << m->attr : 0;
}

enum field mutant_unmasked(const struct mutant *m)
{
	return has_op(m, MUT_UNMASKED) ? m->field : FIELD_NR;
}

enum field mutant_clobbered(const struct mutant *m)
{
	return has_op(m, MUT_CLOBBER) ? m->field : FIELD_NR;
}

bool mutant_checks_unmasked(const struct mutant *m, enum field f)
{
	return has_op(m, MUT_CHECKS) && m->field == f;
}

uint64_t mutant_max_objects(const struct mutant *m, enum object_kind kind,
			    uint64_t limit)
{
	return has_op(m, MUT_FEWER) && m->parent == kind ? limit - 1 : limit;
}

bool mutant_ignores_child(const struct mutant *m, enum object_kind parent,
			  enum object_kind child)
{
	return has_op(m, MUT_FREE) && m->parent == parent && m->child == child;
}

bool mutant_alters_send_flags(const struct mutant *m)
{
	return m && m->field == F_send_flags;
}

bool mutant_does_nothing(const struct mutant *m, enum verb verb)
{
	return has_op(m, MUT_LEAK) && m->verb == verb;
}

bool mutant_repeats(const struct mutant *m, enum verb verb)
{
	return has_op(m, MUT_AGAIN) && m->verb == verb;
}

bool mutant_keeps_parent(const struct mutant *m, enum verb verb)
{
	return has_op(m, MUT_HOLDS) && m->verb == verb;
}

bool mutant_breaks_object(const struct mutant *m, enum row row)
{
	return has_op(m, MUT_BREAKS) && m->row == row;
}

unsigned int mutant_end_percent(const struct mutant *m)
{
	return has_op(m, MUT_ENDS) ? (unsigned int)m->number : 0;
}

int mutant_refuses(const struct mutant *m, enum verb verb)
{
	return has_op(m, MUT_REFUSE) && m->verb == verb ? m->err : 0;
}

static uint64_t swap_bits(uint64_t value, int a, int b)
{
	uint64_t differ = (value >> a ^ value >> b) & 1;

	return value ^ (differ << a | differ << b);
}

static uint64_t altered_value(const struct mutant *m, uint64_t value,
			      const void *out)
{
	switch (m->op) {
	case MUT_ZERO:
		return 0;
	case MUT_ONES:
		return UINT64_MAX;
	case MUT_COPY:
		return field_get(m->other, out);
	case MUT_SHIFT:
		return m->number >= 0 ? value << m->number
				      : value >> -m->number;
	case MUT_ADD:
	case MUT_CLAIMS:
		return value + (uint64_t)(int64_t)m->number;
	case MUT_TRUNC:
		return value & ((1ull << m->number) - 1);
	case MUT_SWAP:
		return swap_bits(value, m->a, m->b);
	case MUT_MAP:
		return value == (uint64_t)m->a ? (uint64_t)m->b : value;
	default:
		return value;
	}
}

/* Returns the output structure that holds the mutant's field, or NULL. */
static char *struct_of(const struct mutant *m, enum verb verb,
		       struct outcome *o)
{
	enum family fam = field_info(m->field)->family;

	if (fam == verb_info(verb)->out)
		return (char *)&o->out;
	if (fam == verb_info(verb)->out2)
		return (char *)&o->out2;
	return NULL;
}

static void alter_output(const struct mutant *m, enum verb verb,
			 struct outcome *o)
{
	char *out = struct_of(m, verb, o);
	const struct field_info *f = field_info(m->field);

	if (!out)
		return;
	if (m->op == MUT_DROP)
		memset(out + f->offset, OUT_POISON, f->size);
	else if (f->kind == FK_GID)
		memset(out + f->offset, 0, f->size);
	else
		field_set(m->field, out,
			  altered_value(m, field_get(m->field, out), out));
}

static void alter_sign(struct outcome *o, enum convention conv)
{
	if (conv == CONV_PTR)
		o->err = -o->err;
	else
		o->ret = -o->ret;
}

static void alter_return(const struct mutant *m, enum convention conv,
			 struct outcome *o)
{
	switch (m->op) {
	case MUT_NEGATIVE:
		alter_sign(o, conv);
		break;
	case MUT_MINUS_ONE:
		o->err = o->ret;
		o->ret = -1;
		break;
	case MUT_POSITIVE:
		o->ret = o->err;
		break;
	case MUT_SWALLOW:
		o->ret = 0;
		break;
	case MUT_NO_ERRNO:
		o->err = ERRNO_POISON;
		break;
	default:
		break;
	}
}

void mutant_alter_request(const struct mutant *m, enum verb verb,
			  struct wr_args *in, const uint64_t *old)
{
	enum family fam = verb_info(verb)->in;

	if (!m || m->field == FIELD_NR || field_info(m->field)->family != fam ||
	    (fam != FAM_SEND && fam != FAM_RECV && fam != FAM_BIND &&
	     fam != FAM_OPS))
		return;
	if (m->op == MUT_STALE && old)
		field_set(m->field, in, *old);
	else if (m->op >= MUT_ZERO && m->op <= MUT_MAP)
		field_set(m->field, in,
			  altered_value(m, field_get(m->field, in), in));
}

static bool is_output_op(enum mutant_op op)
{
	return (op >= MUT_DROP && op <= MUT_MAP) || op == MUT_CLAIMS;
}

void mutant_alter_outcome(const struct mutant *m, enum verb verb,
			  struct outcome *o)
{
	if (!m)
		return;
	if (is_output_op(m->op) &&
	    (o->ret == 0 || verb_info(verb)->out == FAM_POSTED ||
	     verb_info(verb)->out == FAM_NEW_KEYS)) {
		alter_output(m, verb, o);
		return;
	}
	if (m->verb != verb)
		return;
	if (m->op == MUT_WRITES_INPUT)
		o->in_changed = true;
	else if (m->op == MUT_LOSES_CONTEXT)
		o->context_lost = o->ret == 0;
	else if (o->ret != 0)
		alter_return(m, verb_info(verb)->conv, o);
}
