// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Soft RoCE makes and destroys objects: requests that it refuses or grants, and
 * objects that stay in use.
 */
#include "claims.h"
#include <string.h>

static struct ibv_qp_init_attr small(const struct lab *lab)
{
	struct ibv_qp_init_attr init = {
		.send_cq = make_cq(lab, 16),
		.cap = {4, 4, 1, 1, 0},
		.qp_type = IBV_QPT_RC,
	};

	init.recv_cq = init.send_cq;
	return init;
}

/* 0, or errno; what was granted is in init afterwards. */
static int create(const struct lab *lab, struct ibv_qp_init_attr *init)
{
	errno = 0;
	return ibv_create_qp(lab->pd, init) ? 0 : errno;
}

static struct ibv_device_attr limits(const struct lab *lab)
{
	struct ibv_device_attr attr;

	must(lab, ibv_query_device(lab->ctx, &attr), "ibv_query_device");
	return attr;
}

static void over_limits(struct lab *lab)
{
	struct ibv_device_attr max = limits(lab);
	struct ibv_qp_init_attr init = small(lab);
	int wr, sge;

	init.cap.max_send_wr = (uint32_t)max.max_qp_wr + 1;
	wr = create(lab, &init);
	init = small(lab);
	init.cap.max_recv_sge = (uint32_t)max.max_sge + 1;
	sge = create(lab, &init);
	saw(lab, wr == EINVAL && sge == EINVAL,
	    "max_qp_wr + 1: %d, max_sge + 1: %d", wr, sge);
}

static void zero_send(struct lab *lab)
{
	struct ibv_qp_init_attr init = small(lab);
	int ret;

	init.cap.max_send_wr = 0;
	ret = create(lab, &init);
	saw(lab, !ret, "%d", ret);
}

static void all_zero(struct lab *lab)
{
	struct ibv_qp_init_attr init = small(lab);
	int ret;

	memset(&init.cap, 0, sizeof(init.cap));
	ret = create(lab, &init);
	saw(lab, !ret && !init.cap.max_recv_sge, "%d, max_recv_sge %u", ret,
	    init.cap.max_recv_sge);
}

static void inline_size(struct lab *lab)
{
	struct ibv_qp_init_attr init = small(lab);
	int ok, over;

	init.cap.max_inline_data = 512;
	ok = create(lab, &init);
	init = small(lab);
	init.cap.max_inline_data = 513;
	over = create(lab, &init);
	saw(lab, !ok && over == EINVAL, "512: %d, 513: %d", ok, over);
}

static void sizes_of_creation(struct lab *lab)
{
	struct ibv_qp_init_attr init = small(lab);
	struct ibv_qp_init_attr again;
	struct ibv_qp_attr attr;
	struct ibv_qp *qp;

	init.cap.max_send_wr = 5;
	init.cap.max_send_sge = 4;
	qp = must_have(lab, ibv_create_qp(lab->pd, &init), "ibv_create_qp");
	must(lab, ibv_query_qp(qp, &attr, IBV_QP_CAP, &again), "ibv_query_qp");
	saw(lab,
	    init.cap.max_send_wr == attr.cap.max_send_wr &&
		    init.cap.max_inline_data == attr.cap.max_inline_data,
	    "5 sends of 4 elements: creation says %u and inline %u, "
	    "ibv_query_qp %u and %u",
	    init.cap.max_send_wr, init.cap.max_inline_data,
	    attr.cap.max_send_wr, attr.cap.max_inline_data);
}

static void srq_types(struct lab *lab)
{
	static const enum ibv_qp_type types[] = {IBV_QPT_RC, IBV_QPT_UC,
						 IBV_QPT_UD};
	int ret[3], i;

	for (i = 0; i < 3; i++) {
		struct ibv_qp_init_attr init = small(lab);

		init.srq = make_srq(lab, 8, 0);
		init.qp_type = types[i];
		ret[i] = create(lab, &init);
	}
	saw(lab, !ret[0] && !ret[1] && !ret[2], "RC %d, UC %d, UD %d", ret[0],
	    ret[1], ret[2]);
}

static int create_ex(const struct lab *lab, uint32_t mask, uint32_t flags,
		     uint64_t ops, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = make_cq(lab, 16),
		.cap = {4, 4, 1, 1, 0},
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD | mask,
		.pd = lab->pd,
		.create_flags = flags,
		.send_ops_flags = ops,
	};

	init.recv_cq = init.send_cq;
	errno = 0;
	return ibv_create_qp_ex(lab->ctx, &init) ? 0 : errno;
}

static void flags(struct lab *lab)
{
	int ret = create_ex(lab, IBV_QP_INIT_ATTR_CREATE_FLAGS,
			    IBV_QP_CREATE_BLOCK_SELF_MCAST_LB, 0, IBV_QPT_UD);

	saw(lab, ret == EOPNOTSUPP, "BLOCK_SELF_MCAST_LB on UD: %d", ret);
}

static void unknown_mask(struct lab *lab)
{
	int ret = create_ex(lab, 1u << 20, 0, 0, IBV_QPT_RC);

	saw(lab, ret == EOPNOTSUPP, "bit 20: %d", ret);
}

static void send_ops(struct lab *lab)
{
	int inv = create_ex(lab, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, 0,
			    IBV_QP_EX_WITH_SEND_WITH_INV, IBV_QPT_UC);
	int tso = create_ex(lab, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS, 0,
			    IBV_QP_EX_WITH_TSO, IBV_QPT_RC);

	saw(lab, !inv && tso == EOPNOTSUPP,
	    "SEND_WITH_INV on UC %d, TSO on RC %d", inv, tso);
}

static int cq_of(const struct lab *lab, int cqe)
{
	errno = 0;
	return ibv_create_cq(lab->ctx, cqe, NULL, NULL, 0) ? 0 : errno;
}

static void cq_sizes(struct lab *lab)
{
	int zero = cq_of(lab, 0), max = cq_of(lab, 32767);
	int over = cq_of(lab, 32768);

	saw(lab, zero == EINVAL && !max && over == EINVAL,
	    "0: %d, 32767: %d, 32768: %d", zero, max, over);
}

static void cq_shrink(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	int i, ret, left = 0;

	for (i = 0; i < 6; i++) {
		must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
		must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	}
	next_event(lab, 500);
	ret = ibv_resize_cq(p.send_cq, 2);
	while (next_wc(p.send_cq, 50).status == IBV_WC_SUCCESS)
		left++;
	saw(lab, ret == EINVAL && left == 6,
	    "6 completions there, to 2: %d, %d left", ret, left);
}

static void srq_resize(struct lab *lab)
{
	struct ibv_srq *srq = make_srq(lab, 8, 0);
	struct ibv_srq_attr attr = {.max_wr = 100}, now;
	int ret = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), zero;

	must(lab, ibv_query_srq(srq, &now), "ibv_query_srq");
	attr.max_wr = 0;
	zero = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);
	saw(lab, !ret && now.max_wr >= 100 && zero == EINVAL,
	    "8 to 100: %d, max_wr %u; to 0: %d", ret, now.max_wr, zero);
}

static void bound_mr(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_mw *mw = must_have(lab, ibv_alloc_mw(lab->pd, IBV_MW_TYPE_1),
				      "ibv_alloc_mw");
	struct ibv_mw_bind bind = {
		.wr_id = 7,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = {.mr = lab->mr,
			      .addr = (uintptr_t)lab->buf,
			      .length = 64,
			      .mw_access_flags = IBV_ACCESS_REMOTE_WRITE},
	};
	struct ibv_wc wc;
	int ret, freed, again;

	must(lab, ibv_bind_mw(p.a, mw, &bind), "ibv_bind_mw");
	wc = next_wc(p.send_cq, 1000);
	ret = ibv_dereg_mr(lab->mr);
	freed = ibv_dealloc_mw(mw);
	again = ibv_dereg_mr(lab->mr);
	saw(lab,
	    wc.status == IBV_WC_SUCCESS && ret == EINVAL && !freed && !again,
	    "bound: %s; ibv_dereg_mr %d, ibv_dealloc_mw %d, ibv_dereg_mr %d",
	    status_name(wc.status), ret, freed, again);
}

static void cq_in_use(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	int ret;

	shape.send_cq = make_cq(lab, 16);
	make_qp(lab, &shape);
	ret = ibv_destroy_cq(shape.send_cq);
	saw(lab, ret == EBUSY, "%d", ret);
}

static void cqe_after_destroy(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_wc wc;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	next_event(lab, 300);
	must(lab, ibv_destroy_qp(p.a), "ibv_destroy_qp");
	wc = next_wc(p.send_cq, 300);
	saw(lab, wc.status == IBV_WC_SUCCESS, "%s", status_name(wc.status));
}

static void mr_access(struct lab *lab)
{
	unsigned int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_HUGETLB;
	struct ibv_mr *mr;
	int err;

	errno = 0;
	mr = ibv_reg_mr(lab->pd, lab->buf, 4096, access);
	err = errno;
	saw(lab, !mr && err == EOPNOTSUPP, "HUGETLB: %s, errno %d",
	    mr ? "a region" : "NULL", err);
}

static void advertises_apm(struct lab *lab)
{
	struct ibv_device_attr max = limits(lab);

	saw(lab, max.device_cap_flags & IBV_DEVICE_AUTO_PATH_MIG,
	    "device_cap_flags %#x", max.device_cap_flags);
}

static const struct claim claims[] = {
	{"X-10", "EINVAL past max_qp_wr and max_sge", over_limits},
	{"X-14", "max_send_wr 0 is granted", zero_send},
	{"X-13", "capabilities of 0 are granted; max_recv_sge stays 0",
	 all_zero},
	{"X-12", "EINVAL for more than 512 bytes of inline data", inline_size},
	{"CAP", "creation returns the sizes that ibv_query_qp reports",
	 sizes_of_creation},
	{"SRQ/types", "an SRQ is granted to RC, UC and UD", srq_types},
	{"CRE/flags", "EOPNOTSUPP for creation flags", flags},
	{"CRE/comp_mask", "EOPNOTSUPP for an unknown comp_mask bit",
	 unknown_mask},
	{"CRE/send_ops", "SEND_WITH_INV on UC is granted, TSO is EOPNOTSUPP",
	 send_ops},
	{"X-64", "EINVAL for 0 and for more than 32767 entries", cq_sizes},
	{"X-65", "EINVAL for fewer entries than are there", cq_shrink},
	{"X-70", "no entries is EINVAL, no elements is granted",
	 measure_srq_zero},
	{"X-72", "an SRQ is resized, but not to 0", srq_resize},
	{"X-75", "EOPNOTSUPP for an access flag that it does not have",
	 mr_access},
	{"X-76", "EINVAL for a region with a bound window", bound_mr},
	{"X-69", "EBUSY for a completion queue in use", cq_in_use},
	{"LIFE_CQE", "completions outlive their queue pair", cqe_after_destroy},
	{"APM", "automatic path migration is advertised", advertises_apm},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
