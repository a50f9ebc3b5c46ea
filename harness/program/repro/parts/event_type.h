/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Sorts asynchronous events: of the fabric, a queue pair or an SRQ.
 */
#pragma once
#include <infiniband/verbs.h>
#include <stdbool.h>

/* part: event_is_of_fabric */
#define EVENT_DEVICE_SPEED_CHANGE 20 /* rdma-core 62; older headers lack it */

/* Ports and tables change for reasons outside of a program: a cable, a subnet
 * manager, an address of a network interface. */
static inline bool event_is_of_fabric(enum ibv_event_type type)
{
	switch ((int)type) {
	case EVENT_DEVICE_SPEED_CHANGE:
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
	case IBV_EVENT_GID_CHANGE:
		return true;
	default:
		return false;
	}
}

/* part: event_is_of_qp */
static inline bool event_is_of_qp(enum ibv_event_type type)
{
	switch (type) {
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_PATH_MIG:
	case IBV_EVENT_PATH_MIG_ERR:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		return true;
	default:
		return false;
	}
}

/* part: event_is_of_srq */
static inline bool event_is_of_srq(enum ibv_event_type type)
{
	return type == IBV_EVENT_SRQ_ERR || type == IBV_EVENT_SRQ_LIMIT_REACHED;
}
