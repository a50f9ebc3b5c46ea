/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The old calls for receive queue pairs of XRC in a reproducer. It looks them
 * up by name, since today's headers do not declare them. target/verbs/xrc_rcv.c
 * differs: it asks which of the calls there are, and takes the masks from the
 * contract.
 */
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>

/* part: query_xrc_rcv */
/* As in the headers of OFED; of `init` only the domain is read. */
struct old_init {
	struct ibv_qp_init_attr attr;
	void *domain;
};
typedef void *open_domain_fn(struct ibv_context *, int, int);
typedef int create_rcv_fn(struct old_init *, uint32_t *);
typedef int modify_rcv_fn(void *, uint32_t, struct ibv_qp_attr *, int);
typedef int query_rcv_fn(void *, uint32_t, struct ibv_qp_attr *, int,
			 struct old_init *);
typedef int unreg_rcv_fn(void *, uint32_t);
typedef int close_domain_fn(void *);

static void *old_call(const char *name)
{
	void *call = dlsym(RTLD_DEFAULT, name);

	if (!call) {
		printf("no %s in libibverbs\n", name);
		exit(77);
	}
	return call;
}

#define OLD(type, name) ((type *)old_call(name))

static int bring_up(void *domain, uint32_t number,
		    const struct ibv_qp_attr *with)
{
	static const int masks[] = {
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			IBV_QP_ACCESS_FLAGS,
		IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			IBV_QP_MIN_RNR_TIMER,
		IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_SQ_PSN,
	};
	int ret = 0;

	for (int at = 0; !ret && at < (int)with->qp_state && at < 3; at++) {
		struct ibv_qp_attr attr = *with;

		attr.qp_state = (enum ibv_qp_state)(at + 1);
		ret = OLD(modify_rcv_fn, "ibv_modify_xrc_rcv_qp")(
			domain, number, &attr, masks[at]);
	}
	return ret;
}

static int query_xrc_rcv(struct ibv_context *on, const struct ibv_qp_attr *with,
			 int mask, struct ibv_qp_attr *attr)
{
	struct old_init init = {.domain = NULL};
	struct ibv_qp_attr again;
	uint32_t number;
	int ret;

	init.domain =
		OLD(open_domain_fn, "ibv_open_xrc_domain")(on, -1, O_CREAT);
	if (!init.domain)
		return errno;
	ret = OLD(create_rcv_fn, "ibv_create_xrc_rcv_qp")(&init, &number);
	if (!ret) {
		ret = bring_up(init.domain, number, with);
		if (!ret)
			ret = OLD(query_rcv_fn, "ibv_query_xrc_rcv_qp")(
				init.domain, number, attr, mask, &init);
		OLD(unreg_rcv_fn, "ibv_unreg_xrc_rcv_qp")(init.domain, number);
		if (!ret &&
		    !OLD(query_rcv_fn, "ibv_query_xrc_rcv_qp")(
			    init.domain, number, &again, IBV_QP_STATE, &init))
			ret = EEXIST; /* the number is still known */
	}
	OLD(close_domain_fn, "ibv_close_xrc_domain")(init.domain);
	return ret;
}
