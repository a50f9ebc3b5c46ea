/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints a call that makes an object. The object is a variable with the name
 * that the program gives it.
 */
#include <string.h>
#include "program/repro/repro.h"

/* struct TYPE NAME_init = { .member = value, ... }; */
static void put_init(struct exporter *x, const struct call *c, const char *type,
		     const char *name, const char *more)
{
	if (!c->nset && !more[0]) {
		fprintf(x->out, "\tstruct %s %s_init = { 0 };\n", type, name);
		return;
	}
	fprintf(x->out, "\tstruct %s %s_init = {\n", type, name);
	export_settings(x, c, 2);
	if (more[0])
		put_line(x, 2, "%s", more);
	fputs("\t};\n", x->out);
}

/* The structure that a call takes behind its object. */
static const char *const inits[VERB_NR] = {
	[V_alloc_dm] = "ibv_alloc_dm_attr",
	[V_alloc_parent_domain] = "ibv_parent_domain_init_attr",
	[V_alloc_td] = "ibv_td_init_attr",
	[V_create_counters] = "ibv_counters_init_attr",
	[V_create_cq_ex] = "ibv_cq_init_attr_ex",
	[V_create_srq] = "ibv_srq_init_attr",
	[V_create_srq_ex] = "ibv_srq_init_attr_ex",
	[V_open_xrcd] = "ibv_xrcd_init_attr",
	[V_create_ah] = "ibv_ah_attr",
	[V_create_wq] = "ibv_wq_init_attr",
	[V_create_rwq_ind_table] = "ibv_rwq_ind_table_init_attr",
	[V_create_qp] = "ibv_qp_init_attr",
	[V_create_qp_ex] = "ibv_qp_init_attr_ex",
	[V_open_qp] = "ibv_qp_open_attr",
};

/* Prints the member with the entries of an indirection table, or with a hash
 * key. */
static void init_extra(struct exporter *x, const struct call *c, char *buf,
		       size_t len)
{
	const struct program *p = x->p;
	struct text t;

	text_init(&t, buf, len);
	if (c->verb == V_create_rwq_ind_table) {
		text_add(&t, ".ind_tbl = table_of((struct ibv_wq *[4]){");
		for (int i = 0; i < IND_QUEUES; i++) {
			text_add(&t, i ? ", " : "");
			c_setting(x, &t, c, (enum field)(F_ind_wq + i), "NULL");
		}
		text_add(&t, "}, ");
		c_setting(x, &t, c, F_ind_log_size, "0");
		text_add(&t, "),");
	} else if (find_setting(p, c->first, c->nset, F_rx_hash_key_len)) {
		text_add(&t, ".rx_hash_conf.rx_hash_key = hash_key,");
	}
}

/* Gets the number of an XRC SRQ, which another verb returns. */
static void put_srq_num(struct exporter *x, const struct call *c,
			const char *name)
{
	if (c->verb != V_create_srq_ex)
		return;
	put_line(x, 1, "uint32_t %s_num = 0;", name);
	put_line(x, 1, "if (%s)", name);
	put_line(x, 2, "ibv_get_srq_num(%s, &%s_num);", name, name);
}

static void put_structured(struct exporter *x, const struct call *c)
{
	const char *type = inits[c->verb];
	char name[C_NAME_LEN], extra[C_TEXT_LEN];

	export_name(x, c, name);
	init_extra(x, c, extra, sizeof(extra));
	put_init(x, c, type, name, extra);
	export_errno(x, 1);
	put_line(x, 1, "%s *%s = ibv_%s(%s, &%s_init);",
		 c_type(verb_info((enum verb)c->verb)->makes), name,
		 verb_info((enum verb)c->verb)->name, c_on(x, c), name);
	put_srq_num(x, c, name);
	export_made(x, c, name);
	if (c->verb == V_create_rwq_ind_table)
		put_line(x, 1, "spoil_table(&%s_init);", name);
}

/* A function of parts/ makes the object, of a structure and `more`. */
static void put_by_part(struct exporter *x, const struct call *c,
			const char *type, const char *function,
			const char *more)
{
	char name[C_NAME_LEN];

	export_name(x, c, name);
	put_init(x, c, type, name, "");
	export_errno(x, 1);
	put_line(x, 1, "%s *%s = %s(%s, &%s_init%s);",
		 c_type(verb_info((enum verb)c->verb)->makes), name, function,
		 c_on(x, c), name, more);
	export_made(x, c, name);
}

/* A parent domain with an allocator is made by a function that has one. */
static void put_parent_domain(struct exporter *x, const struct call *c)
{
	char kind[C_TEXT_LEN];
	struct text t;

	if (!literal_of(x->p, c, F_parent_allocator)) {
		put_structured(x, c);
		return;
	}
	text_init(&t, kind, sizeof(kind));
	text_add(&t, ", ");
	c_setting(x, &t, c, F_parent_allocator, "ALLOCATOR_NONE");
	put_by_part(x, c, inits[c->verb], "parent_domain", kind);
}

static void put_cq_ex(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN], context[C_NAME_LEN + 20];

	export_name(x, c, name);
	snprintf(context, sizeof(context), ".cq_context = &%s,", name);
	put_line(x, 1, "struct ibv_cq *%s;", name);
	put_init(x, c, inits[c->verb], name, context);
	export_errno(x, 1);
	put_line(x, 1,
		 "struct ibv_cq_ex *%s_ex = ibv_create_cq_ex(%s, &%s_init);",
		 name, c_on(x, c), name);
	put_line(x, 1, "%s = %s_ex ? ibv_cq_ex_to_cq(%s_ex) : NULL;", name,
		 name, name);
	export_made(x, c, name);
}

static void put_memory(struct exporter *x, struct text *t, const struct call *c)
{
	bool within =
		find_setting(x->p, c->first, c->nset, F_mr_page_offset) != NULL;

	text_add(t, within ? ", map_within_page(" : ", map_memory(");
	c_setting(x, t, c, F_mr_length, "0");
	if (within) {
		text_add(t, ", ");
		c_setting(x, t, c, F_mr_page_offset, "0");
	}
	text_add(t, "), ");
}

/* The arguments after the object, for calls that take no structure. */
static void plain_arguments(struct exporter *x, struct text *t,
			    const struct call *c, const char *name)
{
	switch (c->verb) {
	case V_reg_mr:
	case V_reg_mr_iova:
		put_memory(x, t, c);
		c_setting(x, t, c, F_mr_length, "0");
		text_add(t, ", ");
		if (c->verb == V_reg_mr_iova) {
			c_setting(x, t, c, F_mr_iova, "0");
			text_add(t, ", ");
		}
		c_setting(x, t, c, F_mr_access, "0");
		break;
	case V_reg_dm_mr:
		for (unsigned int i = 0; i < family_count(FAM_DM_MR); i++) {
			text_add(t, ", ");
			c_setting(x, t, c, (enum field)(F_dm_mr_dm + i),
				  i ? "0" : "NULL");
		}
		break;
	case V_alloc_mw:
		text_add(t, ", (enum ibv_mw_type)(");
		c_setting(x, t, c, F_mw_type, "0");
		text_add(t, ")");
		break;
	case V_create_cq:
		text_add(t, ", ");
		c_setting(x, t, c, F_cqe, "0");
		text_add(t, ", &%s, ", name);
		c_setting(x, t, c, F_cq_channel, "NULL");
		text_add(t, ", ");
		c_setting(x, t, c, F_comp_vector, "0");
		break;
	default:
		break;
	}
}

/* Returns an open context of the device to open. */
static const char *context_of(struct exporter *x, const struct call *c)
{
	if (literal_of(x->p, c, F_open_which) != DEVICE_SECOND)
		return "ctx";
	return "second_ctx";
}

static void put_plain(struct exporter *x, const struct call *c)
{
	const char *verb = verb_info((enum verb)c->verb)->name;
	char name[C_NAME_LEN], args[C_TEXT_LEN];
	struct text t;

	export_name(x, c, name);
	text_init(&t, args, sizeof(args));
	if (c->verb == V_open_device)
		text_add(&t, "%s->device", context_of(x, c));
	else
		text_add(&t, "%s", c_on(x, c));
	plain_arguments(x, &t, c, name);
	export_errno(x, 1);
	put_line(x, 1, "%s *%s = ibv_%s(%s);",
		 c_type(verb_info((enum verb)c->verb)->makes), name, verb,
		 args);
	if (verb_info((enum verb)c->verb)->makes == OBJ_MR ||
	    c->verb == V_alloc_mw)
		export_keys(x, c, name);
	export_shift(x, c, name);
	export_made(x, c, name);
}

static void put_alloc_dmah(struct exporter *x, const struct call *c)
{
	put_by_part(x, c, "dmah_attr", "alloc_dmah", "");
}

static void put_create_comp_cntr(struct exporter *x, const struct call *c)
{
	put_by_part(x, c, "cntr_attr", "create_comp_cntr", "");
}

/* Calls of parts/import.h, parts/dmah.h and parts/dmabuf.h that make an object.
 */
static void put_import(struct exporter *x, const struct call *c)
{
	const struct verb_info *info = verb_info((enum verb)c->verb);
	enum field first = family_first(info->in);
	char name[C_NAME_LEN], args[C_TEXT_LEN];
	struct text t;

	export_name(x, c, name);
	text_init(&t, args, sizeof(args));
	text_add(&t, "%s", c_on(x, c));
	for (unsigned int i = 0; i < family_count(info->in); i++) {
		enum field f = (enum field)(first + i);

		text_add(&t, ", ");
		c_setting(x, &t, c, f,
			  field_info(f)->kind == FK_OBJ ? "NULL" : "0");
	}
	export_errno(x, 1);
	put_line(x, 1, "%s *%s = %s(%s);", c_type(info->makes), name,
		 info->name, args);
	if (info->out == FAM_KEYS)
		export_keys(x, c, name);
	export_shift(x, c, name);
	export_made(x, c, name);
}

static void put_create_flow(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN];

	export_name(x, c, name);
	if (c->nset) {
		put_line(x, 1, "struct flow_rule %s_rule = {", name);
		export_settings(x, c, 2);
		fputs("\t};\n", x->out);
	} else {
		put_line(x, 1, "struct flow_rule %s_rule = { 0 };", name);
	}
	export_errno(x, 1);
	put_line(x, 1, "struct ibv_flow *%s = create_flow(%s, &%s_rule);", name,
		 c_on(x, c), name);
	export_made(x, c, name);
}

void export_creation(struct exporter *x, const struct call *c)
{
	static void (*const special[VERB_NR])(struct exporter *,
					      const struct call *) = {
		[V_reg_dmabuf_mr] = put_import,
		[V_reg_mr_ex] = put_import,
		[V_alloc_dmah] = put_alloc_dmah,
		[V_import_device] = put_import,
		[V_import_pd] = put_import,
		[V_import_mr] = put_import,
		[V_import_dm] = put_import,
		[V_create_cq_ex] = put_cq_ex,
		[V_create_flow] = put_create_flow,
		[V_alloc_parent_domain] = put_parent_domain,
		[V_create_comp_cntr] = put_create_comp_cntr,
	};

	if (special[c->verb])
		special[c->verb](x, c);
	else if (inits[c->verb])
		put_structured(x, c);
	else
		put_plain(x, c);
}
