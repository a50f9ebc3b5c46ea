// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The epilogue of a program with threads. Both queue pairs go to ERR, so that
 * each request has to complete. A second pair then sends until the SRQ is
 * empty, so that each receive has to. A window goes before its queue pair,
 * which some drivers destroy only after a long wait (F-81).
 */
#include "fuzz/fire/stage.h"

static void query_and_stop(struct fire_stage *s, uint8_t qp)
{
	gen_call(&s->g, V_query_qp, qp);
	prog_num(s->g.p, F_mask, fire_queried(s));
	gen_call(&s->g, V_modify_qp, qp);
	prog_num(s->g.p, F_mask, A_STATE);
	prog_num(s->g.p, F_qp_state, IBV_QPS_ERR);
}

/* Posts one send more than the SRQ can have receives. */
static void empty_srq(struct fire_stage *s)
{
	struct program *p = s->g.p;

	gen_call(&s->g, V_modify_qp, s->second.a); /* threads may leave SQD */
	prog_num(p, F_mask, A_STATE);
	prog_num(p, F_qp_state, IBV_QPS_RTS);
	gen_call(&s->g, V_post_send, s->second.a);
	prog_num(p, F_send_wr_id, s->wr_id);
	prog_num(p, F_send_more, s->depth);
	prog_num(p, F_send_opcode, IBV_WR_SEND);
	prog_num(p, F_send_flags, IBV_SEND_SIGNALED);
	prog_num(p, F_send_num_sge, 1);
	prog_obj(p, F_send_mr, s->d.from);
	prog_num(p, F_send_length, FIRE_LENGTH);
	post_put_receiver(&s->second);
	s->wr_id += s->depth + 1;
}

void fire_add_end(struct fire_stage *s)
{
	query_and_stop(s, s->d.p.a);
	query_and_stop(s, s->d.p.b);
	if (s->mw != NO_OBJ)
		gen_call(&s->g, V_dealloc_mw, s->mw);
	if (s->srq != NO_OBJ)
		empty_srq(s);
}
