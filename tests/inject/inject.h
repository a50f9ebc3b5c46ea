/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared by the files of libinject: the calls of the library below libinject, a
 * function inject_NAME() for each change of inject.def, and helpers. A change
 * that another call needs (ALSO) has a function inject_NAME_CALL().
 */
#ifndef IBVET_TESTS_INJECT_H
#define IBVET_TESTS_INJECT_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <string.h>

#undef ibv_query_port
#undef ibv_reg_mr

#define ANY (-1) /* for moves(): any type or state */

#define CALL(ret, name, params, args)	   typedef ret name##_fn params;
#define OP(ret, name, place, params, args) typedef ret name##_fn params;
#include "tests/inject/calls.def"

struct calls {
#define CALL(ret, name, params, args)	   name##_fn *name;
#define OP(ret, name, place, params, args) name##_fn *name;
#include "tests/inject/calls.def"
};

/* The functions of the library below libinject, and the operations of its last
 * context */
extern struct calls next;

#define INJECT(name, call, kind, cases, rule, what) call##_fn inject_##name;
#define ALSO(name, call)			    call##_fn inject_##name##_##call;
#include "tests/inject/inject.def"

#define FIRE(name, call, rule, what) call##_fn inject_##name;
#define FIRE_ALSO(name, call)	     call##_fn inject_##name##_##call;
#include "tests/inject/fire.def"

/* Heads of changes of the calls that most files change */
#define SEND(name)                                                             \
	int inject_##name(struct ibv_qp *qp, struct ibv_send_wr *wr,           \
			  struct ibv_send_wr **bad)
#define RECV(name)                                                             \
	int inject_##name(struct ibv_qp *qp, struct ibv_recv_wr *wr,           \
			  struct ibv_recv_wr **bad)
#define POLL(name)                                                             \
	int inject_##name(struct ibv_cq *cq, int most, struct ibv_wc *wc)
#define MODIFY(name)                                                           \
	int inject_##name(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)

/* Adds an invented asynchronous event of a queue pair. Replaces the context's
 * async_fd by a readable descriptor, so real events can no longer be read. */
int invent_event(struct ibv_qp *qp, enum ibv_event_type type);
/* ibv_get_async_event and ibv_ack_async_event of a change that may invent an
 * event. Until then they pass the call on. */
int get_invented(struct ibv_context *context, struct ibv_async_event *event);
void ack_invented(struct ibv_async_event *event);

/* Returns the state of a queue pair and sets *type. Returns ANY if the query
 * fails. */
static inline int type_and_state(struct ibv_qp *qp, int *type)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	memset(&attr, 0, sizeof(attr));
	memset(&init, 0, sizeof(init));
	if (next.query_qp(qp, &attr, IBV_QP_STATE, &init))
		return ANY;
	*type = (int)init.qp_type;
	return (int)attr.qp_state;
}

/* Returns true if an ibv_modify_qp call asks a queue pair of type `type` in
 * state `from` to go to state `to`. */
static inline bool moves(struct ibv_qp *qp, const struct ibv_qp_attr *attr,
			 int mask, int type, int from, int to)
{
	int is_type = ANY;
	int is_from = type_and_state(qp, &is_type);

	return mask & IBV_QP_STATE && (int)attr->qp_state == to &&
	       (type == ANY || type == is_type) &&
	       (from == ANY || from == is_from);
}

#endif
