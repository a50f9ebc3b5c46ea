/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads the kernel's resource tracking by rdma netlink: how many objects a
 * process has on a device, whatever its libraries believe.
 */
#ifndef IBVET_VERBS_TRACKED_H
#define IBVET_VERBS_TRACKED_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

enum tracked_kind {
	TRACKED_QP,
	TRACKED_SRQ,
	TRACKED_CQ,
	TRACKED_MR,
	TRACKED_PD,
	TRACKED_CM_ID,
	TRACKED_CTX,
	TRACKED_NR,
};

struct nl_sock;

struct tracked {
	struct nl_sock *socket; /* NULL: the kernel does not track the device */
	uint32_t device;
	uint64_t all[TRACKED_NR];  /* of all processes, when last noted */
	uint64_t mine[TRACKED_NR]; /* of this process */
};

void tracked_open(struct tracked *k, struct ibv_device *device);
void tracked_close(struct tracked *k);
/* Notes the numbers of objects. Unless NULL, `what` names a kind of which this
 * process has more than the last time, or stays as it is. */
void tracked_note(struct tracked *k, char *what, size_t len);

#endif
