/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_qp below libibverbs: one queue pair and its attributes, then calls
 * with one mask each.
 */
#ifndef IBVET_TARGET_RAW_MODIFY_H
#define IBVET_TARGET_RAW_MODIFY_H

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

struct raw_modify {
	const struct ibv_qp *qp;
	uint32_t driver_id; /* that the commands of the device carry */
	struct ib_uverbs_ex_modify_qp request;
};

/* Sets queue pair and attributes. */
void raw_modify_begin(struct raw_modify *r, const struct ibv_qp *qp,
		      const struct ibv_qp_attr *attr);
/* Makes one call. Returns 0 or an errno value. */
int raw_modify(struct raw_modify *r, uint32_t mask);

#endif
