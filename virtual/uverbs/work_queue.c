// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands of work queues, and of indirection tables, by which a queue pair
 * spreads received packets over work queues. A work queue cannot be destroyed
 * while a table has it: the model knows the first queue of a table, our table
 * has all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "virtual/nic/raw.h"

#define MAX_LOG_TABLE 13 /* limit of the kernel's interface */
#define FLAGS_KNOWN                                                            \
	((uint64_t)(IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING |                       \
		    IB_UVERBS_WQ_FLAGS_SCATTER_FCS |                           \
		    IB_UVERBS_WQ_FLAGS_DELAY_DROP |                            \
		    IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING))
#define NUMBER(name) ((uint32_t)command_number(c, UVERBS_ATTR_CREATE_WQ_##name))

static void answer(struct command *c, const struct making *w)
{
	const struct wq_args *is = &w->b.in.wq;
	uint32_t number = w->object->slot;

	command_attr(c, UVERBS_ATTR_CREATE_WQ_HANDLE)->data = w->handle;
	command_put(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, &is->max_wr,
		    sizeof(is->max_wr));
	command_put(c, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, &is->max_sge,
		    sizeof(is->max_sge));
	command_put(c, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, &number,
		    sizeof(number));
}

int wq_create(struct command *c)
{
	uint64_t flags = command_number(c, UVERBS_ATTR_CREATE_WQ_FLAGS);
	uint64_t type = command_number(c, UVERBS_ATTR_CREATE_WQ_TYPE);
	struct wq_args in = {
		.wq_type = (uint32_t)type,
		.max_wr = NUMBER(MAX_WR),
		.max_sge = NUMBER(MAX_SGE),
		.comp_mask = flags ? IBV_WQ_INIT_ATTR_FLAGS : 0,
		.create_flags = (uint32_t)flags,
		.pd = attr_slot(c, UVERBS_ATTR_CREATE_WQ_PD_HANDLE),
		.cq = attr_slot(c, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE),
	};
	struct making w;
	int err;

	if (flags & ~FLAGS_KNOWN || type != IBV_WQT_RQ || in.cq == NO_OBJ)
		return -EINVAL;
	making_init(&w, UVERBS_OBJECT_WQ, V_create_wq, NO_OBJ);
	w.user_handle = command_number(c, UVERBS_ATTR_CREATE_WQ_USER_HANDLE);
	w.events_to = events_of(c, UVERBS_ATTR_CREATE_WQ_EVENT_FD);
	w.b.in.wq = in;
	w.kept = calloc(1, sizeof(struct virtual_wq));
	if (!w.kept)
		return -ENOMEM;
	err = object_make(c, &w);
	if (!err)
		answer(c, &w);
	return err;
}

#define WQ_ATTRS_KNOWN                                                         \
	((uint32_t)(IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE |               \
		    IBV_WQ_ATTR_FLAGS))

static bool has(const struct ibv_wq_attr *attr, uint32_t bit)
{
	return attr->attr_mask & bit;
}

int ex_modify_wq(struct command *c)
{
	const struct virtual_driver *driver = c->device->driver;
	struct bound b = {.verb = V_modify_wq, .result = NO_OBJ};
	struct ibv_wq_attr *attr = &b.in.wq_attr;
	struct ib_uverbs_ex_modify_wq asked;
	const struct virtual_object *wq;
	struct answer a;
	int err;

	legacy_get(c, &asked);
	if (!asked.attr_mask || asked.attr_mask > WQ_ATTRS_KNOWN)
		return -EINVAL;
	if (object_slot(c->file, UVERBS_OBJECT_WQ, asked.wq_handle, &b.on))
		return -EINVAL;
	*attr = (struct ibv_wq_attr){.attr_mask = asked.attr_mask,
				     .wq_state = asked.wq_state,
				     .curr_wq_state = asked.curr_wq_state,
				     .flags = asked.flags,
				     .flags_mask = asked.flags_mask};
	if ((has(attr, IBV_WQ_ATTR_CURR_STATE) &&
	     attr->curr_wq_state > IBV_WQS_ERR) ||
	    (has(attr, IBV_WQ_ATTR_STATE) && attr->wq_state > IBV_WQS_ERR))
		return -EINVAL;
	wq = &c->file->object[asked.wq_handle];
	err = driver->modify_wq ? driver->modify_wq(c, attr) : -EOPNOTSUPP;
	if (!err)
		err = core_call(c->device, &b, &a);
	if (err)
		return err;
	driver->modified_wq(c, wq, attr);
	nic_distrust_bells(c->device);
	return 0;
}

/* Reads the `n` handles, which follow the structure of the request. Returns 0
 * or -errno. */
static int read_table(const struct command *c, uint32_t n,
		      struct virtual_table **table)
{
	size_t begin = sizeof(struct ib_uverbs_ex_create_rwq_ind_table);
	const struct ib_uverbs_attr *in = command_attr(c, UVERBS_ATTR_CORE_IN);
	size_t size = n * sizeof(uint32_t);
	struct virtual_table *t;

	if (in->len < begin + size)
		return -ENOSPC;
	*table = t = calloc(1, sizeof(*t) + size);
	if (!t)
		return -ENOMEM;
	t->n = n;
	memcpy(t->wq, (const char *)(uintptr_t)in->data + begin, size);
	return 0;
}

static int check_table(const struct virtual_file *f,
		       const struct virtual_table *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (object_check(f, UVERBS_OBJECT_WQ, t->wq[i]))
			return -EINVAL;
	return 0;
}

int ex_create_rwq_ind_table(struct command *c)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp r = {0};
	struct ib_uverbs_ex_create_rwq_ind_table asked;
	struct virtual_table *t;
	struct making w;
	int err;

	legacy_get(c, &asked);
	if (asked.comp_mask)
		return -EOPNOTSUPP;
	if (asked.log_ind_tbl_size > MAX_LOG_TABLE)
		return -EINVAL;
	err = read_table(c, UINT32_C(1) << asked.log_ind_tbl_size, &t);
	if (err)
		return err;
	err = check_table(c->file, t);
	if (err) {
		free(t);
		return err;
	}
	making_init(&w, UVERBS_OBJECT_RWQ_IND_TBL, V_create_rwq_ind_table,
		    NO_OBJ);
	w.kept = t;
	w.b.in.ind.log_size = asked.log_ind_tbl_size;
	for (uint32_t i = 0; i < IND_QUEUES; i++)
		w.b.in.ind.wq[i] =
			i < t->n ? c->file->object[t->wq[i]].slot : NO_OBJ;
	err = object_make(c, &w);
	if (err)
		return err;
	r.response_length = command_length(c, UVERBS_ATTR_CORE_OUT, sizeof(r));
	r.ind_tbl_handle = w.handle;
	r.ind_tbl_num = w.object->slot;
	return legacy_answer(c, &r, sizeof(r));
}
