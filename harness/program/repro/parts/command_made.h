/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The object that a command has made, and the command that destroys it: for
 * copies of commands, whose objects the library does not know.
 */
#pragma once
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "program/repro/parts/command_form.h"

/* part: made_object find_made destroy_made */
/* How an object is made, and how it is destroyed */
struct made_sort {
	uint16_t object, make;	  /* the method, or 0 */
	uint32_t legacy;	  /* the legacy command, or 0 */
	size_t handle_at;	  /* in the response of the legacy command */
	uint16_t destroy;	  /* a method */
	uint16_t response_length; /* of that method */
};

#define EXTENDED(command) ((command) | IB_USER_VERBS_CMD_FLAG_EXTENDED)

static const struct made_sort made_sorts[] = {
	{UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, 0, 0,
	 UVERBS_METHOD_CQ_DESTROY, sizeof(struct ib_uverbs_destroy_cq_resp)},
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, 0, 0,
	 UVERBS_METHOD_QP_DESTROY, sizeof(struct ib_uverbs_destroy_qp_resp)},
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, 0, 0,
	 UVERBS_METHOD_SRQ_DESTROY, sizeof(struct ib_uverbs_destroy_srq_resp)},
	{UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, 0, 0,
	 UVERBS_METHOD_WQ_DESTROY, sizeof(uint32_t)},
	{UVERBS_OBJECT_MR, 0, IB_USER_VERBS_CMD_REG_MR,
	 offsetof(struct ib_uverbs_reg_mr_resp, mr_handle),
	 UVERBS_METHOD_MR_DESTROY, 0},
	{UVERBS_OBJECT_MW, 0, IB_USER_VERBS_CMD_ALLOC_MW,
	 offsetof(struct ib_uverbs_alloc_mw_resp, mw_handle),
	 UVERBS_METHOD_MW_DESTROY, 0},
	{UVERBS_OBJECT_AH, 0, IB_USER_VERBS_CMD_CREATE_AH,
	 offsetof(struct ib_uverbs_create_ah_resp, ah_handle),
	 UVERBS_METHOD_AH_DESTROY, 0},
	{UVERBS_OBJECT_RWQ_IND_TBL, 0,
	 EXTENDED(IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL),
	 offsetof(struct ib_uverbs_ex_create_rwq_ind_table_resp,
		  ind_tbl_handle),
	 UVERBS_METHOD_RWQ_IND_TBL_DESTROY, 0},
	{UVERBS_OBJECT_FLOW, 0, EXTENDED(IB_USER_VERBS_EX_CMD_CREATE_FLOW),
	 offsetof(struct ib_uverbs_create_flow_resp, flow_handle),
	 UVERBS_METHOD_FLOW_DESTROY, 0},
};

struct made_object {
	const struct made_sort *sort; /* NULL: none */
	uint32_t handle;
};

static inline bool is_made_by(const struct made_sort *sort,
			      const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *legacy =
		command_part(hdr, UVERBS_ATTR_WRITE_CMD);

	if (is_legacy(hdr))
		return sort->legacy && legacy && legacy->data == sort->legacy;
	return !sort->legacy && hdr->object_id == sort->object &&
	       hdr->method_id == sort->make;
}

/* Returns what a command has made that the kernel carried out. A method writes
 * the handle into its first attribute. */
static inline struct made_object
find_made(const struct ib_uverbs_ioctl_hdr *hdr)
{
	struct made_object made = {NULL, 0};
	const struct ib_uverbs_attr *at =
		command_part(hdr, is_legacy(hdr) ? UVERBS_ATTR_CORE_OUT : 0);

	for (size_t i = 0; at && i < sizeof(made_sorts) / sizeof(*made_sorts);
	     i++)
		if (is_made_by(&made_sorts[i], hdr))
			made.sort = &made_sorts[i];
	if (!made.sort)
		return made;
	if (!made.sort->legacy)
		made.handle = (uint32_t)at->data;
	else
		memcpy(&made.handle,
		       (char *)(uintptr_t)at->data + made.sort->handle_at,
		       sizeof(made.handle));
	return made;
}

/* Returns 0 or an errno. */
static inline int destroy_made(const struct made_object *made, int fd,
			       const struct ib_uverbs_ioctl_hdr *by,
			       command_sender *send)
{
	uint64_t room[4 + 2 * 2] = {0}, response[2];
	struct ib_uverbs_ioctl_hdr *hdr = (struct ib_uverbs_ioctl_hdr *)room;
	struct ib_uverbs_attr *attr = hdr->attrs;

	hdr->object_id = made->sort->object;
	hdr->method_id = made->sort->destroy;
	hdr->driver_id = by->driver_id;
	hdr->num_attrs = made->sort->response_length ? 2 : 1;
	hdr->length = (uint16_t)(sizeof(*hdr) +
				 hdr->num_attrs * sizeof(hdr->attrs[0]));
	attr[0].flags = UVERBS_ATTR_F_MANDATORY;
	attr[0].data = made->handle;
	if (made->sort->response_length) {
		attr[1].attr_id = 1;
		attr[1].flags = UVERBS_ATTR_F_MANDATORY;
		attr[1].len = made->sort->response_length;
		attr[1].data = (uint64_t)(uintptr_t)response;
	}
	return send(fd, RDMA_VERBS_IOCTL, hdr) ? errno : 0;
}
