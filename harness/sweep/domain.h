/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The values of a field of ibv_modify_qp that a sweep tries. A GID is a number
 * of 128 bits; its first byte is the highest.
 */
#ifndef IBVET_SWEEP_DOMAIN_H
#define IBVET_SWEEP_DOMAIN_H

#include "contract/qp_fields.h"
#include "program/program.h"

#define DOMAIN_TEXT_LEN 48

typedef unsigned __int128 field_value;

/* Returns the limits of a numeric field, or NULL for another field. */
const struct qp_field *domain_number(enum field f);
/* Returns true if a sweep tries values of the field. */
bool domain_is(enum field f);
static inline bool domain_of_gids(enum field f)
{
	return field_info(f)->kind == FK_GID;
}

/* Return the number of values, and the n-th value. Values may repeat. */
uint32_t domain_size(enum field f);
field_value domain_value(enum field f, const struct device_info *d, uint32_t n);

void domain_set(enum field f, struct qp_attr_args *in, field_value value);
/* Prints "7" or "2001:db8::1". */
char *domain_text(enum field f, field_value value, char *buf, size_t len);

#endif
