/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by generators about flow steering rules and work queues.
 */
#ifndef IBVET_CASES_FLOW_FLOW_H
#define IBVET_CASES_FLOW_FLOW_H

#include "cases/generate/generate.h"

/* Returns the first missing claim for a rule of a RAW_PACKET queue pair. */
enum claim flow_claim(const struct gen *g);

#endif
