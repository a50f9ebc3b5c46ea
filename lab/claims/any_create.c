// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Making queue pairs on any driver: flags that the kernel lets through to it,
 * and the receive queue of a queue pair that has a shared one.
 */
#include "raw.h"

/* Those of user space: the core refuses the others for every driver. */
static const uint8_t flag_bits[] = {1, 2, 3, 4, 8, 9, 10, 11};

/* How many flags are not refused with EOPNOTSUPP; -1: no such type here. */
static int flags_taken(const struct lab *lab, enum ibv_qp_type type)
{
	int i, taken = 0;

	if (raw_create_qp(lab, type, 0))
		return -1;
	for (i = 0; i < COUNT(flag_bits); i++)
		taken += raw_create_qp(lab, type, 1u << flag_bits[i]) !=
			 EOPNOTSUPP;
	return taken;
}

static void flags(struct lab *lab)
{
	int rc = flags_taken(lab, IBV_QPT_RC),
	    uc = flags_taken(lab, IBV_QPT_UC);
	int ud = flags_taken(lab, IBV_QPT_UD);

	saw(lab, !rc && uc <= 0 && ud <= 0,
	    "of %d flags, answered by other than EOPNOTSUPP: RC %d, UC %d, UD "
	    "%d (-1: it has no such type)",
	    COUNT(flag_bits), rc, uc, ud);
}

static void cap_with_srq(struct lab *lab)
{
	struct ibv_qp_init_attr init = {
		.send_cq = make_cq(lab, 16),
		.srq = make_srq(lab, 8, 0),
		.cap = {4, 5, 1, 3, 0},
		.qp_type = IBV_QPT_RC,
	};

	init.recv_cq = init.send_cq;
	must_have(lab, ibv_create_qp(lab->pd, &init), "ibv_create_qp");
	saw(lab, init.cap.max_recv_wr == 5 && init.cap.max_recv_sge == 3,
	    "5 receives of 3 elements: %u of %u", init.cap.max_recv_wr,
	    init.cap.max_recv_sge);
}

static const struct claim claims[] = {
	{"CRE_FLAG", "the kernel answers EOPNOTSUPP to each creation flag",
	 flags},
	{"CAP_SRQ", "with an SRQ creation returns what was asked for",
	 cap_with_srq},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
