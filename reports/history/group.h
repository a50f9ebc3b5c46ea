/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Groups the rows of an answer: cases of a device that break the same rule
 * since the same night are told together.
 */
#ifndef IBVET_REPORTS_HISTORY_GROUP_H
#define IBVET_REPORTS_HISTORY_GROUP_H

#include <jansson.h>

/* Returns an array of groups, in the order of their first rows. A group is the
 * array of its rows. */
json_t *history_groups(const json_t *rows);

#endif
