// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * An SRQ of another protection domain than its queue pairs. Receives of the SRQ
 * use memory of the SRQ's domain, sends that of the queue pair's.
 */
#include "cases/faults/memory.h"

static const struct length message = {"", NULL, 64};

enum place { WHOLE, FIRST, LAST, PLACES };

struct domains {
	struct data d;
	uint8_t of_srq[2], of_qp; /* regions of each domain */
};

static uint8_t region(struct gen *g, unsigned int pattern)
{
	uint8_t mr = data_region(g, &message);

	gen_fill(g, mr, pattern);
	return mr;
}

/* The parents belong to the SRQ's domain; queue pairs get another one. */
static struct domains stage(struct gen *g, enum qp_kind kind)
{
	struct domains t;

	g->by_srq = !kind_is_vendors(kind) && kind_receiver(kind) == kind;
	t.d = data_stage(g, kind, &message);
	g->by_srq = false;
	t.of_srq[0] = t.d.into;
	t.of_srq[1] = t.d.from;
	g->pd = gen_pd(g);
	if (t.d.p.ah != NO_OBJ)
		t.d.p.ah = gen_ah(g, g->pd);
	t.d.from = region(g, 3);
	t.of_qp = region(g, 4);
	data_pair(&t.d);
	return t;
}

static bool says(struct gen *g, enum qp_kind kind, const struct opcode *op,
		 enum row row, const char *name, const char *place)
{
	return gen_id(g, "%s/domains-%s%s", op->slug, name, place) &&
	       post_op_says_with(g, kind, op, CLAIM_SRQ, row);
}

/* A receive in memory of the SRQ, of one element or of three that the message
 * fills. One element may be in memory of the queue pair's domain. */
static void put_receive(const struct domains *t, uint64_t wr_id,
			enum place place, bool of_qp)
{
	struct program *p = t->d.p.g->p;

	data_recv(&t->d, wr_id, &message);
	if (place == WHOLE) {
		prog_obj(p, F_recv_mr, of_qp ? t->of_qp : t->of_srq[0]);
		return;
	}
	prog_num(p, F_recv_num_sge, 3);
	prog_num(p, F_recv_length, t->d.p.kind == QK_UD ? 36 : 24);
	prog_num(p, F_recv_stride, 100);
	prog_num(p, F_recv_part, place == FIRST ? 1 : 3);
	prog_obj(p, F_recv_part_mr, of_qp ? t->of_qp : t->of_srq[1]);
}

static void receive(struct gen *g, enum qp_kind kind, const struct opcode *op,
		    enum place place, bool of_qp)
{
	static const char *const names[PLACES] = {"", "-first", "-last"};
	struct domains t;

	if (!says(g, kind, op, of_qp ? ROW_RECV_MEMORY : data_bytes_row(kind),
		  of_qp ? "receive-of-queue-pair" : "receive-of-srq",
		  names[place]))
		return;
	t = stage(g, kind);
	put_receive(&t, 200, place, of_qp);
	put_receive(&t, 201, WHOLE, false);
	data_send(&t.d, op, 1, &message);
	post_poll(&t.d.p, 2);
	data_look_into(&t.d, of_qp ? t.of_qp : t.of_srq[1]);
	fault_finish(&t.d, 0);
}

/* The queue pair with the SRQ sends memory of the SRQ's domain. */
static void answer(struct gen *g, enum qp_kind kind, const struct opcode *op)
{
	enum row row = device_iwarp(g->d) ? ROW_IWARP_LOCAL : ROW_LOCAL_PD;
	struct domains t;

	if (kind_is_vendors(kind) || kind_receiver(kind) != kind ||
	    !says(g, kind, op, row, "send-of-srq", ""))
		return;
	t = stage(g, kind);
	t.d.p = post_back(&t.d.p);
	t.d.p.srq = NO_OBJ;
	t.d.into = t.of_qp;
	data_recv(&t.d, 200, &message);
	data_send(&t.d, op, 1, &message);
	prog_obj(g->p, F_send_mr, t.of_srq[0]);
	post_poll(&t.d.p, 1);
	fault_finish(&t.d, 0);
}

void gen_faults_memory_domains(struct gen *g, enum qp_kind kind,
			       const struct opcode *op)
{
	if (!op->receive || op->access || (op->imm && !gen_full(g)) ||
	    kind == QK_UC) /* mlx5 refuses an SRQ */
		return;
	for (int place = 0; place < PLACES; place++) {
		receive(g, kind, op, (enum place)place, false);
		receive(g, kind, op, (enum place)place, true);
	}
	answer(g, kind, op);
}
