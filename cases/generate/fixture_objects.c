/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creates the objects that cases need, each with the smallest attributes that
 * every device grants.
 */
#include <fcntl.h>
#include "contract/opcodes.h"
#include "cases/generate/generate.h"
#include "vendor/vendor.h"

void gen_end_batch(struct gen *g)
{
	if (!g->building)
		return;
	g->building = false;
	prog_call(g->p, V_wr_complete, NO_OBJ, g->builder);
}

struct call *gen_call(struct gen *g, enum verb verb, uint8_t on)
{
	gen_end_batch(g);
	return prog_call(g->p, verb, NO_OBJ, on);
}

void gen_async_event(struct gen *g, uint8_t ctx, uint32_t ms)
{
	gen_call(g, V_get_async_event, ctx);
	prog_num(g->p, F_event_timeout, ms);
}

uint8_t gen_make(struct gen *g, enum verb verb, uint8_t on)
{
	uint8_t slot = prog_new(g->p, verb_info(verb)->makes);

	if (on == NO_OBJ && verb_info(verb)->on == OBJ_CTX)
		on = g->ctx;
	gen_end_batch(g);
	prog_call(g->p, verb, slot, on);
	return slot;
}

uint8_t gen_pd(struct gen *g)
{
	return gen_make(g, V_alloc_pd, NO_OBJ);
}

uint8_t gen_parent_domain(struct gen *g, uint8_t pd, uint8_t td)
{
	uint8_t parent = gen_make(g, V_alloc_parent_domain, NO_OBJ);

	prog_obj(g->p, F_parent_pd, pd);
	if (td != NO_OBJ)
		prog_obj(g->p, F_parent_td, td);
	return parent;
}

uint8_t gen_cq_by(struct gen *g, enum verb verb)
{
	return g->make_cq ? g->make_cq(g) : gen_make(g, verb, NO_OBJ);
}

uint8_t gen_cq(struct gen *g)
{
	uint8_t cq = gen_cq_by(g, g->cq_ex ? V_create_cq_ex : V_create_cq);

	prog_num(g->p, F_cqe, 16);
	if (g->cq_ex)
		prog_num(g->p, F_wc_flags, IBV_WC_STANDARD_FLAGS);
	return cq;
}

uint8_t gen_srq(struct gen *g, uint8_t pd)
{
	uint8_t srq = gen_make(g, V_create_srq, pd);

	prog_num(g->p, F_srq_max_wr, GEN_QUEUE_WR);
	prog_num(g->p, F_srq_max_sge, 1);
	return srq;
}

void gen_srq_limit(struct gen *g, uint8_t srq, uint64_t limit)
{
	gen_call(g, V_modify_srq, srq);
	prog_num(g->p, F_srq_mask, IBV_SRQ_LIMIT);
	prog_num(g->p, F_srq_attr_limit, limit);
}

void gen_srq_limit_past_size(struct gen *g, uint8_t srq, uint64_t limit)
{
	gen_srq_limit(g, srq, limit);
	prog_num(g->p, F_srq_mask, IBV_SRQ_MAX_WR | IBV_SRQ_LIMIT);
	prog_limit(g->p, F_srq_attr_max_wr, LIM_max_srq_wr, 1);
}

uint8_t gen_xrcd(struct gen *g)
{
	uint8_t xrcd = gen_make(g, V_open_xrcd, NO_OBJ);

	prog_num(g->p, F_xrcd_comp_mask,
		 IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS);
	prog_num(g->p, F_xrcd_fd, XRCD_PRIVATE);
	prog_num(g->p, F_xrcd_oflags, O_CREAT);
	return xrcd;
}

uint8_t gen_xrc_srq(struct gen *g, uint8_t pd, uint8_t xrcd, uint8_t cq)
{
	uint8_t srq = gen_make(g, V_create_srq_ex, NO_OBJ);

	prog_num(g->p, F_srq_comp_mask,
		 IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			 IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ);
	prog_num(g->p, F_srq_type, IBV_SRQT_XRC);
	prog_num(g->p, F_srq_max_wr, GEN_QUEUE_WR);
	prog_num(g->p, F_srq_max_sge, 1);
	prog_obj(g->p, F_srq_pd, pd);
	prog_obj(g->p, F_srq_xrcd, xrcd);
	prog_obj(g->p, F_srq_cq, cq);
	return srq;
}

uint8_t gen_wq(struct gen *g, uint8_t pd, uint8_t cq)
{
	uint8_t wq = gen_make(g, V_create_wq, NO_OBJ);

	prog_num(g->p, F_wq_type, IBV_WQT_RQ);
	prog_num(g->p, F_wq_max_wr, 4);
	prog_num(g->p, F_wq_max_sge, 1);
	prog_obj(g->p, F_wq_pd, pd);
	prog_obj(g->p, F_wq_cq, cq);
	return wq;
}

uint8_t gen_ind(struct gen *g, uint8_t wq)
{
	uint8_t ind = gen_make(g, V_create_rwq_ind_table, NO_OBJ);

	prog_num(g->p, F_ind_log_size, 0);
	prog_obj(g->p, F_ind_wq, wq);
	return ind;
}

uint8_t gen_flow(struct gen *g, uint8_t qp, uint64_t mac)
{
	uint8_t flow = gen_make(g, V_create_flow, qp);

	prog_num(g->p, F_flow_type, IBV_FLOW_ATTR_NORMAL);
	prog_sym(g->p, F_flow_port, "port", 0);
	prog_num(g->p, F_flow_specs, 1);
	prog_num(g->p, F_flow_spec0, IBV_FLOW_SPEC_ETH);
	prog_num(g->p, F_flow_val_eth_dst, mac);
	prog_num(g->p, F_flow_mask_eth_dst, UINT64_MAX >> 16);
	return flow;
}

uint8_t gen_mr_of(struct gen *g, uint8_t pd, uint64_t length, uint32_t access)
{
	uint8_t mr = gen_make(g, V_reg_mr, pd);

	prog_num(g->p, F_mr_length, length);
	prog_num(g->p, F_mr_access, access);
	return mr;
}

uint8_t gen_mr(struct gen *g, uint8_t pd)
{
	return gen_mr_of(g, pd, 4096, IBV_ACCESS_LOCAL_WRITE);
}

uint8_t gen_dm(struct gen *g, uint64_t length)
{
	uint8_t dm = gen_make(g, V_alloc_dm, NO_OBJ);

	prog_num(g->p, F_dm_length, length);
	return dm;
}

uint8_t gen_dm_mr(struct gen *g, uint8_t dm, uint64_t offset, uint64_t length,
		  uint32_t access)
{
	uint8_t mr = gen_make(g, V_reg_dm_mr, g->pd);

	prog_obj(g->p, F_dm_mr_dm, dm);
	prog_num(g->p, F_dm_mr_offset, offset);
	prog_num(g->p, F_dm_mr_length, length);
	prog_num(g->p, F_dm_mr_access, access);
	return mr;
}

uint8_t gen_mr_iova(struct gen *g, uint64_t iova, uint64_t length,
		    uint32_t access)
{
	uint8_t mr = gen_make(g, V_reg_mr_iova, g->pd);

	prog_num(g->p, F_mr_length, length);
	prog_num(g->p, F_mr_access, access);
	prog_num(g->p, F_mr_iova, iova);
	return mr;
}

void gen_fill(struct gen *g, uint8_t mr, uint32_t pattern)
{
	gen_call(g, V_fill_mr, mr);
	prog_num(g->p, F_memory_pattern, pattern);
}

void gen_read_part(struct gen *g, uint8_t mr, uint64_t offset, uint64_t length)
{
	gen_call(g, V_read_mr, mr);
	prog_num(g->p, F_memory_offset, offset);
	prog_num(g->p, F_memory_length, length);
}

uint32_t gen_remote_access(const struct gen *g)
{
	uint32_t access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

	if (claim_holds(CLAIM_ATOMIC, g->d))
		access |= IBV_ACCESS_REMOTE_ATOMIC;
	if (g->wr && claim_holds(CLAIM_FLUSH, g->d))
		access |= ACCESS_FLUSH_GLOBAL;
	return access;
}

uint8_t gen_mw(struct gen *g, uint8_t pd, uint32_t type)
{
	uint8_t mw = gen_make(g, V_alloc_mw, pd);

	prog_num(g->p, F_mw_type, type);
	return mw;
}

uint8_t gen_any_mw(struct gen *g, uint8_t pd)
{
	return gen_mw(g, pd,
		      claim_holds(CLAIM_MW_1, g->d) ? IBV_MW_TYPE_1
						    : IBV_MW_TYPE_2);
}

/* Sets the address of the port itself. */
static void put_own_address(struct gen *g)
{
	if (g->global) {
		prog_sym(g->p, F_addr_is_global, "global", 0);
		prog_mygid(g->p, F_addr_dgid);
		prog_sym(g->p, F_addr_sgid_index, "gid_index", 0);
		prog_num(g->p, F_addr_hop_limit, 64);
	} else {
		prog_sym(g->p, F_addr_dlid, "lid", 0);
	}
	prog_sym(g->p, F_addr_port_num, "port", 0);
}

uint8_t gen_ah(struct gen *g, uint8_t pd)
{
	uint8_t ah = gen_make(g, V_create_ah, pd);

	put_own_address(g);
	return ah;
}

static uint8_t query(struct gen *g, uint8_t qp, uint32_t mask)
{
	uint8_t q = gen_make(g, V_query_qp, qp);

	prog_num(g->p, F_mask, mask);
	return q;
}

uint8_t gen_query(struct gen *g, uint8_t qp)
{
	enum qp_kind kind =
		gen_is_receiver(g, qp) ? kind_receiver(g->kind) : g->kind;

	if (kind_traits(kind)->queried)
		return query(g, qp, kind_traits(kind)->queried);
	if (device_iwarp(g->d))
		return query(g, qp, A_STATE);
	return query(g, qp, A_STANDARD & ~(uint32_t)(A_CAP | A_CUR_STATE));
}

uint8_t gen_query_all(struct gen *g, uint8_t qp)
{
	return query(g, qp, A_STANDARD);
}

void gen_qp_caps(struct gen *g, enum qp_kind kind)
{
	if (kind_has_send(kind)) {
		prog_num(g->p, F_max_send_wr, GEN_QUEUE_WR);
		prog_num(g->p, F_max_send_sge, 1);
	}
	if (kind_has_recv(kind)) {
		prog_num(g->p, F_max_recv_wr, GEN_QUEUE_WR);
		prog_num(g->p, F_max_recv_sge, 1);
	}
}

void gen_qp_parents(struct gen *g, enum qp_kind kind)
{
	if (kind_has_send(kind))
		prog_obj(g->p, F_send_cq, g->cq);
	if (kind_has_recv(kind))
		prog_obj(g->p, F_recv_cq, g->cq);
	prog_num(g->p, F_qp_type, (uint64_t)qp_kind_value(kind));
}

enum claim gen_op_claim(const struct opcode *op)
{
	if (op->places)
		return CLAIM_FLUSH;
	if (op->by_value)
		return CLAIM_ATOMIC_WRITE;
	if (op->window)
		return CLAIM_MW_2;
	return op->atomic ? CLAIM_ATOMIC : CLAIM_NONE;
}

uint64_t gen_send_ops(const struct gen *g, enum qp_kind kind)
{
	size_t n;
	const struct opcode *op = opcodes_of_batches(&n);
	uint64_t ops = 0;

	for (size_t i = 0; i < n; i++)
		if (opcode_has(&op[i], kind) &&
		    (!op[i].window || g->window_ops >> op[i].value & 1) &&
		    claim_holds(gen_op_claim(&op[i]), g->d))
			ops |= opcode_asked_for(op[i].value);
	return ops;
}

static uint8_t qp_with_ops(struct gen *g, enum qp_kind kind)
{
	uint8_t qp = gen_make(g, V_create_qp_ex, NO_OBJ);

	prog_num(g->p, F_comp_mask,
		 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
	prog_obj(g->p, F_pd, g->pd);
	prog_num(g->p, F_send_ops_flags, gen_send_ops(g, kind));
	return qp;
}

uint8_t gen_qp_of(struct gen *g, enum qp_kind kind)
{
	uint8_t qp;

	if (kind_is_vendors(kind))
		return vendor_of_kind(kind)->generate_qp(g, kind);
	if (kind == QK_XRC_RECV) {
		qp = gen_make(g, V_create_qp_ex, NO_OBJ);
		prog_num(g->p, F_comp_mask, IBV_QP_INIT_ATTR_XRCD);
		prog_obj(g->p, F_xrcd, g->xrcd);
	} else if (g->wr) {
		qp = qp_with_ops(g, kind);
	} else if (kind == QK_XRC_SEND) {
		qp = gen_make(g, V_create_qp_ex, NO_OBJ);
		prog_num(g->p, F_comp_mask, IBV_QP_INIT_ATTR_PD);
		prog_obj(g->p, F_pd, g->pd);
	} else {
		qp = gen_make(g, V_create_qp, g->pd);
	}
	gen_qp_parents(g, kind);
	gen_qp_caps(g, kind);
	return qp;
}

void gen_parents(struct gen *g, enum qp_kind kind)
{
	g->kind = kind;
	g->srq = NO_OBJ;
	g->receivers = 0;
	if (kind == QK_XRC_RECV) {
		g->xrcd = gen_xrcd(g);
		return;
	}
	g->pd = gen_pd(g);
	g->cq = gen_cq(g);
}

void gen_qp(struct gen *g, enum qp_kind kind)
{
	gen_parents(g, kind);
	g->qp = gen_qp_of(g, kind);
}
