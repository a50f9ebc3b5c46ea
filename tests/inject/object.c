// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The changes of inject.def to objects: destroying, shared receive queues,
 * multicast groups, address handles and memory. cppcheck is told to ignore
 * pointers to local attributes, because the library below does not keep them.
 */
#include <unistd.h>
#include "tests/inject/inject.h"

#define MCAST(name)                                                            \
	int inject_##name(struct ibv_qp *qp, const union ibv_gid *gid,         \
			  uint16_t lid)

/* Destroying */

int inject_qp_leaked(struct ibv_qp *qp)
{
	(void)qp;
	return 0;
}

int inject_qp_in_use(struct ibv_qp *qp)
{
	next.destroy_qp(qp);
	return 0;
}

int inject_cq_in_use(struct ibv_cq *cq)
{
	next.destroy_cq(cq);
	return 0;
}

int inject_cq_errno(struct ibv_cq *cq)
{
	return next.destroy_cq(cq) ? EINVAL : 0;
}

int inject_negative_busy(struct ibv_cq *cq)
{
	return -next.destroy_cq(cq);
}

int inject_pd_in_use(struct ibv_pd *pd)
{
	next.dealloc_pd(pd);
	return 0;
}

int inject_srq_in_use(struct ibv_srq *srq)
{
	next.destroy_srq(srq);
	return 0;
}

int inject_channel_leaked(struct ibv_comp_channel *channel)
{
	int fd = dup(channel->fd), ret = next.destroy_comp_channel(channel);

	if (ret)
		close(fd);
	return ret;
}

int inject_channel_in_use(struct ibv_comp_channel *channel)
{
	next.destroy_comp_channel(channel);
	return 0;
}

int inject_ah_refused(struct ibv_ah *ah)
{
	(void)ah;
	return EBUSY;
}

/* Objects that are not destroyed and that no other object uses, so that only
 * the kernel's count of objects shows them */

int inject_pd_kept(struct ibv_pd *pd)
{
	(void)pd;
	return 0;
}

int inject_cq_kept(struct ibv_cq *cq)
{
	(void)cq;
	return 0;
}

int inject_all_kept(struct ibv_qp *qp)
{
	return inject_qp_leaked(qp);
}

int inject_all_kept_destroy_cq(struct ibv_cq *cq)
{
	return inject_cq_kept(cq);
}

int inject_all_kept_dealloc_pd(struct ibv_pd *pd)
{
	return inject_pd_kept(pd);
}

/* Shared receive queues */

int inject_srq_limit_ignored(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			     int mask)
{
	mask &= ~IBV_SRQ_LIMIT;
	return mask ? next.modify_srq(srq, attr, mask) : 0;
}

int inject_limit_lost(struct ibv_srq *srq, struct ibv_srq_attr *attr, int mask)
{
	return next.modify_srq(srq, attr, mask & ~IBV_SRQ_LIMIT);
}

int inject_srq_limit_ahead(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			   int mask)
{
	struct ibv_srq_attr mine = *attr;

	if (mine.srq_limit > 32)
		mine.srq_limit = 2 * mine.srq_limit - 1;
	return next.modify_srq(srq, &mine, mask);
}

int inject_srq_limit_past(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			  int mask)
{
	struct ibv_srq_attr mine = {.srq_limit = 1};

	if (!next.modify_srq(srq, attr, mask))
		return 0;
	return next.modify_srq(srq, &mine, IBV_SRQ_LIMIT);
}

int inject_srq_query(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	int ret = next.query_srq(srq, attr);

	if (!ret && attr->srq_limit)
		attr->srq_limit--;
	return ret;
}

int inject_srq_query_fails(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	(void)srq;
	(void)attr;
	return EINVAL;
}

/* Multicast */

MCAST(mcast_gid)
{
	if (gid->raw[0] != 0xff)
		return 0;
	return next.attach_mcast(qp, gid, lid);
}

MCAST(mcast_type)
{
	int type = ANY;

	type_and_state(qp, &type);
	return type == IBV_QPT_RC ? 0 : next.attach_mcast(qp, gid, lid);
}

MCAST(mcast_twice)
{
	static union ibv_gid joined;
	static uint32_t by;
	int ret = next.attach_mcast(qp, gid, lid);

	if (!ret && by == qp->qp_num && !memcmp(&joined, gid, sizeof(*gid)))
		return EEXIST;
	joined = *gid;
	by = qp->qp_num;
	return ret;
}

MCAST(mcast_detach)
{
	next.detach_mcast(qp, gid, lid);
	return 0;
}

/* Address handles and memory */

struct ibv_ah *inject_ah_port(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah_attr mine = *attr;

	if (mine.port_num == 255)
		mine.port_num = 1;
	/* cppcheck-suppress returnDanglingLifetime */
	return next.create_ah(pd, &mine);
}

struct ibv_ah *inject_ah_sgid(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ibv_ah_attr mine = *attr;
	struct ibv_ah *ah = next.create_ah(pd, attr);

	for (int i = 0; !ah && i < 16; i++) {
		mine.grh.sgid_index = (uint8_t)i;
		ah = next.create_ah(pd, &mine);
	}
	/* cppcheck-suppress returnDanglingLifetime */
	return ah;
}

struct ibv_mw *inject_mw_type(struct ibv_pd *pd, enum ibv_mw_type type)
{
	return next.alloc_mw(pd, (int)type == 3 ? IBV_MW_TYPE_1 : type);
}

struct ibv_mr *inject_mr_access(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	if (access & IBV_ACCESS_REMOTE_WRITE)
		access |= IBV_ACCESS_LOCAL_WRITE;
	return next.reg_mr_iova2(pd, addr, length, iova, access);
}

struct ibv_mr *inject_mr_refused(struct ibv_pd *pd, void *addr, size_t length,
				 uint64_t iova, unsigned int access)
{
	if (length <= 4096)
		return next.reg_mr_iova2(pd, addr, length, iova, access);
	errno = EINVAL;
	return NULL;
}
