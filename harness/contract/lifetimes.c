/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds the table of lifetimes from lifetimes.def.
 */
#include "contract/contract.h"

static const struct lifetime lives[] = {
#define LIFETIME(parent, child, row) {parent, child, ROW_##row},
#include "contract/tables/lifetimes.def"
};

const struct lifetime *lifetimes(size_t *n)
{
	*n = COUNT(lives);
	return lives;
}
