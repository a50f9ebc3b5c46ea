/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How long a program of two devices waits for what may come to either of them.
 */
#ifndef IBVET_EITHER_END_H
#define IBVET_EITHER_END_H

#include "judge/judge.h"

/* Makes a call that waits ask for no more than can come by the explanations so
 * far. Other calls stay as they are. */
void either_end_limit(struct judge *j, struct bound *b);

#endif
