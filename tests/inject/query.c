// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to ibv_query_qp, to queries of the device, ports,
 * GIDs and P_Keys, and to asynchronous events.
 */
#include <sys/eventfd.h>
#include <unistd.h>
#include "tests/inject/inject.h"

#define QUERY(name)                                                            \
	int inject_##name(struct ibv_qp *qp, struct ibv_qp_attr *attr,         \
			  int mask, struct ibv_qp_init_attr *init)

QUERY(query_forgets)
{
	unsigned int before = attr->qp_access_flags;
	int ret = next.query_qp(qp, attr, mask, init);

	attr->qp_access_flags = before;
	return ret;
}

QUERY(query_zero)
{
	int ret = next.query_qp(qp, attr, mask, init);

	if (!ret)
		attr->dest_qp_num = 0;
	return ret;
}

QUERY(query_state)
{
	int ret = next.query_qp(qp, attr, mask, init);

	if (!ret && attr->qp_state == IBV_QPS_RTS)
		attr->qp_state = IBV_QPS_RTR;
	return ret;
}

QUERY(query_stale)
{
	static struct ibv_qp_attr first;
	static uint32_t of;
	int ret = next.query_qp(qp, attr, mask, init);

	if (ret)
		return ret;
	if (of == qp->qp_num)
		*attr = first;
	first = *attr;
	of = qp->qp_num;
	return 0;
}

QUERY(query_cap)
{
	int ret = next.query_qp(qp, attr, mask, init);

	if (ret)
		return ret;
	attr->cap.max_send_sge--;
	init->cap.max_send_sge--;
	return 0;
}

QUERY(query_init)
{
	int ret = next.query_qp(qp, attr, mask, init);

	if (!ret)
		init->sq_sig_all = !init->sq_sig_all;
	return ret;
}

QUERY(query_cq)
{
	int ret = next.query_qp(qp, attr, mask, init);

	if (!ret)
		init->send_cq = NULL;
	return ret;
}

QUERY(query_refused)
{
	int ret = next.query_qp(qp, attr, mask, init);

	return !ret && attr->qp_state == IBV_QPS_ERR ? EINVAL : ret;
}

QUERY(query_unknown)
{
	return next.query_qp(qp, attr, mask & ~(1 << 30), init);
}

QUERY(query_negative)
{
	return -next.query_qp(qp, attr, mask, init);
}

/* Device, ports, GIDs and P_Keys */

int inject_gid_past(struct ibv_context *context, uint8_t port, int index,
		    union ibv_gid *gid)
{
	if (!next.query_gid(context, port, index, gid))
		return 0;
	memset(gid, 0, sizeof(*gid));
	return 0;
}

int inject_gid_errno(struct ibv_context *context, uint8_t port, int index,
		     union ibv_gid *gid)
{
	return next.query_gid(context, port, index, gid) ? EINVAL : 0;
}

int inject_gid_other(struct ibv_context *context, uint8_t port, int index,
		     union ibv_gid *gid)
{
	int ret = next.query_gid(context, port, index, gid);

	if (!ret)
		gid->raw[15] ^= 1;
	return ret;
}

int inject_pkey_past(struct ibv_context *context, uint8_t port, int index,
		     __be16 *pkey)
{
	if (next.query_pkey(context, port, index, pkey))
		memset(pkey, 0xff, sizeof(*pkey));
	return 0;
}

int inject_pkey_other(struct ibv_context *context, uint8_t port, int index,
		      __be16 *pkey)
{
	static unsigned int asked;
	int ret = next.query_pkey(context, port, index, pkey);

	if (!ret)
		*pkey ^= (__be16)(asked++ & 0xff);
	return ret;
}

int inject_port_past(struct ibv_context *context, uint8_t port,
		     struct ibv_port_attr *attr, size_t size)
{
	return next.query_port(context, port == 255 ? 1 : port, attr, size);
}

/* Lets the first query succeed, because ibvet asks whether the port exists. */
int inject_port_refused(struct ibv_context *context, uint8_t port,
			struct ibv_port_attr *attr, size_t size)
{
	static unsigned int asked;

	if (port == 1 && asked++)
		return EINVAL;
	return next.query_port(context, port, attr, size);
}

int inject_device_twice(struct ibv_context *context,
			struct ibv_device_attr *attr)
{
	static int asked;
	int ret = next.query_device(context, attr);

	attr->max_qp += asked++;
	return ret;
}

/* Events */

/* Acknowledges SQ_DRAINED, so that the queue pair can be destroyed, and returns
 * an event without a queue pair instead. */
int inject_event_lost(struct ibv_context *context,
		      struct ibv_async_event *event)
{
	int ret = next.get_async_event(context, event);

	if (ret || event->event_type != IBV_EVENT_SQ_DRAINED)
		return ret;
	next.ack_async_event(event);
	event->event_type = IBV_EVENT_GID_CHANGE;
	event->element.port_num = 1;
	return 0;
}

/* The queue pair and type of the invented event */
static struct ibv_qp *talked;
static enum ibv_event_type invented;

int invent_event(struct ibv_qp *qp, enum ibv_event_type type)
{
	int fd = eventfd(1, EFD_CLOEXEC);

	if (fd < 0 || dup2(fd, qp->context->async_fd) < 0)
		return errno;
	close(fd);
	talked = qp;
	invented = type;
	return 0;
}

int get_invented(struct ibv_context *context, struct ibv_async_event *event)
{
	eventfd_t count;

	if (!talked)
		return next.get_async_event(context, event);
	if (eventfd_read(context->async_fd, &count))
		return -1;
	event->event_type = invented;
	event->element.qp = talked;
	return 0;
}

void ack_invented(struct ibv_async_event *event)
{
	if (!talked)
		next.ack_async_event(event);
}

int inject_event_unasked(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	bool it = moves(qp, attr, mask, IBV_QPT_UD, IBV_QPS_INIT, IBV_QPS_RTR);
	int ret = next.modify_qp(qp, attr, mask);

	return ret || !it ? ret : invent_event(qp, IBV_EVENT_COMM_EST);
}

int inject_event_unasked_get_async_event(struct ibv_context *context,
					 struct ibv_async_event *event)
{
	return get_invented(context, event);
}

void inject_event_unasked_ack_async_event(struct ibv_async_event *event)
{
	ack_invented(event);
}
