// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints the calls of mlx5 as C for `ibvet repro`: for mlx5dv_create_qp and
 * mlx5dv_create_cq the verbs structure, the mlx5 structure, and the call.
 */
#include <infiniband/mlx5dv.h>
#include "program/repro/repro.h"
#include "vendor-mlx5/mlx5.h"

static const struct {
	enum field field;
	const char *member;
	bool dct, dci; /* dc_type DCT, or another, has the member */
} members[] = {
	{F_dv_comp_mask, "comp_mask", true, true},
	{F_dv_create_flags, "create_flags", true, true},
	{F_dc_type, "dc_init_attr.dc_type", true, true},
	{F_dct_access_key, "dc_init_attr.dct_access_key", true, false},
	{F_dci_log_concurent, "dc_init_attr.dci_streams.log_num_concurent",
	 false, true},
	{F_dci_log_errored, "dc_init_attr.dci_streams.log_num_errored", false,
	 true},
	{F_dv_send_ops_flags, "send_ops_flags", true, true},
};

static const struct {
	enum field field;
	const char *member;
} cq_members[] = {
	{F_dv_cq_comp_mask, "comp_mask"},
	{F_dv_cq_format, "cqe_comp_res_format"},
	{F_dv_cq_flags, "flags"},
	{F_dv_cq_size, "cqe_size"},
};

static const struct setting *setting_of(const struct exporter *x,
					const struct call *c, enum field f)
{
	return find_setting(x->p, c->first, c->nset, f);
}

static bool is_dct(const struct exporter *x, const struct call *c)
{
	const struct setting *s = setting_of(x, c, F_dc_type);

	return s && s->value.num == MLX5DV_DCTYPE_DCT;
}

/* Initializes a member of a structure with a field that the call has. */
static void put_member(struct exporter *x, const struct call *c, enum field f,
		       const char *member, unsigned int depth)
{
	char value[C_TEXT_LEN];
	struct text t;

	if (!setting_of(x, c, f))
		return;
	text_init(&t, value, sizeof(value));
	c_setting(x, &t, c, f, "0");
	put_line(x, depth, ".%s = %s,", member, value);
}

static void put_members(struct exporter *x, const struct call *c)
{
	bool dct = is_dct(x, c);

	for (size_t i = 0; i < COUNT(members); i++)
		if (dct ? members[i].dct : members[i].dci)
			put_member(x, c, members[i].field, members[i].member,
				   2);
}

static void put_assignment(struct exporter *x, const struct call *c,
			   enum field f, const char *to)
{
	char value[C_TEXT_LEN];
	struct text t;

	text_init(&t, value, sizeof(value));
	c_setting(x, &t, c, f, "0");
	put_line(x, 2, "%s = %s;", to, value);
}

void mlx5_c_request(struct exporter *x, const struct call *c)
{
	put_assignment(x, c, F_send_dc_key, "dc.key");
	put_assignment(x, c, F_send_dc_stream, "dc.stream");
}

/* Members of a raw WQE beside those of struct request. */
static const struct {
	enum field field;
	const char *member;
} raw_members[] = {
	{F_raw_wr_flags, "raw.wr_flags"},
	{F_send_dc_key, "raw.dc_key"},
	{F_send_dc_stream, "raw.stream"},
};

/* A change of one attribute, whose value is the only argument. */
static void put_change(struct exporter *x, const struct call *c, enum field f)
{
	char value[C_TEXT_LEN], call[C_TEXT_LEN + 64];
	struct text t;

	text_init(&t, value, sizeof(value));
	c_setting(x, &t, c, f, "0");
	snprintf(call, sizeof(call), "%s(%s, %s)",
		 verb_info((enum verb)c->verb)->name, c_on(x, c), value);
	export_block(x, c, "", call, RET_INT, "");
}

static void put_lag_query(struct exporter *x, const struct call *c)
{
	char call[2 * C_NAME_LEN + 80];

	snprintf(call, sizeof(call),
		 "mlx5dv_query_qp_lag_port(%s, &lag.port_num, "
		 "&lag.active_port_num)",
		 c_object(x, c->on));
	export_block(x, c, "struct { uint8_t port_num, active_port_num; } lag;",
		     call, RET_INT, "lag");
}

static void put_mkey(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN], flags[C_TEXT_LEN], entries[C_TEXT_LEN];
	struct text t;

	export_name(x, c, name);
	text_init(&t, flags, sizeof(flags));
	c_setting(x, &t, c, F_mkey_flags, "0");
	text_init(&t, entries, sizeof(entries));
	c_setting(x, &t, c, F_mkey_entries, "0");
	put_line(x, 1, "struct mkey_size %s_init = {.max_entries = %s};", name,
		 entries);
	put_line(x, 1, "errno = ERRNO_POISON;");
	put_line(x, 1, "struct ibv_mr *%s = create_mkey(%s, %s, &%s_init);",
		 name, c_object(x, c->on), flags, name);
	export_keys(x, c, name);
	export_made(x, c, name);
}

static void put_destroy(struct exporter *x, const struct call *c)
{
	char call[C_NAME_LEN + 24];

	snprintf(call, sizeof(call), "destroy_mkey(%s)", c_object(x, c->on));
	export_block(x, c, "", call, RET_INT, "");
}

/* Members of struct request, and of struct mkey_request, for the fields of the
 * builders. */
static const struct {
	enum field field;
	const char *member;
	bool own;
} build_members[] = {
	{F_umr_wr_id, "wr_id", false},
	{F_umr_flags, "send_flags", false},
	{F_umr_entries, "num_sge", false},
	{F_umr_mr, "mr", false},
	{F_umr_offset, "offset", false},
	{F_umr_length, "length", false},
	{F_umr_stride, "stride", false},
	{F_umr_lkey, "lkey", false},
	{F_umr_part, "part", false},
	{F_umr_part_mr, "part_mr", false},
	{F_umr_part_offset, "part_offset", false},
	{F_umr_part_length, "part_length", false},
	{F_umr_part_lkey, "part_lkey", false},
	{F_umr_mkey, "mkey", true},
	{F_umr_setters, "setters", true},
	{F_umr_conf_flags, "conf_flags", true},
	{F_umr_comp_mask, "comp_mask", true},
	{F_umr_access, "access", true},
	{F_umr_repeat, "repeat_count", true},
	{F_umr_skip, "bytes_skip", true},
	{F_sig_check_mask, "sig.check_mask", true},
	{F_sig_copy_mask, "sig.copy_mask", true},
	{F_sig_flags, "sig.flags", true},
	{F_sig_comp_mask, "sig.comp_mask", true},
	{F_sig_mem, "sig.mem.kind", true},
	{F_sig_mem_block, "sig.mem.block", true},
	{F_sig_mem_seed, "sig.mem.seed", true},
	{F_sig_mem_app, "sig.mem.app_tag", true},
	{F_sig_mem_ref, "sig.mem.ref_tag", true},
	{F_sig_mem_flags, "sig.mem.flags", true},
	{F_sig_wire, "sig.wire.kind", true},
	{F_sig_wire_block, "sig.wire.block", true},
	{F_sig_wire_seed, "sig.wire.seed", true},
	{F_sig_wire_app, "sig.wire.app_tag", true},
	{F_sig_wire_ref, "sig.wire.ref_tag", true},
	{F_sig_wire_flags, "sig.wire.flags", true},
	{F_crypto_dek, "crypto.dek", true},
	{F_crypto_encrypts, "crypto.encrypts", true},
	{F_crypto_order, "crypto.order", true},
	{F_crypto_unit, "crypto.unit", true},
	{F_crypto_tweak, "crypto.tweak[0]", true},
	{F_crypto_tweak_high, "crypto.tweak[1]", true},
	{F_crypto_keytag, "crypto.keytag", true},
	{F_crypto_standard, "crypto.standard", true},
	{F_crypto_comp_mask, "crypto.comp_mask", true},
	{F_copy_wr_id, "wr_id", false},
	{F_copy_flags, "send_flags", false},
	{F_copy_dest, "remote", false},
	{F_copy_dest_offset, "remote_offset", false},
	{F_copy_dest_lkey, "rkey", false},
	{F_copy_src, "mr", false},
	{F_copy_src_offset, "offset", false},
	{F_copy_src_lkey, "lkey", false},
	{F_copy_length, "length", false},
};

/* An odd entry without a skip of its own has that of the other entries. */
static void put_part_skip(struct exporter *x, const struct call *c)
{
	if (setting_of(x, c, F_umr_part))
		put_member(x, c,
			   setting_of(x, c, F_umr_part_skip) ? F_umr_part_skip
							     : F_umr_skip,
			   "part_skip", 3);
}

static void put_build_members(struct exporter *x, const struct call *c,
			      bool own)
{
	put_line(x, 2, "struct %s %s = {", own ? "mkey_request" : "request",
		 own ? "own" : "request");
	for (size_t i = 0; i < COUNT(build_members); i++)
		if (build_members[i].own == own)
			put_member(x, c, build_members[i].field,
				   build_members[i].member, 3);
	if (own)
		put_part_skip(x, c);
	put_line(x, 2, "};");
}

/* Entries of an mkey are named by their IOVA though they may be inline. */
static void put_shifts(struct exporter *x, const struct call *c)
{
	export_shift_of(x, c, F_umr_mr, "offset", NULL);
	export_shift_of(x, c, F_umr_part_mr, "part_offset", NULL);
	export_shift_of(x, c, F_copy_src, "offset", "send_flags");
	export_shift_of(x, c, F_copy_dest, "remote_offset", NULL);
}

static void put_build(struct exporter *x, const struct call *c)
{
	bool copies = c->verb == V_mlx5dv_wr_memcpy;
	const char *builder = "build_configure";

	if (copies)
		builder = "build_copy";
	else if (c->verb == V_mlx5dv_wr_mr_list)
		builder = "build_list";
	else if (c->verb == V_mlx5dv_wr_mr_interleaved)
		builder = "build_interleaved";
	put_line(x, 1, "if (batch_of(%s))", c_object(x, c->on));
	put_line(x, 1, "{");
	put_build_members(x, c, false);
	if (!copies)
		put_build_members(x, c, true);
	put_line(x, 2, "int ret;");
	fputs("\n", x->out);
	put_shifts(x, c);
	put_line(x, 2, "errno = ERRNO_POISON;");
	put_line(x, 2, "ret = %s(%s, &request%s);", builder, c_object(x, c->on),
		 copies ? "" : ", &own");
	export_result(x, c, 2, RET_INT, "ret", "");
	put_line(x, 1, "}");
}

static void put_raw(struct exporter *x, const struct call *c)
{
	put_line(x, 1, "if (batch_of(%s))", c_object(x, c->on));
	export_request_begin(x, c);
	put_line(x, 2, "struct raw_wqe raw = { 0 };");
	fputs("\n", x->out);
	for (size_t i = 0; i < COUNT(raw_members); i++)
		if (setting_of(x, c, raw_members[i].field))
			put_assignment(x, c, raw_members[i].field,
				       raw_members[i].member);
	put_line(x, 2, "ret = build_raw(%s, &request, &raw);",
		 c_object(x, c->on));
	export_result(x, c, 2, RET_INT, "ret", "");
	put_line(x, 1, "}");
}

static void put_cancel(struct exporter *x, const struct call *c)
{
	char value[C_TEXT_LEN], call[C_TEXT_LEN + C_NAME_LEN + 32];
	struct text t;

	text_init(&t, value, sizeof(value));
	c_setting(x, &t, c, F_cancel_wr_id, "0");
	snprintf(call, sizeof(call), "cancel_sends(%s, %s, &canceled)",
		 c_object(x, c->on), value);
	export_block(x, c, "struct canceled canceled;", call, RET_INT,
		     "canceled");
}

static void put_look(struct exporter *x, const struct call *c)
{
	char call[C_NAME_LEN + 24];

	snprintf(call, sizeof(call), "look_cqe(%s, &cqe)", c_object(x, c->on));
	export_block(x, c, "struct cqe cqe;", call, RET_INT, "cqe");
}

static void put_check(struct exporter *x, const struct call *c)
{
	char call[C_NAME_LEN + 40];

	snprintf(call, sizeof(call), "check_mkey(mkey_of(%s), &error)",
		 c_object(x, c->on));
	export_block(x, c, "struct mkey_error error;", call, RET_INT, "error");
}

static void put_creation(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN];
	bool key = setting_of(x, c, F_rx_hash_key_len);

	export_name(x, c, name);
	put_line(x, 1, "struct ibv_qp_init_attr_ex %s_init = {", name);
	export_settings(x, c, 2);
	if (key)
		put_line(x, 2, ".rx_hash_conf.rx_hash_key = hash_key,");
	fputs("\t};\n", x->out);
	put_line(x, 1, "struct mlx5dv_qp_init_attr %s_dv = {", name);
	put_members(x, c);
	fputs("\t};\n", x->out);
	put_line(x, 1, "errno = ERRNO_POISON;");
	put_line(x, 1,
		 "struct ibv_qp *%s = mlx5dv_create_qp(%s, &%s_init, &%s_dv);",
		 name, c->on == NO_OBJ ? "ctx" : c_object(x, c->on), name,
		 name);
	export_made(x, c, name);
}

static void put_cq(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN];

	export_name(x, c, name);
	put_line(x, 1, "struct ibv_cq *%s;", name);
	put_line(x, 1, "struct ibv_cq_init_attr_ex %s_init = {", name);
	export_settings(x, c, 2);
	put_line(x, 2, ".cq_context = &%s,", name);
	fputs("\t};\n", x->out);
	put_line(x, 1, "struct mlx5dv_cq_init_attr %s_dv = {", name);
	for (size_t i = 0; i < COUNT(cq_members); i++)
		put_member(x, c, cq_members[i].field, cq_members[i].member, 2);
	fputs("\t};\n", x->out);
	put_line(x, 1, "errno = ERRNO_POISON;");
	put_line(x, 1,
		 "struct ibv_cq_ex *%s_ex = mlx5dv_create_cq(%s, &%s_init, "
		 "&%s_dv);",
		 name, c_on(x, c), name, name);
	put_line(x, 1, "%s = %s_ex ? ibv_cq_ex_to_cq(%s_ex) : NULL;", name,
		 name, name);
	export_made(x, c, name);
}

/* The attributes of a scheduling element, in a variable. */
static void put_sched_attr(struct exporter *x, const struct call *c,
			   const char *name, unsigned int tabs)
{
	put_line(x, tabs, "struct mlx5dv_sched_attr %s = {%s", name,
		 c->nset ? "" : " 0 };");
	if (!c->nset)
		return;
	export_settings(x, c, tabs + 1);
	put_line(x, tabs, "};");
}

static void put_sched(struct exporter *x, const struct call *c)
{
	bool leaf = c->verb == V_mlx5dv_sched_leaf_create;
	char name[C_NAME_LEN], init[C_NAME_LEN + 5];

	export_name(x, c, name);
	snprintf(init, sizeof(init), "%s_init", name);
	put_sched_attr(x, c, init, 1);
	put_line(x, 1, "errno = ERRNO_POISON;");
	put_line(x, 1, "%s *%s = %s(%s, &%s);",
		 c_type(leaf ? OBJ_MLX5_LEAF : OBJ_MLX5_NODE), name,
		 verb_info((enum verb)c->verb)->name, c_on(x, c), init);
	export_made(x, c, name);
}

static void put_sched_change(struct exporter *x, const struct call *c)
{
	put_line(x, 1, "{");
	put_sched_attr(x, c, "attr", 2);
	put_line(x, 2, "int ret;");
	fputs("\n", x->out);
	put_line(x, 2, "errno = ERRNO_POISON;");
	put_line(x, 2, "ret = %s(%s, &attr);",
		 verb_info((enum verb)c->verb)->name, c_object(x, c->on));
	export_result(x, c, 2, RET_INT, "ret", "");
	put_line(x, 1, "}");
}

static void put_end(struct exporter *x, const struct call *c)
{
	char call[C_NAME_LEN + 40];

	snprintf(call, sizeof(call), "%s(%s)",
		 verb_info((enum verb)c->verb)->name, c_object(x, c->on));
	export_block(x, c, "", call, RET_INT, "");
}

static void put_leaves(struct exporter *x, const struct call *c)
{
	char leaves[2][C_TEXT_LEN], call[2 * C_TEXT_LEN + C_NAME_LEN + 40];
	struct text t;

	text_init(&t, leaves[0], sizeof(leaves[0]));
	c_setting(x, &t, c, F_qp_requestor, "NULL");
	text_init(&t, leaves[1], sizeof(leaves[1]));
	c_setting(x, &t, c, F_qp_responder, "NULL");
	snprintf(call, sizeof(call), "mlx5dv_modify_qp_sched_elem(%s, %s, %s)",
		 c_object(x, c->on), leaves[0], leaves[1]);
	export_block(x, c, "", call, RET_INT, "");
}

static void put_reserve(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN], ret[C_NAME_LEN + 4];

	export_name(x, c, name);
	put_line(x, 1, "struct reserved_qpn %s = { 0 };", name);
	put_line(x, 1, "errno = ERRNO_POISON;");
	put_line(x, 1, "int %s_ret = mlx5dv_reserved_qpn_alloc(%s, &%s.qpn);",
		 name, c_on(x, c), name);
	snprintf(ret, sizeof(ret), "%s_ret", name);
	export_result(x, c, 1, RET_INT, ret, name);
	export_stuck(x, c, RET_INT, ret);
}

/* How the calls with a form of their own are printed. */
static void (*const printers[VERB_NR])(struct exporter *x,
				       const struct call *c) = {
	[V_mlx5dv_create_qp] = put_creation,
	[V_mlx5dv_create_cq] = put_cq,
	[V_mlx5_look_cqe] = put_look,
	[V_mlx5dv_wr_raw_wqe] = put_raw,
	[V_mlx5dv_qp_cancel_posted_send_wrs] = put_cancel,
	[V_mlx5dv_create_mkey] = put_mkey,
	[V_mlx5dv_destroy_mkey] = put_destroy,
	[V_mlx5dv_mkey_check] = put_check,
	[V_mlx5dv_query_qp_lag_port] = put_lag_query,
	[V_mlx5dv_sched_node_create] = put_sched,
	[V_mlx5dv_sched_leaf_create] = put_sched,
	[V_mlx5dv_sched_node_modify] = put_sched_change,
	[V_mlx5dv_sched_leaf_modify] = put_sched_change,
	[V_mlx5dv_sched_node_destroy] = put_end,
	[V_mlx5dv_sched_leaf_destroy] = put_end,
	[V_mlx5dv_modify_qp_sched_elem] = put_leaves,
	[V_mlx5dv_reserved_qpn_alloc] = put_reserve,
	[V_mlx5dv_dek_create] = mlx5_c_dek,
	[V_mlx5dv_dek_query] = mlx5_c_dek_query,
	[V_mlx5dv_dek_destroy] = put_end,
	[V_mlx5dv_crypto_login] = mlx5_c_login,
	[V_mlx5dv_crypto_login_query_state] = mlx5_c_login_query,
	[V_mlx5dv_crypto_logout] = mlx5_c_logout,
};

void mlx5_c_call(struct exporter *x, const struct call *c)
{
	enum verb verb = (enum verb)c->verb;

	if (printers[verb])
		printers[verb](x, c);
	else if (verb_builds(verb))
		put_build(x, c);
	else
		put_change(x, c, family_first(verb_info(verb)->in));
}
