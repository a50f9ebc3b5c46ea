/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ibv_modify_qp below libibverbs: one queue pair and its attributes, then calls
 * with one mask each.
 */
#ifndef IBVET_TARGET_RAW_MODIFY_H
#define IBVET_TARGET_RAW_MODIFY_H

#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#define RAW_DRIVER_BYTES 64 /* of the driver's answer, at most */

struct raw_modify {
	struct ibv_qp *qp;
	struct ibv_qp_attr attr;
	uint32_t driver_id; /* that the commands of the device carry */
	/* As the library sends it for this queue pair: always EX_MODIFY_QP, and
	 * the length of the driver's answer */
	bool extended;
	uint16_t driver_out;
	bool may_write; /* the device takes commands by write() */
	bool written;	/* these are sent so */
	/* A command as write() takes it. The headers of MODIFY_QP have 8 bytes,
	 * those of EX_MODIFY_QP 24. */
	uint64_t headers[3];
	struct ib_uverbs_ex_modify_qp request;
};

/* Returns true for the commands MODIFY_QP and EX_MODIFY_QP. */
bool raw_modifies_qp(const struct ib_uverbs_ioctl_hdr *hdr);
/* Sets queue pair and attributes. Sees how the library sends them, without the
 * kernel. To a group's address commands are sent by write(), which costs the
 * kernel less than ioctl(): a sweep asks those again that matter. */
void raw_modify_begin(struct raw_modify *r, struct ibv_qp *qp,
		      const struct ibv_qp_attr *attr);
/* Makes one call. Returns 0 or an errno value. */
int raw_modify(struct raw_modify *r, uint32_t mask);
/* Calls ibv_modify_qp, and keeps its command from the kernel. Returns true if
 * there was one. */
bool raw_modify_is_sent(const struct raw_modify *r, uint32_t mask);

#endif
