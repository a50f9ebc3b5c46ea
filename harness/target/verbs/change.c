// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Changes the next command that the library sends to the kernel, and tells what
 * the kernel answered.
 */
#include <unistd.h>
#include "program/repro/parts/command.h"
#include "target/verbs/verbs_target.h"
#include "virtual/virtual.h"

static struct command_change next_change;

static int send_change(void *arg, int fd, struct ib_uverbs_ioctl_hdr *hdr)
{
	return send_changed(arg, fd, hdr, virtual_send, write);
}

/* Returns the handle of the object that the call names, or its number. */
static uint64_t value_of(const struct verbs_target *t,
			 const struct change_args *in)
{
	const struct ibv_pd *pd = slot_ptr(t, in->pd);
	const struct ibv_cq *cq = slot_ptr(t, in->cq);
	const struct ibv_srq *srq = slot_ptr(t, in->srq);

	if (pd)
		return pd->handle;
	if (srq)
		return srq->handle;
	return cq ? cq->handle : in->value;
}

void real_change_command(struct verbs_target *t, const struct bound *b,
			 struct outcome *o)
{
	const struct change_args *in = &b->in.change;

	o->ret = t->base.info.can_change ? 0 : EOPNOTSUPP;
	if (o->ret)
		return;
	next_change = (struct command_change){
		.value = value_of(t, in),
		.how = in->how,
		.attr = in->attr,
		.offset = in->offset,
		.noted = next_change.noted,
	};
	virtual_divert(send_change, &next_change);
}

void verbs_tell_change(struct outcome *o)
{
	o->changed = next_change.seen;
}

void verbs_end_change(void)
{
	virtual_divert(NULL, NULL);
}

void verbs_forget_change(void)
{
	virtual_divert(NULL, NULL);
	next_change = (struct command_change){.value = 0};
	the_kept_command()->hdr = NULL;
}

/* A library of another release may send another command, without what was to be
 * changed. */
void real_changed_command(struct verbs_target *t, const struct bound *b,
			  struct outcome *o)
{
	(void)b;
	o->ret = t->base.info.can_change ? 0 : EOPNOTSUPP;
	if (o->ret)
		return;
	o->out.changed = next_change.seen;
	if (next_change.seen.made)
		return;
	o->err = ENOMSG;
	o->not_made = true;
}
