// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints the calls of mlx5 as C for `ibvet repro`: for mlx5dv_create_qp the
 * verbs structure, the mlx5 structure, and the call.
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

static void put_members(struct exporter *x, const struct call *c)
{
	char value[C_TEXT_LEN];
	struct text t;

	for (size_t i = 0; i < COUNT(members); i++) {
		enum field f = members[i].field;

		if (!setting_of(x, c, f) ||
		    !(is_dct(x, c) ? members[i].dct : members[i].dci))
			continue;
		text_init(&t, value, sizeof(value));
		c_setting(x, &t, c, f, "0");
		put_line(x, 2, ".%s = %s,", members[i].member, value);
	}
}

static void put_dc(struct exporter *x, const struct call *c, enum field f,
		   const char *member)
{
	char value[C_TEXT_LEN];
	struct text t;

	text_init(&t, value, sizeof(value));
	c_setting(x, &t, c, f, "0");
	put_line(x, 2, "dc.%s = %s;", member, value);
}

void mlx5_c_request(struct exporter *x, const struct call *c)
{
	put_dc(x, c, F_send_dc_key, "key");
	put_dc(x, c, F_send_dc_stream, "stream");
}

static void put_reset(struct exporter *x, const struct call *c)
{
	char value[C_TEXT_LEN], call[C_TEXT_LEN + 64];
	struct text t;

	text_init(&t, value, sizeof(value));
	c_setting(x, &t, c, F_stream_id, "0");
	snprintf(call, sizeof(call), "mlx5dv_dci_stream_id_reset(%s, %s)",
		 c_object(x, c->on), value);
	export_block(x, c, "", call, "gave_int", "");
}

static void put_look(struct exporter *x, const struct call *c)
{
	char call[C_NAME_LEN + 24];

	snprintf(call, sizeof(call), "look_cqe(%s, &cqe)", c_object(x, c->on));
	export_block(x, c, "struct cqe cqe;", call, "gave_int", "cqe");
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

void mlx5_c_call(struct exporter *x, const struct call *c)
{
	if (c->verb == V_mlx5dv_create_qp)
		put_creation(x, c);
	else if (c->verb == V_mlx5_look_cqe)
		put_look(x, c);
	else
		put_reset(x, c);
}
