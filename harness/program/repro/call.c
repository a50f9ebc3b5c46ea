/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints one call in C; create.c prints those that make an object.
 */
#include <string.h>
#include "program/repro/repro.h"
#include "vendor/vendor.h"

void export_name(const struct exporter *x, const struct call *c,
		 char name[C_NAME_LEN])
{
	if (c->result != NO_OBJ)
		snprintf(name, C_NAME_LEN, "%s", c_object(x, c->result));
	else
		snprintf(name, C_NAME_LEN, "unnamed%u",
			 (unsigned int)(c - x->p->call));
}

void export_errno(struct exporter *x, unsigned int tabs)
{
	put_line(x, tabs, "errno = ERRNO_POISON;");
}

static bool value_uses(const struct value *v, uint8_t slot)
{
	return (v->kind == VAL_OBJ || v->kind == VAL_OUT) && v->ref == slot;
}

bool export_used_later(const struct exporter *x, const struct call *c)
{
	const struct program *p = x->p;

	for (const struct call *n = c + 1; n < p->call + p->ncalls; n++) {
		if (n->on == c->result || n->from == c->result)
			return true;
		for (unsigned int i = 0; i < n->nset; i++)
			if (value_uses(&p->setting[n->first + i].value,
				       c->result))
				return true;
		for (unsigned int i = 0; i < n->nexp; i++)
			if (value_uses(&p->setting[n->efirst + i].value,
				       c->result))
				return true;
	}
	return false;
}

void export_stuck(struct exporter *x, const struct call *c,
		  enum returns returns, const char *var)
{
	if (!c->expects && c->result != NO_OBJ && export_used_later(x, c))
		x->frame->stuck(x, c, returns, var);
}

void export_made(struct exporter *x, const struct call *c, const char *name)
{
	export_result(x, c, 1, RET_PTR, name, name);
	export_stuck(x, c, RET_PTR, name);
}

static void put_query_qp(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN], mask[C_TEXT_LEN], ret[C_NAME_LEN + 4];
	struct text t;

	export_name(x, c, name);
	text_init(&t, mask, sizeof(mask));
	c_setting(x, &t, c, F_mask, "0");
	put_line(x, 1, "struct ibv_qp_attr %s;", name);
	put_line(x, 1, "struct ibv_qp_init_attr %s_init;", name);
	put_line(x, 1, "memset(&%s, 0xa5, sizeof(%s));", name, name);
	put_line(x, 1, "memset(&%s_init, 0xa5, sizeof(%s_init));", name, name);
	export_errno(x, 1);
	put_line(x, 1, "int %s_ret = ibv_query_qp(%s, &%s, %s, &%s_init);",
		 name, c_on(x, c), name, mask, name);
	snprintf(ret, sizeof(ret), "%s_ret", name);
	export_result(x, c, 1, RET_INT, ret, name);
	export_stuck(x, c, RET_INT, ret);
}

void export_block(struct exporter *x, const struct call *c, const char *declare,
		  const char *call, enum returns returns, const char *var)
{
	fputs("\t{\n", x->out);
	if (declare[0])
		put_line(x, 2, "%s", declare);
	fputs("\t\tint ret;\n\n", x->out);
	if (declare[0] && !strchr(declare, '='))
		put_line(x, 2, "memset(&%s, 0xa5, sizeof(%s));", var, var);
	export_errno(x, 2);
	put_line(x, 2, "ret = %s;", call);
	export_result(x, c, 2, returns, "ret", var);
	fputs("\t}\n", x->out);
}

static void put_query(struct exporter *x, const struct call *c,
		      const char *declare, const char *call)
{
	export_block(x, c, declare, call, RET_INT, "attr");
}

static void put_query_device(struct exporter *x, const struct call *c)
{
	char call[128];

	if (c->verb == V_query_device) {
		snprintf(call, sizeof(call), "ibv_query_device(%s, &attr)",
			 c_on(x, c));
		put_query(x, c, "struct ibv_device_attr attr;", call);
		return;
	}
	snprintf(call, sizeof(call), "ibv_query_device_ex(%s, NULL, &attr)",
		 c_on(x, c));
	put_query(x, c, "struct ibv_device_attr_ex attr;", call);
}

/* query_port, query_gid, query_pkey: a port number, and an index. */
static void put_query_entry(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN];
	struct text t;

	text_init(&t, call, sizeof(call));
	text_add(&t, "ibv_%s(%s, (uint8_t)(",
		 verb_info((enum verb)c->verb)->name, c_on(x, c));
	c_setting(x, &t, c, F_index_port_num, "0");
	if (c->verb == V_query_port) {
		text_add(&t, "), &attr)");
		put_query(x, c, "struct ibv_port_attr attr;", call);
		return;
	}
	text_add(&t, "), ");
	c_setting(x, &t, c, F_index, "0");
	text_add(&t, ", &found)");
	export_block(x, c,
		     c->verb == V_query_gid ? "union ibv_gid found;"
					    : "__be16 found;",
		     call, RET_MINUS1, "found");
}

/* Writes the declaration of a structure `attr` with the settings of a call, but
 * for one field. */
static void declare_attr(struct exporter *x, const struct call *c,
			 const char *type, enum field but,
			 char declare[C_TEXT_LEN])
{
	const char *join = " ";
	char value[C_TEXT_LEN];
	struct text t, v;

	text_init(&t, declare, C_TEXT_LEN);
	text_add(&t, "struct %s attr = {", type);
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct setting *s = &x->p->setting[c->first + i];

		if (s->field == but)
			continue;
		text_init(&v, value, sizeof(value));
		c_value(x, &v, (enum field)s->field, &s->value);
		text_add(&t, "%s.%s = %s", join, c_member((enum field)s->field),
			 value);
		join = ", ";
	}
	text_add(&t, "%s };", join[0] == ',' ? "" : " 0");
}

static void put_srq_call(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN], declare[C_TEXT_LEN];
	struct text t;

	if (c->verb == V_query_srq) {
		snprintf(call, sizeof(call), "ibv_query_srq(%s, &attr)",
			 c_on(x, c));
		put_query(x, c, "struct ibv_srq_attr attr;", call);
		return;
	}
	declare_attr(x, c, "ibv_srq_attr", F_srq_mask, declare);
	text_init(&t, call, sizeof(call));
	text_add(&t, "ibv_modify_srq(%s, &attr, ", c_on(x, c));
	c_setting(x, &t, c, F_srq_mask, "0");
	text_add(&t, ")");
	export_block(x, c, declare, call, RET_INT, "attr");
}

/* The structure of a call that changes an object and takes nothing else. */
static const char *const changes[VERB_NR] = {
	[V_modify_cq] = "ibv_modify_cq_attr",
	[V_modify_qp_rate_limit] = "ibv_qp_rate_limit_attr",
	[V_modify_wq] = "ibv_wq_attr",
	[V_set_ece] = "ibv_ece",
};

static void put_change(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN], declare[C_TEXT_LEN];

	declare_attr(x, c, changes[c->verb], FIELD_NR, declare);
	snprintf(call, sizeof(call), "ibv_%s(%s, &attr)",
		 verb_info((enum verb)c->verb)->name, c_on(x, c));
	export_block(x, c, declare, call, RET_INT, "attr");
}

static void put_query_ece(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN], ret[C_NAME_LEN + 4];

	export_name(x, c, name);
	put_line(x, 1, "struct ibv_ece %s;", name);
	put_line(x, 1, "memset(&%s, 0xa5, sizeof(%s));", name, name);
	export_errno(x, 1);
	put_line(x, 1, "int %s_ret = ibv_query_ece(%s, &%s);", name, c_on(x, c),
		 name);
	snprintf(ret, sizeof(ret), "%s_ret", name);
	export_result(x, c, 1, RET_INT, ret, name);
	export_stuck(x, c, RET_INT, ret);
}

static void put_write_packet(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN];

	fputs("\t{\n\t\tstruct packet_args packet = {\n", x->out);
	export_settings(x, c, 3);
	fputs(c->nset ? "\t\t};\n" : "\t\t\t0\n\t\t};\n", x->out);
	fputs("\t\tint ret;\n\n", x->out);
	export_errno(x, 2);
	snprintf(call, sizeof(call), "write_packet(%s, &packet)", c_on(x, c));
	put_line(x, 2, "ret = %s;", call);
	export_result(x, c, 2, RET_INT, "ret", "");
	fputs("\t}\n", x->out);
}

static void put_attach(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN], declare[C_TEXT_LEN];
	struct text t;

	declare_attr(x, c, "ibv_counter_attach_attr", F_attach_flow, declare);
	text_init(&t, call, sizeof(call));
	text_add(&t, "ibv_attach_counters_point_flow(%s, &attr, ", c_on(x, c));
	c_setting(x, &t, c, F_attach_flow, "NULL");
	text_add(&t, ")");
	export_block(x, c, declare, call, RET_INT, "attr");
}

static void put_attach_cntr(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN], declare[C_TEXT_LEN];
	struct text t;

	declare_attr(x, c, "cntr_attach", F_qp_cntr_counter, declare);
	text_init(&t, call, sizeof(call));
	text_add(&t, "qp_attach_comp_cntr(%s, ", c_on(x, c));
	c_setting(x, &t, c, F_qp_cntr_counter, "NULL");
	text_add(&t, ", &attr)");
	export_block(x, c, declare, call, RET_INT, "attr");
}

static void put_mcast(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN], declare[C_TEXT_LEN];
	struct text t;

	text_init(&t, declare, sizeof(declare));
	text_add(&t, "union ibv_gid group = ");
	c_setting(x, &t, c, F_mcast_gid, "{ .raw = { 0 } }");
	text_add(&t, ";");
	text_init(&t, call, sizeof(call));
	text_add(&t, "ibv_%s(%s, &group, ", verb_info((enum verb)c->verb)->name,
		 c_on(x, c));
	c_setting(x, &t, c, F_mcast_lid, "0");
	text_add(&t, ")");
	export_block(x, c, declare, call, RET_INT, "group");
}

static void put_injection(struct exporter *x, const struct call *c)
{
	(void)c;
	put_line(x, 1, "/* Verbs have no call that makes a send fail. */");
	fputs("\tputs(\"inject_send_error: this step needs a model\");\n"
	      "\treturn 77;\n",
	      x->out);
}

static void put_thread(struct exporter *x, const struct call *c)
{
	put_line(x, 1, "/* A thread makes an object that is used later. */");
	fprintf(x->out,
		"\tputs(\"%s: run the script with ibvet replay\");\n"
		"\treturn 77;\n",
		verb_info((enum verb)c->verb)->name);
}

/* close, dealloc, dereg and destroy take nothing but the object. */
static void put_drop(struct exporter *x, const struct call *c)
{
	const struct verb_info *info = verb_info((enum verb)c->verb);
	char call[128];

	snprintf(call, sizeof(call), "ibv_%s(%s)", info->name, c_on(x, c));
	export_block(x, c, "", call,
		     info->conv == CONV_MINUS1 ? RET_MINUS1 : RET_INT, "");
}

void export_call(struct exporter *x, const struct call *c)
{
	static void (*const special[VERB_NR])(struct exporter *,
					      const struct call *) = {
		[V_rereg_mr] = export_rereg,
		[V_advise_mr] = export_advise,
		[V_query_device] = put_query_device,
		[V_query_device_ex] = put_query_device,
		[V_query_port] = put_query_entry,
		[V_query_gid] = put_query_entry,
		[V_query_pkey] = put_query_entry,
		[V_start_poll] = export_poll_ex,
		[V_next_poll] = export_poll_ex,
		[V_end_poll] = export_poll_ex,
		[V_modify_srq] = put_srq_call,
		[V_query_srq] = put_srq_call,
		[V_modify_qp] = export_modify,
		[V_modify_qp_rate_limit] = put_change,
		[V_modify_cq] = put_change,
		[V_set_ece] = put_change,
		[V_query_ece] = put_query_ece,
		[V_modify_wq] = put_change,
		[V_write_packet] = put_write_packet,
		[V_query_qp] = put_query_qp,
		[V_query_xrc_rcv_qp] = export_query_xrc_rcv,
		[V_attach_counters_point_flow] = put_attach,
		[V_qp_attach_comp_cntr] = put_attach_cntr,
		[V_attach_mcast] = put_mcast,
		[V_detach_mcast] = put_mcast,
		[V_destroy_cq_waits] = export_destroy_waits,
		[V_destroy_srq_waits] = export_destroy_waits,
		[V_destroy_qp_waits] = export_destroy_waits,
		[V_post_and_poll] = export_post_and_poll,
		[V_link] = export_link,
		[V_stop_process] = export_process,
		[V_kill_process] = export_process,
		[V_compute] = export_compute,
		[V_change_command] = export_change,
		[V_changed_command] = export_changed,
		[V_join_mcast] = export_join,
		[V_post_send] = export_post,
		[V_bind_mw] = export_bind,
		[V_post_recv] = export_post,
		[V_post_srq_recv] = export_post,
		[V_post_wq_recv] = export_post,
		[V_post_srq_ops] = export_ops,
		[V_write_tmh] = export_write_tmh,
		[V_wr_start] = export_batch_call,
		[V_wr] = export_batch_call,
		[V_wr_complete] = export_batch_call,
		[V_wr_abort] = export_batch_call,
		[V_poll_cq] = export_kept_poll,
		[V_init_ah_from_wc] = export_ah_from_wc,
		[V_create_ah_from_wc] = export_ah_from_wc,
		[V_inject_send_error] = put_injection,
		[V_thread] = put_thread,
		[V_nap] = put_thread,
		[V_join] = put_thread,
	};

	const struct vendor_ops *vendor = vendor_of_verb((enum verb)c->verb);

	if (vendor)
		vendor->c_call(x, c);
	else if (special[c->verb])
		special[c->verb](x, c);
	else if (export_step(x, c))
		return;
	else if (verb_info((enum verb)c->verb)->makes != OBJ_NONE)
		export_creation(x, c);
	else
		put_drop(x, c);
}
