// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creates the objects of combined traffic: completion queues, regions, windows
 * and queue pairs.
 */
#include "cases/combined/traffic.h"

#define HIGH_IOVA UINT64_C(0xffffe000) /* the region passes 4 GiB */

static bool awaits_event(const struct traffic *t)
{
	return traffic_has(t, TAKING, TAKE_EVENT) ||
	       traffic_has(t, TAKING, TAKE_SOLICITED);
}

uint8_t traffic_cq(const struct traffic *t)
{
	struct gen *g = t->d.p.g;
	uint8_t cq = gen_cq(g);

	if (traffic_has(t, QUEUE, QUEUE_SMALL))
		prog_num(g->p, F_cqe, TRAFFIC_MOST_DUE);
	if (traffic_has(t, QUEUE, QUEUE_RESIZED))
		prog_num(g->p, F_cqe, 1);
	if (t->channel != NO_OBJ)
		prog_obj(g->p, F_cq_channel, t->channel);
	return cq;
}

static void queues(struct traffic *t)
{
	struct gen *g = t->d.p.g;

	g->pd = gen_pd(g);
	t->channel = awaits_event(t)
			     ? gen_make(g, V_create_comp_channel, NO_OBJ)
			     : NO_OBJ;
	g->cq_ex = traffic_has(t, QUEUE, QUEUE_EXTENDED);
	g->cq = t->arrivals = traffic_cq(t);
	if (traffic_has(t, QUEUE, QUEUE_APART))
		t->arrivals = traffic_cq(t);
}

static uint8_t usual_region(const struct traffic *t, uint32_t access)
{
	struct gen *g = t->d.p.g;

	return gen_mr_of(g, g->pd, traffic_length(t->row), access);
}

static uint8_t rereg_region(const struct traffic *t, uint32_t access)
{
	struct gen *g = t->d.p.g;
	uint8_t mr = usual_region(t, access);

	gen_make(g, V_rereg_mr, mr);
	prog_num(g->p, F_rereg_flags, IBV_REREG_MR_CHANGE_TRANSLATION);
	prog_num(g->p, F_rereg_length, traffic_length(t->row));
	return mr;
}

uint8_t traffic_region(const struct traffic *t, uint32_t access)
{
	struct gen *g = t->d.p.g;

	switch (t->row[REGION]) {
	case REGION_ZERO:
		return gen_mr_iova(g, 0, traffic_length(t->row), access);
	case REGION_IOVA:
		return gen_mr_iova(g, HIGH_IOVA, traffic_length(t->row),
				   access);
	case REGION_REREG:
		return rereg_region(t, access);
	case REGION_ODP:
		return usual_region(t, access | IBV_ACCESS_ON_DEMAND);
	default:
		return usual_region(t, access);
	}
}

/* Without the right to the region, a request needs its window. */
static uint32_t region_access(const struct traffic *t)
{
	if (t->row[REGION] >= REGION_WINDOW_1)
		return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND;
	return IBV_ACCESS_LOCAL_WRITE | gen_remote_access(t->d.p.g);
}

static bool is_written_remotely(const struct opcode *op)
{
	return !op || op->access == IBV_ACCESS_REMOTE_WRITE;
}

/* Returns true if the region that is written to may begin at an IOVA. libmlx5
 * copies short messages that a completion brings to the IOVA as if it was an
 * address, so only writes of the peer go there. */
static bool may_be_at_iova(const struct traffic *t)
{
	return (t->row[REGION] != REGION_ZERO &&
		t->row[REGION] != REGION_IOVA) ||
	       (is_written_remotely(traffic_operation(t->row)) &&
		is_written_remotely(traffic_odd(t->row)) &&
		t->d.p.kind == QK_RC && !device_iwarp(t->d.p.g->d) &&
		!traffic_has(t, COMPANY, WITH_PAIR) &&
		!traffic_has(t, SIGNALS, SIGNALS_ODD) &&
		!traffic_has(t, ENDING, END_TOO_LONG));
}

static void regions(struct traffic *t)
{
	uint32_t access = region_access(t);

	t->d.from = traffic_region(t, access);
	data_fill(&t->d, t->d.from, 1);
	t->d.into = may_be_at_iova(t) ? traffic_region(t, access)
				      : usual_region(t, access);
	data_fill(&t->d, t->d.into, 2);
}

void traffic_srq(const struct traffic *t, uint8_t *srq)
{
	struct gen *g = t->d.p.g;

	*srq = t->d.p.kind == QK_XRC_SEND
		       ? gen_xrc_srq(g, g->pd, g->xrcd, t->arrivals)
		       : gen_srq(g, g->pd);
	prog_num(g->p, F_srq_max_sge, DATA_SGE);
}

static void shared(struct traffic *t)
{
	struct gen *g = t->d.p.g;
	struct post *p = &t->d.p;

	if (kind_addresses(p->kind))
		p->ah = gen_ah(g, g->pd);
	if (p->ah != NO_OBJ && traffic_has(t, PATH, PATH_GLOBAL) &&
	    !g->global) {
		prog_num(g->p, F_addr_is_global, 1);
		prog_mygid(g->p, F_addr_dgid);
		prog_sym(g->p, F_addr_sgid_index, "gid_index", 0);
		prog_num(g->p, F_addr_hop_limit, 64);
	}
	if (p->kind == QK_XRC_SEND)
		g->xrcd = gen_xrcd(g);
	if (!kind_has_recv(p->kind))
		traffic_srq(t, &p->xsrq);
	else if (traffic_has(t, RECEIVER, 1))
		traffic_srq(t, &p->srq);
	if (kind_is_vendors(p->kind))
		g->srq = p->xsrq;
}

/* The sender is like the receiver, though it receives nothing. */
static uint8_t make_qp(const struct traffic *t, enum qp_kind kind)
{
	struct gen *g = t->d.p.g;
	uint8_t qp = data_qp(g, kind);

	if (t->d.all_signaled && kind_has_send(kind))
		prog_num(g->p, F_sq_sig_all, 1);
	if (kind_has_recv(kind) && t->d.p.srq != NO_OBJ)
		prog_obj(g->p, F_srq, t->d.p.srq);
	if (t->arrivals != g->cq &&
	    (kind_has_recv(kind) || gen_is_receiver(g, qp)))
		prog_obj(g->p, F_recv_cq, t->arrivals);
	return qp;
}

/* Creates both queue pairs of the traffic or of the other pair. */
static void make_pair(const struct traffic *t, struct data *d)
{
	struct gen *g = d->p.g;

	d->p.a = g->qp = make_qp(t, d->p.kind);
	if (d->inline_data)
		prog_num(g->p, F_max_inline_data, d->inline_data);
	d->p.b = make_qp(t, kind_receiver(d->p.kind));
}

static bool posts_windows(const struct traffic *t)
{
	return t->row[ODD] >= ODD_SEND_INV;
}

void traffic_path(struct traffic *t)
{
	struct gen_values *v = &t->d.p.with;
	bool first = !t->round;

	*v = (struct gen_values){0};
	if (traffic_has(t, PATH, PATH_MTU_256))
		gen_value(v, F_path_mtu, first ? NULL : "mtu",
			  first ? IBV_MTU_256 : 0);
	if (traffic_has(t, PATH, PATH_PSN_WRAPS) || !first) {
		gen_value(v, F_sq_psn, NULL, first ? 0xfffffe : 0x800);
		gen_value(v, F_rq_psn, NULL, first ? 0xfffffe : 0x800);
	}
	if (traffic_has(t, PATH, PATH_GLOBAL) && t->d.p.ah == NO_OBJ) {
		gen_value(v, F_ah_is_global, NULL, 1);
		gen_value(v, F_ah_flow_label, NULL, first ? 0x12345 : 0);
		gen_value(v, F_ah_traffic_class, NULL, first ? 0x20 : 0);
	}
	if (traffic_has(t, PATH, PATH_RETRIES)) {
		post_retries(v, first ? 12 : 13, first ? 3 : 6);
		post_rnr(v, first ? 5 : 6, first ? 5 : 4);
	}
	if (traffic_has(t, PATH, PATH_DEPTH)) {
		gen_value(v, F_max_rd_atomic, "max_qp_init_rd_atom", 0);
		gen_value(v, F_max_dest_rd_atomic, "max_qp_rd_atom", 0);
	}
}

static void begin(struct traffic *t, struct gen *g, enum qp_kind kind,
		  const uint8_t *row)
{
	*t = (struct traffic){.d = {.p = post_bare(g, kind)}, .row = row};
	g->kind = kind;
	g->srq = NO_OBJ;
	g->receivers = 0;
	g->wr = traffic_has(t, POSTING, POST_BATCH);
	g->window_ops = !posts_windows(t) ? 0
					  : 1u << IBV_WR_LOCAL_INV |
						    1u << IBV_WR_BIND_MW |
						    1u << IBV_WR_SEND_WITH_INV;
	t->d.compare_add = 0x0123;
	t->d.all_signaled = traffic_has(t, SIGNALS, SIGNALS_ALL);
	t->d.inline_data = traffic_has(t, INLINE, 1) ? TRAFFIC_INLINE : 0;
}

void traffic_stage(struct traffic *t, struct gen *g, enum qp_kind kind,
		   const uint8_t *row)
{
	begin(t, g, kind, row);
	queues(t);
	regions(t);
	shared(t);
	if (posts_windows(t)) {
		t->d.p.bind_mr = gen_mr(g, g->pd);
		prog_num(g->p, F_mr_access,
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	}
	make_pair(t, &t->d);
	t->company = t->d;
	t->company.p.a = t->company.p.b = NO_OBJ;
	if (!traffic_has(t, COMPANY, WITH_PAIR))
		return;
	make_pair(t, &t->company);
	g->qp = t->d.p.a;
}
