// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Multicast groups on soft RoCE, and where uverbs and the driver count their
 * members differently.
 */
#include "claims.h"
#include <arpa/inet.h>

static union ibv_gid group(void)
{
	union ibv_gid gid;

	inet_pton(AF_INET6, "ff0e::ffff:ef01:203", &gid);
	return gid;
}

static struct ibv_qp *ud_qp(const struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_UD);

	shape.send_cq = make_cq(lab, 16);
	return make_qp(lab, &shape);
}

static void in_reset(struct lab *lab)
{
	union ibv_gid gid = group();
	int ret = ibv_attach_mcast(ud_qp(lab), &gid, 0xc001);

	saw(lab, !ret, "%d", ret);
}

static void twice(struct lab *lab)
{
	union ibv_gid gid = group();
	struct ibv_qp *qp = ud_qp(lab);
	int first = ibv_attach_mcast(qp, &gid, 0xc001);
	int second = ibv_attach_mcast(qp, &gid, 0xc001);
	int once = ibv_detach_mcast(qp, &gid, 0xc001);
	int again = ibv_detach_mcast(qp, &gid, 0xc001);

	saw(lab, !first && !second && !once && again == EINVAL,
	    "attached %d and %d, detached %d and %d", first, second, once,
	    again);
}

static void not_member(struct lab *lab)
{
	union ibv_gid gid = group();
	int ret = ibv_detach_mcast(ud_qp(lab), &gid, 0xc001);

	saw(lab, ret == EINVAL, "%d", ret);
}

static void destroy_attached(struct lab *lab)
{
	union ibv_gid gid = group();
	struct ibv_qp *qp = ud_qp(lab);
	int busy, detached, gone;

	must(lab, ibv_attach_mcast(qp, &gid, 0xc001), "ibv_attach_mcast");
	busy = ibv_destroy_qp(qp);
	detached = ibv_detach_mcast(qp, &gid, 0xc001);
	gone = ibv_destroy_qp(qp);
	saw(lab, busy == EBUSY && !detached && !gone,
	    "attached %d, detached %d, then %d", busy, detached, gone);
}

static void two_lids(struct lab *lab)
{
	union ibv_gid gid = group();
	struct ibv_qp *qp = ud_qp(lab);
	int first = ibv_attach_mcast(qp, &gid, 0xc001);
	int second = ibv_attach_mcast(qp, &gid, 0xc002);
	int detach_first = ibv_detach_mcast(qp, &gid, 0xc001);
	int detach_second = ibv_detach_mcast(qp, &gid, 0xc002);
	int detach_again = ibv_detach_mcast(qp, &gid, 0xc002);
	int destroyed = ibv_destroy_qp(qp);

	saw(lab,
	    !first && !second && !detach_first && detach_second == EINVAL &&
		    destroyed == EBUSY,
	    "attached with two LIDs %d and %d, detached %d and %d, once more "
	    "%d; ibv_destroy_qp %d",
	    first, second, detach_first, detach_second, detach_again,
	    destroyed);
}

/* Dies with such a queue pair, so that the caller sees whether its completion
 * queue's memory stays allocated. */
static void leave_two_lids(struct lab *lab)
{
	union ibv_gid gid = group();
	struct ibv_qp *qp = ud_qp(lab);

	ibv_attach_mcast(qp, &gid, 0xc001);
	ibv_attach_mcast(qp, &gid, 0xc002);
	ibv_detach_mcast(qp, &gid, 0xc001);
	ibv_detach_mcast(qp, &gid, 0xc002);
}

static void exit_two_lids(struct lab *lab)
{
	bool hung = hangs(lab, leave_two_lids, 5);

	saw(lab, !hung, "%s", hung ? "it hangs" : "it ends");
}

static void wrong_gid(struct lab *lab)
{
	struct ibv_qp *qp = ud_qp(lab);
	int ret = ibv_attach_mcast(qp, &lab->gid, 0xc001);

	saw(lab, ret == EINVAL, "%d", ret);
}

static void wrong_type(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	union ibv_gid gid = group();
	int ret;

	shape.send_cq = make_cq(lab, 16);
	ret = ibv_attach_mcast(make_qp(lab, &shape), &gid, 0xc001);
	saw(lab, ret == EINVAL, "%d", ret);
}

static const struct claim claims[] = {
	{"MC-1/gid", "EINVAL for a GID that is not multicast", wrong_gid},
	{"MC-1/type", "EINVAL for RC", wrong_type},
	{"MC-2", "attaching in RESET succeeds", in_reset},
	{"MC-5", "a second attach is 0, and one detach removes it", twice},
	{"MC-6", "EINVAL for what is not attached", not_member},
	{"MC-8", "EBUSY while attached", destroy_attached},
	{"MC-9",
	 "one GID with two LIDs: the second detach is EINVAL, and "
	 "ibv_destroy_qp EBUSY for good",
	 two_lids},
	{"MC-9/exit", "a process that leaves it so ends", exit_two_lids},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
