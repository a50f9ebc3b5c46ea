/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Keeps copies of cases, since a generator makes one case at a time and a
 * recorder has room for one.
 */
#include <stdlib.h>
#include "run/later.h"

static struct later_case *add(struct later *l, uint64_t number,
			      const struct test_case *c)
{
	struct later_case *late = calloc(1, sizeof(*late));

	if (!late)
		return NULL;
	late->number = number;
	late->c = *c;
	late->c.program = &late->program;
	prog_copy(&late->program, c->program);
	if (l->last)
		l->last->next = late;
	else
		l->first = late;
	l->last = late;
	l->n++;
	return late;
}

bool later_add(struct later *l, uint64_t number, const struct test_case *c,
	       bool lost)
{
	struct later_case *late = add(l, number, c);

	if (late)
		late->lost = lost;
	return late != NULL;
}

bool later_add_again(struct later *l, const struct recorder *r,
		     const struct judgement *seen)
{
	struct later_case *late = add(l, r->number, &r->current);

	if (!late)
		return false;
	late->again = true;
	late->seen = *seen;
	if (!r->kernel.found)
		return true;
	late->heard = calloc(1, sizeof(*late->heard));
	if (late->heard)
		kernel_log_recall(late->heard, &r->kernel);
	return late->heard != NULL;
}

struct later_case *later_take(struct later *l)
{
	struct later_case *first = l->first;

	if (!first)
		return NULL;
	l->first = first->next;
	l->last = l->first ? l->last : NULL;
	l->n--;
	return first;
}

void later_free_case(struct later_case *c)
{
	if (!c)
		return;
	free(c->heard);
	free(c);
}

void later_free(struct later *l)
{
	while (l->first)
		later_free_case(later_take(l));
}
