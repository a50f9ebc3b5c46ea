// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to queries of queue pairs, the device, ports, GIDs
 * and P_Keys.
 */
#include "tests/inject/inject.h"

#define QUERY(name)                                                            \
	int inject_##name(struct ibv_qp *qp, struct ibv_qp_attr *attr,         \
			  int mask, struct ibv_qp_init_attr *init)
#define OLD_QUERY(name)                                                        \
	int inject_##name(void *domain, uint32_t number,                       \
			  struct ibv_qp_attr *attr, int mask, void *init)

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

OLD_QUERY(old_state)
{
	int ret = next.query_xrc_rcv_qp(domain, number, attr, mask, init);

	attr->qp_state = IBV_QPS_RESET;
	return ret;
}

OLD_QUERY(old_timer)
{
	uint8_t before = attr->min_rnr_timer;
	int ret = next.query_xrc_rcv_qp(domain, number, attr, mask, init);

	attr->min_rnr_timer = before;
	return ret;
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
