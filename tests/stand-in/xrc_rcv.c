// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls for XRC receive queue pairs that OFED had before ibv_open_qp. They
 * name a queue pair by its number in a domain. Each is made by today's verbs.
 */
#include <stdlib.h>
#include "tests/stand-in/stand_in.h"

#define OLD_NUMBERS 8

struct ibv_xrc_domain {
	struct ibv_xrcd *xrcd;
	struct ibv_qp *qp[OLD_NUMBERS];
};

struct old_init {
	struct ibv_qp_init_attr attr;
	struct ibv_xrc_domain *domain;
};

struct ibv_xrc_domain *ibv_open_xrc_domain(struct ibv_context *context, int fd,
					   int oflag);
int ibv_close_xrc_domain(struct ibv_xrc_domain *domain);
int ibv_create_xrc_rcv_qp(struct old_init *init, uint32_t *number);
int ibv_modify_xrc_rcv_qp(struct ibv_xrc_domain *domain, uint32_t number,
			  struct ibv_qp_attr *attr, int mask);
int ibv_query_xrc_rcv_qp(struct ibv_xrc_domain *domain, uint32_t number,
			 struct ibv_qp_attr *attr, int mask,
			 struct old_init *init);
int ibv_unreg_xrc_rcv_qp(struct ibv_xrc_domain *domain, uint32_t number);

struct ibv_xrc_domain *ibv_open_xrc_domain(struct ibv_context *context, int fd,
					   int oflag)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = fd,
		.oflags = oflag};
	struct ibv_xrc_domain *domain = calloc(1, sizeof(*domain));

	if (!domain)
		return NULL;
	domain->xrcd = fake_open_xrcd(context, &attr);
	if (domain->xrcd)
		return domain;
	free(domain);
	return NULL;
}

int ibv_close_xrc_domain(struct ibv_xrc_domain *domain)
{
	int ret = fake_close_xrcd(domain->xrcd);

	if (!ret)
		free(domain);
	return ret;
}

/* Returns the entry of domain->qp[] for a queue pair's number. For the number 0
 * returns a free entry. If there is none, returns NULL and sets errno. */
static struct ibv_qp **queue_pair_entry(struct ibv_xrc_domain *domain,
					uint32_t number)
{
	for (int i = 0; i < OLD_NUMBERS; i++) {
		const struct ibv_qp *qp = domain->qp[i];

		if (qp ? qp->qp_num == number : !number)
			return &domain->qp[i];
	}
	errno = EINVAL;
	return NULL;
}

int ibv_create_xrc_rcv_qp(struct old_init *init, uint32_t *number)
{
	struct ibv_qp_init_attr_ex attr = {.qp_type = IBV_QPT_XRC_RECV,
					   .comp_mask = IBV_QP_INIT_ATTR_XRCD,
					   .xrcd = init->domain->xrcd};
	struct ibv_qp **place = queue_pair_entry(init->domain, 0);

	if (!place)
		return -1;
	*place = fake_create_qp_ex(attr.xrcd->context, &attr);
	if (!*place)
		return -1;
	*number = (*place)->qp_num;
	return 0;
}

int ibv_modify_xrc_rcv_qp(struct ibv_xrc_domain *domain, uint32_t number,
			  struct ibv_qp_attr *attr, int mask)
{
	struct ibv_qp **place = queue_pair_entry(domain, number);

	return place ? ibv_modify_qp(*place, attr, mask) : -1;
}

int ibv_query_xrc_rcv_qp(struct ibv_xrc_domain *domain, uint32_t number,
			 struct ibv_qp_attr *attr, int mask,
			 struct old_init *init)
{
	struct ibv_qp **place = queue_pair_entry(domain, number);

	return place ? ibv_query_qp(*place, attr, mask, &init->attr) : -1;
}

int ibv_unreg_xrc_rcv_qp(struct ibv_xrc_domain *domain, uint32_t number)
{
	struct ibv_qp **place = queue_pair_entry(domain, number);
	int ret = place ? ibv_destroy_qp(*place) : -1;

	if (!ret)
		*place = NULL;
	return ret;
}
