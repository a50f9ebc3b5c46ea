// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Verbs that the library of soft iWARP lacks: extended objects, queries of a
 * shared receive queue, and whole kinds of objects.
 */
#include "claims.h"
#include <fcntl.h>

/* Every bit but PD, with nothing asked for by it. */
static void comp_mask(struct lab *lab)
{
	int plain = qp_ex_error(lab, 0, 0), bit, ret = EOPNOTSUPP;

	for (bit = 1; bit < 32 && ret == EOPNOTSUPP; bit++)
		ret = qp_ex_error(lab, 1u << bit, 0);
	saw(lab, !plain && ret == EOPNOTSUPP && bit == 32,
	    "PD alone %d; with each other bit up to %d: %d", plain, bit - 1,
	    ret);
}

static void send_ops(struct lab *lab)
{
	int ret = qp_ex_error(lab, IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
			      IBV_QP_EX_WITH_SEND);

	saw(lab, ret == EOPNOTSUPP, "SEND: %d", ret);
}

static int cq_ex(const struct lab *lab, uint32_t comp, uint64_t wc_flags)
{
	struct ibv_cq_init_attr_ex init = {
		.cqe = 16,
		.wc_flags = wc_flags,
		.comp_mask = comp,
	};

	errno = 0;
	return ibv_create_cq_ex(lab->ctx, &init) ? 0 : errno;
}

static void extended_cq(struct lab *lab)
{
	int plain = cq_ex(lab, 0, 0), comp = cq_ex(lab, 1u << 20, 0);
	int wc = cq_ex(lab, 0, 1ull << 40);

	saw(lab, plain == EOPNOTSUPP && comp == EOPNOTSUPP && wc == EOPNOTSUPP,
	    "plain %d, comp_mask bit 20 %d, wc_flags bit 40 %d", plain, comp,
	    wc);
}

static void srq_query(struct lab *lab)
{
	struct ibv_srq_attr attr;
	int ret = ibv_query_srq(make_srq(lab, 8, 0), &attr);

	saw(lab, ret == EOPNOTSUPP, "%d", ret);
}

static int window(const struct lab *lab, enum ibv_mw_type type)
{
	errno = 0;
	return ibv_alloc_mw(lab->pd, type) ? 0 : errno;
}

static int address(const struct lab *lab)
{
	struct ibv_ah_attr attr = own_address(lab);

	errno = 0;
	return ibv_create_ah(lab->pd, &attr) ? 0 : errno;
}

static int domain(const struct lab *lab)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	errno = 0;
	return ibv_open_xrcd(lab->ctx, &attr) ? 0 : errno;
}

static void absent(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	int one = window(lab, IBV_MW_TYPE_1), two = window(lab, IBV_MW_TYPE_2);
	int ah = address(lab), xrcd = domain(lab), attach, detach;
	struct ibv_qp *qp;

	shape.send_cq = make_cq(lab, 16);
	qp = make_qp(lab, &shape);
	attach = ibv_attach_mcast(qp, &lab->gid, 0);
	detach = ibv_detach_mcast(qp, &lab->gid, 0);
	saw(lab,
	    one == EOPNOTSUPP && two == EOPNOTSUPP && ah == EOPNOTSUPP &&
		    xrcd == EOPNOTSUPP && attach == EOPNOTSUPP &&
		    detach == EOPNOTSUPP,
	    "windows of type 1 %d and 2 %d, ibv_create_ah %d, ibv_open_xrcd "
	    "%d, ibv_attach_mcast %d, ibv_detach_mcast %d",
	    one, two, ah, xrcd, attach, detach);
}

static const struct claim claims[] = {
	{"CRE_COMP_MASK", "EOPNOTSUPP for every bit but PD", comp_mask},
	{"CRE_SEND_OPS_OWN", "EOPNOTSUPP for SEND, which RC has", send_ops},
	{"CQ_EX_FLAGS", "EOPNOTSUPP for every extended completion queue",
	 extended_cq},
	{"SRQ_QUERY_FIRED", "EOPNOTSUPP from ibv_query_srq", srq_query},
	{"OBJ_UNSUPPORTED",
	 "EOPNOTSUPP for windows, address handles, multicast and XRC", absent},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
