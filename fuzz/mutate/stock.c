/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes the stock from which programs are changed.
 */
#include <errno.h>
#include <stdlib.h>
#include "fuzz/mutate/stock.h"

int stock_of_cases(struct stock *s, const struct device_info *d,
		   bool with_calls)
{
	int ret;

	*s = (struct stock){.values = values_of_cases(d)};
	if (!s->values)
		return -errno;
	if (!with_calls)
		return 0;
	s->calls = samples_of_cases(d);
	if (s->calls)
		return 0;
	ret = -errno;
	stock_free(s);
	return ret;
}

void stock_give(const struct stock *s, struct changer *c)
{
	c->values = s->values;
	c->calls = s->calls;
}

void stock_free(struct stock *s)
{
	values_free(s->values);
	if (s->calls)
		samples_free(s->calls);
	free(s->calls);
	*s = (struct stock){0};
}
