// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints the calls about keys for data and login sessions as C for
 * `ibvet repro`.
 */
#include "program/repro/repro.h"
#include "vendor-mlx5/mlx5.h"

/* Members of struct dek_init for the fields of the creation. */
static const struct {
	enum field field;
	const char *member;
} members[] = {
	{F_dek_key_size, "key_size"},
	{F_dek_purpose, "key_purpose"},
	{F_dek_key, "key"},
	{F_dek_has_keytag, "has_keytag"},
	{F_dek_keytag, "keytag"},
	{F_dek_opaque_in, "opaque"},
	{F_dek_comp_mask, "comp_mask"},
};

void mlx5_c_dek(struct exporter *x, const struct call *c)
{
	char name[C_NAME_LEN], value[C_TEXT_LEN];
	struct text t;

	export_name(x, c, name);
	put_line(x, 1, "struct dek_init %s_init = {", name);
	for (size_t i = 0; i < COUNT(members); i++) {
		text_init(&t, value, sizeof(value));
		c_setting(x, &t, c, members[i].field, "0");
		put_line(x, 2, ".%s = %s,", members[i].member, value);
	}
	put_line(x, 1, "};");
	put_line(x, 1, "errno = ERRNO_POISON;");
	put_line(x, 1, "struct mlx5dv_dek *%s = create_dek(%s, &%s_init);",
		 name, c_object(x, c->on), name);
	export_made(x, c, name);
}

void mlx5_c_dek_query(struct exporter *x, const struct call *c)
{
	char call[C_TEXT_LEN + C_NAME_LEN + 32], mask[C_TEXT_LEN];
	struct text t;

	text_init(&t, mask, sizeof(mask));
	c_setting(x, &t, c, F_dek_query_mask, "0");
	snprintf(call, sizeof(call), "query_dek(%s, %s, &answer)",
		 c_object(x, c->on), mask);
	export_block(x, c, "struct dek_answer answer;", call, RET_INT,
		     "answer");
}

void mlx5_c_login(struct exporter *x, const struct call *c)
{
	static const enum field fields[] = {F_login_credential, F_login_kek,
					    F_login_comp_mask};
	char call[3 * C_TEXT_LEN + C_NAME_LEN + 32], value[3][C_TEXT_LEN];
	struct text t;

	for (size_t i = 0; i < COUNT(fields); i++) {
		text_init(&t, value[i], sizeof(value[i]));
		c_setting(x, &t, c, fields[i], "0");
	}
	snprintf(call, sizeof(call), "crypto_login(%s, %s, %s, %s)", c_on(x, c),
		 value[0], value[1], value[2]);
	export_block(x, c, "", call, RET_INT, "");
}

void mlx5_c_login_query(struct exporter *x, const struct call *c)
{
	char call[C_NAME_LEN + 32];

	snprintf(call, sizeof(call), "query_login(%s, &answer)", c_on(x, c));
	export_block(x, c, "struct login_answer answer;", call, RET_INT,
		     "answer");
}

void mlx5_c_logout(struct exporter *x, const struct call *c)
{
	char call[C_NAME_LEN + 32];

	snprintf(call, sizeof(call), "mlx5dv_crypto_logout(%s)", c_on(x, c));
	export_block(x, c, "", call, RET_INT, "");
}
