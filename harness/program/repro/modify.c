/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints ibv_modify_qp: poison first, then the attributes of the mask that the
 * program does not set, from a query or zero, then those that it sets. Also
 * prints the old ibv_query_xrc_rcv_qp, which takes attributes, too.
 */
#include <stdarg.h>
#include <string.h>
#include "program/repro/repro.h"

static void put_poison(struct exporter *x, uint32_t poison)
{
	static const char *const bytes[] = {"0xa5", "0", "0xff"};

	if (poison < 3) {
		put_line(x, 2, "memset(&attr, %s, sizeof(attr));",
			 bytes[poison]);
		return;
	}
	put_line(x, 2, "poison_fill(&attr, %uu);", poison);
}

static size_t holder_len(enum field f)
{
	return strcspn(c_member(f), ".");
}

/* Returns true for fields of the same member of ibv_qp_attr: ah_attr and cap
 * have several. */
static bool same_holder(enum field a, enum field b)
{
	size_t n = holder_len(a);

	return n == holder_len(b) && !memcmp(c_member(a), c_member(b), n);
}

static bool all_set(const struct exporter *x, const struct call *c,
		    enum field f)
{
	for (unsigned int g = f; g <= F_rate_limit; g++)
		if (same_holder(f, (enum field)g) &&
		    !find_setting(x->p, c->first, c->nset, (enum field)g))
			return false;
	return true;
}

static void put_unset(struct exporter *x, const struct call *c, enum field f)
{
	const char *member = c_member(f);
	int n = (int)holder_len(f);

	if (c->from != NO_OBJ && f != F_qp_state)
		put_line(x, 2, "attr.%.*s = %s.%.*s;", n, member,
			 c_object(x, c->from), n, member);
	else if (member[n] == '.')
		put_line(x, 2, "memset(&attr.%.*s, 0, sizeof(attr.%.*s));", n,
			 member, n, member);
	else
		put_line(x, 2, "attr.%s = 0;", member);
}

static void put_masked(struct exporter *x, const struct call *c, uint32_t mask)
{
	for (unsigned int f = F_qp_state; f <= F_rate_limit; f++) {
		int bit = field_attr((enum field)f);

		if (bit < 0 || !((mask >> bit) & 1))
			continue;
		if (same_holder((enum field)(f - 1), (enum field)f) ||
		    all_set(x, c, (enum field)f))
			continue;
		put_unset(x, c, (enum field)f);
	}
}

/* Sets the attributes in a variable of type struct ibv_qp_attr. */
static void put_attributes(struct exporter *x, const struct call *c,
			   const char *var)
{
	char value[C_TEXT_LEN];
	struct text t;

	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *s = &x->p->setting[c->first + i];
		enum field f = (enum field)s->field;

		if (literal_only(f))
			continue;
		text_init(&t, value, sizeof(value));
		c_value(x, &t, f, &s->value);
		put_line(x, 2, "%s.%s = %s;", var, c_member(f), value);
	}
}

void export_modify(struct exporter *x, const struct call *c)
{
	char mask[C_TEXT_LEN];
	struct text t;

	text_init(&t, mask, sizeof(mask));
	c_setting(x, &t, c, F_mask, "0");
	fputs("\t{\n\t\tstruct ibv_qp_attr attr;\n\t\tint ret;\n\n", x->out);
	put_poison(x, (uint32_t)literal_of(x->p, c, F_poison));
	put_masked(x, c, (uint32_t)literal_of(x->p, c, F_mask));
	put_attributes(x, c, "attr");
	put_line(x, 2, "errno = ERRNO_POISON;");
	put_line(x, 2, "ret = ibv_modify_qp(%s, &attr, %s);",
		 c_object(x, c->on), mask);
	export_result(x, c, 2, RET_INT, "ret", "");
	fputs("\t}\n", x->out);
}

void export_query_xrc_rcv(struct exporter *x, const struct call *c)
{
	char mask[C_TEXT_LEN];
	struct text t;

	text_init(&t, mask, sizeof(mask));
	c_setting(x, &t, c, F_mask, "0");
	fputs("\t{\n\t\tstruct ibv_qp_attr with, attr;\n\t\tint ret;\n\n",
	      x->out);
	put_line(x, 2, "memset(&with, 0, sizeof(with));");
	put_line(x, 2, "memset(&attr, 0xa5, sizeof(attr));");
	put_attributes(x, c, "with");
	put_line(x, 2, "errno = ERRNO_POISON;");
	put_line(x, 2, "ret = query_xrc_rcv(%s, &with, %s, &attr);", c_on(x, c),
		 mask);
	export_result(x, c, 2, RET_INT, "ret", "attr");
	fputs("\t}\n", x->out);
}
