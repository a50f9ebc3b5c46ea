// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ibv_modify_qp on soft RoCE: what a refused call leaves behind, what is read
 * of the attributes that no mask names, and values that few programs give.
 */
#include "claims.h"
#include <stddef.h>
#include <string.h>

static struct ibv_qp *fresh(const struct lab *lab, enum ibv_qp_type type)
{
	struct shape shape = usual(lab, type);

	shape.send_cq = make_cq(lab, 16);
	return make_qp(lab, &shape);
}

static struct ibv_qp *in_init(const struct lab *lab, enum ibv_qp_type type)
{
	struct shape shape = usual(lab, type);
	struct ibv_qp *qp = fresh(lab, type);

	must(lab, to_init(qp, &shape), "RESET to INIT");
	return qp;
}

static struct ibv_qp *in_rts(const struct lab *lab)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, IBV_QPT_RC);

	bring_up(lab, qp, &shape, 0xfffff0);
	return qp;
}

/* The offset of the first byte that differs; -1: none. */
static int differs(const struct ibv_qp_attr *a, const struct ibv_qp_attr *b)
{
	const char *x = (const char *)a, *y = (const char *)b;
	size_t i;

	for (i = 0; i < sizeof(*a); i++)
		if (x[i] != y[i])
			return (int)i;
	return -1;
}

struct refusal {
	const char *name;
	enum ibv_qp_state to, cur;
	int mask;
};

/* Each has something good next to what is refused. */
static const struct refusal refusals[] = {
	{"RTS to INIT", IBV_QPS_INIT, IBV_QPS_RTS,
	 IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER},
	{"RETRY_CNT in RTS", IBV_QPS_RTS, IBV_QPS_RTS,
	 IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER |
		 IBV_QP_RETRY_CNT},
	{"RETRY_CNT to SQD", IBV_QPS_SQD, IBV_QPS_RTS,
	 IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY |
		 IBV_QP_RETRY_CNT},
	{"CUR_STATE INIT", IBV_QPS_RTS, IBV_QPS_INIT,
	 IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER},
	{"timeout 40", IBV_QPS_RTS, IBV_QPS_SQD,
	 IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER |
		 IBV_QP_TIMEOUT},
	{"max_rd_atomic 200", IBV_QPS_RTS, IBV_QPS_RTR,
	 IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER |
		 IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
		 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC},
	{"timeout 40 alone", IBV_QPS_RTS, IBV_QPS_RTS,
	 IBV_QP_TIMEOUT | IBV_QP_MIN_RNR_TIMER},
	{"max_rd_atomic 200 alone", IBV_QPS_RTS, IBV_QPS_RTS,
	 IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN | IBV_QP_MIN_RNR_TIMER},
};

static int refused(struct ibv_qp *qp, const struct refusal *r)
{
	struct ibv_qp_attr attr = {
		.qp_state = r->to,
		.cur_qp_state = r->cur,
		.en_sqd_async_notify = 1,
		.min_rnr_timer = 17,
		.retry_cnt = 6,
		.rnr_retry = 6,
		.sq_psn = 77,
		.timeout = r->mask & IBV_QP_MAX_QP_RD_ATOMIC ? 13 : 40,
		.max_rd_atomic = 200,
	};

	return ibv_modify_qp(qp, &attr, r->mask);
}

static void atomicity(struct lab *lab)
{
	const char *bad = "none";
	int i, at = -1, taken = 0, ret = 0;

	for (i = 0; i < COUNT(refusals) && at < 0; i++) {
		struct ibv_qp *qp = in_rts(lab);
		struct ibv_qp_attr before = query(lab, qp), after;

		ret = refused(qp, &refusals[i]);
		taken += !ret;
		after = query(lab, qp);
		at = differs(&before, &after);
		if (at >= 0 || !ret)
			bad = refusals[i].name;
	}
	saw(lab, at < 0 && !taken,
	    "%d calls, %d of them taken (the last: %d); changed or taken: %s "
	    "(byte %d of what ibv_query_qp says)",
	    i, taken, ret, bad, at);
}

/* The partner does not answer and there is no timeout: it drains for ever. */
static void while_draining(struct lab *lab)
{
	static const struct refusal back = {
		"SQD to RTS", IBV_QPS_RTS, IBV_QPS_SQD,
		IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_MIN_RNR_TIMER};
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = fresh(lab, IBV_QPT_RC);
	struct ibv_qp_attr before, after;
	int ret;

	shape.timeout = 0;
	bring_up(lab, qp, &shape, 0xfffff0);
	must(lab, post_send(lab, qp, 8), "ibv_post_send");
	next_wc(qp->send_cq, 20);
	must(lab, to_state(qp, IBV_QPS_SQD), "RTS to SQD");
	before = query(lab, qp);
	ret = refused(qp, &back);
	after = query(lab, qp);
	saw(lab, ret == EINVAL && differs(&before, &after) < 0,
	    "sq_draining %u; %d, first difference at byte %d",
	    before.sq_draining, ret, differs(&before, &after));
}

/* Each step with the byte in everything that its mask does not name. */
static int init_with(struct ibv_qp *qp, int byte)
{
	struct ibv_qp_attr attr;

	memset(&attr, byte, sizeof(attr));
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = 1;
	attr.pkey_index = 0;
	attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX |
				     IBV_QP_ACCESS_FLAGS);
}

static int rtr_with(const struct lab *lab, struct ibv_qp *qp, int byte)
{
	struct ibv_qp_attr attr;

	memset(&attr, byte, sizeof(attr));
	attr.qp_state = IBV_QPS_RTR;
	attr.ah_attr = own_address(lab);
	attr.path_mtu = (enum ibv_mtu)lab->path_mtu;
	attr.dest_qp_num = 0xfffff0;
	attr.rq_psn = 5;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 1;
	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				     IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				     IBV_QP_MAX_DEST_RD_ATOMIC |
				     IBV_QP_MIN_RNR_TIMER);
}

static int rts_with(struct ibv_qp *qp, int byte)
{
	struct ibv_qp_attr attr;

	memset(&attr, byte, sizeof(attr));
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = 6;
	attr.timeout = 12;
	attr.retry_cnt = 3;
	attr.rnr_retry = 1;
	attr.max_rd_atomic = 1;
	return ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
				     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				     IBV_QP_MAX_QP_RD_ATOMIC);
}

/* The usual way up; what ibv_query_qp says after each step. */
static int rise(const struct lab *lab, int byte, struct ibv_qp_attr now[3])
{
	struct ibv_qp *qp = fresh(lab, IBV_QPT_RC);
	int init, rtr, rts;

	init = init_with(qp, byte);
	now[0] = query(lab, qp);
	rtr = rtr_with(lab, qp, byte);
	now[1] = query(lab, qp);
	rts = rts_with(qp, byte);
	now[2] = query(lab, qp);
	return init ? init : rtr ? rtr : rts;
}

static void unmasked(struct lab *lab)
{
	struct ibv_qp_attr zero[3], nonsense[3];
	int first = rise(lab, 0, zero), second = rise(lab, 0xa5, nonsense);
	int init = differs(&zero[0], &nonsense[0]);
	int rtr = differs(&zero[1], &nonsense[1]);
	int rts = differs(&zero[2], &nonsense[2]);

	saw(lab, !first && !second && init < 0 && rtr < 0 && rts < 0,
	    "up to RTS with 0 in the others %d, with nonsense %d; first "
	    "differences at byte %d in INIT, %d in RTR, %d in RTS",
	    first, second, init, rtr, rts);
}

/* The library hands on 0 for a qp_state that the mask does not name. */
static void unmasked_state(struct lab *lab)
{
	struct ibv_qp *qp = in_rts(lab);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.cur_qp_state = IBV_QPS_RTS,
	};
	int first, then, ret;

	must(lab, ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE),
	     "RTS to RTS with CUR_STATE");
	first = (int)query(lab, qp).cur_qp_state;
	ret = ibv_modify_qp(qp, &attr, IBV_QP_CUR_STATE);
	then = (int)query(lab, qp).cur_qp_state;
	saw(lab, !ret && first == IBV_QPS_RTS && then == 0,
	    "in RTS CUR_STATE with STATE, cur_qp_state reads %d; CUR_STATE "
	    "alone: %d, cur_qp_state reads %d, qp_state %d",
	    first, ret, then, (int)state_of(lab, qp));
}

static void reserved(struct lab *lab)
{
	struct ibv_qp *qp = in_rts(lab);
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};
	int bit, ret = EOPNOTSUPP;

	for (bit = 21; bit < 25 && ret == EOPNOTSUPP; bit++)
		ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | 1 << bit);
	saw(lab, ret == EOPNOTSUPP && bit == 25, "up to bit %d: %d", bit - 1,
	    ret);
}

static void cap(struct lab *lab)
{
	struct ibv_qp *qp = in_rts(lab);
	struct ibv_qp_attr before = query(lab, qp), after;
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.cap = {8, 8, 1, 1, 0},
	};
	int with = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_CAP);
	int without = ibv_modify_qp(qp, &attr, IBV_QP_CAP);

	after = query(lab, qp);
	saw(lab, with == EINVAL && !without && differs(&before, &after) < 0,
	    "with STATE %d, without %d; max_send_wr %u, then %u", with, without,
	    before.cap.max_send_wr, after.cap.max_send_wr);
}

static void flags_on_ud(struct lab *lab)
{
	struct ibv_qp *qp = in_init(lab, IBV_QPT_UD);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE,
	};
	int with = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS);
	int without = ibv_modify_qp(qp, &attr, IBV_QP_ACCESS_FLAGS);

	saw(lab, with == EINVAL && without == EINVAL,
	    "with STATE %d, without %d", with, without);
}

static void rnr_timer(struct lab *lab)
{
	struct ibv_qp *qp = in_rts(lab);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.min_rnr_timer = 200,
	};
	int ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER);
	struct ibv_qp_attr now = query(lab, qp);

	saw(lab, !ret && now.min_rnr_timer == 200, "200: %d, reads back as %u",
	    ret, now.min_rnr_timer);
}

static int rtr_from(const struct lab *lab, uint8_t sgid_index)
{
	struct shape shape = usual(lab, IBV_QPT_RC);
	struct ibv_qp *qp = in_init(lab, IBV_QPT_RC);
	struct lab other = *lab;

	other.gid_index = sgid_index;
	return to_rtr(&other, qp, &shape, 0xfffff0);
}

#define GIDS 1024

/* sgid_index has eight bits. */
static void source_gid(struct lab *lab)
{
	struct ibv_gid_entry gid[GIDS];
	struct ibv_port_attr port;
	ssize_t count = ibv_query_gid_table(lab->ctx, gid, GIDS, 0);
	int i, foreign = 0, empty = rtr_from(lab, 255);

	must(lab, count < 0 ? (int)count : 0, "ibv_query_gid_table");
	must(lab, ibv_query_port(lab->ctx, 1, &port), "ibv_query_port");
	for (i = 0; i < (int)count; i++)
		foreign += gid[i].gid_type != IBV_GID_TYPE_ROCE_V2;
	saw(lab,
	    count > 0 && !foreign && port.gid_tbl_len > 255 && empty == ENODATA,
	    "a table of %d, %d GIDs in it, %d of them not RoCE v2; the empty "
	    "index 255: %d",
	    port.gid_tbl_len, (int)count, foreign, empty);
}

static int alternate(const struct lab *lab, uint8_t timeout)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.alt_ah_attr = own_address(lab),
		.alt_port_num = 1,
		.alt_timeout = timeout,
	};

	return ibv_modify_qp(in_rts(lab), &attr,
			     IBV_QP_STATE | IBV_QP_ALT_PATH);
}

static void alt_timeout(struct lab *lab)
{
	int good = alternate(lab, 12), wide = alternate(lab, 32);

	saw(lab, good == EINVAL && wide == EINVAL, "12: %d, 32: %d", good,
	    wide);
}

static const struct claim claims[] = {
	{"MOD_ATOMIC", "a refused call changes nothing that can be queried",
	 atomicity},
	{"MOD_ATOMIC/draining", "nor does one that comes while it drains",
	 while_draining},
	{"MOD_UNMASKED", "nothing is read that the mask does not name",
	 unmasked},
	{"MOD_UNMASKED/state",
	 "CUR_STATE alone makes cur_qp_state read 0, which is qp_state's",
	 unmasked_state},
	{"MASK_RESERVED", "EOPNOTSUPP for bits 21 to 24", reserved},
	{"CAP_RESIZE", "EINVAL with STATE; without it 0, changing nothing",
	 cap},
	{"VAL_ACCESS/UD", "EINVAL for ACCESS_FLAGS on UD", flags_on_ud},
	{"VAL_WIDTH/rnr", "min_rnr_timer is kept as given", rnr_timer},
	{"AV_SGID", "no index is past the table; ENODATA for an empty one",
	 source_gid},
	{"ALT_TIMEOUT", "EINVAL for any ALT_PATH", alt_timeout},
};

int main(int argc, char **argv)
{
	return claims_main(argc, argv, claims, COUNT(claims));
}
