// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The struct vendor_ops of the example vendor: the functions that the harness
 * calls for its devices, type and call.
 */
#include "mutants/mutant.h"
#include "program/repro/repro.h"
#include "tests/vendor-example/example.h"

static enum qp_kind created_kind(const struct qp_init_args *in)
{
	return in->vendor.example.type == EXAMPLE_TYPE_EXQ ? QK_EXQ : QK_NR;
}

static enum qp_kind kind_of_setting(enum field f, uint64_t value)
{
	return f == F_example_type && value == EXAMPLE_TYPE_EXQ ? QK_EXQ
								: QK_NR;
}

/* Prints the call as C. There is no library to link, so the C does what
 * example_create_qp() in library.c does. */
static void c_call(struct exporter *x, const struct call *c)
{
	const struct setting *flags =
		find_setting(x->p, c->first, c->nset, F_example_flags);
	char name[C_NAME_LEN];

	export_name(x, c, name);
	put_line(x, 1, "struct ibv_qp_init_attr_ex %s_init = {", name);
	export_settings(x, c, 2);
	put_line(x, 1, "};");
	if (flags && flags->value.num & EXAMPLE_CREATE_LOUD)
		put_line(x, 1, "%s_init.cap.max_inline_data |= 0x%x;", name,
			 EXAMPLE_ABI_LOUD);
	put_line(x, 1, "errno = ERRNO_POISON;");
	put_line(x, 1,
		 "struct ibv_qp *%s = ibv_create_qp(%s_init.pd, "
		 "(struct ibv_qp_init_attr *)&%s_init);",
		 name, name, name);
	export_made(x, c, name);
}

static void model_device(struct device_info *info, bool all)
{
	(void)all; /* the vendor has no optional features */
	info->limit[LIM_example] = 1;
}

/* EX_DEVICE is about devices of other vendors. EX_LOUD_OTHER applies only to
 * the model with a seeded fault. */
static bool unreached(enum row row)
{
	return row == ROW_EX_DEVICE || row == ROW_EX_LOUD_OTHER;
}

/* The call makes only EXQs, so no case can give the flag to another type. */
static bool ignores_bit(enum qp_kind kind, enum field bits)
{
	(void)bits;
	return kind != QK_EXQ;
}

static const char *hidden_below(const struct mutant *m,
				const struct device_info *d)
{
	(void)d;
	if (m->row != ROW_NONE && rule(m->row)->layer == LAYER_PROVIDER)
		return "the library decides this by itself";
	return NULL;
}

const struct vendor_ops vendor_example = {
	.name = "example",
	.drives = LIM_example,
	.claim = CLAIM_EXAMPLE,
	.created_kind = created_kind,
	.setting_kind = kind_of_setting,
	.c_call = c_call,
	.describe = example_describe,
	.model_device = model_device,
	.unreached = unreached,
	.ignores_bit = ignores_bit,
	.hidden_below = hidden_below,
	.generate = example_generate,
	.generate_qp = example_generate_qp,
	.virtual_driver = &example_virtual_driver,
	.devices = "tests/vendor-example/devices",
};
