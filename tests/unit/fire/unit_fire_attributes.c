// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queries report what a granted modify set, and no mixture:
 * check_attributes.c.
 */
#include "tests/unit/fire/fire_bench.h"

#define MODIFY                                                                 \
	"modify_qp qp1 mask=STATE|MIN_RNR_TIMER|ACCESS_FLAGS qp_state=RTS "    \
	"min_rnr_timer=5 qp_access_flags=REMOTE_READ\n"
#define QUERY "query_qp qp1 mask=STATE|MIN_RNR_TIMER|ACCESS_FLAGS\n"

static void report(struct bench *b, uint8_t timer, unsigned int access)
{
	struct ibv_qp_attr *attr = &at(b, 1)->o.out.qp_attr.attr;

	attr->min_rnr_timer = timer;
	attr->qp_access_flags = access;
}

static const unsigned int old_access =
	IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
static const unsigned int new_access = IBV_ACCESS_REMOTE_READ;

static void test_value(struct bench *b)
{
	play(b, PAIR, MODIFY QUERY);
	ok(holds(b, fire_check_attributes), "what a modify set last");
	report(b, 4, new_access);
	ok(breaks(b, fire_check_attributes, ROW_FIRE_ATTR),
	   "not what none set");
	report(b, 12, old_access);
	ok(breaks(b, fire_check_attributes, ROW_FIRE_ATTR),
	   "nor what was overwritten");
	overlap(b, 0, 1);
	ok(holds(b, fire_check_attributes), "beside the modify, the old ones");
	report(b, 12, new_access);
	ok(breaks(b, fire_check_attributes, ROW_FIRE_MIXTURE),
	   "but no mixture");
}

static void test_refused(struct bench *b)
{
	play(b, PAIR, MODIFY QUERY);
	at(b, 0)->o.ret = EINVAL;
	ok(breaks(b, fire_check_attributes, ROW_FIRE_REFUSED),
	   "a refused modify sets nothing");
	report(b, 12, old_access);
	ok(holds(b, fire_check_attributes), "the old values stay");
}

static void test_qkey(struct bench *b)
{
	play(b,
	     PARENTS QP("qp1", "UD",
			"") "modify_qp qp1 mask=STATE|QKEY|PKEY_INDEX|PORT "
			    "qp_state=INIT "
			    "port_num=$port qkey=7\n"
			    "modify_qp qp1 mask=STATE qp_state=RTR\n"
			    "modify_qp qp1 mask=STATE|SQ_PSN qp_state=RTS\n",
	     "modify_qp qp1 mask=STATE|QKEY qp_state=RTS qkey=8\n"
	     "query_qp qp1 mask=QKEY\n");
	ok(holds(b, fire_check_attributes), "the Q_Key of UD as well");
	at(b, 1)->o.out.qp_attr.attr.qkey = 7;
	ok(breaks(b, fire_check_attributes, ROW_FIRE_ATTR),
	   "not the one before");
}

int main(void)
{
	struct bench *b = bench_new();

	test_value(b);
	test_refused(b);
	test_qkey(b);
	return bench_end(b);
}
