/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The values of a field of ibv_modify_qp that a sweep tries. A GID is one
 * number of 128 bits, its first byte the highest.
 */
#ifndef IBVET_SWEEP_DOMAIN_H
#define IBVET_SWEEP_DOMAIN_H

#include "contract/qp_fields.h"
#include "program/program.h"

#define DOMAIN_TEXT_LEN 48

typedef unsigned __int128 field_value;

/* What verbs say of a number, NULL: it is none. */
const struct qp_field *domain_number(enum field f);
/* Has it values that can be tried? */
bool domain_is(enum field f);
static inline bool domain_of_gids(enum field f)
{
	return field_info(f)->kind == FK_GID;
}

/* How many there are, and the n-th of them: the same one may come twice. */
uint32_t domain_size(enum field f);
field_value domain_value(enum field f, const struct device_info *d, uint32_t n);

void domain_set(enum field f, struct qp_attr_args *in, field_value value);
/* "7", "2001:db8::1" */
char *domain_text(enum field f, field_value value, char *buf, size_t len);

#endif
