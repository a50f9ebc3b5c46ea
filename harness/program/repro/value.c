/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints variables, names and values of a program in C.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include "program/repro/repro.h"
#include "vendor/vendor.h"

const char *c_object(const struct exporter *x, unsigned int slot)
{
	return slot < x->p->nobjects ? x->var[slot] : "NULL";
}

const char *c_on(const struct exporter *x, const struct call *c)
{
	return c->on == NO_OBJ ? "ctx" : c_object(x, c->on);
}

const char *c_type(enum object_kind kind)
{
	static const char *const types[OBJ_KIND_NR] = {
		[OBJ_NONE] = "void",
		[OBJ_CTX] = "struct ibv_context",
		[OBJ_PD] = "struct ibv_pd",
		[OBJ_TD] = "struct ibv_td",
		[OBJ_MR] = "struct ibv_mr",
		[OBJ_IMR] = "struct ibv_mr",
		[OBJ_DM] = "struct ibv_dm",
		[OBJ_DMAH] = "struct ibv_dmah",
		[OBJ_MW] = "struct ibv_mw",
		[OBJ_CHANNEL] = "struct ibv_comp_channel",
		[OBJ_CQ] = "struct ibv_cq",
		[OBJ_SRQ] = "struct ibv_srq",
		[OBJ_XRCD] = "struct ibv_xrcd",
		[OBJ_AH] = "struct ibv_ah",
		[OBJ_WQ] = "struct ibv_wq",
		[OBJ_IND] = "struct ibv_rwq_ind_table",
		[OBJ_QP] = "struct ibv_qp",
		[OBJ_FLOW] = "struct ibv_flow",
		[OBJ_COUNTERS] = "struct ibv_counters",
		[OBJ_COMP_CNTR] = "struct ibv_comp_cntr",
		[OBJ_QUERY] = "struct ibv_qp_attr",
		[OBJ_ECE] = "struct ibv_ece",
		[OBJ_WC] = "struct polled",
		[OBJ_KEY] = "uint32_t",
		[OBJ_TAG] = "struct posted_args",
#define C_TYPE(id, type) [OBJ_##id] = type,
#define VENDORS_C_TYPES
#include "vendor/vendors.def"
	};

	return types[kind];
}

const char *c_member(enum field f)
{
	static const char *const members[FIELD_NR] = {
#define FAMILY(id, type)
#define FIELD(fam, id, text, member, kind, names) [F_##id] = #member,
#include "program/fields.def"
	};
	static const char *const limits[LIM_NR] = {
#define LIMIT(name, member)  [LIM_##name] = #member,
#define EXTRA(name, meaning) [LIM_##name] = "",
#include "contract/tables/limits.def"
	};
	enum family fam = field_info(f)->family;

	if (f == F_rx_hash_function)
		return "rx_hash_conf.rx_hash_function";
	if (f == F_rx_hash_key_len)
		return "rx_hash_conf.rx_hash_key_len";
	if (f == F_rx_hash_fields_mask)
		return "rx_hash_conf.rx_hash_fields_mask";
	if (f == F_flow_counters)
		return "count_by";
	if (f == F_ind_log_size)
		return "log_ind_tbl_size";
	if (fam == FAM_DEVICE)
		return limits[f - family_first(FAM_DEVICE)];
	if ((fam == FAM_QP_ATTR || fam == FAM_SRQ_ATTR) &&
	    !strncmp(members[f], "attr.", 5))
		return members[f] + 5;
	return members[f];
}

static const char *const prefixes[NS_NR] = {
	[NS_QP_STATE] = "IBV_QPS_",
	[NS_QP_TYPE] = "IBV_QPT_",
	[NS_MTU] = "IBV_",
	[NS_MIG] = "IBV_MIG_",
	[NS_ACCESS] = "IBV_ACCESS_",
	[NS_ATTR_MASK] = "IBV_QP_",
	[NS_QP_COMP_MASK] = "IBV_QP_INIT_ATTR_",
	[NS_CREATE_FLAGS] = "IBV_QP_CREATE_",
	[NS_SEND_OPS] = "IBV_QP_EX_WITH_",
	[NS_HASH_FUNC] = "IBV_RX_HASH_FUNC_",
	[NS_HASH_FIELDS] = "IBV_RX_HASH_",
	[NS_OPEN_MASK] = "IBV_QP_OPEN_ATTR_",
	[NS_PORT_STATE] = "IBV_PORT_",
	[NS_LINK_LAYER] = "IBV_LINK_LAYER_",
	[NS_MW_TYPE] = "IBV_MW_",
	[NS_ADVICE] = "IBV_ADVISE_MR_ADVICE_",
	[NS_ADVICE_FLAGS] = "IBV_ADVISE_MR_FLAG_",
	[NS_REREG] = "IBV_REREG_MR_CHANGE_",
	[NS_PATTERN] = "PATTERN_",
	[NS_WC_FLAGS] = "IBV_WC_EX_WITH_",
	[NS_CQ_COMP_MASK] = "IBV_CQ_INIT_ATTR_MASK_",
	[NS_CQ_FLAGS] = "IBV_CREATE_CQ_ATTR_",
	[NS_SRQ_TYPE] = "IBV_SRQT_",
	[NS_SRQ_COMP_MASK] = "IBV_SRQ_INIT_ATTR_",
	[NS_CQ_ATTR] = "IBV_CQ_ATTR_",
	[NS_ORDER_FLAGS] = "IBV_QUERY_QP_DATA_IN_ORDER_",
	[NS_ORDER_CAPS] = "IBV_QUERY_QP_DATA_IN_ORDER_",
	[NS_SRQ_MASK] = "IBV_SRQ_",
	[NS_XRCD_MASK] = "IBV_XRCD_INIT_ATTR_",
	[NS_OFLAGS] = "O_",
	[NS_WQ_TYPE] = "IBV_WQT_",
	[NS_WQ_STATE] = "IBV_WQS_",
	[NS_WQ_ATTR] = "IBV_WQ_ATTR_",
	[NS_WQ_FLAGS] = "IBV_WQ_FLAGS_",
	[NS_FLOW_TYPE] = "IBV_FLOW_ATTR_",
	[NS_FLOW_FLAGS] = "IBV_FLOW_ATTR_FLAGS_",
	[NS_FLOW_SPEC] = "IBV_FLOW_SPEC_",
	[NS_DMABUF_FD] = "DMABUF_FD_",
	[NS_OPS_OPCODE] = "IBV_WR_",
	[NS_OPS_FLAGS] = "IBV_OPS_",
	[NS_TMH] = "IBV_TMH_",
	[NS_MR_MASK] = "MR_ATTR_",
	[NS_DMAH_MASK] = "DMAH_ATTR_",
	[NS_IMPORT_FD] = "IMPORT_FD_",
	[NS_GID_TYPE] = "IBV_GID_TYPE_",
	[NS_CLOCK_MASK] = "IBV_VALUES_MASK_",
	[NS_ALLOCATOR] = "ALLOCATOR_",
	[NS_COUNTER] = "IBV_COUNTER_",
	[NS_READ_FLAGS] = "IBV_READ_COUNTERS_ATTR_",
	[NS_CNTR_TYPE] = "CNTR_TYPE_",
	[NS_CNTR_OP] = "CNTR_OP_",
	[NS_EVENT] = "IBV_EVENT_",
	[NS_WR_OPCODE] = "IBV_WR_",
	[NS_SEND_FLAGS] = "IBV_SEND_",
	[NS_WC_STATUS] = "IBV_WC_",
	[NS_WC_OPCODE] = "IBV_WC_",
	[NS_WC_BITS] = "IBV_WC_",
	[NS_WR_SETTER] = "SET_",
	[NS_WHICH_DEVICE] = "DEVICE_",
	[NS_LINK_ACTION] = "LINK_",
	[NS_CHANGE] = "CHANGE_",
	[NS_FUNCTION] = "COMPUTE_",
	[NS_TEXT] = "TEXT_",
#define NAME_SET(set, prefix) [NS_##set] = prefix,
#define NAME(set, name, value)
#define VENDORS_NAMES
#include "vendor/vendors.def"
};

/* Returns true for names that rdma-core 44 lacks; they are printed as numbers.
 */
static bool is_newer(const struct name *n)
{
	if (n->set == NS_WR_OPCODE && !strcmp(n->text, "FLUSH"))
		return true;
	if (n->set == NS_WC_OPCODE)
		return !strcmp(n->text, "FLUSH");
	if (n->set == NS_ORDER_FLAGS || n->set == NS_ORDER_CAPS)
		return true;
	if (n->set == NS_FLUSH_TYPE || n->set == NS_FLUSH_LEVEL)
		return true;
	if (n->set == NS_ACCESS)
		return !strncmp(n->text, "FLUSH_", 6);
	if (n->set == NS_EVENT)
		return !strcmp(n->text, "DEVICE_SPEED_CHANGE");
	if (n->set == NS_SEND_OPS)
		return !strcmp(n->text, "FLUSH") ||
		       !strcmp(n->text, "ATOMIC_WRITE");
	each_vendor(v)
	{
		if (v->c_is_newer && v->c_is_newer(n))
			return true;
	}
	return false;
}

static void c_number(struct text *t, bool is_signed, uint64_t num)
{
	int64_t value = (int64_t)num;

	if (is_signed && value < 0) {
		if (value == INT32_MIN)
			text_add(t, "INT32_MIN");
		else
			text_add(t, "%" PRId64, value);
		return;
	}
	text_add(t, num < 0x10000 ? "%" PRIu64 : "0x%" PRIx64, num);
	if (num > UINT32_MAX)
		text_add(t, "ull");
	else if (num > INT32_MAX)
		text_add(t, "u");
}

static void c_name(struct text *t, const struct name *n)
{
	if (n->set == NS_EVENT && n->value == NO_EVENT)
		text_add(t, "NO_EVENT");
	else if (is_newer(n))
		text_add(t, "0x%" PRIx64 " /* %s */", n->value, n->text);
	else
		text_add(t, "%s%s", prefixes[n->set], n->text);
}

static void c_enum(struct text *t, enum name_set set, uint64_t value)
{
	const struct name *n;

	for (n = name_first(set); n; n = name_next(n)) {
		if (n->value == value) {
			c_name(t, n);
			return;
		}
	}
	c_number(t, false, value);
}

static void c_flags(struct text *t, enum name_set set, uint64_t value)
{
	const struct name *n;
	const char *join = "";

	for (n = name_first(set); n; n = name_next(n)) {
		if (!(value & n->value))
			continue;
		text_add(t, "%s", join);
		c_name(t, n);
		value &= ~n->value;
		join = " | ";
	}
	if (!value && join[0])
		return;
	text_add(t, "%s", join);
	c_number(t, false, value);
}

static void c_fd(struct text *t, uint64_t which)
{
	static const char *const fds[] = {
		[XRCD_PRIVATE] = "-1",
		[XRCD_FILE0] = "shared_file(&file0)",
		[XRCD_FILE1] = "shared_file(&file1)",
		[XRCD_CLOSED] = "closed_file()",
		[XRCD_FILE0_AGAIN] = "reopened_file(&file0)",
	};

	text_add(t, "%s", fds[which < COUNT(fds) ? which : XRCD_PRIVATE]);
}

static void c_literal(struct text *t, enum field f, uint64_t num)
{
	const struct field_info *info = field_info(f);

	if (f == F_xrcd_fd)
		c_fd(t, num);
	else if (info->kind == FK_ENUM)
		c_enum(t, (enum name_set)info->names, num);
	else if (info->kind == FK_FLAGS)
		c_flags(t, (enum name_set)info->names, num);
	else
		c_number(t, info->kind == FK_INT, num);
}

static void c_gid(struct text *t, const union ibv_gid *gid)
{
	text_add(t, "(union ibv_gid){ .raw = {");
	for (int i = 0; i < 16; i++)
		text_add(t, "%s 0x%02x", i ? "," : "", gid->raw[i]);
	text_add(t, " } }");
}

static const char *const symbols[] = {
	[SYM_port] = "port",
	[SYM_gid_index] = "gid_index",
	[SYM_lid] = "port_attr.lid",
	[SYM_mtu] = "mtu",
	[SYM_global] = "(port_attr.link_layer == IBV_LINK_LAYER_ETHERNET)",
	[SYM_ports] = "device.orig_attr.phys_port_cnt",
	[SYM_gid_tbl_len] = "port_attr.gid_tbl_len",
	[SYM_pkey_tbl_len] = "port_attr.pkey_tbl_len",
	[SYM_rights] =
		"(0xf | (int)(device.device_cap_flags_ex >> 30 & 0x300))",
	[SYM_max_mtu] = "port_attr.max_mtu",
	[SYM_active_mtu] = "port_attr.active_mtu",
	[SYM_mtu_bytes] = "(128u << mtu)",
	[SYM_active_mtu_bytes] = "(128u << port_attr.active_mtu)",
	[SYM_max_msg_sz] = "port_attr.max_msg_sz",
	[SYM_second_port] = "second_port",
	[SYM_second_gid_index] = "second_gid_index",
	[SYM_second_lid] = "second_attr.lid",
	[SYM_link_mtu] = "link_mtu",
	[SYM_link_mtu_bytes] = "(128u << link_mtu)",
};

static_assert(COUNT(symbols) == SYM_NR, "every symbol has its C expression");

static void c_plus(struct text *t, int64_t plus)
{
	if (!plus)
		return;
	text_add(t, plus < 0 ? " - " : " + ");
	c_number(t, false, plus < 0 ? -(uint64_t)plus : (uint64_t)plus);
}

static void c_limit(struct text *t, unsigned int lim)
{
	if (lim == LIM_num_comp_vectors) {
		text_add(t, "ctx->num_comp_vectors");
		return;
	}
	if (lim > LIM_num_comp_vectors) {
		text_add(t, "%s", limit_name((enum limit)lim));
		return;
	}
	text_add(t, "device.%s",
		 c_member((enum field)(family_first(FAM_DEVICE) + lim)));
}

/* struct polled has the names of the program's text, but wc[0] for wc0. */
static void c_completion(struct text *t, const char *var, const char *field)
{
	bool of_wc = !strncmp(field, "wc", 2);
	const char *member = of_wc ? field + 3 : field;
	bool swaps = of_wc && !strcmp(member, ".imm_data");

	text_add(t, "%s%s.", swaps ? "ntohl(" : "", var);
	if (of_wc)
		text_add(t, "wc[%c]", field[2]);
	text_add(t, "%s%s%s", member,
		 of_wc && !strcmp(member, ".qp") ? "_num" : "",
		 swaps ? ")" : "");
}

void c_output(struct text *t, enum verb verb, const char *var, enum field f)
{
	const struct verb_info *info = verb_info(verb);
	const char *member = c_member(f);

	if (verb == V_rereg_mr)
		text_add(t, "%s.%s", var, member);
	else if (f == F_srq_num)
		text_add(t, "%s_num", var);
	else if (f == F_qp_num || f == F_state || f == F_cqe)
		text_add(t, "%s->%s", var, member);
	else if (is_key(f))
		text_add(t, "%s_%s", var, member);
	else if (f == F_keys_top)
		text_add(t, "(0 - (uint64_t)(uintptr_t)%s->addr)", var);
	else if (f == F_entry_gid)
		text_add(t, "%s", var);
	else if (f == F_entry_pkey)
		text_add(t, "ntohs(%s)", var);
	else if (info->out == FAM_WC)
		c_completion(t, var, field_info(f)->text);
	else if (f == F_cq_event_context)
		text_add(t,
			 "(%s.context ? *(struct ibv_cq **)%s.context : NULL)",
			 var, var);
	else if (verb == V_query_device)
		text_add(t, "%s.%s", var, member + strlen("orig_attr."));
	else if (info->makes == OBJ_NONE ||
		 (verb_is_vendors(verb) && info->conv == CONV_INT) ||
		 field_info(f)->family == FAM_QP_ATTR ||
		 field_info(f)->family == FAM_ECE ||
		 field_info(f)->family == FAM_POSTED)
		text_add(t, "%s.%s", var, member);
	else
		text_add(t, "%s_init.%s", var, member);
}

/* Adding to an rkey changes only its tag. */
static void c_tagged(struct text *t, const char *key, enum field of,
		     int64_t plus)
{
	const char *member = of == F_new_rkey ? ".rkey" : "_rkey";

	text_add(t, "((%s%s & ~0xffu) | ((%s%s", key, member, key, member);
	c_plus(t, plus % 256);
	text_add(t, ") & 0xff))");
}

static void c_earlier(struct exporter *x, struct text *t, const struct value *v)
{
	enum field of = (enum field)v->field;

	if (is_rkey(of) && v->num) {
		c_tagged(t, c_object(x, v->ref), of, v->num);
		return;
	}

	c_output(t, (enum verb)maker_of(x->p, v->ref), c_object(x, v->ref), of);
	if (field_info(of)->kind != FK_GID)
		c_plus(t, v->num);
}

/* Returns the set of names that a value belongs to, if it is no number. */
static int names_of(const struct value *v)
{
	bool mtu = v->kind == VAL_SYM &&
		   (v->ref == SYM_mtu || v->ref == SYM_max_mtu ||
		    v->ref == SYM_active_mtu || v->ref == SYM_link_mtu);

	if (v->kind == VAL_OUT && !v->num)
		return field_info((enum field)v->field)->names;
	return mtu && !v->num ? NS_MTU : NS_NONE;
}

static void c_any(struct exporter *x, struct text *t, enum field f,
		  const struct value *v)
{
	switch ((enum value_kind)v->kind) {
	case VAL_NUM:
		c_literal(t, f, (uint64_t)v->num);
		break;
	case VAL_LIMIT:
		c_limit(t, v->ref);
		c_plus(t, v->num);
		break;
	case VAL_SYM:
		text_add(t, "%s", symbols[v->ref]);
		c_plus(t, v->num);
		break;
	case VAL_GID:
		c_gid(t, &v->gid);
		break;
	case VAL_MYGID:
		text_add(t, v->ref ? "second_gid" : "gid");
		break;
	case VAL_OBJ:
		text_add(t, "%s", c_object(x, v->ref));
		break;
	case VAL_OUT:
		c_earlier(x, t, v);
		break;
	}
}

/* Casts a value of another enumeration, so that compilers do not warn. */
void c_value(struct exporter *x, struct text *t, enum field f,
	     const struct value *v)
{
	bool foreign = v->kind != VAL_NUM && field_info(f)->kind == FK_ENUM &&
		       names_of(v) != field_info(f)->names;

	if (foreign)
		text_add(t, "(unsigned int)(");
	c_any(x, t, f, v);
	if (foreign)
		text_add(t, ")");
}

void c_setting(struct exporter *x, struct text *t, const struct call *c,
	       enum field f, const char *none)
{
	const struct setting *s = find_setting(x->p, c->first, c->nset, f);

	if (s)
		c_value(x, t, f, &s->value);
	else
		text_add(t, "%s", none);
}
