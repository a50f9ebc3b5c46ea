// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands that destroy an object, legacy ones and methods. The response for a
 * queue says how many of its events the program has read, so that libibverbs
 * can wait until the program has acknowledged them.
 */
#include "virtual/uverbs/object.h"

/* The response for a completion queue is a struct events_read; for other
 * queues, the number of asynchronous events. */
#define ANSWERS(type, member, of)                                              \
	_Static_assert(sizeof(struct type) == sizeof(of) &&                    \
			       offsetof(struct type, member) ==                \
				       sizeof(of) - sizeof(uint32_t),          \
		       "as it is told")
ANSWERS(ib_uverbs_destroy_cq_resp, async_events_reported, struct events_read);
ANSWERS(ib_uverbs_destroy_srq_resp, events_reported, uint32_t);
ANSWERS(ib_uverbs_destroy_qp_resp, events_reported, uint32_t);

/* No attribute for the response. The id 0 is free for this: it is always the
 * handle's. */
#define NO_ANSWER 0

static int destroy(struct command *c, uint16_t sort, uint64_t handle,
		   uint16_t answer)
{
	struct events_read read;
	int err = object_destroy(c->file, sort, handle, &read);

	if (err || answer == NO_ANSWER)
		return err;
	if (sort == UVERBS_OBJECT_CQ)
		command_put_struct(c, answer, &read, sizeof(read));
	else
		command_put_struct(c, answer, &read.events,
				   sizeof(read.events));
	return 0;
}

int destroy_object(struct command *c)
{
	const struct attr_spec *a = c->method->attrs;

	return destroy(c, a[0].sort, command_attr(c, a[0].id)->data,
		       a[1].name ? a[1].id : NO_ANSWER);
}

/* Runs a legacy command whose request is a handle and which has no response. */
static int destroy_by_handle(struct command *c, uint16_t sort)
{
	uint32_t handle;

	legacy_get(c, &handle);
	return destroy(c, sort, handle, NO_ANSWER);
}

int dealloc_pd(struct command *c)
{
	return destroy_by_handle(c, UVERBS_OBJECT_PD);
}

int dereg_mr(struct command *c)
{
	return destroy_by_handle(c, UVERBS_OBJECT_MR);
}

int dealloc_mw(struct command *c)
{
	return destroy_by_handle(c, UVERBS_OBJECT_MW);
}

int destroy_ah(struct command *c)
{
	return destroy_by_handle(c, UVERBS_OBJECT_AH);
}

int close_xrcd(struct command *c)
{
	return destroy_by_handle(c, UVERBS_OBJECT_XRCD);
}

int ex_destroy_flow(struct command *c)
{
	struct ib_uverbs_destroy_flow asked;

	legacy_get(c, &asked);
	if (asked.comp_mask)
		return -EINVAL;
	return destroy(c, UVERBS_OBJECT_FLOW, asked.flow_handle, NO_ANSWER);
}

#define ASKS(type, handle)                                                     \
	_Static_assert(offsetof(struct type, handle) ==                        \
			       offsetof(struct ib_uverbs_destroy_qp,           \
					qp_handle),                            \
		       "all of one form")
ASKS(ib_uverbs_destroy_cq, cq_handle);
ASKS(ib_uverbs_destroy_srq, srq_handle);

static int destroy_queue(struct command *c, uint16_t sort)
{
	struct ib_uverbs_destroy_qp asked;

	legacy_get(c, &asked);
	return destroy(c, sort, asked.qp_handle, UVERBS_ATTR_CORE_OUT);
}

int destroy_cq(struct command *c)
{
	return destroy_queue(c, UVERBS_OBJECT_CQ);
}

int destroy_srq(struct command *c)
{
	return destroy_queue(c, UVERBS_OBJECT_SRQ);
}

int destroy_qp(struct command *c)
{
	return destroy_queue(c, UVERBS_OBJECT_QP);
}
