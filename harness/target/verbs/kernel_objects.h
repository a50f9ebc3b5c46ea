/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the kernel's resource tracking counts of a device, by rdma netlink: the
 * objects that a process has there, whatever its libraries believe.
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
	struct nl_sock *socket; /* NULL: the kernel tells nothing of it */
	uint32_t device;
	uint64_t all[TRACKED_NR];  /* of any process, when last noted */
	uint64_t mine[TRACKED_NR]; /* of this one */
};

/* From here on *k tells of that device, where the kernel does. */
void tracked_open(struct tracked *k, struct ibv_device *device);
void tracked_close(struct tracked *k);
/* Notes what there is; `what` (or NULL) tells of a kind of which this process
 * has more than the last time, and is "" else. */
void tracked_note(struct tracked *k, char *what, size_t len);

#endif
