/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The legal values of each field of ibv_modify_qp, for the model and for the
 * cases that try them. Fields are named as in programs.
 */
#ifndef IBVET_CONTRACT_QP_FIELDS_H
#define IBVET_CONTRACT_QP_FIELDS_H

#include "contract/contract.h"
#include "contract/device.h"

enum qp_field_kind { QF_NUM, QF_BITS };

/* A number, or a number of the device by its name, plus a number */
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
	enum row below, past; /* ROW_NONE: the field cannot hold such values */
	/* The value of connections; "" is the queue pair's own number. */
	struct field_bound good;
};

/* Returns all fields, in the order of attribute bits. */
const struct qp_field *qp_fields(size_t *n);
const struct qp_field *qp_field_by_text(const char *text); /* or NULL */

/* Returns the value of a bound on this device. */
uint64_t field_bound(const struct field_bound *b, const struct device_info *d);
/* Return the bounds of a field on this device, limited to qp_field_max(). */
uint64_t qp_field_low(const struct qp_field *f, const struct device_info *d);
uint64_t qp_field_high(const struct qp_field *f, const struct device_info *d);
uint64_t qp_field_max(const struct qp_field *f); /* of the width */

/* Returns ROW_NONE if the value is legal, else the row that decides about it.
 */
enum row qp_field_judge(const struct qp_field *f, const struct device_info *d,
			uint64_t value);
/* Returns the attributes of a mask that have an illegal value in a field.
 * Bounds are not limited to the largest value of the member. */
uint32_t qp_fields_offend(const struct ibv_qp_attr *in, uint32_t mask,
			  const struct device_info *d);

#endif
