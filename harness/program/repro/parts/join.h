/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Joins a multicast group of IP through rdma_cm, for the device of a queue
 * pair. The membership ends with its id.
 */
#pragma once
#include <errno.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <string.h>
#include "program/repro/parts/connect.h"
#include "program/repro/parts/time.h"
/* library: -lrdmacm */

/* part: membership membership_make */
struct membership {
	struct rdma_event_channel *events;
	struct rdma_cm_id *id;
	struct sockaddr_storage group;
};

/* A GID whose first 96 bits are those of ::ffff:0:0 is an IPv4 address. */
static inline void set_group(struct sockaddr_storage *addr,
			     const union ibv_gid *group)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	if (!memcmp(group->raw, mapped, sizeof(mapped))) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, group->raw + 12, 4);
	} else {
		in6->sin6_family = AF_INET6;
		memcpy(&in6->sin6_addr, group->raw, 16);
	}
}

/* Waits for the event of the join. Returns 0 or an errno value. */
static inline int await_join(struct membership *m, int64_t deadline,
			     struct ibv_ah_attr *joined)
{
	struct rdma_cm_event *cm_event;
	int err = 0;

	if (!wait_readable(m->events->fd, deadline))
		return ETIMEDOUT;
	if (rdma_get_cm_event(m->events, &cm_event))
		return errno;
	if (cm_event->event != RDMA_CM_EVENT_MULTICAST_JOIN)
		err = cm_event->status < 0 ? -cm_event->status : EPROTO;
	else
		*joined = cm_event->param.ud.ah_attr;
	rdma_ack_cm_event(cm_event);
	return err;
}

/* Joins the group of the GID and returns its address. Returns 0 or an errno
 * value. */
static inline int membership_make(struct membership *m, struct ibv_device *dev,
				  const union ibv_gid *group,
				  uint32_t send_only, int64_t deadline,
				  struct ibv_ah_attr *joined)
{
	struct rdma_cm_join_mc_attr_ex join = {
		.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS |
			     RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS,
		.join_flags = send_only ? RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER
					: RDMA_MC_JOIN_FLAG_FULLMEMBER,
		.addr = (struct sockaddr *)&m->group,
	};
	struct sockaddr_storage addr;
	int err;

	memset(&addr, 0, sizeof(addr));
	set_group(&m->group, group);
	err = find_address(m->events, dev, &addr);
	set_port(&addr, 0);
	if (!err)
		err = errno_of(
			rdma_create_id(m->events, &m->id, NULL, RDMA_PS_UDP));
	if (!err)
		err = errno_of(rdma_bind_addr(m->id, (struct sockaddr *)&addr));
	if (!err)
		err = errno_of(rdma_join_multicast_ex(m->id, &join, NULL));
	return err ? err : await_join(m, deadline, joined);
}

/* part: join_mcast */
/* Joins until the process ends. */
static inline int join_mcast(struct ibv_qp *qp, const union ibv_gid *group,
			     uint32_t send_only, uint32_t timeout_ms,
			     struct ibv_ah_attr *joined)
{
	int64_t deadline = deadline_after(timeout_ms);
	struct membership m = {.events = rdma_create_event_channel()};

	return m.events ? membership_make(&m, qp->context->device, group,
					  send_only, deadline, joined)
			: errno;
}
