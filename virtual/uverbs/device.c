// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The methods of the device object: contexts, ports and GIDs; and the
 * descriptor of asynchronous events. The table of these methods is at the end.
 */
#include <errno.h>
#include <string.h>
#include "virtual/uverbs/object.h"

void context_answer(struct command *c, uint16_t vectors, uint16_t support)
{
	uint32_t n = (uint32_t)c->device->info.limit[LIM_num_comp_vectors];
	uint64_t core = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;

	command_put(c, vectors, &n, sizeof(n));
	command_put(c, support, &core, sizeof(core));
}

int open_context(struct command *c)
{
	const struct virtual_driver *driver = c->device->driver;
	int err;

	if (c->file->has_context)
		return -EINVAL;
	context_answer(c, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
		       UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT);
	err = driver->get_context ? driver->get_context(c) : 0;
	c->file->has_context = !err;
	return err;
}

/* Makes a descriptor of asynchronous events. The first one is the context's. */
int alloc_async_event(struct command *c)
{
	struct ib_uverbs_attr *a =
		command_attr(c, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE);
	int fd = events_open(c->file, UVERBS_OBJECT_ASYNC_EVENT, NO_OBJ);

	if (fd < 0)
		return fd;
	if (c->file->default_async < 0)
		c->file->default_async = fd;
	a->data_s64 = fd;
	return 0;
}

static const struct port_info *port_of(const struct command *c, uint64_t number)
{
	if (number < 1 || number > (uint64_t)c->device->info.nports)
		return NULL;
	return &c->device->info.port[number - 1];
}

int core_query_port(struct command *c)
{
	const struct port_info *p =
		port_of(c, command_number(c, UVERBS_ATTR_QUERY_PORT_PORT_NUM));
	const struct ibv_port_attr *is;
	struct ib_uverbs_query_port_resp_ex resp;

	if (!p)
		return -EINVAL;
	is = &p->attr;
	resp = (struct ib_uverbs_query_port_resp_ex){
		.port_cap_flags2 = is->port_cap_flags2,
		.legacy_resp = {
			.port_cap_flags = is->port_cap_flags,
			.max_msg_sz = is->max_msg_sz,
			.bad_pkey_cntr = is->bad_pkey_cntr,
			.qkey_viol_cntr = is->qkey_viol_cntr,
			.gid_tbl_len = (uint32_t)is->gid_tbl_len,
			.pkey_tbl_len = is->pkey_tbl_len,
			.lid = is->lid,
			.sm_lid = is->sm_lid,
			.state = (uint8_t)is->state,
			.max_mtu = (uint8_t)is->max_mtu,
			.active_mtu = (uint8_t)is->active_mtu,
			.lmc = is->lmc,
			.max_vl_num = is->max_vl_num,
			.sm_sl = is->sm_sl,
			.subnet_timeout = is->subnet_timeout,
			.init_type_reply = is->init_type_reply,
			.active_width = is->active_width,
			.active_speed = is->active_speed,
			.phys_state = is->phys_state,
			.link_layer = is->link_layer,
			.flags = is->flags,
		}};
	command_put_struct(c, UVERBS_ATTR_QUERY_PORT_RESP, &resp, sizeof(resp));
	return 0;
}

static struct ib_uverbs_gid_entry entry_of(const struct command *c,
					   unsigned int port,
					   const struct gid_entry *gid)
{
	const struct ibv_port_attr *is = &c->device->info.port[port - 1].attr;
	struct ib_uverbs_gid_entry e = {.gid_index = gid->index,
					.port_num = port};

	if (gid->type == GID_ROCE_V2)
		e.gid_type = IB_UVERBS_GID_TYPE_ROCE_V2;
	else if (is->link_layer == IBV_LINK_LAYER_ETHERNET)
		e.gid_type = IB_UVERBS_GID_TYPE_ROCE_V1;
	memcpy(&e.gid, &gid->gid, sizeof(e.gid));
	return e;
}

int query_gid_entry(struct command *c)
{
	uint64_t port = command_number(c, UVERBS_ATTR_QUERY_GID_ENTRY_PORT);
	uint64_t index =
		command_number(c, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX);
	const struct port_info *p = port_of(c, port);
	struct ib_uverbs_gid_entry e;
	const struct gid_entry *gid;

	if (command_number(c, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS) || !p ||
	    index >= (uint64_t)p->attr.gid_tbl_len)
		return -EINVAL;
	gid = port_gid(p, (unsigned int)index);
	if (!gid)
		return -ENODATA;
	e = entry_of(c, (unsigned int)port, gid);
	command_put_struct(c, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &e,
			   sizeof(e));
	return 0;
}

/* Writes an entry in the size that the program knows, which may be smaller or
 * larger than ours. */
static void put_entry(char *to, size_t size,
		      const struct ib_uverbs_gid_entry *e)
{
	memset(to, 0, size);
	memcpy(to, e, size < sizeof(*e) ? size : sizeof(*e));
}

static int put_entries(const struct command *c, size_t size, size_t room)
{
	char *to = (char *)(uintptr_t)command_attr(
			   c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES)
			   ->data;
	size_t n = 0;

	for (int i = 0; i < c->device->info.nports; i++) {
		const struct port_info *p = &c->device->info.port[i];

		for (int k = 0; k < p->ngids; k++, n++) {
			struct ib_uverbs_gid_entry e =
				entry_of(c, (unsigned int)i + 1, &p->gid[k]);

			if (n == room)
				return -EINVAL;
			put_entry(to + n * size, size, &e);
		}
	}
	return (int)n;
}

int query_gid_table(struct command *c)
{
	uint64_t size =
		command_number(c, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE);
	size_t room = command_room(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	uint64_t found;
	int n;

	if (command_number(c, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS) || !size ||
	    room < size || room % size)
		return -EINVAL;
	n = put_entries(c, size, room / size);
	if (n < 0)
		return n;
	found = (uint64_t)n;
	command_attr(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES)->flags |=
		UVERBS_ATTR_F_VALID_OUTPUT;
	command_put(c, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, &found,
		    sizeof(found));
	return 0;
}
