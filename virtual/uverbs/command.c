// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The dispatcher of commands (drivers/infiniband/core/uverbs_ioctl.c): finds
 * the method, checks the attributes, and runs the method. The NIC runs before
 * each command. Also reads and writes attributes for methods.
 */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "virtual/nic/nic.h"

#define COMMAND_MAX_LENGTH 4096 /* a page */

bool command_is_capable(unsigned int capability)
{
	struct __user_cap_header_struct who = {
		.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &who, has))
		return false;
	return has[capability / 32].effective >> capability % 32 & 1;
}

struct ib_uverbs_attr *command_attr(const struct command *c, uint16_t id)
{
	for (unsigned int i = 0; i < c->hdr->num_attrs; i++)
		if (c->hdr->attrs[i].attr_id == id)
			return &c->hdr->attrs[i];
	return NULL;
}

/* Returns the bytes of an attribute: up to 8 bytes are in the attribute itself,
 * more are behind its pointer. */
static const void *bytes_in(const struct ib_uverbs_attr *a)
{
	return a->len <= sizeof(a->data) ? (const void *)&a->data
					 : (const void *)(uintptr_t)a->data;
}

void command_get(const struct command *c, uint16_t id, void *to, size_t size)
{
	const struct ib_uverbs_attr *a = command_attr(c, id);

	memset(to, 0, size);
	if (a)
		memcpy(to, bytes_in(a), a->len < size ? a->len : size);
}

uint64_t command_number(const struct command *c, uint16_t id)
{
	uint64_t number;

	command_get(c, id, &number, sizeof(number));
	return number;
}

size_t command_room(const struct command *c, uint16_t id)
{
	const struct ib_uverbs_attr *a = command_attr(c, id);

	return a ? a->len : 0;
}

uint32_t command_length(const struct command *c, uint16_t id, size_t size)
{
	size_t room = command_room(c, id);

	return (uint32_t)(room < size ? room : size);
}

void command_put(const struct command *c, uint16_t id, const void *from,
		 size_t size)
{
	struct ib_uverbs_attr *a = command_attr(c, id);

	if (!a)
		return;
	memcpy((void *)(uintptr_t)a->data, from, a->len < size ? a->len : size);
	a->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
}

void command_put_struct(const struct command *c, uint16_t id, const void *from,
			size_t size)
{
	const struct ib_uverbs_attr *a = command_attr(c, id);

	command_put(c, id, from, size);
	if (a && a->len > size)
		memset((char *)(uintptr_t)a->data + size, 0, a->len - size);
}

int legacy_answer(const struct command *c, const void *r, size_t size)
{
	command_put_struct(c, UVERBS_ATTR_CORE_OUT, r, size);
	return 0;
}

static const struct method *find_in(const struct method *methods,
				    unsigned int n,
				    const struct ib_uverbs_ioctl_hdr *hdr)
{
	for (unsigned int i = 0; i < n; i++)
		if (methods[i].object == hdr->object_id &&
		    methods[i].id == hdr->method_id)
			return &methods[i];
	return NULL;
}

static const struct method *find_method(const struct virtual_device *d,
					const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct method *m = find_in(core_methods, ncore_methods, hdr);

	return m ? m : find_in(d->driver->methods, d->driver->nmethods, hdr);
}

const struct attr_spec *find_attr(const struct method *m, uint16_t id)
{
	for (const struct attr_spec *a = m->attrs; a->name; a++)
		if (a->id == id)
			return a;
	return m->flags & METHOD_UDATA ? udata_spec(id) : NULL;
}

bool command_has_unknown(const struct ib_uverbs_attr *a, size_t known)
{
	const char *bytes = bytes_in(a);

	for (size_t i = known; i < a->len; i++)
		if (bytes[i])
			return true;
	return false;
}

/* An attribute with more bytes than the method knows. */
static int check_tail(const struct command *c, const struct ib_uverbs_attr *a,
		      const struct attr_spec *spec)
{
	if (!spec->grows)
		return core_refuses(c->device, ROW_COMMAND_ATTR_LONG, EINVAL);
	if (spec->kind == ATTR_IN && command_has_unknown(a, spec->max))
		return core_refuses(c->device, ROW_COMMAND_TAIL, EOPNOTSUPP);
	return core_breaks(c->device, ROW_COMMAND_ZERO_TAIL) ? -EINVAL : 0;
}

static int check_length(const struct command *c, const struct ib_uverbs_attr *a,
			const struct attr_spec *spec)
{
	if (spec->max && a->len > spec->max)
		return check_tail(c, a, spec);
	if (a->len < spec->min || (spec->flags && a->len != sizeof(uint32_t) &&
				   a->len != sizeof(uint64_t)))
		return core_refuses(c->device, ROW_COMMAND_ATTR_SHORT, EINVAL);
	return 0;
}

/* Up to 8 bytes for a command are in the attribute itself. */
static int check_memory(const struct command *c, const struct ib_uverbs_attr *a,
			enum attr_kind kind)
{
	if (!a->len || (kind == ATTR_IN && a->len <= sizeof(a->data)))
		return 0;
	if (!pages_check(a->data, a->len, kind == ATTR_OUT))
		return 0;
	return core_refuses(c->device, ROW_COMMAND_POINTER, EFAULT);
}

static int check_bytes(const struct command *c, const struct ib_uverbs_attr *a,
		       const struct attr_spec *spec)
{
	const bool pointer = spec->grows && a->len > spec->max;
	int err = pointer ? check_memory(c, a, spec->kind) : 0;

	if (!err)
		err = check_length(c, a, spec);
	return err || pointer ? err : check_memory(c, a, spec->kind);
}

static enum row row_of_handle(int err, uint64_t handle)
{
	if (err == -ENOENT)
		return ROW_COMMAND_HANDLE;
	return handle >> 63 ? ROW_COMMAND_HANDLE_NEGATIVE
			    : ROW_COMMAND_HANDLE_TYPE;
}

static int check_handle(const struct command *c, const struct ib_uverbs_attr *a,
			const struct attr_spec *spec)
{
	int err;

	if (a->len)
		return core_refuses(c->device, ROW_COMMAND_HANDLE_LENGTH,
				    EINVAL);
	if (spec->kind == ATTR_NEW)
		return 0;
	if (spec->kind == ATTR_FD) {
		err = events_check(c->file, spec->sort, a->data_s64);
		return err ? core_refuses(c->device, ROW_COMMAND_DESCRIPTOR,
					  -err)
			   : 0;
	}
	err = object_check(c->file, spec->sort, a->data);
	return err ? core_refuses(c->device, row_of_handle(err, a->data), -err)
		   : 0;
}

static int check_attr(const struct command *c, const struct ib_uverbs_attr *a,
		      const struct attr_spec *spec)
{
	int err = a->attr_data.reserved
			  ? core_refuses(c->device, ROW_COMMAND_ATTR_RESERVED,
					 EINVAL)
			  : 0;

	if (err)
		return err;
	if (spec->kind == ATTR_IN || spec->kind == ATTR_OUT)
		return check_bytes(c, a, spec);
	return check_handle(c, a, spec);
}

static int check_present(const struct command *c, const struct method *m)
{
	for (const struct attr_spec *a = m->attrs; a->name; a++)
		if (!a->optional && !command_attr(c, a->id))
			return core_refuses(c->device, ROW_COMMAND_MISSING,
					    EINVAL);
	return 0;
}

static int check_unknown(const struct command *c,
			 const struct ib_uverbs_attr *a)
{
	if (a->flags & UVERBS_ATTR_F_MANDATORY)
		return core_refuses(c->device, ROW_COMMAND_ATTR_UNKNOWN,
				    EPROTONOSUPPORT);
	return core_breaks(c->device, ROW_COMMAND_ATTR_IGNORED) ? -EINVAL : 0;
}

/* Checks all attributes. Returns 0 or -errno. */
static int check_attrs(const struct command *c, const struct method *m)
{
	for (unsigned int i = 0; i < c->hdr->num_attrs; i++) {
		const struct ib_uverbs_attr *a = &c->hdr->attrs[i];
		const struct attr_spec *spec = find_attr(m, a->attr_id);
		int err = 0;

		if (!spec)
			err = check_unknown(c, a);
		else if (command_attr(c, a->attr_id) != a) /* a second time */
			err = core_refuses(c->device, ROW_COMMAND_DOUBLED,
					   EINVAL);
		else
			err = check_attr(c, a, spec);
		if (err)
			return err;
	}
	return check_present(c, m);
}

static int check_header(const struct command *c)
{
	const struct ib_uverbs_ioctl_hdr *hdr = c->hdr;
	int err = 0;

	if (hdr->length > COMMAND_MAX_LENGTH ||
	    hdr->length !=
		    sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]))
		err = core_refuses(c->device, ROW_COMMAND_HEADER, EINVAL);
	if (!err && (hdr->reserved1 || hdr->reserved2))
		err = core_refuses(c->device, ROW_COMMAND_HEADER_RESERVED,
				   EPROTONOSUPPORT);
	if (!err && hdr->driver_id != c->device->driver->id)
		err = core_refuses(c->device, ROW_COMMAND_DRIVER_ID, EINVAL);
	return err;
}

/* A fault may let the command pass, which then does nothing. */
static int refuse_unknown(const struct command *c)
{
	return core_refuses(c->device, ROW_COMMAND_METHOD, EPROTONOSUPPORT);
}

int virtual_ioctl(struct virtual_file *f, struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct method *m = find_method(f->device, hdr);
	struct command c = {
		.file = f, .device = f->device, .hdr = hdr, .method = m};
	int err = check_header(&c);

	f->opened = -1;
	if (f->device->driver->tick)
		f->device->driver->tick(f->device);
	nic_run(f->device);
	c.fails = core_count_command(f->device);
	if (!err && !m)
		err = refuse_unknown(&c);
	if (!err && m)
		err = check_attrs(&c, m);
	if (!err && m && !(m->flags & METHOD_NO_CONTEXT) && !f->has_context)
		err = -EINVAL;
	if (c.fails)
		err = -f->device->fault.error;
	if (!err && m)
		err = m->run(&c);
	nic_go_on(f->device);
	trace_command(&c, err);
	return err;
}

int virtual_map(const struct virtual_file *f, const struct mapping *m,
		void **pages)
{
	int err = -EINVAL;

	if (f->has_context && f->device->driver->map)
		err = f->device->driver->map(f, m, pages);
	trace_mapping(f, m, err);
	return err;
}

void virtual_file_open(struct virtual_file *f, const struct virtual_device *d)
{
	*f = (struct virtual_file){
		.device = d, .default_async = -1, .opened = -1};
}

void virtual_file_close(struct virtual_file *f)
{
	objects_close(f);
	events_close(f);
	if (f->device->nic)
		nic_forget_parts(f->device);
	virtual_file_open(f, f->device);
}
