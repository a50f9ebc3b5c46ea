/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Changes a command on its way from libibverbs to the kernel: its header, its
 * list of attributes, or one attribute. The change is made in a copy.
 */
#pragma once
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include "program/repro/parts/command_kept.h"
#include "program/repro/parts/types.h"

/* part: command_change command_writer send_changed POINTER_NULL
 * POINTER_KERNEL POINTER_READ_ONLY */
/* Where CHANGE_POINTER points to */
enum { POINTER_NULL, POINTER_KERNEL, POINTER_READ_ONLY };

struct command_change {
	uint64_t value;
	uint32_t how, attr, offset;
	uint64_t noted; /* the handle of CHANGE_NOTE */
	struct changed_args seen;
};

/* As write() */
typedef ssize_t command_writer(int fd, const void *bytes, size_t count);

struct command_copy {
	struct ib_uverbs_ioctl_hdr *hdr; /* in `room`, with its attributes */
	unsigned int nattrs; /* that there are, whatever the header says */
	uint64_t room[4 + 2 * COMMAND_ATTRS];
	unsigned long request;
	char bytes[COMMAND_BYTES]; /* of the attribute that is changed */
};

static inline void add_attr(struct command_copy *c, struct ib_uverbs_attr attr)
{
	c->hdr->attrs[c->nattrs++] = attr;
	c->hdr->num_attrs = (uint16_t)c->nattrs;
	c->hdr->length = (uint16_t)(c->hdr->length + sizeof(attr));
}

static inline void drop_attr(struct command_copy *c, int at)
{
	memmove(&c->hdr->attrs[at], &c->hdr->attrs[at + 1],
		(size_t)(c->hdr->num_attrs - at - 1) *
			sizeof(c->hdr->attrs[0]));
	c->hdr->num_attrs--;
	c->hdr->length = (uint16_t)(c->hdr->length - sizeof(c->hdr->attrs[0]));
}

static inline const void *attr_bytes(const struct ib_uverbs_ioctl_hdr *hdr,
				     const struct ib_uverbs_attr *attr)
{
	return attr_is_pointer(hdr, attr) ? (const void *)(uintptr_t)attr->data
					  : &attr->data;
}

/* Makes the attribute point to a copy of its bytes, of another length. */
static inline bool copy_bytes_of(struct command_copy *c,
				 struct ib_uverbs_attr *attr, uint64_t length)
{
	size_t kept = attr->len < length ? attr->len : (size_t)length;

	if (length > COMMAND_BYTES)
		return false;
	memset(c->bytes, 0, sizeof(c->bytes));
	memcpy(c->bytes, attr_bytes(c->hdr, attr), kept);
	attr->len = (uint16_t)length;
	attr->data = (uint64_t)(uintptr_t)c->bytes;
	if (length <= sizeof(attr->data) && kept)
		memcpy(&attr->data, c->bytes, sizeof(attr->data));
	return true;
}

static inline bool lengthen(struct command_copy *c, struct ib_uverbs_attr *attr,
			    uint64_t more, bool zeros)
{
	const bool pointer = attr_is_pointer(c->hdr, attr);
	const uint64_t length = attr->len + more;

	if (!attr->len || !more || more > COMMAND_BYTES ||
	    !copy_bytes_of(c, attr, length))
		return false;
	if (!zeros)
		c->bytes[length - 1] = 1;
	if (length <= sizeof(attr->data) && !pointer)
		memcpy(&attr->data, c->bytes, sizeof(attr->data));
	else
		attr->data = (uint64_t)(uintptr_t)c->bytes;
	return true;
}

static inline uint64_t bad_pointer(uint64_t which)
{
	static void *page;

	if (which == POINTER_NULL)
		return 0;
	if (which == POINTER_KERNEL)
		return UINT64_C(0xffffffff80000000);
	if (!page)
		page = mmap(NULL, COMMAND_BYTES, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return page == MAP_FAILED ? 0 : (uint64_t)(uintptr_t)page;
}

static inline bool change_word(struct command_copy *c,
			       struct ib_uverbs_attr *attr,
			       const struct command_change *how)
{
	const uint32_t word =
		(uint32_t)(how->how == CHANGE_NOTED_WORD ? how->noted
							 : how->value);

	if (how->offset + sizeof(word) > attr->len ||
	    !copy_bytes_of(c, attr, attr->len))
		return false;
	memcpy(c->bytes + how->offset, &word, sizeof(word));
	if (attr->len <= sizeof(attr->data))
		memcpy(&attr->data, c->bytes, sizeof(attr->data));
	return true;
}

/* Returns false if the attribute has nothing to change. */
static inline bool change_attr(struct command_copy *c,
			       const struct command_change *how, int at)
{
	struct ib_uverbs_attr *attr = &c->hdr->attrs[at];

	switch (how->how) {
	case CHANGE_DROP:
		drop_attr(c, at);
		return true;
	case CHANGE_DOUBLE:
		add_attr(c, *attr);
		return true;
	case CHANGE_ATTR_RESERVED:
		attr->attr_data.reserved = 1;
		return true;
	case CHANGE_LENGTH:
		/* There are no bytes behind its own. */
		if (how->value > attr->len && attr->len)
			return false;
		attr->len = (uint16_t)how->value;
		return true;
	case CHANGE_ZERO_TAIL:
	case CHANGE_TAIL:
		return lengthen(c, attr, how->value,
				how->how == CHANGE_ZERO_TAIL);
	case CHANGE_POINTER:
		if (!attr_is_pointer(c->hdr, attr))
			return false;
		attr->data = bad_pointer(how->value);
		return true;
	case CHANGE_HANDLE:
	case CHANGE_NOTED:
		/* Only a handle has no bytes. */
		if (!attr->len)
			attr->data = how->how == CHANGE_NOTED ? how->noted
							      : how->value;
		return !attr->len;
	default:
		return change_word(c, attr, how);
	}
}

/* Changes all but attributes. Returns false for a change of an attribute. */
static inline bool change_header(struct command_copy *c,
				 const struct command_change *how)
{
	/* No method has an attribute of this id, and no object a method. */
	struct ib_uverbs_attr unknown = {.attr_id = 0xfff};
	const struct ib_uverbs_attr known = {
		.attr_id = (uint16_t)how->attr,
		.flags = UVERBS_ATTR_F_MANDATORY,
		.len = sizeof(uint32_t),
		.data = how->value,
	};

	switch (how->how) {
	case CHANGE_REQUEST:
		c->request = _IOWR(RDMA_IOCTL_MAGIC, 0x7f,
				   struct ib_uverbs_ioctl_hdr);
		return true;
	case CHANGE_HEADER_LENGTH:
		c->hdr->length = (uint16_t)(c->hdr->length + how->value);
		return true;
	case CHANGE_ATTR_COUNT:
		c->hdr->num_attrs = (uint16_t)(c->hdr->num_attrs + how->value);
		return true;
	case CHANGE_RESERVED1:
		c->hdr->reserved1 = how->value;
		return true;
	case CHANGE_RESERVED2:
		c->hdr->reserved2 = (uint32_t)how->value;
		return true;
	case CHANGE_DRIVER_ID:
		c->hdr->driver_id = (uint32_t)how->value;
		return true;
	case CHANGE_OBJECT_ID:
		c->hdr->object_id = (uint16_t)how->value;
		return true;
	case CHANGE_METHOD_ID:
		c->hdr->method_id = (uint16_t)how->value;
		return true;
	case CHANGE_ADD_MANDATORY:
		unknown.flags = UVERBS_ATTR_F_MANDATORY;
		add_attr(c, unknown);
		return true;
	case CHANGE_ADD_OPTIONAL:
		add_attr(c, unknown);
		return true;
	case CHANGE_ADD:
		add_attr(c, known);
		return true;
	default:
		return false;
	}
}

static inline void describe_command(struct command_change *how,
				    const struct command_copy *c, int at)
{
	const int legacy =
		command_attr_at(c->hdr, c->nattrs, UVERBS_ATTR_WRITE_CMD);

	memset(&how->seen, 0, sizeof(how->seen));
	how->seen.object_id = c->hdr->object_id;
	how->seen.method_id = c->hdr->method_id;
	if (is_legacy(c->hdr) && legacy >= 0)
		how->seen.legacy = (uint32_t)c->hdr->attrs[legacy].data;
	if (at >= 0)
		how->seen.length = c->hdr->attrs[at].len;
}

/* Gives the library what the kernel wrote: handles, flags, and an answer that
 * it wrote into the copy. */
static inline void give_back(const struct command_copy *c,
			     const struct command_change *how,
			     struct ib_uverbs_ioctl_hdr *hdr)
{
	for (unsigned int i = 0; i < hdr->num_attrs; i++) {
		struct ib_uverbs_attr *attr = &hdr->attrs[i];
		const struct ib_uverbs_attr *copy;
		int at = command_attr_at(c->hdr, c->nattrs, attr->attr_id);

		if (at < 0)
			continue;
		copy = &c->hdr->attrs[at];
		attr->flags = copy->flags;
		if (!attr->len && !copy->len)
			attr->data = copy->data;
		else if ((how->how == CHANGE_ZERO_TAIL ||
			  how->how == CHANGE_TAIL) &&
			 copy->data == (uint64_t)(uintptr_t)c->bytes &&
			 attr_is_pointer(hdr, attr))
			memcpy((void *)(uintptr_t)attr->data, c->bytes,
			       attr->len);
	}
}

/* --- The old interface ---------------------------------------------------- */

/* A legacy command as write() takes it: in front of the request a header, or
 * two, behind it the driver's data. */
struct command_text {
	char bytes[COMMAND_BYTES], answer[COMMAND_BYTES];
	size_t count;
	bool too_long;
	struct ib_uverbs_cmd_hdr *hdr;
	struct ib_uverbs_ex_cmd_hdr *ex; /* NULL: the command has none */
};

static inline size_t part_length(const struct ib_uverbs_ioctl_hdr *hdr,
				 uint32_t id)
{
	const struct ib_uverbs_attr *attr = command_part(hdr, id);

	return attr ? attr->len : 0;
}

static inline void append_part(struct command_text *t,
			       const struct ib_uverbs_ioctl_hdr *hdr,
			       uint32_t id)
{
	const struct ib_uverbs_attr *attr = command_part(hdr, id);

	if (!attr)
		return;
	t->too_long |= attr->len > sizeof(t->bytes) - t->count;
	if (t->too_long)
		return;
	memcpy(t->bytes + t->count, attr_bytes(hdr, attr), attr->len);
	t->count += attr->len;
}

/* Returns a number of bytes as words of 4 bytes, of an extended command of 8.
 */
static inline uint16_t words_of(const struct command_text *t, size_t length)
{
	return (uint16_t)(length / (t->ex ? 8 : 4));
}

static inline void write_headers(struct command_text *t,
				 const struct ib_uverbs_ioctl_hdr *hdr)
{
	const size_t in = part_length(hdr, UVERBS_ATTR_CORE_IN);
	const size_t out = part_length(hdr, UVERBS_ATTR_CORE_OUT);
	const size_t driver_out = part_length(hdr, UVERBS_ATTR_UHW_OUT);
	const uint64_t response = (uint64_t)(uintptr_t)t->answer;

	if (t->ex) {
		t->hdr->in_words = words_of(t, in);
		t->hdr->out_words = words_of(t, out);
		t->ex->provider_in_words =
			words_of(t, part_length(hdr, UVERBS_ATTR_UHW_IN));
		t->ex->provider_out_words = words_of(t, driver_out);
		t->ex->response = out + driver_out ? response : 0;
		return;
	}
	t->hdr->in_words = words_of(t, t->count);
	t->hdr->out_words = words_of(t, out + driver_out);
	if (out)
		memcpy(t->bytes + sizeof(*t->hdr), &response, sizeof(response));
}

static inline void write_command(struct command_text *t,
				 const struct ib_uverbs_ioctl_hdr *hdr,
				 uint32_t legacy)
{
	memset(t, 0, sizeof(*t));
	t->hdr = (struct ib_uverbs_cmd_hdr *)(void *)t->bytes;
	t->count = sizeof(*t->hdr);
	if (legacy & IB_USER_VERBS_CMD_FLAG_EXTENDED) {
		t->ex = (struct ib_uverbs_ex_cmd_hdr *)(void *)(t->bytes +
								t->count);
		t->count += sizeof(*t->ex);
	}
	append_part(t, hdr, UVERBS_ATTR_CORE_IN);
	append_part(t, hdr, UVERBS_ATTR_UHW_IN);
	t->hdr->command = legacy;
	write_headers(t, hdr);
}

/* Returns false if the command has no such field. */
static inline bool change_text(struct command_text *t,
			       const struct command_change *how)
{
	const bool responds = t->hdr->out_words;
	const size_t headers = sizeof(*t->hdr) + (t->ex ? sizeof(*t->ex) : 0);
	uint64_t pointer;

	switch (how->how) {
	case CHANGE_WRITE_COMMAND:
		t->hdr->command = (uint32_t)how->value;
		return true;
	case CHANGE_WRITE_IN:
		t->hdr->in_words = (uint16_t)(t->hdr->in_words + how->value);
		return true;
	case CHANGE_WRITE_OUT:
		if (how->value >= t->hdr->out_words)
			return false;
		t->hdr->out_words = (uint16_t)how->value;
		return true;
	case CHANGE_WRITE_COUNT:
		if (how->value >= t->count)
			return false;
		t->count = how->value;
		if (!t->ex)
			t->hdr->in_words = words_of(t, t->count);
		else if (t->count >= headers)
			t->hdr->in_words = words_of(t, t->count - headers);
		return true;
	case CHANGE_WRITE_DRIVER_IN:
		if (t->ex)
			t->ex->provider_in_words = (uint16_t)how->value;
		return t->ex;
	case CHANGE_WRITE_RESERVED:
		if (t->ex)
			t->ex->cmd_hdr_reserved = (uint32_t)how->value;
		return t->ex;
	case CHANGE_WRITE_RESPONSE:
		if (!responds)
			return false;
		pointer = bad_pointer(how->value);
		memcpy(t->ex ? (void *)&t->ex->response
			     : t->bytes + sizeof(*t->hdr),
		       &pointer, sizeof(pointer));
		return true;
	default:
		return true;
	}
}

static inline void take_answer(const struct command_text *t,
			       const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *out =
		command_part(hdr, UVERBS_ATTR_CORE_OUT);
	const struct ib_uverbs_attr *driver =
		command_part(hdr, UVERBS_ATTR_UHW_OUT);

	if (out)
		memcpy((void *)(uintptr_t)out->data, t->answer, out->len);
	if (driver)
		memcpy((void *)(uintptr_t)driver->data,
		       t->answer + (out ? out->len : 0), driver->len);
}

/* Returns false if the change changes nothing, or the answer has no room. */
static inline bool write_changed(struct command_text *t,
				 const struct ib_uverbs_ioctl_hdr *hdr,
				 const struct command_change *how)
{
	static struct command_text same;

	write_command(t, hdr, how->seen.legacy);
	if (t->too_long ||
	    part_length(hdr, UVERBS_ATTR_CORE_OUT) +
			    part_length(hdr, UVERBS_ATTR_UHW_OUT) >
		    sizeof(t->answer))
		return false;
	memcpy(same.bytes, t->bytes, t->count);
	same.count = t->count;
	if (!change_text(t, how))
		return false;
	return how->how == CHANGE_WRITE || same.count != t->count ||
	       memcmp(same.bytes, t->bytes, t->count) != 0;
}

/* A kernel that does not know a command or a method, or has no ioctl, answers
 * with one of these, whereupon libibverbs sends the command in another form. It
 * is told EINVAL instead. */
static inline bool has_other_form(int err)
{
	return err == EPROTONOSUPPORT || err == ENOTTY || err == EOPNOTSUPP;
}

/* Sends a legacy command by write(). */
static inline int send_written(struct command_change *how, int fd,
			       struct ib_uverbs_ioctl_hdr *hdr,
			       command_sender *send, command_writer *writes)
{
	static struct command_text t;
	ssize_t ret;

	how->seen.made = how->seen.legacy != 0 && write_changed(&t, hdr, how);
	if (!how->seen.made)
		return send(fd, RDMA_VERBS_IOCTL, hdr);
	errno = 0;
	ret = writes(fd, t.bytes, t.count);
	how->seen.err = ret >= 0 ? 0 : errno;
	if (has_other_form(how->seen.err))
		errno = EINVAL;
	if (!how->seen.err)
		take_answer(&t, hdr);
	return how->seen.err ? -1 : 0;
}

/* Sends a command as it is, and notes a handle that it has. */
static inline int send_noted(struct command_change *how, int fd,
			     struct ib_uverbs_ioctl_hdr *hdr, int at,
			     command_sender *send)
{
	int ret;

	how->seen.made = at >= 0 && !hdr->attrs[at].len;
	if (how->seen.made)
		how->noted = hdr->attrs[at].data;
	ret = send(fd, RDMA_VERBS_IOCTL, hdr);
	how->seen.err = ret ? errno : 0;
	return ret;
}

/* A call may send more than one command: CHANGE_KEEP may name the legacy
 * command that is kept. */
static inline bool is_wanted(const struct command_change *how)
{
	return how->how != CHANGE_KEEP || !how->value ||
	       how->value == how->seen.legacy;
}

static inline bool keep_wanted(const struct command_change *how, int fd,
			       const struct ib_uverbs_ioctl_hdr *hdr, int at)
{
	struct kept_command *k = the_kept_command();

	k->hdr = NULL;
	if (is_wanted(how) && keep_command(k, fd, hdr) &&
	    how->how == CHANGE_KEEP_HANDLE && !put_handle(k, at, how->value))
		k->hdr = NULL;
	return k->hdr;
}

/* Sends a command as it is, and keeps a copy; sends the kept copy meanwhile; or
 * sends a copy at once. */
static inline int send_kept(struct command_change *how, int fd,
			    struct ib_uverbs_ioctl_hdr *hdr, int at,
			    command_sender *send)
{
	struct kept_command *k = the_kept_command();
	int ret;

	if (how->how == CHANGE_MEANWHILE) {
		how->seen.made = k->fd == fd && k->hdr;
		return how->seen.made
			       ? send_meanwhile(k, hdr, send, &how->seen.err)
			       : send(fd, RDMA_VERBS_IOCTL, hdr);
	}
	how->seen.made = keep_wanted(how, fd, hdr, at);
	if (how->seen.made && how->how == CHANGE_TWICE)
		return send_twice(k, hdr, send, &how->seen.err);
	ret = send(fd, RDMA_VERBS_IOCTL, hdr);
	how->seen.err = ret ? errno : 0;
	return ret;
}

/* Returns true if the copy is another command than the library sends. */
static inline bool is_changed(const struct command_copy *c,
			      const struct ib_uverbs_ioctl_hdr *hdr)
{
	return c->request != RDMA_VERBS_IOCTL || c->nattrs != hdr->num_attrs ||
	       memcmp(c->hdr, hdr,
		      sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0])) !=
		       0;
}

/* Sends a changed copy of a command. */
static inline int send_changed(struct command_change *how, int fd,
			       struct ib_uverbs_ioctl_hdr *hdr,
			       command_sender *send, command_writer *writes)
{
	static struct command_copy c;
	int at, ret;

	if (hdr->num_attrs + 2 > COMMAND_ATTRS)
		return send(fd, RDMA_VERBS_IOCTL, hdr);
	c.hdr = (struct ib_uverbs_ioctl_hdr *)c.room;
	memcpy(c.room, hdr,
	       sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]));
	c.nattrs = hdr->num_attrs;
	c.request = RDMA_VERBS_IOCTL;
	at = command_attr_at(c.hdr, c.nattrs, how->attr);
	describe_command(how, &c, at);
	if (how->how == CHANGE_NOTE)
		return send_noted(how, fd, hdr, at, send);
	if (how->how >= CHANGE_KEEP && how->how <= CHANGE_TWICE)
		return send_kept(how, fd, hdr, at, send);
	if (how->how >= CHANGE_WRITE)
		return send_written(how, fd, hdr, send, writes);
	how->seen.made = (change_header(&c, how) ||
			  (at >= 0 && change_attr(&c, how, at))) &&
			 is_changed(&c, hdr);
	if (!how->seen.made)
		return send(fd, RDMA_VERBS_IOCTL, hdr);
	if (how->how == CHANGE_HANDLE || how->how == CHANGE_NOTED)
		how->seen.handle = c.hdr->attrs[at].data;
	ret = send(fd, c.request, c.hdr);
	how->seen.err = ret ? errno : 0;
	if (has_other_form(how->seen.err))
		errno = EINVAL;
	give_back(&c, how, hdr);
	return ret;
}
