// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_modify_qp and ibv_query_qp on soft RoCE: what the table is not asked
 * about, which values are stored as given, and what SQD does.
 */
#include "claims.h"
#include <stdlib.h>
#include <string.h>

static struct ibv_qp *fresh(const struct lab *lab, const struct shape *shape)
{
	struct shape own = *shape;

	own.send_cq = make_cq(lab, 16);
	return make_qp(lab, &own);
}

static struct ibv_qp *in_rts(const struct lab *lab, const struct shape *shape)
{
	struct ibv_qp *qp = fresh(lab, shape);

	bring_up(lab, qp, shape, 0xfffff0);
	return qp;
}

static int av_in_sqd(const struct lab *lab, enum ibv_qp_type type)
{
	struct shape shape = usual(lab, type);
	struct ibv_qp *qp = in_rts(lab, &shape);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_SQD,
		.ah_attr = own_address(lab),
	};
	int tries = 100;

	must(lab, to_state(qp, IBV_QPS_SQD), "RTS to SQD");
	while (query(lab, qp).sq_draining && tries--)
		next_event(lab, 5);
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV);
}

static void uc_av_sqd(struct lab *lab)
{
	int uc = av_in_sqd(lab, IBV_QPT_UC), rc = av_in_sqd(lab, IBV_QPT_RC);

	saw(lab, uc == EINVAL && !rc, "UC %d, RC %d", uc, rc);
}

static void without_state(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = in_rts(lab, &shape);
	struct ibv_qp_attr attr = {.dest_qp_num = 0x4321, .sq_psn = 99};
	int dest = ibv_modify_qp(qp, &attr, IBV_QP_DEST_QPN);
	int psn = ibv_modify_qp(qp, &attr, IBV_QP_SQ_PSN);
	struct ibv_qp_attr now = query(lab, qp);

	saw(lab, !dest && !psn && now.dest_qp_num == 0x4321 && now.sq_psn == 99,
	    "in RTS DEST_QPN %d, reads back as %#x; SQ_PSN %d, reads back as "
	    "%u",
	    dest, now.dest_qp_num, psn, now.sq_psn);
}

static void qkey_in_reset(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_UD);
	struct ibv_qp *qp = fresh(lab, &shape);
	struct ibv_qp_attr attr = {.qkey = 0x4321};
	int ret = ibv_modify_qp(qp, &attr, IBV_QP_QKEY);

	saw(lab, !ret, "%d, reads back as %#x", ret, query(lab, qp).qkey);
}

/* Makes the call of RTR to RTS with a false cur_qp_state. */
static int lie(struct ibv_qp *qp, enum ibv_qp_state cur)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.cur_qp_state = cur,
		.timeout = 12,
		.retry_cnt = 3,
		.max_rd_atomic = 1,
	};

	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_TIMEOUT |
				     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static void lie_in_reset(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);
	int ret = lie(qp, IBV_QPS_RTR);
	enum ibv_qp_state state = state_of(lab, qp);
	int sent = post_send(lab, qp, 8);
	struct ibv_wc wc = next_wc(qp->send_cq, 500);

	saw(lab, !ret && state == IBV_QPS_RTS,
	    "%d, state %d; a send then: %d, %s", ret, (int)state, sent,
	    status_name(wc.status));
}

static void lie_in_err(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_wc wc;
	int ret;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, to_state(p.a, IBV_QPS_ERR), "RTS to ERR");
	ret = lie(p.a, IBV_QPS_RTR);
	post_send(lab, p.a, 8);
	wc = next_wc(p.send_cq, 500);
	saw(lab, !ret && state_of(lab, p.a) == IBV_QPS_RTS,
	    "%d, state %d; a send then: %s", ret, (int)state_of(lab, p.a),
	    status_name(wc.status));
}

static void cur_state_written(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = in_rts(lab, &shape);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.cur_qp_state = IBV_QPS_RTS,
	};
	int plain = (int)query(lab, qp).cur_qp_state, after;

	must(lab, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE),
	     "RTS to RTS with CUR_STATE");
	must(lab, to_state(qp, IBV_QPS_ERR), "RTS to ERR");
	after = (int)query(lab, qp).cur_qp_state;
	saw(lab, plain == IBV_QPS_RTS && after == IBV_QPS_ERR,
	    "cur_qp_state reads %d in RTS, and %d in ERR after a call with "
	    "CUR_STATE in RTS",
	    plain, after);
}

/* Sets max_rd_atomic or max_dest_rd_atomic and returns what a query reports. */
static int rounded(const struct lab *lab, uint8_t value, bool dest)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp_attr now;
	struct ibv_qp *qp = fresh(lab, &shape);
	int ret;

	if (dest)
		shape.dest_rd_atomic = value;
	else
		shape.rd_atomic = value;
	must(lab, to_init(qp, &shape), "RESET to INIT");
	ret = to_rtr(lab, qp, &shape, 0xfffff0);
	if (!ret)
		ret = to_rts(qp, &shape);
	if (ret)
		return -ret;
	now = query(lab, qp);
	return dest ? now.max_dest_rd_atomic : now.max_rd_atomic;
}

static void rounding(struct lab *lab)
{
	int three = rounded(lab, 3, false), five = rounded(lab, 5, true);

	saw(lab, three == 4 && five == 8,
	    "max_rd_atomic 3 reads %d, max_dest_rd_atomic 5 reads %d", three,
	    five);
}

static void zero_stays(struct lab *lab)
{
	int rd = rounded(lab, 0, false), dest = rounded(lab, 0, true);

	saw(lab, rd == 0 && dest == 0, "%d and %d", rd, dest);
}

static void above_limit(struct lab *lab)
{
	int rd = rounded(lab, 129, false), dest = rounded(lab, 129, true);

	saw(lab, rd == -EINVAL && dest == 0,
	    "129: max_rd_atomic %d, max_dest_rd_atomic %d", rd, dest);
}

static int mtu_of(const struct lab *lab, uint8_t mtu)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);
	int ret;

	shape.mtu = mtu;
	must(lab, to_init(qp, &shape), "RESET to INIT");
	ret = to_rtr(lab, qp, &shape, 0xfffff0);
	return ret ? -ret : (int)query(lab, qp).path_mtu;
}

static void mtu_low(struct lab *lab)
{
	int zero = mtu_of(lab, 0);

	saw(lab, zero == 0, "0: %d", zero);
}

static void mtu_high(struct lab *lab)
{
	int six = mtu_of(lab, 6);

	saw(lab, six == -EINVAL, "6: %d", six);
}

static void mtu_active(struct lab *lab)
{
	int above = mtu_of(lab, 5);

	saw(lab, above == 5 && lab->path_mtu < 5,
	    "active_mtu is %u, path_mtu 5: %d", lab->path_mtu, above);
}

static void widths(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);
	struct ibv_qp_attr now;
	int ret;

	shape.retry = 200;
	shape.rnr_retry = 201;
	shape.dest_qpn = 0xff000011;
	must(lab, to_init(qp, &shape), "RESET to INIT");
	ret = to_rtr(lab, qp, &shape, 0);
	if (!ret)
		ret = to_rts(qp, &shape);
	now = query(lab, qp);
	saw(lab,
	    !ret && now.retry_cnt == 200 && now.rnr_retry == 201 &&
		    now.dest_qp_num == 0xff000011,
	    "%d; retry_cnt 200 reads %u, rnr_retry 201 reads %u, dest_qp_num "
	    "0xff000011 reads %#x",
	    ret, now.retry_cnt, now.rnr_retry, now.dest_qp_num);
}

static void timeout_above(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);
	int ret;

	shape.timeout = 32;
	must(lab, to_init(qp, &shape), "RESET to INIT");
	must(lab, to_rtr(lab, qp, &shape, 0xfffff0), "INIT to RTR");
	ret = to_rts(qp, &shape);
	saw(lab, ret == EINVAL, "32: %d", ret);
}

static void pkey_index(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.pkey_index = 500,
		.port_num = 1,
	};
	int ret = ibv_modify_qp(qp, &attr,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					IBV_QP_ACCESS_FLAGS);

	saw(lab, !ret && query(lab, qp).pkey_index == 500,
	    "500: %d, reads back as %u", ret, query(lab, qp).pkey_index);
}

static int flags_of(const struct lab *lab, unsigned int flags)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);

	shape.access = flags;
	return to_init(qp, &shape);
}

static void access_flags(struct lab *lab)
{
	int huge = flags_of(lab, IBV_ACCESS_HUGETLB);
	int unknown = flags_of(lab, 1u << 30);

	saw(lab, huge == EINVAL && unknown == EINVAL, "HUGETLB %d, bit 30 %d",
	    huge, unknown);
}

/* The partner does not answer and there is no timeout: it drains for ever. */
static struct ibv_qp *draining(const struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp;

	shape.timeout = 0;
	qp = in_rts(lab, &shape);
	must(lab, post_send(lab, qp, 8), "ibv_post_send");
	next_wc(qp->send_cq, 20);
	must(lab, to_state(qp, IBV_QPS_SQD), "RTS to SQD");
	return qp;
}

static void leave_draining(struct lab *lab)
{
	int rts, reset, err;
	struct ibv_qp *qp = draining(lab);
	int is_draining = query(lab, qp).sq_draining;

	rts = to_state(qp, IBV_QPS_RTS);
	reset = to_state(qp, IBV_QPS_RESET);
	err = to_state(qp, IBV_QPS_ERR);
	saw(lab, is_draining && rts == EINVAL && reset == EINVAL && !err,
	    "sq_draining %d; to RTS %d, to RESET %d, to ERR %d", is_draining,
	    rts, reset, err);
}

static void drained(struct lab *lab, bool ask)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = in_rts(lab, &shape);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_SQD,
		.en_sqd_async_notify = ask,
	};
	int ret = ibv_modify_qp(qp, &attr,
				IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY);
	int first, second;

	must(lab, ret, "RTS to SQD");
	first = next_event(lab, 1000);
	second = next_event(lab, 200);
	saw(lab, first == IBV_EVENT_SQ_DRAINED && second < 0,
	    "%s, then %s, sq_draining %u", event_name(first),
	    event_name(second), query(lab, qp).sq_draining);
}

static void drained_unasked(struct lab *lab)
{
	drained(lab, false);
}

static void drained_asked(struct lab *lab)
{
	drained(lab, true);
}

static void reset_keeps_cqe(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct pair p = make_pair(lab, &shape);
	struct ibv_wc sent, recv;

	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_recv(lab, p.b, 64), "ibv_post_recv");
	must(lab, post_send(lab, p.a, 8), "ibv_post_send");
	next_event(lab, 300);
	must(lab, to_state(p.a, IBV_QPS_RESET), "RTS to RESET");
	must(lab, to_state(p.b, IBV_QPS_RESET), "RTS to RESET");
	sent = next_wc(p.send_cq, 200);
	recv = next_wc(p.recv_cq, 200);
	saw(lab,
	    sent.status == IBV_WC_SUCCESS && recv.status == IBV_WC_SUCCESS &&
		    next_wc(p.recv_cq, 300).status == CLAIM_NONE,
	    "after RESET: %s and %s; of the receive that was left: no "
	    "completion",
	    status_name(sent.status), status_name(recv.status));
}

static void psn_wide(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.ah_attr = own_address(lab),
		.path_mtu = (enum ibv_mtu)lab->path_mtu,
		.dest_qp_num = 0xfffff0,
		.rq_psn = 0x1000005,
	};
	int ret;

	must(lab, to_init(qp, &shape), "RESET to INIT");
	ret = ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER);
	saw(lab, !ret && query(lab, qp).rq_psn == 5,
	    "0x1000005: %d, reads back as %#x", ret, query(lab, qp).rq_psn);
}

static void av_read_back(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);
	struct ibv_qp_attr now, attr = {
					.qp_state = IBV_QPS_RTR,
					.ah_attr = own_address(lab),
					.path_mtu = (enum ibv_mtu)lab->path_mtu,
					.dest_qp_num = 0xfffff0,
				};

	attr.ah_attr.sl = 3;
	attr.ah_attr.dlid = 77;
	attr.ah_attr.static_rate = IBV_RATE_10_GBPS;
	attr.ah_attr.src_path_bits = 5;
	must(lab, to_init(qp, &shape), "RESET to INIT");
	must(lab,
	     ibv_modify_qp(qp, &attr,
			   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				   IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				   IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER),
	     "INIT to RTR");
	now = query(lab, qp);
	saw(lab,
	    now.ah_attr.is_global == 1 && !now.ah_attr.sl &&
		    !now.ah_attr.dlid && !now.ah_attr.static_rate &&
		    !now.ah_attr.src_path_bits,
	    "is_global %u, sl 3 reads %u, dlid 77 %u, static_rate 3 %u, "
	    "src_path_bits 5 %u",
	    now.ah_attr.is_global, now.ah_attr.sl, now.ah_attr.dlid,
	    now.ah_attr.static_rate, now.ah_attr.src_path_bits);
}

static void fresh_query(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = in_rts(lab, &shape);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int ret;

	memset(&attr, 0, sizeof(attr));
	ret = ibv_query_qp(qp, &attr, IBV_QP_PORT, &init);
	saw(lab, !ret && attr.timeout == shape.timeout && attr.dest_qp_num,
	    "asked for PORT: %d, timeout %u, dest_qp_num %#x", ret,
	    attr.timeout, attr.dest_qp_num);
}

static void zero_in_rtr(struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, &shape);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR};
	int ret;

	must(lab, to_init(qp, &shape), "RESET to INIT");
	must(lab, to_rtr(lab, qp, &shape, 0xfffff0), "INIT to RTR");
	ret = ibv_modify_qp(qp, &attr, 0);
	saw(lab, !ret, "%d", ret);
}

static const struct claim claims[] = {
	{"U-15", "EINVAL for STATE|AV in SQD on UC, 0 on RC", uc_av_sqd},
	{"X-26", "DEST_QPN and SQ_PSN without STATE are taken in RTS",
	 without_state},
	{"X-26/QKEY", "QKEY without STATE is taken in RESET", qkey_in_reset},
	{"X-24/empty", "an empty mask is taken in RTR", zero_in_rtr},
	{"X-27", "RESET with a cur_qp_state of RTR goes to RTS", lie_in_reset},
	{"K-12", "ERR with a cur_qp_state of RTR goes to RTS", lie_in_err},
	{"X-31", "cur_qp_state reads as the state", cur_state_written},
	{"X-28", "rounded up to powers of two", rounding},
	{"X-28/zero", "0 stays 0", zero_stays},
	{"X-22", "max_rd_atomic 129 is EINVAL, max_dest_rd_atomic 129 reads 0",
	 above_limit},
	{"X-21/low", "path_mtu 0 is taken", mtu_low},
	{"X-21/high", "path_mtu 6 is EINVAL", mtu_high},
	{"X-21/active", "path_mtu above active_mtu is taken", mtu_active},
	{"X-23", "retry_cnt, rnr_retry, dest_qp_num are kept as given", widths},
	{"X-23/timeout", "timeout 32 is EINVAL", timeout_above},
	{"X-23/pkey", "pkey_index is not looked at", pkey_index},
	{"X-18", "access flags outside its set are EINVAL", access_flags},
	{"X-25", "while draining only ERR is allowed", leave_draining},
	{"K-08", "SQ_DRAINED comes without being asked for", drained_unasked},
	{"K-09", "SQ_DRAINED comes once when asked for", drained_asked},
	{"X-29/RESET", "RESET keeps completions, posted receives go silently",
	 reset_keeps_cqe},
	{"L8", "a PSN of 25 bits is cut, not refused", psn_wide},
	{"X-36", "sl, dlid, static_rate, src_path_bits read 0, is_global 1",
	 av_read_back},
	{"X-30", "the mask of a query is ignored", fresh_query},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
