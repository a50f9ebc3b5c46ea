/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The values that a field of ibv_modify_qp may take, for the model's checks
 * and for the cases that try them. Fields are known by the text that programs
 * write.
 */
#ifndef IBVET_QP_FIELDS_H
#define IBVET_QP_FIELDS_H

#include "contract/contract.h"
#include "contract/device.h"

enum qp_field_kind { QF_NUM, QF_BITS };

/* A number, or what the device says under a name, plus a number. */
struct field_bound {
	const char *symbol; /* NULL: `plus` alone */
	int64_t plus;
};

struct qp_field {
	const char *text; /* "ah_attr.sl" */
	uint8_t attr;	  /* bit of the attribute mask */
	uint8_t bits;	  /* width of the structure's member */
	enum qp_field_kind kind;
	struct field_bound low, high;
	enum row below, past; /* ROW_NONE: no such value exists */
	/* What connections use; the symbol "" is the pair's own number. */
	struct field_bound good;
};

/* In the order of attribute bits: the fields of one attribute are together. */
const struct qp_field *qp_fields(size_t *n);
const struct qp_field *qp_field_by_text(const char *text); /* or NULL */

/* A bound for this device, no more than the member can hold. */
uint64_t field_bound(const struct field_bound *b, const struct device_info *d);
uint64_t qp_field_low(const struct qp_field *f, const struct device_info *d);
uint64_t qp_field_high(const struct qp_field *f, const struct device_info *d);
uint64_t qp_field_max(const struct qp_field *f); /* all ones */

/* ROW_NONE when the value is legal, else the row that decides about it. */
enum row qp_field_judge(const struct qp_field *f, const struct device_info *d,
			uint64_t value);
/* Those attributes of a mask of which a field holds a value that is not legal;
 * a bound past what the member can hold counts as it is. */
uint32_t qp_fields_offend(const struct ibv_qp_attr *in, uint32_t mask,
			  const struct device_info *d);

#endif
