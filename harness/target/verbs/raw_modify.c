// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends ibv_modify_qp to the kernel without the library: the legacy command
 * MODIFY_QP, or EX_MODIFY_QP for a mask that only that command has.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "contract/commands.h"
#include "contract/device.h"
#include "program/repro/parts/command.h"
#include "target/verbs/raw_modify.h"
#include "virtual/virtual.h"

_Static_assert(sizeof(struct ib_uverbs_ioctl_hdr) == 24 &&
		       sizeof(struct ib_uverbs_attr) == 16,
	       "a header and three attributes have 72 bytes");

_Static_assert(offsetof(struct raw_modify, request) ==
			       offsetof(struct raw_modify, headers) + 24 &&
		       !(sizeof(struct ib_uverbs_ex_modify_qp) % 8),
	       "headers and request are one command");

#define LEGACY_COMMAND IB_USER_VERBS_CMD_MODIFY_QP
#define EXTENDED_COMMAND                                                       \
	(IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_MODIFY_QP)
#define LEGACY_MASK (((uint32_t)IBV_QP_DEST_QPN << 1) - 1)

static void fill_dest(struct ib_uverbs_qp_dest *d, const struct ibv_ah_attr *a)
{
	memcpy(d->dgid, a->grh.dgid.raw, sizeof(d->dgid));
	d->flow_label = a->grh.flow_label;
	d->dlid = a->dlid;
	d->sgid_index = a->grh.sgid_index;
	d->hop_limit = a->grh.hop_limit;
	d->traffic_class = a->grh.traffic_class;
	d->sl = a->sl;
	d->src_path_bits = a->src_path_bits;
	d->static_rate = a->static_rate;
	d->is_global = a->is_global;
	d->port_num = a->port_num;
}

static void fill_base(struct ib_uverbs_modify_qp *c,
		      const struct ibv_qp_attr *a)
{
	fill_dest(&c->dest, &a->ah_attr);
	fill_dest(&c->alt_dest, &a->alt_ah_attr);
	c->qkey = a->qkey;
	c->rq_psn = a->rq_psn;
	c->sq_psn = a->sq_psn;
	c->dest_qp_num = a->dest_qp_num;
	c->qp_access_flags = (uint32_t)a->qp_access_flags;
	c->pkey_index = a->pkey_index;
	c->alt_pkey_index = a->alt_pkey_index;
	c->qp_state = (uint8_t)a->qp_state;
	c->cur_qp_state = (uint8_t)a->cur_qp_state;
	c->path_mtu = (uint8_t)a->path_mtu;
	c->path_mig_state = (uint8_t)a->path_mig_state;
	c->en_sqd_async_notify = a->en_sqd_async_notify;
	c->max_rd_atomic = a->max_rd_atomic;
	c->max_dest_rd_atomic = a->max_dest_rd_atomic;
	c->min_rnr_timer = a->min_rnr_timer;
	c->port_num = a->port_num;
	c->timeout = a->timeout;
	c->retry_cnt = a->retry_cnt;
	c->rnr_retry = a->rnr_retry;
	c->alt_port_num = a->alt_port_num;
	c->alt_timeout = a->alt_timeout;
}

/* A command of the library */
struct command_seen {
	bool sent, extended;
	uint16_t driver_out;
};

static const struct ib_uverbs_attr *
attr_with(const struct ib_uverbs_ioctl_hdr *hdr, unsigned int id)
{
	for (unsigned int i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

bool raw_modifies_qp(const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *command =
		attr_with(hdr, UVERBS_ATTR_WRITE_CMD);

	return hdr->object_id == UVERBS_OBJECT_DEVICE &&
	       hdr->method_id == UVERBS_METHOD_INVOKE_WRITE && command &&
	       (command->data == LEGACY_COMMAND ||
		command->data == EXTENDED_COMMAND);
}

/* Keeps MODIFY_QP from the kernel, and sends all other commands. */
static int hold_command(void *arg, int fd, struct ib_uverbs_ioctl_hdr *hdr)
{
	struct command_seen *seen = arg;
	const struct ib_uverbs_attr *answer =
		attr_with(hdr, UVERBS_ATTR_UHW_OUT);

	if (!raw_modifies_qp(hdr)) {
		virtual_divert(hold_command, seen);
		return virtual_send(fd, RDMA_VERBS_IOCTL, hdr);
	}
	seen->sent = true;
	seen->extended =
		attr_with(hdr, UVERBS_ATTR_WRITE_CMD)->data == EXTENDED_COMMAND;
	seen->driver_out = answer ? answer->len : 0;
	errno = EIO;
	return -1;
}

/* Calls the library, and keeps its command from the kernel. */
static struct command_seen see_command(const struct raw_modify *r,
				       uint32_t mask)
{
	struct ibv_qp_attr attr = r->attr;
	struct command_seen seen = {0};

	virtual_divert(hold_command, &seen);
	ibv_modify_qp(r->qp, &attr, (int)mask);
	virtual_divert(NULL, NULL);
	return seen;
}

bool raw_modify_is_sent(const struct raw_modify *r, uint32_t mask)
{
	return see_command(r, mask).sent;
}

void raw_modify_begin(struct raw_modify *r, struct ibv_qp *qp,
		      const struct ibv_qp_attr *attr)
{
	struct command_seen seen;

	memset(&r->request, 0, sizeof(r->request));
	r->qp = qp;
	r->attr = *attr;
	fill_base(&r->request.base, attr);
	r->request.base.qp_handle = qp->handle;
	r->request.rate_limit = attr->rate_limit;
	r->written = r->may_write && gid_is_group(&attr->ah_attr.grh.dgid);
	seen = see_command(r, IBV_QP_STATE);
	r->extended = seen.extended;
	r->driver_out = seen.driver_out < RAW_DRIVER_BYTES ? seen.driver_out
							   : RAW_DRIVER_BYTES;
}

static void put_attr(struct ib_uverbs_ioctl_hdr *hdr, unsigned int id,
		     size_t length, uint64_t data)
{
	hdr->attrs[hdr->num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = (uint16_t)id,
		.len = (uint16_t)length,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.data = data,
	};
}

static int send_by_ioctl(struct raw_modify *r, bool extended)
{
	struct ib_uverbs_ex_modify_qp_resp response;
	uint64_t room[13] = {0}, driver[RAW_DRIVER_BYTES / 8] = {0};
	struct ib_uverbs_ioctl_hdr *hdr = (struct ib_uverbs_ioctl_hdr *)room;

	hdr->object_id = UVERBS_OBJECT_DEVICE;
	hdr->method_id = UVERBS_METHOD_INVOKE_WRITE;
	hdr->driver_id = r->driver_id;
	put_attr(hdr, UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t),
		 extended ? EXTENDED_COMMAND : LEGACY_COMMAND);
	put_attr(hdr, UVERBS_ATTR_CORE_IN,
		 extended ? sizeof(r->request) : sizeof(r->request.base),
		 (uintptr_t)&r->request);
	if (extended)
		put_attr(hdr, UVERBS_ATTR_CORE_OUT, sizeof(response),
			 (uintptr_t)&response);
	if (extended && r->driver_out)
		put_attr(hdr, UVERBS_ATTR_UHW_OUT, r->driver_out,
			 (uintptr_t)driver);
	hdr->length = (uint16_t)(sizeof(*hdr) +
				 hdr->num_attrs * sizeof(hdr->attrs[0]));
	return virtual_send(r->qp->context->cmd_fd, RDMA_VERBS_IOCTL, hdr)
		       ? errno
		       : 0;
}

static int send_by_write(struct raw_modify *r, bool extended)
{
	struct ib_uverbs_cmd_hdr *hdr =
		(struct ib_uverbs_cmd_hdr *)&r->headers[extended ? 0 : 2];
	struct ib_uverbs_ex_cmd_hdr *ex =
		(struct ib_uverbs_ex_cmd_hdr *)&r->headers[1];
	const size_t answered = sizeof(struct ib_uverbs_ex_modify_qp_resp);
	uint64_t answer[2 + RAW_DRIVER_BYTES / 8];
	const size_t n =
		extended ? sizeof(r->request) : sizeof(r->request.base);
	const size_t all = (size_t)((char *)&r->request - (char *)hdr) + n;

	*hdr = (struct ib_uverbs_cmd_hdr){
		.command = extended ? EXTENDED_COMMAND : LEGACY_COMMAND,
		.in_words = (uint16_t)(extended ? n / 8 : all / 4),
		.out_words = (uint16_t)(extended ? answered / 8 : 0),
	};
	if (extended)
		*ex = (struct ib_uverbs_ex_cmd_hdr){
			.provider_out_words = (uint16_t)(r->driver_out / 8),
			.response = (uintptr_t)answer,
		};
	return write(r->qp->context->cmd_fd, hdr, all) < 0 ? errno : 0;
}

int raw_modify(struct raw_modify *r, uint32_t mask)
{
	const bool extended = r->extended || mask & ~LEGACY_MASK;

	r->request.base.attr_mask = mask;
	return r->written ? send_by_write(r, extended)
			  : send_by_ioctl(r, extended);
}
