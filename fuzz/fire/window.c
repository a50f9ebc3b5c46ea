// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The life of a window: the receiver binds the window, the sender writes by its
 * rkey, and either end invalidates the rkey. A later write by that rkey goes to
 * the other half of the window, which no write before touches.
 */
#include "fuzz/fire/stage.h"

enum { TAGS = 200, WAIT_MS = 2 };

static void put_rkey(struct fire_stage *s, enum field f)
{
	prog_out(s->g.p, f, s->mw, F_window_rkey, s->tag);
}

static void begin(struct fire_stage *s, uint8_t qp, uint32_t opcode)
{
	struct program *p = s->g.p;

	gen_call(&s->g, V_post_send, qp);
	prog_num(p, F_send_wr_id, s->wr_id++);
	prog_num(p, F_send_opcode, opcode);
	prog_num(p, F_send_flags, IBV_SEND_SIGNALED);
}

static void bind(struct fire_stage *s)
{
	struct program *p = s->g.p;

	s->tag++;
	begin(s, s->d.p.b, IBV_WR_BIND_MW);
	put_rkey(s, F_send_bind_rkey);
	prog_obj(p, F_send_mw, s->mw);
	prog_obj(p, F_send_bind_mr, s->mw_mr);
	prog_num(p, F_send_bind_length, 2 * FIRE_SPAN);
	prog_num(p, F_send_bind_access, IBV_ACCESS_REMOTE_WRITE);
}

static void write_by_rkey(struct fire_stage *s, uint64_t at)
{
	struct program *p = s->g.p;

	begin(s, s->d.p.a, IBV_WR_RDMA_WRITE);
	prog_num(p, F_send_num_sge, 1);
	prog_obj(p, F_send_mr, s->d.from);
	prog_num(p, F_send_length, FIRE_LENGTH);
	prog_obj(p, F_send_remote, s->mw_mr);
	prog_num(p, F_send_remote_offset,
		 at + FIRE_LENGTH * fire_below(s, FIRE_SPAN / FIRE_LENGTH));
	put_rkey(s, F_send_rkey);
}

static void invalidate(struct fire_stage *s)
{
	if (fire_below(s, 2)) {
		begin(s, s->d.p.b, IBV_WR_LOCAL_INV);
	} else {
		fire_add_receive(s);
		begin(s, s->d.p.a, IBV_WR_SEND_WITH_INV);
	}
	put_rkey(s, F_send_invalidate_rkey);
}

static void poll(struct fire_stage *s)
{
	gen_call(&s->g, V_poll_cq, s->cq_b);
	prog_num(s->g.p, F_poll_max, POLL_MAX);
	prog_num(s->g.p, F_poll_entries, POLL_MAX);
	prog_num(s->g.p, F_poll_timeout, fire_below(s, WAIT_MS));
}

bool fire_has_window(const struct fire_stage *s)
{
	return s->mw != NO_OBJ;
}

void fire_add_window(struct fire_stage *s)
{
	if (s->tag == TAGS)
		return;
	bind(s);
	if (fire_below(s, 2))
		poll(s);
	if (fire_below(s, 2))
		write_by_rkey(s, 0);
	invalidate(s);
	poll(s);
	if (fire_below(s, 2))
		write_by_rkey(s, FIRE_SPAN);
}
