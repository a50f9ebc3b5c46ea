/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints calls that make, change, ask and destroy objects as calls of pyverbs.
 * A call that must fail raises an exception with its errno.
 */
#include <stdarg.h>
#include <string.h>
#include "program/pyverbs/pyverbs.h"

#define INDENT "        "

static void put_wrapped(FILE *out, const char *text, const char *more)
{
	size_t room = 79 - strlen(INDENT);

	fputs(INDENT, out);
	while (strlen(text) > room) {
		size_t cut = room;

		while (cut && text[cut] != ' ')
			cut--;
		if (!cut)
			break;
		fprintf(out, "%.*s\n%s%s", (int)cut, text, INDENT, more);
		text += cut + 1;
		room = 79 - strlen(INDENT) - strlen(more);
	}
	fprintf(out, "%s\n", text);
}

void py_line(struct python *x, const char *fmt, ...)
{
	char text[4 * PY_EXPR_LEN];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	put_wrapped(x->out, text, text[0] == ' ' ? "        " : "    ");
}

void py_make(struct python *x, const char *name, const char *expr)
{
	const struct exporter used = {.p = x->p};
	char want[32];

	/* Nothing is expected: it may fail, unless a later call needs it. */
	if (!x->c->expects &&
	    (x->c->result == NO_OBJ || !export_used_later(&used, x->c))) {
		py_line(x, "with contextlib.suppress(PyverbsRDMAError):");
		py_line(x, "    %s%s%s", name, name[0] ? " = " : "", expr);
		return;
	}
	if (!x->c->expect_err) {
		py_line(x, "%s%s%s", name, name[0] ? " = " : "", expr);
		return;
	}
	export_expected(x->c, want, "");
	py_line(x, "with self.assertRaises(PyverbsRDMAError) as raised:");
	py_line(x, "    %s", expr);
	py_line(x, "self.assertEqual(raised.exception.error_code, %s%s)",
		want[0] == 'E' ? "errno." : "", want);
}

static const char *on(const struct python *x)
{
	return x->c->on == NO_OBJ ? "self.ctx" : py_object(x, x->c->on);
}

static const char *result(const struct python *x)
{
	return x->c->result == NO_OBJ ? "unused" : py_object(x, x->c->result);
}

/* NAME = CLASS(ON, ...) */
static void make(struct python *x, const char *class, const char *arguments)
{
	char expr[2 * PY_EXPR_LEN];

	snprintf(expr, sizeof(expr), "%s(%s%s)", class, on(x), arguments);
	py_make(x, result(x), expr);
	for (unsigned int i = 0; i < x->c->nexp; i++) {
		const struct setting *s = &x->p->setting[x->c->efirst + i];
		char want[PY_EXPR_LEN];
		struct text t;

		if (s->field != F_cqe && s->field != F_qp_num) {
			py_refuse(x, "pyverbs does not tell %s of a new object",
				  field_info((enum field)s->field)->text);
			continue;
		}
		text_init(&t, want, sizeof(want));
		py_value(x, &t, (enum field)s->field, &s->value);
		py_line(x, "self.assertEqual(%s.%s, %s)", result(x),
			c_member((enum field)s->field), want);
	}
}

static void put_mr(struct python *x)
{
	char arguments[PY_EXPR_LEN];
	struct text t;
	const struct setting *length =
		find_setting(x->p, x->c->first, x->c->nset, F_mr_length);

	PY_TAKES(x, F_mr_length, F_mr_access);
	if (!length || length->value.kind != VAL_NUM || !length->value.num ||
	    (uint64_t)length->value.num > MR_MAPPED_MAX)
		py_refuse(x, "pyverbs allocates the memory of a region, so its "
			     "length is from 1 byte to 1 GB");
	if (literal_of(x->p, x->c, F_mr_access) & IBV_ACCESS_ZERO_BASED)
		py_refuse(x, "elements have addresses in the test, and this "
			     "region has offsets");
	text_init(&t, arguments, sizeof(arguments));
	py_argument(x, &t, F_mr_length);
	py_argument(x, &t, F_mr_access);
	make(x, "MR", arguments);
}

static void put_cq(struct python *x)
{
	char arguments[PY_EXPR_LEN];
	struct text t;

	PY_TAKES(x, F_cqe, F_cq_channel, F_comp_vector);
	text_init(&t, arguments, sizeof(arguments));
	py_argument(x, &t, F_cqe);
	py_keyword(x, &t, "channel", F_cq_channel);
	py_keyword(x, &t, "comp_vector", F_comp_vector);
	make(x, "CQ", arguments);
}

static void put_mw(struct python *x)
{
	char arguments[PY_EXPR_LEN];
	struct text t;

	text_init(&t, arguments, sizeof(arguments));
	py_argument(x, &t, F_mw_type);
	make(x, "MW", arguments);
}

/* The three numbers of an SRQ, which are zero unless they are set */
static void add_srq(struct python *x, struct text *t, enum field max_wr)
{
	static const char *const keys[] = {"max_wr", "max_sge", "srq_limit"};

	for (int i = 0; i < 3; i++) {
		text_add(t, "%s%s=", i ? ", " : "", keys[i]);
		py_setting(x, t, (enum field)(max_wr + (unsigned int)i), "0");
	}
}

static void put_srq(struct python *x)
{
	char arguments[PY_EXPR_LEN];
	struct text t;

	PY_TAKES(x, F_srq_max_wr, F_srq_max_sge, F_srq_limit);
	text_init(&t, arguments, sizeof(arguments));
	text_add(&t, ", SrqInitAttr(SrqAttr(");
	add_srq(x, &t, F_srq_max_wr);
	text_add(&t, "))");
	make(x, "SRQ", arguments);
}

/* attr.MEMBER = VALUE, which may be broken into lines */
static void put_attr(struct python *x, const char *member, int length,
		     const char *value)
{
	bool several = strchr(value, '|') != NULL;

	py_line(x, "attr.%.*s = %s%s%s", length, member, several ? "(" : "",
		value, several ? ")" : "");
}

static void put_srq_ex(struct python *x)
{
	static const struct {
		enum field field;
		const char *name;
	} more[] = {
		{F_srq_comp_mask, "comp_mask"},
		{F_srq_type, "srq_type"},
		{F_srq_pd, "pd"},
		{F_srq_xrcd, "xrcd"},
		{F_srq_cq, "cq"},
	};
	char value[PY_EXPR_LEN];
	struct text t;

	PY_TAKES(x, F_srq_max_wr, F_srq_max_sge, F_srq_limit, F_srq_comp_mask,
		 F_srq_type, F_srq_pd, F_srq_xrcd, F_srq_cq);
	text_init(&t, value, sizeof(value));
	add_srq(x, &t, F_srq_max_wr);
	py_line(x, "attr = SrqInitAttrEx(%s)", value);
	for (size_t i = 0; i < COUNT(more); i++) {
		text_init(&t, value, sizeof(value));
		py_setting(x, &t, more[i].field, "");
		if (value[0])
			put_attr(x, more[i].name, (int)strlen(more[i].name),
				 value);
	}
	make(x, "SRQ", ", attr");
}

static void put_xrcd(struct python *x)
{
	char arguments[PY_EXPR_LEN];
	struct text t;

	PY_TAKES(x, F_xrcd_comp_mask, F_xrcd_fd, F_xrcd_oflags);
	if (literal_of(x->p, x->c, F_xrcd_fd) != XRCD_PRIVATE)
		py_refuse(x, "the test has no file for a domain");
	text_init(&t, arguments, sizeof(arguments));
	text_add(&t, ", XRCDInitAttr(");
	py_setting(x, &t, F_xrcd_comp_mask, "0");
	py_argument(x, &t, F_xrcd_oflags);
	text_add(&t, ", -1)");
	make(x, "XRCD", arguments);
}

static void add_route(struct python *x, struct text *t, enum field first,
		      const char *const *keys)
{
	const struct setting *global = find_setting(
		x->p, x->c->first, x->c->nset, (enum field)(first + 9));
	bool set = false;

	for (unsigned int i = 0; i < 5; i++)
		set = set || py_sets(x, (enum field)(first + i));
	if (!global || (global->value.kind == VAL_NUM && !global->value.num)) {
		if (set)
			py_refuse(x, "a header without is_global");
		return;
	}
	text_add(t, ", gr=GlobalRoute(dgid=");
	py_setting(x, t, first, "GID()");
	for (unsigned int i = 1; i < 5; i++) {
		text_add(t, ", %s=", keys[i]);
		py_setting(x, t, (enum field)(first + i), "0");
	}
	text_add(t, ")");
}

/* The address of a handle, or of a path of a queue pair: eleven fields in the
 * order of both families */
static void add_address(struct python *x, struct text *t, enum field first)
{
	static const char *const keys[] = {
		"dgid",		 "flow_label", "sgid_index", "hop_limit",
		"traffic_class", "dlid",       "sl",	     "src_path_bits",
		"static_rate",	 "is_global",  "port_num",
	};

	text_add(t, "AHAttr(");
	for (unsigned int i = 5; i < COUNT(keys); i++) {
		text_add(t, "%s%s=", i > 5 ? ", " : "", keys[i]);
		py_setting(x, t, (enum field)(first + i), "0");
	}
	add_route(x, t, first, keys);
	text_add(t, ")");
}

static void put_ah(struct python *x)
{
	char arguments[PY_EXPR_LEN];
	struct text t;

	text_init(&t, arguments, sizeof(arguments));
	text_add(&t, ", attr=");
	add_address(x, &t, F_addr_dgid);
	make(x, "AH", arguments);
}

static void add_caps(struct python *x, struct text *t, enum field first)
{
	static const char *const keys[] = {"max_send_wr", "max_recv_wr",
					   "max_send_sge", "max_recv_sge",
					   "max_inline_data"};

	text_add(t, "QPCap(");
	for (unsigned int i = 0; i < COUNT(keys); i++) {
		text_add(t, "%s%s=", i ? ", " : "", keys[i]);
		py_setting(x, t, (enum field)(first + i), "0");
	}
	text_add(t, ")");
}

/* pyverbs reads no sq_sig_all of a queue pair as 1. */
static void put_qp(struct python *x)
{
	bool extended = x->c->verb == V_create_qp_ex;
	char arguments[PY_EXPR_LEN];
	struct text t;

	PY_TAKES(x, F_pd, F_send_cq, F_recv_cq, F_srq, F_xrcd, F_qp_type,
		 F_sq_sig_all, F_max_send_wr, F_max_recv_wr, F_max_send_sge,
		 F_max_recv_sge, F_max_inline_data, F_comp_mask, F_create_flags,
		 F_max_tso_header, F_source_qpn, F_send_ops_flags);
	text_init(&t, arguments, sizeof(arguments));
	text_add(&t, ", QPInitAttr%s(qp_type=", extended ? "Ex" : "");
	py_setting(x, &t, F_qp_type, "0");
	py_keyword(x, &t, "scq", F_send_cq);
	py_keyword(x, &t, "rcq", F_recv_cq);
	py_keyword(x, &t, "srq", F_srq);
	text_add(&t, ", cap=");
	add_caps(x, &t, F_max_send_wr);
	text_add(&t, ", sq_sig_all=");
	py_setting(x, &t, F_sq_sig_all, "0");
	if (extended) {
		py_keyword(x, &t, "comp_mask", F_comp_mask);
		py_keyword(x, &t, "pd", F_pd);
		py_keyword(x, &t, "xrcd", F_xrcd);
		py_keyword(x, &t, "create_flags", F_create_flags);
		py_keyword(x, &t, "max_tso_header", F_max_tso_header);
		py_keyword(x, &t, "source_qpn", F_source_qpn);
		py_keyword(x, &t, "send_ops_flags", F_send_ops_flags);
	}
	text_add(&t, ")");
	make(x, "QP", arguments);
}

/* Sets an attribute that the mask names: to what the call says, or to what an
 * earlier query gave, or to zero. */
static void put_attribute(struct python *x, enum field f)
{
	char value[PY_EXPR_LEN];
	const char *member = c_member(f);
	bool path = f == F_ah_dgid || f == F_alt_dgid, set = false;
	unsigned int n = path ? 11 : f == F_cap_max_send_wr ? 5 : 1;
	int holder = (int)strcspn(member, ".");
	struct text t;

	for (unsigned int i = 0; i < n; i++)
		set = set || py_sets(x, (enum field)(f + i));
	text_init(&t, value, sizeof(value));
	if (!set && x->c->from != NO_OBJ && f != F_qp_state)
		text_add(&t, "%s.%.*s", py_object(x, x->c->from), holder,
			 member);
	else if (path)
		add_address(x, &t, f);
	else if (n > 1)
		add_caps(x, &t, f);
	else
		py_setting(x, &t, f, "0");
	if (set && n > 1 && x->c->from != NO_OBJ)
		py_refuse(x, "a part of %.*s is that of a query", holder,
			  member);
	put_attr(x, member, holder, value);
}

static bool begins_attribute(enum field f)
{
	return (f <= F_cap_max_send_wr || f > F_cap_max_inline_data) &&
	       (f <= F_ah_dgid || f > F_ah_port_num) &&
	       (f <= F_alt_dgid || f > F_alt_ah_port_num);
}

/* pyverbs takes a mask as an int of C. */
static void add_mask(struct python *x, struct text *t)
{
	bool negative = literal_of(x->p, x->c, F_mask) > INT32_MAX;

	text_add(t, negative ? "(" : "");
	py_setting(x, t, F_mask, "0");
	text_add(t, negative ? ") - 2**32" : "");
}

static void put_modify(struct python *x)
{
	uint64_t mask = literal_of(x->p, x->c, F_mask);
	char expr[PY_EXPR_LEN];
	struct text t;

	if (py_sets(x, F_poison))
		py_refuse(x, "attributes outside of the mask are those of "
			     "pyverbs");
	py_line(x, "attr = QPAttr()");
	for (unsigned int f = F_qp_state; f <= F_rate_limit; f++) {
		int bit = field_attr((enum field)f);

		if (bit < 0 || !begins_attribute((enum field)f))
			continue;
		if (mask >> bit & 1)
			put_attribute(x, (enum field)f);
	}
	text_init(&t, expr, sizeof(expr));
	text_add(&t, "%s.modify(attr, ", on(x));
	add_mask(x, &t);
	text_add(&t, ")");
	py_make(x, "", expr);
}

/* self.assertEqual(VAR.MEMBER, WANT) for each output of a query */
static void put_outputs(struct python *x, const char *var)
{
	if (x->c->expect_err)
		return;
	for (unsigned int i = 0; i < x->c->nexp; i++) {
		const struct setting *s = &x->p->setting[x->c->efirst + i];
		enum field f = (enum field)s->field;
		const char *member = c_member(f), *grh = strstr(member, "grh.");
		char want[PY_EXPR_LEN];
		struct text t;

		if (field_info(f)->kind == FK_OBJ ||
		    field_info(f)->kind == FK_GID || f == F_state)
			py_refuse(x, "pyverbs does not tell %s",
				  field_info(f)->text);
		text_init(&t, want, sizeof(want));
		py_value(x, &t, f, &s->value);
		py_line(x, "self.assertEqual(%s%s.%.*s%s, %s)", var,
			field_info(f)->family == FAM_QP_INIT ? "_init" : "",
			grh ? (int)(grh - member) : (int)strlen(member), member,
			grh ? grh + 4 : "", want);
	}
}

static void put_query(struct python *x)
{
	char expr[PY_EXPR_LEN], names[2 * OBJ_NAME_LEN + 32];
	struct text t;

	text_init(&t, expr, sizeof(expr));
	text_add(&t, "%s.query(", on(x));
	add_mask(x, &t);
	text_add(&t, ")");
	snprintf(names, sizeof(names), "%s, %s_init", result(x), result(x));
	py_make(x, names, expr);
	put_outputs(x, result(x));
}

static void put_query_srq(struct python *x)
{
	char expr[PY_EXPR_LEN];

	snprintf(expr, sizeof(expr), "%s.query()", on(x));
	py_make(x, "attr", expr);
	put_outputs(x, "attr");
}

static void put_modify_srq(struct python *x)
{
	char expr[PY_EXPR_LEN];
	struct text t;

	text_init(&t, expr, sizeof(expr));
	text_add(&t, "%s.modify(SrqAttr(", on(x));
	add_srq(x, &t, F_srq_attr_max_wr);
	text_add(&t, "), ");
	py_setting(x, &t, F_srq_mask, "0");
	text_add(&t, ")");
	py_make(x, "", expr);
}

/* NAME = ON.METHOD(VALUE) */
static void make_by(struct python *x, const char *name, const char *method,
		    enum field f)
{
	char expr[PY_EXPR_LEN];
	struct text t;

	text_init(&t, expr, sizeof(expr));
	text_add(&t, "%s.%s(", on(x), method);
	py_setting(x, &t, f, "0");
	text_add(&t, ")");
	py_make(x, name, expr);
}

static void put_resize(struct python *x)
{
	make_by(x, "", "resize", F_cqe);
	put_outputs(x, on(x));
}

static void put_notify(struct python *x)
{
	make_by(x, "", "req_notify", F_notify_solicited);
}

static void put_query_device(struct python *x)
{
	py_make(x, "attr", "self.ctx.query_device()");
	if (x->c->nexp)
		py_refuse(x, "outputs of a query of the device");
}

static void put_query_port(struct python *x)
{
	make_by(x, "attr", "query_port", F_index_port_num);
	put_outputs(x, "attr");
}

static bool depends(const struct python *x, unsigned int maker, uint8_t slot)
{
	const struct call *c = &x->p->call[maker];

	if (c->result == NO_OBJ || c->result == slot || !x->alive[c->result] ||
	    c->verb == V_query_qp || c->verb == V_poll_cq)
		return false;
	if (c->on == slot)
		return true;
	for (unsigned int i = 0; i < c->nset; i++) {
		const struct value *v = &x->p->setting[c->first + i].value;

		if (v->kind == VAL_OBJ && v->ref == slot)
			return true;
	}
	return false;
}

/* close() destroys what depends on an object first. */
static void put_close(struct python *x)
{
	char expr[64];

	for (unsigned int i = 0; i < x->p->ncalls; i++)
		if (depends(x, i, x->c->on))
			py_refuse(x, "pyverbs destroys %s before it",
				  x->p->object[x->p->call[i].result].name);
	snprintf(expr, sizeof(expr), "%s.close()", on(x));
	py_make(x, "", expr);
	if (!x->c->expect_err)
		x->alive[x->c->on] = false;
}

static void put_pd(struct python *x)
{
	make(x, "PD", "");
}

static void put_channel(struct python *x)
{
	make(x, "CompChannel", "");
}

void py_call(struct python *x)
{
	static void (*const print[VERB_NR])(struct python * x) = {
		[V_alloc_pd] = put_pd,
		[V_reg_mr] = put_mr,
		[V_alloc_mw] = put_mw,
		[V_create_comp_channel] = put_channel,
		[V_create_cq] = put_cq,
		[V_resize_cq] = put_resize,
		[V_req_notify_cq] = put_notify,
		[V_create_srq] = put_srq,
		[V_create_srq_ex] = put_srq_ex,
		[V_modify_srq] = put_modify_srq,
		[V_query_srq] = put_query_srq,
		[V_open_xrcd] = put_xrcd,
		[V_create_ah] = put_ah,
		[V_create_qp] = put_qp,
		[V_create_qp_ex] = put_qp,
		[V_modify_qp] = put_modify,
		[V_query_qp] = put_query,
		[V_query_device] = put_query_device,
		[V_query_port] = put_query_port,
		[V_post_send] = py_post,
		[V_post_recv] = py_post,
		[V_post_srq_recv] = py_post,
		[V_poll_cq] = py_poll,
		[V_fill_mr] = py_fill,
		[V_read_mr] = py_read,
		[V_dealloc_pd] = put_close,
		[V_dereg_mr] = put_close,
		[V_dealloc_mw] = put_close,
		[V_destroy_comp_channel] = put_close,
		[V_destroy_cq] = put_close,
		[V_destroy_srq] = put_close,
		[V_close_xrcd] = put_close,
		[V_destroy_ah] = put_close,
		[V_destroy_qp] = put_close,
	};
	char text[4 * PY_EXPR_LEN];

	snprintf(text, sizeof(text), "# ");
	call_print(x->p, x->c, text + 2, sizeof(text) - 2);
	fputc('\n', x->out);
	put_wrapped(x->out, text, "# ");
	if (print[x->c->verb])
		print[x->c->verb](x);
	else
		py_refuse(x, "pyverbs has no such call");
	if (x->c->result != NO_OBJ)
		x->alive[x->c->result] = !x->c->expect_err;
}
