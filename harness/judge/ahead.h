/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Announces calls to a target for which each call is a message to another host.
 */
#ifndef IBVET_AHEAD_H
#define IBVET_AHEAD_H

#include "judge/judge.h"

/* Before call `index`, bound as *b, is made: announces this call and those
 * behind it on the other host that can be made without knowing its outcome. */
void judge_announce(struct judge_run *r, int index, const struct bound *b);

#endif
