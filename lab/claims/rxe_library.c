// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Extended objects in the library of soft RoCE: which send operations it
 * grants to which type, what becomes of one that no type should have, and
 * extended completion queues.
 */
#include "claims.h"

#define FOREIGN_UD                                                             \
	(IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |      \
	 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_LOCAL_INV |             \
	 IBV_QP_EX_WITH_BIND_MW)
#define FOREIGN_UC                                                             \
	(IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |        \
	 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_TSO)

/* Returns the operations that are not refused with EOPNOTSUPP. */
static uint64_t granted(const struct lab *lab, enum ibv_qp_type type,
			uint64_t ops)
{
	uint64_t left = 0, op;

	for (op = 1; op <= ops; op <<= 1)
		if ((ops & op) &&
		    (try_qp_ex(lab, type, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
			       op) ||
		     errno != EOPNOTSUPP))
			left |= op;
	return left;
}

static void foreign_ops(struct lab *lab)
{
	uint64_t rc = granted(lab, IBV_QPT_RC, IBV_QP_EX_WITH_TSO);
	uint64_t uc = granted(lab, IBV_QPT_UC,
			      FOREIGN_UC | IBV_QP_EX_WITH_SEND_WITH_INV);
	uint64_t ud = granted(lab, IBV_QPT_UD, FOREIGN_UC | FOREIGN_UD);

	saw(lab, !rc && uc == IBV_QP_EX_WITH_SEND_WITH_INV && !ud,
	    "of what the type does not have, granted to RC %#llx, UC %#llx, UD "
	    "%#llx",
	    (unsigned long long)rc, (unsigned long long)uc,
	    (unsigned long long)ud);
}

static void invalidate_on_uc(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_UC);
	struct ibv_qp *qp = must_have(lab,
				      try_qp_ex(lab, IBV_QPT_UC,
						IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
						IBV_QP_EX_WITH_SEND_WITH_INV),
				      "SEND_WITH_INV on UC");
	struct ibv_qp_ex *ex = must_have(lab, ibv_qp_to_qp_ex(qp), "ibv_qp_ex");
	struct ibv_wc wc;
	int ret;

	bring_up(lab, qp, &shape, 0xfffff0);
	ibv_wr_start(ex);
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send_inv(ex, 0x1234);
	ibv_wr_set_sge(ex, lab->mr->lkey, (uintptr_t)lab->buf, 8);
	ret = ibv_wr_complete(ex);
	wc = next_wc(qp->send_cq, 1000);
	saw(lab,
	    !ret && wc.status != IBV_WC_SUCCESS && wc.status != CLAIM_NONE &&
		    state_of(lab, qp) == IBV_QPS_ERR,
	    "ibv_wr_complete %d, then %s, state %d", ret,
	    status_name(wc.status), (int)state_of(lab, qp));
}

#define UNTOUCHED 4321

static int cq_ex(const struct lab *lab, uint32_t comp, uint32_t flags,
		 uint64_t wc_flags)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = 16,
		.wc_flags = wc_flags,
		.comp_mask = comp,
		.flags = flags,
	};

	errno = UNTOUCHED;
	return ibv_create_cq_ex(lab->ctx, &init) ? 0 : errno;
}

static void cq_unknown(struct lab *lab)
{
	int plain = cq_ex(lab, 0, 0, 0), comp = cq_ex(lab, 1u << 20, 0, 0);
	int wc = cq_ex(lab, 0, 0, 1ull << 40);

	saw(lab, !plain && comp == UNTOUCHED && wc == EOPNOTSUPP,
	    "plain %d, comp_mask bit 20 %d (%d: errno as it was), wc_flags "
	    "bit 40 %d",
	    plain, comp, UNTOUCHED, wc);
}

static void cq_flag(struct lab *lab)
{
	int ret = cq_ex(lab, IBV_CQ_INIT_ATTR_MASK_FLAGS, 1u << 20, 0);

	saw(lab, !ret, "flags bit 20: %d", ret);
}

static const struct claim claims[] = {
	{"CRE_SEND_OPS", "of foreign operations SEND_WITH_INV on UC is granted",
	 foreign_ops},
	{"CRE_SEND_OPS/run", "SEND_WITH_INV on UC is taken, and fails",
	 invalidate_on_uc},
	{"CQ_EX_FLAGS",
	 "NULL without errno for comp_mask, EOPNOTSUPP for wc_flags",
	 cq_unknown},
	{"CQ_EX_FLAG_UNKNOWN", "a flag that is not defined is taken", cq_flag},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
