/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The kernel asked without the library, where a library refuses by itself what
 * the driver would have to answer; and the library without the kernel.
 */
#ifndef CLAIMS_RAW_H
#define CLAIMS_RAW_H

#include "claims.h"

/* A queue pair of 4 sends and receives: 0, or errno. */
int raw_create_qp(const struct lab *lab, enum ibv_qp_type type,
		  uint32_t create_flags);

/* Asks the kernel for a shared receive queue; ends the claim if that fails. */
struct ibv_srq_attr raw_query_srq(const struct lab *lab,
				  const struct ibv_srq *srq);

/*
 * From here on each command to the kernel is answered with EXDEV, which no
 * verb answers otherwise, before the driver sees it.
 */
void bar_commands(const struct lab *lab);

#endif
