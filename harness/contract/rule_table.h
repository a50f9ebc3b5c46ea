/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The rows as one table, for rules.c alone. */
#ifndef IBVET_RULE_TABLE_H
#define IBVET_RULE_TABLE_H

#include "contract/contract.h"

extern const struct rule rule_table[ROW_NR];

#endif
