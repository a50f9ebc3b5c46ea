// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Making queue pairs and shared receive queues on soft iWARP: which types it
 * has, and when a limit of a shared receive queue fires.
 */
#include "cm.h"
#include "raw.h"

static int create(const struct lab *lab, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = make_cq(lab, 16),
		.cap = {4, 4, 1, 1, 0},
		.qp_type = type,
	};

	init.recv_cq = init.send_cq;
	errno = 0;
	return ibv_create_qp(lab->pd, &init) ? 0 : errno;
}

static void types(struct lab *lab)
{
	int rc = create(lab, IBV_QPT_RC), uc = create(lab, IBV_QPT_UC);
	int ud = create(lab, IBV_QPT_UD);
	int raw = create(lab, IBV_QPT_RAW_PACKET);
	int xrc = create(lab, IBV_QPT_XRC_SEND);
	int driver = create(lab, IBV_QPT_DRIVER);

	saw(lab,
	    !rc && uc == EOPNOTSUPP && ud == EOPNOTSUPP && raw == EOPNOTSUPP &&
		    xrc == EOPNOTSUPP && driver == EOPNOTSUPP,
	    "RC %d, UC %d, UD %d, RAW_PACKET %d, XRC_SEND %d, DRIVER %d", rc,
	    uc, ud, raw, xrc, driver);
}

static void srq_resize(struct lab *lab)
{
	struct ibv_srq *srq = make_srq(lab, 8, 0);
	struct ibv_srq_attr attr = {.max_wr = 100};
	int ret = ibv_modify_srq(srq, &attr, IBV_SRQ_MAX_WR);

	saw(lab, ret == EOPNOTSUPP, "8 to 100: %d", ret);
}

static int fill(const struct lab *lab, struct ibv_srq *srq, int count)
{
	struct ibv_sge sge = piece(lab, BUF_SIZE / 2, 64);
	struct ibv_recv_wr *bad, wr = {.sg_list = &sge, .num_sge = 1};
	int ret = 0;

	while (!ret && count--)
		ret = ibv_post_srq_recv(srq, &wr, &bad);
	return ret;
}

/* Connects two queue pairs that share an SRQ of 8 entries with so many
 * receives. */
static struct pair on_srq(const struct lab *lab, uint32_t limit, int receives)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p;

	shape.srq = make_srq(lab, 8, limit);
	p = cm_pair(lab, &shape);
	must(lab, fill(lab, shape.srq, receives), "ibv_post_srq_recv");
	return p;
}

static bool fires(const struct lab *lab, int ms)
{
	int type;

	do
		type = next_event(lab, ms);
	while (type >= 0 && type != IBV_EVENT_SRQ_LIMIT_REACHED);
	return type >= 0;
}

/* How many receives are taken until the limit fires; 0: it did not. */
static int fires_after(const struct lab *lab, const struct pair *p, int most)
{
	int taken;

	for (taken = 1; taken <= most; taken++) {
		must(lab, post_send(lab, p->a, 8), "ibv_post_send");
		if (next_wc(p->recv_cq, 1000).status != IBV_WC_SUCCESS)
			cannot(lab, "a send did not arrive");
		if (fires(lab, 200))
			return taken;
	}
	return 0;
}

static void armed_at_creation(struct lab *lab)
{
	struct pair p = on_srq(lab, 2, 4);
	bool early = fires(lab, 100);
	int taken = fires_after(lab, &p, 4);

	saw(lab, !early && taken,
	    "srq_limit 2 at creation, 4 receives: %s before, the event with "
	    "receive %d (0: none)",
	    early ? "an event" : "no event", taken);
}

static void arming_late(struct lab *lab)
{
	struct pair p = on_srq(lab, 0, 4);
	struct ibv_srq_attr attr = {.srq_limit = 6};
	int ret = ibv_modify_srq(p.a->srq, &attr, IBV_SRQ_LIMIT), taken;
	bool at_once = fires(lab, 500);

	taken = fires_after(lab, &p, 3);
	saw(lab, !ret && !at_once && taken == 1,
	    "limit 6 with 4 there: %d, %s at once, the event with receive %d "
	    "(0: none)",
	    ret, at_once ? "an event" : "no event", taken);
}

static void limit_after_event(struct lab *lab)
{
	struct pair p = on_srq(lab, 2, 4);
	uint32_t before = raw_query_srq(lab, p.a->srq).srq_limit;
	int taken = fires_after(lab, &p, 4);
	uint32_t after = raw_query_srq(lab, p.a->srq).srq_limit;

	saw(lab, taken && before == 2 && after == 2,
	    "srq_limit %u, and %u after the event with receive %d (0: none)",
	    before, after, taken);
}

static const struct claim claims[] = {
	{"CRE_TYPE", "EOPNOTSUPP for all but RC", types},
	{"SRQ_ZERO", "no entries is EINVAL, no elements is granted",
	 measure_srq_zero},
	{"SRQ_RESIZE", "EOPNOTSUPP", srq_resize},
	{"SRQ_ARM_CREATE", "a limit given at creation is armed",
	 armed_at_creation},
	{"SRQ_ARMING_LATE", "fires when the next entry is taken", arming_late},
	{"SRQ_QUERY_FIRED", "the kernel reports the old limit after the event",
	 limit_after_event},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
