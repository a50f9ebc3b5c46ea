/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints values as Python. Enumerators have the names of C.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include "program/pyverbs/pyverbs.h"

void py_refuse(struct python *x, const char *fmt, ...)
{
	va_list args;

	if (x->refused)
		return;
	x->refused = x->c;
	va_start(args, fmt);
	vsnprintf(x->why, sizeof(x->why), fmt, args);
	va_end(args);
}

/* Names that a variable cannot have: Python's words and those of the test. */
static const char taken[] =
	" and as assert async await break class continue def del elif else "
	"except finally for from global if import in is lambda nonlocal not or "
	"pass raise return try while with yield "
	"attr d errno poll pattern port raised self socket time wcs wr ";

const char *py_object(const struct python *x, unsigned int slot)
{
	static char renamed[8][OBJ_NAME_LEN + 8];
	static unsigned int next;
	const char *name = x->p->object[slot].name;
	char word[OBJ_NAME_LEN + 2];

	snprintf(word, sizeof(word), " %s ", name);
	if (name[0] && !strstr(taken, word) && name[0] != '_')
		return name;
	next = (next + 1) % 8;
	snprintf(renamed[next], sizeof(renamed[next]), "object%u%s%s", slot,
		 name[0] ? "_" : "", name);
	return renamed[next];
}

/* The enumeration of pyverbs that has the names of a set. pyverbs exports no
 * enumerator by itself since Cython 3.1. */
const char *const py_enums[NS_NR] = {
	[NS_QP_STATE] = "ibv_qp_state",
	[NS_QP_TYPE] = "ibv_qp_type",
	[NS_MTU] = "ibv_mtu",
	[NS_MIG] = "ibv_mig_state",
	[NS_ACCESS] = "ibv_access_flags",
	[NS_ATTR_MASK] = "ibv_qp_attr_mask",
	[NS_QP_COMP_MASK] = "ibv_qp_init_attr_mask",
	[NS_CREATE_FLAGS] = "ibv_qp_create_flags",
	[NS_SEND_OPS] = "ibv_qp_create_send_ops_flags",
	[NS_PORT_STATE] = "ibv_port_state",
	[NS_MW_TYPE] = "ibv_mw_type",
	[NS_SRQ_TYPE] = "ibv_srq_type",
	[NS_SRQ_COMP_MASK] = "ibv_srq_init_attr_mask",
	[NS_SRQ_MASK] = "ibv_srq_attr_mask",
	[NS_XRCD_MASK] = "ibv_xrcd_init_attr_mask",
	[NS_WR_OPCODE] = "ibv_wr_opcode",
	[NS_SEND_FLAGS] = "ibv_send_flags",
	[NS_WC_STATUS] = "ibv_wc_status",
	[NS_WC_OPCODE] = "ibv_wc_opcode",
	[NS_WC_BITS] = "ibv_wc_flags",
};

/* Adds a C constant of the set: an enumerator is a member of its enumeration, a
 * number has no suffix, and a number that stands for a name has no comment. */
static void add_constant(struct python *x, struct text *t, int set,
			 const char *c)
{
	for (bool word = false; *c; c++) {
		if (!strncmp(c, " /*", 3)) {
			c = strstr(c, "*/") + 1;
			continue;
		}
		if (!word && !strncmp(c, "IBV_", 4)) {
			if (!py_enums[set])
				py_refuse(x, "pyverbs has no name for %s", c);
			text_add(t, "%s.", py_enums[set] ? py_enums[set] : "");
		}
		if (!word && !strncmp(c, "O_", 2))
			text_add(t, "os.");
		if (!word && !strncmp(c, "INT32_MIN", 9)) {
			text_add(t, "-0x80000000");
			c += 8;
			continue;
		}
		if (!word && isdigit((unsigned char)*c)) {
			size_t n = strspn(c, "0123456789abcdefx");

			text_add(t, "%.*s", (int)n, c);
			c += n + strspn(c + n, "ul") - 1;
			continue;
		}
		word = isalnum((unsigned char)*c) || *c == '_';
		text_add(t, "%c", *c);
	}
}

static void add_number(struct python *x, struct text *t, enum field f,
		       const struct value *v)
{
	struct exporter c = {.p = x->p};
	char number[PY_EXPR_LEN];
	struct text text;

	text_init(&text, number, sizeof(number));
	c_value(&c, &text, f, v);
	add_constant(x, t,
		     field_info(f)->kind == FK_OBJ ? NS_NONE
						   : field_info(f)->names,
		     number);
}

static void add_gid(struct text *t, const union ibv_gid *gid)
{
	text_add(t, "GID('");
	for (int i = 0; i < 16; i += 2)
		text_add(t, "%s%02x%02x", i ? ":" : "", gid->raw[i],
			 gid->raw[i + 1]);
	text_add(t, "')");
}

/* `port` is what query_port() returns. */
static const char *const symbols[SYM_NR] = {
	[SYM_port] = "self.ib_port",
	[SYM_gid_index] = "self.gid_index",
	[SYM_lid] = "port.lid",
	[SYM_mtu] = "port.active_mtu",
	[SYM_global] = "int(port.link_layer == IBV_LINK_LAYER_ETHERNET)",
	[SYM_gid_tbl_len] = "port.gid_tbl_len",
	[SYM_pkey_tbl_len] = "port.pkey_tbl_len",
	[SYM_max_mtu] = "port.max_mtu",
	[SYM_active_mtu] = "port.active_mtu",
	[SYM_mtu_bytes] = "(128 << port.active_mtu)",
	[SYM_active_mtu_bytes] = "(128 << port.active_mtu)",
	[SYM_max_msg_sz] = "port.max_msg_sz",
	[SYM_ports] = "self.ctx.query_device().phys_port_cnt",
};

static void add_symbol(struct python *x, struct text *t, unsigned int ref)
{
	if (!symbols[ref])
		py_refuse(x, "the test has no $%s", symbol_name(ref));
	else
		text_add(t, "%s", symbols[ref]);
	x->uses_port = x->uses_port || ref != SYM_ports;
}

static void add_limit(struct python *x, struct text *t, unsigned int ref)
{
	static const char plain[] = "orig_attr.";
	const char *member;

	if (ref == LIM_num_comp_vectors) {
		text_add(t, "self.ctx.num_comp_vectors");
		return;
	}
	member =
		ref < LIM_num_comp_vectors
			? c_member((enum field)(family_first(FAM_DEVICE) + ref))
			: "";
	if (strncmp(member, plain, strlen(plain)) != 0)
		py_refuse(x, "pyverbs does not tell %s",
			  limit_name((enum limit)ref));
	else
		text_add(t, "self.ctx.query_device().%s",
			 member + strlen(plain));
}

/* An output of an earlier call that is a property of its object. */
static void add_earlier(struct python *x, struct text *t, const struct value *v)
{
	enum field of = (enum field)v->field;
	const char *member = c_member(of);

	if (is_rkey(of) && v->num)
		py_refuse(x, "pyverbs has no words for a changed rkey");
	else if (of == F_qp_num || of == F_cqe || is_key(of) ||
		 field_info(of)->family == FAM_QP_ATTR)
		text_add(t, "%s.%s", py_object(x, v->ref), member);
	else if (field_info(of)->family == FAM_QP_INIT &&
		 maker_of(x->p, v->ref) == V_query_qp)
		text_add(t, "%s_init.%s", py_object(x, v->ref), member);
	else if (of == F_srq_num)
		text_add(t, "%s.get_srq_num()", py_object(x, v->ref));
	else
		py_refuse(x, "pyverbs does not tell %s of %s",
			  field_info(of)->text, x->p->object[v->ref].name);
}

void py_value(struct python *x, struct text *t, enum field f,
	      const struct value *v)
{
	int64_t plus = 0;

	switch ((enum value_kind)v->kind) {
	case VAL_NUM:
		add_number(x, t, f, v);
		return;
	case VAL_GID:
		add_gid(t, &v->gid);
		return;
	case VAL_MYGID:
		if (v->ref)
			py_refuse(x, "the test has no second device");
		text_add(t, "self.ctx.query_gid(self.ib_port, self.gid_index)");
		x->uses_port = true;
		return;
	case VAL_OBJ:
		text_add(t, "%s", py_object(x, v->ref));
		return;
	case VAL_LIMIT:
		add_limit(x, t, v->ref);
		plus = v->num;
		break;
	case VAL_SYM:
		add_symbol(x, t, v->ref);
		plus = v->num;
		break;
	case VAL_OUT:
		add_earlier(x, t, v);
		plus = is_rkey((enum field)v->field) ? 0 : v->num;
		break;
	}
	if (plus)
		text_add(t, " %c %llu", plus < 0 ? '-' : '+',
			 plus < 0 ? -(unsigned long long)plus
				  : (unsigned long long)plus);
}

static const struct setting *setting_of(const struct python *x, enum field f)
{
	return find_setting(x->p, x->c->first, x->c->nset, f);
}

bool py_sets(const struct python *x, enum field f)
{
	return setting_of(x, f) != NULL;
}

void py_setting(struct python *x, struct text *t, enum field f,
		const char *none)
{
	const struct setting *s = setting_of(x, f);

	if (s)
		py_value(x, t, f, &s->value);
	else
		text_add(t, "%s", none);
}

void py_argument(struct python *x, struct text *t, enum field f)
{
	text_add(t, ", ");
	py_setting(x, t, f, "0");
}

void py_keyword(struct python *x, struct text *t, const char *key, enum field f)
{
	if (!py_sets(x, f))
		return;
	text_add(t, ", %s=", key);
	py_setting(x, t, f, "");
}

void py_takes(struct python *x, const enum field *fields, size_t n)
{
	for (unsigned int i = 0; i < x->c->nset; i++) {
		enum field f = (enum field)x->p->setting[x->c->first + i].field;
		size_t at = 0;

		while (at < n && fields[at] != f)
			at++;
		if (at == n)
			py_refuse(x, "pyverbs has no words for %s",
				  field_info(f)->text);
	}
}
