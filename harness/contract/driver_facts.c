/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Builds the table of the behaviour of known drivers from drivers.def.
 */
#include "contract/contract.h"

static const struct driver_fact facts[] = {
#define FACT(sym, driver, range, does, ran)                                    \
	{ROW_##sym, driver, range, does, ran},
#include "contract/tables/drivers.def"
};

const struct driver_fact *driver_facts(size_t *n)
{
	*n = COUNT(facts);
	return facts;
}
