/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints ibv_rereg_mr, and what requests need to know of regions whose bytes
 * they name by an IOVA.
 */
#include "program/repro/repro.h"

/* Returns true if a verb makes regions whose bytes requests name by an IOVA. */
static bool moves(int verb)
{
	return verb == V_reg_mr_iova || verb == V_reg_dmabuf_mr ||
	       verb == V_reg_mr_ex;
}

/* Returns true if ZERO_BASED alone says where the region is. */
static bool counts_from_zero(const struct program *p, const struct call *c)
{
	enum field access = c->verb == V_reg_mr ? F_mr_access : F_ex_access;

	if (c->verb == V_reg_mr_ex && literal_of(p, c, F_ex_comp_mask) & 1)
		return false;
	return (c->verb == V_reg_mr || c->verb == V_reg_mr_ex) &&
	       literal_of(p, c, access) & IBV_ACCESS_ZERO_BASED;
}

static bool is_moved(const struct program *p, const struct call *c)
{
	return moves(c->verb) || counts_from_zero(p, c);
}

static bool is_at_iova(const struct exporter *x, const struct call *c)
{
	return is_moved(x->p, c) && c->result != NO_OBJ &&
	       export_used_later(x, c);
}

bool export_is_moved(const struct program *p, uint8_t slot)
{
	int made = making_call(p, slot);

	return made >= 0 && is_moved(p, &p->call[made]);
}

/* Adds the address of a region in requests. */
static void put_iova(struct exporter *x, struct text *t, const struct call *c,
		     const char *name)
{
	if (counts_from_zero(x->p, c)) {
		text_add(t, "0");
		return;
	}
	switch (c->verb) {
	case V_reg_mr_iova:
		c_setting(x, t, c, F_mr_iova, "0");
		break;
	case V_reg_dmabuf_mr:
		c_setting(x, t, c, F_dmabuf_iova, "0");
		break;
	default:
		if (literal_of(x->p, c, F_ex_comp_mask) & 1)
			c_setting(x, t, c, F_ex_iova, "0");
		else
			text_add(t, "(%s ? (uintptr_t)%s->addr : 0)", name,
				 name);
		break;
	}
}

void export_shift(struct exporter *x, const struct call *c, const char *name)
{
	char iova[C_TEXT_LEN];
	struct text t;

	if (!is_at_iova(x, c))
		return;
	text_init(&t, iova, sizeof(iova));
	put_iova(x, &t, c, name);
	put_line(x, 1,
		 "uint64_t %s_shift = %s - (%s ? (uintptr_t)%s->addr : 0);",
		 name, iova, name, name);
	put_line(x, 1, "(void)%s_shift;", name);
}

void export_shift_of(struct exporter *x, const struct call *c, enum field mr,
		     const char *offset, const char *flags)
{
	const struct setting *s = find_setting(x->p, c->first, c->nset, mr);

	if (!s || s->value.ref == NO_OBJ ||
	    !export_is_moved(x->p, s->value.ref))
		return;
	if (flags)
		put_line(x, 2, "if (!is_inline(request.%s, request.setter))",
			 flags);
	put_line(x, flags ? 3 : 2, "request.%s += %s_shift;", offset,
		 c_object(x, s->value.ref));
}

/* Adds the shift of the region that member `mr` of a request names to an
 * offset. A request without that member uses the region of member `like`. */
static void put_shift(struct exporter *x, const struct call *c, enum field mr,
		      enum field like, const char *offset, const char *flags)
{
	if (find_setting(x->p, c->first, c->nset, mr))
		export_shift_of(x, c, mr, offset, flags);
	else
		export_shift_of(x, c, like, offset, flags);
}

void export_plus_shift(struct exporter *x, struct text *t, uint8_t mr)
{
	if (mr != NO_OBJ && export_is_moved(x->p, mr))
		text_add(t, " + %s_shift", c_object(x, mr));
}

void export_shifts(struct exporter *x, const struct call *c)
{
	switch (verb_info((enum verb)c->verb)->in) {
	case FAM_SEND:
		put_shift(x, c, F_send_mr, F_send_mr, "offset", "send_flags");
		put_shift(x, c, F_send_part_mr, F_send_mr, "part_offset",
			  "send_flags");
		put_shift(x, c, F_send_odd_mr, F_send_mr, "odd_offset",
			  "odd_flags");
		put_shift(x, c, F_send_remote, F_send_remote, "remote_offset",
			  NULL);
		put_shift(x, c, F_send_remote, F_send_remote,
			  "odd_remote_offset", NULL);
		put_shift(x, c, F_send_bind_mr, F_send_bind_mr, "bind_offset",
			  NULL);
		break;
	case FAM_RECV:
		put_shift(x, c, F_recv_mr, F_recv_mr, "offset", NULL);
		put_shift(x, c, F_recv_part_mr, F_recv_mr, "part_offset", NULL);
		put_shift(x, c, F_recv_odd_mr, F_recv_mr, "odd_offset", NULL);
		break;
	case FAM_OPS:
		put_shift(x, c, F_ops_mr, F_ops_mr, "wr.offset", NULL);
		put_shift(x, c, F_ops_odd_mr, F_ops_mr, "wr.odd_offset", NULL);
		break;
	case FAM_BIND:
		put_shift(x, c, F_bind_mr, F_bind_mr, "bind_offset", NULL);
		break;
	default:
		break;
	}
}

void export_rereg(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN], args[C_TEXT_LEN];
	const char *on = c_on(x, c);
	struct text t;

	export_name(x, c, name);
	text_init(&t, args, sizeof(args));
	c_setting(x, &t, c, F_rereg_flags, "0");
	text_add(&t, ", ");
	c_setting(x, &t, c, F_rereg_pd, "NULL");
	text_add(&t, ", ");
	c_setting(x, &t, c, F_rereg_length, "0");
	text_add(&t, ", ");
	c_setting(x, &t, c, F_rereg_access, "0");
	put_line(x, 1, "struct new_keys %s = { 0 };", name);
	fputs("\t{\n", x->out);
	put_line(x, 2, "void *memory = NULL;");
	fputs("\t\tint ret;\n\n\t\terrno = ERRNO_POISON;\n", x->out);
	put_line(x, 2, "ret = rereg_region(%s, %s, &memory, &%s);", on, args,
		 name);
	if (moves(maker_of(x->p, c->on))) {
		put_line(x, 2, "if (!ret && memory)");
		put_line(x, 3, "%s_shift = 0;", on);
	}
	export_result(x, c, 2, RET_INT, "ret", name);
	fputs("\t}\n", x->out);
}

/* Adds a list of settings, each behind a comma. */
static void add_settings(struct exporter *x, struct text *t,
			 const struct call *c, const enum field *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		text_add(t, ", ");
		c_setting(x, t, c, f[i], "0");
	}
}

/* Adds an element of advice; its fields are the key, the offset and the length.
 */
static void add_advised(struct exporter *x, struct text *t,
			const struct call *c, enum field region,
			const enum field fields[3])
{
	const struct setting *mr =
		find_setting(x->p, c->first, c->nset, region);
	bool moved = mr && mr->value.ref != NO_OBJ &&
		     moves(maker_of(x->p, mr->value.ref));

	text_add(t, ", advised(");
	c_setting(x, t, c, region, "NULL");
	if (moved)
		text_add(t, ", %s_shift", c_object(x, mr->value.ref));
	else
		text_add(t, ", 0");
	add_settings(x, t, c, fields, 3);
	text_add(t, ")");
}

void export_advise(struct exporter *x, const struct call *c)
{
	static const enum field advice[] = {F_advice_kind, F_advice_flags,
					    F_advice_num_sge},
				part[] = {F_advice_part},
				usual[] = {F_advice_lkey, F_advice_offset,
					   F_advice_length},
				odd[] = {F_advice_part_lkey,
					 F_advice_part_offset,
					 F_advice_part_length};
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	text_add(&t, "advise(%s", c_on(x, c));
	add_settings(x, &t, c, advice, COUNT(advice));
	add_advised(x, &t, c, F_advice_mr, usual);
	add_settings(x, &t, c, part, COUNT(part));
	add_advised(x, &t, c, F_advice_part_mr, odd);
	text_add(&t, ")");
	export_block(x, c, "", call, RET_INT, "");
}
