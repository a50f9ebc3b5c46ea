// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The old interface of a uverbs device: a program writes a legacy command to
 * the device, as drivers/infiniband/core/uverbs_main.c ib_uverbs_write() reads
 * it. The command is carried out as the method INVOKE_WRITE.
 */
#include <errno.h>
#include <string.h>
#include "virtual/uverbs/object.h"

#define KNOWN_FLAGS                                                            \
	(IB_USER_VERBS_CMD_COMMAND_MASK | IB_USER_VERBS_CMD_FLAG_EXTENDED)

/* A command that was written, in its parts */
struct written {
	const struct virtual_device *device;
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex;
	const char *in, *driver_in;
	size_t length, driver_length;
	uint64_t response;
	size_t room, driver_room;
};

/* A fault that lets a wrong command pass lets it do nothing. */
#define NOTHING 1

static int refuses(const struct written *w, enum row row, int err)
{
	err = core_refuses(w->device, row, err);
	return err ? err : NOTHING;
}

/* The sizes are in words of 8 bytes, and those of the driver's data are told.
 */
static int split_extended(struct written *w, const struct legacy_spec *m,
			  const char *bytes, size_t count)
{
	size_t headers = sizeof(w->hdr) + sizeof(w->ex);

	if (count < headers)
		return -EINVAL;
	memcpy(&w->ex, bytes + sizeof(w->hdr), sizeof(w->ex));
	w->in = bytes + headers;
	w->length = w->hdr.in_words * UINT64_C(8);
	w->driver_in = w->in + w->length;
	w->driver_length = w->ex.provider_in_words * UINT64_C(8);
	w->response = w->ex.response;
	w->room = w->hdr.out_words * UINT64_C(8);
	w->driver_room = w->ex.provider_out_words * UINT64_C(8);
	if (w->length + w->driver_length != count - headers)
		return refuses(w, ROW_COMMAND_WRITE_SIZE, EINVAL);
	if (w->length < m->request)
		return refuses(w, ROW_COMMAND_WRITE_SHORT, ENOSPC);
	if (w->ex.cmd_hdr_reserved)
		return refuses(w, ROW_COMMAND_WRITE_RESERVED, EINVAL);
	if (!w->response != (!w->room && !w->driver_room))
		return refuses(w, ROW_COMMAND_WRITE_RESPONSE, EINVAL);
	if (w->response && w->room < m->response)
		return refuses(w, ROW_COMMAND_WRITE_SHORT, ENOSPC);
	return 0;
}

/* The sizes are in words of 4 bytes. What is behind the structures that the
 * kernel knows is the driver's. */
static int split(struct written *w, const struct legacy_spec *m,
		 const char *bytes, size_t count)
{
	size_t room = w->hdr.out_words * UINT64_C(4);

	if (w->hdr.in_words * UINT64_C(4) != count)
		return refuses(w, ROW_COMMAND_WRITE_SIZE, EINVAL);
	if (count < m->request + sizeof(w->hdr) || room < m->response)
		return refuses(w, ROW_COMMAND_WRITE_SHORT, ENOSPC);
	w->in = bytes + sizeof(w->hdr);
	w->length = m->request;
	w->driver_in = w->in + w->length;
	w->driver_length = count - sizeof(w->hdr) - w->length;
	if (!m->response)
		return 0;
	memcpy(&w->response, w->in, sizeof(w->response));
	w->room = m->response;
	w->driver_room = room - m->response;
	return 0;
}

static void add(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id, size_t length,
		uint64_t data)
{
	if (!length)
		return;
	hdr->attrs[hdr->num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = id,
		.len = (uint16_t)length,
		.data = data,
	};
}

/* Up to 8 bytes for a command are in the attribute itself. */
static void add_in(struct ib_uverbs_ioctl_hdr *hdr, uint16_t id,
		   const char *bytes, size_t length)
{
	uint64_t data = (uintptr_t)bytes;

	if (length <= sizeof(data))
		memcpy(&data, bytes, length);
	add(hdr, id, length, data);
}

static int carry_out(struct virtual_file *f, const struct written *w)
{
	uint64_t room[3 + 5 * 2] = {0};
	struct ib_uverbs_ioctl_hdr *hdr = (struct ib_uverbs_ioctl_hdr *)room;

	hdr->object_id = UVERBS_OBJECT_DEVICE;
	hdr->method_id = UVERBS_METHOD_INVOKE_WRITE;
	hdr->driver_id = f->device->driver->id;
	add(hdr, UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t), w->hdr.command);
	add_in(hdr, UVERBS_ATTR_CORE_IN, w->in, w->length);
	add(hdr, UVERBS_ATTR_CORE_OUT, w->room, w->response);
	add_in(hdr, UVERBS_ATTR_UHW_IN, w->driver_in, w->driver_length);
	add(hdr, UVERBS_ATTR_UHW_OUT, w->driver_room, w->response + w->room);
	hdr->length = (uint16_t)(sizeof(*hdr) +
				 hdr->num_attrs * sizeof(hdr->attrs[0]));
	return virtual_ioctl(f, hdr);
}

static int take(struct virtual_file *f, struct written *w, const void *bytes,
		size_t count)
{
	const struct legacy_spec *m;
	int err;

	if (count < sizeof(w->hdr))
		return refuses(w, ROW_COMMAND_WRITE_SIZE, EINVAL);
	if (pages_check((uintptr_t)bytes, count, false))
		return -EFAULT;
	memcpy(&w->hdr, bytes, sizeof(w->hdr));
	if (w->hdr.command & ~(uint32_t)KNOWN_FLAGS)
		return refuses(w, ROW_COMMAND_WRITE_FLAGS, EINVAL);
	m = legacy_spec_of(w->hdr.command);
	if (!m)
		return refuses(w, ROW_COMMAND_WRITE_UNKNOWN, EOPNOTSUPP);
	if (w->hdr.command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		err = split_extended(w, m, bytes, count);
	else
		err = split(w, m, bytes, count);
	if (!err && core_breaks(f->device, ROW_COMMAND_WRITE))
		err = -EINVAL;
	return err ? err : carry_out(f, w);
}

int virtual_write(struct virtual_file *f, const void *bytes, size_t count)
{
	struct written w = {.device = f->device};
	int err;

	f->opened = -1;
	err = take(f, &w, bytes, count);

	return err == NOTHING ? 0 : err;
}
