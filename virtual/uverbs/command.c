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

static int check_length(const struct ib_uverbs_attr *a,
			const struct attr_spec *spec)
{
	bool more = spec->max && a->len > spec->max;

	if (more && spec->grows && spec->kind == ATTR_IN &&
	    command_has_unknown(a, spec->max))
		return -EOPNOTSUPP;
	if (spec->flags && a->len != sizeof(uint32_t) &&
	    a->len != sizeof(uint64_t))
		return -EINVAL;
	return a->len < spec->min || (more && !spec->grows) ? -EINVAL : 0;
}

/* Up to 8 bytes for a command are in the attribute itself. */
static int check_memory(const struct ib_uverbs_attr *a, enum attr_kind kind)
{
	if (!a->len || (kind == ATTR_IN && a->len <= sizeof(a->data)))
		return 0;
	return pages_check(a->data, a->len, kind == ATTR_OUT) ? -EFAULT : 0;
}

static int check_attr(const struct command *c, const struct ib_uverbs_attr *a,
		      const struct attr_spec *spec)
{
	int err;

	if (a->attr_data.reserved)
		return -EINVAL;
	switch (spec->kind) {
	case ATTR_NEW:
		return a->len ? -EINVAL : 0;
	case ATTR_OBJ:
		return a->len ? -EINVAL
			      : object_check(c->file, spec->sort, a->data);
	case ATTR_FD:
		return a->len ? -EINVAL
			      : events_check(c->file, spec->sort, a->data_s64);
	default:
		err = check_length(a, spec);
		return err ? err : check_memory(a, spec->kind);
	}
}

static int check_present(const struct command *c, const struct method *m)
{
	for (const struct attr_spec *a = m->attrs; a->name; a++)
		if (!a->optional && !command_attr(c, a->id))
			return -EINVAL;
	return 0;
}

/* Checks all attributes. Returns 0 or -errno. */
static int check_attrs(const struct command *c, const struct method *m)
{
	for (unsigned int i = 0; i < c->hdr->num_attrs; i++) {
		const struct ib_uverbs_attr *a = &c->hdr->attrs[i];
		const struct attr_spec *spec = find_attr(m, a->attr_id);
		int err;

		if (!spec && a->flags & UVERBS_ATTR_F_MANDATORY)
			return -EPROTONOSUPPORT;
		if (!spec)
			continue;
		if (command_attr(c, a->attr_id) != a)
			return -EINVAL; /* a second time */
		err = check_attr(c, a, spec);
		if (err)
			return err;
	}
	return check_present(c, m);
}

static int check_header(const struct command *c)
{
	const struct ib_uverbs_ioctl_hdr *hdr = c->hdr;

	if (hdr->length > COMMAND_MAX_LENGTH ||
	    hdr->length !=
		    sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]))
		return -EINVAL;
	if (hdr->reserved1 || hdr->reserved2)
		return -EPROTONOSUPPORT;
	return hdr->driver_id == c->device->driver->id ? 0 : -EINVAL;
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
		err = -EPROTONOSUPPORT;
	if (!err)
		err = check_attrs(&c, m);
	if (!err && !(m->flags & METHOD_NO_CONTEXT) && !f->has_context)
		err = -EINVAL;
	if (c.fails)
		err = -f->device->fault.error;
	if (!err)
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
