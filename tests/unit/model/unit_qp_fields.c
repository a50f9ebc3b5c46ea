/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * qp_fields_offend() agrees with qp_field_judge(): an attribute offends exactly
 * if the value of one of its fields is illegal.
 */
#include <string.h>
#include "contract/qp_fields.h"
#include "model/model.h"
#include "program/text.h"
#include "tests/unit/tap.h"

/* Values of a field while the other fields of its attribute are legal */
static uint64_t value_near(const struct qp_field *f,
			   const struct device_info *d, unsigned int n)
{
	uint64_t low = qp_field_low(f, d), high = qp_field_high(f, d);
	const uint64_t edge[] = {low - 1, low,	    low + 1,  high - 1,
				 high,	  high + 1, high * 2, qp_field_max(f)};

	return (n < 256 ? n : edge[n - 256]) & qp_field_max(f);
}

enum { VALUES = 256 + 8 };

static void fill_legal(struct qp_attr_args *in, const struct device_info *d)
{
	size_t n;
	const struct qp_field *f = qp_fields(&n);

	memset(in, 0, sizeof(*in));
	for (size_t i = 0; i < n; i++)
		field_set((enum field)field_by_text(FAM_QP_ATTR, f[i].text), in,
			  qp_field_low(&f[i], d));
}

static unsigned int wrong_of_field(const struct qp_field *f,
				   const struct device_info *d,
				   unsigned int *offending)
{
	enum field field = (enum field)field_by_text(FAM_QP_ATTR, f->text);
	unsigned int wrong = 0;
	struct qp_attr_args in;

	for (unsigned int n = 0; n < VALUES; n++) {
		uint64_t value = value_near(f, d, n);
		bool outside = f->kind == QF_BITS
				       ? value & ~qp_field_high(f, d)
				       : value < qp_field_low(f, d) ||
						 value > qp_field_high(f, d);

		fill_legal(&in, d);
		field_set(field, &in, value);
		wrong += qp_fields_offend(&in.attr, UINT32_MAX, d) !=
			 (outside ? 1u << f->attr : 0);
		wrong += qp_fields_offend(&in.attr, ~(1u << f->attr), d) != 0;
		wrong += !outside && qp_field_judge(f, d, value) != ROW_NONE;
		*offending += outside;
	}
	return wrong;
}

static void test_device(const struct device_info *d, const char *name)
{
	unsigned int wrong = 0, offending = 0;
	size_t n;
	const struct qp_field *f = qp_fields(&n);

	for (size_t i = 0; i < n; i++)
		wrong += wrong_of_field(&f[i], d, &offending);
	if (!ok(wrong == 0, name))
		printf("# %u answers are wrong\n", wrong);
	ok(offending > 1000, "values that are not legal were among them");
}

int main(void)
{
	struct device_info d;

	model_default_device(&d);
	test_device(&d, "fields of the default device");
	d.limit[LIM_max_qp_init_rd_atom] = 0;
	d.limit[LIM_max_qp_rd_atom] = 1;
	d.limit[LIM_rate_limit_min] = 1000;
	d.limit[LIM_rate_limit_max] = 2000;
	d.nports = 1;
	d.port[d.port_num - 1].attr.pkey_tbl_len = 1;
	d.port[d.port_num - 1].attr.max_mtu = IBV_MTU_1024;
	test_device(&d, "fields of a small device");
	return tap_end();
}
