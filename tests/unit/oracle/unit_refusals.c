// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Refusals. With several faults any of their errnos may be returned. If a call
 * is accepted that must not be, the judge names the rule that forbids it. Also
 * flags, sizes and verbs that a device does not have.
 */
#include <errno.h>
#include "tests/unit/oracle/oracle_bench.h"

#define BEGIN "pd0 = alloc_pd\ncq0 = create_cq cqe=16\n"
#define QP                                                                     \
	"create_qp pd0 send_cq=cq0 recv_cq=cq0 qp_type=RC cap.max_send_wr=4 "  \
	"cap.max_recv_wr=4 cap.max_send_sge=1 cap.max_recv_sge=1\n"
#define REGION(what) BEGIN "mr0 = reg_mr pd0 " what "\n"

/* The refusal of a verb that returns an int. */
static void came(struct bench *b, int ret)
{
	b->outcome.ret = ret;
	b->outcome.out.posted.bad_wr = ret ? 0 : BAD_WR_UNTOUCHED;
}

/* The refusal of a verb that makes an object. */
static void refused(struct bench *b, int err)
{
	b->outcome.ret = -1;
	b->outcome.err = err;
}

static void granted(struct bench *b)
{
	b->outcome.ret = 0;
	b->outcome.out.keys = (struct key_args){.lkey = 0x100, .rkey = 0x100};
}

static void test_several(struct bench *b)
{
	const char *both = REGION(
		"length=64 access=LOCAL_WRITE") "qp0 = " QP
						"post_recv qp0 num_sge=2 "
						"mr=mr0 length=8\n";

	play(b, both);
	came(b, EINVAL);
	ok(passes(b), "too many elements, in RESET: refused");
	play(b, both);
	came(b, EIO);
	ok(breaks(b, ROW_POST_RECV_RESET),
	   "refused with an errno of neither rule");
	play(b, both);
	came(b, 0);
	ok(breaks(b, ROW_POST_SGE),
	   "accepted: the rule is named that never accepts");
}

static void test_regions(struct bench *b)
{
	play(b, REGION("length=64 access=0x400"));
	ok(passes(b) && b->outcome.err == EINVAL,
	   "a flag that nothing defines");
	play(b, REGION("length=64 access=0x400"));
	granted(b);
	ok(breaks(b, ROW_MR_ACCESS_UNKNOWN),
	   "an undefined flag is not accepted");
	play(b, REGION("length=64 access=0x2000000"));
	ok(passes(b) && !b->outcome.ret, "an optional flag is accepted");
	b->info.limit[LIM_odp_general_caps] = 0;
	play(b, REGION("length=64 access=ON_DEMAND"));
	granted(b);
	ok(breaks(b, ROW_MR_ON_DEMAND),
	   "ON_DEMAND is not accepted without support");
	play(b, REGION("length=64 access=ZERO_BASED"));
	refused(b, EOPNOTSUPP);
	ok(breaks(b, ROW_MR_ZERO_BASED), "addresses may begin at 0");
	play(b, REGION("length=64 access=HUGETLB"));
	refused(b, EOPNOTSUPP);
	ok(non_strict(b, ROW_MR_HUGETLB), "HUGETLB of what is not ON_DEMAND");
	play(b, REGION("length=0x40000001"));
	ok(passes(b), "more memory than the program has");
	play(b, REGION("length=0x40000001"));
	refused(b, EFAULT);
	ok(non_strict(b, ROW_MR_UNMAPPED),
	   "may be refused as more than can be pinned");
	play(b, REGION("length=0x40000000"));
	refused(b, EFAULT);
	ok(breaks(b, ROW_OBJ_ACCEPT), "but not existing memory");
}

static void test_draining(struct bench *b)
{
	play(b, BEGIN "qp0 = " QP "wait_drained qp0\n");
	came(b, ETIMEDOUT);
	ok(non_strict(b, ROW_QRY_NOT_DRAINING),
	   "sq_draining means nothing in RESET");
	play(b, BEGIN "qp0 = " QP "wait_drained qp0\n");
	came(b, EINVAL);
	ok(!judged(b), "the query is answered all the same");
}

static void test_ports(struct bench *b)
{
	play(b, "query_pkey port_num=257\n");
	ok(passes(b) && !b->outcome.ret, "a port's number has eight bits");
	play(b, "query_pkey port_num=200\n");
	ok(passes(b) && b->outcome.ret, "port 200 does not exist");
}

static void test_absent(struct bench *b)
{
	struct device_info whole = b->info;

	b->info.old_calls = 0;
	play(b, "query_xrc_rcv_qp\n");
	ok(passes(b) && b->outcome.ret == EOPNOTSUPP,
	   "the old query, without the old symbols");
	b->info = whole;
	b->info.limit[LIM_max_mcast_grp] = 0;
	play(b, BEGIN "qp0 = " QP "detach_mcast qp0 gid=$gid\n");
	came(b, EOPNOTSUPP);
	ok(judged(b), "leaving a group of a device that has none");
	b->info.transport = IBV_TRANSPORT_IWARP;
	play(b, BEGIN "ah0 = create_ah pd0\n");
	ok(passes(b) && b->outcome.err == EOPNOTSUPP,
	   "an address handle on iWARP");
	b->info = whole;
}

#define IMPORT(plus) BEGIN "pd1 = import_pd pd=pd0 handle_plus=" plus "\n"

static void test_handles(struct bench *b)
{
	play(b, IMPORT("1"));
	ok(passes(b) && b->outcome.err == ENOENT, "a handle of no object");
	play(b, IMPORT("1"));
	came(b, 0);
	ok(is_open(b), "the next handle may be that of another object");
	play(b, IMPORT("0xffffffff"));
	came(b, 0);
	ok(is_open(b), "so may the one before");
	play(b, IMPORT("0x100000"));
	came(b, 0);
	ok(breaks(b, ROW_IMPORT_HANDLE), "not one that is far away");
}

int main(void)
{
	struct bench *b = bench_new();

	test_several(b);
	test_regions(b);
	test_draining(b);
	test_ports(b);
	test_absent(b);
	test_handles(b);
	return bench_end(b);
}
