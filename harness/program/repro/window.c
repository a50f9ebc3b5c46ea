/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints ibv_bind_mw, and variables for keys that a later call needs: the key
 * of a window changes with each bind, and keys outlive their region.
 */
#include "program/repro/repro.h"

void export_bind(struct exporter *x, const struct call *c)
{
	bool kept = c->result != NO_OBJ && export_used_later(x, c);
	char name[C_NAME_LEN];
	const char *given = kept ? "given" : name;

	export_name(x, c, name);
	if (kept)
		put_line(x, 1, "uint32_t %s_rkey;", name);
	export_request_begin(x, c);
	put_line(x, 2, "ret = bind_window(%s, &request);", c_object(x, c->on));
	if (c->nexp)
		put_line(x, 2, "uint32_t %s_rkey = request.mw->rkey;", given);
	if (kept)
		put_line(x, 2, "%s_rkey = request.mw->rkey;", name);
	export_result(x, c, 2, RET_INT, "ret", given);
	fputs("\t}\n", x->out);
}

static bool names_key(const struct exporter *x, unsigned int first,
		      unsigned int n, uint8_t slot, enum field key)
{
	for (unsigned int i = first; i < first + n; i++) {
		const struct value *v = &x->p->setting[i].value;

		if (v->kind == VAL_OUT && v->ref == slot && v->field == key)
			return true;
	}
	return false;
}

bool export_names_key(const struct exporter *x, struct call_range calls,
		      uint8_t slot, enum field key)
{
	const struct call *end = x->p->call + calls.end;

	if (!is_key(key))
		return false;
	for (const struct call *n = x->p->call + calls.first; n < end; n++)
		if (names_key(x, n->first, n->nset, slot, key) ||
		    names_key(x, n->efirst, n->nexp, slot, key))
			return true;
	return false;
}

static bool key_used(const struct exporter *x, const struct call *c,
		     enum field key)
{
	const struct program *p = x->p;
	struct call_range behind = {(unsigned int)(c - p->call), p->ncalls};

	if (c->expects && !c->expect_err &&
	    find_setting(p, c->efirst, c->nexp, key))
		return true;
	return c->result != NO_OBJ &&
	       export_names_key(x, behind, c->result, key);
}

void export_keys(struct exporter *x, const struct call *c, const char *name)
{
	enum family out = verb_info((enum verb)c->verb)->out;

	for (unsigned int i = 0; i < family_count(out); i++) {
		enum field f = (enum field)(family_first(out) + i);
		const char *key = field_info(f)->text;

		if (is_key(f) && key_used(x, c, f))
			put_line(x, 1, "uint32_t %s_%s = %s ? %s->%s : 0;",
				 name, key, name, name, key);
	}
}
